/* How are sin, cos and tan of large fp32 arguments found, where a block spans many periods?
 *
 * No polynomial fits such a block. Each argument is instead reduced, by integer arithmetic, to a
 * fraction of a turn. That is done from 8 on; for sinpi, cospi and tanpi from 1/4 on, because the
 * bound of a polynomial is absolute, and too wide beside each zero of these functions.
 *
 * The reduction. All |x| of a binade are m 2^k with an integer m < 2^24. Let K = 2^k / (2 pi) mod
 * 1, truncated to 128 bits. Whole turns vanish modulo 1, so m K mod 1 is the turn of |x|, with an
 * error below 2^24 2^-128 = 2^-104. Of its 128 bits the code keeps 96, which leaves an error below
 * 2^-95 turns. For the sine the nearest half turn is subtracted, exactly, and s with |s| <= 1/4 is
 * left. The cosine is the sine a quarter turn on. For the tangent the nearest quarter turn is
 * subtracted, and |s| <= 1/8.
 *
 * Let u = 2^-53. s becomes a double in two parts, with two roundings. theta = 2 pi s has two more:
 * of 2 pi, and of the product. So theta is off by 4.01u of itself, and by the turn's error, 2 pi
 * 2^-95 < 2^-92.
 *
 * The sine is theta + theta w S(w) with w = theta^2, by Taylor's polynomial to theta^23, for
 * |theta| <= pi/2.
 * - Left out is less than |theta|^25/25! < 2^-68 |theta|.
 * - |S| <= 1/6. Coefficient c_j takes part in 2j + 1 roundings and was rounded once itself, so
 *   Horner's rule gives S within sum (2j + 2) |c_j| w^j u < 0.43u.
 * - |w S| <= 0.37 and w <= 2.47. w S is off by 2.47 0.43u for S, by 2 0.37u for the roundings of w
 *   and of the product, and by w^2 |S'| u <= 0.06u for w inside S: in all by less than 2u.
 * - The product with theta is rounded, 0.37u |theta|, and the sum, u |sin theta|.
 * All that is below 2.4u |theta| + u |sin theta|. Since |theta| <= 1.58 |sin theta|, it is below 5u
 * |sin theta|. theta's own error adds 4.01u |sin theta|, because |theta cos theta| <= |sin theta|.
 * Together that is 9.1u.
 *
 * The tangent is a quotient of sine and cosine, for |theta| <= pi/4.
 * - The sine to theta^17 leaves out less than 2^-63 |theta|. By the same reckoning it is within
 *   0.6u |theta| + u |sin theta| <= 1.7u |sin theta|.
 * - The cosine is 1 + w C(w) to theta^18, and leaves out less than 2^-68. w C is within 1.3u, its
 *   sum with 1 within 2.3u, which is 3.3u of a cosine not below 0.7.
 * - The quotient is rounded once: u.
 * - theta's own error counts theta / (sin theta cos theta) times, at most pi/2 < 1.6 times: 6.5u.
 * Together that is 12.5u.
 *
 * REDUCTION_RELATIVE = 2^-48 = 32u covers all that more than twice. The turn's error is left. For
 * sine and cosine it is below REDUCTION_ABSOLUTE = 2^-90. For the tangent it is below 1.6 2^-92 /
 * |theta| of the result, and |theta| is above 2^-29.3: that is how far every fp32 number from 8 on
 * is from a multiple of pi/2. (The nearest of all is 0x1.f37c8ap+95, at 2^-29.2; below 1100 it is
 * 0x1.f9cbe2p+7, at 2^-27.8. tests/oracle/fast/argument_reduction_test.c looks at all of them.) So
 * it is below 2^-62 of the result, which REDUCTION_RELATIVE covers too.
 *
 * sinpi, cospi, tanpi. The turn is x/2: K = 2^(k - 1) mod 1 has one bit at most, so m K mod 1 and s
 * are exact, and s as a double too, because it has no more bits than m. No absolute error is left.
 * Where s is 0, the value is 0, or infinite at a pole of the tangent, and decides nothing. */
#ifndef DETCHECK_ORACLE_FAST_ARGUMENT_REDUCTION_H
#define DETCHECK_ORACLE_FAST_ARGUMENT_REDUCTION_H

#include "op/function/reduction_kind.h"

#include <stdbool.h>
#include <stdint.h>

#define REDUCTION_RELATIVE 0x1p-48
#define REDUCTION_ABSOLUTE 0x1p-90

/* Of a block. */
struct argument_reduction {
    enum reduction_kind function;
    uint32_t constant[4]; /* K of its binade, most significant word first */
    uint32_t first;       /* m of the first input */
    double sign;          /* of the inputs: 1 or -1 */
};

/* The constant for k, the exponent of the last place of the binade; -25 <= k <= 120. Of a function
 * of `period_two` the argument counts half turns. */
struct argument_reduction argument_reduction_open(enum reduction_kind function, bool period_two,
                                                  int k);

#endif
