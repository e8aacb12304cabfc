/* What the tests of dyadic operations draw. */
#ifndef DETCHECK_TESTS_DETMATH_DYADIC_DRAWS_H
#define DETCHECK_TESTS_DETMATH_DYADIC_DRAWS_H

#include "detmath/dyadic.h"

#include "../base/random.h"

/* Rules that differ from pair to pair, so that all of them meet everything. */
static inline struct detmath_dyadic_rules rules_number(unsigned number) {
    return (struct detmath_dyadic_rules){number & 1 ? 64 : 32, number / 2 % 3, number / 6 % 6,
                                         number / 36 & 1};
}

/* Near 0, near a power of two, near the ends, or anything. */
static inline int64_t wide_mantissa(uint64_t *seed) {
    uint64_t random = random_bits(seed);
    int64_t small = (int64_t)(random >> 8 & 7) - 4;
    if (random & 1)
        return (int64_t)((random_bits(seed) & 1 ? UINT64_C(1) : UINT64_MAX)
                         << (random >> 16 & 63)) +
               (small < 0 ? 0 : 1) * (random & 2 ? 1 : 0);
    if (random & 2)
        return (int64_t)(random_bits(seed) >> (random >> 16 & 63));
    return random & 4 ? small : -(int64_t)(random_bits(seed) >> 1 >> (random >> 16 & 63));
}

#endif
