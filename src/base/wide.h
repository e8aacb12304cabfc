/* 128-bit unsigned integers as two words: the few operations that rounding and error need, the same
 * on every machine whether or not its compiler has a 128-bit type. */
#ifndef DETCHECK_BASE_WIDE_H
#define DETCHECK_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

struct wide {
    uint64_t high, low;
};

static inline int wide_compare(struct wide a, struct wide b) {
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

/* Modulo 2^128. */
static inline struct wide wide_add(struct wide a, struct wide b) {
    struct wide sum = {a.high + b.high, a.low + b.low};
    sum.high += sum.low < a.low;
    return sum;
}

/* Modulo 2^128. */
static inline struct wide wide_subtract(struct wide a, struct wide b) {
    struct wide difference = {a.high - b.high, a.low - b.low};
    difference.high -= a.low < b.low;
    return difference;
}

/* Bits shifted out are lost; 128 or more gives 0. */
static inline struct wide wide_shift_right(struct wide a, unsigned count) {
    if (count >= 128)
        return (struct wide){0, 0};
    if (count >= 64)
        return (struct wide){0, a.high >> (count - 64)};
    if (count == 0)
        return a;
    return (struct wide){a.high >> count, a.low >> count | a.high << (64 - count)};
}

static inline struct wide wide_shift_left(struct wide a, unsigned count) {
    if (count >= 128)
        return (struct wide){0, 0};
    if (count >= 64)
        return (struct wide){a.low << (count - 64), 0};
    if (count == 0)
        return a;
    return (struct wide){a.high << count | a.low >> (64 - count), a.low << count};
}

static inline bool wide_is_zero(struct wide a) {
    return (a.high | a.low) == 0;
}

/* Number of zero bits above the highest one; 64 for 0. */
static inline unsigned leading_zeros(uint64_t a) {
#if defined(__GNUC__)
    return a ? (unsigned)__builtin_clzll(a) : 64;
#else
    unsigned count = 64;
    for (unsigned step = 32; step; step /= 2)
        if (a >> step) {
            a >>= step;
            count -= step;
        }
    return count - (unsigned)a;
#endif
}

/* The high word of the 128-bit product. */
static inline uint64_t multiply_high(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 product;
    return (uint64_t)((product)a * b >> 64);
#else
    uint64_t a1 = a >> 32, a0 = a & 0xffffffffu, b1 = b >> 32, b0 = b & 0xffffffffu;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t carry = a0 * b1 + (middle & 0xffffffffu);
    return a1 * b1 + (middle >> 32) + (carry >> 32);
#endif
}

#endif
