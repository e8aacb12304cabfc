/* Plans of dyadic numbers as calls. */
#include "detmath/dyadic_plans.h"

_Static_assert(sizeof(struct detmath_dyadic_plan) <= DETMATH_DYADIC_PLAN_ROOM &&
                   sizeof(struct detmath_dyadic_step) <= DETMATH_DYADIC_PLAN_ROOM,
               "what callers keep for a plan holds it");

#define MAKE(NAME, ...)                                                                            \
    uint32_t detmath_dyadic_make_##NAME(struct detmath_dyadic_plan *plan, const int32_t *numbers,  \
                                        const struct detmath_dyadic_rules *rules,                  \
                                        int32_t *scale) {                                          \
        *plan = detmath_dyadic_plan_##NAME(__VA_ARGS__, *rules);                                   \
        *scale = plan->s;                                                                          \
        return plan->status;                                                                       \
    }
DETMATH_DYADIC_PLANS(MAKE)

uint32_t detmath_dyadic_make_step(struct detmath_dyadic_step *step, const int32_t *numbers,
                                  int64_t bound, const struct detmath_dyadic_rules *rules) {
    *step = detmath_dyadic_step_of(numbers[0], numbers[1], numbers[2], numbers[3], bound, *rules);
    return step->status;
}
