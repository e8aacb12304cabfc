/* Two looks: with the simple causes, and with rewritings of the function too. */
#include "explain_why.h"

#include "explain_telling.h"
#include "signals.h"
#include "stopped.h"

#include "explain/identity.h"
#include "explain/variants.h"

/* Whether the causes predict all differences. */
static bool is_explained_by_bits(const struct explain_outcome *outcome) {
    bool by_bits = !outcome->unexplained;
    for (size_t i = 0; i < outcome->count; i++)
        by_bits = by_bits && (!outcome->explanations[i].cause ||
                              explanation_predicts_bits(&outcome->explanations[i]));
    return by_bits;
}

bool explain_why(const struct explain_request *request, struct explain_outcome *outcome,
                 struct error *error) {
    static struct identities identities; /* what they say is shown when this has returned */
    static struct explain_outcome before;
    struct explain_request wider = *request;
    explain_tell_first(request);
    if (!explain_run(request, outcome, error))
        return false;
    if (!outcome->differ || outcome->events[0].any || outcome->events[1].any ||
        request->losses[0]->count || request->losses[1]->count)
        return true;
    identities_find(request, &identities);
    for (size_t i = 0; i < identities.count && wider.rebuild_count < REBUILD_MOST; i++) {
        wider.rebuilds[wider.rebuild_count] = &identities.found[i];
        wider.rebuild_names[wider.rebuild_count++] = HYPOTHESIS_REWRITTEN;
    }
    if (!is_explained_by_bits(outcome))
        variants_add(&wider, &outcome->first);
    before = *outcome;
    if (wider.rebuild_count == request->rebuild_count || explain_run(&wider, outcome, error))
        return true;
    *outcome = before;
    return interrupted != 0;
}

void explain_say_stopped(const struct explain_row *row, const struct explain_request *request,
                         struct error *error) {
    const struct explain_outcome *outcome = &row->outcome;
    if (!interrupted || row->alone)
        return;
    say_stopped(
        &(struct stopped){.operation = row->operation,
                          .format = format_of_operand(row->computed.format, 0),
                          .done = outcome->tested + outcome->unanswered + outcome->not_called,
                          .count = request->domain->count,
                          .differ = outcome->differ,
                          .unanswered = outcome->unanswered,
                          .first = outcome->first.in[0]},
        error);
}
