/* Vectors for kernels of lanes in fp64 (one_lane.inc), beside those of lanes.h: AVX2, AVX-512 and NEON. Elsewhere
 * DETMATH_LANES_F64 is not defined, and array forms are loops over the scalars. */
#ifndef DETMATH_LIBRARY_LANES_F64_H
#define DETMATH_LIBRARY_LANES_F64_H

#include "lanes.h"

#include "detmath/exp_f64.h"
#include "detmath/trigonometric_f64.h"

#if defined(DETMATH_LANES)
#define DETMATH_LANES_F64 (DETMATH_LANES / 2)

typedef double lanes_d __attribute__((vector_size(DETMATH_LANES_SIZE)));
typedef detmath_u64 lanes_w __attribute__((vector_size(DETMATH_LANES_SIZE)));

/* A row of a table in each lane. */
struct detmath_row_f64_lanes {
    lanes_d first, first_low, second, second_low;
};

#define LANES_OF_F64(X) ((X) - (lanes_d){0})

#define detmath_fma_lanes(A, B, C)     lanes_fma_f64(LANES_OF_F64(A), LANES_OF_F64(B), LANES_OF_F64(C))
#define detmath_product_lanes(A, B)    ((A) * (B))
#define detmath_bits_f64_lanes(X)      ((lanes_w)(X))
#define detmath_from_bits_f64_lanes(W) ((lanes_d)(W))
#define detmath_each_f64_lanes(X)      LANES_OF_F64(X)
#define detmath_ones_f64_lanes(HOLDS)  ((lanes_w)(HOLDS))
#define detmath_magnitude_f64_lanes(X) ((lanes_d)((lanes_w)(X)&0x7fffffffffffffffu))
#define detmath_with_sign_f64_lanes(Y, X)                                                          \
    ((lanes_d)((lanes_w)(Y) | ((lanes_w)(X)&0x8000000000000000u)))
#define detmath_above_f64_lanes(A, LIMIT, YES, NO)                                                 \
    lanes_chosen_f64((lanes_w)((A) > (LIMIT)), LANES_OF_F64(YES), LANES_OF_F64(NO))

#define detmath_unless_small_f64_lanes(SIZE, Y)                                                    \
    lanes_chosen_f64((lanes_w)((SIZE) > 0x1p-30), Y, SIZE)
#define detmath_product_of_halves_lanes(A, B) lanes_product_of_halves(A, B)
#define detmath_any_f64_lanes(MASK)           lanes_any_f64(MASK)

#if DETMATH_LANES_F64 == 8
static inline lanes_w lanes_product_of_halves(lanes_w a, lanes_w b) {
    return (lanes_w)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}
/* Two words of 2/pi from that word on (trigonometric_reduction.h). */
static inline lanes_w detmath_turn_words_f64_lanes(lanes_w at) {
    return (lanes_w)_mm512_rol_epi64(_mm512_i64gather_epi64((__m512i)at, detmath_two_over_pi, 4),
                                     32);
}
static inline lanes_d lanes_fma_f64(lanes_d a, lanes_d b, lanes_d c) {
    return (lanes_d)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
static inline lanes_d detmath_look_up_f64_lanes(const double *table, lanes_w row) {
    return (lanes_d)_mm512_permutex2var_pd(_mm512_loadu_pd(table), (__m512i)row,
                                           _mm512_loadu_pd(table + 8));
}
static inline lanes_d detmath_look_up_32_f64_lanes(const double *table, lanes_w row) {
    __mmask8 upper = _mm512_test_epi64_mask((__m512i)row, _mm512_set1_epi64(16));
    return (lanes_d)_mm512_mask_blend_pd(upper, (__m512d)detmath_look_up_f64_lanes(table, row),
                                         (__m512d)detmath_look_up_f64_lanes(table + 16, row));
}
/* Each column is a table. */
#define LANES_F64_FIRST(A, B, C, D)  A,
#define LANES_F64_SECOND(A, B, C, D) B,
#define LANES_F64_THIRD(A, B, C, D)  C,
#define LANES_F64_FOURTH(A, B, C, D) D,
#define LANES_F64_ROW(NAME, ROWS, TABLE)                                                           \
    static const double lanes_f64_##NAME[4][16] = {{ROWS(LANES_F64_FIRST)},                        \
                                                   {ROWS(LANES_F64_SECOND)},                       \
                                                   {ROWS(LANES_F64_THIRD)},                        \
                                                   {ROWS(LANES_F64_FOURTH)}};                      \
    static inline struct detmath_row_f64_lanes detmath_##NAME##_f64_row_lanes(lanes_w place) {     \
        return (struct detmath_row_f64_lanes){                                                     \
            detmath_look_up_f64_lanes(lanes_f64_##NAME[0], place),                                 \
            detmath_look_up_f64_lanes(lanes_f64_##NAME[1], place),                                 \
            detmath_look_up_f64_lanes(lanes_f64_##NAME[2], place),                                 \
            detmath_look_up_f64_lanes(lanes_f64_##NAME[3], place)};                                \
    }
/* A bit for each lane that is not 0. */
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
}
static inline detmath_u32 lanes_any_f64(lanes_w mask) {
    return lanes_set_f64(mask);
}
#define detmath_square_root_f64_lanes(X) ((lanes_d)_mm512_sqrt_pd((__m512d)(X)))
#define detmath_larger_f64_lanes(A, B)   ((lanes_d)_mm512_max_pd((__m512d)(A), (__m512d)(B)))
#define detmath_smaller_f64_lanes(A, B)  ((lanes_d)_mm512_min_pd((__m512d)(A), (__m512d)(B)))
#elif DETMATH_LANES_F64 == 4
static inline lanes_w lanes_product_of_halves(lanes_w a, lanes_w b) {
    return (lanes_w)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}
static inline lanes_w detmath_turn_words_f64_lanes(lanes_w at) {
    return (lanes_w){detmath_turn_words_f64(at[0]), detmath_turn_words_f64(at[1]),
                     detmath_turn_words_f64(at[2]), detmath_turn_words_f64(at[3])};
}
/* Each row is a vector, and these are turned. */
static inline struct detmath_row_f64_lanes lanes_row_f64(const double *rows, lanes_w place) {
    lanes_w at = (place & 15u) << 2;
    __m256d a = _mm256_loadu_pd(rows + at[0]), b = _mm256_loadu_pd(rows + at[1]);
    __m256d c = _mm256_loadu_pd(rows + at[2]), d = _mm256_loadu_pd(rows + at[3]);
    __m256d ab = _mm256_unpacklo_pd(a, b), ab_low = _mm256_unpackhi_pd(a, b);
    __m256d cd = _mm256_unpacklo_pd(c, d), cd_low = _mm256_unpackhi_pd(c, d);
    return (struct detmath_row_f64_lanes){(lanes_d)_mm256_permute2f128_pd(ab, cd, 0x20),
                                          (lanes_d)_mm256_permute2f128_pd(ab_low, cd_low, 0x20),
                                          (lanes_d)_mm256_permute2f128_pd(ab, cd, 0x31),
                                          (lanes_d)_mm256_permute2f128_pd(ab_low, cd_low, 0x31)};
}
#define LANES_F64_ROW(NAME, ROWS, TABLE)                                                           \
    static inline struct detmath_row_f64_lanes detmath_##NAME##_f64_row_lanes(lanes_w place) {     \
        return lanes_row_f64(TABLE, place);                                                        \
    }
static inline lanes_d lanes_fma_f64(lanes_d a, lanes_d b, lanes_d c) {
    return (lanes_d)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
/* One by one, which is quicker than to gather them: the places are taken out of the vector once for all tables. */
static inline lanes_d detmath_look_up_f64_lanes(const double *table, lanes_w row) {
    lanes_w at = row & 15u;
    return (lanes_d){table[at[0]], table[at[1]], table[at[2]], table[at[3]]};
}
static inline lanes_d detmath_look_up_32_f64_lanes(const double *table, lanes_w row) {
    lanes_w at = row & 31u;
    return (lanes_d){table[at[0]], table[at[1]], table[at[2]], table[at[3]]};
}
static inline detmath_u32 lanes_any_f64(lanes_w mask) { /* of ones */
    return (detmath_u32)_mm256_movemask_pd((__m256d)mask);
}
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    __m256i none = _mm256_cmpeq_epi64((__m256i)mask, _mm256_setzero_si256());
    return 15u & ~(detmath_u32)_mm256_movemask_pd((__m256d)none);
}
#define detmath_square_root_f64_lanes(X) ((lanes_d)_mm256_sqrt_pd((__m256d)(X)))
#define detmath_larger_f64_lanes(A, B)   ((lanes_d)_mm256_max_pd((__m256d)(A), (__m256d)(B)))
#define detmath_smaller_f64_lanes(A, B)  ((lanes_d)_mm256_min_pd((__m256d)(A), (__m256d)(B)))
#else
#include "lanes_neon_f64.h"
#endif

LANES_F64_ROW(exp, DETMATH_EXP_F64_ROWS, detmath_exp_f64_rows)
LANES_F64_ROW(trig, DETMATH_TRIG_F64_ROWS, detmath_trig_f64_rows)

#define detmath_look_up_from_f64_lanes(TABLE, FIRST, ROW)                                          \
    detmath_look_up_f64_lanes((TABLE) + (FIRST), ROW)
#define detmath_either_f64_lanes(A, LIMIT, YES, NO)   detmath_above_f64_lanes(A, LIMIT, YES, NO)
#define detmath_selected_f64_lanes(A, LIMIT, YES, NO) detmath_above_f64_lanes(A, LIMIT, YES, NO)

static inline lanes_d lanes_chosen_f64(lanes_w mask, lanes_d yes, lanes_d no) {
    return (lanes_d)(((lanes_w)yes & mask) | ((lanes_w)no & ~mask));
}
static inline lanes_d lanes_load_f64(const double *x) {
    lanes_d v;
    __builtin_memcpy(&v, x, sizeof v);
    return v;
}
static inline void lanes_store_f64(double *y, lanes_d v) {
    __builtin_memcpy(y, &v, sizeof v);
}

/* From here on kernels of lanes in fp64 are of vectors. */
#undef DETMATH_D
#undef DETMATH_W
#define DETMATH_D lanes_d
#define DETMATH_W lanes_w
#endif

#endif
