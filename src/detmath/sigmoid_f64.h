/* sigmoid, silu, mish, softplus and logsigmoid in fp64, as sigmoid.h has them in fp32: detmath_NAME is det, the first three within
 * 0.55 ulp and the others within 0.6, and detmath_cr_NAME correctly rounded. The kernels and why their errors are no larger:
 * sigmoid_f64_lanes.inc, last_f64.h.
 *
 * At -inf they give 0, -0, -0, 0, -inf, at inf 1, inf, inf, inf, -0; NaN is the canonical one; silu and mish of -0 are -0.
 *
 * cr. None of the results is a number or a middle between two, but those at 0: e^x is transcendental, by the theorem of Lindemann
 * and Weierstrass. The last phase knows e to 2^-170 of itself, and so every result to 2^-156 of itself or better. From 2^64
 * operands one within 2^-117 of itself is to be expected, and one within 2^-137 with a probability of 2^-20. Next to 0, where sigmoid
 * is 1/2 + x/4, silu x/2 + x^2/4, and both may be middles but for x^3/48 and x^4/48, that is 2^-164 of the result at the least, as
 * |x| is 2^-53 or more for a middle; there sigmoid is known to 2^-170. */
#ifndef DETMATH_SIGMOID_F64_H
#define DETMATH_SIGMOID_F64_H

#include "hyperbolic_f64.h"
#include "log_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "sigmoid_f64_lanes.inc"

/* e^-|x|. */
DETMATH_FUNCTION struct detmath_last detmath_sigmoid_last_power(double x) {
    double size = detmath_smaller_f64(detmath_magnitude_f64(x), 1000.0);
    return detmath_last_power(-size, DETMATH_BASE_E);
}
/* sigmoid, and tanh(softplus(x)): quotients as in the kernels. */
DETMATH_FUNCTION struct detmath_last detmath_last_sigmoid(double x) {
    struct detmath_last power = detmath_sigmoid_last_power(x);
    struct detmath_long_fixed w = detmath_last_fixed(&power), zero = {{0, 0, 0, 0}};
    struct detmath_last under = detmath_last_beside(w, 1);
    return detmath_last_quotient(x < 0.0 ? power : detmath_last_beside(zero, 1), &under);
}
DETMATH_FUNCTION struct detmath_last detmath_last_mish_gate(double x) {
    struct detmath_last power = detmath_sigmoid_last_power(x), over;
    struct detmath_long_fixed w = detmath_last_fixed(&power), twice = w;
    detmath_long_fixed_add(&twice, &w, 0);
    struct detmath_fraction part = {{w.word[0], w.word[1], w.word[2]}};
    part = detmath_fraction_product(&part, &part);
    struct detmath_long_fixed square = {{part.word[0], part.word[1], part.word[2], 0}}, sum = twice;
    detmath_long_fixed_add(&sum, &square, 0);
    if (x < 0.0) {
        over = detmath_last_beside(w, 2);
        over = detmath_last_product(over, &power);
    } else {
        over = detmath_last_beside(twice, 1);
        detmath_long_fixed_add(&sum, &square, 0);
    }
    struct detmath_last under = detmath_last_beside(sum, x < 0.0 ? 2 : 1);
    return detmath_last_quotient(over, &under);
}
DETMATH_FUNCTION double detmath_last_times(const struct detmath_last *gate, double x) {
    struct detmath_last operand = detmath_last_operand(detmath_magnitude_f64(x), 0);
    operand = detmath_last_product(operand, gate);
    return detmath_last_round_of(&operand, (detmath_u32)(detmath_bits_f64(x) >> 63));
}

/* base + ln(1 + e^-d) for a d up to 600, d4 being 4 d where that is no number: within 2^-168. */
DETMATH_FUNCTION struct detmath_long_fixed
detmath_softplus_last_sum(double base, double d, const struct detmath_long_fixed *d4) {
    struct detmath_fraction log2 = detmath_last_log2(DETMATH_BASE_E);
    struct detmath_last power = detmath_last_power_of_two(detmath_long_fixed_product(d4, &log2), 0);
    struct detmath_last operand = detmath_last_beside(detmath_last_fixed(&power), 1);
    struct detmath_long_fixed y =
        detmath_last_log_sum(operand, detmath_softplus_f64_steps(-d), DETMATH_BASE_E);
    struct detmath_long_fixed first = detmath_long_fixed_of(base);
    detmath_long_fixed_add(&y, &first, 0);
    return y;
}

/* a / k; cut off. */
DETMATH_FUNCTION struct detmath_fraction detmath_fraction_divide(struct detmath_fraction a,
                                                                 detmath_u32 k) {
    detmath_u64 rest = 0;
    for (int i = 2; i >= 0; i--) {
        detmath_u64 high = rest << 32 | a.word[i] >> 32;
        detmath_u64 low = (high % k) << 32 | (a.word[i] & 0xffffffffu);
        a.word[i] = high / k << 32 | low / k;
        rest = low % k;
    }
    return a;
}

/* ln(1 + w) for w = e^x below 2^-11.5, as w times 1 - w (1/2 - w (1/3 - ...)), of which the terms left out are below 2^-188. */
DETMATH_FUNCTION double detmath_softplus_last_tail(double x) {
    struct detmath_last power = detmath_sigmoid_last_power(x);
    struct detmath_long_fixed w = detmath_last_fixed(&power);
    struct detmath_fraction small = {{w.word[0], w.word[1], w.word[2]}}, h = {{0, 0, 0}}, ones = h;
    for (int i = 0; i < 3; i++)
        ones.word[i] = ~(detmath_u64)0;
    for (detmath_u32 k = 16; k > 0; k--) {
        struct detmath_fraction part = detmath_fraction_divide(ones, k);
        struct detmath_long_fixed sum = {{part.word[0], part.word[1], part.word[2], 0}};
        part = detmath_fraction_product(&small, &h);
        struct detmath_long_fixed less = {{part.word[0], part.word[1], part.word[2], 0}};
        detmath_long_fixed_add(&sum, &less, 1);
        for (int i = 0; i < 3; i++)
            h.word[i] = sum.word[i];
    }
    power.y = detmath_fraction_product(&power.y, &h);
    return detmath_last_round_of(&power, 0);
}

/* cr of operands that are no NaN; det where the steps do not do, too. */
DETMATH_FUNCTION double detmath_sigmoid_f64_last(double x) {
    if (x < -750.0)
        return 0.0;
    struct detmath_last y = detmath_last_sigmoid(x);
    return x == 0.0 ? 0.5 : detmath_last_round_of(&y, 0);
}
/* Below 2^-54 silu is x/2 and a little more, which decides where that is a middle: of subnormal numbers. */
DETMATH_FUNCTION double detmath_silu_f64_last(double x) {
    double size = detmath_magnitude_f64(x);
    detmath_u64 bits = detmath_bits_f64(size), sign = detmath_bits_f64(x) ^ bits;
    if (x >= 0x1p1000)
        return x;
    if (x < -760.0)
        return -0.0;
    if (size >= 0x1p-54) {
        struct detmath_last y = detmath_last_sigmoid(x);
        return detmath_last_times(&y, x);
    }
    bits = bits < 0x0020000000000000u ? (bits + !sign) >> 1 : bits - 0x0010000000000000u;
    return detmath_from_bits_f64(bits | sign);
}
DETMATH_FUNCTION double detmath_mish_f64_last(double x) {
    if (x >= 0x1p1000 || detmath_bits_f64(x) << 1 == 0)
        return x;
    if (x < -760.0)
        return -0.0;
    struct detmath_last y = detmath_last_mish_gate(x);
    return detmath_last_times(&y, x);
}
DETMATH_FUNCTION double detmath_softplus_f64_last(double x) {
    if (x > 40.0)
        return x;
    if (x < -760.0)
        return 0.0;
    if (x < -8.0)
        return detmath_softplus_last_tail(x);
    double d = detmath_magnitude_f64(x);
    struct detmath_long_fixed d4 = detmath_long_fixed_of(d * 4.0);
    struct detmath_long_fixed y = detmath_softplus_last_sum(detmath_larger_f64(x, 0.0), d, &d4);
    return detmath_last_round(&y, 0, 0);
}
DETMATH_FUNCTION double detmath_logsigmoid_f64_last(double x) {
    return -detmath_softplus_f64_last(-x);
}

#define DETMATH_SIGMOID_F64_FULL(SUFFIX)                                                           \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        return detmath_unless_nan_f64(x, detmath##SUFFIX##_f64_last(x));                           \
    }
DETMATH_SIGMOID_F64_FULL(_sigmoid)
DETMATH_SIGMOID_F64_FULL(_silu)
DETMATH_SIGMOID_F64_FULL(_mish)
#undef DETMATH_SIGMOID_F64_FULL
/* det left of -600, right of 2^1000 and of NaN: e^x, and x. */
DETMATH_SELDOM_FUNCTION double detmath_softplus_f64_full(double x) {
    return detmath_unless_nan_f64(x, x > 0.0 ? x : detmath_exp_f64_full(x));
}
DETMATH_SELDOM_FUNCTION double detmath_logsigmoid_f64_full(double x) {
    return detmath_unless_nan_f64(x, -detmath_softplus_f64_full(-x));
}

DETMATH_FORMS_F64(_sigmoid)
DETMATH_FORMS_F64(_silu)
DETMATH_FORMS_F64(_mish)
DETMATH_FORMS_F64(_softplus)
DETMATH_FORMS_F64(_logsigmoid)

#endif

#include "shield_end.inc"

#endif
