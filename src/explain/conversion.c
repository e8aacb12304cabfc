/* The table of hypotheses about conversions, and what each predicts. */
#include "explain/conversion.h"

#include "explain/conversion_faults.h"
#include "explain/roundings.h"

#include <string.h>

/* Ties in ways that enum rounding does not have; all roundings by their number. */
enum { ROUND_AWAY_FROM_ZERO = ROUNDING_NAMES, ROUND_NEAREST_ODD, ROUND_NEAREST_ZERO };
/* What becomes of NaN, beside enum outcome. */
enum {
    NAN_PAYLOAD = OUTCOME_OPEN + 1, /* the upper bits of its payload, quiet */
    NAN_CUT,                        /* its upper bits as they are, infinity where they are 0 */
    NAN_ROUNDED,                    /* its bits rounded like those of a number */
    NAN_NOTHING,
};

#define ROUNDED(NAME, SAYS, VALUE)                                                                 \
    {                                                                                              \
        .name = "converted-" NAME, .says = "rounds " SAYS, .source = FROM_CONVERSION,              \
        .aspect = ASPECT_ROUNDING, .value = VALUE                                                  \
    }
#define TWICE(TEXT, FORMAT)                                                                        \
    {                                                                                              \
        .name = "converted-by-" TEXT, .says = "rounds to " TEXT " first, and then again",          \
        .source = FROM_CONVERSION, .aspect = ASPECT_TWICE, .value = FORMAT                         \
    }
#define BECOMES(NAME, SAYS, ASPECT, VALUE)                                                         \
    { .name = NAME, .says = SAYS, .source = FROM_CONVERSION, .aspect = ASPECT, .value = VALUE }
#define NAN_BECOMES(NAME, SAYS, VALUE)                                                             \
    {                                                                                              \
        .name = NAME, .says = SAYS, .source = FROM_CONVERSION, .aspect = ASPECT_NAN,               \
        .value = VALUE, .tells_nan = true                                                          \
    }

static const struct hypothesis aspects[] = {
    ROUNDED("to-nearest-even", "to nearest, ties to even", ROUND_NEAREST_EVEN),
    ROUNDED("toward-zero", "toward zero: it truncates", ROUND_TOWARD_ZERO),
    ROUNDED("up", "up", ROUND_UP),
    ROUNDED("down", "down", ROUND_DOWN),
    ROUNDED("away-from-zero", "away from zero", ROUND_AWAY_FROM_ZERO),
    ROUNDED("to-nearest-away", "to nearest, ties away from zero", ROUND_NEAREST_AWAY),
    ROUNDED("to-nearest-up", "to nearest, ties up", ROUND_NEAREST_UP),
    ROUNDED("to-nearest-odd", "to nearest, ties to odd", ROUND_NEAREST_ODD),
    ROUNDED("to-nearest-zero", "to nearest, ties toward zero", ROUND_NEAREST_ZERO),
    BECOMES("subnormal-results-cut", "truncates subnormal results", ASPECT_SUBNORMAL_RESULTS,
            ROUND_TOWARD_ZERO),
    BECOMES(
        "random-from-the-other-end",
        "counts the random bits from the other end: with the random number R it gives the result "
        "that is right for 2^bits - 1 - R",
        ASPECT_RANDOM, 0),
    TWICE("fp64", FORMAT_FP64),
    TWICE("fp16", FORMAT_FP16),
    TWICE("bf16", FORMAT_BF16),
    TWICE("fp32", FORMAT_FP32),
    BECOMES("converted-by-half", "is floor(x + 0.5), with the sum rounded to the operand's format",
            ASPECT_HALF, 0),
    BECOMES("converted-in-parts",
            "rounds the bits below the top bit, adds the value of the top bit, and rounds again",
            ASPECT_PARTS, 0),
    BECOMES("carry-lost",
            "does not raise the exponent of a number that it rounds up to a power of two",
            ASPECT_CARRY, 0),
    BECOMES("wrapped-by-int64", "takes the low bits of an int64 that saturates", ASPECT_BY_INT64,
            0),
    BECOMES("overflow-to-largest", "turns an overflow into the largest number", ASPECT_OVERFLOW,
            OUTCOME_LARGEST),
    BECOMES("overflow-to-infinity", "turns an overflow into infinity", ASPECT_OVERFLOW,
            OUTCOME_INFINITY),
    BECOMES("overflow-to-nan", "turns an overflow into NaN", ASPECT_OVERFLOW, OUTCOME_NAN),
    BECOMES("infinity-to-largest", "turns infinity into the largest number", ASPECT_INFINITY,
            OUTCOME_LARGEST),
    BECOMES("infinity-to-infinity", "leaves infinity as it is", ASPECT_INFINITY, OUTCOME_INFINITY),
    BECOMES("infinity-to-nan", "turns infinity into NaN", ASPECT_INFINITY, OUTCOME_NAN),
    NAN_BECOMES("nan-to-canonical", "turns every NaN into the same one", OUTCOME_NAN),
    NAN_BECOMES("nan-keeps-sign", "turns every NaN into the same one, with its sign",
                OUTCOME_SIGNED_NAN),
    NAN_BECOMES("nan-keeps-payload", "keeps the sign of a NaN and the upper bits of its payload",
                NAN_PAYLOAD),
    NAN_BECOMES("nan-cut",
                "truncates the bits of NaN like those of a number, which may leave infinity",
                NAN_CUT),
    NAN_BECOMES("nan-rounded", "rounds the bits of NaN like those of a number", NAN_ROUNDED),
    NAN_BECOMES("nan-to-zero", "turns NaN into 0", NAN_NOTHING),
    NAN_BECOMES("nan-to-least", "turns NaN into the least number", OUTCOME_LEAST),
    NAN_BECOMES("nan-to-largest", "turns NaN into the largest number", OUTCOME_POSITIVE_LARGEST),
    NAN_BECOMES("nan-to-signed-largest", "turns NaN into the largest number, with its sign",
                OUTCOME_LARGEST),
    BECOMES("converted-from-flushed", "treats subnormal inputs as zeros of their sign",
            ASPECT_FLUSHED_INPUTS, CHANGE_FLUSH),
    BECOMES("converted-from-flushed-to-plus-zero", "treats subnormal inputs as +0",
            ASPECT_FLUSHED_INPUTS, CHANGE_FLUSH_TO_PLUS),
    BECOMES("converted-to-flushed", "returns zeros of their sign for subnormal results",
            ASPECT_FLUSHED_RESULTS, CHANGE_FLUSH),
    BECOMES("converted-to-flushed-plus-zero", "returns +0 for subnormal results",
            ASPECT_FLUSHED_RESULTS, CHANGE_FLUSH_TO_PLUS),
};
enum { ASPECTS = sizeof aspects / sizeof *aspects };

/* In the order of `profiles`, which begins with these. */
#define PROFILE(NAME, ...)                                                                         \
    {.name = "profile-" NAME,                                                                      \
     .says = "follows the profile " NAME,                                                          \
     .source = FROM_CONVERSION,                                                                    \
     .aspect = ASPECT_PROFILE},
#define BLOCKS(...)
static const struct hypothesis by_profile[] = {
#include "detmath/library/profiles.inc"
};
#undef PROFILE
#undef BLOCKS

/* Of two profiles what becomes of integers that do not fit depends on the rounding: a cast of C cuts off, whatever the
 * run's rounding is. */
#define CUT_OFF(NAME)                                                                              \
    {                                                                                              \
        .name = "profile-" NAME "-cut",                                                            \
        .says = "follows the profile " NAME " and rounds toward zero", .source = FROM_CONVERSION,  \
        .aspect = ASPECT_CUT_OFF                                                                   \
    }
static const struct hypothesis cut_off[] = {CUT_OFF("wrap"), CUT_OFF("x86")};
static const char *const cut_off_profiles[] = {"wrap", "x86"};
enum {
    BY_PROFILE = sizeof by_profile / sizeof *by_profile,
    CUTTING = sizeof cut_off / sizeof *cut_off,
    OF_BOTH = 2
};

const size_t conversion_hypothesis_count = ASPECTS + BY_PROFILE + CUTTING + OF_BOTH;

struct hypothesis conversion_hypothesis(size_t index) {
    if (index < ASPECTS)
        return aspects[index];
    if (index >= ASPECTS + BY_PROFILE + CUTTING) /* other NaNs, other signs of zero */
        return hypotheses[index - ASPECTS - BY_PROFILE - CUTTING];
    struct hypothesis row;
    if (index >= ASPECTS + BY_PROFILE) {
        const size_t at = index - ASPECTS - BY_PROFILE;
        row = cut_off[at];
        while (strcmp(profiles[row.value].name, cut_off_profiles[at]) != 0)
            row.value++;
        return row;
    }
    row = by_profile[index - ASPECTS];
    row.value = (int)(index - ASPECTS);
    row.tells_nan = profiles[row.value].strict_nan;
    return row;
}

/* Whether codes of NaN of both formats have bits below the quiet one, or above all of them the same. */
static bool has_payload(const struct format *format) {
    return format->has_infinity && format->precision > 2;
}

static bool outcome_exists(const struct format *to, int outcome) {
    return outcome == OUTCOME_INFINITY                    ? to->has_infinity
           : outcome == OUTCOME_NAN                       ? to->has_nan
           : outcome == OUTCOME_SIGNED_NAN                ? to->has_nan && to->has_negative_zero
           : outcome == OUTCOME_LEAST                     ? to->is_integer && to->sign_bit
           : outcome == NAN_PAYLOAD                       ? has_payload(to)
           : outcome == NAN_CUT || outcome == NAN_ROUNDED ? to->has_infinity
                                                          : true;
}

bool conversion_applies(const struct hypothesis *row, const struct cast *cast) {
    const struct format *from = cast->from, *to = cast->to;
    const struct format *by = &formats[row->value];
    struct error unused;
    switch (row->aspect) {
    case ASPECT_PROFILE:
        return &profiles[row->value] != cast->profile &&
               profile_covers(&profiles[row->value], to, &unused);
    case ASPECT_CUT_OFF:
        return to->is_integer && cast->rounding != ROUND_TOWARD_ZERO && !format_is_whole(from) &&
               profile_covers(&profiles[row->value], to, &unused);
    case ASPECT_RANDOM:
        return cast->rounding == ROUND_STOCHASTIC;
    case ASPECT_ROUNDING:
        return row->value != (int)cast->rounding && !format_is_within(from, to) &&
               (row->value != ROUND_NEAREST_UP || to->is_integer);
    case ASPECT_SUBNORMAL_RESULTS:
        return cast->rounding != ROUND_TOWARD_ZERO && !format_is_within(from, to) &&
               !format_is_whole(to) && to->has_zero;
    case ASPECT_TWICE:
        return by != to && !format_is_within(from, by);
    case ASPECT_HALF:
        return to->is_integer && !format_is_whole(from) &&
               (cast->rounding == ROUND_NEAREST_EVEN || cast->rounding == ROUND_NEAREST_AWAY ||
                cast->rounding == ROUND_NEAREST_UP);
    case ASPECT_PARTS:
        return from->is_integer && !from->sign_bit && !format_is_whole(to) &&
               !format_is_within(from, to);
    case ASPECT_CARRY:
        return !format_is_whole(to) && !format_is_within(from, to);
    case ASPECT_BY_INT64:
        return to->is_integer && to->width < 64 && !format_is_whole(from);
    case ASPECT_OVERFLOW:
        return outcome_exists(to, row->value);
    case ASPECT_INFINITY:
        return from->has_infinity && outcome_exists(to, row->value);
    case ASPECT_NAN:
        if (row->value == NAN_ROUNDED || row->value == NAN_CUT || row->value == NAN_PAYLOAD)
            return has_payload(from) && outcome_exists(to, row->value) &&
                   (row->value != NAN_ROUNDED ||
                    (from->emax == to->emax && from->precision > to->precision));
        return from->has_nan && outcome_exists(to, row->value);
    case ASPECT_FLUSHED_INPUTS: /* integers have no subnormal numbers */
        return to->has_zero && !format_is_whole(from);
    case ASPECT_FLUSHED_RESULTS:
        return to->has_zero && !format_is_whole(to);
    case ASPECT_NONE:
        break;
    }
    return true;
}

static uint64_t round_magnitude(const struct format *to, const struct real *value, int rounding) {
    const uint64_t low = format_round(to, value, ROUND_TOWARD_ZERO, NULL).magnitude;
    switch (rounding) {
    case ROUND_AWAY_FROM_ZERO:
        return format_round(to, value, value->negative ? ROUND_DOWN : ROUND_UP, NULL).magnitude;
    case ROUND_NEAREST_ODD:
    case ROUND_NEAREST_ZERO:
        if (is_halfway(to, value, low))
            return low + (rounding == ROUND_NEAREST_ODD && low % 2 == 0);
        return format_round(to, value, ROUND_NEAREST_EVEN, NULL).magnitude;
    default:
        return format_round(to, value, (enum rounding)rounding, NULL).magnitude;
    }
}

/* By the rounding that is asked for. */
static bool overflows(const struct converted *input) {
    const struct random_bits bits = {input->cast->random_bits, input->random};
    return format_round(input->cast->to, &input->value, input->cast->rounding, &bits).overflows;
}

/* A finite number that has a sign of the target, and no number of scales below them all. */
static bool is_plain(const struct converted *input) {
    const struct format *to = input->cast->to;
    return input->value.kind == REAL_FINITE && (to->sign_bit || !input->value.negative) &&
           (to->has_zero || input->value.exponent >= to->emin);
}

/* A number rounded otherwise. Where that overflows and what is asked for does not, the target's rule for overflow decides,
 * unless the side gives what another rule would; where both overflow, that is a matter of other rows. */
static bool predict_rounded(const struct converted *input, uint64_t magnitude, uint64_t own,
                            uint64_t *predicted) {
    const struct format *to = input->cast->to;
    const bool negative = input->value.negative;
    *predicted = format_with_sign(to, magnitude, negative);
    if (magnitude <= format_most(to, negative))
        return true;
    *predicted =
        outcome_code(input->cast->profile->rules[target_kind_of(to)].overflow, to, negative);
    return !overflows(input) && (own == *predicted || (format_magnitude(to, own) < to->max_finite &&
                                                       !format_is_nan(to, own)));
}

static bool predict_twice(const struct converted *input, const struct format *by, uint64_t own,
                          uint64_t *predicted) {
    const struct format *to = input->cast->to;
    const struct random_bits bits = {input->cast->random_bits, input->random};
    const enum rounding rounding = input->cast->rounding;
    if (!is_plain(input))
        return false;
    struct real once = format_decode(
        by,
        format_encode(by, &input->value,
                      rounding == ROUND_STOCHASTIC ? ROUND_NEAREST_EVEN : rounding, OVERFLOW_IEEE));
    if (once.kind == REAL_FINITE)
        return predict_rounded(input, format_round(to, &once, rounding, &bits).magnitude, own,
                               predicted);
    *predicted = cast_number(input->cast, &once, input->random);
    return once.kind == REAL_ZERO || !overflows(input);
}

/* The sum in double is rounded as it is in fp64. Narrower formats round it once more to the same: where a double does not
 * hold it, x is so small that both give a half. */
static bool predict_half(const struct converted *input, uint64_t own, uint64_t *predicted) {
    const struct format *from = input->cast->from, *to = input->cast->to;
    struct real real = real_from_double(real_to_double(&input->value) + 0.5);
    if (!is_plain(input))
        return false;
    real = format_decode(from, format_encode(from, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    if (real.kind == REAL_INFINITE)
        return false;
    return predict_rounded(
        input, real.kind == REAL_FINITE ? format_round(to, &real, ROUND_DOWN, NULL).magnitude : 0,
        own, predicted);
}

/* A side that cuts off may give the largest number where another rounding overflows. */
static bool predict_overflow(const struct converted *input, enum outcome outcome, uint64_t own,
                             uint64_t *predicted) {
    const struct format *to = input->cast->to;
    if (!is_plain(input) || !overflows(input))
        return false;
    *predicted = outcome_code(outcome, to, input->value.negative);
    return *predicted == own ||
           !(own == format_with_sign(to, to->max_finite, input->value.negative) &&
             !format_round(to, &input->value, ROUND_TOWARD_ZERO, NULL).overflows);
}

/* From the code of NaN: its fraction in the target, shifted. */
static uint64_t nan_code(const struct converted *input, int value) {
    const struct format *from = input->cast->from, *to = input->cast->to;
    const bool negative = format_is_negative(from, input->code);
    const int shift = from->precision - to->precision;
    const uint64_t fraction =
        format_magnitude(from, input->code) & (((uint64_t)1 << (from->precision - 1)) - 1);
    const uint64_t kept = shift >= 0 ? fraction >> shift : fraction << -shift;
    switch (value) {
    case NAN_PAYLOAD: {
        const uint64_t quiet = (uint64_t)1 << (to->precision - 2);
        return format_with_sign(to, (to->max_finite + 1) | kept | quiet, negative);
    }
    case NAN_CUT:
        return format_with_sign(to, (to->max_finite + 1) | kept, negative);
    case NAN_ROUNDED: { /* to nearest-even, and a carry goes into the sign */
        const uint64_t half = (uint64_t)1 << (shift - 1), last = input->code >> shift & 1;
        return ((input->code + half - 1 + last) >> shift) & format_mask(to);
    }
    case NAN_NOTHING:
        return 0;
    default:
        return outcome_code((enum outcome)value, to, negative);
    }
}

static bool predict_flushed(const struct hypothesis *row, const struct converted *input,
                            uint64_t *predicted) {
    const struct format *to = input->cast->to;
    const bool of_inputs = row->aspect == ASPECT_FLUSHED_INPUTS;
    const bool is_subnormal =
        of_inputs ? format_classify(input->cast->from, input->code) == CLASS_SUBNORMAL
                  : format_classify(to, input->asked) == CLASS_SUBNORMAL;
    *predicted = format_with_sign(to, 0, input->value.negative && row->value == (int)CHANGE_FLUSH);
    return is_subnormal;
}

bool conversion_predict(const struct hypothesis *row, const struct converted *input, uint64_t own,
                        uint64_t *predicted) {
    struct cast other = *input->cast;
    switch (row->aspect) {
    case ASPECT_PROFILE:
        other.profile = &profiles[row->value];
        *predicted = cast_code(&other, input->code, input->random);
        return true;
    case ASPECT_CUT_OFF:
        other.profile = &profiles[row->value];
        other.rounding = ROUND_TOWARD_ZERO;
        *predicted = cast_code(&other, input->code, 0);
        return true;
    case ASPECT_RANDOM:
        *predicted =
            cast_code(&other, input->code, ((uint64_t)1 << other.random_bits) - 1 - input->random);
        return is_plain(input);
    case ASPECT_ROUNDING:
        return is_plain(input) &&
               predict_rounded(input, round_magnitude(other.to, &input->value, row->value), own,
                               predicted);
    case ASPECT_SUBNORMAL_RESULTS:
        return is_plain(input) && input->value.exponent < other.to->emin &&
               predict_rounded(input, round_magnitude(other.to, &input->value, row->value), own,
                               predicted);
    case ASPECT_TWICE:
        return predict_twice(input, &formats[row->value], own, predicted);
    case ASPECT_HALF:
        return predict_half(input, own, predicted);
    case ASPECT_PARTS:
        return is_plain(input) && predict_in_parts(input, predicted);
    case ASPECT_CARRY:
        return is_plain(input) && predict_without_carry(input, predicted);
    case ASPECT_BY_INT64:
        return predict_by_int64(input, predicted);
    case ASPECT_OVERFLOW:
        return predict_overflow(input, (enum outcome)row->value, own, predicted);
    case ASPECT_INFINITY:
        *predicted = outcome_code((enum outcome)row->value, other.to, input->value.negative);
        return input->value.kind == REAL_INFINITE;
    case ASPECT_NAN:
        *predicted = input->value.kind == REAL_NAN ? nan_code(input, row->value) : 0;
        return input->value.kind == REAL_NAN;
    case ASPECT_FLUSHED_INPUTS:
    case ASPECT_FLUSHED_RESULTS:
        return predict_flushed(row, input, predicted);
    case ASPECT_NONE:
        break;
    }
    return false;
}
