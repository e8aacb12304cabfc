/* Verdicts and the error in ulps. */
#include "oracle/judge.h"

#include "base/bits.h"

#include <math.h>

/* 2^exponent * significand / 2^127, the magnitude of a number or zero. */
struct magnitude {
    int exponent;
    struct wide significand;
};

static struct magnitude clamped(const struct format *format, const struct real *value) {
    if (value->kind == REAL_ZERO)
        return (struct magnitude){format->emin, {0, 0}};
    if (value->kind == REAL_INFINITE || value->exponent > format->emax)
        return (struct magnitude){format->emax + 1, {UINT64_C(1) << 63, 0}};
    return (struct magnitude){value->exponent, value->significand};
}

/* Moves a significand down; *rest says whether anything was left behind. */
static struct wide moved_down(struct wide significand, unsigned count, bool *rest) {
    struct wide moved = wide_shift_right(significand, count);
    struct wide back = wide_shift_left(moved, count);
    *rest = count >= 128 ? !wide_is_zero(significand) : wide_compare(back, significand) != 0;
    return moved;
}

double ulp_error(const struct format *format, const struct real *y, uint64_t got) {
    struct real value = format_decode(format, got);
    struct magnitude a = clamped(format, &value), b = clamped(format, y);
    /* A common exponent two above the larger leaves room for a carry. */
    int exponent = (a.exponent > b.exponent ? a.exponent : b.exponent) + 2;
    if (wide_is_zero(a.significand))
        exponent = b.exponent + 2;
    else if (wide_is_zero(b.significand))
        exponent = a.exponent + 2;
    bool a_rest, b_rest;
    struct wide p = moved_down(a.significand, (unsigned)(exponent - a.exponent), &a_rest);
    struct wide q = moved_down(b.significand, (unsigned)(exponent - b.exponent), &b_rest);
    b_rest = b_rest || (y->kind == REAL_FINITE && y->inexact && y->exponent <= format->emax);
    bool got_is_smaller = wide_compare(p, q) < 0;
    struct wide distance = got_is_smaller ? wide_subtract(q, p) : wide_subtract(p, q);
    bool smaller_rest = got_is_smaller ? a_rest : b_rest;
    if (value.negative != y->negative)
        distance = wide_add(p, q);
    else if (smaller_rest && !wide_is_zero(distance))
        /* What was left behind of the smaller one makes the distance smaller. */
        distance = wide_subtract(distance, (struct wide){0, 1});
    distance.low |= a_rest || b_rest;
    return wide_to_double(distance, exponent - 127 - format_ulp_exponent(format, y));
}

static bool is_below_normal(const struct format *format, const struct real *value) {
    return value->kind == REAL_ZERO ||
           (value->kind == REAL_FINITE && value->exponent < format->emin);
}

double flushed_ulp_error(const struct format *format, const struct real *y, uint64_t got) {
    const struct real value = format_decode(format, got);
    const uint64_t least = (uint64_t)1 << (format->precision - 1); /* normal */
    const uint64_t largest = format_with_sign(format, least - 1, y->negative);
    const int step = format->emin - (int)format->precision + 1; /* of subnormal numbers */
    const double unit = ldexp(1, step - format_ulp_exponent(format, y));
    if (is_below_normal(format, y) && is_below_normal(format, &value))
        return 0;
    if (is_below_normal(format, &value))
        return ulp_error(format, y, format_with_sign(format, least, y->negative)) + unit;
    if (!is_below_normal(format, y))
        return ulp_error(format, y, got) -
               (y->negative == value.negative ? 0 : 2 * ((double)least - 1) * unit);
    /* y may lie between the largest subnormal number and the smallest normal one. */
    const struct real end = format_decode(format, largest);
    const bool between = y->kind == REAL_FINITE && real_is_smaller(&end, y);
    if (between && y->negative == value.negative)
        return ulp_error(format, y, got);
    struct real one = real_power_of_two(format->emin);
    one.negative = value.negative;
    return ulp_error(format, &one, got) + 1 + (between ? ulp_error(format, y, largest) : 0);
}

/* |y| / ulp(y) modulo 1, as a 128-bit fraction. */
static struct wide fraction_of_ulp(const struct format *format, const struct real *y) {
    int shift = y->exponent - format_ulp_exponent(format, y) + 1;
    return shift >= 0 ? wide_shift_left(y->significand, (unsigned)shift)
                      : wide_shift_right(y->significand, (unsigned)-shift);
}

/* Whether y is a normal number below the top binade: nearly every result is, and its rounding is
 * one of two neighbours that are an ulp apart. (Not with a precision of 1: codes are not odd where
 * significands are.) */
static bool rounds_within(const struct format *format, const struct real *y) {
    return format->precision > 1 && y->kind == REAL_FINITE && y->exponent >= format->emin &&
           y->exponent < format->emax;
}

/* ulp_error of the correct rounding of such a number, quicker: the part of an ulp that was dropped,
 * or what it lacks to a whole one. Which of the two, the last bit kept says. */
static double rounding_error(const struct format *format, const struct real *y, uint64_t want) {
    struct wide fraction = fraction_of_ulp(format, y);
    bool odd = y->significand.high >> (64 - format->precision) & 1;
    bool away = (want & 1) != odd;
    if (away) {
        fraction = wide_subtract((struct wide){0, 0}, fraction);
        if (y->inexact)
            fraction = wide_subtract(fraction, (struct wide){0, 1});
    }
    fraction.low |= y->inexact;
    return wide_to_double(fraction, -128);
}

/* No neighbour is further off, not in the formats whose largest number lies below what ulps of their
 * top binade reach to either: the question need not be asked of all that is badly wrong. */
#define MOST_OF_NEIGHBOURS 8

/* The two neighbours are what rounding down and up give, where overflow goes to infinity. */
static bool is_faithful(const struct format *format, const struct real *y, uint64_t got) {
    return got == format_encode(format, y, ROUND_DOWN, OVERFLOW_IEEE) ||
           got == format_encode(format, y, ROUND_UP, OVERFLOW_IEEE);
}

/* Whether a number is less than y; nothing is asked of what they have beyond the format's range. */
static bool is_below(const struct format *format, const struct real *y, uint64_t got) {
    struct real value = format_decode(format, got);
    if (value.kind == REAL_ZERO || y->kind == REAL_ZERO)
        return value.kind == REAL_ZERO ? y->kind != REAL_ZERO && !y->negative : value.negative;
    if (value.negative != y->negative)
        return value.negative;
    bool smaller = real_is_smaller(&value, y);
    bool same = !smaller && !real_is_smaller(y, &value);
    if (same) /* y is cut, or equal */
        return y->inexact && !value.negative;
    return smaller != value.negative;
}

/* All but on which side of y. */
static struct judgement judge_size(const struct judge *judge, const struct real *y, uint64_t want,
                                   uint64_t got) {
    const struct format *format = judge->format;
    bool want_nan = format_is_nan(format, want), got_nan = format_is_nan(format, got);
    struct judgement judgement = {0};
    if (want_nan && got_nan) {
        judgement.nan_bits_differ = got != want;
        bool mismatch = judgement.nan_bits_differ && judge->strict_nan;
        judgement.verdict = mismatch ? VERDICT_NAN_MISMATCH : VERDICT_CORRECT;
        judgement.faithful = !mismatch;
        return judgement;
    }
    if (y->kind == REAL_NAN) { /* in a format without NaN: `want` is what stands for it */
        judgement.verdict = got == want ? VERDICT_CORRECT : VERDICT_NAN_MISMATCH;
        judgement.faithful = got == want;
        return judgement;
    }
    if (want_nan || got_nan) {
        judgement.verdict = VERDICT_NAN_MISMATCH;
        return judgement;
    }
    if (got == want) {
        judgement.in_ulps = true;
        judgement.faithful = true;
        if (rounds_within(format, y)) {
            judgement.error = rounding_error(format, y, want);
            return judgement;
        }
        /* Only the top binade can overflow; elsewhere the question is not asked. */
        bool by_rule =
            y->exponent >= format->emax || y->kind == REAL_INFINITE || format->is_integer;
        by_rule = by_rule && format_overflows(format, y, judge->rounding);
        judgement.error = by_rule ? 0 : ulp_error(format, y, got);
        return judgement;
    }
    if (format_is_zero(format, want) && format_is_zero(format, got)) {
        judgement.verdict = VERDICT_SIGN_MISMATCH;
        return judgement;
    }
    judgement.verdict = VERDICT_INCORRECT;
    judgement.in_ulps = true;
    judgement.error = ulp_error(format, y, got);
    judgement.faithful = judgement.error <= MOST_OF_NEIGHBOURS && is_faithful(format, y, got);
    return judgement;
}

struct judgement judge_output(const struct judge *judge, const struct real *y, uint64_t want,
                              uint64_t got) {
    struct judgement judgement = judge_size(judge, y, want, got);
    judgement.below = judgement.in_ulps && is_below(judge->format, y, got);
    return judgement;
}

struct judgement judge_by_rule(const struct judge *judge, const struct real *y, uint64_t want,
                               bool by_rule, uint64_t got) {
    struct judgement judgement = judge_output(judge, y, want, got);
    if (by_rule && got == want)
        judgement.error = 0;
    return judgement;
}
