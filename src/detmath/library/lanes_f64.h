/* Vectors for kernels of lanes in fp64 (one_lane.inc), beside those of lanes.h: AVX2 and AVX-512. Elsewhere
 * DETMATH_LANES_F64 is not defined, and array forms are loops over the scalars. */
#ifndef DETMATH_LIBRARY_LANES_F64_H
#define DETMATH_LIBRARY_LANES_F64_H

#include "lanes.h"

#if defined(DETMATH_LANES) && DETMATH_LANES > 4
#define DETMATH_LANES_F64 (DETMATH_LANES / 2)

typedef double lanes_d __attribute__((vector_size(DETMATH_LANES_SIZE)));
typedef detmath_u64 lanes_w __attribute__((vector_size(DETMATH_LANES_SIZE)));

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

#if DETMATH_LANES_F64 == 8
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
/* A bit for each lane that is not 0. */
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    return _mm512_test_epi64_mask((__m512i)mask, (__m512i)mask);
}
#else
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
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    __m256i none = _mm256_cmpeq_epi64((__m256i)mask, _mm256_setzero_si256());
    return 15u & ~(detmath_u32)_mm256_movemask_pd((__m256d)none);
}
#endif

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
