/* pown, rootn and compoundn by MPFR, of two numbers: NaN where the second is no long long; and operands of all powers. */
#ifndef TESTS_DETMATH_INTEGER_POWERS_H
#define TESTS_DETMATH_INTEGER_POWERS_H

#include "f64.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <mpfr.h>

#undef mpfr_pown /* of an intmax_t */

static inline bool takes_integer(const char *name) {
    return strcmp(name, "pown") == 0 || strcmp(name, "rootn") == 0 ||
           strcmp(name, "compoundn") == 0;
}

static inline bool is_long_long(const mpfr_t n) {
    return mpfr_integer_p(n) && mpfr_cmp_d(n, 0x1p63) < 0 && mpfr_cmp_d(n, -0x1p63) >= 0;
}

static inline int mpfr_not_a_number(mpfr_t y) {
    mpfr_set_nan(y);
    return 0;
}

static inline int mpfr_pown(mpfr_t y, const mpfr_t x, const mpfr_t n, mpfr_rnd_t rounding) {
    return is_long_long(n) ? mpfr_pow(y, x, n, rounding) : mpfr_not_a_number(y);
}

/* A large n goes by the logarithm, with far more bits than roots that are no numbers need. */
static inline int mpfr_rootn(mpfr_t y, const mpfr_t x, const mpfr_t n, mpfr_rnd_t rounding) {
    if (!is_long_long(n))
        return mpfr_not_a_number(y);
    long whole = mpfr_get_si(n, MPFR_RNDN), odd = whole & 1;
    if (whole > -100000 && whole < 100000)
        return mpfr_rootn_si(y, x, whole, rounding);
    if (!mpfr_regular_p(x) || mpfr_cmpabs_ui(x, 1) == 0 || (mpfr_sgn(x) < 0 && !odd))
        return mpfr_rootn_si(y, x, (odd ? 3 : 2) * mpfr_sgn(n), rounding);
    mpfr_t root;
    mpfr_init2(root, 900);
    mpfr_abs(root, x, MPFR_RNDN);
    mpfr_log(root, root, MPFR_RNDN);
    mpfr_div(root, root, n, MPFR_RNDN);
    mpfr_exp(root, root, MPFR_RNDN);
    mpfr_setsign(root, root, mpfr_signbit(x), MPFR_RNDN);
    int inexact = mpfr_set(y, root, rounding);
    mpfr_clear(root);
    return inexact;
}

/* By 1 + x, which 2,400 bits hold. */
static inline int mpfr_compoundn(mpfr_t y, const mpfr_t x, const mpfr_t n, mpfr_rnd_t rounding) {
    if (!is_long_long(n) || (!mpfr_nan_p(x) && mpfr_cmp_si(x, -1) < 0))
        return mpfr_not_a_number(y);
    mpfr_t base;
    mpfr_init2(base, 2400);
    mpfr_add_ui(base, x, 1, MPFR_RNDN);
    int inexact = mpfr_pow(y, base, n, rounding);
    mpfr_clear(base);
    return inexact;
}

static inline bool is_power(const char *name) {
    return strncmp(name, "pow", 3) == 0 || takes_integer(name);
}

/* Operands of such a function whose result is next to 2^(k/32) with an odd k, half of them with a k of 1 or -1: that is midway
 * between two rows of the table of powers of two. 1 and 1 where such operands are beyond fp64. */
static inline void draw_power_midway(uint64_t *seed, const char *name, double *x, double *y) {
    uint64_t random = random_bits(seed);
    double n = rint(exp2(10 * random_unit(seed))), unit = 2 * random_unit(seed) - 1;
    double k = random & 1 ? 1 : (double)(2 * (random >> 8 & 255) + 1);
    double exponent = k / 32 * (1 + ldexp(unit, -22 - (int)(random >> 16 & 7)));
    exponent = random & 2 ? -exponent : exponent;
    *y = random & 4 ? -n : n;
    if (strcmp(name, "pown") == 0) {
        *x = exp2(exponent / *y);
    } else if (strcmp(name, "rootn") == 0) {
        *x = exp2(exponent * *y);
    } else if (strcmp(name, "compoundn") == 0) {
        *x = expm1(exponent / *y * 0x1.62e42fefa39efp-1);
    } else {
        *x = random & 8 ? 1 + unit / 32 : ldexp(1 + fabs(unit), (int)(random >> 32 & 31) - 16);
        *y = exponent / log2(*x);
    }
    if (!(*x > -1) || !isfinite(*x) || !isfinite(*y)) {
        *x = 1;
        *y = 1;
    }
}

#endif
