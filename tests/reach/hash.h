/* The fingerprint of a sequence of 32-bit words: 128 bits, of integer operations only, so that byte
 * order and word size do not matter. C11, C++17 and CUDA C++.
 *
 * Two lanes of 64 bits; for each word w
 *     a = (a ^ w) * A, a ^= a >> 32        b = rotate_left((b + w) * B, 29)
 * and at the end both are mixed with the number of words. A step is a bijection of the lane, and of
 * w, so that sequences which differ in one word never collide. */
#ifndef REACH_HASH_H
#define REACH_HASH_H

#include <stddef.h>
#include <stdint.h>

struct reach_hash {
    uint64_t a, b, count;
};

static inline struct reach_hash reach_hash_start(void) {
    struct reach_hash hash = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), 0};
    return hash;
}

static inline void reach_hash_word(struct reach_hash *hash, uint32_t word) {
    uint64_t a = (hash->a ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t b = (hash->b + word) * UINT64_C(0xc2b2ae3d27d4eb4f);
    hash->a = a ^ a >> 32;
    hash->b = b << 29 | b >> 35;
    hash->count++;
}

/* The last step of MurmurHash3 for 64 bits. */
static inline uint64_t reach_mix(uint64_t x) {
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

/* The two halves of the fingerprint. */
static inline void reach_hash_end(const struct reach_hash *hash, uint64_t halves[2]) {
    uint64_t a = reach_mix(hash->a ^ hash->count), b = reach_mix(hash->b + hash->count);
    halves[0] = a + b;
    halves[1] = reach_mix(b ^ halves[0]);
}

#endif
