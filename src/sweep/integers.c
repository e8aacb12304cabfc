/* Sets of integers, and draws. */
#include "sweep/integers.h"

#include "base/wide.h"
#include "format/integers.h"
#include "format/real.h"

#include <string.h>

/* The number of the first integer from a magnitude on, and one more than that of the last up to it. */
static uint64_t number_from(const struct format *format, double magnitude) {
    struct real real = real_from_double(magnitude);
    if (real.kind != REAL_FINITE)
        return real.kind == REAL_ZERO ? 0 : format_integers_below(format, format->max_finite + 1);
    uint64_t code = format_encode(format, &real, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    struct real rounded = format_decode(format, code);
    return format_integers_below(format, code + real_is_smaller(&rounded, &real));
}

static uint64_t number_beyond(const struct format *format, double magnitude) {
    struct real real = real_from_double(magnitude);
    if (real.kind != REAL_FINITE)
        return real.kind == REAL_ZERO ? 1 : format_integers_below(format, format->max_finite + 1);
    return format_integers_below(
        format, format_encode(format, &real, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE) + 1);
}

/* Adds the integers among codes of one sign; the largest of the type is below 2^63, which is how far
 * the others reach. */
static bool append_integers(struct code_set *set, const struct format *format,
                            const struct integer_place *place, uint64_t first, uint64_t last,
                            struct error *error) {
    uint64_t sign = first & format->sign_bit;
    uint64_t low = first ^ sign, high = last ^ sign;
    if (low > format->max_finite)
        return true;
    high = high < format->max_finite ? high : format->max_finite;
    uint64_t from = format_integers_below(format, low),
             to = format_integers_below(format, high + 1);
    uint64_t beyond = sign ? number_beyond(format, -(double)place->least)
                           : number_from(format, -(double)place->least);
    from = from < 1 && (sign || !format->has_zero) ? 1 : from;
    to = to < beyond ? to : beyond;
    return from >= to || code_set_append(set, sign | from, sign | (to - 1), error);
}

static bool keep_integers(struct code_set *set, const struct format *format,
                          const struct integer_place *place, struct error *error) {
    struct code_set kept = {.integers_of = format};
    bool good = true;
    for (size_t i = 0; i < set->run_count && good; i++) {
        struct code_ends ends = code_set_ends(set, i);
        bool splits =
            format->sign_bit && ends.first < format->sign_bit && ends.last >= format->sign_bit;
        good =
            append_integers(&kept, format, place, ends.first,
                            splits ? format->sign_bit - 1 : ends.last, error) &&
            (!splits || append_integers(&kept, format, place, format->sign_bit, ends.last, error));
    }
    if (good && !kept.run_count)
        good = error_set(error, "operand %d must be an integer, and no input has one there",
                         place->operand + 1);
    if (!good) {
        code_set_free(&kept);
        return false;
    }
    code_set_free(set);
    *set = kept;
    return true;
}

static bool copy(struct code_set *to, const struct code_set *from, struct error *error) {
    *to = (struct code_set){.integers_of = from->integers_of};
    for (size_t i = 0; i < from->run_count; i++) {
        struct code_ends held = code_set_held(from, i);
        if (!code_set_append(to, held.first, held.last, error))
            return false;
    }
    return true;
}

bool code_sets_keep_calls(struct code_set sets[MAX_OPERANDS], size_t *set_count,
                          const struct operation *operation, const struct format *format,
                          struct error *error) {
    struct integer_place place;
    if (!operation_integer_place(operation, &place))
        return true;
    for (; *set_count < (size_t)operation->operands; ++*set_count)
        if (!copy(&sets[*set_count], &sets[0], error))
            return false;
    return keep_integers(&sets[place.operand], format, &place, error);
}

bool code_sets_span_calls(struct code_set sets[MAX_OPERANDS], size_t *set_count,
                          const struct operation *operation, const struct format *format,
                          struct error *error) {
    struct integer_place place;
    if (!operation_integer_place(operation, &place))
        return true;
    if (!code_sets_keep_calls(sets, set_count, operation, format, error))
        return false;
    struct code_set *set = &sets[place.operand], span = {0};
    bool good = true;
    for (size_t i = 0; i < set->run_count && good; i++) {
        struct code_ends held = code_set_held(set, i), ends = code_set_ends(set, i);
        if (held.first == 0) {
            good = code_set_append(&span, 0, 0, error);
            ends.first = format_integer_code(format, 1);
        }
        good = good && (held.last == 0 || code_set_append(&span, ends.first, ends.last, error));
    }
    if (!good) {
        code_set_free(&span);
        return false;
    }
    code_set_free(set);
    *set = span;
    return true;
}

static void add_band(struct integer_draws *draws, const struct code_set *set, uint64_t from,
                     uint64_t to) {
    uint64_t first = code_set_from(set, from), end = code_set_from(set, to);
    if (end == first)
        return;
    draws->bands[draws->band_count].first = first;
    draws->bands[draws->band_count++].count = end - first;
}

void integer_draws_make(struct integer_draws *draws, const struct operation *operation,
                        const struct code_set *sets) {
    *draws = (struct integer_draws){0};
    if (!operation || !operation_integer_place(operation, &draws->place))
        return;
    const struct code_set *set = &sets[draws->place.operand];
    const struct format *format = set->integers_of;
    if (!format)
        return;
    draws->operation = operation;
    add_band(draws, set, 0, 1);
    for (int sign = 0; sign < (format->sign_bit ? 2 : 1); sign++) {
        uint64_t bit = sign ? format->sign_bit : 0;
        double power = 1;
        for (int binade = 0; binade < 64; binade++, power *= 2)
            add_band(draws, set, bit | number_from(format, power),
                     bit | number_from(format, 2 * power));
    }
}

/* The draw from those for which the function lives; false where the set has none of them. */
static bool draw_alive(const struct integer_draws *draws, const struct format *format,
                       const struct code_set *set, uint64_t other, uint64_t bits, uint64_t *index) {
    struct real value = format_decode(format, other);
    if (value.kind == REAL_NAN)
        return false;
    struct integer_span span = draws->operation->platform.span(format, real_to_double(&value));
    double low = span.low > 0 ? span.low : 0, least = span.high < -1 ? -span.high : 1;
    uint64_t first = code_set_from(set, number_from(format, low)), end = first;
    uint64_t minus = code_set_from(set, format->sign_bit | number_from(format, least)),
             last = minus;
    if (span.high >= low)
        end = code_set_from(set, number_beyond(format, span.high));
    if (format->sign_bit && -span.low >= least)
        last = code_set_from(set, format->sign_bit | number_beyond(format, -span.low));
    uint64_t count = (end - first) + (last - minus);
    if (!count)
        return false;
    uint64_t chosen = multiply_high(bits, count);
    *index = chosen < end - first ? first + chosen : minus + (chosen - (end - first));
    return true;
}

uint64_t integer_draw(const struct integer_draws *draws, const struct format *format,
                      const struct code_set *set, uint64_t other, uint64_t bits, bool ascending) {
    uint64_t index, rest = bits << 1;
    if (!ascending && draws->operation->platform.span && bits >> 63 &&
        draw_alive(draws, format, set, other, rest, &index))
        return index;
    rest = ascending ? bits : rest;
    uint64_t band = multiply_high(rest, (uint64_t)draws->band_count);
    uint64_t within = rest * (uint64_t)draws->band_count;
    return draws->bands[band].first + multiply_high(within, draws->bands[band].count);
}

uint64_t integer_snap(const struct integer_place *place, const struct format *format,
                      uint64_t code) {
    uint64_t sign = code & format->sign_bit, magnitude = format_magnitude(format, code);
    magnitude = magnitude < format->max_finite ? magnitude : format->max_finite;
    uint64_t number = format_integers_below(format, magnitude + 1) - 1;
    uint64_t beyond = sign ? number_beyond(format, -(double)place->least)
                           : number_from(format, -(double)place->least);
    number = number < beyond ? number : beyond - 1;
    number += !number && !format->has_zero;
    return format_integer_code(format, number) | (number ? sign : 0);
}
