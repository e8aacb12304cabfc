/* The digits of a number, exactly rounded. */
#include "op/decimal/decimal.h"

#include <stdlib.h>
#include <string.h>

static void power_of_ten(mpz_t power, long exponent) {
    mpz_ui_pow_ui(power, 10, (unsigned long)exponent);
}

/* |x| as numerator / denominator, of which one is a power of two. */
static void fraction(mpz_t numerator, mpz_t denominator, const struct real *x) {
    const uint64_t words[] = {x->significand.low, x->significand.high};
    mpz_import(numerator, 2, -1, sizeof *words, 0, 0, words);
    mpz_set_ui(denominator, 1);
    const long shift = (long)x->exponent - 127;
    if (shift >= 0)
        mpz_mul_2exp(numerator, numerator, (mp_bitcnt_t)shift);
    else
        mpz_mul_2exp(denominator, denominator, (mp_bitcnt_t)-shift);
}

/* numerator / denominator, rounded; the sign is that of the number. */
static void round_quotient(mpz_t q, const mpz_t numerator, const mpz_t denominator,
                           enum rounding rounding, bool negative) {
    mpz_t rest;
    mpz_init(rest);
    mpz_tdiv_qr(q, rest, numerator, denominator);
    const bool exact = mpz_sgn(rest) == 0;
    mpz_mul_2exp(rest, rest, 1);
    const int beside_half = mpz_cmp(rest, denominator);
    bool away;
    switch (rounding) {
    case ROUND_TOWARD_ZERO:
        away = false;
        break;
    case ROUND_UP:
        away = !exact && !negative;
        break;
    case ROUND_DOWN:
        away = !exact && negative;
        break;
    case ROUND_NEAREST_AWAY:
        away = beside_half >= 0;
        break;
    default:
        away = beside_half > 0 || (beside_half == 0 && mpz_odd_p(q));
    }
    mpz_add_ui(q, q, away);
    mpz_clear(rest);
}

void decimal_scaled(mpz_t integer, const struct real *x, long place, enum rounding rounding) {
    mpz_t numerator, denominator, power;
    mpz_inits(numerator, denominator, power, NULL);
    fraction(numerator, denominator, x);
    power_of_ten(power, labs(place));
    if (place >= 0)
        mpz_mul(denominator, denominator, power);
    else
        mpz_mul(numerator, numerator, power);
    round_quotient(integer, numerator, denominator, rounding, x->negative);
    mpz_clears(numerator, denominator, power, NULL);
}

long decimal_exponent(const struct real *x) {
    /* 1233 / 4096 is log10 2 to 2^-15: for exponents below 2^14 the estimate is off by one at most. */
    long exponent = (long)x->exponent * 1233 / 4096 - 2;
    mpz_t integer;
    mpz_init(integer);
    for (;; exponent++) {
        decimal_scaled(integer, x, exponent + 1, ROUND_TOWARD_ZERO);
        if (mpz_sgn(integer) == 0)
            break;
    }
    mpz_clear(integer);
    return exponent;
}

/* The digits of integer 10^place, and where they stand. */
static struct decimal digits_of(const mpz_t integer, long place, bool negative) {
    struct decimal decimal = {negative, malloc(mpz_sizeinbase(integer, 10) + 2), place};
    if (!decimal.digits)
        return decimal;
    mpz_get_str(decimal.digits, 10, integer);
    size_t length = strlen(decimal.digits);
    decimal.exponent += (long)length - 1;
    while (length > 1 && decimal.digits[length - 1] == '0')
        decimal.digits[--length] = '\0';
    return decimal;
}

struct decimal decimal_of(const struct real *x, long digits, enum rounding rounding) {
    mpz_t integer;
    mpz_init(integer);
    const long place = decimal_exponent(x) - (digits - 1);
    decimal_scaled(integer, x, place, rounding);
    struct decimal decimal = digits_of(integer, place, x->negative);
    mpz_clear(integer);
    return decimal;
}

/* integer 10^place. */
static void set_decimal(mpq_t value, const mpz_t integer, long place) {
    mpz_t power;
    mpz_init(power);
    power_of_ten(power, labs(place));
    mpq_set_z(value, integer);
    if (place >= 0)
        mpz_mul(mpq_numref(value), mpq_numref(value), power);
    else
        mpz_set(mpq_denref(value), power);
    mpq_canonicalize(value);
    mpz_clear(power);
}

/* From |x| up and down to where its neighbours begin: half the distance to them, and whether the middle is read as x. */
struct interval_of_number {
    mpq_t magnitude, up, down;
    bool closed;
};

static void open_interval(struct interval_of_number *interval, const struct real *x,
                          const struct format *format) {
    mpq_inits(interval->magnitude, interval->up, interval->down, NULL);
    fraction(mpq_numref(interval->magnitude), mpq_denref(interval->magnitude), x);
    mpq_canonicalize(interval->magnitude);
    const bool subnormal = x->exponent < format->emin;
    const long unit = (subnormal ? format->emin : x->exponent) - (long)format->precision + 1;
    const bool is_power = !(x->significand.high << 1) && !x->significand.low;
    mpq_set_ui(interval->up, 1, 1);
    if (unit - 1 >= 0)
        mpq_mul_2exp(interval->up, interval->up, (mp_bitcnt_t)(unit - 1));
    else
        mpq_div_2exp(interval->up, interval->up, (mp_bitcnt_t)(1 - unit));
    mpq_set(interval->down, interval->up);
    if (is_power && x->exponent > format->emin)
        mpq_div_2exp(interval->down, interval->down, 1);
    /* Nearest-even reads the middle as x where its last place is even. */
    interval->closed = !(x->significand.high >> (63 - (x->exponent - unit)) & 1);
}

static bool is_within(const struct interval_of_number *interval, const mpq_t value,
                      mpq_t distance) {
    mpq_sub(distance, value, interval->magnitude);
    const bool above = mpq_sgn(distance) > 0;
    mpq_abs(distance, distance);
    const int order = mpq_cmp(distance, above ? interval->up : interval->down);
    return order < 0 || (order == 0 && interval->closed);
}

struct decimal decimal_shortest(const struct real *x, const struct format *format) {
    struct interval_of_number interval;
    open_interval(&interval, x, format);
    mpz_t below, above;
    mpq_t values[2], distances[2];
    mpz_inits(below, above, NULL);
    mpq_inits(values[0], values[1], distances[0], distances[1], NULL);
    struct decimal decimal = {0};
    const long exponent = decimal_exponent(x);
    for (long place = exponent; !decimal.digits; place--) {
        decimal_scaled(below, x, place, ROUND_TOWARD_ZERO); /* of |x|: toward zero is down */
        mpz_add_ui(above, below, 1);
        set_decimal(values[0], below, place);
        set_decimal(values[1], above, place);
        const bool within[2] = {mpz_sgn(below) && is_within(&interval, values[0], distances[0]),
                                is_within(&interval, values[1], distances[1])};
        if (!within[0] && !within[1])
            continue;
        const int order = mpq_cmp(distances[0], distances[1]);
        const bool up =
            !within[0] || (within[1] && (order > 0 || (order == 0 && mpz_odd_p(below))));
        decimal = digits_of(up ? above : below, place, x->negative);
        if (!decimal.digits)
            break;
    }
    mpz_clears(below, above, NULL);
    mpq_clears(values[0], values[1], distances[0], distances[1], NULL);
    mpq_clears(interval.magnitude, interval.up, interval.down, NULL);
    return decimal;
}

void decimal_free(struct decimal *decimal) {
    free(decimal->digits);
    decimal->digits = NULL;
}
