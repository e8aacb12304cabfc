/* The library's calls for arrays of dyadic numbers (dyadic.h) that share one scale: mantissas in,
 * by a plan, mantissas out; the result's scale is the plan's. Link with -ldetmath.
 *
 *   detmath_dyadic_NAME_i32, _i64   y[i] = NAME of x1[i] (and x2[i]), in accumulators of as many
 *                                   bits, which the plan's rules must say too
 *
 * Element i draws detmath_random(seed, first + i), so that an array cut into parts, for threads or
 * otherwise, has the same bits as in one. y may be x1 or x2, where elements take as many bytes; where it
 * overlaps them otherwise, DETMATH_DYADIC_OVERLAP is returned. Else the return value is every status that an
 * element has (enum detmath_dyadic_status), 0 where all is well; a plan with trouble writes nothing.
 *
 * Conversions from and to real numbers are in the same form; where i is the width of the mantissas.
 *
 * The x1 of gradient and relu_gradient is the gradient, the x2 what was requantised, or relu's operand. */
#ifndef DETMATH_DYADIC_ARRAYS_H
#define DETMATH_DYADIC_ARRAYS_H

#include "dyadic.h"
#include "dyadic_real.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* One row for each operation, of one array or two. */
#define DETMATH_DYADIC_OPERATIONS(ONE, TWO)                                                        \
    ONE(align)                                                                                     \
    TWO(add)                                                                                       \
    TWO(sub)                                                                                       \
    TWO(mul)                                                                                       \
    TWO(div)                                                                                       \
    ONE(requantise)                                                                                \
    TWO(gradient)                                                                                  \
    TWO(equal)                                                                                     \
    ONE(relu)                                                                                      \
    TWO(relu_gradient)

#define DETMATH_DYADIC_ONE(NAME)                                                                   \
    uint32_t detmath_dyadic_##NAME##_i32(int32_t *y, const int32_t *x1, size_t n,                  \
                                         const struct detmath_dyadic_plan *plan, uint64_t seed,    \
                                         uint64_t first);                                          \
    uint32_t detmath_dyadic_##NAME##_i64(int64_t *y, const int64_t *x1, size_t n,                  \
                                         const struct detmath_dyadic_plan *plan, uint64_t seed,    \
                                         uint64_t first);
#define DETMATH_DYADIC_TWO(NAME)                                                                   \
    uint32_t detmath_dyadic_##NAME##_i32(int32_t *y, const int32_t *x1, const int32_t *x2,         \
                                         size_t n, const struct detmath_dyadic_plan *plan,         \
                                         uint64_t seed, uint64_t first);                           \
    uint32_t detmath_dyadic_##NAME##_i64(int64_t *y, const int64_t *x1, const int64_t *x2,         \
                                         size_t n, const struct detmath_dyadic_plan *plan,         \
                                         uint64_t seed, uint64_t first);
DETMATH_DYADIC_OPERATIONS(DETMATH_DYADIC_ONE, DETMATH_DYADIC_TWO)
#undef DETMATH_DYADIC_ONE
#undef DETMATH_DYADIC_TWO

/* Real numbers to mantissas by a plan of detmath_dyadic_plan_from_real, and mantissas to real
 * numbers by one of detmath_dyadic_plan_to_real, rounded once. */
#define DETMATH_DYADIC_CONVERSIONS(FROM, TO)                                                       \
    FROM(from_f32, float)                                                                          \
    FROM(from_f64, double)                                                                         \
    TO(to_f32, float)                                                                              \
    TO(to_f64, double)

#define DETMATH_DYADIC_FROM(NAME, REAL)                                                            \
    uint32_t detmath_dyadic_##NAME##_i32(int32_t *y, const REAL *x1, size_t n,                     \
                                         const struct detmath_dyadic_plan *plan, uint64_t seed,    \
                                         uint64_t first);                                          \
    uint32_t detmath_dyadic_##NAME##_i64(int64_t *y, const REAL *x1, size_t n,                     \
                                         const struct detmath_dyadic_plan *plan, uint64_t seed,    \
                                         uint64_t first);
#define DETMATH_DYADIC_TO(NAME, REAL)                                                              \
    uint32_t detmath_dyadic_##NAME##_i32(REAL *y, const int32_t *x1, size_t n,                     \
                                         const struct detmath_dyadic_plan *plan, uint64_t seed,    \
                                         uint64_t first);                                          \
    uint32_t detmath_dyadic_##NAME##_i64(REAL *y, const int64_t *x1, size_t n,                     \
                                         const struct detmath_dyadic_plan *plan, uint64_t seed,    \
                                         uint64_t first);
DETMATH_DYADIC_CONVERSIONS(DETMATH_DYADIC_FROM, DETMATH_DYADIC_TO)
#undef DETMATH_DYADIC_FROM
#undef DETMATH_DYADIC_TO

#if defined(__cplusplus)
}
#endif
#endif
