/* The gradients of logcumsumexp, logsumexp and log_softmax a block of 1024 elements at a time in
 * pairs of doubles, in vectors: what log_sums_gradient.h and log_softmax_gradient.h have element by
 * element, for lines of finite elements (or -inf) and finite gradients. What is returned is the
 * number of the format that is nearest to the exact result: each value comes with a bound, and
 * where that leaves any element of a line open, the line is left to them.
 *
 * All powers are over R, the largest element. Of logcumsumexp, with S[j] the sum of the first
 * powers, up to j,
 *   q[j] = g[j] / S[j],   r[i] = q[i] + ... + q[n-1],   x'[i] = e^(x[i] - R) r[i].
 * A power is within 2^-88 of itself. The sums of a block, b blocks before and 64 in it, add 2^-96
 * and b 2^-102 of S. So q is within 2^-87 and b 2^-102 of itself, r within 2^-86 and b 2^-97 of the
 * sum of |q|, and x' within `slack`, 2^-85 + b 2^-97, of e^(x - R) times that sum, which is kept
 * beside r in one part. */
#ifndef DETMATH_LOG_SUMS_GRADIENT_BLOCKS_H
#define DETMATH_LOG_SUMS_GRADIENT_BLOCKS_H

#include "log_sums_gradient.h"
#include "log_sums_pairs.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* y, which may be off by `error`, rounded to fp64 where `precise`, or else to odd, and in *doubt
 * whether that is open. 0 is +0 where it is sure. */
DETMATH_FUNCTION double detmath_gradient_settle(struct detmath_twofold y, double error, int precise,
                                                detmath_u64 *doubt) {
    double low = y.high + (y.low - error), high = y.high + (y.low + error);
    double size = y.high < 0.0 ? -y.high : y.high;
    detmath_u64 open = 0;
    detmath_log_sum_settle(low, high, &open);
    open = open != 0 && !((y.low > error) | (y.low < -error));
    detmath_u64 of_tiny = size > error + error ? 0u : 1u, is_huge = size < 0x1p900 ? 0u : 1u;
    open = size < 0x1p-200 ? of_tiny : open | is_huge;
    double odd = detmath_round_to_odd(y.high, y.low > 0.0);
    int is_zero = (size == 0.0) & (error == 0.0);
    detmath_u64 is_open = low != high || !(size > 0x1p-960);
    *doubt = precise ? is_open : open;
    *doubt = is_zero ? 0 : *doubt;
    return is_zero ? 0.0 : precise ? low : odd;
}

/* e^(x - m) r, for an e of 0 where that is below e^-600: what is below all numbers of the format
 * keeps r's sign. */
DETMATH_FUNCTION double detmath_gradient_of(struct detmath_twofold e, double d,
                                            struct detmath_twofold r, double error, int precise,
                                            detmath_u64 *doubt) {
    double size = r.high < 0.0 ? -r.high : r.high;
    double y = detmath_gradient_settle(detmath_twofold_product(e, r),
                                       detmath_product(e.high, error), precise, doubt);
    double tiny = precise ? 0.0 : 0x1p-180;
    int is_far = e.high == 0.0;
    int is_sure = (size < (precise ? 0x1p1000 : 0x1p600)) & (d < (precise ? -2000.0 : 0.0));
    detmath_u64 far_doubt = !(is_sure & (size > error + error));
    int is_zero = (size == 0.0) & (error == 0.0);
    far_doubt = is_zero ? 0 : far_doubt;
    *doubt = is_far ? far_doubt : *doubt;
    y = is_far ? (r.high < 0.0 ? -tiny : size > 0.0 ? tiny : 0.0) : y;
    *doubt = d > detmath_minus_infinity() ? *doubt : 0;
    return d > detmath_minus_infinity() ? y : 0.0;
}

/* The largest element of a line; NaN where any is NaN or +inf, none is finite or a gradient is not
 * finite. The first finite element is in *first. */
DETMATH_INLINED double detmath_gradient_largest(const struct detmath_line *x,
                                                const struct detmath_line *g, detmath_u64 n,
                                                detmath_u64 gradients, double *first) {
    double v[DETMATH_LOG_BLOCK], most = detmath_minus_infinity();
    *first = most;
    for (detmath_u64 at = 0; at < n && most == most; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(x, at, n, v);
        double own = detmath_log_sum_largest(v, (there + 31) & ~31);
        for (int i = 0; i < there && *first == detmath_minus_infinity(); i++)
            *first = v[i];
        most = most >= own ? most : own;
    }
    for (detmath_u64 at = 0; at < gradients; at += DETMATH_LOG_BLOCK) {
        int there = detmath_line_block(g, at, gradients, v);
        double sum = 0.0;
        for (int i = 0; i < there; i++)
            sum += detmath_product(v[i], 0.0);
        most = sum == 0.0 ? most : detmath_log_sum_nan();
    }
    return most - most == 0.0 ? most : detmath_log_sum_nan();
}

/* The gradients of `there` elements from `at` on, or, where the scan is exclusive, from the next
 * on, with `after` the first that comes after the block; 0 where there is none. */
DETMATH_INLINED void detmath_gradient_load(const struct detmath_line *g, detmath_u64 at,
                                           detmath_u64 n, int there, int exclusive, double after,
                                           double *v) {
    int shift = exclusive != 0, count = 0;
    if (at + (detmath_u64)shift < n)
        count = detmath_line_block(g, at + (detmath_u64)shift, n, v);
    for (int i = count; i < ((there + 31) & ~31); i++)
        v[i] = 0.0;
    for (int i = there; i < count; i++)
        v[i] = 0.0;
    if (shift && there == DETMATH_LOG_BLOCK)
        v[there - 1] = at + (detmath_u64)there < n ? after : 0.0;
}

/* What a scan's gradient has of the blocks after. */
struct detmath_gradient_carry {
    struct detmath_twofold sum, size; /* of q and of |q| */
    double most, slack;
};

/* One block: of elements v and gradients g, with s the sum of the powers before. Results are in v.
 * True where none is open. */
DETMATH_INLINED int detmath_gradient_block(double *v, const double *g, int n,
                                           struct detmath_twofold s,
                                           struct detmath_gradient_carry *carry, int precise) {
    double x[DETMATH_LOG_BLOCK], e[DETMATH_LOG_BLOCK], e_low[DETMATH_LOG_BLOCK];
    double sum[DETMATH_LOG_BLOCK], low[DETMATH_LOG_BLOCK], given[DETMATH_LOG_BLOCK];
    double q[DETMATH_LOG_BLOCK], q_low[DETMATH_LOG_BLOCK], size[DETMATH_LOG_BLOCK];
    int steps = (n + DETMATH_LOG_RUNS - 1) / DETMATH_LOG_RUNS, all = steps * DETMATH_LOG_RUNS;
    detmath_u64 any = 0, doubt[DETMATH_LOG_BLOCK];
    detmath_log_turn(x, v, steps, 0);
    detmath_log_turn(given, g, steps, 0);
    for (int i = 0; i < all; i++) {
        struct detmath_twofold power = detmath_log_pairs_power(x[i], carry->most);
        e[i] = sum[i] = power.high;
        e_low[i] = low[i] = power.low;
    }
    detmath_log_sum_prefixes(sum, low, n, steps, 1, &s);
    for (int i = 0; i < all; i++) { /* in the order from the end */
        double top = sum[i], quotient = given[i] / (top > 0.0 ? top : 1.0);
        double rest = detmath_fma(-quotient, top, given[i]);
        rest = detmath_fma(-quotient, low[i], rest) / (top > 0.0 ? top : 1.0);
        int back = all - 1 - i;
        q[back] = top > 0.0 ? quotient : 0.0;
        q_low[back] = top > 0.0 ? rest : 0.0;
        size[back] = q[back] < 0.0 ? -q[back] : q[back];
    }
    detmath_log_sum_prefixes(q, q_low, all, steps, 1, &carry->sum);
    detmath_log_sum_prefixes(size, low, all, steps, 0, &carry->size);
    for (int i = 0; i < all; i++) {
        int back = all - 1 - i;
        x[i] = detmath_gradient_of(detmath_twofold_of(e[i], e_low[i]), x[i] - carry->most,
                                   detmath_twofold_of(q[back], q_low[back]),
                                   detmath_product(size[back], carry->slack), precise, &doubt[i]);
    }
    for (int i = 0; i < all; i++)
        any |= doubt[i];
    detmath_log_turn(v, x, steps, 1);
    return !any;
}

/* The gradient of logcumsumexp; where y->codes is NULL nothing is written. False where it is left
 * to others. */
DETMATH_INLINED int detmath_logcumsumexp_gradient_blocks(const struct detmath_line_out *y,
                                                         const struct detmath_line *x,
                                                         const struct detmath_line *g,
                                                         detmath_u64 n, int exclusive,
                                                         struct detmath_log_prefix *prefixes) {
    double v[DETMATH_LOG_BLOCK], given[DETMATH_LOG_BLOCK], first, after = 0.0;
    struct detmath_gradient_carry carry;
    detmath_u64 blocks = (n + DETMATH_LOG_BLOCK - 1) / DETMATH_LOG_BLOCK;
    int skip = 0, is_done = 1, precise = x->cast == DETMATH_F64;
    carry.sum = carry.size = detmath_twofold_of(0.0, 0.0);
    carry.most = detmath_gradient_largest(x, g, n, n, &first);
    carry.slack = detmath_fma((double)blocks, 0x1p-97, 0x1p-85);
    if (!(carry.most - first < 300.0)) /* else no S is below e^-300 */
        return 0;
    struct detmath_twofold sum = carry.sum;
    for (detmath_u64 b = 0; b < blocks; b++) {
        int there = detmath_line_block(x, b * DETMATH_LOG_BLOCK, n, v);
        prefixes[b].sum = sum;
        sum = detmath_twofold_sum(sum, detmath_log_pairs_total(v, there, carry.most, &skip));
    }
    for (detmath_u64 b = blocks; b-- > 0 && is_done;) {
        detmath_u64 at = b * DETMATH_LOG_BLOCK;
        int there = detmath_line_block(x, at, n, v);
        detmath_gradient_load(g, at, n, there, exclusive, after, given);
        after = detmath_line_load(g, at);
        if (precise)
            is_done = detmath_gradient_block(v, given, there, prefixes[b].sum, &carry, 1);
        else
            is_done = detmath_gradient_block(v, given, there, prefixes[b].sum, &carry, 0);
        if (y->codes && is_done)
            detmath_line_put(y, at, v, there, 0, 0);
    }
    return is_done;
}

/* y has the gradient of x. y may be x or g: then a first pass finds out whether any element is left
 * open. */
DETMATH_INLINED void detmath_logcumsumexp_gradient_line(const struct detmath_line_out *y,
                                                        const struct detmath_line *x,
                                                        const struct detmath_line *g, detmath_u64 n,
                                                        int exclusive,
                                                        struct detmath_log_prefix *prefixes) {
    int passes = y->codes == x->codes || y->codes == g->codes ? 2 : 1, is_done = 1;
    struct detmath_line_out to = *y;
    for (; passes > 0 && is_done; passes--) {
        to.codes = passes > 1 ? 0 : y->codes;
        is_done = detmath_logcumsumexp_gradient_blocks(&to, x, g, n, exclusive, prefixes);
    }
    if (!is_done)
        detmath_logcumsumexp_gradient_slowly(y, x, g, n, exclusive, prefixes);
}

/* The same of n elements beside each other. */
#define DETMATH_GRADIENT_FORMS(TYPE, S)                                                            \
    DETMATH_FUNCTION void detmath_logcumsumexp_gradient##S(TYPE *y, const TYPE *x, const TYPE *g,  \
                                                           detmath_u64 n,                          \
                                                           struct detmath_log_prefix *prefixes) {  \
        struct detmath_line from = detmath_line_of##S(x), given = detmath_line_of##S(g);           \
        struct detmath_line_out to = detmath_line_to##S(y);                                        \
        detmath_logcumsumexp_gradient_line(&to, &from, &given, n, 0, prefixes);                    \
    }
DETMATH_GRADIENT_FORMS(float, f)
DETMATH_GRADIENT_FORMS(double, )

#endif

#include "shield_end.inc"

#endif
