/* Reproducible random numbers for the tests: splitmix64 (Steele, Lea, Flood 2014). A failing case
 * must come back on every machine, so nothing here depends on the C library. */
#ifndef DETCHECK_TESTS_BASE_RANDOM_H
#define DETCHECK_TESTS_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_bits(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform enough in [low, high] for tests. */
static inline int random_between(uint64_t *state, int low, int high) {
    return low + (int)(random_bits(state) % (uint64_t)(high - low + 1));
}

#endif
