/* What the tests of fp64's functions share: drawn numbers, bits, and the right results, which are MPFR's. */
#ifndef DETCHECK_TESTS_DETMATH_F64_H
#define DETCHECK_TESTS_DETMATH_F64_H

#include "base/bits.h"

#include "../base/random.h"
#include "mpfr_gates.h"
#include "mpfr_gelus.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <mpfr.h>

/* A function by MPFR, of one operand or of two; the other member is NULL. */
struct exact {
    int (*unary)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*binary)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
};

/* ln|gamma|, without the sign of gamma that MPFR gives beside it. */
static inline int mpfr_log_gamma(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    int sign;
    return mpfr_lgamma(y, &sign, x, rounding);
}
#define mpfr_lgamma mpfr_log_gamma
#define mpfr_tgamma mpfr_gamma

/* As IEEE 754 has it: MPFR's is inf at -0. */
static inline int mpfr_rsqrt(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    int inexact = mpfr_rec_sqrt(y, x, rounding);
    if (mpfr_zero_p(x))
        mpfr_set_inf(y, mpfr_signbit(x) ? -1 : 1);
    return inexact;
}

static inline int mpfr_recip(mpfr_t y, const mpfr_t x, mpfr_rnd_t rounding) {
    return mpfr_ui_div(y, 1, x, rounding);
}

/* All NaNs have the bits of the one that detmath returns. */
static inline uint64_t canonical_bits(double x) {
    return x != x ? UINT64_C(0x7ff8000000000000) : bits_of(x);
}

/* From 0 to below 1, and from 1 to below 2. */
static inline double random_unit(uint64_t *seed) {
    return (double)(random_bits(seed) >> 11) * 0x1p-53;
}
static inline double random_significand(uint64_t *seed) {
    return 1 + (double)(random_bits(seed) >> 12) * 0x1p-52;
}

/* By kind: any bits, numbers around 1, numbers that overflow exponentials or nearly do, numbers next to 0 and to 1, numbers
 * below 1 and from 1 on where most functions need no help, and large numbers. */
static inline double draw_operand(uint64_t *seed, size_t kind) {
    uint64_t bits = random_bits(seed);
    double unit = random_unit(seed);
    switch (kind % 10) {
    case 0:
        return from_bits(bits);
    case 1:
        return 3 * unit;
    case 2:
        return 2200 * unit - 1100;
    case 3:
        return 800 * unit - 400;
    case 4:
        return ldexp(2 * unit - 1, -(int)(bits & 63));
    case 5:
        return 1 + ldexp(2 * unit - 1, -1 - (int)(bits & 31));
    case 6:
        return 0.25 + 0.75 * unit;
    case 7:
        return 1 + unit;
    case 8:
        return ldexp(bits & 64 ? 1 + unit : -1 - unit, (int)(bits & 63) % 50);
    default:
        return ldexp(bits & 64 ? 1 + unit : -1 - unit, 41 + (int)(bits >> 7 & 1023) % 982);
    }
}

static inline int call_exact(struct exact function, mpfr_t result, const mpfr_t x, const mpfr_t y) {
    return function.unary ? function.unary(result, x, MPFR_RNDN)
                          : function.binary(result, x, y, MPFR_RNDN);
}

/* The result rounded to nearest-even, subnormal numbers too. Functions of one operand do not look at y. */
static inline double rounded(struct exact function, double x, double y) {
    mpfr_t operands[2], result;
    mpfr_inits2(53, operands[0], operands[1], result, (mpfr_ptr)0);
    mpfr_set_d(operands[0], x, MPFR_RNDN);
    mpfr_set_d(operands[1], y, MPFR_RNDN);
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int inexact = call_exact(function, result, operands[0], operands[1]);
    mpfr_subnormalize(result, inexact, MPFR_RNDN);
    double right = mpfr_get_d(result, MPFR_RNDN);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_clears(operands[0], operands[1], result, (mpfr_ptr)0);
    return right;
}

/* How far `got` is from the result before that is rounded to `right`, in ulps of `right`. Infinity stands for what would be the
 * next number of fp64. 0 where both overflow, or are no numbers. */
static inline double error_in_ulps(struct exact function, double x, double y, double got,
                                   double right) {
    if (!isfinite(right) && !isfinite(got))
        return 0;
    mpfr_t operands[2], exact;
    mpfr_inits2(53, operands[0], operands[1], (mpfr_ptr)0);
    mpfr_init2(exact, 240);
    mpfr_set_d(operands[0], x, MPFR_RNDN);
    mpfr_set_d(operands[1], y, MPFR_RNDN);
    call_exact(function, exact, operands[0], operands[1]);
    if (isinf(got))
        mpfr_sub_d(exact, exact, copysign(0x1p1023, got), MPFR_RNDN);
    mpfr_sub_d(exact, exact, isinf(got) ? copysign(0x1p1023, got) : got, MPFR_RNDN);
    int exponent = right == 0 ? -1022 : isfinite(right) ? ilogb(right) : 1023;
    mpfr_mul_2si(exact, exact, 52 - (exponent < -1022 ? -1022 : exponent), MPFR_RNDN);
    double error = fabs(mpfr_get_d(exact, MPFR_RNDU));
    mpfr_clears(operands[0], operands[1], exact, (mpfr_ptr)0);
    return error;
}

#endif
