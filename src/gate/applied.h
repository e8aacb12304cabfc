/* Which limits hold for a case: those that rules set, and those that these bring along. Whoever limits errors does
 * not mean that a NaN may stand for a number, or that a call may end the process. */
#ifndef DETCHECK_GATE_APPLIED_H
#define DETCHECK_GATE_APPLIED_H

#include "gate/policy.h"

struct applied_limit {
    int limit; /* of limit_rows */
    double allowed;
    const struct policy *policy; /* NULL: no rule brings it along, it always holds */
    const struct rule *rule;
    int by; /* of limit_rows, the limit that brings it along; -1 where the rule sets it itself */
};

struct applied_limits {
    struct applied_limit *items;
    size_t count, room;
};

/* The limits of a case that is provided, policy by policy. Those of limit_rows that are implied follow, where no
 * policy sets them: 0, and of inputs without an answer as many as there may be events. False with an error where
 * memory is out or two rules are equally specific. */
bool applied_find(struct applied_limits *limits, struct policy *policies, size_t policy_count,
                  const struct gate_case *gate_case, struct error *error);
void applied_free(struct applied_limits *limits);

/* Whether a case that is not provided may be so: where no rule is about it, or the most specific one that requires
 * or waives it waives it. Sets which policy and rule forbid it. */
bool applied_may_lack(struct policy *policies, size_t policy_count,
                      const struct gate_case *gate_case, bool *may, struct applied_limit *forbids,
                      struct error *error);

#endif
