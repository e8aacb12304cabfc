/* Rounding a real to a code, in one place for every format and direction. */
#include "format/format.h"

/* Whether the magnitude is rounded away from zero, given what lies beyond the bits kept. */
static bool rounds_away(enum rounding rounding, bool negative, bool odd, bool half, bool rest) {
    switch (rounding) {
    case ROUND_NEAREST_EVEN:
        return half && (rest || odd);
    case ROUND_NEAREST_AWAY:
        return half;
    case ROUND_NEAREST_UP:
        return half && (rest || !negative);
    case ROUND_UP:
        return !negative && (half || rest);
    case ROUND_DOWN:
        return negative && (half || rest);
    default:
        return false;
    }
}

static uint64_t overflowed(const struct format *format, bool negative, enum rounding rounding,
                           enum overflow overflow) {
    bool stays = overflow == OVERFLOW_SATURATE || rounding == ROUND_TOWARD_ZERO ||
                 (rounding == ROUND_UP && negative) || (rounding == ROUND_DOWN && !negative);
    if (stays || (!format->has_infinity && !format->has_nan))
        return format_with_sign(format, format_most(format, negative), negative);
    if (!format->has_infinity)
        return format->nan;
    return format_with_sign(format, format->max_finite + 1, negative);
}

/* Whether what is cut off, its first bit worth half, exceeds the random number. */
static bool exceeds(struct wide cut_off, const struct random_bits *random) {
    return cut_off.high >> (64 - random->count) > random->number;
}

/* Beyond the binade of the largest number it is not computed. */
struct rounded format_round(const struct format *format, const struct real *value,
                            enum rounding rounding, const struct random_bits *random) {
    static const struct rounded beyond_all = {UINT64_MAX, true};
    int exponent = value->exponent;
    if (exponent > format->emax)
        return beyond_all;
    /* Bits that this binade keeps: fewer among the subnormals; none, or less than none, below. */
    int kept = format->precision - (exponent < format->emin ? format->emin - exponent : 0);
    uint64_t integer = 0;
    bool half = false, rest = true;
    struct wide beyond = wide_shift_right(value->significand, kept < 0 ? (unsigned)-kept : 0);
    if (kept >= 0) {
        beyond = wide_shift_left(value->significand, (unsigned)kept);
        integer = kept ? value->significand.high >> (64 - kept) : 0;
        half = beyond.high >> 63;
        rest = value->inexact || !wide_is_zero(wide_shift_left(beyond, 1));
    }
    bool away = rounding == ROUND_STOCHASTIC
                    ? exceeds(beyond, random)
                    : rounds_away(rounding, value->negative, integer & 1, half, rest);
    if (away && integer == UINT64_MAX) /* of integers of 64 bits */
        return beyond_all;
    integer += away;
    /* Adding the integer to the exponent field lets a carry out of the significand move into it,
     * from the subnormals to the normals too. */
    if (exponent > format->emin)
        integer += (uint64_t)(exponent - format->emin) << (format->precision - 1);
    /* Without a zero, code 0 is the smallest number, and takes what is below it. */
    integer -= !format->has_zero && integer;
    return (struct rounded){integer, integer > format_most(format, value->negative)};
}

struct rounded_integer format_round_integer(const struct real *value, enum rounding rounding,
                                            const struct random_bits *random) {
    int exponent = value->exponent;
    if (exponent > 127)
        return (struct rounded_integer){
            wide_shift_left(value->significand, (unsigned)exponent - 127), true};
    struct wide integer = {0, 0};
    struct wide beyond =
        wide_shift_right(value->significand, exponent < -1 ? (unsigned)(-1 - exponent) : 0);
    bool half = exponent == -1, rest = true;
    if (exponent >= -1) {
        integer = wide_shift_right(value->significand, (unsigned)(127 - exponent));
        beyond = wide_shift_left(value->significand, (unsigned)(exponent + 1));
        half = beyond.high >> 63;
        rest = value->inexact || !wide_is_zero(wide_shift_left(beyond, 1));
    }
    bool away = rounding == ROUND_STOCHASTIC
                    ? exceeds(beyond, random)
                    : rounds_away(rounding, value->negative, integer.low & 1, half, rest);
    struct wide magnitude = wide_add(integer, (struct wide){0, away});
    return (struct rounded_integer){magnitude, away && wide_is_zero(magnitude)};
}

static uint64_t encode_finite(const struct format *format, const struct real *value,
                              enum rounding rounding, enum overflow overflow) {
    if (!format->sign_bit && value->negative)
        return format->nan;
    struct rounded rounded = format_round(format, value, rounding, NULL);
    if (rounded.overflows)
        return overflowed(format, value->negative, rounding, overflow);
    return format_with_sign(format, rounded.magnitude, value->negative);
}

bool format_overflows(const struct format *format, const struct real *value,
                      enum rounding rounding) {
    /* Random bits take a number away from zero, but never keep it from overflowing. */
    if (rounding == ROUND_STOCHASTIC)
        rounding = ROUND_TOWARD_ZERO;
    return value->kind == REAL_INFINITE ||
           (value->kind == REAL_FINITE && format_round(format, value, rounding, NULL).overflows);
}

uint64_t format_encode(const struct format *format, const struct real *value,
                       enum rounding rounding, enum overflow overflow) {
    switch (value->kind) {
    case REAL_FINITE:
        return encode_finite(format, value, rounding, overflow);
    case REAL_ZERO:
        if (!format->has_zero)
            return format->nan;
        return format_with_sign(format, 0,
                                value->negative || (value->cancelled && rounding == ROUND_DOWN));
    case REAL_INFINITE:
        if (!format->sign_bit && value->negative)
            return format->nan;
        return overflowed(format, value->negative, ROUND_NEAREST_EVEN, overflow);
    default:
        return format->nan;
    }
}

uint64_t format_encode_mpfr(const struct format *format, mpfr_srcptr value, enum rounding rounding,
                            enum overflow overflow) {
    mpfr_t truncated;
    mpfr_init2(truncated, 128);
    int ternary = mpfr_set(truncated, value, MPFR_RNDZ);
    struct real real = real_from_mpfr(truncated, ternary);
    mpfr_clear(truncated);
    return format_encode(format, &real, rounding, overflow);
}
