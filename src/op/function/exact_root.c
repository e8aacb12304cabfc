/* Comparing a power with a number, both as an odd integer and an exponent. */
#include "op/function/exact_root.h"

enum { MOST_BITS = 53 };

/* |value| = odd * 2^exponent; the number of bits of `odd`. */
static int odd_part(const struct real *value, uint64_t *odd, int *exponent) {
    uint64_t significand = value->significand.high;
    int zeros = 0;
    while (!(significand & 1)) {
        significand >>= 1;
        zeros++;
    }
    *odd = significand;
    *exponent = value->exponent - 63 + zeros;
    return 64 - zeros;
}

bool is_exact_root(const struct real *y, const struct real *x, int root) {
    uint64_t base, power = 1, wanted;
    int base_exponent, wanted_exponent;
    if (y->kind != REAL_FINITE || x->kind != REAL_FINITE || y->significand.low ||
        x->significand.low || (root % 2 ? y->negative != x->negative : x->negative || y->negative))
        return false;
    int bits = odd_part(y, &base, &base_exponent);
    odd_part(x, &wanted, &wanted_exponent);
    /* A power of so many bits is no such number; a smaller one does not overflow. */
    if ((bits - 1) * root + 1 > MOST_BITS)
        return false;
    for (int i = 0; i < root; i++)
        power *= base;
    return power == wanted && base_exponent * root == wanted_exponent;
}
