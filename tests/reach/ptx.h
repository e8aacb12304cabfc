/* What instructions of PTX do, in C and to the letter: ptx.py makes C of kernels in PTX, which calls these.
 * Registers hold bits. Arithmetic in float takes and gives 0x7fffffff for every NaN, and .ftz takes
 * subnormal numbers for zeros of their sign, as PTX says. To be compiled without contraction. */
#ifndef REACH_PTX_H
#define REACH_PTX_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float ptx_float(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double ptx_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t ptx_bits_f32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fffffffu : bits;
}

static inline uint64_t ptx_bits_f64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* .ftz */
static inline uint32_t ptx_flush(uint32_t bits) {
    return bits & 0x7f800000u ? bits : bits & 0x80000000u;
}

/* A NaN loses against a number, and -0 is less than +0. */
#define PTX_EXTREME(NAME, TYPE, LESS)                                                              \
    static inline TYPE NAME(TYPE a, TYPE b) {                                                      \
        if (a != a || b != b)                                                                      \
            return a != a ? b : a;                                                                 \
        if (a == b)                                                                                \
            return (signbit(a) != 0) == (LESS) ? a : b;                                            \
        return (a < b) == (LESS) ? a : b;                                                          \
    }
PTX_EXTREME(ptx_min_f32, float, 1)
PTX_EXTREME(ptx_max_f32, float, 0)
PTX_EXTREME(ptx_min_f64, double, 1)
PTX_EXTREME(ptx_max_f64, double, 0)

/* cvt.rzi: to the nearest integer towards zero that the type has, and 0 for a NaN. */
static inline uint64_t ptx_to_integer(double x, int bits, int is_signed) {
    double end = ldexp(1.0, bits - is_signed);
    if (x != x)
        return 0;
    if (x >= end)
        return (UINT64_MAX >> (64 - bits)) >> is_signed;
    if (x <= (is_signed ? -end : 0.0))
        return is_signed ? (uint64_t)1 << (bits - 1) : 0;
    return is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
}

/* Shifts by as many bits as there are, or more. */
static inline uint64_t ptx_shl(uint64_t x, uint32_t by, uint32_t bits) {
    return by < bits ? x << by : 0;
}

static inline uint64_t ptx_shr(uint64_t x, uint32_t by, uint32_t bits) {
    return by < bits ? x >> by : 0;
}

static inline int64_t ptx_shr_signed(int64_t x, uint32_t by, uint32_t bits) {
    return x >> (by < bits ? by : bits - 1);
}

/* How many of the highest bits are 0. */
static inline uint32_t ptx_clz(uint64_t x, uint32_t bits) {
    return x ? (uint32_t)__builtin_clzll(x) - (64 - bits) : bits;
}

/* bfi: the lowest `length` bits of a, put into b at `at`. */
static inline uint64_t ptx_insert(uint64_t a, uint64_t b, uint32_t at, uint32_t length,
                                  uint32_t bits) {
    at &= 0xffu;
    length &= 0xffu;
    uint64_t mask = length >= 64 ? UINT64_MAX : ((uint64_t)1 << length) - 1;
    if (at >= bits)
        return b;
    return (b & ~(mask << at)) | (a & mask) << at;
}

#endif
