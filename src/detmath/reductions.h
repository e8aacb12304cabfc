/* Sums, dot products, scans and softmax of arrays, in fp32 (names that end in f) and fp64: each in
 * one written order, which depends on lengths alone.
 *
 * The order of a sum. Elements go in blocks of 1024; in a block, lane l of 64 adds up the elements
 * l, l + 64, l + 128, ... from the left; the lanes are folded, lane l with lane l + 32, then 16, 8,
 * 4, 2, 1. Block totals go up a binary tree as digits of a binary counter: two trees of 2^k blocks
 * make one of 2^(k+1), and at the end the trees that are left are added from the last (and
 * smallest) to the first. What is not there is -0, which changes no sum.
 *
 * The order of a scan. Element i depends on the elements up to i alone, and its tree on i alone.
 * Blocks of 1024 are 32 runs of 32 consecutive elements. In a run the prefixes are added from the
 * left; run totals are scanned by doubling distances 1, 2, 4, 8, 16; the total of all blocks before
 * comes from the binary counter. Element = (blocks + runs) + prefix in its run.
 *
 * So whoever splits the work by blocks (threads, GPUs) gets the same bits: _block functions give
 * what one block contributes, _tree functions put it together.
 *
 * Subnormal numbers are added as IEEE 754 has it: a machine that flushes them gives other bits.
 * Every NaN that comes out is the canonical one. The sum of no elements is +0. */
#ifndef DETMATH_REDUCTIONS_H
#define DETMATH_REDUCTIONS_H

#include "core.h"

#include "exp.h"

#include "log.h"

#include "log_sums.h"

#include "root.h"

#include "shield.inc"

enum {
    DETMATH_LANES = 64,
    DETMATH_BLOCK = 1024, /* elements that make a leaf of the tree */
    DETMATH_RUN = 32,     /* consecutive elements that a scan adds from the left; runs in a block */
    DETMATH_RUNS = 8,     /* of these that are added side by side */
    DETMATH_TILE = 16,    /* columns of a product of matrices that are worked on side by side */
    DETMATH_TREE_LEVELS = 54
};

DETMATH_FUNCTION detmath_u64 detmath_at_most(detmath_u64 n, detmath_u64 most) {
    return n < most ? n : most;
}

DETMATH_FUNCTION float detmath_canonicalf(float x) {
    return detmath_unless_nan(x, x);
}

/* a / n rounded to nearest-even, for n < 2^37; in integers, since not every GPU divides so. */
DETMATH_FUNCTION float detmath_divide_by_countf(float a, detmath_u64 n) {
    detmath_u32 bits = detmath_bits_f32(a), magnitude = bits & detmath_magnitude_mask();
    if (magnitude == 0u || magnitude >= DETMATH_INFINITY_BITS)
        return detmath_canonicalf(a);
    detmath_i32 biased = (detmath_i32)(magnitude >> 23), exponent = (biased ? biased : 1) - 150;
    detmath_u64 dividend = (magnitude & 0x007fffffu) | (biased ? 0x00800000u : 0u);
    for (; !(dividend >> 62); exponent--)
        dividend <<= 1;
    detmath_u64 quotient = dividend / n, rest = dividend % n;
    for (; !(quotient >> 26); exponent--) { /* 27 bits at least, one by one where n is large */
        rest <<= 1;
        quotient = quotient << 1 | (rest >= n);
        rest -= rest >= n ? n : 0;
    }
    detmath_i32 lost = 0;
    for (detmath_u64 q = quotient; q >> 24; q >>= 1)
        lost++;
    if (exponent + lost < -149)
        lost = -149 - exponent;
    detmath_u64 kept = lost > 62 ? 0 : quotient >> lost;
    detmath_u64 dropped = lost > 62 ? 1 : quotient - (kept << lost);
    detmath_u64 middle = lost > 62 ? 2 : (detmath_u64)1 << (lost - 1);
    kept += dropped > middle || (dropped == middle && (rest || (kept & 1u)));
    /* The hidden bit, or a carry into it, adds 1 to the exponent field. */
    detmath_u32 result = (detmath_u32)kept + ((detmath_u32)(exponent + lost + 149) << 23);
    return detmath_from_bits_f32((bits & 0x80000000u) | result);
}

/* What the templates need to know of a type. */
#define DETMATH_REAL                float
#define DETMATH_TYPED(NAME)         detmath_##NAME##f
#define DETMATH_REAL_FMA            detmath_fmaf
#define DETMATH_REAL_PRODUCT        detmath_productf
#define DETMATH_REAL_MINUS_ZERO     detmath_from_bits_f32(0x80000000u)
#define DETMATH_REAL_MINUS_INFINITY detmath_from_bits_f32(0xff800000u)
#define DETMATH_REAL_NAN            detmath_from_bits_f32(DETMATH_NAN_BITS)
#define DETMATH_REAL_LEAST_POWER    0x1p-60f
#include "reductions_sum.inc"

/* e^x / 2^n without a table, as a head from 0.7 to 1.42 and a tail below 0.25, so that loops need no look-up. With the
 * reduced argument in two parts, an exact one e and the small -n ln2_low, it is
 * 1 + e + (-n ln2_low + r^2 q(r)), r their rounded sum: only the parenthesis, below 0.07, and the
 * last addition are rounded, to 2^-28 and 2^-25 at worst where the result is below 1. The
 * polynomial is (e^r - 1 - r) / r^2, for |r| < 0.3475 to 2^-31.63 (float_exp_part) of e^r. */
DETMATH_FUNCTION float detmath_exp_reduced(float x, DETMATH_PRIVATE detmath_i32 *n,
                                           DETMATH_PRIVATE float *tail) {
    float k = detmath_exp_integer(detmath_fmaf(x, 0x1.715476p0f, 0x1.8p23f), n);
    float exact = detmath_fmaf(k, -0x1.62e4p-1f, x);
    float r = detmath_fmaf(k, -0x1.7f7d1cp-20f, exact);
    float q = detmath_fmaf(r, 0x1.a2d442p-13f, 0x1.6d30d2p-10f);
    q = detmath_fmaf(r, q, 0x1.110fc4p-7f);
    q = detmath_fmaf(r, q, 0x1.5555p-5f);
    q = detmath_fmaf(r, q, 0x1.555556p-3f);
    q = detmath_fmaf(r, q, 0.5f);
    float sum = 1.0f + exact;
    float rest = (1.0f - sum) + exact; /* exact */
    rest = detmath_fmaf(k, -0x1.7f7d1cp-20f, rest);
    *tail = detmath_fmaf(detmath_productf(r, r), q, rest);
    return sum;
}

/* e^(d + low) / 2^n for d from -105 to 0, as head + tail, and n. */
DETMATH_FUNCTION float detmath_power_partsf(float d, float low, detmath_i32 *n, float *tail) {
    float head = detmath_exp_reduced(d, n, tail);
    *tail = detmath_fmaf(low, head, *tail);
    return head;
}

/* e^(x - m) for x <= m, m finite; 0 where x is -inf. Error below 0.8 ulp. */
DETMATH_FUNCTION float detmath_powerf(float x, float m) {
    detmath_i32 n;
    float d = x - m, part = d - x, low = (x - (d - part)) - (m + part), tail;
    low = d > -105.0f ? low : 0.0f;
    d = d > -105.0f ? d : -105.0f;
    float head = detmath_power_partsf(d, low, &n, &tail);
    return detmath_exp_full_scale(head + tail, head, tail, n);
}

/* The same, to the bit, where x - m is above DETMATH_NEAR: it is a normal number. */
#define DETMATH_NEAR -80
DETMATH_FUNCTION float detmath_near_powerf(float x, float m) {
    detmath_i32 n;
    float d = x - m, part = d - x, low = (x - (d - part)) - (m + part), tail;
    float head = detmath_power_partsf(d, low, &n, &tail);
    return detmath_from_bits_f32(detmath_bits_f32(head + tail) + ((detmath_u32)n << 23));
}

/* e^(x - m) / s for x <= m, m finite, s from 1 to 2^64; inverse is 1 / s. */
DETMATH_FUNCTION float detmath_sharef(float x, float m, float s, float inverse) {
    detmath_i32 n;
    float d = x - m, part = d - x, low = (x - (d - part)) - (m + part), tail;
    low = d > -150.0f ? low : 0.0f;
    d = d > -150.0f ? d : -150.0f;
    float power = detmath_power_partsf(d, low, &n, &tail) + tail;
    float q = detmath_productf(power, inverse);
    q = detmath_fmaf(detmath_fmaf(-q, s, power), inverse, q);
    return detmath_scale_f32(q, n);
}

DETMATH_FUNCTION float detmath_inversef(float s) {
    return detmath_recipf(s);
}

#include "reductions_exp.inc"
#undef DETMATH_REAL
#undef DETMATH_TYPED
#undef DETMATH_REAL_FMA
#undef DETMATH_REAL_PRODUCT
#undef DETMATH_REAL_MINUS_ZERO
#undef DETMATH_REAL_MINUS_INFINITY
#undef DETMATH_REAL_NAN
#undef DETMATH_REAL_LEAST_POWER

#if !defined(DETMATH_NO_DOUBLE)
DETMATH_FUNCTION double detmath_canonical(double x) {
    detmath_u64 bits = detmath_bits_f64(x);
    return (bits & 0x7fffffffffffffffu) > 0x7ff0000000000000u
               ? detmath_from_bits_f64(0x7ff8000000000000u)
               : x;
}

DETMATH_FUNCTION double detmath_divide_by_count(double a, detmath_u64 n) {
    return detmath_canonical(a / (double)n);
}

#define DETMATH_REAL                double
#define DETMATH_TYPED(NAME)         detmath_##NAME
#define DETMATH_REAL_FMA            detmath_fma
#define DETMATH_REAL_PRODUCT        detmath_product
#define DETMATH_REAL_MINUS_ZERO     detmath_from_bits_f64(0x8000000000000000u)
#define DETMATH_REAL_MINUS_INFINITY detmath_from_bits_f64(0xfff0000000000000u)
#define DETMATH_REAL_NAN            detmath_from_bits_f64(0x7ff8000000000000u)
#define DETMATH_REAL_LEAST_POWER    0x1p-900
#include "reductions_sum.inc"

/* e^(d + low) / 2^n for d from -780 to 0, and n. */
DETMATH_FUNCTION double detmath_power_part(double d, double low, detmath_i64 *n) {
    double r = detmath_core_exp_reduce(d, n) + low;
    return detmath_fma(r, detmath_core_exp_slope(r), 1.0);
}

/* y * 2^n for y from 0.5 to 2 and n from -2000 to 0, rounded once. */
DETMATH_FUNCTION double detmath_scale_down(double y, detmath_i64 n) {
    detmath_i64 part_of_n = n / 2;
    return detmath_product(detmath_product(y, detmath_power_of_two(part_of_n)),
                           detmath_power_of_two(n - part_of_n));
}

/* As detmath_powerf and detmath_sharef. */
DETMATH_FUNCTION double detmath_power(double x, double m) {
    detmath_i64 n;
    double d = x - m, part = d - x, low = (x - (d - part)) - (m + part);
    low = d > -780.0 ? low : 0.0;
    d = d > -780.0 ? d : -780.0;
    double y = detmath_power_part(d, low, &n);
    return detmath_scale_down(y, n);
}

DETMATH_FUNCTION double detmath_near_power(double x, double m) {
    return detmath_power(x, m);
}

DETMATH_FUNCTION double detmath_share(double x, double m, double s, double inverse) {
    detmath_i64 n;
    double d = x - m, part = d - x, low = (x - (d - part)) - (m + part);
    low = d > -900.0 ? low : 0.0;
    d = d > -900.0 ? d : -900.0;
    double power = detmath_power_part(d, low, &n);
    double q = detmath_product(power, inverse);
    q = detmath_fma(detmath_fma(-q, s, power), inverse, q);
    return detmath_scale_down(q, n);
}

DETMATH_FUNCTION double detmath_inverse(double s) {
    return 1.0 / s;
}

#include "reductions_exp.inc"
#undef DETMATH_REAL
#undef DETMATH_TYPED
#undef DETMATH_REAL_FMA
#undef DETMATH_REAL_PRODUCT
#undef DETMATH_REAL_MINUS_ZERO
#undef DETMATH_REAL_MINUS_INFINITY
#undef DETMATH_REAL_NAN
#undef DETMATH_REAL_LEAST_POWER
#endif

#include "shield_end.inc"

#include "log_sums_lines.h"

#endif
