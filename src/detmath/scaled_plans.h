/* Codes of scaled numbers, and what their scales decide (scaled.h): plans, and the static scales of sums. */
#ifndef DETMATH_SCALED_PLANS_H
#define DETMATH_SCALED_PLANS_H

#include "cast.h"
#include "core.h"
#include "round.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

struct detmath_scale {
    float m;
    detmath_i32 e;
};

DETMATH_FUNCTION struct detmath_scale detmath_scale_of(float m, detmath_i32 e) {
    struct detmath_scale scale = {m, e};
    return scale;
}

/* The exact value of a code, as detmath_decode, without branches. */
DETMATH_INLINED double detmath_scaled_decode(detmath_u32 code, struct detmath_format format) {
    detmath_u32 magnitude = code & (format.sign_bit - 1u);
    detmath_i32 fraction_bits = format.precision - 1;
    detmath_u64 normal = ((detmath_u64)magnitude << (52 - fraction_bits)) +
                         ((detmath_u64)(format.emin + 1022) << 52);
    double unit = detmath_power_of_two(format.emin - fraction_bits);
    detmath_u64 subnormal = detmath_bits_f64((double)(detmath_i32)magnitude * unit);
    detmath_u64 bits = magnitude >> fraction_bits ? normal : subnormal;
    detmath_u64 infinite = (magnitude == format.overflow) & (format.overflow != format.nan);
    detmath_u64 beyond = infinite ? 0x7ff0000000000000u : 0x7ff8000000000000u;
    bits = ((magnitude > format.max_finite) | (code == format.nan)) ? beyond : bits;
    return detmath_from_bits_f64(bits | ((code & format.sign_bit) ? 0x8000000000000000u : 0));
}

/* The code of y rounded once to nearest-even, as detmath_encode, without branches. */
DETMATH_INLINED detmath_u32 detmath_scaled_encode(double y, struct detmath_format format) {
    detmath_u64 bits = detmath_bits_f64(y), magnitude = bits & detmath_magnitude_mask_f64();
    detmath_i64 above = (detmath_i64)(magnitude >> 52) - (format.emin + 1023);
    detmath_u64 significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
    detmath_i64 wanted = 53 - format.precision - (above < 0 ? above : 0);
    detmath_u64 shift = (detmath_u64)(wanted > 63 ? 63 : wanted); /* at 63 all is less than half */
    detmath_u64 integer = significand >> shift, first = significand >> (shift - 1) & 1;
    detmath_u64 rest = significand << (65 - shift) ? 1 : 0;
    integer += first & (rest | integer);
    /* The hidden bit, or a carry into it, adds 1 to the exponent field. */
    integer += (detmath_u64)(above > 0 ? above : 0) << (format.precision - 1);
    detmath_u64 sign = bits >> 63 ? format.sign_bit : 0;
    detmath_u64 beyond = format.overflow == format.nan ? format.nan : sign | format.overflow;
    detmath_u64 code = ((integer == 0) & (sign == format.nan)) ? 0 : sign | integer;
    code = integer > format.max_finite ? beyond : code;
    return (detmath_u32)(magnitude > 0x7ff0000000000000u ? format.nan : code);
}

/* The same by the rules of a cast to nearest-even; every NaN counts as positive. */
DETMATH_INLINED detmath_u32 detmath_scaled_encode_by(double y, struct detmath_cast cast) {
    return detmath_cast_f64(y != y ? 0x7ff8000000000000u : detmath_bits_f64(y), cast, 0);
}

/* What the scales decide: multipliers of the operands, a divisor, and the result's scale. */
struct detmath_scaled_plan {
    double a, b; /* signed; 1 for an operand that is zero, 0 for one that there is not */
    double c;    /* > 0; NaN makes the results NaN */
    detmath_u32 zero_a, zero_b; /* the operand's scale is 0: its data count as 0 */
    struct detmath_scale scale;
};

/* The exact m of a scale; NaN where it is no number. */
DETMATH_FUNCTION double detmath_scale_m(struct detmath_scale scale) {
    double m = detmath_scaled_decode(detmath_bits_f32(scale.m), detmath_formats[DETMATH_F32]);
    return m - m == 0.0 ? m : detmath_from_bits_f64(0x7ff8000000000000u);
}

/* 2^n, or 2^-800 or 2^800 where n is beyond: so far that no data feel a difference. */
DETMATH_FUNCTION double detmath_scale_power(detmath_i64 n) {
    return detmath_power_of_two(n < -800 ? -800 : n > 800 ? 800 : n);
}

/* m * 2^e as a scale, m > 0: m rounded to fp32 within its normal numbers, and e to 32 bits. The
 * rest of the value is left to the data: *factor. */
DETMATH_FUNCTION struct detmath_scale detmath_scale_round(double m, detmath_i64 e, double *factor) {
    struct detmath_format fp32 = detmath_formats[DETMATH_F32];
    detmath_i64 most = 0x7fffffff, least = -most - 1;
    detmath_u32 code = detmath_encode(m, fp32);
    code = code < 0x00800000u ? 0x00800000u : code > fp32.max_finite ? fp32.max_finite : code;
    detmath_i64 kept = e < least ? least : e > most ? most : e;
    *factor = (m / detmath_scaled_decode(code, fp32)) * detmath_scale_power(e - kept);
    return detmath_scale_of(detmath_from_bits_f32(code), (detmath_i32)kept);
}

DETMATH_FUNCTION double detmath_scaled_magnitude(double x) {
    return detmath_from_bits_f64(detmath_bits_f64(x) & 0x7fffffffffffffffu);
}

/* add, sub, max, min: at the larger of the two scales, so that nothing overflows that need not. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_sum(struct detmath_scale a,
                                                                    struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    double na = detmath_scaled_magnitude(ma), nb = detmath_scaled_magnitude(mb);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, ma == 0.0, mb == 0.0, {1.0f, 0}};
    int first = plan.zero_b || (!plan.zero_a && (a.e > b.e || (a.e == b.e && na >= nb)));
    if (plan.zero_a && plan.zero_b)
        return plan;
    plan.c = first ? na : nb;
    plan.scale = first ? a : b;
    plan.scale.m = detmath_from_bits_f32(detmath_magnitude_f32(plan.scale.m));
    if (!plan.zero_a)
        plan.a = ma * detmath_scale_power((detmath_i64)a.e - plan.scale.e);
    if (!plan.zero_b)
        plan.b = mb * detmath_scale_power((detmath_i64)b.e - plan.scale.e);
    if (ma != ma || mb != mb) {
        plan.c = ma + mb;
        plan.scale = detmath_scale_of(1.0f, 0);
    }
    return plan;
}

/* step: values are compared as for max, and the result's scale is 1. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_step(struct detmath_scale a,
                                                                     struct detmath_scale b) {
    struct detmath_scaled_plan plan = detmath_scaled_plan_sum(a, b);
    plan.scale = detmath_scale_of(1.0f, 0);
    plan.c = plan.c == plan.c ? 1.0 : plan.c;
    return plan;
}

/* mul and div: at the product or quotient of the scales. plan.a is what that leaves to the data:
 * 1 or -1 where the scale is exact, as powers of two are. Where an operand is zero, all that is left
 * of the other's scale is its sign: of a zero, or of an infinite quotient. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_factor(double m, detmath_i64 e,
                                                                       double ma, double mb) {
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, ma == 0.0, mb == 0.0, {1.0f, 0}};
    if (ma != ma || mb != mb)
        plan.c = ma + mb;
    if (plan.zero_a || plan.zero_b)
        plan.a = (ma < 0.0) != (mb < 0.0) ? -1.0 : 1.0;
    if (plan.zero_a || plan.zero_b || plan.c != plan.c)
        return plan;
    plan.scale = detmath_scale_round(detmath_scaled_magnitude(m), e, &plan.a);
    plan.a = m < 0.0 ? -plan.a : plan.a;
    return plan;
}

DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_product(struct detmath_scale a,
                                                                        struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    return detmath_scaled_plan_factor(detmath_product(ma, mb), (detmath_i64)a.e + b.e, ma, mb);
}

/* mul by a scalar, a number y (the datum of a or of b) that is not 0: its value goes into the scale, and the
 * data stay, but for what the scale cannot hold. Where scales are powers of two y is the least power of two that
 * is not below |y|, times what the data take up, so that they do not grow. For elements as of a product. The
 * scale is the exact product rounded once: m is exact, and of m y what its rounding to double lost is kept as
 * an odd last bit. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_scalar(struct detmath_scale a,
                                                                       struct detmath_scale b,
                                                                       double y,
                                                                       detmath_i32 is_power) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b), m = detmath_product(ma, mb);
    struct detmath_scaled_plan plan = detmath_scaled_plan_product(a, b);
    if (y - y != 0.0 || y == 0.0 || plan.zero_a || plan.zero_b || plan.c != plan.c)
        return plan;
    if (is_power) {
        detmath_u64 bits = detmath_bits_f64(detmath_scaled_magnitude(y));
        detmath_i64 n = (detmath_i64)(bits >> 52) - 1023 + ((bits & 0xfffffffffffffu) != 0);
        plan = detmath_scaled_plan_factor(m, (detmath_i64)a.e + b.e + n, ma, mb);
        plan.a *= detmath_power_of_two(-n);
        return plan;
    }
    double product = detmath_product(m, y), lost = detmath_fma(m, y, -product);
    detmath_u64 bits = detmath_bits_f64(product);
    if (lost != 0.0 && !(bits & 1u))
        bits = (lost < 0.0) == (product < 0.0) ? bits + 1u : bits - 1u;
    plan = detmath_scaled_plan_factor(detmath_from_bits_f64(bits), (detmath_i64)a.e + b.e, ma, mb);
    plan.a /= y;
    return plan;
}

DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_quotient(struct detmath_scale a,
                                                                         struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    return detmath_scaled_plan_factor(ma / mb, (detmath_i64)a.e - b.e, ma, mb);
}

/* div_gradient: at the dividend's scale over the divisor's square, which has no sign. */
DETMATH_FUNCTION struct detmath_scaled_plan
detmath_scaled_plan_div_gradient(struct detmath_scale a, struct detmath_scale b) {
    double ma = detmath_scale_m(a), mb = detmath_scaled_magnitude(detmath_scale_m(b));
    return detmath_scaled_plan_factor(ma / detmath_product(mb, mb),
                                      (detmath_i64)a.e - 2 * (detmath_i64)b.e, ma, mb);
}

/* relu, reduce_max, gelu, softmax: the scale stays, without its sign, which plan.a is. plan.b is
 * the scale as a number, for functions that are not linear. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_one(struct detmath_scale a) {
    double m = detmath_scale_m(a);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, m == 0.0, 0, {1.0f, 0}};
    if (m != m)
        plan.c = m;
    if (m == 0.0 || m != m)
        return plan;
    plan.a = m < 0.0 ? -1.0 : 1.0;
    plan.b = detmath_scaled_magnitude(m) * detmath_scale_power(a.e);
    plan.scale = detmath_scale_of(detmath_from_bits_f32(detmath_magnitude_f32(a.m)), a.e);
    return plan;
}

/* The scale by which matmul divides its sums over k products: none; the root of k, which keeps unit
 * variance; the power of two whose logarithm is nearest to that of the root (2 of 2, 4 of 8, 8 of 32: the
 * larger of two as near); k itself, a mean; or the largest power of two that is not above the root, as
 * jax-scalify has it (1 of 2, 2 of 8). Measured, it is what the sums need, which only the library's calls
 * know (scaled_tensors.h); 1 in what follows. A rule of one's own is the number that it gives:
 * detmath_scaled_own_static. */
enum detmath_scaled_strategy {
    DETMATH_SCALED_STATIC_ONE,
    DETMATH_SCALED_STATIC_UNIT,
    DETMATH_SCALED_STATIC_POWER,
    DETMATH_SCALED_STATIC_MEAN,
    DETMATH_SCALED_MEASURED,
    DETMATH_SCALED_STATIC_POWER_DOWN,
    DETMATH_SCALED_STATIC_OWN = 0x00800000, /* from here on: the bits of that number */
    DETMATH_SCALED_STATIC_LAST = 0x7f7fffff
};

/* Divides by d, a normal number of fp32 above 0, and where scales are powers of two a power of two; what is
 * not gives what the library's calls refuse. */
DETMATH_FUNCTION enum detmath_scaled_strategy detmath_scaled_own_static(float d) {
    detmath_u32 bits = detmath_bits_f32(d);
    detmath_u32 is_normal = bits >= DETMATH_SCALED_STATIC_OWN && bits <= DETMATH_SCALED_STATIC_LAST;
    return (enum detmath_scaled_strategy)(is_normal ? bits : DETMATH_SCALED_STATIC_OWN - 1u);
}

/* As an fp32 number; k from 1 to 2^30. The root is cut to 24 bits, by integers. */
DETMATH_FUNCTION float detmath_scaled_static(enum detmath_scaled_strategy strategy, detmath_u32 k) {
    if (strategy >= DETMATH_SCALED_STATIC_OWN)
        return detmath_from_bits_f32((detmath_u32)strategy);
    detmath_u64 square = (detmath_u64)k << 32, root = 0;
    detmath_i32 places = 16, length = 0;
    for (; square < (detmath_u64)1 << 46; square <<= 2)
        places++;
    for (detmath_u64 bit = (detmath_u64)1 << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= square)
            root |= bit;
    for (detmath_u64 rest = root; rest; rest >>= 1)
        length++;
    /* sqrt(k) is root / 2^places, and is at least 2^(n + 1/2) just when k is at least 2^(2n + 1).
     */
    detmath_i32 n = length - 1 - places;
    n += strategy == DETMATH_SCALED_STATIC_POWER && k >> (2 * n + 1) != 0;
    if (strategy == DETMATH_SCALED_STATIC_POWER || strategy == DETMATH_SCALED_STATIC_POWER_DOWN)
        return detmath_from_bits_f32((detmath_u32)(n + 127) << 23);
    if (strategy == DETMATH_SCALED_STATIC_UNIT)
        return (float)((double)(root >> (length - 24) << (length - 24)) *
                       detmath_power_of_two(-places));
    return strategy == DETMATH_SCALED_STATIC_MEAN ? (float)k : 1.0f;
}

/* matmul: sums of k products over the static scale, at the product of the scales times it. plan.a
 * is what the sum is to be multiplied by, before plan.c. Where scales are powers of two the static
 * scale must be one, and goes into e. */
DETMATH_FUNCTION struct detmath_scaled_plan
detmath_scaled_plan_matmul(struct detmath_scale a, struct detmath_scale b,
                           enum detmath_scaled_strategy strategy, detmath_u32 k,
                           detmath_i32 is_power) {
    double ma = detmath_scale_m(a), mb = detmath_scale_m(b);
    double divisor = (double)detmath_scaled_static(strategy, k);
    detmath_i64 e = (detmath_i64)(detmath_bits_f64(divisor) >> 52) - 1023;
    double m =
        is_power ? detmath_product(ma, mb) : detmath_product(detmath_product(ma, mb), divisor);
    struct detmath_scaled_plan plan =
        detmath_scaled_plan_factor(m, (detmath_i64)a.e + b.e + (is_power ? e : 0), ma, mb);
    plan.a = plan.zero_a || plan.zero_b ? 1.0 : plan.c == plan.c ? plan.a / divisor : plan.a;
    return plan;
}

/* rebalance: data / 2^n at the scale times 2^n, which goes into e where the scale is a power of
 * two, else into m. The value stays, where the data stay in range. */
DETMATH_FUNCTION struct detmath_scaled_plan
detmath_scaled_plan_rebalance(struct detmath_scale a, detmath_i32 n, detmath_i32 is_power) {
    double m = detmath_scale_m(a);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, m == 0.0, 0, {1.0f, 0}};
    plan.c = m != m ? m : 1.0;
    if (m == 0.0 || m != m)
        return plan;
    double scaled = is_power ? m : m * detmath_scale_power(n);
    plan.scale = detmath_scale_round(detmath_scaled_magnitude(scaled),
                                     (detmath_i64)a.e + (is_power ? n : 0), &plan.a);
    plan.scale.m = m < 0.0 ? -plan.scale.m : plan.scale.m;
    plan.a *= detmath_scale_power(-(detmath_i64)n);
    return plan;
}

/* A plan whose results are to be rebalanced before they are rounded. */
DETMATH_FUNCTION struct detmath_scaled_plan
detmath_scaled_plan_moved(struct detmath_scaled_plan plan, detmath_i32 n, detmath_i32 is_power) {
    struct detmath_scaled_plan by = detmath_scaled_plan_rebalance(plan.scale, n, is_power);
    plan.a *= by.a;
    plan.scale = by.scale;
    return plan;
}

/* rescale: the data at the given scale t, whatever their own was; NaN where t is 0 or no number. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_rescale(struct detmath_scale a,
                                                                        struct detmath_scale t) {
    double ma = detmath_scale_m(a), mt = detmath_scale_m(t);
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, ma == 0.0, 0, t};
    if (ma != ma || mt != mt || mt == 0.0) {
        plan.c = detmath_from_bits_f64(0x7ff8000000000000u);
        return plan;
    }
    plan.a = mt < 0.0 ? -1.0 : 1.0; /* of a zero array's +0 too */
    if (plan.zero_a)
        return plan;
    plan.a *= ma * detmath_scale_power((detmath_i64)a.e - t.e);
    plan.c = detmath_scaled_magnitude(mt);
    return plan;
}

/* cast: the data in another format, the scale forwarded whatever it is. */
DETMATH_FUNCTION struct detmath_scaled_plan detmath_scaled_plan_cast(struct detmath_scale a) {
    struct detmath_scaled_plan plan = {1.0, 1.0, 1.0, 0, 0, a};
    return plan;
}

#endif

#include "shield_end.inc"

#endif
