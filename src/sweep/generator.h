/* Counter-based random numbers: the n-th is computed from the seed and n alone, so any thread on
 * any machine draws the same one. */
#ifndef DETCHECK_SWEEP_GENERATOR_H
#define DETCHECK_SWEEP_GENERATOR_H

#include "base/wide.h"

#include <stdint.h>

/* The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
 * generators", OOPSLA 2014): a bijection whose output bits all depend on all input bits. */
static inline uint64_t generator_mix(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* 64 random bits for (seed, index, stream). */
static inline uint64_t generator_bits(uint64_t seed, uint64_t index, unsigned stream) {
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t key = generator_mix(seed + golden * (stream + UINT64_C(1)));
    return generator_mix(key + golden * (index + 1));
}

/* Below `width`, where 0 stands for 2^64. Uneven by at most width / 2^64. */
static inline uint64_t generator_below(uint64_t seed, uint64_t index, unsigned stream,
                                       uint64_t width) {
    uint64_t bits = generator_bits(seed, index, stream);
    return width ? multiply_high(bits, width) : bits;
}

#endif
