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
    uint64_t magnitude = format_round(to, value, cast->rounding, &bits);
    if (magnitude <= to->max_finite)
        return format_with_sign(to, magnitude, value->negative);
    enum outcome outcome =
        stays_inside(cast->rounding, value->negative) ? OUTCOME_LARGEST : rules->overflow;
    return outcome_code(outcome, to, value->negative);
}

uint64_t cast_number(const struct cast *cast, const struct real *value, uint64_t random) {
    const struct format *to = cast->to;
    const struct target_rules *rules = &cast->profile->rules[target_kind_of(to)];
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
    if (value.kind != REAL_NAN)
        return cast_number(cast, &value, random);
    return outcome_code(cast->profile->rules[target_kind_of(cast->to)].nan, cast->to,
                        format_is_negative(cast->from, code));
}

struct cast cast_of_results(const struct format *format, enum rounding rounding) {
    return (struct cast){
        .from = format, .to = format, .rounding = rounding, .profile = &profiles[PROFILE_IEEE]};
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

uint64_t cast_run_end(const struct cast *cast, uint64_t code, uint64_t limit, uint64_t random) {
    uint64_t end = end_of_kind(cast->from, code), last = code;
    end = end < limit ? end : limit;
    uint64_t want = cast_code(cast, code, random);
    if (format_is_nan(cast->from, code))
        return end;
    /* In strides that double while they hold, then halve. */
    uint64_t stride = 1;
    while (last < end && stride) {
        uint64_t next = end - last < stride ? end : last + stride;
        if (cast_code(cast, next, random) != want)
            break;
        last = next;
        stride *= 2;
    }
    for (stride /= 2; stride; stride /= 2)
        if (end - last >= stride && cast_code(cast, last + stride, random) == want)
            last += stride;
    return last;
}

uint64_t cast_exact_run_end(const struct cast *cast, uint64_t code, uint64_t limit,
                            uint64_t *step) {
    const struct format *from = cast->from, *to = cast->to;
    uint64_t magnitude = format_magnitude(from, code);
    bool is_normal = magnitude >> (from->precision - 1) != 0;
    if (from->is_integer || to->is_integer || !from->sign_bit || !to->sign_bit || !magnitude ||
        magnitude > from->max_finite || to->precision < from->precision || to->emax < from->emax ||
        (is_normal ? to->emin > from->emin : to->emin != from->emin))
        return code;
    *step = UINT64_C(1) << (to->precision - from->precision);
    uint64_t end = code + (from->max_finite - magnitude);
    end = end < limit ? end : limit;
    /* The target's largest number may lie below that of its last binade. */
    return cast_code(cast, end, 0) == cast_code(cast, code, 0) + (end - code) * *step ? end : code;
}
