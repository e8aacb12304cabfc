/* Judges again, with neither filter nor Arb, the inputs that a report names. */
#include "sweep/judge/confirm.h"

#include "sweep/judge/output.h"
#include "sweep/judge/promise_check.h"

#include <math.h>

struct confirmation {
    const struct worker *worker;
    struct oracle oracle;
    int result;
    struct error *error;
};

/* `promise`: whose violation the witness is, with its error; or NULL. */
static bool confirm(struct confirmation *confirmation, const struct witness *witness,
                    const struct promise *promise) {
    const struct worker *worker = confirmation->worker;
    struct real y;
    if (!oracle_exact(&confirmation->oracle, witness->input, confirmation->result, &y,
                      confirmation->error))
        return false;
    uint64_t want = worker_want(worker, &y, witness->input, witness->index);
    const struct judgement judgement = judge_output(&worker->judge, &y, want, witness->got);
    double found = judgement.error;
    if (promise && judgement.in_ulps && promise->accepted >> ACCEPT_FLUSHED_ULPS & 1)
        found = fmin(found, flushed_ulp_error(worker->judge.format, &y, witness->got));
    /* Both were cut from exact values by no more than this; doubles carry 53 bits of them. */
    double slack = 2 * ORACLE_SLACK + 0x1p-50 * found;
    bool same = want == witness->want && fabs(found - witness->error) <= slack;
    return same ||
           worker_refute(worker, confirmation->result, witness, "MPFR alone", confirmation->error);
}

static bool confirm_tally(struct confirmation *confirmation, const struct tally *tally,
                          const struct promise *promise) {
    if (tally->has_max && !confirm(confirmation, &tally->max, NULL))
        return false;
    if (tally->promise.has_worst && !confirm(confirmation, &tally->promise.worst.witness, promise))
        return false;
    for (unsigned i = 0; i < tally->worst_count; i++)
        if (!confirm(confirmation, &tally->worst[i], NULL))
            return false;
    return true;
}

bool sweep_confirm(const struct worker *worker, const struct sweep_outcome *outcome,
                   struct error *error) {
    const struct binding_request *computed = &worker->request->computed;
    struct confirmation confirmation = {.worker = worker, .error = error};
    bool confirmed = true;
    oracle_open(&confirmation.oracle, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    confirmation.oracle.rounding = computed->rounding;
    confirmation.oracle.by_mpfr = true;
    for (size_t i = 0; confirmed && i < outcome->implementation_count; i++)
        for (int j = 0; confirmed && j < computed->operation->results; j++) {
            confirmation.result = j;
            if (outcome->implementations[i].provided)
                confirmed = confirm_tally(&confirmation, &outcome->implementations[i].tallies[j],
                                          worker_promise(worker, i, j));
        }
    oracle_close(&confirmation.oracle);
    return confirmed;
}
