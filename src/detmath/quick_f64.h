/* First candidates of exp, exp2, cosh, log, log2, acosh, pow and powr for one number of fp64. Their tables are too long for the
 * registers of vectors, but their polynomials are shorter than those of the lanes. Processors have them (DETMATH_QUICK_F64 in core_f64.h). The exact result lies
 * between the numbers that both candidates are rounded from, so that it is rounded as both where they agree. Where they differ, or
 * *away is not 0, the steps of the lanes decide. The second candidate of one operand is not below the first, so that one comparison of
 * numbers will do. Coefficients and tables: quick_f64.sollya.
 *
 * Powers. The result is e^r t (1 + c), where r is at most ln 2/512 and t (1 + c) is 2^(n + j/256), of row j. That is t (1 + p), and p is
 * r + (r^2 q + c (1 + r)). In units of 2^-63, rounding p loses 1, rounding r 1, and ln 2 of exp2 lacks 0.42 of r. q leaves 2^-69.67
 * (quick_exp), and all else together 0.03. So p is off by 2.45 at most. The table has c less 2.5, so that t (1 + p) is not above the
 * result. t (1 + p + 6) is not below it: 2.5 and 2.45 make 4.95, and rounding p + 6 loses 1.
 *
 * Logarithms. They have the steps of log_f64_lanes.inc. Their rows are 1/512 wide below 1 and 1/256 above, and their inverses have as many
 * bits as leave r exact. Over ln x, r^2 is at most 2^-8.98 (quick_square), and r^3 at most 2^-17.98 (quick_cube). In units of
 * 2^-53 r^2 log e, ln loses 0.5 each by r^2, by the sum that it is multiplied by, by the tail, and by the tail's sum with what is wrong;
 * log2 loses less than 1.91 in all. That is 2^-60.98 of the result. The polynomials leave 2^-66.81 (quick_log) and
 * 2^-66.81 (quick_log2) of it, and of what follows r^2 2^-48.12 (quick_log_tail) and 2^-48.12 (quick_log2_tail), which is 0.02 of that
 * unit. What the exponent leaves below is 2^-34 at most, and the sums round it by 2^-86. So r^2 2.25 2^-53 is taken for what is wrong
 * with ln, and r^2 2.875 2^-53 for log2, with 2^-85.
 *
 * pow. ln x has two parts, of which the second has r^3 q. Rounding loses 1.5 2^-53 r^3, or 2^-70.39 of ln x, and q leaves 2^-74.49
 * (quick_pow_log). The product with y loses 2^-72 of itself. So y ln x is within 0x1.2p-70 of itself. Its second part is up to 2^-10
 * where it is near 700, and is rounded to 0.5 2^-63 there, so that p is off by 2.53 2^-63. Both sums with what is wrong are rounded, by
 * 2^-63 each: 1.25 2^-63 below and 6.25 2^-63 above will do.
 *
 * cosh. The halves of e^|x| and e^-|x| are off as exp is, by 2.03 2^-63, and less than they are by 2.5 2^-63. What is below their sum is
 * rounded to 2^-63 of the sum, and so is what is below with what is wrong: 4.03 in all. 2 2^-63 below and 7 2^-63 above will do, which
 * with the table's make 4.5 on either side.
 *
 * acosh. It is ln(x + s), s = (x^2 - 1)^(1/2). What rounding that sum lost, and what s lacks, are divided by the sum and added to the
 * tail, which rounds the tail once more: that is 2^-60.66 of the result, and 0x1.5p-61 of it is taken. Up to 2^53 x - 1 is exact.
 *
 * det of pow and acosh. det rounds a number that is within a bound of the exact result. Where candidates that are further apart by
 * that bound agree, det's result is the same. power_f64_lanes.inc counts the bound of pow: 1.1 2^-59 of t and 1.19 2^-69 |y log2 x| of t,
 * where t is up to 1.03 times the result. inverse_hyperbolic_f64_lanes.inc counts that of acosh: r^2 2^-52, where |r| is at most 1/16, and
 * r^2 at most 1.07 times the square of a result below 1/16. */
#ifndef DETMATH_QUICK_F64_H
#define DETMATH_QUICK_F64_H

#include "quick_f64_table.h"

#include "shield.inc"

#if defined(DETMATH_QUICK_F64)

/* t and p of r and of the place, 256 n + j in its low bits. */
DETMATH_FUNCTION double detmath_quick_f64_power(double r, detmath_u64 place,
                                                DETMATH_PRIVATE double *t) {
    DETMATH_CONSTANT_POINTER double *row = &detmath_quick_f64_powers[2u * (place & 255u)];
    double c = row[1], square = detmath_product(r, r);
    double q = detmath_fma(square, detmath_fma(r, 0x1.1111124049946p-7, 0x1.555556b664f0bp-5),
                           detmath_fma(r, 0x1.5555555555549p-3, 0x1.ffffffffffff5p-2));
    *t = detmath_from_bits_f64(detmath_bits_f64(row[0]) + (place << 44));
    return r + detmath_fma(square, q, detmath_fma(r, c, c));
}

/* n + j/256, and its place, of the sum of 3 2^43 and a number near it. */
DETMATH_FUNCTION double detmath_quick_f64_grid(double near, DETMATH_PRIVATE detmath_u64 *place) {
    *place = detmath_bits_f64(near);
    return near - 0x1.8p44;
}

DETMATH_FUNCTION double detmath_cr_exp2_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                  DETMATH_PRIVATE detmath_u64 *away) {
    detmath_u64 place;
    double t, r = x - detmath_quick_f64_grid(x + 0x1.8p44, &place);
    double p = detmath_quick_f64_power(detmath_product(r, 0x1.62e42fefa39efp-1), place, &t);
    *away = ~detmath_ones_f64(detmath_magnitude_f64(x) < 1021.0);
    *other = detmath_fma(t, p + 0x1.8p-61, t);
    return detmath_fma(t, p, t);
}
DETMATH_FUNCTION double detmath_cr_exp_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                 DETMATH_PRIVATE detmath_u64 *away) {
    detmath_u64 place;
    double t, k = detmath_quick_f64_grid(detmath_fma(x, 0x1.71547652b82fep0, 0x1.8p44), &place);
    double r = detmath_fma(k, -0x1.cf79abc9e3b3ap-40, detmath_fma(k, -0x1.62e42fefap-1, x));
    double p = detmath_quick_f64_power(r, place, &t);
    *away = ~detmath_ones_f64(detmath_magnitude_f64(x) < 707.0);
    *other = detmath_fma(t, p + 0x1.8p-61, t);
    return detmath_fma(t, p, t);
}

/* cosh x = e^|x|/2 + e^-|x|/2, of two rows: what is below the sum of both halves of powers is made of the even and the odd part of q. */
DETMATH_FUNCTION double detmath_cr_cosh_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                  DETMATH_PRIVATE detmath_u64 *away) {
    detmath_u64 place, half = 0x0010000000000000u;
    double size = detmath_magnitude_f64(x);
    double k = detmath_quick_f64_grid(detmath_fma(size, 0x1.71547652b82fep0, 0x1.8p44), &place);
    double r = detmath_fma(k, -0x1.cf79abc9e3b3ap-40, detmath_fma(k, -0x1.62e42fefap-1, size));
    DETMATH_CONSTANT_POINTER double *row = &detmath_quick_f64_powers[2u * (place & 255u)];
    DETMATH_CONSTANT_POINTER double *back = &detmath_quick_f64_powers[2u * ((0u - place) & 255u)];
    double t = detmath_from_bits_f64(detmath_bits_f64(row[0]) + (place << 44) - half);
    double u = detmath_from_bits_f64(detmath_bits_f64(back[0]) - (place << 44) - half);
    double square = detmath_product(r, r), sum = t + u;
    double even = detmath_fma(square, 0x1.555556b664f0bp-5, 0x1.ffffffffffff5p-2);
    double odd =
        detmath_product(r, detmath_fma(square, 0x1.1111124049946p-7, 0x1.5555555555549p-3));
    double p = r + detmath_fma(square, even + odd, detmath_fma(r, row[1], row[1]));
    double q = detmath_fma(square, even - odd, detmath_fma(-r, back[1], back[1])) - r;
    double low = detmath_fma(t, p, detmath_fma(u, q, (t - sum) + u));
    *away = ~detmath_ones_f64(size < 700.0);
    *other = sum + detmath_fma(sum, 0x1.cp-61, low);
    return sum + detmath_fma(sum, -0x1p-62, low);
}

/* Where the row of the bits of a positive normal number begins, and r and k of
 * it. *away has ones for all other numbers, and for some next to the ends. */
DETMATH_FUNCTION DETMATH_CONSTANT_POINTER double *
detmath_quick_f64_reduce(double x, DETMATH_PRIVATE double *r, DETMATH_PRIVATE double *k,
                         DETMATH_PRIVATE detmath_u64 *away) {
    detmath_u64 bits = detmath_bits_f64(x), above = bits - 0x3fe5f80000000000u;
    detmath_i32 n = (detmath_i32)((detmath_i64)above >> 52);
    DETMATH_CONSTANT_POINTER double *row = &detmath_quick_f64_logs[5u * (above >> 44 & 255u)];
    *k = n;
    *away = detmath_ones_f64((detmath_u32)(n + 1021) > 2043u);
    *r = detmath_fma(detmath_from_bits_f64(bits - (above & 0xfff0000000000000u)), row[0], -1.0);
    return row;
}

/* Both candidates of a sum and what is below, which are wrong by at most that. */
DETMATH_FUNCTION double detmath_quick_f64_log_ends(double sum, double rest, double wrong,
                                                   DETMATH_PRIVATE double *other) {
    *other = sum + (rest + wrong);
    return sum + (rest - wrong);
}

/* ln x, *rest below, and the square of r. */
DETMATH_INLINED double detmath_quick_f64_log(double x, DETMATH_PRIVATE double *rest,
                                             DETMATH_PRIVATE double *square,
                                             DETMATH_PRIVATE detmath_u64 *away) {
    double r, k;
    DETMATH_CONSTANT_POINTER double *row = detmath_quick_f64_reduce(x, &r, &k, away);
    double high = detmath_fma(k, 0x1.62e42fefa38p-1, row[1]);
    double low = detmath_fma(k, 0x1.ef35793c7673p-45, row[2]);
    double sum = high + r, s = detmath_product(r, r);
    double q = detmath_fma(s,
                           detmath_fma(s, 0x1.249253f7d7b96p-3,
                                       detmath_fma(r, -0x1.5555eb9915ed9p-3, 0x1.99999999d83dp-3)),
                           detmath_fma(r, -0x1.ffffffffee5c2p-3, 0x1.5555555555555p-2));
    low += (high - sum) + r;
    *rest = detmath_fma(s, detmath_fma(r, q, -0.5), low);
    *square = s;
    return sum;
}
DETMATH_FUNCTION double detmath_cr_log_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                 DETMATH_PRIVATE detmath_u64 *away) {
    double rest, square, sum = detmath_quick_f64_log(x, &rest, &square, away);
    return detmath_quick_f64_log_ends(sum, rest, detmath_fma(square, 0x1.2p-52, 0x1p-85), other);
}

/* acosh x as a sum and *rest: the logarithm of x + s, and over that sum what
 * rounding it lost and what s lacks, left / 2s. */
DETMATH_INLINED double detmath_quick_f64_acosh(double x, DETMATH_PRIVATE double *rest,
                                               DETMATH_PRIVATE detmath_u64 *away) {
    double less = x - 1.0, next = x + 1.0, next_low = (x - next) + 1.0;
    double square = detmath_product(less, next), s = detmath_square_root_f64(square);
    double left = detmath_fma(less, next_low, detmath_fma(less, next, -square));
    double sum = x + s, lost = (x - sum) + s, twice = s + s;
    left += detmath_fma(-s, s, square);
    double more = detmath_fma(lost, twice, left) / detmath_product(twice, sum);
    double part, y = detmath_quick_f64_log(sum, rest, &part, away);
    *away = detmath_ones_f64(detmath_bits_f64(x) - 0x3ff0000000000001u >= 0x0340000000000000u);
    *rest += more;
    return y;
}
DETMATH_FUNCTION double detmath_cr_acosh_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                   DETMATH_PRIVATE detmath_u64 *away) {
    double rest, sum = detmath_quick_f64_acosh(x, &rest, away);
    return detmath_quick_f64_log_ends(sum, rest, detmath_product(sum, 0x1.5p-61), other);
}
DETMATH_FUNCTION double detmath_acosh_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                DETMATH_PRIVATE detmath_u64 *away) {
    double rest, sum = detmath_quick_f64_acosh(x, &rest, away);
    double part = detmath_smaller_f64(sum, 0x1p-4);
    double wrong = detmath_product(part, detmath_fma(part, 0x1.2p-52, 0x1.5p-61));
    return detmath_quick_f64_log_ends(sum, rest, wrong, other);
}
DETMATH_FUNCTION double detmath_cr_log2_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                  DETMATH_PRIVATE detmath_u64 *away) {
    double r, k;
    DETMATH_CONSTANT_POINTER double *row = detmath_quick_f64_reduce(x, &r, &k, away);
    double high = k + row[3];
    double sum = detmath_fma(r, 0x1.71547652b82fep0, high), square = detmath_product(r, r);
    double low = detmath_fma(r, 0x1.777d0ffda0d24p-56, row[4]);
    double q = detmath_fma(square,
                           detmath_fma(square, 0x1.a6194e7019b64p-3,
                                       detmath_fma(r, -0x1.ec71768cd01abp-3, 0x1.2776c50e9b2fdp-2)),
                           detmath_fma(r, -0x1.71547652ab766p-2, 0x1.ec709dc3a03fep-2));
    low += detmath_fma(r, 0x1.71547652b82fep0, high - sum);
    low = detmath_fma(square, detmath_fma(r, q, -0x1.71547652b82fep-1), low);
    return detmath_quick_f64_log_ends(sum, low, detmath_fma(square, 0x1.7p-52, 0x1p-85), other);
}

/* ln x and *rest, below 2^-19 of it. */
DETMATH_INLINED double detmath_quick_f64_pow_log(double x, DETMATH_PRIVATE double *rest,
                                                 DETMATH_PRIVATE detmath_u64 *away) {
    double r, k;
    DETMATH_CONSTANT_POINTER double *row = detmath_quick_f64_reduce(x, &r, &k, away);
    double high = detmath_fma(k, 0x1.62e42fefa38p-1, row[1]);
    double low = detmath_fma(k, 0x1.ef35793c7673p-45, row[2]);
    double first = high + r, half = detmath_product(r, -0.5), square = detmath_product(r, r);
    double sum = detmath_fma(half, r, first);
    double c = detmath_fma(r, -0x1.00009e374300ap-3, 0x1.249243f0a81c1p-3);
    double b = detmath_fma(r, -0x1.5555555537e37p-3, 0x1.99999999de82ap-3);
    double a = detmath_fma(r, -0x1p-2, 0x1.5555555555555p-2);
    double q = detmath_fma(square, detmath_fma(square, c, b), a);
    low = (low + ((high - first) + r)) + detmath_fma(half, r, first - sum);
    *rest = detmath_fma(detmath_product(square, r), q, low);
    return sum;
}

/* Both candidates of x^y for a positive normal x: what is wrong is |y ln x|
 * share, and that below and above. */
DETMATH_INLINED double detmath_quick_f64_pow(double x, double y, double share, double below,
                                             double above, DETMATH_PRIVATE double *other,
                                             DETMATH_PRIVATE detmath_u64 *away) {
    detmath_u64 place;
    double t, rest, sum = detmath_quick_f64_pow_log(x, &rest, away);
    double high = detmath_product(y, sum), size = detmath_magnitude_f64(high);
    double low = detmath_fma(y, rest, detmath_fma(y, sum, -high));
    double k =
        detmath_quick_f64_grid(detmath_fma(high + low, 0x1.71547652b82fep0, 0x1.8p44), &place);
    double r =
        detmath_fma(k, -0x1.62e42fefap-1, high) + detmath_fma(k, -0x1.cf79abc9e3b3ap-40, low);
    double p = detmath_quick_f64_power(r, place, &t);
    *away |= ~detmath_ones_f64(size < 707.0);
    *other = detmath_fma(t, p + detmath_fma(size, share, above), t);
    return detmath_fma(t, p - detmath_fma(size, share, below), t);
}
DETMATH_INLINED double detmath_cr_pow_f64_quick(double x, double y, DETMATH_PRIVATE double *other,
                                                DETMATH_PRIVATE detmath_u64 *away) {
    return detmath_quick_f64_pow(x, y, 0x1.2p-70, 0x1.4p-63, 0x1.9p-61, other, away);
}
DETMATH_INLINED double detmath_pow_f64_quick(double x, double y, DETMATH_PRIVATE double *other,
                                             DETMATH_PRIVATE detmath_u64 *away) {
    return detmath_quick_f64_pow(x, y, 0x1.3p-68, 0x1.38p-59, 0x1.88p-59, other, away);
}

#endif

#include "shield_end.inc"

#endif
