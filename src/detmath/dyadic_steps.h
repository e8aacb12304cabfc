/* The steps that operations on dyadic numbers are made of (dyadic.h): integers held in an
 * accumulator, and shifts with rounding. Without branches, so that loops over them vectorise.
 *
 * >> of a negative number is taken to be arithmetic, and conversion to a signed type to keep the
 * bits, as it is in every compiler that this is for. */
#ifndef DETMATH_DYADIC_STEPS_H
#define DETMATH_DYADIC_STEPS_H

#include "core.h"

#include "shield.inc"

enum detmath_dyadic_overflow {
    DETMATH_DYADIC_WRAP,     /* modulo 2^bits, as two's complement */
    DETMATH_DYADIC_SATURATE, /* the nearest that fits */
    DETMATH_DYADIC_REPORT    /* as wrapped, and DETMATH_DYADIC_OVERFLOW is set */
};

/* Of v / 2^k. Stochastic: up where the remainder, 0 to 2^k - 1, exceeds the k lowest of the random
 * bits, so that over all values of these the mean is v / 2^k. Where k is above 63, the first 63 bits of
 * the remainder count, and 63 random bits. */
enum detmath_dyadic_rounding {
    DETMATH_DYADIC_DOWN,
    DETMATH_DYADIC_UP,
    DETMATH_DYADIC_TOWARD_ZERO,
    DETMATH_DYADIC_NEAREST_EVEN,
    DETMATH_DYADIC_NEAREST_AWAY,
    DETMATH_DYADIC_STOCHASTIC,
    DETMATH_DYADIC_NEAREST_UP /* ties upwards; not for detmath_dyadic_to_real and its like */
};

/* To which of two scales add and sub align: the coarser, which loses bits, or the finer, which is
 * exact as long as it fits. */
enum detmath_dyadic_alignment { DETMATH_DYADIC_COARSER, DETMATH_DYADIC_FINER };

struct detmath_dyadic_rules {
    detmath_i32 bits; /* of the accumulator: 32 or 64 */
    enum detmath_dyadic_overflow overflow;
    enum detmath_dyadic_rounding rounding;
    enum detmath_dyadic_alignment alignment;
};

enum detmath_dyadic_status {
    DETMATH_DYADIC_OVERFLOW = 1,         /* in the accumulator, where the rules report it */
    DETMATH_DYADIC_BAD_SCALE = 2,        /* a scale, given or resulting, not -65535 to 65535 */
    DETMATH_DYADIC_BAD_SHIFT = 4,        /* a rate or a decay of a step not 0 to 63 */
    DETMATH_DYADIC_DIVISION_BY_ZERO = 8, /* by a mantissa 0 */
    DETMATH_DYADIC_BAD_WIDTH = 16,       /* bounds of no width: see detmath_dyadic_bounds_of */
    DETMATH_DYADIC_NOT_A_NUMBER = 32,    /* a NaN is no dyadic number */
    DETMATH_DYADIC_OVERLAP = 64          /* of arrays (dyadic_arrays.h); nothing has been written */
};

enum { DETMATH_DYADIC_MOST_SCALE = 65535, DETMATH_DYADIC_MOST_SHIFT = 63 };

/* An exact integer yet to be held in the accumulator: its low 64 bits, whether it is negative, and
 * whether it lies beyond 64 bits. */
struct detmath_dyadic_exact {
    detmath_u64 low;
    detmath_u32 negative, beyond;
};

DETMATH_INLINED detmath_i64 detmath_dyadic_hold(struct detmath_dyadic_exact exact,
                                                struct detmath_dyadic_rules rules,
                                                detmath_u32 *status) {
    detmath_i64 most = rules.bits == 32 ? 0x7fffffff : 0x7fffffffffffffff, least = -most - 1;
    detmath_i64 v = (detmath_i64)exact.low;
    detmath_u32 overflows = exact.beyond | (v > most) | (v < least);
    detmath_u32 reports = rules.overflow == DETMATH_DYADIC_REPORT;
    detmath_u32 saturates = rules.overflow == DETMATH_DYADIC_SATURATE;
    detmath_i64 wrapped = rules.bits == 32 ? (detmath_i64)(detmath_i32)(detmath_u32)exact.low : v;
    detmath_i64 limit = exact.negative ? least : most;
    *status |= overflows & reports; /* DETMATH_DYADIC_OVERFLOW is 1 */
    return overflows & saturates ? limit : wrapped;
}

DETMATH_INLINED struct detmath_dyadic_exact detmath_dyadic_exactly(detmath_i64 v) {
    struct detmath_dyadic_exact exact = {(detmath_u64)v, v < 0, 0};
    return exact;
}

DETMATH_INLINED struct detmath_dyadic_exact detmath_dyadic_sum(detmath_i64 a, detmath_i64 b) {
    struct detmath_dyadic_exact sum =
        detmath_dyadic_exactly((detmath_i64)((detmath_u64)a + (detmath_u64)b));
    sum.beyond = (detmath_u32)(((detmath_u64)a ^ sum.low) >> 63 & ((detmath_u64)b ^ sum.low) >> 63);
    sum.negative ^= sum.beyond;
    return sum;
}

DETMATH_INLINED struct detmath_dyadic_exact detmath_dyadic_difference(detmath_i64 a,
                                                                      detmath_i64 b) {
    struct detmath_dyadic_exact difference =
        detmath_dyadic_exactly((detmath_i64)((detmath_u64)a - (detmath_u64)b));
    difference.beyond =
        (detmath_u32)((detmath_u64)(a ^ b) >> 63 & ((detmath_u64)a ^ difference.low) >> 63);
    difference.negative ^= difference.beyond;
    return difference;
}

DETMATH_INLINED detmath_u64 detmath_dyadic_magnitude(detmath_i64 v) {
    return v < 0 ? 0 - (detmath_u64)v : (detmath_u64)v;
}

DETMATH_INLINED struct detmath_dyadic_exact detmath_dyadic_product(detmath_i64 a, detmath_i64 b) {
    detmath_u64 x = detmath_dyadic_magnitude(a), y = detmath_dyadic_magnitude(b);
    detmath_u64 x1 = x >> 32, x0 = x & 0xffffffffu, y1 = y >> 32, y0 = y & 0xffffffffu;
    detmath_u64 middle = x1 * y0 + (x0 * y0 >> 32);
    detmath_u64 carry = x0 * y1 + (middle & 0xffffffffu);
    detmath_u64 high = x1 * y1 + (middle >> 32) + (carry >> 32), low = x * y;
    struct detmath_dyadic_exact product;
    product.negative = ((a < 0) != (b < 0)) & (a != 0) & (b != 0);
    product.beyond = (high != 0) | (low > 0x7fffffffffffffffu + product.negative);
    product.low = product.negative ? 0 - low : low;
    return product;
}

/* v * 2^k, k from 0 to 64; with 64 nothing stays, whatever is raised further. */
DETMATH_INLINED struct detmath_dyadic_exact detmath_dyadic_raised(detmath_i64 v, detmath_i32 k) {
    const detmath_u64 kept = k > DETMATH_DYADIC_MOST_SHIFT ? 0 : ~(detmath_u64)0;
    struct detmath_dyadic_exact raised = {(detmath_u64)v << (k & 63) & kept, v < 0, 0};
    raised.beyond = ((detmath_i64)raised.low >> (k & 63)) != v;
    return raised;
}

/* v / 2^k is rounded by one addition: up where the remainder, plus a number that depends on the
 * direction, is 2^k or more. The number is base, plus `odd` where the quotient is odd, plus
 * `negative` where v is, less the random bits under `mask`. k is 63 at most; `before` is what a
 * stochastic shift by more drops first. */
struct detmath_dyadic_shift {
    detmath_i32 k, before;
    detmath_u64 base, odd, negative, mask;
};

/* v / 2^k for k above 63 by a shift of 63, where v >> 63 is the quotient too, 0 or -1. The magnitude is
 * 1/2 at most, and that for the least v and k = 64 alone; the remainder by 63 bits is 0 for that v, and
 * more for all others below 0. So a number below 0 becomes 0 wherever `negative` is 2^63, and for
 * 2^63 - 1 all do but that one, which nearest-away leaves at -1; upward, base takes all above 0 to 1. */
DETMATH_INLINED struct detmath_dyadic_shift
detmath_dyadic_shift_beyond(detmath_i32 k, enum detmath_dyadic_rounding rounding) {
    const detmath_u64 unit = (detmath_u64)1 << DETMATH_DYADIC_MOST_SHIFT;
    struct detmath_dyadic_shift shift = {DETMATH_DYADIC_MOST_SHIFT, 0, 0, 0, 0, 0};
    if (rounding == DETMATH_DYADIC_STOCHASTIC) {
        detmath_i32 before = k - DETMATH_DYADIC_MOST_SHIFT;
        shift.before = before < DETMATH_DYADIC_MOST_SHIFT ? before : DETMATH_DYADIC_MOST_SHIFT;
        shift.base = shift.mask = unit - 1;
    } else if (rounding == DETMATH_DYADIC_UP) {
        shift.base = unit - 1;
        shift.negative = 1;
    } else if (rounding != DETMATH_DYADIC_DOWN)
        shift.negative = unit - (rounding == DETMATH_DYADIC_NEAREST_AWAY && k == 64);
    return shift;
}

/* k from 0 on. */
DETMATH_INLINED struct detmath_dyadic_shift
detmath_dyadic_shift_of(detmath_i32 k, enum detmath_dyadic_rounding rounding) {
    detmath_u64 unit = (detmath_u64)1 << (k & 63), middle = unit >> 1, last = unit - 1;
    struct detmath_dyadic_shift shift = {k, 0, 0, 0, 0, 0};
    if (k == 0)
        return shift;
    if (k > DETMATH_DYADIC_MOST_SHIFT)
        return detmath_dyadic_shift_beyond(k, rounding);
    if (rounding == DETMATH_DYADIC_UP || rounding == DETMATH_DYADIC_STOCHASTIC)
        shift.base = last;
    if (rounding == DETMATH_DYADIC_STOCHASTIC)
        shift.mask = last;
    if (rounding == DETMATH_DYADIC_TOWARD_ZERO)
        shift.negative = last;
    if (rounding == DETMATH_DYADIC_NEAREST_UP)
        shift.base = middle;
    if (rounding == DETMATH_DYADIC_NEAREST_AWAY) {
        shift.base = middle;
        shift.negative = (detmath_u64)0 - 1;
    }
    if (rounding == DETMATH_DYADIC_NEAREST_EVEN) {
        shift.base = middle - 1;
        shift.odd = 1;
    }
    return shift;
}

DETMATH_INLINED detmath_i64 detmath_dyadic_lowered(detmath_i64 v, struct detmath_dyadic_shift shift,
                                                   detmath_u64 random) {
    v >>= shift.before;
    detmath_i64 quotient = v >> shift.k;
    detmath_u64 remainder = (detmath_u64)v - ((detmath_u64)quotient << shift.k);
    detmath_u64 odd = (detmath_u64)quotient & shift.odd;
    detmath_u64 negative = v < 0 ? shift.negative : 0;
    remainder += shift.base + odd + negative - (random & shift.mask);
    return quotient + (detmath_i64)(remainder >> shift.k);
}

#include "shield_end.inc"

#endif
