/* The library's calls for layers of dyadic numbers (dyadic_linear.h): matrices of integers in, a
 * matrix of the accumulator's width out. Link with -ldetmath.
 *
 *   detmath_dyadic_affine_FROM_TO   z = (x y) + b, shifted by q
 *
 * FROM is i8, i16, i32 or i64, TO is i32 or i64, the accumulator, which the plan's rules must say
 * too and which holds FROM. Shapes and strides are those of the call: element (r, k) of x is
 * x[r * x_row + k * x_column], element (k, c) of y is y[k * y_row + c * y_column], so that a
 * transposed matrix is one whose strides are exchanged; z is rows * columns elements, row by row.
 * Element (r, c) adds b[r * b_row + c * b_column]: a stride of 0 repeats the bias. b may be NULL.
 * One row and one column are a dot product; q, scales and rounding are the plan's
 * (detmath_dyadic_plan_affine). Where z overlaps another array, DETMATH_DYADIC_OVERLAP is returned.
 *
 * Where no sum of products can overflow (the largest magnitudes and the inner extent say so), and
 * wherever the rules wrap, products are summed in tiles of vectors; else one by one in order.
 * The bits are the same.
 *
 * Element number i of z draws detmath_random(seed, first + i). The return value is every status
 * that an element has; a plan with trouble writes nothing.
 *
 *   detmath_dyadic_mse_i32, _i64    the mean of n squared differences, as one number
 *   detmath_dyadic_step_i32, _i64   one step of training for n weights, in place */
#ifndef DETMATH_DYADIC_LINEAR_ARRAYS_H
#define DETMATH_DYADIC_LINEAR_ARRAYS_H

#include "dyadic_linear.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

struct detmath_dyadic_matrices {
    size_t rows, inner, columns;
    size_t x_row, x_column, y_row, y_column, b_row, b_column;
};

#define DETMATH_DYADIC_PRODUCTS(ROW)                                                               \
    ROW(i8, int8_t, i32, int32_t)                                                                  \
    ROW(i16, int16_t, i32, int32_t)                                                                \
    ROW(i32, int32_t, i32, int32_t)                                                                \
    ROW(i8, int8_t, i64, int64_t)                                                                  \
    ROW(i16, int16_t, i64, int64_t)                                                                \
    ROW(i32, int32_t, i64, int64_t)                                                                \
    ROW(i64, int64_t, i64, int64_t)

#define DETMATH_DYADIC_PRODUCT(NAME, FROM, WIDTH, TO)                                              \
    uint32_t detmath_dyadic_affine_##NAME##_##WIDTH(                                               \
        TO *z, const FROM *x, const FROM *y, const TO *b,                                          \
        const struct detmath_dyadic_matrices *matrices, const struct detmath_dyadic_plan *plan,    \
        uint64_t seed, uint64_t first);
DETMATH_DYADIC_PRODUCTS(DETMATH_DYADIC_PRODUCT)
#undef DETMATH_DYADIC_PRODUCT

/* x1 and x2 by the plan of sub (detmath_dyadic_plan_add), with precision shift p; *s is the result's
 * scale. n must be below 2^31. Difference number i draws detmath_random(seed, first + i). */
int32_t detmath_dyadic_mse_i32(const int32_t *x1, const int32_t *x2, size_t n,
                               const struct detmath_dyadic_plan *plan, int32_t p, uint64_t seed,
                               uint64_t first, int32_t *s, uint32_t *status);
int64_t detmath_dyadic_mse_i64(const int64_t *x1, const int64_t *x2, size_t n,
                               const struct detmath_dyadic_plan *plan, int32_t p, uint64_t seed,
                               uint64_t first, int32_t *s, uint32_t *status);

/* Weights and velocities are changed by their gradients, which may be the same array as one of the two; where
 * arrays overlap otherwise, DETMATH_DYADIC_OVERLAP is returned. Weight i draws
 * detmath_random(seed, first + i). */
uint32_t detmath_dyadic_step_i32(int32_t *weights, int32_t *velocities, const int32_t *gradients,
                                 size_t n, const struct detmath_dyadic_step *step, uint64_t seed,
                                 uint64_t first);
uint32_t detmath_dyadic_step_i64(int64_t *weights, int64_t *velocities, const int64_t *gradients,
                                 size_t n, const struct detmath_dyadic_step *step, uint64_t seed,
                                 uint64_t first);

#if defined(__cplusplus)
}
#endif
#endif
