/* Conversions between MPFR numbers and `struct real`. */
#include "format/real.h"

#include "base/bits.h"

struct real real_huge(bool negative) {
    return (struct real){.kind = REAL_FINITE,
                         .negative = negative,
                         .inexact = true,
                         .exponent = REAL_HUGE_EXPONENT,
                         .significand = {UINT64_C(1) << 63, 0}};
}

struct real real_tiny(bool negative) {
    struct real real = real_huge(negative);
    real.exponent = REAL_TINY_EXPONENT;
    return real;
}

struct real real_power_of_two(int32_t exponent) {
    return (struct real){
        .kind = REAL_FINITE, .exponent = exponent, .significand = {UINT64_C(1) << 63, 0}};
}

struct real real_zero(bool negative) {
    return (struct real){.kind = REAL_ZERO, .negative = negative};
}

struct real real_infinity(bool negative) {
    return (struct real){.kind = REAL_INFINITE, .negative = negative};
}

struct real real_nan(void) {
    return (struct real){.kind = REAL_NAN};
}

/* The bits of a nonzero finite MPFR number, first bit at 127. MPFR keeps them in limbs, most
 * significant last, the first bit at the top (MPFR manual, section "Internals"). */
static struct wide top_bits(mpfr_srcptr value) {
    const mp_limb_t *limbs = value->_mpfr_d;
    mpfr_prec_t precision = mpfr_get_prec(value);
#if GMP_NUMB_BITS == 64
    return (struct wide){limbs[precision > 64], precision > 64 ? limbs[0] : 0};
#else
    struct wide bits = {0, 0};
    unsigned shift = 128;
    for (mpfr_prec_t i = (precision - 1) / GMP_NUMB_BITS; i >= 0 && shift; i--) {
        shift -= GMP_NUMB_BITS;
        bits = wide_add(bits, wide_shift_left((struct wide){0, limbs[i]}, shift));
    }
    return bits;
#endif
}

struct real real_from_mpfr(mpfr_srcptr value, int ternary) {
    bool negative = mpfr_signbit(value) != 0;
    if (mpfr_regular_p(value)) {
        mpfr_exp_t exponent = mpfr_get_exp(value) - 1;
        if (exponent > REAL_HUGE_EXPONENT)
            return real_huge(negative);
        if (exponent < REAL_TINY_EXPONENT)
            return real_tiny(negative);
        return (struct real){.kind = REAL_FINITE,
                             .negative = negative,
                             .inexact = ternary != 0,
                             .exponent = (int32_t)exponent,
                             .significand = top_bits(value)};
    }
    if (mpfr_nan_p(value))
        return real_nan();
    if (mpfr_inf_p(value))
        return ternary ? real_huge(negative) : real_infinity(negative);
    return ternary ? real_tiny(negative) : real_zero(negative);
}

struct real real_from_double(double value) {
    uint64_t bits = bits_of(value);
    bool negative = bits >> 63 != 0;
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (biased == 0x7ff)
        return fraction ? real_nan() : real_infinity(negative);
    if (!biased && !fraction)
        return real_zero(negative);
    uint64_t significand = biased ? fraction | UINT64_C(1) << 52 : fraction;
    unsigned shift = leading_zeros(significand);
    return (struct real){.kind = REAL_FINITE,
                         .negative = negative,
                         .exponent = (biased ? biased : 1) - 1012 - (int)shift,
                         .significand = {significand << shift, 0}};
}

double real_to_double(const struct real *real) {
    const int below = -1022 - real->exponent; /* of a subnormal number: by how much */
    uint64_t bits = 0;
    if (real->kind == REAL_FINITE && below > 0)
        bits = below < 53 ? real->significand.high >> (11 + below) : 0;
    else if (real->kind == REAL_FINITE)
        bits = (uint64_t)(real->exponent + 1023) << 52 | real->significand.high << 1 >> 12;
    else if (real->kind != REAL_ZERO)
        bits = (uint64_t)(real->kind == REAL_NAN ? 0xfff : 0xffe) << 51;
    return from_bits(bits | (uint64_t)real->negative << 63);
}

void real_to_mpfr(mpfr_ptr value, const struct real *real) {
    int sign = real->negative ? -1 : 1;
    switch (real->kind) {
    case REAL_NAN:
        mpfr_set_nan(value);
        return;
    case REAL_INFINITE:
        mpfr_set_inf(value, sign);
        return;
    case REAL_ZERO:
        mpfr_set_zero(value, sign);
        return;
    case REAL_FINITE:
        break;
    }
#if GMP_NUMB_BITS == 64
    /* Written in place: this runs once per operand of every input of a sweep. */
    mpfr_prec_t precision = mpfr_get_prec(value);
    mp_limb_t *limbs = value->_mpfr_d;
    mp_size_t last = (precision - 1) / 64;
    for (mp_size_t i = 0; i < last; i++)
        limbs[i] = 0;
    limbs[last] = real->significand.high;
    if (last > 0)
        limbs[last - 1] = real->significand.low;
    value->_mpfr_exp = real->exponent + 1;
    value->_mpfr_sign = sign;
#else
    mpfr_set_uj_2exp(value, real->significand.high, real->exponent - 63, MPFR_RNDZ);
    mpfr_t low;
    mpfr_init2(low, 64);
    mpfr_set_uj_2exp(low, real->significand.low, real->exponent - 127, MPFR_RNDZ);
    mpfr_add(value, value, low, MPFR_RNDZ);
    mpfr_clear(low);
    mpfr_setsign(value, value, real->negative, MPFR_RNDZ);
#endif
}

bool real_is_smaller(const struct real *a, const struct real *b) {
    if (a->kind != b->kind || a->kind != REAL_FINITE)
        return a->kind < b->kind; /* zero, finite, infinite, NaN */
    if (a->exponent != b->exponent)
        return a->exponent < b->exponent;
    return wide_compare(a->significand, b->significand) < 0;
}
