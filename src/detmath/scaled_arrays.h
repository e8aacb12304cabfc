/* The library's calls for scaled arrays (scaled.h): data in one of the formats of round.h (the
 * first DETMATH_FORMATS of enum detmath_format_index), codes in, by a plan, codes out; the result's
 * scale is the plan's. Link with -ldetmath.
 *
 * Every element is what the element's function gives, rounded once, for every n and alignment of
 * elements. A result may be the same array as an operand of its format. Calls return DETMATH_NO_TROUBLE, or
 * DETMATH_TROUBLE_OVERLAP (strided.h) where it overlaps one otherwise, and nothing has been written. A call
 * for each row or channel makes of one scale one for each of them. */
#ifndef DETMATH_SCALED_ARRAYS_H
#define DETMATH_SCALED_ARRAYS_H

#include "scaled_functions.h"

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Of one operand, of two, and of one that does not take all elements the same way. */
#define DETMATH_SCALED_OPERATIONS(ONE, TWO, BRANCHED)                                              \
    TWO(add)                                                                                       \
    TWO(sub)                                                                                       \
    TWO(mul)                                                                                       \
    TWO(div)                                                                                       \
    TWO(max)                                                                                       \
    TWO(min)                                                                                       \
    TWO(relu_gradient)                                                                             \
    TWO(sigmoid_gradient)                                                                          \
    TWO(tanh_gradient)                                                                             \
    ONE(relu)                                                                                      \
    BRANCHED(gelu)                                                                                 \
    ONE(exp)                                                                                       \
    ONE(log)                                                                                       \
    ONE(sigmoid)                                                                                   \
    ONE(tanh)                                                                                      \
    ONE(apply)                                                                                     \
    TWO(gelu_gradient)                                                                             \
    TWO(exp_gradient)                                                                              \
    ONE(exp_f16)                                                                                   \
    ONE(sigmoid_f16)                                                                               \
    ONE(log_f16)                                                                                   \
    ONE(tanh_f16)                                                                                  \
    ONE(gelu_f16)                                                                                  \
    TWO(step)                                                                                      \
    TWO(div_gradient)                                                                              \
    TWO(mul_data)

/* c[i] = NAME of a[i] and b[i] in `format`; for apply, which casts and rebalances, results in
 * `to`. */
#define DETMATH_SCALED_ONE(NAME)                                                                   \
    int detmath_scaled_##NAME(int to, void *c, int format, const void *a, size_t n,                \
                              const struct detmath_scaled_plan *plan);
#define DETMATH_SCALED_TWO(NAME)                                                                   \
    int detmath_scaled_##NAME(int format, void *c, const void *a, const void *b, size_t n,         \
                              const struct detmath_scaled_plan *plan);
DETMATH_SCALED_OPERATIONS(DETMATH_SCALED_ONE, DETMATH_SCALED_TWO, DETMATH_SCALED_ONE)
#undef DETMATH_SCALED_ONE
#undef DETMATH_SCALED_TWO

enum detmath_scaled_operation {
#define DETMATH_SCALED_INDEX(NAME) DETMATH_SCALED_INDEX_##NAME,
    DETMATH_SCALED_OPERATIONS(DETMATH_SCALED_INDEX, DETMATH_SCALED_INDEX, DETMATH_SCALED_INDEX)
#undef DETMATH_SCALED_INDEX
        DETMATH_SCALED_OPERATION_COUNT
};

/* What became of results, as bits of a word that the caller gives and has set to 0: calls add bits and take none
 * away. It costs a comparison for each result; NULL costs nothing. Threads want a word each. */
enum detmath_scaled_status {
    /* Finite in double, and rounded beyond the largest number of the format: it is infinite, NaN or, by the rules of
     * a cast, the largest number. */
    DETMATH_SCALED_OVERFLOWED = 1,
    /* Infinite before it was rounded: of an infinite operand, a division by 0 or the logarithm of 0, or beyond 2^1024. */
    DETMATH_SCALED_WAS_INFINITE = 2
};

/* Elements `stride` apart, which for an operand may be 0 or negative. */
struct detmath_scaled_line {
    void *codes; /* of an operand it is only read */
    int format;
    ptrdiff_t stride;
    unsigned *status; /* of a result: enum detmath_scaled_status; NULL where nobody asks */
};

/* c[i] = the operation on a[i] and b[i] (NULL where it takes one operand), each in a format of its
 * own. Results are rounded to nearest-even by the rules of `cast`, which detmath_cast_make gives
 * for c's format; NULL: beyond the largest number they are infinite, or NaN. */
int detmath_scaled_line(enum detmath_scaled_operation operation,
                        const struct detmath_scaled_line *c, const struct detmath_scaled_line *a,
                        const struct detmath_scaled_line *b, size_t n,
                        const struct detmath_scaled_plan *plan, const struct detmath_cast *cast);

/* The data of the largest value of n > 0 elements, at the plan's scale (detmath_scaled_plan_one);
 * NaN where there is one. */
uint32_t detmath_scaled_reduce_max(int format, const void *a, size_t n,
                                   const struct detmath_scaled_plan *plan);

/* softmax of n > 0 elements with the plan of their scale (detmath_scaled_plan_one): data, and the
 * scale that is returned, 1 where they are NaN. Powers are summed in double in eight sums, of the
 * elements of each index modulo 8 in order, which are added as ((0+4)+(2+6)) + ((1+5)+(3+7)). The
 * data are the powers, and the scale 1 over the sum, rounded to fp32, for scales of any kind. The scale is
 * NaN where c overlaps a and is not a, and nothing has been written. */
float detmath_scaled_softmax(int format, void *c, const void *a, size_t n,
                             const struct detmath_scaled_plan *plan,
                             enum detmath_scaled_compute compute);

/* c[i][j] = sum over k of a[i][k] b[k][j], times plan.a over plan.c, for one row of a and one
 * column of b, whose elements are `stride` apart: by products and fma in double, k ascending, from
 * 0. */
uint32_t detmath_scaled_dot(int format, const void *a, const void *b, size_t k, size_t stride,
                            const struct detmath_scaled_plan *plan);

/* The n by which to rebalance (data / 2^n) for the format `to`: the least for which the largest
 * of the data is, before it is rounded, no larger than the largest number of the format (450 to E4M3FN, whose
 * largest is 448, takes 1, though it rounds to 448); or, of that and the 24 below, the one whose sum of squares of errors, data
 * beyond the largest number taking that, is least (of equal ones the largest). NaN and infinities
 * do not count, and without other data it is 0 (detmath_scaled_has_number tells). The sum is in double, in the
 * order of elements. */
enum detmath_scaled_target { DETMATH_SCALED_BY_MAXIMUM, DETMATH_SCALED_BY_SQUARES };
int detmath_scaled_find(int to, int format, const void *a, size_t n,
                        enum detmath_scaled_target target);
/* Whether a number other than 0 is among the data. Where there is none nothing is found, and a margin is not to be
 * added: what is 0 fits at any scale, and the scale would grow with every rebalance. */
int detmath_scaled_has_number(int format, const void *a, size_t n);

#if defined(__cplusplus)
}
#endif
#endif
