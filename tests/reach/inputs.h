/* The inputs that fingerprints are made of, the same everywhere, each a function of its index:
 * first the edges of the format and landmarks of the functions, then numbers at random, seeded by
 * the index. C11, C++17 and CUDA C++; includes the C standard library only. */
#ifndef REACH_INPUTS_H
#define REACH_INPUTS_H

#include "hash.h"

#include <string.h>

/* How many there are of each kind; `all` is every bit pattern of fp32. */
struct reach_set {
    const char *name;
    int all;
    uint64_t words, pairs;    /* fp32 */
    uint64_t codes;           /* of 16 bits; a multiple of 256 */
    uint64_t pairs16, pairs8; /* of codes */
};

static const struct reach_set reach_sets[] = {
    {"quick", 0, 1u << 14, 1u << 14, 1u << 12, 1u << 12, 1u << 12},
    {"full", 0, 1u << 20, 1u << 20, 1u << 16, 1u << 18, 1u << 16},
    {"all", 1, UINT64_C(1) << 32, 0, 0, 0, 0},
};

static inline uint64_t reach_random(uint64_t index) {
    return reach_mix((index + 4) * UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint32_t reach_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Where functions change: multiples of ln 2 and pi / 2, ends of what is finite, normal, not 0 or
 * not saturated, ends of polynomials' intervals, and arguments that are hard to reduce. */
static const float reach_landmarks[] = {
    0x1.62e43p-2f,  0x1.62e43p-1f,  0x1.0a2b24p0f,  0x1.62e43p0f,   0x1.6a09e6p-1f, 0x1.6a09e6p0f,
    0x1.5bf0a8p1f,  0x1.78b564p-2f, 0x1.921fb6p-1f, 0x1.921fb6p0f,  0x1.2d97c8p1f,  0x1.921fb6p1f,
    0x1.2d97c8p2f,  0x1.921fb6p2f,  0x1.f6a7a2p2f,  0x1.921fb6p3f,  0x1.921fb6p5f,  0x1.921fb6p9f,
    0x1.921fb6p17f, 0x1.47d0fep34f, 0x1.585ff6p30f, 0x1.62e43p6f,   0x1.5d589ep6f,  0x1.9fe368p6f,
    0x1.a934fp6f,   0x1.7b8p6f,     0x1.34413p5f,   0x1.2f7030p5f,  0x1.66d3e8p5f,  0x1.0p7f,
    0x1.f8p6f,      0x1.2cp7f,      0x1.2ap7f,      0x1.9p5f,       0x1.205966p3f,  0x1.154244p3f,
    0x1.0p4f,       0x1.154246p4f,  0x1.f5c28ep1f,  0x1.41bbf8p3f,  0x1.26cp3f,     0x1.6p2f,
    0x1.bp-1f,      0x1.4p0f,       0x1.6db6dcp1f,  0x1.c71c72p-4f, 0x1.555556p-2f, 0x1.99999ap-4f,
    0x1.4p3f,       0x1.9p6f,       0x1.f4p9f,      0x1.0p-12f,     0x1.0p23f,      0x1.0p24f,
    0x1.8618p3f,    0x1.0p31f,      0x1.fffffep62f, 0x1.8p1f,       0x1.47ae14p-1f, 0x1.4c8p4f,
};

enum {
    REACH_LANDMARKS = sizeof reach_landmarks / sizeof *reach_landmarks,
    REACH_EDGES = 2 * 256 * 8,
    REACH_NEAR = 9, /* a landmark and its neighbours, for each sign */
    REACH_SPECIALS = 64
};

/* Half of them any bits, half not so near the ends of functions. */
static inline uint32_t reach_draw(uint64_t random) {
    uint32_t word = (uint32_t)(random >> 32), exponent = (uint32_t)(random >> 8) & 0xffffu;
    if (random & 2)
        return word;
    exponent = random & 1 ? 123u + exponent % 8u : 103u + exponent % 32u;
    return (word & 0x807fffffu) | exponent << 23;
}

/* Sign, exponent and one of eight fractions: zeros, infinities, NaNs of both kinds, powers of two
 * and their neighbours are among them. */
static inline uint32_t reach_edge(uint32_t i) {
    static const uint32_t fractions[] = {0,        1,         2,         0x3fffffu,
                                         0x400000, 0x400001u, 0x7ffffeu, 0x7fffffu};
    return i >> 11 << 31 | (i >> 3 & 0xffu) << 23 | fractions[i & 7u];
}

/* The high word and the low one of a number of fp64: edges, any bits, and half of them from 2^-31 to 2^17. There are 2^26 in the
 * set `all`. */
#define REACH_ALL_F64 (UINT64_C(1) << 26)
static inline void reach_wide(uint64_t index, uint32_t pair[2]) {
    uint64_t bits = reach_random(index);
    uint32_t high = (uint32_t)(bits >> 32), exponent = 0x3e0u + (uint32_t)(bits >> 2) % 48u;
    pair[1] = (uint32_t)reach_mix(bits);
    pair[0] = bits & 1 ? (high & 0x800fffffu) | exponent << 20 : high;
    if (index < 4096) {
        uint32_t edge = (uint32_t)index, low = edge & 1u ? 0 : ~(uint32_t)0;
        pair[0] = edge >> 1 << 21 | (edge & 1u ? 0 : 0xfffffu);
        pair[1] = low;
    }
}

static inline uint32_t reach_word(const struct reach_set *set, uint64_t index) {
    if (set->all)
        return (uint32_t)index;
    if (index < REACH_EDGES)
        return reach_edge((uint32_t)index);
    uint32_t near = (uint32_t)(index - REACH_EDGES);
    if (index - REACH_EDGES < (uint64_t)REACH_LANDMARKS * 2u * REACH_NEAR) {
        uint32_t landmark = reach_bits(reach_landmarks[near / (2u * REACH_NEAR)]);
        uint32_t sign = near / REACH_NEAR & 1u;
        return sign << 31 | (landmark + near % REACH_NEAR - REACH_NEAR / 2u);
    }
    return reach_draw(reach_random(index));
}

/* 32 magnitudes in both signs, each to be paired with each. */
static inline uint32_t reach_special(uint32_t i) {
    static const uint32_t magnitudes[] = {
        0,           1,           0x007fffffu, 0x00800000u, 0x00800001u, 0x1f800000u, 0x33800000u,
        0x3dcccccdu, 0x3eaaaaabu, 0x3f000000u, 0x3f317218u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u,
        0x3fc00000u, 0x40000000u, 0x402df854u, 0x40400000u, 0x40490fdbu, 0x40a00000u, 0x41200000u,
        0x42fe0000u, 0x43150000u, 0x4b000000u, 0x4b7fffffu, 0x4b800000u, 0x4f000000u, 0x5f800000u,
        0x7f7fffffu, 0x7f800000u, 0x7fc00000u, 0x7f800001u};
    return (i >> 5) << 31 | magnitudes[i & 31u];
}

/* Numbers whose powers of e add up to nearly 1, from the least x to -ln 2, and around each y. */
static inline void reach_cancel(uint32_t random, uint32_t pair[2]) {
    static const uint32_t pairs[16][2] = {
        {0x80000001u, 0xc2ce8ed0u}, {0x80001234u, 0xc2bdaa11u}, {0x80800001u, 0xc2aeac50u},
        {0x8d123456u, 0xc28bbff2u}, {0x99abcdefu, 0xc2518a19u}, {0xa6543210u, 0xc20b614fu},
        {0xb07fffffu, 0xc1a65af7u}, {0xb1234567u, 0xc19edcf4u}, {0xb5c0ffeeu, 0xc1573c90u},
        {0xb9876543u, 0xc1043007u}, {0xbc54321au, 0xc08b4bf1u}, {0xbd0badf0u, 0xc0594e89u},
        {0xbe123457u, 0xc001169eu}, {0xbe9abcdeu, 0xbfac04f3u}, {0xbf111111u, 0xbf56856cu},
        {0xbf317218u, 0xbf317218u}};
    const uint32_t *chosen = pairs[random & 15u];
    pair[0] = chosen[random >> 4 & 1u];
    pair[1] = chosen[~random >> 4 & 1u] + (random >> 5 & 31u) - 16u;
}

/* Two numbers of fp64: each of 64 with each, and at random any two, of moderate sizes, the first near 1 and the second large,
 * and for exact results few bits. */
static inline void reach_wide_pair(uint64_t index, uint32_t words[4]) {
    static const uint64_t magnitudes[] = {
        0x0000000000000000u, 0x0000000000000001u, 0x000fffffffffffffu, 0x0010000000000000u,
        0x0010000000000001u, 0x1ff0000000000000u, 0x3c90000000000000u, 0x3fb999999999999au,
        0x3fd5555555555555u, 0x3fe0000000000000u, 0x3fe62e42fefa39efu, 0x3fefffffffffffffu,
        0x3ff0000000000000u, 0x3ff0000000000001u, 0x3ff8000000000000u, 0x4000000000000000u,
        0x4005bf0a8b145769u, 0x4008000000000000u, 0x400921fb54442d18u, 0x4014000000000000u,
        0x4024000000000000u, 0x408ff80000000000u, 0x4090c80000000000u, 0x4330000000000000u,
        0x433fffffffffffffu, 0x4340000000000000u, 0x43e0000000000000u, 0x4800000000000000u,
        0x7fefffffffffffffu, 0x7ff0000000000000u, 0x7ff8000000000000u, 0x7ff0000000000001u};
    uint64_t numbers[2], other = reach_random(~index);
    reach_wide(index, words);
    reach_wide(other, words + 2);
    numbers[0] = (uint64_t)words[0] << 32 | words[1];
    numbers[1] = (uint64_t)words[2] << 32 | words[3];
    if (index < (uint64_t)REACH_SPECIALS * REACH_SPECIALS) {
        uint64_t first = index / REACH_SPECIALS, second = index % REACH_SPECIALS;
        numbers[0] = magnitudes[first & 31u] | (first >> 5) << 63;
        numbers[1] = magnitudes[second & 31u] | (second >> 5) << 63;
    } else if ((index & 3) == 1) {
        for (int i = 0; i < 2; i++)
            numbers[i] = (numbers[i] & 0x800fffffffffffffu) | (1019u + (numbers[i] >> 52) % 8u)
                                                                  << 52;
    } else if ((index & 3) == 2) {
        uint64_t away = other >> (12u + (other & 31u)); /* from 1 */
        numbers[0] = 0x3ff0000000000000u + (numbers[0] & 1 ? away : 0u - (away >> 1));
        numbers[1] = (numbers[1] & 0x800fffffffffffffu) | (1023u + (other & 63u)) << 52;
    } else if ((index & 3) == 3) {
        uint64_t whole = (0x4330000000000000u | (other & 0xfffu)) + ((other >> 12 & 7u) << 52);
        double exact;
        memcpy(&exact, &whole, sizeof exact);
        exact -= 0x1p52 * (double)(1u << (other >> 12 & 7u));
        memcpy(&numbers[0], &exact, sizeof exact);
        exact = ((double)(other >> 16 & 127u) - 64.0) * 0.25;
        memcpy(&numbers[1], &exact, sizeof exact);
    }
    for (int i = 0; i < 2; i++) {
        words[2 * i] = (uint32_t)(numbers[i] >> 32);
        words[2 * i + 1] = (uint32_t)numbers[i];
    }
}

/* Five sorts at random: any two; exponents beside each other; near 1 and large; for exact powers,
 * few bits and a small multiple of 1 / 4; and every 64th for logaddexp where it cancels. */
static inline void reach_pair(uint64_t index, uint32_t pair[2]) {
    if (index < (uint64_t)REACH_SPECIALS * REACH_SPECIALS) {
        pair[0] = reach_special((uint32_t)index / REACH_SPECIALS);
        pair[1] = reach_special((uint32_t)index % REACH_SPECIALS);
        return;
    }
    uint64_t other = reach_random(~index);
    uint32_t word = (uint32_t)(other >> 32), more = (uint32_t)(other >> 8) & 0xffffu;
    pair[0] = reach_draw(reach_random(index));
    pair[1] = reach_draw(other);
    if ((index & 3) == 1) {
        uint32_t exponent = (pair[0] >> 23 & 0xffu) + more % 33u;
        exponent = exponent < 16 ? 0 : exponent > 271 ? 255 : exponent - 16;
        pair[1] = (word & 0x807fffffu) | exponent << 23;
    } else if ((index & 3) == 2) {
        pair[0] = 0x3f800000u - 0x8000u + more;
        pair[1] = (word & 0x807fffffu) | (130u + word % 24u) << 23;
    } else if ((index & 3) == 3) {
        pair[0] = reach_bits((float)(more % 4096u)) + ((word & 7u) << 23);
        pair[1] = reach_bits((float)((int)(word >> 8 & 127u) - 64) * 0.25f);
    } else if ((index & 63) == 32) {
        reach_cancel(more, pair);
    }
}

/* A number of 16 bits: every one, or every 32nd and as many at random. */
static inline uint32_t reach_code(uint64_t count, uint64_t index) {
    uint32_t step = 0x10000u / (uint32_t)count;
    uint32_t beyond = index & 1 ? (uint32_t)reach_random(index) : 0;
    return (uint32_t)index * step + beyond % step;
}

/* bf16 is the upper half of fp32; fp16 has few enough exponents for any bits to be of use. */
static inline void reach_pair16(uint64_t index, int is_bf16, uint32_t pair[2]) {
    uint32_t any = (uint32_t)(reach_random(index) >> 32);
    reach_pair(index, pair);
    pair[0] = is_bf16 ? pair[0] >> 16 : any >> 16;
    pair[1] = is_bf16 ? pair[1] >> 16 : any & 0xffffu;
}

#endif
