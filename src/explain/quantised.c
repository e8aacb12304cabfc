/* Rules of quantisers, changed one after the other until a side's bytes are equal. */
#include "explain/quantised.h"

#include "op/block/quantise.h"
#include "op/block/rows.h"
#include "op/block/switches.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 12 /* of a side */, MOST_SWITCHES = 96 };

struct hypothesis quantised_hypothesis(size_t index) {
    struct hypothesis row = {.name = NULL};
    if (index < block_switch_count)
        row = (struct hypothesis){.name = block_switches[index].name,
                                  .says = block_switches[index].says};
    return row;
}

struct trial {
    const struct sum_results *results;
    const struct block_layout *layout;
    const struct quantiser_rule *asked;
    const struct quantiser_rule *own[2]; /* of a side that is a quantiser by name; or NULL */
    uint8_t *block;                      /* room for the bytes of one */
    uint8_t *predicted[2];               /* of each side, by result */
    /* A pass over all calls: */
    struct quantiser_rule rule;
    int side;
    bool keeps;             /* what the rule gives */
    uint64_t wrong, enough; /* bytes, and how many end the pass */
};

static bool try_call(void *context, const struct array_call *call, uint64_t number,
                     struct error *error) {
    struct trial *trial = context;
    const struct block_layout *layout = trial->layout;
    const struct real real = array_number(&call->operands[BLOCK_TENSOR_SCALE], 0);
    const float *x = call->operands[BLOCK_DATA].codes, tensor = (float)real_to_double(&real);
    const size_t count = sum_elements_of(trial->results, number);
    size_t at = trial->results->first[number];
    (void)error;
    for (size_t i = 0; i < count && trial->wrong < trial->enough;
         i += layout->bytes, x += layout->elements) {
        block_follow(&trial->rule, layout, x, tensor, trial->block);
        for (size_t b = 0; b < layout->bytes; b++, at++) {
            trial->wrong += trial->results->codes[trial->side][at] != trial->block[b];
            if (trial->keeps)
                trial->predicted[trial->side][at] = trial->block[b];
        }
    }
    return trial->wrong < trial->enough;
}

/* How many bytes of a side a rule gets wrong; where these are `enough` or more, no more calls are looked at. */
static bool count_wrong(struct trial *trial, const struct quantiser_rule *rule, bool keeps,
                        uint64_t enough, uint64_t *wrong, struct error *error) {
    trial->rule = *rule;
    trial->keeps = keeps;
    trial->wrong = 0;
    trial->enough = enough;
    const bool visited = sum_results_visit(trial->results, try_call, trial, error);
    *wrong = trial->wrong;
    return visited || trial->wrong >= enough;
}

/* Differences of which both sides are predicted. */
static uint64_t count_explained(const struct trial *trial) {
    const struct sum_results *results = trial->results;
    uint64_t explained = 0;
    for (size_t at = 0; at < results->count; at++)
        explained += sum_results_differ(results, at) &&
                     results->codes[0][at] == trial->predicted[0][at] &&
                     results->codes[1][at] == trial->predicted[1][at];
    return explained;
}

/* Bytes that are equal on both sides and that the side's changed rule gets wrong. */
static uint64_t count_mispredicted(const struct trial *trial) {
    const struct sum_results *results = trial->results;
    uint64_t wrong = 0;
    for (size_t at = 0; at < results->count; at++)
        wrong += !sum_results_differ(results, at) &&
                 results->codes[trial->side][at] != trial->predicted[trial->side][at];
    return wrong;
}

static void add_row(struct explain_outcome *outcome, const struct trial *trial, size_t index,
                    uint64_t explains, uint64_t adds, int cause, int same_as) {
    const uint64_t wrong = count_mispredicted(trial);
    const bool all = explains == outcome->differ && !wrong;
    outcome->explanations[outcome->count++] =
        (struct explanation){.name = block_switches[index].name,
                             .says = block_switches[index].says,
                             .order = (int)index,
                             .side = trial->side,
                             .tested = outcome->tested,
                             .explains = explains,
                             .wrong = wrong,
                             .verdict = all ? EXPLAINS_ALL : EXPLAINS_PART,
                             .cause = cause,
                             .same_as = same_as,
                             .adds = adds};
}

/* The change that leaves fewest bytes wrong, and how many; block_switch_count where none is better. Where the side's own rule is
 * known, only what leads there is tried, and is taken in any case. */
static bool choose(struct trial *trial, const struct quantiser_rule *rule, uint64_t least,
                   uint64_t *wrong, size_t *chosen, struct error *error) {
    const struct quantiser_rule *own = trial->own[trial->side];
    uint64_t best = own ? UINT64_MAX : least;
    *chosen = block_switch_count;
    for (size_t i = 0; i < block_switch_count; i++) {
        struct quantiser_rule other;
        wrong[i] = UINT64_MAX;
        if (!block_switched(rule, trial->layout, i, &other) ||
            (own && !block_switch_leads(&other, own, i)))
            continue;
        if (!count_wrong(trial, &other, false, UINT64_MAX, &wrong[i], error))
            return false;
        if (wrong[i] < best) {
            best = wrong[i];
            *chosen = i;
        }
    }
    return true;
}

/* The two changes that together leave fewest bytes wrong, at most half of `least`; block_switch_count where there are none. */
static bool choose_pair(struct trial *trial, const struct quantiser_rule *rule, uint64_t least,
                        size_t *chosen, struct error *error) {
    uint64_t best = least / 2 + 1, wrong;
    chosen[0] = block_switch_count;
    for (size_t i = 0; i < block_switch_count; i++) {
        struct quantiser_rule one, both;
        if (!block_switched(rule, trial->layout, i, &one))
            continue;
        for (size_t j = 0; j < block_switch_count; j++) {
            if (block_switches[j].offset == block_switches[i].offset ||
                !block_switched(&one, trial->layout, j, &both))
                continue;
            if (!count_wrong(trial, &both, false, best, &wrong, error))
                return false;
            if (wrong < best) {
                best = wrong;
                chosen[0] = i;
                chosen[1] = j;
            }
        }
    }
    return true;
}

/* What the changes of a side have led to. */
struct progress {
    struct quantiser_rule rule;
    uint64_t least; /* bytes that it gets wrong */
    int *cause;
};

/* Makes changes at once. They are causes unless they make no difference; several have the figures of all together, since none helps
 * alone. */
static bool make_changes(struct trial *trial, struct explain_outcome *outcome,
                         struct progress *progress, const size_t *chosen, size_t count,
                         struct error *error) {
    const uint64_t before = progress->least;
    for (size_t i = 0; i < count; i++) {
        const struct quantiser_rule from = progress->rule;
        block_switched(&from, trial->layout, chosen[i], &progress->rule);
    }
    if (!count_wrong(trial, &progress->rule, true, UINT64_MAX, &progress->least, error))
        return false;
    const uint64_t explained = count_explained(trial),
                   already = outcome->differ - outcome->unexplained,
                   adds = explained > already ? explained - already : 0;
    outcome->unexplained -= adds;
    for (size_t i = 0; i < count && (adds || progress->least < before); i++)
        add_row(outcome, trial, chosen[i], adds, i ? 0 : adds, ++*progress->cause, 0);
    return true;
}

/* Changes that would have done the same: two rows of the table may be one rule of this layout. */
static void add_same(struct trial *trial, struct explain_outcome *outcome,
                     const struct quantiser_rule *from, const struct progress *progress,
                     size_t chosen, const uint64_t *wrong) {
    struct quantiser_rule other;
    for (size_t i = chosen + 1; i < block_switch_count; i++)
        if (progress->least == 0 && wrong[i] == 0 && outcome->count < EXPLANATION_MOST &&
            block_switched(from, trial->layout, i, &other) &&
            memcmp(&other, &progress->rule, sizeof other) != 0)
            add_row(outcome, trial, i, 0, 0, 0, *progress->cause);
}

/* One change after the other, and two at once where none helps alone. */
static bool change_rule(struct trial *trial, struct explain_outcome *outcome, int *cause,
                        struct error *error) {
    struct progress progress = {.rule = *trial->asked, .cause = cause};
    bool good = count_wrong(trial, &progress.rule, true, UINT64_MAX, &progress.least, error);
    for (int change = 0; good && progress.least && change < MOST_CHANGES; change++) {
        uint64_t wrong[MOST_SWITCHES];
        size_t chosen, pair[2];
        const struct quantiser_rule from = progress.rule;
        const int causes = *cause;
        if (!choose(trial, &from, progress.least, wrong, &chosen, error))
            return false;
        if (chosen < block_switch_count) {
            good = make_changes(trial, outcome, &progress, &chosen, 1, error);
            if (good && *cause > causes)
                add_same(trial, outcome, &from, &progress, chosen, wrong);
            continue;
        }
        if (trial->own[trial->side]) /* single changes lead to a rule that is known */
            break;
        if (!choose_pair(trial, &from, progress.least, pair, error))
            return false;
        if (pair[0] == block_switch_count)
            break;
        good = make_changes(trial, outcome, &progress, pair, 2, error);
    }
    return good;
}

/* The rule of a side that is named after its quantiser. */
static const struct quantiser_rule *own_rule(const struct sum_results *results,
                                             const struct block_layout *layout, int side) {
    const char *name = strchr(results->request->sides[side]->name, ':');
    const bool is_quantiser = strcmp(results->request->sides[side]->kind->name, "quantiser:") == 0;
    for (int i = 0; is_quantiser && name && block_quantiser_names[i]; i++)
        if (strcmp(block_quantiser_names[i], name + 1) == 0)
            return block_rule_of(i, layout);
    return NULL;
}

bool quantised_explain(const struct sum_results *results, struct explain_outcome *outcome,
                       struct error *error) {
    const struct parameters *given = &results->request->computed.parameters;
    const int quantiser = (int)parameter_integer(given, PARAMETER_QUANTISER, 0);
    const struct block_layout *layout =
        &block_layouts[parameter_integer(given, PARAMETER_LAYOUT, 0)];
    struct trial trial = {
        .results = results,
        .layout = layout,
        .asked = block_rule_of(quantiser, layout),
        .own = {own_rule(results, layout, 0), own_rule(results, layout, 1)},
        .block = malloc(layout->bytes),
        .predicted = {calloc(results->count + 1, 1), calloc(results->count + 1, 1)}};
    int cause = 0;
    bool good = trial.asked || error_set(error,
                                         "explain changes rules of a quantiser, and --quantiser %s "
                                         "has none for %s: it is a definition or a search",
                                         block_quantiser_names[quantiser], layout->name);
    good = good && ((trial.block && trial.predicted[0] && trial.predicted[1]) ||
                    error_set(error, "out of memory for results"));
    uint64_t wrong;
    for (trial.side = 0; good && trial.side < 2; trial.side++)
        good = count_wrong(&trial, trial.asked, true, UINT64_MAX, &wrong, error);
    for (trial.side = 0; good && trial.side < 2; trial.side++)
        good = change_rule(&trial, outcome, &cause, error);
    free(trial.block);
    free(trial.predicted[0]);
    free(trial.predicted[1]);
    return good;
}
