/* Sums and means of a few numbers that lie anywhere: the bags of an embedding, the windows of a pool. fp32 arithmetic and
 * fma, from the first number to the last: so an element depends on its own numbers alone.
 *
 * The sum has two parts of fp32 (parts.h): the rounded sum is the high one, and what it lost, and a product's rest, are added
 * to the low one. A mean is their quotient by the count, rounded once. The error is below 0.51 ulp where nothing cancels and
 * all numbers are from 2^-100 to 2^120: a product's rest may be lost below. Means of 2 to 4608 drawn numbers, and their gradients, were
 * within 0.501 ulp where the sum of the magnitudes was at most 1024 times that of the numbers. A maximum is NaN where a number is, and +0 is above -0. */
#ifndef DETMATH_POOLING_H
#define DETMATH_POOLING_H

#include "norms.h"

#include "shield.inc"

enum detmath_pooling { DETMATH_POOL_SUM, DETMATH_POOL_MEAN, DETMATH_POOL_MAX };

/* The numbers so far; of none all is 0 but the sign of `high`. */
struct detmath_pool {
    struct detmath_parts sum; /* of a maximum, `high` is it */
    detmath_u64 count;
};

DETMATH_FUNCTION struct detmath_pool detmath_pool_of_none(void) {
    struct detmath_pool pool;
    pool.sum = detmath_parts_of(detmath_from_bits_f32(0x80000000u));
    pool.count = 0;
    return pool;
}

/* The larger one; numbers are compared as integers, as subnormal ones may count as 0 otherwise. */
DETMATH_FUNCTION float detmath_largerf(float a, float b) {
    detmath_u32 x = detmath_bits_f32(a), y = detmath_bits_f32(b);
    detmath_u32 x_order = x >> 31 ? ~x : x | 0x80000000u, y_order = y >> 31 ? ~y : y | 0x80000000u;
    float larger = detmath_from_bits_f32(x_order > y_order ? x : y);
    return detmath_unless_nan(a, detmath_unless_nan(b, larger));
}

/* One more number, times a weight; has_weight 0: it counts as it is. */
DETMATH_FUNCTION struct detmath_pool detmath_pool_add(struct detmath_pool pool, float x,
                                                      float weight, int has_weight, int which) {
    float product = has_weight ? detmath_productf(x, weight) : x;
    float rest = has_weight ? detmath_fmaf(x, weight, -product) : 0.0f;
    float sum = pool.sum.high + product;
    pool.sum.low = pool.sum.low + (detmath_sum_restf(pool.sum.high, product, sum) + rest);
    pool.sum.high = which != DETMATH_POOL_MAX ? sum
                    : pool.count              ? detmath_largerf(pool.sum.high, x)
                                              : x;
    pool.count++;
    return pool;
}

/* Adds g over a count to a sum of a pool. The quotient has two parts, as the sum has. */
DETMATH_FUNCTION struct detmath_pool detmath_pool_add_share(struct detmath_pool pool, float g,
                                                            detmath_u64 count) {
    struct detmath_parts share = detmath_parts_of(g);
    if (count != 1 && g != 0.0f && g - g == 0.0f)
        share = detmath_parts_by_count(share, count);
    detmath_parts_count(&pool.sum.high, &pool.sum.low, share);
    pool.count++;
    return pool;
}

/* The result, of a mean over `count`; of no numbers +0. */
DETMATH_FUNCTION float detmath_pool_rounded(struct detmath_pool pool, detmath_u64 count,
                                            int which) {
    struct detmath_parts whole;
    if (pool.count == 0)
        return 0.0f;
    if (which == DETMATH_POOL_MAX || pool.sum.high - pool.sum.high != 0.0f)
        return detmath_canonicalf(pool.sum.high);
    whole.high = pool.sum.high + pool.sum.low;
    whole.low = detmath_sum_restf(pool.sum.high, pool.sum.low, whole.high);
    if (pool.sum.low == 0.0f)
        whole = pool.sum;
    if (which == DETMATH_POOL_SUM || whole.high == 0.0f)
        return whole.high;
    whole = detmath_parts_by_count(whole, count);
    return detmath_parts_rounded(whole.high, whole.low);
}

/* How many windows of `taps` elements, `dilation` apart, an axis has with so much padding at each end: 0 where they reach
 * beyond. Where `is_cut` a last window may reach beyond the end by less than the stride, if it begins before. */
DETMATH_FUNCTION detmath_u64 detmath_window_count(detmath_u64 extent, detmath_u64 taps,
                                                  detmath_u64 stride, detmath_u64 padding,
                                                  detmath_u64 dilation, int is_cut) {
    detmath_u64 reach = (taps - 1) * dilation + 1, count,
                room = extent + 2 * padding + (is_cut ? stride - 1 : 0);
    if (room < reach)
        return 0;
    count = (room - reach) / stride + 1;
    return is_cut && (count - 1) * stride >= extent + padding ? count - 1 : count;
}

#include "shield_end.inc"

#endif
