/* Rounding to integers. rint, nearbyint, lrint and llrint go by the rounding in force, the others by one of their own.
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

struct code_pattern pattern_of_integers(const struct format *format, uint64_t code,
                                        enum rounding rounding) {
    struct real x = format_decode(format, code);
    uint64_t last = last_of_binade(format, code);
    int bit = pattern_integer_bit(format, &x);
    if (x.kind == REAL_ZERO || bit <= 0)
        return pattern_of_line(0, last);
    if (x.exponent < 0) {
        struct real y = round_to_integer(&x, rounding);
        uint64_t first = last & ~(((uint64_t)1 << (format->precision - 1)) - 1);
        return pattern_of_constant(format, &y,
                                   x.exponent == -1 && code == first ? code : last); /* 1/2 */
    }
    uint64_t unit = (uint64_t)1 << bit;
    struct code_pattern pattern = {.last = last, .keep = ~(unit - 1), .odd_shift = (unsigned)bit};
    if (rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY) {
        pattern.odd = rounding == ROUND_NEAREST_EVEN;
        pattern.add = unit / 2 - pattern.odd;
    } else if (rounding == (x.negative ? ROUND_DOWN : ROUND_UP)) {
        pattern.add = unit - 1;
    }
    return pattern;
}

static struct real integer_of_64_bits(const struct real *x, enum rounding rounding) {
    struct real y = round_to_integer(x, rounding);
    if (y.kind == REAL_ZERO)
        return real_zero(false);
    bool least = y.kind == REAL_FINITE && y.negative && y.exponent == 63 &&
                 y.significand.high == UINT64_C(1) << 63;
    return y.kind == REAL_FINITE && (y.exponent < 63 || least) ? y : real_nan();
}

/* -0 becomes 0; from 2^63 on nothing is left but -2^63. */
static struct code_pattern pattern_of_64_bits(const struct format *format, uint64_t code,
                                              enum rounding rounding) {
    struct real x = format_decode(format, code), y = integer_of_64_bits(&x, rounding);
    struct code_pattern pattern = pattern_of_integers(format, code, rounding);
    if (y.kind == REAL_ZERO)
        return pattern_of_constant(format, &y, pattern.last);
    if (x.exponent < 63)
        return pattern;
    return pattern_of_constant(format, &y, y.kind == REAL_NAN ? pattern.last : code);
}

#define ROUNDS(NAME, FUNCTION, PATTERN, ROUNDING)                                                  \
    static struct real exact_##NAME(const struct real *x, const struct exact_setting *setting) {   \
        (void)setting;                                                                             \
        return FUNCTION(x, ROUNDING);                                                              \
    } static struct code_pattern pattern_##NAME(const uint64_t *codes,                             \
                                                const struct exact_setting *setting) {             \
        return PATTERN(setting->format, *codes, ROUNDING);                                         \
    }
#define ROUNDS_TO_INTEGER(NAME, ROUNDING)                                                          \
    ROUNDS(NAME, round_to_integer, pattern_of_integers, ROUNDING)
#define ROUNDS_TO_64_BITS(NAME, ROUNDING)                                                          \
    ROUNDS(NAME, integer_of_64_bits, pattern_of_64_bits, ROUNDING)
ROUNDS_TO_INTEGER(rint, setting->rounding)
ROUNDS_TO_INTEGER(roundeven, ROUND_NEAREST_EVEN)
ROUNDS_TO_INTEGER(round, ROUND_NEAREST_AWAY)
ROUNDS_TO_INTEGER(trunc, ROUND_TOWARD_ZERO)
ROUNDS_TO_INTEGER(ceil, ROUND_UP)
ROUNDS_TO_INTEGER(floor, ROUND_DOWN)
ROUNDS_TO_64_BITS(lrint, setting->rounding)
ROUNDS_TO_64_BITS(lround, ROUND_NEAREST_AWAY)

#define KEPT         "0=0 -0=-0 inf=inf -inf=-inf 3=3 -16=-16 0x1p100=0x1p100 "
#define KEPT_INTEGER "0=0 -0=0 inf=nan -inf=nan 3=3 -16=-16 0x1p100=nan -0x1p63=-0x1p63 0x1p63=nan "
#define HALVES       "0.25 0.5 1 1.5 2.5 8388608 4503599627370496"
#define ROW(NAME, FORMULA, FUNCTION, SIGNATURE, PARITY, EXCEPTIONS, KNOWN)                         \
    {                                                                                              \
        .name = #NAME, .formula = FORMULA, .operands = 1, .results = 1, .exceptions = EXCEPTIONS,  \
        .errno_is_open = true,                                                                     \
        .result = {{.parity = PARITY_##PARITY,                                                     \
                    .exact = exact_##FUNCTION,                                                     \
                    .pattern = pattern_##FUNCTION,                                                 \
                    .known_values = KNOWN}},                                                       \
        .platform = {.symbol = #NAME, .signature = SIGNATURE},                                     \
        .landmarks = HALVES " 9223372036854775808"                                                 \
    }
static const struct operation rows[] = {
    ROW(rint, "x rounded to an integer", rint, C_NUMBERS, ODD, EXCEPTIONS_OF_RINT, KEPT),
    ROW(nearbyint, "x rounded to an integer; raises no inexact", rint, C_NUMBERS, ODD,
        EXCEPTIONS_OF_EXACT, KEPT),
    ROW(roundeven, "x to the nearest integer, ties to even", roundeven, C_NUMBERS, ODD,
        EXCEPTIONS_OF_EXACT, KEPT "0.5=0 -0.5=-0 1.5=2 2.5=2 -2.5=-2 -0.25=-0"),
    ROW(round, "x to the nearest integer, ties away from 0", round, C_NUMBERS, ODD,
        EXCEPTIONS_OF_EXACT,
        KEPT "0.5=1 -0.5=-1 1.5=2 2.5=3 -2.5=-3 -0.25=-0 0x1.fffffffffffffp-2=0"),
    ROW(trunc, "x to an integer, toward 0", trunc, C_NUMBERS, ODD, EXCEPTIONS_OF_EXACT,
        KEPT "1.75=1 -1.75=-1 -0.5=-0"),
    ROW(ceil, "the least integer not below x", ceil, C_NUMBERS, NONE, EXCEPTIONS_OF_EXACT,
        KEPT "1.25=2 -1.75=-1 -0.5=-0 0x1p-1074=1"),
    ROW(floor, "the greatest integer not above x", floor, C_NUMBERS, NONE, EXCEPTIONS_OF_EXACT,
        KEPT "1.75=1 -1.25=-2 0.5=0 -0x1p-1074=-1"),
    ROW(lrint, "x rounded to an integer of 64 bits", lrint, C_RETURNS_LONG, NONE,
        EXCEPTIONS_OF_RINT, KEPT_INTEGER),
    ROW(llrint, "x rounded to an integer of 64 bits", lrint, C_RETURNS_LONG_LONG, NONE,
        EXCEPTIONS_OF_RINT, KEPT_INTEGER),
    ROW(lround, "x to the nearest integer of 64 bits, ties away from 0", lround, C_RETURNS_LONG,
        NONE, EXCEPTIONS_OF_LROUND, KEPT_INTEGER "0.5=1 -0.25=0 -2.5=-3"),
    ROW(llround, "x to the nearest integer of 64 bits, ties away from 0", lround,
        C_RETURNS_LONG_LONG, NONE, EXCEPTIONS_OF_LROUND, KEPT_INTEGER "0.5=1 -0.25=0 -2.5=-3"),
};
OPERATION_FAMILY(integral, rows);
