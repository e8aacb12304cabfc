/* The gradients of logsumexp and of log_softmax, of lines that log_softmax_gradient_blocks.h
 * leaves. With m the largest element, k its first index, t the sum of e^(x - m) over all the others, c = 1 + t and p[i] = e^(x[i] - m) / c:
 *   logsumexp    x'[i] = g p[i]                      for the one gradient g of the result;
 *   log_softmax  x'[i] = g[i] - p[i] (g[0] + ... + g[n-1]),
 *                x'[k] = (g[k] t - sum of the other g) / c
 * where the second line is the first one, written so that a p[k] near 1 cancels nothing: a sure and
 * right prediction keeps all digits of its small gradient.
 *
 * All of it is in pairs of doubles with exponents of their own (log_sums_gradient.h), in this order, and
 * rounded once. The gradient of logsumexp is within n 2^-90 of itself before that, the other within n
 * 2^-90 of the magnitudes that it is made of: the number nearest to the exact result, unless terms
 * cancel to less than 2^-30 of their magnitudes, or that lies as near to where the rounding changes.
 *
 * An element that is -inf has the share 0: its gradient is +0 of logsumexp, and of log_softmax g[i] as it
 * is. An element that is NaN or +inf makes NaN of all others. Where it makes NaN of the results
 * themselves, as +inf does of log_softmax, and a line of nothing but -inf, all gradients are NaN. */
#ifndef DETMATH_LOG_SOFTMAX_GRADIENT_H
#define DETMATH_LOG_SOFTMAX_GRADIENT_H

#include "log_sums_gradient.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* A line: m, k, t and c. k is n where no element is finite. */
struct detmath_log_whole {
    double most;
    detmath_u64 at;
    struct detmath_far rest;
    struct detmath_twofold sum;
    int nan; /* an element is NaN or +inf */
};

DETMATH_FUNCTION struct detmath_log_whole detmath_log_whole_of(const struct detmath_line *x,
                                                               detmath_u64 n) {
    struct detmath_log_whole whole;
    whole.most = detmath_minus_infinity();
    whole.at = n;
    whole.nan = 0;
    whole.rest = detmath_far_of(detmath_twofold_of(0.0, 0.0), 0);
    for (detmath_u64 i = 0; i < n; i++) {
        double v = detmath_line_load(x, i);
        whole.nan = whole.nan || !(v - v == 0.0 || v < 0.0);
        if (v - v == 0.0 && v > whole.most) {
            whole.most = v;
            whole.at = i;
        }
    }
    for (detmath_u64 i = 0; i < n && !whole.nan; i++) {
        double v = detmath_line_load(x, i);
        if (i != whole.at && v > detmath_minus_infinity())
            whole.rest = detmath_far_sum(whole.rest, detmath_far_power(v, whole.most));
    }
    double scale = detmath_power_of_two(whole.rest.exponent > -600 ? whole.rest.exponent : -600);
    whole.sum =
        detmath_twofold_sum(detmath_twofold_of(1.0, 0.0),
                            detmath_twofold_of(detmath_product(whole.rest.part.high, scale),
                                               detmath_product(whole.rest.part.low, scale)));
    return whole;
}

DETMATH_FUNCTION struct detmath_far detmath_far_minus(struct detmath_far a, struct detmath_far b) {
    b.part = detmath_twofold_of(-b.part.high, -b.part.low);
    return detmath_far_sum(a, b);
}

DETMATH_FUNCTION double detmath_far_result(struct detmath_far far, const struct detmath_line *x) {
    return x->cast == DETMATH_F64 ? detmath_far_rounded(far) : detmath_far_odd(far);
}

/* y has the gradient of x, which has n elements, for the first element of g. y may be x. */
DETMATH_SELDOM_FUNCTION void detmath_logsumexp_gradient_slowly(const struct detmath_line_out *y,
                                                               const struct detmath_line *x,
                                                               const struct detmath_line *g,
                                                               detmath_u64 n) {
    struct detmath_log_whole whole = detmath_log_whole_of(x, n);
    double given = n ? detmath_line_load(g, 0) : 0.0;
    int is_finite = given - given == 0.0;
    struct detmath_far share = detmath_far_quotient(is_finite ? given : 0.0, whole.sum);
    for (detmath_u64 i = 0; i < n; i++) {
        double v = detmath_line_load(x, i), result = whole.nan ? detmath_log_sum_nan() : given;
        if (v == detmath_minus_infinity() || (given == 0.0 && !whole.nan))
            result = 0.0;
        else if (is_finite && !whole.nan)
            result =
                detmath_far_result(detmath_far_product(share, detmath_far_power(v, whole.most)), x);
        detmath_line_store(y, i, result);
    }
}

/* The same for n elements of g. y may be x or g. */
DETMATH_SELDOM_FUNCTION void detmath_log_softmax_gradient_slowly(const struct detmath_line_out *y,
                                                                 const struct detmath_line *x,
                                                                 const struct detmath_line *g,
                                                                 detmath_u64 n) {
    struct detmath_log_whole whole = detmath_log_whole_of(x, n);
    struct detmath_far zero = detmath_far_of(detmath_twofold_of(0.0, 0.0), 0), others = zero;
    struct detmath_far first = zero;
    double infinite = 0.0; /* the sum of infinite gradients: NaN of both signs */
    for (detmath_u64 i = 0; i < n; i++) {
        double here = detmath_line_load(g, i);
        int is_finite = here - here == 0.0;
        struct detmath_far far = detmath_far_of(detmath_twofold_of(is_finite ? here : 0.0, 0.0), 0);
        infinite += is_finite ? 0.0 : here;
        if (i == whole.at)
            first = far;
        else
            others = detmath_far_sum(others, far);
    }
    struct detmath_far share = detmath_far_over(detmath_far_sum(first, others), whole.sum);
    for (detmath_u64 i = 0; i < n; i++) {
        double v = detmath_line_load(x, i), here = detmath_line_load(g, i), result = here;
        if (whole.nan || whole.at == n)
            result = detmath_log_sum_nan();
        else if (v == detmath_minus_infinity())
            result = here;
        else if (infinite != 0.0)
            result = here - infinite;
        else if (i == whole.at)
            result = detmath_far_result(
                detmath_far_over(detmath_far_minus(detmath_far_product(first, whole.rest), others),
                                 whole.sum),
                x);
        else
            result = detmath_far_result(
                detmath_far_minus(detmath_far_of(detmath_twofold_of(here, 0.0), 0),
                                  detmath_far_product(share, detmath_far_power(v, whole.most))),
                x);
        detmath_line_store(y, i, result);
    }
}

#endif

#include "shield_end.inc"

#endif
