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
    lanes_above_f64(LANES_OF_F64(A), LANES_OF_F64(LIMIT), LANES_OF_F64(YES), LANES_OF_F64(NO))

#define detmath_unless_small_f64_lanes(SIZE, Y)                                                    \
    lanes_chosen_f64((lanes_w)((SIZE) > 0x1p-30), Y, SIZE)
/* The sum with +0 makes +0 of -0 and leaves all else. */
#define detmath_turned_but_zero_f64_lanes(Y, TURNS) ((lanes_d)((lanes_w)(Y) ^ (TURNS)) + 0.0)
#define detmath_product_of_halves_lanes(A, B)       lanes_product_of_halves(A, B)
#define detmath_any_f64_lanes(MASK)                 lanes_any_f64(MASK)

#if DETMATH_LANES_F64 == 8
static inline lanes_w lanes_product_of_halves(lanes_w a, lanes_w b) {
    return (lanes_w)_mm512_mul_epu32((__m512i)a, (__m512i)b);
}
/* Words of 2/pi (trigonometric_reduction.h), two by two: registers hold sixteen such pairs. Of a place only what is below 1024
 * chooses, here and with AVX2: lanes whose results nobody takes may have any. */
static inline __m512i lanes_turn_pairs(const detmath_u32 *words) {
    return _mm512_shuffle_epi32(_mm512_loadu_si512((const void *)words), _MM_PERM_CDAB);
}
static inline lanes_w lanes_turn_pair(const detmath_u32 *words, lanes_w place) {
    return (lanes_w)_mm512_permutex2var_epi64(lanes_turn_pairs(words), (__m512i)(place >> 6),
                                              lanes_turn_pairs(words + 16));
}
static inline lanes_w detmath_turn_words_f64_lanes(lanes_w place, lanes_w *shift, lanes_w *b,
                                                   lanes_w *c, lanes_w *d) {
    *shift = place & 63u;
    *b = lanes_turn_pair(detmath_two_over_pi + 2, place);
    *c = lanes_turn_pair(detmath_two_over_pi + 4, place);
    *d = lanes_turn_pair(detmath_two_over_pi + 6, place);
    return lanes_turn_pair(detmath_two_over_pi, place);
}
#define detmath_exponent_f64_lanes(BITS) ((lanes_d)_mm512_getexp_pd((__m512d)(BITS)))
#define DETMATH_LANES_CONVERT_F64
static inline lanes_d detmath_count_f64_lanes(lanes_w word) {
    return (lanes_d)_mm512_cvtepi64_pd((__m512i)word);
}
/* Where a word is rounded up to 2^63, which is none with a sign, the conversion gives the one with the same lower bits. */
static inline lanes_d detmath_signed_word_f64_lanes(lanes_w word, lanes_d *rest) {
    __m512d sum = _mm512_cvtepi64_pd((__m512i)word);
    *rest = (lanes_d)_mm512_cvtepi64_pd((__m512i)(word - (lanes_w)_mm512_cvtpd_epi64(sum)));
    return (lanes_d)sum;
}
static inline lanes_d lanes_fma_f64(lanes_d a, lanes_d b, lanes_d c) {
    return (lanes_d)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
/* gcc would make a vector of the comparison's mask. */
static inline lanes_d lanes_above_f64(lanes_d a, lanes_d limit, lanes_d yes, lanes_d no) {
    __mmask8 above = _mm512_cmp_pd_mask((__m512d)a, (__m512d)limit, _CMP_GT_OQ);
    return (lanes_d)_mm512_mask_blend_pd(above, (__m512d)no, (__m512d)yes);
}
static inline lanes_d detmath_look_up_f64_lanes(const double *table, lanes_w row) {
    return (lanes_d)_mm512_permutex2var_pd(_mm512_loadu_pd(table), (__m512i)row,
                                           _mm512_loadu_pd(table + 8));
}
#define detmath_look_up_short_f64_lanes(TABLE, ROW) detmath_look_up_f64_lanes(TABLE, ROW)
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
/* A bit for each lane whose word, below 2^63, is not from `first` to `last`. */
static inline detmath_u32 lanes_outside_f64(lanes_w words, detmath_u64 first, detmath_u64 last) {
    return _mm512_cmpgt_epu64_mask((__m512i)(words - first),
                                   _mm512_set1_epi64((detmath_i64)(last - first)));
}
/* A bit for each lane that is no positive normal number. */
static inline detmath_u32 lanes_unusual_f64(lanes_d x) {
    return _mm512_fpclass_pd_mask((__m512d)x, 0xff);
}
/* A bit for each lane that is not 0. */
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
}
static inline detmath_u32 lanes_any_f64(lanes_w mask) {
    return lanes_set_f64(mask);
}
/* A bit for each lane in which the bits of both differ. */
static inline detmath_u32 lanes_differ_f64(lanes_d a, lanes_d b) {
    return _mm512_cmpneq_epi64_mask((__m512i)a, (__m512i)b);
}
/* The lanes whose bits are set, next to each other; behind them a vector's length of memory may change. */
static inline void lanes_pack_f64(void *to, lanes_d v, detmath_u32 bits) {
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)bits, (__m512d)v));
}
static inline lanes_w lanes_numbers_f64(void) {
    return (lanes_w){0, 1, 2, 3, 4, 5, 6, 7};
}
#define detmath_square_root_f64_lanes(X) ((lanes_d)_mm512_sqrt_pd((__m512d)(X)))
#define detmath_larger_f64_lanes(A, B)   ((lanes_d)_mm512_max_pd((__m512d)(A), (__m512d)(B)))
#define detmath_smaller_f64_lanes(A, B)  ((lanes_d)_mm512_min_pd((__m512d)(A), (__m512d)(B)))
#elif DETMATH_LANES_F64 == 4
static inline lanes_w lanes_product_of_halves(lanes_w a, lanes_w b) {
    return (lanes_w)_mm256_mul_epu32((__m256i)a, (__m256i)b);
}
static inline __m256i lanes_turn_words(const detmath_u32 *words, lanes_w at, int lane) {
    __m128i lower = _mm_loadu_si128((const void *)(words + at[lane]));
    __m128i upper = _mm_loadu_si128((const void *)(words + at[lane + 2]));
    return _mm256_shuffle_epi32(_mm256_inserti128_si256(_mm256_castsi128_si256(lower), upper, 1),
                                0xb1);
}
static inline lanes_w detmath_turn_words_f64_lanes(lanes_w place, lanes_w *shift, lanes_w *b,
                                                   lanes_w *c, lanes_w *d) {
    lanes_w at = place >> 5 & 31u;
    *shift = place & 31u;
    __m256i even = lanes_turn_words(detmath_two_over_pi, at, 0);
    __m256i odd = lanes_turn_words(detmath_two_over_pi, at, 1);
    __m256i later_even = lanes_turn_words(detmath_two_over_pi + 4, at, 0);
    __m256i later_odd = lanes_turn_words(detmath_two_over_pi + 4, at, 1);
    *b = (lanes_w)_mm256_unpackhi_epi64(even, odd);
    *c = (lanes_w)_mm256_unpacklo_epi64(later_even, later_odd);
    *d = (lanes_w)_mm256_unpackhi_epi64(later_even, later_odd);
    return (lanes_w)_mm256_unpacklo_epi64(even, odd);
}
static inline __m256d lanes_two_pairs_f64(const double *lower, const double *upper) {
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(lower)), _mm_loadu_pd(upper),
                                1);
}
/* Each row is two pairs, and these are turned: a pair goes into either half of a vector as it is loaded. */
static inline struct detmath_row_f64_lanes lanes_row_f64(const double *rows, lanes_w place) {
    lanes_w at = (place & 15u) << 2;
    __m256d first = lanes_two_pairs_f64(rows + at[0], rows + at[2]);
    __m256d second = lanes_two_pairs_f64(rows + at[1], rows + at[3]);
    __m256d third = lanes_two_pairs_f64(rows + at[0] + 2, rows + at[2] + 2);
    __m256d fourth = lanes_two_pairs_f64(rows + at[1] + 2, rows + at[3] + 2);
    return (struct detmath_row_f64_lanes){
        (lanes_d)_mm256_unpacklo_pd(first, second), (lanes_d)_mm256_unpackhi_pd(first, second),
        (lanes_d)_mm256_unpacklo_pd(third, fourth), (lanes_d)_mm256_unpackhi_pd(third, fourth)};
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
/* AVX2 compares words as integers with a sign: if `first` is not 0, words below it become the largest ones. */
static inline detmath_u32 lanes_outside_f64(lanes_w words, detmath_u64 first, detmath_u64 last) {
    detmath_u64 shift = first ? first + 0x8000000000000000u : 0;
    return lanes_any_f64((lanes_w)_mm256_cmpgt_epi64(
        (__m256i)(words - shift), _mm256_set1_epi64x((detmath_i64)(last - shift))));
}
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    __m256i none = _mm256_cmpeq_epi64((__m256i)mask, _mm256_setzero_si256());
    return 15u & ~(detmath_u32)_mm256_movemask_pd((__m256d)none);
}
static inline detmath_u32 lanes_differ_f64(lanes_d a, lanes_d b) {
    __m256i same = _mm256_cmpeq_epi64((__m256i)a, (__m256i)b);
    return 15u & ~(detmath_u32)_mm256_movemask_pd((__m256d)same);
}
/* The upper halves of eight numbers. */
static inline __m256 lanes_upper_halves_f64(const double *table) {
    __m256 halves =
        _mm256_shuffle_ps((__m256)_mm256_loadu_pd(table), (__m256)_mm256_loadu_pd(table + 4), 0xdd);
    return (__m256)_mm256_permute4x64_pd((__m256d)halves, 0xd8);
}
/* The table's numbers have lower halves of 0: registers hold the upper ones, and no place has to leave the vector. */
static inline lanes_d detmath_look_up_short_f64_lanes(const double *table, lanes_w row) {
    __m256i place = (__m256i)(row << 32);
    __m256 low = _mm256_permutevar8x32_ps(lanes_upper_halves_f64(table), place);
    __m256 high = _mm256_permutevar8x32_ps(lanes_upper_halves_f64(table + 8), place);
    return (lanes_d)((lanes_w)lanes_second(low, high, (lanes_u)place << 28) & 0xffffffff00000000u);
}
/* As with AVX-512; a row of words says where each half of a lane comes from. */
static inline void lanes_pack_f64(void *to, lanes_d v, detmath_u32 bits) {
    static const unsigned char halves[16][8] = {
        {0},
        {0, 1},
        {2, 3},
        {0, 1, 2, 3},
        {4, 5},
        {0, 1, 4, 5},
        {2, 3, 4, 5},
        {0, 1, 2, 3, 4, 5},
        {6, 7},
        {0, 1, 6, 7},
        {2, 3, 6, 7},
        {0, 1, 2, 3, 6, 7},
        {4, 5, 6, 7},
        {0, 1, 4, 5, 6, 7},
        {2, 3, 4, 5, 6, 7},
        {0, 1, 2, 3, 4, 5, 6, 7},
    };
    __m256i places = _mm256_cvtepu8_epi32(_mm_loadu_si64(halves[bits]));
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps((__m256)v, places));
}
static inline lanes_w lanes_numbers_f64(void) {
    return (lanes_w){0, 1, 2, 3};
}
#define detmath_square_root_f64_lanes(X) ((lanes_d)_mm256_sqrt_pd((__m256d)(X)))
#define detmath_larger_f64_lanes(A, B)   ((lanes_d)_mm256_max_pd((__m256d)(A), (__m256d)(B)))
#define detmath_smaller_f64_lanes(A, B)  ((lanes_d)_mm256_min_pd((__m256d)(A), (__m256d)(B)))
#else
#include "lanes_neon_f64.h"
#endif

#if DETMATH_LANES_F64 != 8
static inline detmath_u32 lanes_unusual_f64(lanes_d x) {
    return lanes_outside_f64((lanes_w)x, 0x0010000000000000u, DETMATH_INFINITY_BITS_F64 - 1u);
}
static inline lanes_d detmath_exponent_f64_lanes(lanes_w bits) {
    return (lanes_d)((bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023.0);
}
#endif

LANES_F64_ROW(exp, DETMATH_EXP_F64_ROWS, detmath_exp_f64_rows)
LANES_F64_ROW(trig, DETMATH_TRIG_F64_ROWS, detmath_trig_f64_rows)

#if DETMATH_LANES_F64 == 4
#include "lanes_rows_f64.h"
#else
/* A column of a table, and two side by side. */
#define detmath_look_up_column_f64_lanes(NAME, AT, ROW)                                            \
    detmath_look_up_f64_lanes(detmath_##NAME##_columns + 16 * (AT), ROW)
#define detmath_look_up_columns_f64_lanes(NAME, AT, ROW, NEXT)                                     \
    (*(NEXT) = detmath_look_up_column_f64_lanes(NAME, (AT) + 1, ROW),                              \
     detmath_look_up_column_f64_lanes(NAME, AT, ROW))
#endif

#if DETMATH_LANES_F64 == 8 /* of a long table a gather is quicker than eight loads */
static inline lanes_d detmath_look_up_at_f64_lanes(const double *table, lanes_w place) {
    return (lanes_d)_mm512_i64gather_pd((__m512i)place, table, 8);
}
#else
static inline lanes_d detmath_look_up_at_f64_lanes(const double *table, lanes_w place) {
    lanes_d numbers;
    for (int lane = 0; lane < DETMATH_LANES_F64; lane++)
        numbers[lane] = table[place[lane]];
    return numbers;
}
#endif
#define detmath_look_up_from_f64_lanes(TABLE, FIRST, ROW)                                          \
    detmath_look_up_f64_lanes((TABLE) + (FIRST), ROW)
#define detmath_either_f64_lanes(A, LIMIT, YES, NO)   detmath_above_f64_lanes(A, LIMIT, YES, NO)
#define detmath_selected_f64_lanes(A, LIMIT, YES, NO) detmath_above_f64_lanes(A, LIMIT, YES, NO)

static inline lanes_d lanes_chosen_f64(lanes_w mask, lanes_d yes, lanes_d no) {
    return (lanes_d)(((lanes_w)yes & mask) | ((lanes_w)no & ~mask));
}
#if DETMATH_LANES_F64 != 8
static inline lanes_d lanes_above_f64(lanes_d a, lanes_d limit, lanes_d yes, lanes_d no) {
    return lanes_chosen_f64((lanes_w)(a > limit), yes, no);
}
#endif
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
