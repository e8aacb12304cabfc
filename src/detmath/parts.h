/* Numbers in two parts: to about 2^-47 in fp32 and fma only. */
#ifndef DETMATH_PARTS_H
#define DETMATH_PARTS_H

#include "core.h"

#include "shield.inc"

/* The sum of a number and a second one that is about 2^-24 of it or less. */
struct detmath_parts {
    float high, low;
};

DETMATH_FUNCTION struct detmath_parts detmath_parts_of(float x) {
    struct detmath_parts parts;
    parts.high = x;
    parts.low = 0.0f;
    return parts;
}

/* What a + b has beside the rounded sum. */
DETMATH_FUNCTION float detmath_sum_restf(float a, float b, float sum) {
    float part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* a + b, in any order. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_plus(struct detmath_parts a,
                                                         struct detmath_parts b) {
    struct detmath_parts sum;
    sum.high = a.high + b.high;
    sum.low = (a.low + b.low) + detmath_sum_restf(a.high, b.high, sum.high);
    return sum;
}

/* a + b, for a.high >= b.high or both with the same exponent. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_sum(struct detmath_parts a,
                                                        struct detmath_parts b) {
    struct detmath_parts sum;
    sum.high = a.high + b.high;
    sum.low = ((a.high - sum.high) + b.high) + (a.low + b.low);
    return sum;
}

/* a * b, where the second part need not be rounded into the first, and what the second parts make
 * of each other is left out. */
DETMATH_FUNCTION struct detmath_parts detmath_parts_product(struct detmath_parts a,
                                                            struct detmath_parts b) {
    struct detmath_parts product;
    product.high = detmath_productf(a.high, b.high);
    float rest = detmath_fmaf(a.high, b.high, -product.high);
    product.low = detmath_fmaf(a.high, b.low, detmath_fmaf(a.low, b.high, rest));
    return product;
}

/* a * b */
DETMATH_FUNCTION struct detmath_parts detmath_parts_times(struct detmath_parts a, float b) {
    struct detmath_parts product;
    product.high = detmath_productf(a.high, b);
    product.low = detmath_fmaf(a.low, b, detmath_fmaf(a.high, b, -product.high));
    return product;
}

#include "shield_end.inc"

#endif
