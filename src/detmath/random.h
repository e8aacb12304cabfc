/* Random bits for stochastic rounding: counter-based, so that element i of a run with a given seed
 * meets the same bits on every machine, whichever thread, lane or order computes it.
 *
 * Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
 * SC 2011): ten rounds of a bijection of 128 bits of counter under 64 bits of key. */
#ifndef DETMATH_RANDOM_H
#define DETMATH_RANDOM_H

#include "core.h"

#include "shield.inc"

struct detmath_philox_block {
    detmath_u32 word[4];
};

/* The block of random words for a counter, whose first word is the least significant, and a key. */
DETMATH_INLINED struct detmath_philox_block detmath_philox(struct detmath_philox_block counter,
                                                           detmath_u32 key0, detmath_u32 key1) {
    detmath_u32 x0 = counter.word[0], x1 = counter.word[1];
    detmath_u32 x2 = counter.word[2], x3 = counter.word[3];
    for (int round = 0; round < 10; round++) {
        detmath_u64 a = (detmath_u64)x0 * 0xd2511f53u, b = (detmath_u64)x2 * 0xcd9e8d57u;
        x0 = (detmath_u32)(b >> 32) ^ x1 ^ key0;
        x2 = (detmath_u32)(a >> 32) ^ x3 ^ key1;
        x1 = (detmath_u32)b;
        x3 = (detmath_u32)a;
        key0 += 0x9e3779b9u; /* 2^32 over the golden ratio */
        key1 += 0xbb67ae85u; /* 2^32 (sqrt(3) - 1) */
    }
    struct detmath_philox_block block = {{x0, x1, x2, x3}};
    return block;
}

/* 64 random bits for element `index` under `seed`: the first two words, the first of them the low
 * half, of the block whose counter is the index and whose key is the seed, low halves first. Who
 * needs fewer bits takes the lowest. */
DETMATH_INLINED detmath_u64 detmath_random(detmath_u64 seed, detmath_u64 index) {
    struct detmath_philox_block counter = {{(detmath_u32)index, (detmath_u32)(index >> 32), 0, 0}};
    struct detmath_philox_block block =
        detmath_philox(counter, (detmath_u32)seed, (detmath_u32)(seed >> 32));
    return (detmath_u64)block.word[1] << 32 | block.word[0];
}

#include "shield_end.inc"

#endif
