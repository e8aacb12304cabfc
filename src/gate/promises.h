/* The promises of a policy for what a sweep runs: the rules that a gate would take, found before there
 * is a report. */
#ifndef DETCHECK_GATE_PROMISES_H
#define DETCHECK_GATE_PROMISES_H

#include "gate/policy.h"
#include "sweep/sweep.h"

/* The promises of the operations of formulas, for one implementation. */
enum { MOST_INHERITED = 24 };
struct formula_promises {
    struct promise promises[MOST_INHERITED];
    struct inherited_promise list[MOST_INHERITED];
    size_t count;
};

/* For one sweep. `found` points at those of `promises` that there are. */
struct sweep_promises {
    struct promise promises[MAX_IMPLEMENTATIONS * MAX_RESULTS];
    const struct promise *found[MAX_IMPLEMENTATIONS * MAX_RESULTS];
    size_t count;
    struct formula_promises *formulas[MAX_IMPLEMENTATIONS]; /* NULL where nothing is inherited */
};

/* Finds what the policy, which has its indices, promises of each implementation of the request. False
 * with an error where two rules are equally specific. The policy must outlive the
 * promises, which are to be freed in any case; they are {0} before the first call. */
bool promises_find(struct policy *policy, const struct sweep_request *request,
                   struct sweep_promises *promises, struct error *error);

void promises_free(struct sweep_promises *promises);

#endif
