/* The plans of dyadic.h, dyadic_real.h and dyadic_linear.h as calls of the library, for languages that
 * cannot read C. Link with -ldetmath.
 *
 *   detmath_dyadic_make_NAME   *plan = detmath_dyadic_plan_NAME(numbers[0], ..., rules)
 *
 * The numbers are the arguments before the rules, in their order. *scale is that of the results. The
 * status is returned: a plan that has any is good for nothing. */
#ifndef DETMATH_DYADIC_PLANS_H
#define DETMATH_DYADIC_PLANS_H

#include "dyadic_linear.h"
#include "dyadic_real.h"

#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Bytes that hold a plan, or a step, of any version of the library. */
enum { DETMATH_DYADIC_PLAN_ROOM = 256 };

/* A row for each kind: its name, and its numbers. */
#define DETMATH_DYADIC_PLANS(ROW)                                                                  \
    ROW(align, numbers[0], numbers[1])                                                             \
    ROW(add, numbers[0], numbers[1])                                                               \
    ROW(mul, numbers[0], numbers[1], numbers[2])                                                   \
    ROW(div, numbers[0], numbers[1], numbers[2])                                                   \
    ROW(equal, numbers[0], numbers[1])                                                             \
    ROW(relu_gradient, numbers[0], numbers[1])                                                     \
    ROW(requantise, numbers[0], numbers[1], numbers[2], numbers[3])                                \
    ROW(affine, numbers[0], numbers[1], numbers[2], numbers[3])                                    \
    ROW(from_real, numbers[0], numbers[1], numbers[2])                                             \
    ROW(to_real, numbers[0])

#define DETMATH_DYADIC_MAKE(NAME, ...)                                                             \
    uint32_t detmath_dyadic_make_##NAME(struct detmath_dyadic_plan *plan, const int32_t *numbers,  \
                                        const struct detmath_dyadic_rules *rules, int32_t *scale);
DETMATH_DYADIC_PLANS(DETMATH_DYADIC_MAKE)
#undef DETMATH_DYADIC_MAKE

/* *step = detmath_dyadic_step_of(numbers[0], ..., numbers[3], bound, rules). */
uint32_t detmath_dyadic_make_step(struct detmath_dyadic_step *step, const int32_t *numbers,
                                  int64_t bound, const struct detmath_dyadic_rules *rules);

#if defined(__cplusplus)
}
#endif
#endif
