/* Numbers in two parts on vectors, as parts.h and norms.h have them. To be included after the headers of detmath, whose lanes are 64. */
#ifndef DETMATH_LIBRARY_PARTS_LANES_H
#define DETMATH_LIBRARY_PARTS_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
struct detmath_parts_lanes {
    lanes_f high, low;
};

/* What a + b has beside the rounded sum. */
static inline lanes_f detmath_sum_restf_lanes(lanes_f a, lanes_f b, lanes_f sum) {
    const lanes_f part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* a b, where the second part need not be rounded into the first. */
static inline struct detmath_parts_lanes lanes_parts_product(struct detmath_parts_lanes a,
                                                             struct detmath_parts_lanes b) {
    struct detmath_parts_lanes product = {.high = a.high * b.high};
    const lanes_f rest = lanes_fma(a.high, b.high, -product.high);
    product.low = lanes_fma(a.high, b.low, lanes_fma(a.low, b.high, rest));
    return product;
}

/* `no` where `by` is 0, else `yes`. */
static inline lanes_f lanes_unless_zero(lanes_f by, lanes_f no, lanes_f yes) {
#if DETMATH_LANES == 16
    const __mmask16 zero = _mm512_cmp_ps_mask((__m512)by, _mm512_setzero_ps(), _CMP_EQ_OQ);
    return (lanes_f)_mm512_mask_blend_ps(zero, (__m512)yes, (__m512)no);
#else
    const lanes_u zero = (lanes_u)(by == (lanes_f){0});
    return (lanes_f)(((lanes_u)no & zero) | ((lanes_u)yes & ~zero));
#endif
}

/* Whether some word has some of these bits. */
static inline int lanes_have(lanes_u v, detmath_u32 bits) {
#if DETMATH_LANES == 16
    return _mm512_test_epi32_mask((__m512i)v, _mm512_set1_epi32((int)bits)) != 0;
#elif DETMATH_LANES == 8
    return !_mm256_testz_si256((__m256i)v, _mm256_set1_epi32((int)bits));
#else
    return lanes_reach(v & bits, 1) != 0;
#endif
}

/* Magnitudes from 2^low to 2^(low + 32) leave no bit of DETMATH_LANES_FAR here; others do, 0, infinity and NaN too. */
#define DETMATH_LANES_FAR 0xe0000000u
static inline lanes_u lanes_far(lanes_f x, int low) {
    return (lanes_u)x + (lanes_u)x - ((lanes_u){0} + ((detmath_u32)(127 + low) << 24));
}

/* Two vectors of neighbours: the first ones of each two, and the second ones; and back. */
static inline void lanes_part(const float *x, lanes_f *first, lanes_f *second) {
    for (int l = 0; l < DETMATH_LANES; l++) {
        (*first)[l] = x[2 * l];
        (*second)[l] = x[2 * l + 1];
    }
}
static inline void lanes_join(float *y, lanes_f first, lanes_f second) {
    for (int l = 0; l < DETMATH_LANES; l++) {
        y[2 * l] = first[l];
        y[2 * l + 1] = second[l];
    }
}
#endif

#endif
