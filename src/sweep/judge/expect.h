/* What is right for the flags of one call, by what is known of its results. */
#ifndef DETCHECK_SWEEP_JUDGE_EXPECT_H
#define DETCHECK_SWEEP_JUDGE_EXPECT_H

#include "sweep/judge/flags.h"

/* The blocks that a run of inputs lies in: one for each result. */
struct joint_span {
    struct worker *worker;
    struct span spans[MAX_RESULTS];
    size_t at, count; /* in the slice */
};

/* The rule for a call of the operation that is computed, whose right flags are `right`. */
struct effect_rule effect_rule_of(const struct binding_request *computed,
                                  struct flag_expectation right);

/* The rule for these operands and exact results. */
struct effect_rule expect_rule(const struct worker *worker, const uint64_t *codes,
                               const struct real *y);

static inline bool effect_rule_is_same(struct effect_rule a, struct effect_rule b) {
    return a.required == b.required && a.permitted == b.permitted;
}

/* Sets the rule of input `at` of the slice by the exact oracle. */
bool expect_exactly(struct worker *worker, size_t at, struct error *error);

/* The rule by what the blocks say. False where they leave a doubt. */
bool expect_cheaply(const struct joint_span *run, size_t at, struct effect_rule *rule);

/* Sets the rule by whichever of them knows it. */
bool expect_one(const struct joint_span *run, size_t at, struct error *error);

#endif
