/* Rounding once, rules from the profile's row, and how far a result holds. */
#include "format/cast.h"

/* Whether the rounding of an overflow stays at the largest number. */
static bool stays_inside(enum rounding rounding, bool negative) {
    return rounding == ROUND_TOWARD_ZERO || (rounding == ROUND_UP && negative) ||
           (rounding == ROUND_DOWN && !negative);
}

static uint64_t cast_finite(const struct cast *cast, const struct real *value, uint64_t random) {
    const struct format *to = cast->to;
    const struct target_rules *rules = &cast->profile->rules[target_kind_of(to)];
    const struct random_bits bits = {cast->random_bits, random};
    if (!to->has_zero && value->exponent < to->emin)
        return outcome_code(rules->underflow, to, false);
    struct rounded rounded = format_round(to, value, cast->rounding, &bits);
    if (!rounded.overflows)
        return format_with_sign(to, rounded.magnitude, value->negative);
    enum outcome outcome =
        stays_inside(cast->rounding, value->negative) ? OUTCOME_LARGEST : rules->overflow;
    return outcome_code(outcome, to, value->negative);
}

/* The bits of the integers that a conversion holds before it takes the low ones of its target; 0: of all
 * integers. */
static unsigned held_bits(const struct cast *cast) {
    const struct format *to = cast->to;
    switch (cast->profile->rules[TARGET_INTEGER].held) {
    case HELD_ALL:
        return 0;
    case HELD_REGISTER:
        return to->width < 32 ? 32 : to->width;
    case HELD_X86:
        return to->width < 32 || (to->width == 32 && to->sign_bit) ? 32 : 64;
    default:
        return to->width;
    }
}

static bool holds_signs(const struct cast *cast) {
    return cast->to->sign_bit || cast->profile->rules[TARGET_INTEGER].held == HELD_X86;
}

static bool is_held(const struct cast *cast, const struct rounded_integer *integer, bool negative) {
    const unsigned bits = held_bits(cast);
    const struct wide magnitude = integer->magnitude, half = {0, UINT64_C(1) << ((bits - 1) & 63)};
    if (!bits)
        return true;
    if (integer->has_more)
        return false;
    if (!holds_signs(cast))
        return negative ? wide_is_zero(magnitude) : wide_is_zero(wide_shift_right(magnitude, bits));
    return wide_compare(magnitude, half) < (negative ? 1 : 0);
}

/* What becomes of a number in a format of integers, where it is held; else false. */
static bool to_held(const struct cast *cast, const struct real *value, uint64_t random,
                    struct rounded_integer *integer) {
    const struct random_bits bits = {cast->random_bits, random};
    *integer = (struct rounded_integer){{0, 0}, false};
    if (value->kind == REAL_FINITE)
        *integer = format_round_integer(value, cast->rounding, &bits);
    return value->kind <= REAL_FINITE && is_held(cast, integer, value->negative);
}

/* The rule for what is not held. */
static enum outcome integer_outcome(const struct cast *cast, const struct real *value) {
    const struct target_rules *rules = &cast->profile->rules[TARGET_INTEGER];
    enum outcome outcome = value->kind == REAL_NAN        ? rules->nan
                           : value->kind == REAL_INFINITE ? rules->infinity
                                                          : rules->overflow;
    if (outcome == OUTCOME_PTX && cast->to->width < 64 && cast->from != &formats[FORMAT_FP64])
        return OUTCOME_ZERO;
    return outcome;
}

/* An outcome is one of the integers that are held, too. */
static uint64_t cast_to_integer(const struct cast *cast, const struct real *value,
                                uint64_t random) {
    struct rounded_integer integer;
    if (to_held(cast, value, random, &integer))
        return (value->negative ? 0 - integer.magnitude.low : integer.magnitude.low) &
               format_mask(cast->to);
    const unsigned width = held_bits(cast) ? held_bits(cast) : cast->to->width;
    const uint64_t all = UINT64_MAX >> (64 - width), half = all / 2;
    const struct format held = {.width = width,
                                .is_integer = true,
                                .sign_bit = holds_signs(cast) ? all - half : 0,
                                .max_finite = holds_signs(cast) ? half : all};
    return outcome_code(integer_outcome(cast, value), &held, value->negative) &
           format_mask(cast->to);
}

bool cast_is_open(const struct cast *cast, uint64_t code, uint64_t random) {
    struct real value = format_decode(cast->from, code);
    struct rounded_integer integer;
    return cast_may_be_open(cast) && !to_held(cast, &value, random, &integer) &&
           integer_outcome(cast, &value) == OUTCOME_OPEN;
}

bool cast_may_be_open(const struct cast *cast) {
    const struct target_rules *rules = &cast->profile->rules[TARGET_INTEGER];
    return cast->to->is_integer && (rules->overflow == OUTCOME_OPEN || rules->nan == OUTCOME_OPEN);
}

/* ConvertFrom and ConvertTo of P3109: -0 becomes its only zero, which in other formats is +0. */
static uint64_t cast_projected(const struct cast *cast, const struct real *value, uint64_t random) {
    const struct random_bits bits = {cast->random_bits, random};
    if (value->kind == REAL_ZERO)
        return 0;
    return format_project(cast->to, value, cast->rounding, cast->saturation, &bits);
}

uint64_t cast_number(const struct cast *cast, const struct real *value, uint64_t random) {
    const struct format *to = cast->to;
    if (cast->projects)
        return cast_projected(cast, value, random);
    const struct target_rules *rules = &cast->profile->rules[target_kind_of(to)];
    if (to->is_integer)
        return cast_to_integer(cast, value, random);
    if (value->kind == REAL_ZERO && !to->has_zero)
        return outcome_code(rules->zero, to, false);
    if (value->kind == REAL_ZERO)
        return format_with_sign(to, 0, value->negative);
    if (value->negative && !to->sign_bit)
        return outcome_code(rules->negative, to, true);
    if (value->kind == REAL_INFINITE)
        return outcome_code(rules->infinity, to, value->negative);
    return cast_finite(cast, value, random);
}

uint64_t cast_code(const struct cast *cast, uint64_t code, uint64_t random) {
    struct real value = format_decode(cast->from, code);
    if (value.kind != REAL_NAN || cast->to->is_integer || cast->projects)
        return cast_number(cast, &value, random);
    return outcome_code(cast->profile->rules[target_kind_of(cast->to)].nan, cast->to,
                        format_is_negative(cast->from, code));
}

struct cast cast_of_results(const struct format *format, enum rounding rounding) {
    return (struct cast){.from = format,
                         .to = format,
                         .rounding = rounding,
                         .profile = &profiles[PROFILE_IEEE],
                         .projects = format->is_p3109};
}

/* The last code of the kind that `code` is: zero, finite, infinite, NaN; of its sign. */
static uint64_t end_of_kind(const struct format *from, uint64_t code) {
    uint64_t sign = code & from->sign_bit;
    if (format_is_nan(from, code)) {
        bool lone = sign && !from->has_negative_zero; /* the NaN where -0 would be */
        return lone ? code : sign | (format_mask(from) & (from->sign_bit - 1));
    }
    if (format_is_zero(from, code) || format_is_infinite(from, code))
        return code;
    return sign | from->max_finite;
}

/* What never decreases along the codes of one kind, and by which a result is decided: the code, or the
 * integer that is held, of which the result may have the low bits alone. */
static struct wide landing(const struct cast *cast, uint64_t code, uint64_t random) {
    static const struct wide beyond = {UINT64_MAX, UINT64_MAX};
    struct rounded_integer integer;
    if (!cast->to->is_integer)
        return (struct wide){0, cast_code(cast, code, random)};
    struct real value = format_decode(cast->from, code);
    /* No format has numbers of so many bits that one with more than 128 has another low bit than 0. */
    return to_held(cast, &value, random, &integer) && !integer.has_more ? integer.magnitude
                                                                        : beyond;
}

static bool lands_at(const struct cast *cast, uint64_t code, uint64_t random, struct wide place) {
    return wide_compare(landing(cast, code, random), place) == 0;
}

uint64_t cast_run_end(const struct cast *cast, uint64_t code, uint64_t limit, uint64_t random) {
    uint64_t end = end_of_kind(cast->from, code), last = code;
    end = end < limit ? end : limit;
    struct wide place = landing(cast, code, random);
    if (format_is_nan(cast->from, code))
        return end;
    /* In strides that double while they hold, then halve. */
    uint64_t stride = 1;
    while (last < end && stride) {
        uint64_t next = end - last < stride ? end : last + stride;
        if (!lands_at(cast, next, random, place))
            break;
        last = next;
        stride *= 2;
    }
    for (stride /= 2; stride; stride /= 2)
        if (end - last >= stride && lands_at(cast, last + stride, random, place))
            last += stride;
    return last;
}

/* The last code of the binade of a finite number, and of its sign. */
static uint64_t end_of_binade(const struct format *from, uint64_t code, int exponent) {
    if (!from->is_integer)
        return code | ((UINT64_C(1) << (from->precision - 1)) - 1);
    uint64_t magnitude = format_magnitude(from, code), power = UINT64_C(1) << exponent;
    if (format_is_negative(from, code)) /* whose codes lead to 0 */
        return code + (magnitude - power);
    uint64_t last = power | (power - 1);
    return last < from->max_finite ? last : from->max_finite;
}

/* To integers: of a binade whose numbers all are some. */
static uint64_t integer_run_end(const struct cast *cast, uint64_t code, uint64_t limit,
                                uint64_t *step) {
    const struct format *from = cast->from;
    const struct real value = format_decode(from, code);
    const int unit = from->is_integer ? 0 : value.exponent - from->precision + 1;
    struct rounded_integer integer;
    if (value.kind != REAL_FINITE || unit < 0 || (!from->is_integer && value.exponent < from->emin))
        return code;
    uint64_t end = end_of_binade(from, code, value.exponent);
    if (!from->is_integer && (end & ~from->sign_bit) > from->max_finite)
        end = (code & from->sign_bit) | from->max_finite;
    end = end < limit ? end : limit;
    const struct real last = format_decode(from, end);
    *step = unit < 64 ? UINT64_C(1) << unit : 0;
    if (value.negative && !from->is_integer)
        *step = 0 - *step;
    return to_held(cast, &value, 0, &integer) && to_held(cast, &last, 0, &integer) ? end : code;
}

/* From integers: of a binade whose numbers the target has. */
static uint64_t run_of_integers(const struct cast *cast, uint64_t code, uint64_t limit,
                                uint64_t *step) {
    const struct format *to = cast->to;
    const struct real value = format_decode(cast->from, code);
    const int spare = to->precision - 1 - value.exponent;
    if (value.kind != REAL_FINITE || !to->sign_bit || spare < 0 || value.exponent < to->emin)
        return code;
    *step = UINT64_C(1) << spare;
    if (value.negative)
        *step = 0 - *step;
    uint64_t end = end_of_binade(cast->from, code, value.exponent);
    end = end < limit ? end : limit;
    return cast_code(cast, end, 0) == cast_code(cast, code, 0) + (end - code) * *step ? end : code;
}

uint64_t cast_exact_run_end(const struct cast *cast, uint64_t code, uint64_t limit,
                            uint64_t *step) {
    const struct format *from = cast->from, *to = cast->to;
    uint64_t magnitude = format_magnitude(from, code);
    bool is_normal = magnitude >> (from->precision - 1) != 0;
    if (to->is_integer)
        return integer_run_end(cast, code, limit, step);
    if (from->is_integer)
        return run_of_integers(cast, code, limit, step);
    if (!from->sign_bit || !to->sign_bit || !magnitude || magnitude > from->max_finite ||
        to->precision < from->precision || to->emax < from->emax ||
        (is_normal ? to->emin > from->emin : to->emin != from->emin))
        return code;
    *step = UINT64_C(1) << (to->precision - from->precision);
    uint64_t end = code + (from->max_finite - magnitude);
    end = end < limit ? end : limit;
    /* The target's largest number may lie below that of its last binade. */
    return cast_code(cast, end, 0) == cast_code(cast, code, 0) + (end - code) * *step ? end : code;
}
