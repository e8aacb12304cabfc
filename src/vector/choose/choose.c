/* Choosing inputs. */
#include "vector/choose/choose.h"

#include "oracle/exact.h"
#include "sweep/domain.h"
#include "sweep/generator.h"
#include "vector/choose/cast.h"
#include "vector/choose/hard.h"

#include <stdlib.h>

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

void choose_draw(const struct format *format, int operands, uint64_t seed, uint64_t index,
                 uint64_t count, uint64_t *codes) {
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
    }
}

static bool add(struct vector_tests *tests, const uint64_t *codes, int operands,
                enum vector_flag flag) {
    struct vector_test test = {.flags = 1u << flag};
    for (int i = 0; i < operands; i++)
        test.in[i] = codes[i];
    return vector_tests_add(tests, &test);
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

bool choose_special(struct vector_tests *tests, const struct binding_request *computed) {
    uint64_t core[MOST_CORE];
    size_t count = list_special(computed->format, core);
    int operands = computed->operation->operands;
    size_t tuples = 1;
    for (int i = 0; i < operands; i++)
        tuples *= count;
    for (size_t tuple = 0; tuple < tuples; tuple++) {
        uint64_t codes[MAX_OPERANDS];
        size_t rest = tuple;
        for (int i = operands - 1; i >= 0; i--, rest /= count)
            codes[i] = core[rest % count];
        if (!add(tests, codes, operands, VECTOR_SPECIAL))
            return false;
    }
    return true;
}

/* The limits of the format and the landmarks of the operation, with neighbours; of several operands
 * as many tuples of them as `count`, drawn at random. */
static bool add_landmarks(struct vector_tests *tests, const struct binding_request *computed,
                          const struct choice_rules *rules, struct error *error) {
    struct code_set set = {0};
    int operands = computed->operation->operands;
    if (!code_set_landmarks(&set, computed->format, computed->operation, error))
        return false;
    bool added = true;
    uint64_t total = operands == 1 ? set.count : rules->count;
    for (uint64_t i = 0; i < total && added; i++) {
        uint64_t codes[MAX_OPERANDS];
        for (int j = 0; j < operands; j++)
            codes[j] = code_set_at(
                &set,
                operands == 1 ? i : generator_below(rules->seed, i, 16 + (unsigned)j, set.count));
        added = add(tests, codes, operands, VECTOR_BOUNDARY);
    }
    code_set_free(&set);
    return added || error_set(error, "out of memory");
}

/* The least and the largest magnitude of a binade, of both signs, in as many binades as allowed. */
static bool add_edges(struct vector_tests *tests, const struct format *format, uint64_t count) {
    uint64_t binades = (uint64_t)choose_binade_count(format);
    uint64_t wanted = (count + 3) / 4 < binades ? (count + 3) / 4 : binades;
    for (uint64_t i = 0; i < wanted; i++) {
        uint64_t ends[2];
        choose_binade(format, (int)(i * binades / wanted), &ends[0], &ends[1]);
        for (int end = 0; end < 2; end++)
            for (int sign = 0; sign < 2; sign++) {
                uint64_t code = format_with_sign(format, ends[end], sign);
                if (!add(tests, &code, 1, VECTOR_BOUNDARY))
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
    uint64_t out = format_encode(format, &y, computed->rounding, computed->overflow);
    *kind = 2 * (int)format_classify(format, out);
    if (*kind < 2 * CLASS_NAN)
        *kind += format_is_negative(format, out);
    return true;
}

/* Halves the codes low..high (of one sign), whose ends give other kinds of results, until they are
 * neighbours. */
static bool add_change(struct vector_tests *tests, struct oracle *oracle,
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
    return (add(tests, &low, 1, VECTOR_BOUNDARY) && add(tests, &high, 1, VECTOR_BOUNDARY)) ||
           error_set(error, "out of memory");
}

/* Where results of a function of one operand overflow, underflow, become subnormal, NaN or of the
 * other sign, as far as the edges of the binades show it. */
static bool add_changes(struct vector_tests *tests, const struct binding_request *computed,
                        struct error *error) {
    struct oracle oracle;
    const struct format *format = computed->format;
    int binades = choose_binade_count(format);
    bool done = true;
    oracle_open(&oracle, computed->operation, format,
                oracle_precision(request_result_format(computed)));
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
                done = add_change(tests, &oracle, computed, before, first, kind, error);
            before = first;
            kind = found;
        }
    }
    oracle_close(&oracle);
    return done;
}

static bool add_random(struct vector_tests *tests, const struct binding_request *computed,
                       const struct choice_rules *rules) {
    int operands = computed->operation->operands;
    for (uint64_t i = 0; i < rules->count; i++) {
        uint64_t codes[MAX_OPERANDS];
        choose_draw(computed->format, operands, rules->seed, i, rules->count, codes);
        if (!add(tests, codes, operands, VECTOR_RANDOM))
            return false;
    }
    return true;
}

bool choose_every(struct vector_tests *tests, const struct binding_request *computed,
                  const struct choice_rules *rules) {
    unsigned operands = (unsigned)computed->operation->operands, width = computed->format->width;
    uint64_t most = rules->count > CHOOSE_ALL ? rules->count : CHOOSE_ALL;
    if (operands * width > 32 || (uint64_t)1 << (operands * width) > most)
        return true;
    for (uint64_t input = 0; input < (uint64_t)1 << (operands * width); input++) {
        uint64_t codes[MAX_OPERANDS];
        for (unsigned i = 0; i < operands; i++)
            codes[i] = input >> (operands - 1 - i) * width & format_mask(computed->format);
        if (!add(tests, codes, (int)operands, VECTOR_EVERY))
            return false;
    }
    return true;
}

bool choose_inputs(struct vector_tests *tests, const struct binding_request *computed,
                   const struct choice_rules *rules, struct error *error) {
    bool unary = computed->operation->operands == 1;
    if (computed->operation->converts)
        return choose_cast_inputs(tests, computed, rules, error);
    if (!choose_special(tests, computed) ||
        (unary && !add_edges(tests, computed->format, rules->count)) ||
        !add_random(tests, computed, rules) || !choose_every(tests, computed, rules))
        return error_set(error, "out of memory");
    if (!add_landmarks(tests, computed, rules, error) ||
        (unary && !add_changes(tests, computed, error)) ||
        !hard_inputs(tests, computed, rules, error))
        return false;
    vector_tests_unite(tests, computed->operation->operands);
    return true;
}
