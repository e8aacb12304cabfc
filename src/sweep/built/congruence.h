/* Roots of congruences modulo powers of two: how the low bits of a product, a quotient or a square are chosen (D. W.
 * Parks, "Number-theoretic test generation for directed rounding", ARITH 1999). */
#ifndef DETCHECK_SWEEP_BUILT_CONGRUENCE_H
#define DETCHECK_SWEEP_BUILT_CONGRUENCE_H

#include <stdint.h>

/* x with a*x = 1 modulo 2^64; a is odd. Each step doubles the bits that are right, of which there are five at first. */
static inline uint64_t inverse_of_odd(uint64_t a) {
    uint64_t x = (3 * a) ^ 2;
    for (int i = 0; i < 4; i++)
        x *= 2 - a * x;
    return x;
}

/* x with x*x = a modulo 2^(bits), at most 64; a is 1 modulo 8. The others are -x, and both plus 2^(bits-1). Modulo
 * 2^(k+1), of x and x + 2^(k-1) one is a root where x is one modulo 2^k. */
static inline uint64_t root_of_square(uint64_t a, int bits) {
    uint64_t x = 1;
    for (int k = 3; k < bits; k++)
        if ((x * x ^ a) >> k & 1)
            x += UINT64_C(1) << (k - 1);
    return x;
}

#endif
