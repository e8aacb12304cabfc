/* Inputs of to_decimal: numbers next to what separates two texts. */
#include "op/decimal/draws.h"
#include "op/decimal/near.h"
#include "op/decimal/rows.h"

#include <stdlib.h>

enum writing { NUMBERS, TIES, NEAR_TIES, POWERS_BESIDE, LEAST };

/* How many significant digits texts have. */
static long significant(const struct array_call *call, uint64_t key) {
    const long given = decimal_digits_of(call), digits = given < 0 ? 6 : given;
    switch (decimal_style_of(call)) {
    case STYLE_EXPONENT:
        return digits + 1;
    case STYLE_GENERAL:
        return digits ? digits : 1;
    case STYLE_SHORTEST:
        return 15 + (long)draw_below(key, 81, 3);
    default:
        return 1 + (long)draw_below(key, 82, 17);
    }
}

static struct real from_integer(const mpz_t integer, long exponent) {
    mpfr_t value;
    mpfr_init2(value, 120);
    const int ternary = mpfr_set_z_2exp(value, integer, exponent, MPFR_RNDZ);
    const struct real x = real_from_mpfr(value, ternary);
    mpfr_clear(value);
    return x;
}

/* integer / 2^places whose decimals end one digit behind the last that is kept, in 5. */
static struct real tie(const struct array_call *call, uint64_t key) {
    const struct format *format = call->operands[0].format;
    const long digits = significant(call, key), given = decimal_digits_of(call);
    const bool fixed = decimal_style_of(call) == STYLE_FIXED;
    long places = fixed ? (given < 0 ? 6 : given) + 1
                        : (long)draw_below(key, 83, (uint64_t)(digits < 20 ? digits : 20) + 1);
    mpz_t integer;
    mpz_init_set_ui(integer, 10);
    if (fixed) /* any odd one */
        mpz_set_ui(integer, (unsigned long)(detmath_random(key, 84) >> (64 - format->precision)) >>
                                draw_below(key, 85, (uint64_t)format->precision));
    else { /* of so many digits before the point that one more than are kept are there */
        const long before = digits + 1 - places;
        mpz_ui_pow_ui(integer, 10, (unsigned long)(before > 0 ? before : 0));
        mpz_mul_ui(integer, integer, (unsigned long)(detmath_random(key, 86) >> 33));
        mpz_tdiv_q_2exp(integer, integer, 31);
        if (places == 0) { /* an integer that ends in 5 */
            mpz_tdiv_q_ui(integer, integer, 10);
            mpz_mul_ui(integer, integer, 10);
            mpz_add_ui(integer, integer, 5);
        } else {
            mpz_mul_2exp(integer, integer, (mp_bitcnt_t)places);
            mpz_add_ui(integer, integer,
                       (unsigned long)(detmath_random(key, 87) & ((UINT64_C(1) << places) - 1)));
        }
    }
    if (places)
        mpz_setbit(integer, 0);
    const struct real x = from_integer(integer, -places);
    mpz_clear(integer);
    return x;
}

/* A number next to the middle of two texts of so many digits: M 2^e, where M 2^(e+1) / 10^k is nearly an odd integer. */
static struct real near_tie(const struct array_call *call, uint64_t key) {
    const struct format *format = call->operands[0].format;
    const long digits = significant(call, key);
    const long exponent = format->emin - format->precision + 1 +
                          (long)draw_below(key, 88, (uint64_t)(format->emax - format->emin + 1));
    mpz_t factor, numerator, denominator, most_factor, most;
    mpz_inits(factor, numerator, denominator, most_factor, most, NULL);
    const struct real top = real_power_of_two((int32_t)(exponent + format->precision - 1));
    const long place = decimal_exponent(&top) - digits + 1;
    mpz_ui_pow_ui(denominator, 10, (unsigned long)(place > 0 ? place : 0));
    mpz_ui_pow_ui(numerator, 10, (unsigned long)(place < 0 ? -place : 0));
    mpz_mul_2exp(exponent + 1 > 0 ? numerator : denominator,
                 exponent + 1 > 0 ? numerator : denominator, (mp_bitcnt_t)labs(exponent + 1));
    mpz_ui_pow_ui(most, 10, (unsigned long)digits);
    mpz_mul_ui(most, most, 2);
    mpz_set_ui(most_factor, 1);
    mpz_mul_2exp(most_factor, most_factor, (mp_bitcnt_t)format->precision);
    mpz_sub_ui(most_factor, most_factor, 1);
    near_odd(factor, numerator, denominator, most_factor, most, detmath_random(key, 89));
    const struct real x = from_integer(factor, exponent);
    mpz_clears(factor, numerator, denominator, most_factor, most, NULL);
    return x;
}

static struct real power_beside(const struct format *format, uint64_t key) {
    mpfr_t value;
    mpfr_init2(value, 120);
    int ternary = 0;
    if (detmath_random(key, 90) & 1)
        mpfr_set_ui_2exp(
            value, 1,
            format->emin - format->precision + 1 +
                (long)draw_below(key, 91,
                                 (uint64_t)(format->emax - format->emin + format->precision)),
            MPFR_RNDZ);
    else {
        mpfr_set_si(value, draw_exponent(format, key), MPFR_RNDZ);
        ternary = mpfr_exp10(value, value, MPFR_RNDZ);
    }
    const struct real x = real_from_mpfr(value, ternary);
    mpfr_clear(value);
    return x;
}

static void draw_numbers(const struct array_call *call, const struct array_family *family,
                         uint64_t seed, uint64_t number) {
    const enum writing writing = *(const enum writing *)family->data;
    const struct array *numbers = &call->operands[0];
    const struct format *format = numbers->format;
    for (uint64_t i = 0; i < shape_elements(&numbers->shape); i++) {
        const uint64_t key = detmath_random(detmath_random(seed, number), i);
        struct real x = format_decode(format, draw_code(format, key));
        if (writing == TIES)
            x = tie(call, key);
        if (writing == NEAR_TIES)
            x = near_tie(call, key);
        if (writing == POWERS_BESIDE)
            x = power_beside(format, key);
        uint64_t code = format_encode(format, &x, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE);
        if (writing == POWERS_BESIDE)
            code += draw_below(key, 92, 5) - 2;
        if (writing == LEAST)
            code = draw_below(key, 93, 2) ? draw_below(key, 94, 256)
                                          : format->max_finite - draw_below(key, 94, 16);
        code &= format_mask(format) & ~format->sign_bit;
        code = code > format->max_finite ? format->max_finite : code;
        if (format->sign_bit && detmath_random(key, 95) & 1 && (code || format->has_negative_zero))
            code |= format->sign_bit;
        array_set_code(numbers, i, code);
    }
}

#define WRITING(KIND) draw_numbers, &(const enum writing){KIND}, 0

const struct array_family to_decimal_families[] = {
    {"normal", "numbers of all exponents", WRITING(NUMBERS)},
    {"ties", "numbers in the middle of two texts", WRITING(TIES)},
    {"near-ties", "numbers next to the middle of two texts", WRITING(NEAR_TIES)},
    {"powers", "powers of two and of ten, and their neighbours", WRITING(POWERS_BESIDE)},
    {"ends", "the least and the largest numbers", WRITING(LEAST)},
    {0}};
