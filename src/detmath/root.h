/* sqrt, rsqrt, recip, cbrt, hypot. Coefficients and their bounds: root.sollya.
 *
 * No division and no square root of the machine's in fp32, where OpenCL rounds them as it likes: an
 * integer guess, Newton's iteration, and last a step by the residual, which fma gives all but
 * exactly. (Who compiles with DETMATH_HARDWARE_ROUNDING vouches for the machine's square root and
 * quotient, as the library does on x86-64 and aarch64: sqrt and recip are correctly rounded, so
 * that their bits are the same.) Operands are taken apart in integers, so that a subnormal one is
 * as good as any.
 * sqrt(-0) = -0, rsqrt(+-0) = recip(+-0) = +-inf; square roots of what is below 0 are NaN;
 * hypot(inf, NaN) = inf, unless the NaN signals. The errors are the budgets in functions.inc. */
#ifndef DETMATH_ROOT_H
#define DETMATH_ROOT_H

#include "core.h"
#include "root_table.h"
#include "round.h"

#include "shield.inc"

/* |x| * 2^149 from the bits of |x|, as those of a float whose exponent field goes on beyond 255;
 * zero and all above infinity stay in order too. The conversion of a subnormal one is exact. */
DETMATH_FUNCTION detmath_u32 detmath_extend_f32(detmath_u32 magnitude) {
    detmath_u32 subnormal = detmath_bits_f32((float)(detmath_i32)magnitude);
    return magnitude < 0x00800000u ? subnormal : magnitude + (149u << 23);
}

/* The significand of such, in [1, 2). */
DETMATH_FUNCTION float detmath_significand_f32(detmath_u32 extended) {
    return detmath_from_bits_f32((extended & 0x007fffffu) | 0x3f800000u);
}

/* (y + rest) * 2^n rounded once, in integers: y > 0 normal, |rest| less than half a unit in its
 * last place, so that only the sign of rest matters, and only where the result is subnormal. */
DETMATH_FUNCTION float detmath_scale_rest_f32(float y, float rest, detmath_i32 n) {
    detmath_u32 bits = detmath_bits_f32(y);
    detmath_i32 biased = (detmath_i32)(bits >> 23) + n;
    detmath_u32 normal = bits + ((detmath_u32)n << 23);
    detmath_i32 wanted = 1 - biased;
    detmath_u32 shift = (detmath_u32)(wanted < 1 ? 1 : wanted > 25 ? 25 : wanted) + 2u;
    detmath_u32 significand = ((bits & 0x007fffffu) | 0x00800000u) << 2;
    significand += (rest > 0.0f ? 1u : 0u) - (rest < 0.0f ? 1u : 0u);
    detmath_u32 middle = (1u << (shift - 1)) - 1u, odd = (significand >> shift) & 1u;
    detmath_u32 subnormal = (significand + middle + odd) >> shift;
    detmath_u32 scaled = biased < 1 ? subnormal : normal;
    return detmath_from_bits_f32(biased > 254 ? DETMATH_INFINITY_BITS : scaled);
}

/* m^(-1/2) to 2^-13, for m in [1, 8): a guess to 3.5 %, and one iteration of third order. */
DETMATH_FUNCTION float detmath_rsqrt_start(float m) {
    float r = detmath_from_bits_f32(0x5f3759dfu - (detmath_bits_f32(m) >> 1));
    float e = detmath_fmaf(-detmath_productf(m, r), r, 1.0f);
    return detmath_fmaf(detmath_productf(r, e), detmath_fmaf(e, 0.375f, 0.5f), r);
}

/* (m + low)^(1/2) rounded, for m in [1, 8) and low far below it; *rest is what rounding left. */
DETMATH_FUNCTION float detmath_sqrt_step(float m, float low, DETMATH_PRIVATE float *rest) {
    float r = detmath_rsqrt_start(m);
    float g = detmath_productf(m, r), h = detmath_productf(r, 0.5f);
    float e = detmath_fmaf(-g, h, 0.5f);
    g = detmath_fmaf(g, e, g);
    h = detmath_fmaf(h, e, h);
    g = detmath_fmaf(detmath_fmaf(-g, g, m) + low, h, g);
    *rest = detmath_fmaf(-g, g, m) + low; /* its sign is right, which is what matters */
    return g;
}

/* In doubt unless x is normal and positive, or +0. */
DETMATH_FUNCTION detmath_u32 detmath_root_outside(float x) {
    detmath_u32 bits = detmath_bits_f32(x), above = bits - 0x00800000u;
    return (bits | (above & ~(bits - 1u)) | (DETMATH_INFINITY_BITS - 1u - bits)) & 0x80000000u;
}

/* x^(1/2); correctly rounded. */
DETMATH_FUNCTION float detmath_sqrt_full(float x) {
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 extended = detmath_extend_f32(magnitude), odd = (extended >> 23) & 1u;
    float rest, m = detmath_from_bits_f32(detmath_bits_f32(detmath_significand_f32(extended)) +
                                          (odd << 23));
    detmath_u32 root = detmath_bits_f32(detmath_sqrt_step(m, 0.0f, &rest));
    root += ((extended >> 24) - 138u) << 23; /* 138 = (127 + 149) / 2 */
    root = magnitude == 0 || bits == DETMATH_INFINITY_BITS ? bits : root;
    root = bits > DETMATH_INFINITY_BITS && magnitude != 0 ? DETMATH_NAN_BITS : root;
    return detmath_from_bits_f32(root);
}

#if defined(DETMATH_HARDWARE_ROUNDING)
DETMATH_FUNCTION float detmath_sqrt_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_root_outside(x);
    return __builtin_sqrtf(x);
}
#else
DETMATH_FUNCTION float detmath_sqrt_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u32 bits = detmath_bits_f32(x), even = (bits >> 23) & 1u;
    float rest, m = detmath_from_bits_f32((bits & 0x007fffffu) + 0x40000000u - (even << 23));
    detmath_u32 root = detmath_bits_f32(detmath_sqrt_step(m, 0.0f, &rest));
    *doubt |= detmath_root_outside(x);
    root += (((bits >> 23) + 1u) >> 1 << 23) - 0x20000000u;
    return detmath_from_bits_f32(bits == 0u ? 0u : root);
}
#endif

DETMATH_QUICK_OR_FULL(_sqrt)

/* The same where x is known to be normal and positive. */
DETMATH_FUNCTION float detmath_normal_sqrtf(float x) {
    detmath_u32 doubt = 0;
    return detmath_sqrt_quick(x, &doubt);
}

/* x^(-1/2), of a positive normal x; correctly rounded. A guess in integers with one iteration of second
 * order is right to 2^-10, one of third order to 2^-23, and the step by the residual to all but one
 * significand. Every step takes 4 x as it takes x, but for powers of two. */
DETMATH_FUNCTION float detmath_rsqrt_of(float x) {
    detmath_u32 bits = detmath_bits_f32(x);
    float r = detmath_from_bits_f32(0x5f3759dfu - (bits >> 1));
    float halved = detmath_productf(r, 0.5f);
    r = detmath_productf(r, detmath_fmaf(-detmath_productf(x, r), halved, 0x1.804p0f));
    float e = detmath_fmaf(-detmath_productf(x, r), r, 1.0f);
    r = detmath_fmaf(detmath_productf(r, e), detmath_fmaf(e, 0.375f, 0.5f), r);
    float product = detmath_productf(x, r), low = detmath_fmaf(x, r, -product);
    e = detmath_fmaf(-low, r, detmath_fmaf(-product, r, 1.0f));
    r = detmath_fmaf(detmath_productf(r, 0.5f), e, r);
    /* The significand that this leaves wrong, 0x1.fffffcp1: its root is just above a middle. */
    return detmath_from_bits_f32(detmath_bits_f32(r) + ((bits & 0x00ffffffu) == 0x007ffffeu));
}

/* x^(-1/2); correctly rounded. */
DETMATH_FUNCTION float detmath_rsqrt_full(float x) {
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 extended = detmath_extend_f32(magnitude), odd = (extended >> 23) & 1u;
    float m =
        detmath_from_bits_f32(detmath_bits_f32(detmath_significand_f32(extended)) + (odd << 23));
    detmath_u32 root = detmath_bits_f32(detmath_rsqrt_of(m)) - (((extended >> 24) - 138u) << 23);
    root = bits == DETMATH_INFINITY_BITS ? 0 : root;
    root = bits > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : root;
    root = magnitude == 0 ? bits | DETMATH_INFINITY_BITS : root;
    return detmath_from_bits_f32(root);
}

DETMATH_FUNCTION float detmath_rsqrt_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_outside_bits(x, 0x00800000u, DETMATH_INFINITY_BITS);
    return detmath_rsqrt_of(x);
}

DETMATH_QUICK_OR_FULL(_rsqrt)

/* 1 / m for 1 <= m < 2; correctly rounded. The polynomial is 1 / m to 2^-6.62 (float_recip). */
DETMATH_FUNCTION float detmath_recip_of_significand(float m) {
    float y = detmath_fmaf(m, 0x1.4afd76p-2f, -0x1.745d2p0f);
    y = detmath_fmaf(m, y, 0x1.0f83e4p1f);
    float e = detmath_fmaf(-m, y, 1.0f);
    y = detmath_fmaf(y, detmath_fmaf(e, e, e), y);
    y = detmath_fmaf(y, detmath_fmaf(-m, y, 1.0f), y);
    y = detmath_fmaf(y, detmath_fmaf(-m, y, 1.0f), y);
    /* The one m that this leaves wrong, 2 - 2^-23: 1 / m is just above a middle. */
    return detmath_bits_f32(m) == 0x3fffffffu ? 0x1.000002p-1f : y;
}

/* 1 / x of a normal number of which that is normal too; correctly rounded, as the machine's quotient is. For kernels of
 * lanes. */
DETMATH_FUNCTION float detmath_reciprocal(float x) {
#if defined(DETMATH_HARDWARE_ROUNDING)
    return 1.0f / x;
#else
    detmath_u32 bits = detmath_bits_f32(x), m = (bits & 0x007fffffu) | 0x3f800000u;
    float y = detmath_recip_of_significand(detmath_from_bits_f32(m));
    return detmath_from_bits_f32(detmath_bits_f32(y) + (m - bits));
#endif
}

/* 1 / x; correctly rounded. */
DETMATH_FUNCTION float detmath_recip_full(float x) {
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 extended = detmath_extend_f32(magnitude);
    float m = detmath_significand_f32(extended), y = detmath_recip_of_significand(m);
    detmath_i32 n = 276 - (detmath_i32)(extended >> 23); /* 276 = 127 + 149 */
    y = detmath_scale_rest_f32(y, detmath_fmaf(-m, y, 1.0f), n);
    detmath_u32 result = magnitude == 0 ? DETMATH_INFINITY_BITS : detmath_bits_f32(y);
    result = magnitude == DETMATH_INFINITY_BITS ? 0 : result;
    return detmath_unless_nan(x, detmath_from_bits_f32((bits & 0x80000000u) | result));
}

/* In doubt unless x and 1 / x are normal. */
DETMATH_FUNCTION float detmath_recip_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    float magnitude = detmath_from_bits_f32(detmath_magnitude_f32(x));
    *doubt |= detmath_outside_bits(magnitude, 0x00800000u, 0x7e800001u);
    return detmath_reciprocal(x);
}

DETMATH_QUICK_OR_FULL(_recip)

#include "one_lane.inc"

#include "root_lanes.inc"

/* x^(1/3), by rows. Of a subnormal x that of 2^150 x. */
DETMATH_FUNCTION float detmath_cbrt_full(float x) {
    detmath_u32 bits = detmath_bits_f32(x), magnitude = bits & detmath_magnitude_mask();
    detmath_u32 subnormal = magnitude < 0x00800000u ? ~0u : 0u;
    detmath_u32 scaled = detmath_extend_f32(magnitude) + (1u << 23);
    float m = detmath_from_bits_f32(subnormal ? scaled : magnitude);
    detmath_u32 root = detmath_bits_f32(detmath_cbrt_steps(m)) - (subnormal & (50u << 23));
    root = magnitude == 0 || magnitude == DETMATH_INFINITY_BITS ? magnitude : root;
    return detmath_unless_nan(x, detmath_from_bits_f32((bits & 0x80000000u) | root));
}

DETMATH_FUNCTION float detmath_cbrt_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {
    *doubt |= detmath_cbrt_away(x) < DETMATH_REACH_cbrt ? 0u : 0x80000000u;
    return detmath_cbrt_steps(x);
}

DETMATH_QUICK_OR_FULL(_cbrt)

/* Whether the bits are those of a NaN that signals, which even the functions that give a number for
 * a NaN answer with NaN. */
DETMATH_FUNCTION detmath_u32 detmath_signals_f32(detmath_u32 bits) {
    return (bits & 0x7fffffffu) - 0x7f800001u < 0x003fffffu;
}

/* The larger of two sums of squares, and what is left of it. */
DETMATH_FUNCTION float detmath_hypot_step(float u, float v, DETMATH_PRIVATE float *rest) {
    float uu = detmath_productf(u, u), vv = detmath_productf(v, v);
    float sum = uu + vv; /* uu >= vv: that sum's error and the products' are exact */
    float errors = detmath_fmaf(u, u, -uu) + detmath_fmaf(v, v, -vv);
    return detmath_sqrt_step(sum, ((uu - sum) + vv) + errors, rest);
}

/* (x^2 + y^2)^(1/2), of the larger operand scaled to [1, 2). */
DETMATH_FUNCTION float detmath_hypot_full(float x, float y) {
    detmath_u32 a = detmath_magnitude_f32(x), b = detmath_magnitude_f32(y);
    detmath_u32 larger = a > b ? a : b, smaller = a > b ? b : a;
    detmath_u32 high = detmath_extend_f32(larger), low = detmath_extend_f32(smaller);
    detmath_u32 below = (high >> 23) - (low >> 23);
    below = below > 40u ? 40u : below; /* 2^-80 is as good as nothing, but never flushed */
    float u = detmath_significand_f32(high);
    float v = detmath_from_bits_f32(detmath_bits_f32(detmath_significand_f32(low)) - (below << 23));
    v = smaller == 0 ? 0.0f : v;
    float rest, g = detmath_hypot_step(u, v, &rest);
    g = detmath_scale_rest_f32(g, rest, (detmath_i32)(high >> 23) - 276);
    detmath_u32 result = larger == 0 ? 0 : detmath_bits_f32(g);
    result = larger > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : result;
    result =
        a == DETMATH_INFINITY_BITS || b == DETMATH_INFINITY_BITS ? DETMATH_INFINITY_BITS : result;
    detmath_u32 signals = detmath_signals_f32(a) | detmath_signals_f32(b);
    return detmath_from_bits_f32(signals ? DETMATH_NAN_BITS : result);
}

DETMATH_FUNCTION float detmath_hypot_quick(float x, float y, DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u32 away;
    float root = detmath_hypot_steps(x, y, &away);
    *doubt |= away < DETMATH_REACH_hypot ? 0u : 0x80000000u;
    return root;
}

DETMATH_QUICK_OR_FULL_BINARY(_hypot)

#if !defined(DETMATH_NO_DOUBLE)

/* s^(1/2) for 2^-900 < s < 2^1000, to 2^-53 (1 + 2^-40), and 0 for 0. As in fp32; a square root of
 * the machine's might be a call of a library. */
DETMATH_FUNCTION double detmath_core_root(double s) {
    double r = detmath_from_bits_f64(0x5fe6eb50c7b537a9u - (detmath_bits_f64(s) >> 1));
    double e = detmath_fma(-detmath_product(s, r), r, 1.0); /* 7 % */
    r = detmath_fma(detmath_product(r, e), detmath_fma(e, 0.375, 0.5), r);
    e = detmath_fma(-detmath_product(s, r), r, 1.0); /* 2^-12 */
    r = detmath_fma(detmath_product(r, e), detmath_fma(e, 0.375, 0.5), r);
    double g = detmath_product(s, r), h = detmath_product(r, 0.5);
    e = detmath_fma(-g, h, 0.5); /* 2^-38 */
    g = detmath_fma(g, e, g);
    h = detmath_fma(h, e, h);
    return detmath_fma(detmath_fma(-g, g, s), h, g);
}

/* NaN has its sign and payload still, which rounding drops: a constant would keep compilers from
 * vectorising. */
DETMATH_FUNCTION double detmath_core_sqrt(double x) {
    detmath_u64 bits = detmath_bits_f64(x);
    double y = detmath_core_root(x);
    y = x == detmath_from_bits_f64(0x7ff0000000000000u) ? x : y;
    y = x == 0.0 ? x : y;
    return x < 0.0 ? detmath_from_bits_f64(bits | 0x7ff8000000000000u) : y;
}

/* Division is correctly rounded in double in every one of the languages. */
DETMATH_FUNCTION double detmath_core_recip(double x) {
    return 1.0 / x;
}

DETMATH_FUNCTION double detmath_core_rsqrt(double x) {
    return 1.0 / detmath_core_sqrt(x);
}

/* x^(1/3): as in fp32, from a guess to 3.5 %. A root that is a double comes out exact, since the
 * last step is right to 2^-65 before its one rounding. */
DETMATH_FUNCTION double detmath_core_cbrt(double x) {
    detmath_u64 bits = detmath_bits_f64(x), magnitude = bits & detmath_magnitude_mask_f64();
    double m = detmath_from_bits_f64(magnitude);
    detmath_u32 third = (detmath_u32)(magnitude >> 32) / 3u;
    double r = detmath_from_bits_f64((detmath_u64)(0x553ef0ffu - third) << 32);
    double square = detmath_product(r, r);
    double e = detmath_fma(-detmath_product(m, r), square, 1.0);
    r = detmath_fma(detmath_product(r, e),
                    detmath_fma(e, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), r);
    square = detmath_product(r, r);
    e = detmath_fma(-detmath_product(m, r), square, 1.0);
    r = detmath_fma(detmath_product(r, e),
                    detmath_fma(e, 0x1.c71c71c71c71cp-3, 0x1.5555555555555p-2), r);
    square = detmath_product(r, r);
    double y = detmath_product(m, square); /* to 2^-33 */
    double high = detmath_product(y, y), low = detmath_fma(y, y, -high);
    e = detmath_fma(-low, y, detmath_fma(-high, y, m));
    y = detmath_fma(detmath_product(square, 0x1.5555555555555p-2), e, y);
    y = magnitude == 0 || magnitude >= 0x7ff0000000000000u ? m : y;
    return detmath_from_bits_f64((bits & 0x8000000000000000u) | detmath_bits_f64(y));
}

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(sqrt) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(rsqrt) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(recip) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(cbrt) = {DETMATH_NO_MORE};

/* In fp32 det's are correctly rounded. */
#define DETMATH_ROUNDED_AS_DET(NAME)                                                               \
    DETMATH_CORRECTLY_ROUNDED_CODE(_##NAME)                                                        \
    DETMATH_FUNCTION float detmath_cr_##NAME##_quick(float x,                                      \
                                                     DETMATH_PRIVATE detmath_u32 *doubt) {         \
        return detmath_##NAME##_quick(x, doubt);                                                   \
    }                                                                                              \
    DETMATH_FUNCTION float detmath_cr_##NAME##f(float x) {                                         \
        return detmath_##NAME##f(x);                                                               \
    }

DETMATH_ROUNDED_AS_DET(sqrt)
DETMATH_ROUNDED_AS_DET(rsqrt)
DETMATH_ROUNDED_AS_DET(recip)
DETMATH_CORRECTLY_ROUNDED(cbrt, 8)

/* The magnitude of x, exact in double, whether or not the machine flushes subnormal operands. */
DETMATH_FUNCTION double detmath_widen_f32(float x) {
    detmath_u32 magnitude = detmath_magnitude_f32(x);
    double subnormal = detmath_product((double)(detmath_i32)magnitude, 0x1p-149);
    double normal = (double)detmath_from_bits_f32(magnitude);
    return magnitude < 0x00800000u ? subnormal : normal;
}

/* (x^2 + y^2)^(1/2) rounded to odd in double, for operands of fp32: exact where the last bit is 0,
 * otherwise strictly between the neighbours of a result whose last bit is 1. What is rounded from
 * that to 51 bits or fewer is rounded once, so no case of hypot is left to trial.
 *
 * The squares are exact, and s + t is exactly their sum. With 2^k <= g < 2^(k+1), s and g^2 are
 * multiples of 2^(2k-104), so that where |s - g^2| <= 2^(2k-51) fma gives it exactly, and adding t
 * keeps the sign. Where it is larger it stays as large in rounding, and |t| <= 2^(2k-52) does not
 * reach it. So rest has the sign of s + t - g^2, and is 0 only where g is the root. As g is within
 * one unit in the last place, the root is on that side of g and before its neighbour. Everything
 * is far from underflow: operands are 0 or at least 2^-149. */
DETMATH_FUNCTION double detmath_core_hypot(double x, double y) {
    double xx = detmath_product(x, x), yy = detmath_product(y, y);
    double larger = xx < yy ? yy : xx, smaller = xx < yy ? xx : yy;
    double s = larger + smaller, t = (larger - s) + smaller;
    double g = detmath_core_root(s);
    double rest = detmath_fma(-g, g, s) + t;
    detmath_u64 bits = detmath_bits_f64(g), even = rest != 0.0 ? ~bits & 1u : 0;
    bits += rest > 0.0 ? even : 0 - even; /* NaN stays NaN */
    double root = detmath_from_bits_f64(bits),
           infinity = detmath_from_bits_f64(0x7ff0000000000000u);
    root = xx == infinity ? xx : root;
    return yy == infinity ? yy : root;
}

DETMATH_FUNCTION int detmath_signals_code(detmath_u32 code, struct detmath_format format) {
    detmath_u32 magnitude = code & (format.sign_bit - 1u), quiet = 1u << (format.precision - 2);
    return magnitude > format.overflow && !(magnitude & quiet);
}

DETMATH_FUNCTION detmath_u32 detmath_cr_hypot_code(detmath_u32 x, detmath_u32 y,
                                                   struct detmath_format format) {
    if (detmath_signals_code(x, format) || detmath_signals_code(y, format))
        return format.nan;
    return detmath_encode(detmath_core_hypot(detmath_decode(x, format), detmath_decode(y, format)),
                          format);
}

/* Correctly rounded in fp32: detmath_cr_hypot_code without its branches. */
DETMATH_FUNCTION float detmath_cr_hypotf(float x, float y) {
    double core = detmath_core_hypot(detmath_widen_f32(x), detmath_widen_f32(y));
    detmath_u32 normal = detmath_bits_f32((float)core);
    detmath_u32 subnormal = (detmath_u32)detmath_bits_f64(detmath_fma(core, 0x1p149, 0x1.8p52));
    detmath_u32 result = core < 0x1p-126 ? subnormal : normal;
    detmath_u32 signals =
        detmath_signals_f32(detmath_bits_f32(x)) | detmath_signals_f32(detmath_bits_f32(y));
    detmath_u32 nan = detmath_bits_f64(core) > 0x7ff0000000000000u;
    return detmath_from_bits_f32(signals | nan ? DETMATH_NAN_BITS : result);
}

#endif

#include "shield_end.inc"

#endif
