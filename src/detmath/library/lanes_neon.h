/* What lanes.h needs of aarch64's vectors, four lanes each: a table of 16 numbers is four registers, and one instruction
 * looks bytes up in them. Not for big-endian, whose numbers have their bytes the other way round. */
#ifndef DETMATH_LIBRARY_LANES_NEON_H
#define DETMATH_LIBRARY_LANES_NEON_H

#include <arm_neon.h>

static inline lanes_f lanes_fma(lanes_f a, lanes_f b, lanes_f c) {
    return (lanes_f)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
/* Where the bytes of that row are: byte k of row r is byte 4 r + k. */
static inline uint8x16_t lanes_bytes(lanes_u row) {
    return (uint8x16_t)(row * 0x04040404u + 0x03020100u);
}
/* A table where the compiler does not know its numbers: it else makes constants of them, each four with an address. */
static inline const uint8_t *lanes_table(const float *table) {
    __asm__("" : "+r"(table));
    return (const uint8_t *)table;
}
static inline lanes_f detmath_look_up_lanes(const float *table, lanes_u row) {
    return (lanes_f)vqtbl4q_u8(vld1q_u8_x4(lanes_table(table)), lanes_bytes(row & 15u));
}
static inline lanes_f detmath_look_up_8_lanes(const float *table, detmath_u32 first, lanes_u row) {
    return (lanes_f)vqtbl2q_u8(vld1q_u8_x2(lanes_table(table + first)), lanes_bytes(row & 7u));
}
static inline lanes_f detmath_from_integer_lanes(lanes_i n) {
    return (lanes_f)vcvtq_f32_s32((int32x4_t)n);
}
static inline lanes_u lanes_larger(lanes_u a, lanes_u b) {
    return (lanes_u)vmaxq_u32((uint32x4_t)a, (uint32x4_t)b);
}
static inline lanes_u lanes_smaller(lanes_u a, lanes_u b) {
    return (lanes_u)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
}
static inline lanes_f lanes_above(lanes_f a, lanes_f limit, lanes_f yes, lanes_f no) {
    uint32x4_t above = vcgtq_f32((float32x4_t)a, (float32x4_t)limit);
    return (lanes_f)vbslq_f32(above, (float32x4_t)yes, (float32x4_t)no);
}
/* b where either is NaN, as of x86's instructions; NEON's own return NaN. */
static inline lanes_f lanes_most(lanes_f a, lanes_f b) {
    return lanes_above(a, b, a, b);
}
static inline lanes_f lanes_least(lanes_f a, lanes_f b) {
    return lanes_above(b, a, a, b);
}
static inline lanes_f detmath_sqrtf_lanes(lanes_f x) {
    return (lanes_f)vsqrtq_f32((float32x4_t)x);
}
/* The processor's estimate, right to 2^-8.2 at worst, and one iteration by its own instruction: to 2^-15. */
static inline lanes_f lanes_rsqrt_estimate(lanes_f x) {
    float32x4_t r = vrsqrteq_f32((float32x4_t)x);
    return (lanes_f)vmulq_f32(r, vrsqrtsq_f32(vmulq_f32((float32x4_t)x, r), r));
}
static inline detmath_u32 lanes_differ(lanes_f a, lanes_f b) {
    lanes_u bits = {1u, 2u, 4u, 8u};
    return vaddvq_u32((uint32x4_t)((lanes_u)(a != b) & bits));
}

#endif
