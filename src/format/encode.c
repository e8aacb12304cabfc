/* Rounding a real to a code, in one place for every format and direction. */
#include "format/format.h"

/* Whether the magnitude is rounded away from zero, given what lies beyond the bits kept, and whether the code of
 * what is kept is odd. */
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
    case ROUND_TO_ODD:
        return !odd && (half || rest);
    default:
        return false;
    }
}

/* Whether the rounding of a finite overflow stays at the largest number. To odd, that of an unsigned format of
 * P3109 with infinity is odd, and infinity is not. */
static bool stays_inside(const struct format *format, bool negative, enum rounding rounding) {
    return rounding == ROUND_TOWARD_ZERO || (rounding == ROUND_UP && negative) ||
           (rounding == ROUND_DOWN && !negative) ||
           (rounding == ROUND_TO_ODD && !negative && format->is_p3109 && !format->sign_bit &&
            format->has_infinity);
}

/* What becomes of a value beyond the largest number, or of a negative one where there is no sign. */
static uint64_t overflowed(const struct format *format, const struct real *value,
                           enum rounding rounding, enum overflow overflow) {
    const bool infinite = value->kind == REAL_INFINITE, negative = value->negative;
    bool stays =
        overflow == OVERFLOW_SATURATE ||
        (!infinite && (overflow == OVERFLOW_PROPAGATE || stays_inside(format, negative, rounding)));
    if (format->is_p3109 && negative && !format->sign_bit)
        return stays || overflow != OVERFLOW_IEEE ? 0 : format->nan;
    if (stays || (!format->has_infinity && (!format->has_nan || format->is_p3109)))
        return format_with_sign(format, format_most(format, negative), negative);
    if (!format->has_infinity)
        return format->nan;
    return format_with_sign(format, format->max_finite + 1, negative);
}

/* What is cut off, its first bit worth half, and whether more than nothing follows. */
struct cut_off {
    struct wide bits;
    bool more;
};

/* The first bits of what is cut off, up to 63. */
static uint64_t first_bits(const struct cut_off *cut, unsigned count) {
    return cut->bits.high >> (64 - count);
}

/* Whether what is cut off takes the magnitude away from zero by those random bits. */
static bool drawn_away(enum rounding rounding, const struct cut_off *cut,
                       const struct random_bits *random) {
    const uint64_t end = UINT64_C(1) << (random->count & 63);
    const struct wide beyond = wide_shift_left(cut->bits, random->count);
    uint64_t kept = first_bits(cut, random->count);
    switch (rounding) {
    case ROUND_STOCHASTIC_A:
        return kept + random->number >= end;
    case ROUND_STOCHASTIC_B:
        return first_bits(cut, random->count + 1) + 2 * random->number + 1 >= 2 * end;
    case ROUND_STOCHASTIC_C:
        kept += rounds_away(ROUND_NEAREST_EVEN, false, kept & 1, beyond.high >> 63,
                            cut->more || !wide_is_zero(wide_shift_left(beyond, 1)));
        return kept + random->number >= end;
    default:
        return kept > random->number;
    }
}

/* What lies beyond the bits kept; less than none may be. */
static struct cut_off cut_beyond(const struct real *value, int kept) {
    const struct wide all = value->significand;
    if (kept >= 0)
        return (struct cut_off){wide_shift_left(all, (unsigned)kept), value->inexact};
    const struct wide moved = wide_shift_right(all, (unsigned)-kept);
    const bool lost = kept <= -128 || wide_compare(wide_shift_left(moved, (unsigned)-kept), all);
    return (struct cut_off){moved, value->inexact || lost};
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
    const struct cut_off cut = cut_beyond(value, kept);
    uint64_t integer = kept > 0 ? value->significand.high >> (64 - kept) : 0;
    bool half = cut.bits.high >> 63, rest = cut.more || !wide_is_zero(wide_shift_left(cut.bits, 1));
    bool odd = integer & 1;
    /* Of one bit the exponent makes the code odd; a format without zero goes by the significand. */
    if (format->precision == 1 && format->has_zero && exponent > format->emin)
        odd ^= (exponent - format->emin) & 1;
    bool away = rounding_is_stochastic(rounding)
                    ? drawn_away(rounding, &cut, random)
                    : rounds_away(rounding, value->negative, odd, half, rest);
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
    const struct cut_off cut = cut_beyond(value, exponent + 1);
    bool half = cut.bits.high >> 63, rest = cut.more || !wide_is_zero(wide_shift_left(cut.bits, 1));
    if (exponent >= -1)
        integer = wide_shift_right(value->significand, (unsigned)(127 - exponent));
    bool away = rounding_is_stochastic(rounding)
                    ? drawn_away(rounding, &cut, random)
                    : rounds_away(rounding, value->negative, integer.low & 1, half, rest);
    struct wide magnitude = wide_add(integer, (struct wide){0, away});
    return (struct rounded_integer){magnitude, away && wide_is_zero(magnitude)};
}

/* Whether a format of P3109 has no number of that sign. */
static bool is_below_all(const struct format *format, const struct real *value) {
    return format->is_p3109 && !format->sign_bit && value->negative && value->kind == REAL_FINITE;
}

static uint64_t project_finite(const struct format *format, const struct real *value,
                               enum rounding rounding, enum overflow overflow,
                               const struct random_bits *random) {
    if (!format->sign_bit && value->negative && !format->is_p3109)
        return format->nan;
    struct rounded rounded = format_round(format, value, rounding, random);
    if (rounded.overflows || (is_below_all(format, value) && rounded.magnitude))
        return overflowed(format, value, rounding, overflow);
    return format_with_sign(format, rounded.magnitude, value->negative);
}

bool format_overflows(const struct format *format, const struct real *value,
                      enum rounding rounding) {
    /* Random bits take a number away from zero, but never keep it from overflowing. */
    if (rounding_is_stochastic(rounding))
        rounding = ROUND_TOWARD_ZERO;
    return value->kind == REAL_INFINITE || is_below_all(format, value) ||
           (value->kind == REAL_FINITE && format_round(format, value, rounding, NULL).overflows);
}

uint64_t format_project(const struct format *format, const struct real *value,
                        enum rounding rounding, enum overflow overflow,
                        const struct random_bits *random) {
    switch (value->kind) {
    case REAL_FINITE:
        return project_finite(format, value, rounding, overflow, random);
    case REAL_ZERO:
        if (!format->has_zero)
            return format->nan;
        return format_with_sign(format, 0,
                                value->negative || (value->cancelled && rounding == ROUND_DOWN));
    case REAL_INFINITE:
        if (!format->sign_bit && value->negative && !format->is_p3109)
            return format->nan;
        return overflowed(format, value, ROUND_NEAREST_EVEN, overflow);
    default:
        return format->nan;
    }
}

uint64_t format_encode(const struct format *format, const struct real *value,
                       enum rounding rounding, enum overflow overflow) {
    return format_project(format, value, rounding, overflow, NULL);
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
