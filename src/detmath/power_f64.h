/* pow and powr in fp64: detmath_NAME is det, within 0.535 ulp, and detmath_cr_NAME rounds correctly, unless a result lies within
 * 2^-1174 of itself from a number or a middle between two and is none: power_f64_last.h knows by theory those that are. The
 * kernels and why their errors are no larger: power_f64_lanes.inc.
 *
 * Special cases are those of power.h and power_integer.h, C's Annex F: pow(x, 0) = pow(1, y) = 1 even for a NaN that does not
 * signal, pow(-1, +-inf) = 1, and a finite x < 0 has powers with whole exponents only; powr(x, y) is e^(y ln x), NaN for x < 0,
 * 0^0, inf^0 and 1^(+-inf). */
#ifndef DETMATH_POWER_F64_H
#define DETMATH_POWER_F64_H

#include "exp_f64.h"
#include "log_f64.h"
#include "power_f64_last.h"
#include "power_f64_table.h"
#include "quick_f64.h"
#include "twofold_power.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "power_f64_lanes.inc"

/* 1 for an odd integer, 0 for an even one, 2 for what is no integer; infinity is even. */
DETMATH_FUNCTION detmath_u32 detmath_pow_f64_parity(detmath_u64 magnitude) {
    detmath_i32 wanted = 1075 - (detmath_i32)(magnitude >> 52);
    detmath_u32 shift = (detmath_u32)(wanted < 0 ? 0 : wanted > 53 ? 53 : wanted);
    detmath_u64 significand = (magnitude & 0x000fffffffffffffu) | 0x0010000000000000u;
    detmath_u64 whole = significand >> shift << shift == significand;
    return whole ? wanted < 0 ? 0u : (detmath_u32)(significand >> shift & 1u) : 2u;
}

/* x^y, given |x|^y where x and y are not 0 and finite: see detmath_pow_special. */
DETMATH_FUNCTION double detmath_pow_f64_special(detmath_u64 x, detmath_u64 y, double of_magnitude) {
    const detmath_u64 one = 0x3ff0000000000000u, infinity = DETMATH_INFINITY_BITS_F64;
    detmath_u64 a = x & 0x7fffffffffffffffu, b = y & 0x7fffffffffffffffu;
    detmath_u64 power = detmath_bits_f64(of_magnitude);
    detmath_u32 parity = detmath_pow_f64_parity(b), negative = (detmath_u32)(x >> 63);
    if (a == 0 || a >= infinity || b >= infinity)
        power = (a > one) != (y >> 63) ? infinity : 0;
    if (a == one)
        power = one;
    if (negative & parity)
        power |= 0x8000000000000000u;
    if ((negative & parity >> 1 && a - 1u < infinity - 1u) || a > infinity || b > infinity)
        power = DETMATH_NAN_BITS_F64;
    if (x == one || b == 0)
        power = one;
    if (detmath_signals_f64(x) | detmath_signals_f64(y))
        power = DETMATH_NAN_BITS_F64;
    return detmath_from_bits_f64(power);
}
DETMATH_FUNCTION double detmath_powr_f64_special(detmath_u64 x, detmath_u64 y,
                                                 double of_magnitude) {
    const detmath_u64 infinity = DETMATH_INFINITY_BITS_F64;
    detmath_u64 a = x & 0x7fffffffffffffffu, b = y & 0x7fffffffffffffffu;
    int nan = x > 0x8000000000000000u || a > infinity || b > infinity;
    nan |= b == 0 && (a == 0 || a == infinity);
    nan |= a == 0x3ff0000000000000u && b == infinity;
    return nan ? detmath_from_bits_f64(DETMATH_NAN_BITS_F64)
               : detmath_pow_f64_special(a, y, of_magnitude);
}

/* Makes a normal number of a finite magnitude that is not 0, and says in *less what that adds to its logarithm. It does so also
 * where the processor takes subnormal operands as 0. */
DETMATH_FUNCTION double detmath_pow_f64_normal(double x, DETMATH_PRIVATE double *less) {
    detmath_u64 bits = detmath_bits_f64(x), one = 0x3ff0000000000000u;
    *less = bits < 0x0010000000000000u ? 1022.0 : 0.0;
    return *less > 0.0 ? detmath_from_bits_f64(bits | one) - 1.0 : x;
}

/* 2^(product + rest), det, where the steps do not do. */
DETMATH_FUNCTION double detmath_pow_f64_end(double product, double rest) {
    detmath_u64 place;
    double t, high = detmath_core_clamp(product, -1100.0, 1100.0);
    double p = detmath_pow_f64_power(high, high == product ? rest : 0.0, &place, &t);
    detmath_exp_f64_at(place & 15u, &t);
    detmath_i32 n = (detmath_i32)((place >> 4 & 0xfffu) ^ 0x800u) - 0x800;
    return detmath_exp_f64_scale(detmath_fma(t, p, t), t, detmath_product(t, p), n);
}

/* log2 |x| with *rest, of a subnormal x, too. */
DETMATH_FUNCTION double detmath_pow_f64_log2_far(double x, DETMATH_PRIVATE double *rest) {
    double less, a = detmath_pow_f64_normal(detmath_magnitude_f64(x), &less);
    double logarithm = detmath_pow_f64_log2(a, rest), sum = logarithm - less;
    *rest += logarithm - (sum + less); /* less is 0 or larger than the logarithm */
    return sum;
}

/* |x|^y, det, where the steps do not do: for a y beyond 2^64 it is that of 2^64. */
DETMATH_SELDOM_FUNCTION double detmath_pow_f64_far(double x, double y) {
    double rest, sum = detmath_pow_f64_log2_far(x, &rest);
    double product = detmath_pow_f64_product(detmath_core_clamp(y, -0x1p64, 0x1p64), sum, &rest);
    return detmath_pow_f64_end(product, rest);
}

#define DETMATH_POW_F64_FULL(SUFFIX)                                                               \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x, double y) {                \
        return detmath##SUFFIX##_f64_special(detmath_bits_f64(x), detmath_bits_f64(y),             \
                                             detmath_pow_f64_far(x, y));                           \
    }
DETMATH_POW_F64_FULL(_pow)
DETMATH_POW_F64_FULL(_powr)
#undef DETMATH_POW_F64_FULL

/* cr's second phase. log2 of a positive number by its row, k, and r with what that lacks: as in the lanes, but five terms of the
 * series have two parts. In r^6 q, q and what is below are rounded, and what r lacks is left out, to 2^-81.2 of the result where
 * k + high is 0, and the polynomial leaves 2^-81.40 (f64_cr_pow_log2): within 2^-80. */
DETMATH_FUNCTION struct detmath_twofold detmath_cr_pow_f64_log2_of(detmath_u64 row, double k,
                                                                   double r, double more) {
    double q = detmath_fma(r, 0x1.c850c040a67a5p-4, -0x1.ece39a4fd7b48p-4);
    q = detmath_fma(r, q, 0x1.0c9a5ca568115p-3);
    q = detmath_fma(r, q, -0x1.2776c0271c05fp-3);
    q = detmath_fma(r, q, 0x1.484b13d9eb4c6p-3);
    q = detmath_fma(r, q, -0x1.71547652daaf7p-3);
    q = detmath_fma(r, q, 0x1.a61762a7ade62p-3);
    q = detmath_fma(r, q, -0x1.ec709dc3a03fbp-3);
    struct detmath_twofold by = detmath_twofold_of(r, more),
                           p = detmath_twofold_of(detmath_product(r, q), 0.0);
#define DETMATH_POW_F64_TERM(HIGH, LOW)                                                            \
    p = detmath_twofold_product(detmath_twofold_sum(detmath_twofold_of(HIGH, LOW), p), by)
    DETMATH_POW_F64_TERM(0x1.2776c50ef9bfep-2, 0x1.e4b29ccc535d4p-56);
    DETMATH_POW_F64_TERM(-0x1.71547652b82fep-2, -0x1.777d0ffda0d24p-58);
    DETMATH_POW_F64_TERM(0x1.ec709dc3a03fdp-2, 0x1.d27f05548af0cp-56);
    DETMATH_POW_F64_TERM(-0x1.71547652b82fep-1, -0x1.777d0ffda0d24p-57);
    DETMATH_POW_F64_TERM(0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56);
#undef DETMATH_POW_F64_TERM
    double high = k + detmath_look_up_32_f64(detmath_pow_f64_highs, row);
    return detmath_twofold_sum(
        detmath_twofold_of(high, detmath_look_up_32_f64(detmath_pow_f64_lows, row)), p);
}

DETMATH_FUNCTION struct detmath_twofold detmath_cr_pow_f64_log2(double x) {
    detmath_u64 row;
    double less, k, normal = detmath_pow_f64_normal(x, &less);
    double r = detmath_pow_f64_reduce(normal, &row, &k);
    return detmath_cr_pow_f64_log2_of(row, k - less, r, 0.0);
}

/* (head + tail) 2^n by the power of two that its place has, rounded once: wrong is added to the tail. */
DETMATH_FUNCTION double detmath_cr_pow_f64_end(struct detmath_twofold power, double wrong,
                                               detmath_i32 n) {
    double tail = power.low + wrong;
    return detmath_exp_f64_scale(power.high + tail, power.high, tail, n);
}

/* Both candidates of 2 to the power of a product within 2^-80 of itself: that is n + f, and 2^f within 2^-88 of itself, and
 * below 2.01. Where the result is subnormal its tail is rounded to 2^-105 of the last place there. */
DETMATH_FUNCTION double detmath_cr_pow_f64_second(struct detmath_twofold product,
                                                  DETMATH_PRIVATE double *other,
                                                  DETMATH_PRIVATE detmath_u64 *away) {
    struct detmath_twofold f, power, ln2;
    double scale;
    *away = detmath_ones_f64(!(detmath_magnitude_f64(product.high) < 1080.0));
    *other = 0.0;
    if (*away)
        return 0.0;
    double whole = (product.high + 0x1.8p52) - 0x1.8p52;
    f = detmath_twofold_exact_sum(product.high - whole, product.low);
    ln2 = detmath_twofold_of(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56);
    f = detmath_twofold_product(f, ln2);
    power = detmath_twofold_by_rows(f.high, f.low, &scale);
    detmath_i32 n = (detmath_i32)whole + (detmath_i32)(detmath_bits_f64(scale) >> 52) - 1023;
    double wrong = detmath_fma(detmath_magnitude_f64(product.high), 0x1.7p-80, 0x1.1p-87);
    if (n < -1022)
        wrong += detmath_product(0x1p-104, detmath_power_of_two(-1022 - n));
    *other = detmath_cr_pow_f64_end(power, -wrong, n);
    return detmath_cr_pow_f64_end(power, wrong, n);
}

/* The power by that, or by the last phase; `root` is what a root is if it is exact. */
DETMATH_FUNCTION double detmath_cr_pow_f64_of(struct detmath_twofold product, double x, double y,
                                              double root, enum detmath_pow_kind kind) {
    detmath_u64 away;
    double other, z = detmath_cr_pow_f64_second(product, &other, &away);
    if (!away && detmath_bits_f64(z) == detmath_bits_f64(other))
        return z;
    return detmath_last_pow_of(x, y, product.high, root, kind);
}

/* Whether x is no NaN, not infinite and not 0. */
DETMATH_FUNCTION int detmath_pow_f64_is_finite(double x) {
    return detmath_bits_f64(detmath_magnitude_f64(x)) - 1u < DETMATH_INFINITY_BITS_F64 - 1u;
}

/* |x|^y by the second phase, or by the last one; of a zero, an infinity and a NaN it does not matter. A y beyond 2^64 makes no
 * difference to one of 2^64. */
DETMATH_SELDOM_FUNCTION double detmath_cr_pow_f64_far(double x, double y) {
    double a = detmath_magnitude_f64(x), bounded = detmath_core_clamp(y, -0x1p64, 0x1p64);
    if (!detmath_pow_f64_is_finite(x) || !detmath_pow_f64_is_finite(y))
        return 0.0;
    struct detmath_twofold product =
        detmath_twofold_product(detmath_cr_pow_f64_log2(a), detmath_twofold_of(bounded, 0.0));
    return detmath_cr_pow_f64_of(product, a, bounded, 0.0, DETMATH_POW);
}

#define DETMATH_POW_F64_LAST(SUFFIX)                                                               \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_last(double x, double y) {                \
        return detmath##SUFFIX##_f64_special(detmath_bits_f64(x), detmath_bits_f64(y),             \
                                             detmath_cr_pow_f64_far(x, y));                        \
    }
DETMATH_POW_F64_LAST(_pow)
DETMATH_POW_F64_LAST(_powr)
#undef DETMATH_POW_F64_LAST

DETMATH_FORMS_QUICK_BINARY_F64(_pow, _pow)
DETMATH_FORMS_QUICK_BINARY_F64(_powr, _pow)

#endif

#include "shield_end.inc"

#endif
