/* Choosing inputs. */
#include "vector/choose/choose.h"

#include "op/conversion.h"
#include "oracle/exact.h"
#include "sweep/domain.h"
#include "sweep/generator.h"
#include "vector/choose/cast.h"
#include "vector/choose/hard.h"

/* The limits of the format and the landmarks of the operation, with neighbours; of several operands
 * as many tuples of them as `count`, drawn at random. */
static bool add_landmarks(struct vector_choices *choices, const struct binding_request *computed,
                          const struct choice_rules *rules, const struct choose_integers *integers,
                          struct error *error) {
    struct code_set sets[MAX_OPERANDS] = {{0}};
    size_t set_count;
    int integer = integers->draws.operation ? integers->draws.place.operand : -1;
    int operands = computed->operation->operands;
    bool added = code_sets_make(sets, &set_count, code_set_landmarks, computed->operation,
                                computed->format, error);
    uint64_t total = operands == 1 ? sets[0].count : rules->count;
    for (uint64_t i = 0; added && i < total; i++) {
        uint64_t codes[MAX_OPERANDS];
        for (int j = 0; j < operands; j++) {
            const struct code_set *from =
                j == integer ? &integers->landmarks[j] : &sets[set_count == 1 ? 0 : j];
            codes[j] = code_set_at(
                from,
                operands == 1 ? i : generator_below(rules->seed, i, 16 + (unsigned)j, from->count));
        }
        added = choose_add(choices, codes, operands, VECTOR_BOUNDARY);
    }
    for (int i = 0; i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
    return added || error_set(error, "out of memory");
}

/* The least and the largest magnitude of a binade, of both signs, in as many binades as allowed. */
static bool add_edges(struct vector_choices *choices, const struct format *format, uint64_t count) {
    uint64_t binades = (uint64_t)choose_binade_count(format);
    uint64_t wanted = (count + 3) / 4 < binades ? (count + 3) / 4 : binades;
    for (uint64_t i = 0; i < wanted; i++) {
        uint64_t ends[2];
        choose_binade(format, (int)(i * binades / wanted), &ends[0], &ends[1]);
        for (int end = 0; end < 2; end++)
            for (int sign = 0; sign < 2; sign++) {
                uint64_t code = format_with_sign(format, ends[end], sign);
                if (!choose_add(choices, &code, 1, VECTOR_BOUNDARY))
                    return false;
            }
    }
    return true;
}

/* What kind of number the first result at a code is: its class and its sign. */
static bool result_kind(struct oracle *oracle, const struct binding_request *computed,
                        uint64_t code, int *kind, struct error *error) {
    struct real y;
    const uint64_t codes[MAX_OPERANDS] = {code};
    if (!oracle_exact(oracle, codes, 0, &y, error))
        return false;
    const struct format *format = request_result_format(computed);
    uint64_t out = projected_code(format, &y, computed->rounding, computed->overflow,
                                  &computed->parameters, 0);
    *kind = 2 * (int)format_classify(format, out);
    if (*kind < 2 * CLASS_NAN)
        *kind += format_is_negative(format, out);
    return true;
}

/* Halves the codes low..high (of one sign), whose ends give other kinds of results, until they are
 * neighbours. */
static bool add_change(struct vector_choices *choices, struct oracle *oracle,
                       const struct binding_request *computed, uint64_t low, uint64_t high,
                       int kind, struct error *error) {
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        int found;
        if (!result_kind(oracle, computed, middle, &found, error))
            return false;
        if (found == kind)
            low = middle;
        else
            high = middle;
    }
    return (choose_add(choices, &low, 1, VECTOR_BOUNDARY) &&
            choose_add(choices, &high, 1, VECTOR_BOUNDARY)) ||
           error_set(error, "out of memory");
}

/* Where results of a function of one operand overflow, underflow, become subnormal, NaN or of the
 * other sign, as far as the edges of the binades show it. */
static bool add_changes(struct vector_choices *choices, const struct binding_request *computed,
                        struct error *error) {
    struct oracle oracle;
    const struct format *format = computed->format;
    int binades = choose_binade_count(format);
    bool done = true;
    oracle_open(&oracle, computed->operation, format, &computed->parameters,
                oracle_precision(request_result_format(computed)));
    oracle.rounding = computed->rounding;
    for (int sign = 0; sign < 2 && done; sign++) {
        uint64_t before = 0;
        int kind = -1;
        for (int binade = 0; binade < binades && done; binade++) {
            uint64_t first, last;
            int found;
            choose_binade(format, binade, &first, &last);
            first |= sign ? format->sign_bit : 0;
            done = result_kind(&oracle, computed, first, &found, error);
            if (done && kind >= 0 && found != kind)
                done = add_change(choices, &oracle, computed, before, first, kind, error);
            before = first;
            kind = found;
        }
    }
    oracle_close(&oracle);
    return done;
}

static bool add_random(struct vector_choices *choices, const struct binding_request *computed,
                       const struct choice_rules *rules, const struct choose_integers *integers) {
    int operands = computed->operation->operands;
    for (uint64_t i = 0; i < rules->count; i++) {
        uint64_t codes[MAX_OPERANDS];
        choose_draw(computed->format, operands, rules->seed, i, rules->count, integers, codes);
        if (!choose_add(choices, codes, operands, VECTOR_RANDOM))
            return false;
    }
    return true;
}

static bool add_others(struct vector_choices *choices, const struct binding_request *computed,
                       const struct choice_rules *rules, const struct choose_integers *integers,
                       struct error *error) {
    bool unary = computed->operation->operands == 1 && format_is_plain(computed->format);
    if (!choose_special(choices, computed, integers) ||
        (unary && !add_edges(choices, computed->format, rules->count)) ||
        !add_random(choices, computed, rules, integers) || !choose_every(choices, computed, rules))
        return error_set(error, "out of memory");
    return add_landmarks(choices, computed, rules, integers, error) &&
           (!unary || add_changes(choices, computed, error));
}

/* Of an operation that converts nothing. */
static bool choose_of_function(struct vector_choices *choices,
                               const struct binding_request *computed,
                               const struct choice_rules *rules, const struct domain *given,
                               struct error *error) {
    struct choose_integers integers;
    if (!choose_integers_open(&integers, computed->operation, computed->format, error))
        return false;
    /* Hard ones first, while there is nothing else to be held. */
    bool chosen = hard_inputs(choices, computed, rules, given, error) &&
                  add_others(choices, computed, rules, &integers, error);
    choose_integers_close(&integers);
    if (!chosen)
        return false;
    vector_choices_unite(choices, computed->operation->operands);
    return true;
}

bool choose_inputs(struct vector_choices *choices, const struct binding_request *computed,
                   const struct choice_rules *rules, struct error *error) {
    struct domain given;
    bool chosen = hard_read(&given, computed, rules, error) &&
                  (computed->operation->converts
                       ? choose_cast_inputs(choices, computed, rules, error)
                       : choose_of_function(choices, computed, rules, &given, error));
    domain_free(&given);
    return chosen;
}
