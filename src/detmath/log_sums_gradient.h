/* The gradient of logcumsumexp, of lines that log_sums_gradient_blocks.h leaves. Of y[j] = ln s[j]
 * with s[j] = e^x[0] + ... + e^x[j], and of the gradient g of y, that of x is
 *   x'[i] = e^x[i] (g[i] / s[i] + ... + g[n-1] / s[n-1]).
 * With m[j] the largest of x up to j, s[j] = e^m[j] c[j] and, from the right,
 *   r[j] = g[j] / c[j] + e^(m[j] - m[j+1]) r[j+1],    x'[i] = e^(x[i] - m[i]) r[i].
 *
 * All of it is in pairs of doubles, in this order, r with an exponent of its own, so that nothing
 * overflows on the way. Each step loses less than 2^-92 of what it makes: x'[i] is within n 2^-90 of
 * the same sum over magnitudes of g before it is rounded, once. That is the number nearest to the
 * exact result, unless that lies as near to where the rounding changes: where gradients of either
 * sign cancel to less than 2^-30 of their magnitudes, or by bad luck.
 *
 * An element that is -inf adds nothing, and its gradient is +0. An element that is NaN or +inf makes
 * NaN of all others, since y is one of these from there on; a gradient that is NaN or infinite is
 * one term of a sum. */
#ifndef DETMATH_LOG_SUMS_GRADIENT_H
#define DETMATH_LOG_SUMS_GRADIENT_H

#include "log_sums.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* part * 2^exponent; |part.high| is 0, or from 1 to below 2. */
struct detmath_far {
    struct detmath_twofold part;
    detmath_i32 exponent;
};

enum { DETMATH_FAR_LEAST = -(1 << 20), DETMATH_FAR_ZERO = 2 * DETMATH_FAR_LEAST };

/* Exponents below the least one stand for less than any format has. */
DETMATH_FUNCTION struct detmath_far detmath_far_of(struct detmath_twofold part,
                                                   detmath_i32 exponent) {
    struct detmath_far far;
    double size = part.high < 0.0 ? -part.high : part.high;
    if (size < 0x1p-500) {
        part = detmath_twofold_of(detmath_product(part.high, 0x1p600),
                                  detmath_product(part.low, 0x1p600));
        exponent -= 600;
    }
    detmath_i32 own = (detmath_i32)(detmath_bits_f64(part.high) >> 52 & 0x7ffu) - 1023;
    double up = detmath_power_of_two(own > 0 ? 1 - own : -own), once = own > 0 ? 0.5 : 1.0;
    far.part.high = detmath_product(detmath_product(part.high, up), once);
    far.part.low = detmath_product(detmath_product(part.low, up), once);
    exponent += own;
    far.exponent = exponent < DETMATH_FAR_LEAST ? DETMATH_FAR_LEAST : exponent;
    if (part.high == 0.0) {
        far.part = detmath_twofold_of(0.0, 0.0);
        far.exponent = DETMATH_FAR_ZERO;
    }
    return far;
}

DETMATH_FUNCTION struct detmath_far detmath_far_sum(struct detmath_far a, struct detmath_far b) {
    struct detmath_far more = a.exponent >= b.exponent ? a : b;
    struct detmath_twofold less = a.exponent >= b.exponent ? b.part : a.part;
    detmath_i32 apart = a.exponent - b.exponent;
    apart = apart < 0 ? -apart : apart;
    double power = detmath_power_of_two(-(apart < 300 ? apart : 300));
    less.high = detmath_product(less.high, power);
    less.low = detmath_product(less.low, power);
    return detmath_far_of(detmath_twofold_sum(more.part, less), more.exponent);
}

DETMATH_FUNCTION struct detmath_far detmath_far_product(struct detmath_far a,
                                                        struct detmath_far b) {
    return detmath_far_of(detmath_twofold_product(a.part, b.part), a.exponent + b.exponent);
}

/* e^(x - m) for x <= m. Beyond e^-3200 what any format has is 0. */
DETMATH_FUNCTION struct detmath_far detmath_far_power(double x, double m) {
    detmath_i32 n;
    struct detmath_twofold d = detmath_twofold_exact_sum(x, -m);
    d = d.high > -3200.0 ? d : detmath_twofold_of(-3200.0, 0.0);
    int is_large = d.high < -700.0;
    double part = is_large ? 0.25 : 1.0;
    struct detmath_twofold power =
        detmath_twofold_power(detmath_product(d.high, part), detmath_product(d.low, part), &n);
    struct detmath_far far =
        detmath_far_of(detmath_twofold_sum(detmath_twofold_of(1.0, 0.0), power), n);
    for (int i = 0; is_large && i < 2; i++)
        far = detmath_far_product(far, far);
    return far;
}

/* a / c, c at least 1. */
DETMATH_FUNCTION struct detmath_far detmath_far_over(struct detmath_far a,
                                                     struct detmath_twofold c) {
    double q = a.part.high / c.high, rest = detmath_fma(-q, c.high, a.part.high) + a.part.low;
    rest = detmath_fma(-q, c.low, rest) / c.high;
    return detmath_far_of(detmath_twofold_settled(q, rest), a.exponent);
}

/* g / c, g finite. */
DETMATH_FUNCTION struct detmath_far detmath_far_quotient(double g, struct detmath_twofold c) {
    return detmath_far_over(detmath_far_of(detmath_twofold_of(g, 0.0), 0), c);
}

/* As a number of fp64, rounded once. Below the normal numbers the code is the multiple of the least
 * one that is nearest. */
DETMATH_FUNCTION double detmath_far_rounded(struct detmath_far a) {
    double high = a.part.high, low = a.part.low;
    if (a.exponent > 1023)
        return high < 0.0 ? detmath_minus_infinity() : -detmath_minus_infinity();
    if (a.exponent >= -1022)
        return detmath_product(high, detmath_power_of_two(a.exponent));
    detmath_u64 sign = detmath_bits_f64(high) & 0x8000000000000000u;
    double power = detmath_power_of_two(a.exponent < -1080 ? -6 : a.exponent + 1074);
    double size = detmath_product(sign ? -high : high, power);
    double below = sign ? -low : low, whole = (size + 0x1p52) - 0x1p52, rest = size - whole;
    whole += rest == 0.5 && below > 0.0 ? 1.0 : rest == -0.5 && below < 0.0 ? -1.0 : 0.0;
    return detmath_from_bits_f64(sign | (detmath_u64)whole);
}

/* The same as a number that rounds to any format of 24 bits or fewer as the exact one does. */
DETMATH_FUNCTION double detmath_far_odd(struct detmath_far a) {
    detmath_i32 exponent = a.exponent > 190 ? 190 : a.exponent < -190 ? -190 : a.exponent;
    double high = detmath_product(a.part.high, detmath_power_of_two(exponent));
    return a.part.low == 0.0 ? high : detmath_round_to_odd(high, a.part.low > 0.0);
}

/* What a prefix of x is: m and c. c.high is 0 where nothing is finite yet, and NaN from the first NaN
 * or +inf on. Of its last element x, e^(x - m); where that raised m, e^(m before - m) instead. */
struct detmath_log_prefix {
    double most;
    struct detmath_twofold sum;
    struct detmath_far power;
    int is_raised;
};

DETMATH_FUNCTION struct detmath_log_prefix detmath_log_prefix_of_none(void) {
    struct detmath_log_prefix none;
    none.sum = detmath_twofold_of(0.0, 0.0);
    none.most = 0.0;
    none.power = detmath_far_of(detmath_twofold_of(1.0, 0.0), 0);
    none.is_raised = 0;
    return none;
}

DETMATH_FUNCTION void detmath_log_prefix_add(struct detmath_log_prefix *prefix, double x) {
    struct detmath_twofold one = detmath_twofold_of(1.0, 0.0), power;
    double most = prefix->most;
    prefix->is_raised = 0;
    if (!(x - x == 0.0)) {
        if (!(x < 0.0))
            prefix->sum.high = detmath_log_sum_nan();
        return;
    }
    if (prefix->sum.high == 0.0) {
        prefix->most = x;
        prefix->sum = one;
        return;
    }
    prefix->is_raised = x > most;
    prefix->most = x > most ? x : most;
    prefix->power = detmath_far_power(x > most ? most : x, prefix->most);
    double scale =
        detmath_power_of_two(prefix->power.exponent > -600 ? prefix->power.exponent : -600);
    power = detmath_twofold_of(detmath_product(prefix->power.part.high, scale),
                               detmath_product(prefix->power.part.low, scale));
    prefix->sum = prefix->is_raised
                      ? detmath_twofold_sum(one, detmath_twofold_product(prefix->sum, power))
                      : detmath_twofold_sum(prefix->sum, power);
}

/* y has the gradient of x, which has n elements, one after the other. `prefixes` has room for as
 * many. Where the scan is exclusive, element j of g is of the elements before j. y may be x or g. */
DETMATH_SELDOM_FUNCTION void
detmath_logcumsumexp_gradient_slowly(const struct detmath_line_out *y, const struct detmath_line *x,
                                     const struct detmath_line *g, detmath_u64 n, int exclusive,
                                     DETMATH_ARRAY struct detmath_log_prefix *prefixes) {
    struct detmath_log_prefix prefix = detmath_log_prefix_of_none();
    struct detmath_far r = detmath_far_of(prefix.sum, 0);
    double after = 0.0, infinite = 0.0; /* the sum of infinite gradients: NaN of both signs */
    for (detmath_u64 i = 0; i < n; i++) {
        detmath_log_prefix_add(&prefix, detmath_line_load(x, i));
        prefixes[i] = prefix;
    }
    for (detmath_u64 i = n; i-- > 0;) {
        double here = detmath_line_load(g, i), term = exclusive ? after : here, result = 0.0;
        int has_terms = !exclusive || i + 1 < n;
        DETMATH_ARRAY const struct detmath_log_prefix *at = &prefixes[i];
        after = here;
        if (has_terms) {
            infinite += term - term == 0.0 ? 0.0 : term;
            infinite += at->sum.high == at->sum.high ? 0.0 : at->sum.high;
        }
        if (has_terms && infinite == 0.0 && at->sum.high > 0.0) {
            r = i + 1 < n && at[1].is_raised ? detmath_far_product(r, at[1].power) : r;
            r = detmath_far_sum(r, detmath_far_quotient(term, at->sum));
            struct detmath_far far = at->is_raised ? r : detmath_far_product(r, at->power);
            result = x->cast == DETMATH_F64 ? detmath_far_rounded(far) : detmath_far_odd(far);
        }
        result = infinite == 0.0 ? result : infinite;
        if (!has_terms || detmath_line_load(x, i) == detmath_minus_infinity())
            result = 0.0;
        detmath_line_store(y, i, result);
    }
}

#endif

#include "shield_end.inc"

#endif
