/* Inputs that no search is needed for: special ones, every one, and draws from the binades. */
#include "vector/choose/draw.h"

#include "sweep/generator.h"

#include <string.h>

enum { NEAR_ONE = 8, MOST_CORE = 64, SCALE_STREAMS = 2 * MAX_OPERANDS + 2 };

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

/* Which draw, and of how many. */
struct drawn {
    uint64_t seed, index, count;
    bool alone; /* the operand is the only number that is drawn */
};

static uint64_t draw_number(const struct format *format, const struct drawn *drawn,
                            unsigned stream) {
    const int binades = choose_binade_count(format), one = binade_of_one(format);
    uint64_t first, last, bits = generator_bits(drawn->seed, drawn->index, stream);
    int binade = (int)(drawn->index % (uint64_t)binades);
    if (drawn->alone && drawn->count < (uint64_t)binades)
        binade = (int)(drawn->index * (uint64_t)binades / drawn->count);
    if (!drawn->alone)
        binade = (int)((bits >> 8) % (uint64_t)binades);
    if (!drawn->alone && (drawn->index & 1)) {
        binade = one - NEAR_ONE + (int)((bits >> 8) % (2 * NEAR_ONE));
        binade = binade < 0 ? 0 : binade < binades ? binade : binades - 1;
    }
    choose_binade(format, binade, &first, &last);
    const uint64_t within =
        generator_below(drawn->seed, drawn->index, stream + 1, last - first + 1);
    return (first + within) | (bits & 1 ? format->sign_bit : 0);
}

void choose_draw(const struct format *format, int operands, uint64_t seed, uint64_t index,
                 uint64_t count, const struct choose_integers *integers, uint64_t *codes) {
    for (int i = 0; i < operands; i++) {
        const struct format *own = format_of_operand(format, i);
        const unsigned stream = 2 * (unsigned)i;
        const struct drawn drawn = {seed, index, count, operands == 1 && !own->element};
        codes[i] = own->element ? draw_number(own->scale, &drawn, SCALE_STREAMS + stream)
                                          << own->element->width |
                                      draw_number(own->element, &drawn, stream)
                                : draw_number(own, &drawn, stream);
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

static uint64_t code_of_one(const struct format *format) {
    return (uint64_t)format->exponent_bias << (format->precision - 1);
}

static size_t list_special(const struct format *format, uint64_t codes[MOST_CORE]);

/* Every special scale beside 1, 1 beside every special element, and each scale beside an element some places further
 * on: all scales beside all elements were too many for tuples. */
static size_t list_special_scaled(const struct format *format, uint64_t codes[MOST_CORE]) {
    enum { PARTS = MOST_CORE / 3, FURTHER = 4 };
    uint64_t scales[MOST_CORE], elements[MOST_CORE];
    const size_t scale_count = list_special(format->scale, scales),
                 element_count = list_special(format->element, elements);
    const uint64_t ones[] = {code_of_one(format->scale) << format->element->width,
                             code_of_one(format->element)};
    size_t count = 0;
    for (size_t i = 0; i < scale_count && i < PARTS; i++) {
        const uint64_t scale = scales[i] << format->element->width;
        codes[count++] = scale | ones[1];
        codes[count++] = scale | elements[(i + FURTHER) % element_count];
    }
    for (size_t i = 0; i < element_count && i < PARTS; i++)
        codes[count++] = ones[0] | elements[i];
    return count;
}

/* Zeros, infinities, NaNs, ones, the ends of the subnormal and of the normal numbers, both signs.
 * Returns how many. */
static size_t list_special(const struct format *format, uint64_t codes[MOST_CORE]) {
    if (format->element)
        return list_special_scaled(format, codes);
    uint64_t hidden = (uint64_t)1 << (format->precision - 1);
    uint64_t one = code_of_one(format);
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
    uint64_t core[MAX_OPERANDS][MOST_CORE];
    size_t counts[MAX_OPERANDS];
    int operands = computed->operation->operands;
    int integer = integers && integers->draws.operation ? integers->draws.place.operand : -1;
    size_t tuples = 1;
    for (int i = 0; i < operands; i++) {
        counts[i] = list_special(format_of_operand(computed->format, i), core[i]);
        counts[i] = i == integer ? (size_t)integers->landmarks[i].count : counts[i];
        tuples *= counts[i];
    }
    for (size_t tuple = 0; tuple < tuples; tuple++) {
        uint64_t codes[MAX_OPERANDS];
        size_t rest = tuple;
        for (int i = operands - 1; i >= 0; rest /= counts[i], i--)
            codes[i] = i == integer ? code_set_at(&integers->landmarks[i], rest % counts[i])
                                    : core[i][rest % counts[i]];
        if (!choose_add(choices, codes, operands, VECTOR_SPECIAL))
            return false;
    }
    return true;
}

void choose_split(const struct format *format, int operands, uint64_t input, uint64_t *codes) {
    for (int i = operands - 1; i >= 0; i--) {
        const struct format *own = format_of_operand(format, i);
        codes[i] = input & format_mask(own);
        input >>= own->width;
    }
}

bool choose_every(struct vector_choices *choices, const struct binding_request *computed,
                  const struct choice_rules *rules) {
    const unsigned bits = request_input_bits(computed);
    const int operands = computed->operation->operands;
    uint64_t most = rules->count > CHOOSE_ALL ? rules->count : CHOOSE_ALL;
    if (bits > 32 || (uint64_t)1 << bits > most)
        return true;
    for (uint64_t input = 0; input < (uint64_t)1 << bits; input++) {
        uint64_t codes[MAX_OPERANDS];
        choose_split(computed->format, operands, input, codes);
        if (!operation_is_call_of(computed->operation, computed->format, codes))
            continue;
        if (!choose_add(choices, codes, operands, VECTOR_EVERY))
            return false;
    }
    return true;
}
