/* Rounding to integers. rint and its kin go by the rounding in force, the others by one of their own.
 *
 * lrint, llrint, lround and llround return integers of 64 bits. Where the result is none of those C
 * leaves it open, and here it is NaN (op/operation.h, enum c_signature). An integer has no -0. */
#include "op/function/family.h"

/* Whether a magnitude of `integer` and a rest is to be rounded up to the next integer: the rest's
 * first bit, and whether more follow. */
static bool goes_up(uint64_t integer, bool half, bool more, bool negative, enum rounding rounding) {
    switch (rounding) {
    case ROUND_UP:
        return !negative;
    case ROUND_DOWN:
        return negative;
    case ROUND_TOWARD_ZERO:
        return false;
    case ROUND_NEAREST_AWAY:
        return half;
    default:
        return half && (more || (integer & 1));
    }
}

struct real round_to_integer(const struct real *x, enum rounding rounding) {
    if (x->kind != REAL_FINITE || x->exponent >= 63)
        return *x;
    int exponent = x->exponent;
    uint64_t bits = x->significand.high;
    uint64_t integer = exponent < 0 ? 0 : bits >> (63 - exponent);
    /* The bits behind the point; of a number below 1/2 some bit that is not the first. */
    uint64_t rest = exponent >= 0 ? bits << (exponent + 1) : exponent == -1 ? bits : 1;
    if (rest && goes_up(integer, rest >> 63, rest << 1, x->negative, rounding))
        integer++;
    double magnitude = (double)integer; /* exact: with a rest there are not 53 bits before it */
    return real_from_double(x->negative ? -magnitude : magnitude);
}

static struct real integer_of_64_bits(const struct real *x, enum rounding rounding) {
    struct real y = round_to_integer(x, rounding);
    if (y.kind == REAL_ZERO)
        return real_zero(false);
    bool least = y.kind == REAL_FINITE && y.negative && y.exponent == 63 &&
                 y.significand.high == UINT64_C(1) << 63;
    return y.kind == REAL_FINITE && (y.exponent < 63 || least) ? y : real_nan();
}

#define ROUNDS(NAME, FUNCTION, ROUNDING)                                                           \
    static struct real NAME(const struct real *x, const struct exact_setting *setting) {           \
        (void)setting;                                                                             \
        return FUNCTION(x, ROUNDING);                                                              \
    }
ROUNDS(exact_rint, round_to_integer, setting->rounding)
ROUNDS(exact_roundeven, round_to_integer, ROUND_NEAREST_EVEN)
ROUNDS(exact_round, round_to_integer, ROUND_NEAREST_AWAY)
ROUNDS(exact_trunc, round_to_integer, ROUND_TOWARD_ZERO)
ROUNDS(exact_ceil, round_to_integer, ROUND_UP)
ROUNDS(exact_floor, round_to_integer, ROUND_DOWN)
ROUNDS(exact_lrint, integer_of_64_bits, setting->rounding)
ROUNDS(exact_lround, integer_of_64_bits, ROUND_NEAREST_AWAY)

#define KEPT         "0=0 -0=-0 inf=inf -inf=-inf 3=3 -16=-16 0x1p100=0x1p100 "
#define KEPT_INTEGER "0=0 -0=0 inf=nan -inf=nan 3=3 -16=-16 0x1p100=nan -0x1p63=-0x1p63 0x1p63=nan "
#define HALVES       "0.25 0.5 1 1.5 2.5 8388608 4503599627370496"
#define ROW(NAME, FORMULA, FUNCTION, SIGNATURE, EXCEPTIONS, KNOWN)                                 \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 1, .results = 1, .exceptions = EXCEPTIONS,  \
        .errno_is_open = true, .result = {{.exact = FUNCTION, .known_values = KNOWN}},             \
        .platform = {.symbol = #NAME, .signature = SIGNATURE},                                     \
        .landmarks = HALVES " 9223372036854775808"                                                 \
    }
static const struct operation rows[] = {
    ROW(rint, "x to an integer, as rounding is", exact_rint, C_NUMBERS, EXCEPTIONS_OF_RINT, KEPT),
    ROW(nearbyint, "x to an integer, as rounding is; raises no inexact", exact_rint, C_NUMBERS,
        EXCEPTIONS_OF_EXACT, KEPT),
    ROW(roundeven, "x to the nearest integer, ties to even", exact_roundeven, C_NUMBERS,
        EXCEPTIONS_OF_EXACT, KEPT "0.5=0 -0.5=-0 1.5=2 2.5=2 -2.5=-2 -0.25=-0"),
    ROW(round, "x to the nearest integer, ties away from 0", exact_round, C_NUMBERS,
        EXCEPTIONS_OF_EXACT,
        KEPT "0.5=1 -0.5=-1 1.5=2 2.5=3 -2.5=-3 -0.25=-0 0x1.fffffffffffffp-2=0"),
    ROW(trunc, "x to an integer, toward 0", exact_trunc, C_NUMBERS, EXCEPTIONS_OF_EXACT,
        KEPT "1.75=1 -1.75=-1 -0.5=-0"),
    ROW(ceil, "the least integer not below x", exact_ceil, C_NUMBERS, EXCEPTIONS_OF_EXACT,
        KEPT "1.25=2 -1.75=-1 -0.5=-0 0x1p-1074=1"),
    ROW(floor, "the greatest integer not above x", exact_floor, C_NUMBERS, EXCEPTIONS_OF_EXACT,
        KEPT "1.75=1 -1.25=-2 0.5=0 -0x1p-1074=-1"),
    ROW(lrint, "x to an integer of 64 bits, as rounding is", exact_lrint, C_RETURNS_LONG,
        EXCEPTIONS_OF_RINT, KEPT_INTEGER),
    ROW(llrint, "x to an integer of 64 bits, as rounding is", exact_lrint, C_RETURNS_LONG_LONG,
        EXCEPTIONS_OF_RINT, KEPT_INTEGER),
    ROW(lround, "x to the nearest integer of 64 bits, ties away from 0", exact_lround,
        C_RETURNS_LONG, EXCEPTIONS_OF_LROUND, KEPT_INTEGER "0.5=1 -0.25=0 -2.5=-3"),
    ROW(llround, "x to the nearest integer of 64 bits, ties away from 0", exact_lround,
        C_RETURNS_LONG_LONG, EXCEPTIONS_OF_LROUND, KEPT_INTEGER "0.5=1 -0.25=0 -2.5=-3"),
};
OPERATION_FAMILY(integral, rows);
