/* Vectors for kernels of lanes (one_lane.inc), where the processor looks tables up in registers: AVX2, AVX-512 and
 * NEON. Elsewhere DETMATH_LANES is not defined, and compilers make vectors of loops as they can. The library computes in
 * nearest-even and without flushing, and is compiled without contraction. */
#ifndef DETMATH_LIBRARY_LANES_H
#define DETMATH_LIBRARY_LANES_H

#include "detmath/families.h"

#if defined(__GNUC__) && defined(__AVX512F__) && defined(__AVX512DQ__)
#define DETMATH_LANES      16
#define DETMATH_LANES_SIZE 64
#elif defined(__GNUC__) && defined(__AVX2__) && defined(__FMA__)
#define DETMATH_LANES      8
#define DETMATH_LANES_SIZE 32
#elif defined(__GNUC__) && defined(__aarch64__) && defined(__ARM_NEON) &&                          \
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DETMATH_LANES      4
#define DETMATH_LANES_SIZE 16
#endif

#if defined(DETMATH_LANES)
#if DETMATH_LANES > 4
#include <immintrin.h>
#endif
#include <stddef.h>

typedef float lanes_f __attribute__((vector_size(DETMATH_LANES_SIZE)));
typedef detmath_u32 lanes_u __attribute__((vector_size(DETMATH_LANES_SIZE)));
typedef detmath_i32 lanes_i __attribute__((vector_size(DETMATH_LANES_SIZE)));

/* A number in all lanes, or a vector as it is. */
#define LANES_OF(X) ((X) - (lanes_f){0})

#define detmath_fmaf_lanes(A, B, C)     lanes_fma(LANES_OF(A), LANES_OF(B), LANES_OF(C))
#define detmath_productf_lanes(A, B)    ((A) * (B))
#define detmath_bits_f32_lanes(X)       ((lanes_u)(X))
#define detmath_from_bits_f32_lanes(U)  ((lanes_f)(U))
#define detmath_each_lanes(X)           LANES_OF(X)
#define detmath_magnitude_word_lanes(X) ((lanes_u)(X)&0x7fffffffu)
#define detmath_magnitude_lanes         lanes_magnitude
#define detmath_reciprocal_lanes(X)     (1.0f / (X))
#define detmath_ones_lanes(HOLDS)       ((lanes_u)(HOLDS))
#define detmath_any_lanes(MASK)         (lanes_differ((lanes_f)(MASK), (lanes_f){0}) != 0u)
#define detmath_above_lanes(A, LIMIT, YES, NO)                                                     \
    lanes_above(LANES_OF(A), LANES_OF(LIMIT), LANES_OF(YES), LANES_OF(NO))
#define detmath_below_lanes(A, LIMIT, YES, NO)        detmath_above_lanes(LIMIT, A, YES, NO)
#define detmath_larger_lanes(A, B)                    lanes_most(LANES_OF(A), LANES_OF(B))
#define detmath_smaller_lanes(A, B)                   lanes_least(LANES_OF(A), LANES_OF(B))
#define detmath_larger_word_lanes                     lanes_larger
#define detmath_smaller_word_lanes                    lanes_smaller
#define detmath_normal_sqrtf_lanes                    detmath_sqrtf_lanes
#define detmath_look_up_from_lanes(TABLE, FIRST, ROW) detmath_look_up_lanes((TABLE) + (FIRST), ROW)
#define detmath_copy_sign_lanes(Y, X)                                                              \
    ((lanes_f)(((lanes_u)(Y)&0x7fffffffu) | ((lanes_u)(X)&0x80000000u)))
/* y >= 0 with the sign of x. */
#define detmath_with_sign_lanes(Y, X) ((lanes_f)((lanes_u)(Y) | ((lanes_u)(X)&0x80000000u)))
/* y, which has the sign of x or is 0. */
#define detmath_unless_zero_lanes(X, Y) detmath_with_sign_lanes(Y, X)
/* y, whose zeros have their signs: the library is compiled without options that lose them. */
#define detmath_zero_kept_lanes(X, Y) (Y)

#if DETMATH_LANES == 16
static inline lanes_f lanes_fma(lanes_f a, lanes_f b, lanes_f c) {
    return (lanes_f)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
static inline lanes_f detmath_look_up_lanes(const float *table, lanes_u row) {
    return (lanes_f)_mm512_permutexvar_ps((__m512i)row, _mm512_loadu_ps(table));
}
static inline lanes_f detmath_look_up_8_lanes(const float *table, detmath_u32 first, lanes_u row) {
    __m512 twice = _mm512_broadcast_f32x8(_mm256_loadu_ps(table + first));
    return (lanes_f)_mm512_permutexvar_ps((__m512i)row, twice);
}
/* All 16 rows: the second half is the first one negated. */
static inline lanes_f detmath_look_up_turned_lanes(const float *table, detmath_u32 first,
                                                   lanes_u row) {
    __m512 twice = _mm512_broadcast_f32x8(_mm256_loadu_ps(table + first));
    __m512 turned = _mm512_mask_sub_ps(twice, 0xff00, _mm512_set1_ps(-0.0f), twice);
    return (lanes_f)_mm512_permutexvar_ps((__m512i)row, turned);
}
static inline lanes_f detmath_from_integer_lanes(lanes_i n) {
    return (lanes_f)_mm512_cvtepi32_ps((__m512i)n);
}
static inline lanes_u lanes_larger(lanes_u a, lanes_u b) {
    return (lanes_u)_mm512_max_epu32((__m512i)a, (__m512i)b);
}
static inline lanes_u lanes_smaller(lanes_u a, lanes_u b) {
    return (lanes_u)_mm512_min_epu32((__m512i)a, (__m512i)b);
}
static inline lanes_f lanes_above(lanes_f a, lanes_f limit, lanes_f yes, lanes_f no) {
    __mmask16 above = _mm512_cmp_ps_mask((__m512)a, (__m512)limit, _CMP_GT_OQ);
    return (lanes_f)_mm512_mask_blend_ps(above, (__m512)no, (__m512)yes);
}
static inline lanes_f lanes_most(lanes_f a, lanes_f b) {
    return (lanes_f)_mm512_max_ps((__m512)a, (__m512)b);
}
static inline lanes_f lanes_least(lanes_f a, lanes_f b) {
    return (lanes_f)_mm512_min_ps((__m512)a, (__m512)b);
}
static inline lanes_f detmath_sqrtf_lanes(lanes_f x) {
    return (lanes_f)_mm512_sqrt_ps((__m512)x);
}
static inline lanes_f lanes_rsqrt_estimate(lanes_f x) {
    return (lanes_f)_mm512_rsqrt14_ps((__m512)x);
}
/* A bit for each lane. */
static inline detmath_u32 lanes_differ(lanes_f a, lanes_f b) {
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_NEQ_UQ);
}
#elif DETMATH_LANES == 8
static inline lanes_f lanes_fma(lanes_f a, lanes_f b, lanes_f c) {
    return (lanes_f)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
/* `second` where the top bit of `by` is set. gcc 12 makes a comparison with 0 of that before it blends. */
static inline __m256 lanes_second(__m256 first, __m256 second, lanes_u by) {
    __m256 chosen;
    __asm__("vblendvps %3, %2, %1, %0" : "=x"(chosen) : "x"(first), "xm"(second), "x"(by));
    return chosen;
}
/* Both halves of the table, and by the last bit but three one of them. */
static inline lanes_f detmath_look_up_lanes(const float *table, lanes_u row) {
    __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), (__m256i)row);
    __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), (__m256i)row);
    return (lanes_f)lanes_second(low, high, row << 28);
}
static inline lanes_f detmath_look_up_8_lanes(const float *table, detmath_u32 first, lanes_u row) {
    return (lanes_f)_mm256_permutevar8x32_ps(_mm256_loadu_ps(table + first), (__m256i)row);
}
static inline lanes_f detmath_from_integer_lanes(lanes_i n) {
    return (lanes_f)_mm256_cvtepi32_ps((__m256i)n);
}
static inline lanes_u lanes_larger(lanes_u a, lanes_u b) {
    return (lanes_u)_mm256_max_epu32((__m256i)a, (__m256i)b);
}
static inline lanes_u lanes_smaller(lanes_u a, lanes_u b) {
    return (lanes_u)_mm256_min_epu32((__m256i)a, (__m256i)b);
}
static inline lanes_f lanes_above(lanes_f a, lanes_f limit, lanes_f yes, lanes_f no) {
    __m256 above = _mm256_cmp_ps((__m256)a, (__m256)limit, _CMP_GT_OQ);
    return (lanes_f)_mm256_blendv_ps((__m256)no, (__m256)yes, above);
}
static inline lanes_f lanes_most(lanes_f a, lanes_f b) {
    return (lanes_f)_mm256_max_ps((__m256)a, (__m256)b);
}
static inline lanes_f lanes_least(lanes_f a, lanes_f b) {
    return (lanes_f)_mm256_min_ps((__m256)a, (__m256)b);
}
static inline lanes_f detmath_sqrtf_lanes(lanes_f x) {
    return (lanes_f)_mm256_sqrt_ps((__m256)x);
}
static inline lanes_f lanes_rsqrt_estimate(lanes_f x) {
    return (lanes_f)_mm256_rsqrt_ps((__m256)x);
}
static inline detmath_u32 lanes_differ(lanes_f a, lanes_f b) {
    return (detmath_u32)_mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_NEQ_UQ));
}
#else
#include "lanes_neon.h"
#endif

/* With 16 lanes a table of 8 rows is looked up with the second half turned already, with fewer it is turned here. */
#if DETMATH_LANES < 16
static inline lanes_f detmath_look_up_turned_lanes(const float *table, detmath_u32 first,
                                                   lanes_u row) {
    return detmath_look_up_8_lanes(table, first, row);
}
#endif
static inline lanes_f detmath_turned_lanes(lanes_f y, lanes_u row) {
    return DETMATH_LANES == 16 ? y : (lanes_f)((lanes_u)y ^ (row << 28 & 0x80000000u));
}
static inline lanes_f detmath_turned_but_zero_lanes(lanes_f y, lanes_u row) {
    return DETMATH_LANES == 16 ? y : detmath_turned_lanes(y, row) + 0.0f;
}

/* A bit for each lane of the vector that begins at lane i, beside those of the vectors before it in the same word. */
static inline void lanes_note(unsigned short *near, size_t i, detmath_u32 bits) {
    if (DETMATH_LANES == 16 || i % 16 == 0)
        near[i / 16] = (unsigned short)bits;
    else
        near[i / 16] = (unsigned short)(near[i / 16] | bits << i % 16);
}

static inline lanes_f lanes_load(const float *x) {
    lanes_f v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}
static inline void lanes_store(float *y, lanes_f v) {
    __builtin_memcpy(y, &v, sizeof v);
}
/* Whether one is `reach` or more. */
static inline detmath_u32 lanes_reach(lanes_u v, detmath_u32 reach) {
    lanes_u below = (lanes_u)(lanes_larger(v, (lanes_u){0} + reach) != v);
    return lanes_differ((lanes_f)(below & 0x3f800000u), (lanes_f){0} + 1.0f);
}

/* All ones where `away` is that or more. */
static inline void lanes_doubt(detmath_u32 *doubts, lanes_u away, detmath_u32 reach) {
    lanes_u doubt = (lanes_u)(away >= reach);
    __builtin_memcpy(doubts, &doubt, sizeof doubt);
}

static inline lanes_f lanes_magnitude(lanes_f x) {
    return (lanes_f)((lanes_u)x & 0x7fffffffu);
}

/* From here on kernels of lanes are of vectors. */
#undef DETMATH_F
#undef DETMATH_U
#undef DETMATH_I
#undef DETMATH_L
#define DETMATH_F       lanes_f
#define DETMATH_U       lanes_u
#define DETMATH_I       lanes_i
#define DETMATH_L(NAME) detmath_##NAME##_lanes
#endif

#endif
