/* What lanes_f64.h needs of aarch64's vectors, two lanes each. */
#ifndef DETMATH_LIBRARY_LANES_NEON_F64_H
#define DETMATH_LIBRARY_LANES_NEON_F64_H

static inline lanes_w lanes_product_of_halves(lanes_w a, lanes_w b) {
    return (lanes_w)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
}
/* Eight words of 2/pi from that word on, two by two. */
static inline lanes_w detmath_turn_words_f64_lanes(lanes_w place, lanes_w *shift, lanes_w *b,
                                                   lanes_w *c, lanes_w *d) {
    detmath_u64 words[2][5];
    for (int i = 0; i < 2; i++)
        words[i][0] = detmath_turn_words_f64(place[i] & 1023u, &words[i][4], &words[i][1],
                                             &words[i][2], &words[i][3]);
    *shift = (lanes_w){words[0][4], words[1][4]};
    *b = (lanes_w){words[0][1], words[1][1]};
    *c = (lanes_w){words[0][2], words[1][2]};
    *d = (lanes_w){words[0][3], words[1][3]};
    return (lanes_w){words[0][0], words[1][0]};
}
static inline lanes_d lanes_fma_f64(lanes_d a, lanes_d b, lanes_d c) {
    return (lanes_d)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
static inline lanes_d detmath_look_up_f64_lanes(const double *table, lanes_w row) {
    return (lanes_d){table[row[0] & 15u], table[row[1] & 15u]};
}
#define detmath_look_up_short_f64_lanes(TABLE, ROW) detmath_look_up_f64_lanes(TABLE, ROW)
static inline lanes_d detmath_look_up_32_f64_lanes(const double *table, lanes_w row) {
    return (lanes_d){table[row[0] & 31u], table[row[1] & 31u]};
}
/* Each row is two vectors, and these are turned. */
static inline struct detmath_row_f64_lanes lanes_row_f64(const double *rows, lanes_w place) {
    const double *a = rows + 4 * (place[0] & 15u), *b = rows + 4 * (place[1] & 15u);
    float64x2_t a_first = vld1q_f64(a), a_second = vld1q_f64(a + 2);
    float64x2_t b_first = vld1q_f64(b), b_second = vld1q_f64(b + 2);
    return (struct detmath_row_f64_lanes){
        (lanes_d)vzip1q_f64(a_first, b_first), (lanes_d)vzip2q_f64(a_first, b_first),
        (lanes_d)vzip1q_f64(a_second, b_second), (lanes_d)vzip2q_f64(a_second, b_second)};
}
#define LANES_F64_ROW(NAME, ROWS, TABLE)                                                           \
    static inline struct detmath_row_f64_lanes detmath_##NAME##_f64_row_lanes(lanes_w place) {     \
        return lanes_row_f64(TABLE, place);                                                        \
    }
/* A bit for each lane that is not 0. */
static inline detmath_u32 lanes_set_f64(lanes_w mask) {
    return (mask[0] ? 1u : 0u) | (mask[1] ? 2u : 0u);
}
static inline detmath_u32 lanes_differ_f64(lanes_d a, lanes_d b) {
    return lanes_set_f64((lanes_w)a ^ (lanes_w)b);
}
static inline detmath_u32 lanes_any_f64(lanes_w mask) {
    return lanes_set_f64(mask);
}
static inline detmath_u32 lanes_outside_f64(lanes_w words, detmath_u64 first, detmath_u64 last) {
    return lanes_set_f64((lanes_w)(words - first > last - first));
}
/* The lanes whose bits are set, next to each other; behind them a vector's length of memory may change. */
static inline void lanes_pack_f64(void *to, lanes_d v, detmath_u32 bits) {
    lanes_d packed = {bits & 1u ? v[0] : v[1], v[1]};
    __builtin_memcpy(to, &packed, sizeof packed);
}
static inline lanes_w lanes_numbers_f64(void) {
    return (lanes_w){0, 1};
}
#define detmath_square_root_f64_lanes(X) ((lanes_d)vsqrtq_f64((float64x2_t)(X)))
#define detmath_larger_f64_lanes(A, B)   ((lanes_d)vmaxq_f64((float64x2_t)(A), (float64x2_t)(B)))
#define detmath_smaller_f64_lanes(A, B)  ((lanes_d)vminq_f64((float64x2_t)(A), (float64x2_t)(B)))

#endif
