/* Inputs that no search is needed for: special ones, every one, and draws from the binades. */
#include "vector/choose/draw.h"

#include "sweep/generator.h"

#include <string.h>

enum { NEAR_ONE = 8, MOST_CORE = 64 };

int choose_binade_count(const struct format *format) {
    uint64_t places = (uint64_t)format->precision - 1;
    return (int)(places + (format->max_finite >> places));
}

void choose_binade(const struct format *format, int binade, uint64_t *first, uint64_t *last) {
    int places = format->precision - 1;
    if (binade < places) {
        *first = (uint64_t)1 << binade;
        *last = 2 * *first - 1;
        return;
    }
    *first = (uint64_t)(binade - places + 1) << places;
    *last = *first + ((uint64_t)1 << places) - 1;
    *last = *last < format->max_finite ? *last : format->max_finite;
}

/* The binade of 1. */
static int binade_of_one(const struct format *format) {
    return format->precision - 2 + format->exponent_bias;
}

/* Of operands that are no integers: what is drawn from instead of all numbers. */
static bool take_ranges(struct choose_integers *integers, const struct operation *operation,
                        const struct format *format, struct error *error) {
    for (int i = 0; i < operation->operands; i++)
        if (operation->ranges[i] &&
            !code_set_range(&integers->sets[i], format, operation->ranges[i], NULL, error)) {
            choose_integers_close(integers);
            return false;
        }
    return true;
}

bool choose_integers_open(struct choose_integers *integers, const struct operation *operation,
                          const struct format *format, struct error *error) {
    memset(integers, 0, sizeof *integers);
    struct integer_place place;
    size_t set_count = 1, landmark_count = 1;
    const char *usual = operation->ranges[0]; /* beyond it some calls take seconds */
    if (!operation_integer_place(operation, &place))
        return take_ranges(integers, operation, format, error);
    if (!(usual ? code_set_range(&integers->sets[0], format, usual, NULL, error)
                : code_set_all(&integers->sets[0], format, error)) ||
        !code_sets_keep_calls(integers->sets, &set_count, operation, format, error) ||
        !code_set_landmarks(&integers->landmarks[0], format, operation, error) ||
        !code_sets_keep_calls(integers->landmarks, &landmark_count, operation, format, error)) {
        choose_integers_close(integers);
        return false;
    }
    integer_draws_make(&integers->draws, operation, integers->sets);
    return true;
}

void choose_integers_close(struct choose_integers *integers) {
    for (int i = 0; i < MAX_OPERANDS; i++) {
        code_set_free(&integers->sets[i]);
        code_set_free(&integers->landmarks[i]);
    }
}

/* In place of what was drawn of it. */
static void draw_integer(const struct choose_integers *integers, const struct format *format,
                         uint64_t seed, uint64_t index, uint64_t *codes) {
    int operand = integers->draws.place.operand;
    uint64_t bits = generator_bits(seed, index, 2 * MAX_OPERANDS);
    uint64_t chosen = integer_draw(&integers->draws, format, &integers->sets[operand],
                                   codes[1 - operand], bits, false);
    codes[operand] = code_set_at(&integers->sets[operand], chosen);
}

void choose_draw(const struct format *format, int operands, uint64_t seed, uint64_t index,
                 uint64_t count, const struct choose_integers *integers, uint64_t *codes) {
    int binades = choose_binade_count(format), one = binade_of_one(format);
    for (int i = 0; i < operands; i++) {
        uint64_t first, last, bits = generator_bits(seed, index, 2 * (unsigned)i);
        int binade = (int)(index % (uint64_t)binades);
        if (operands == 1 && count < (uint64_t)binades)
            binade = (int)(index * (uint64_t)binades / count);
        if (operands > 1)
            binade = (int)((bits >> 8) % (uint64_t)binades);
        if (operands > 1 && (index & 1)) {
            binade = one - NEAR_ONE + (int)((bits >> 8) % (2 * NEAR_ONE));
            binade = binade < 0 ? 0 : binade < binades ? binade : binades - 1;
        }
        choose_binade(format, binade, &first, &last);
        uint64_t drawn = generator_below(seed, index, 2 * (unsigned)i + 1, last - first + 1);
        codes[i] = (first + drawn) | (bits & 1 ? format->sign_bit : 0);
        const struct code_set *range = integers ? &integers->sets[i] : NULL;
        if (range && range->count && !integers->draws.operation)
            codes[i] =
                code_set_at(range, generator_below(seed, index, 2 * (unsigned)i + 1, range->count));
    }
    if (integers && integers->draws.operation)
        draw_integer(integers, format, seed, index, codes);
}

bool choose_add(struct vector_choices *choices, const uint64_t *codes, int operands,
                enum vector_flag flag) {
    struct vector_choice test = {.flags = 1u << flag};
    for (int i = 0; i < operands; i++)
        test.in[i] = codes[i];
    return vector_choices_add(choices, &test);
}

/* Zeros, infinities, NaNs, ones, the ends of the subnormal and of the normal numbers, both signs.
 * Returns how many. */
static size_t list_special(const struct format *format, uint64_t codes[MOST_CORE]) {
    uint64_t hidden = (uint64_t)1 << (format->precision - 1);
    uint64_t one = (uint64_t)format->exponent_bias << (format->precision - 1);
    const uint64_t magnitudes[] = {
        0, 1, hidden - 1, hidden, one, format->max_finite, format_greatest(format)};
    size_t count = 0;
    for (size_t i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        codes[count++] = magnitudes[i];
        codes[count++] = format_with_sign(format, magnitudes[i], true);
    }
    codes[count++] = format->nan;
    if (format_is_nan(format, format->nan | format->sign_bit))
        codes[count++] = format->nan | format->sign_bit;
    return count;
}

bool choose_special(struct vector_choices *choices, const struct binding_request *computed,
                    const struct choose_integers *integers) {
    uint64_t core[MOST_CORE];
    size_t count = list_special(computed->format, core), counts[MAX_OPERANDS];
    int operands = computed->operation->operands;
    int integer = integers && integers->draws.operation ? integers->draws.place.operand : -1;
    size_t tuples = 1;
    for (int i = 0; i < operands; i++) {
        counts[i] = i == integer ? (size_t)integers->landmarks[i].count : count;
        tuples *= counts[i];
    }
    for (size_t tuple = 0; tuple < tuples; tuple++) {
        uint64_t codes[MAX_OPERANDS];
        size_t rest = tuple;
        for (int i = operands - 1; i >= 0; rest /= counts[i], i--)
            codes[i] = i == integer ? code_set_at(&integers->landmarks[i], rest % counts[i])
                                    : core[rest % counts[i]];
        if (!choose_add(choices, codes, operands, VECTOR_SPECIAL))
            return false;
    }
    return true;
}

bool choose_every(struct vector_choices *choices, const struct binding_request *computed,
                  const struct choice_rules *rules) {
    unsigned operands = (unsigned)computed->operation->operands, width = computed->format->width;
    uint64_t most = rules->count > CHOOSE_ALL ? rules->count : CHOOSE_ALL;
    if (operands * width > 32 || (uint64_t)1 << (operands * width) > most)
        return true;
    for (uint64_t input = 0; input < (uint64_t)1 << (operands * width); input++) {
        uint64_t codes[MAX_OPERANDS];
        for (unsigned i = 0; i < operands; i++)
            codes[i] = input >> (operands - 1 - i) * width & format_mask(computed->format);
        if (!operation_is_call_of(computed->operation, computed->format, codes))
            continue;
        if (!choose_add(choices, codes, (int)operands, VECTOR_EVERY))
            return false;
    }
    return true;
}
