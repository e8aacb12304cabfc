/* Inputs of casts: where the rounding to the target changes. */
#include "vector/choose/cast.h"

#include "base/bits.h"
#include "op/conversion.h"
#include "oracle/boundary.h"
#include "sweep/generator.h"

#include <string.h>

/* A choice under way. */
struct cast_choice {
    struct vector_choices *choices;
    const struct format *from, *to;
    struct cast cast;
    bool failed; /* no memory */
};

static void add_code(struct cast_choice *choice, uint64_t code, enum vector_flag flag,
                     double distance) {
    struct vector_choice test = {.in = {code}, .flags = 1u << flag, .distance = distance};
    choice->failed = choice->failed || !vector_choices_add(choice->choices, &test);
}

static void add_signs(struct cast_choice *choice, uint64_t magnitude) {
    for (int negative = 0; negative < 2; negative++)
        add_code(choice, format_with_sign(choice->from, magnitude, negative), VECTOR_BOUNDARY, 0);
}

/* Whether the target has that number. */
static bool is_exact(const struct cast_choice *choice, const struct real *value) {
    uint64_t code = format_encode(choice->to, value, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
    struct real found = format_decode(choice->to, code);
    return found.exponent == value->exponent &&
           wide_compare(found.significand, value->significand) == 0;
}

/* Hard where the number is neither the boundary itself nor one of the target, as every number of the
 * source may be. What rounds beyond the range is no such case. */
static void add_neighbour(struct cast_choice *choice, uint64_t magnitude) {
    for (int negative = 0; negative < 2; negative++) {
        uint64_t code = format_with_sign(choice->from, magnitude, negative);
        struct real value = format_decode(choice->from, code);
        double distance = 0;
        if (!rounding_is_stochastic(choice->cast.rounding) &&
            boundary_is_near(choice->to, &value) && !is_exact(choice, &value))
            distance = boundary_distance(&choice->cast, &value);
        bool hard = distance > 0 && distance < 0.5;
        add_code(choice, code, hard ? VECTOR_HARD : VECTOR_BOUNDARY, hard ? distance : 0);
    }
}

/* The code of the source that a number from 0 up is, or the one below it. */
static uint64_t source_code(const struct cast_choice *choice, double number) {
    struct real value = real_from_double(number);
    if (value.kind == REAL_ZERO) /* scales, which have none, begin with code 0 too */
        return 0;
    return format_encode(choice->from, &value, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
}

/* A number with a neighbour on either side. */
static void add_around(struct cast_choice *choice, double number) {
    uint64_t code = source_code(choice, number);
    add_signs(choice, code);
    if (code)
        add_neighbour(choice, code - 1);
    if (code < choice->from->max_finite)
        add_neighbour(choice, code + 1);
}

/* The magnitude as a number; the one above the largest is that with an unbounded exponent. */
static double number_of(const struct cast_choice *choice, uint64_t magnitude) {
    const struct format *to = choice->to;
    bool beyond = magnitude > to->max_finite;
    struct real value = format_decode(to, beyond ? to->max_finite : magnitude);
    double number = from_bits(
        format_encode(&formats[FORMAT_FP64], &value, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE));
    return beyond ? number + power_of_two(to->emax - to->precision + 1) : number;
}

/* What the rounding of the numbers between a magnitude and the next one depends on: both, and the
 * middle. */
static void add_interval(struct cast_choice *choice, uint64_t magnitude) {
    double below = number_of(choice, magnitude), above = number_of(choice, magnitude + 1);
    double middle = below / 2 + above / 2;
    if (rounding_is_nearest(choice->cast.rounding)) {
        add_signs(choice, source_code(choice, below));
        add_around(choice, middle);
    } else {
        add_around(choice, below);
        add_signs(choice, source_code(choice, middle));
    }
}

/* The ends of the target: 0, the smallest numbers, the ends of the subnormal ones, the largest, and
 * what overflows. */
static void add_limits(struct cast_choice *choice) {
    const struct format *to = choice->to;
    uint64_t hidden = (uint64_t)1 << (to->precision - 1);
    const uint64_t magnitudes[] = {0, 1, hidden - 1, hidden, to->max_finite - 1, to->max_finite};
    for (size_t i = 0; i < sizeof magnitudes / sizeof *magnitudes; i++) {
        add_interval(choice, magnitudes[i]);
        add_around(choice, number_of(choice, magnitudes[i]));
    }
    add_around(choice, number_of(choice, to->max_finite + 1));
    if (!to->has_zero)
        add_around(choice, number_of(choice, 0) / 2);
}

/* As many intervals as allowed, from everywhere in the target. */
static void add_intervals(struct cast_choice *choice, uint64_t count) {
    uint64_t total = choice->to->max_finite + (choice->to->max_finite < UINT64_MAX);
    uint64_t wanted = count < total ? count : total;
    for (uint64_t i = 0; i < wanted; i++) /* without a product that could overflow */
        add_interval(choice, total / wanted * i + total % wanted * i / wanted);
}

/* Half of them from all binades of the source, half from the range of the target. */
static void add_random(struct cast_choice *choice, const struct choice_rules *rules) {
    for (uint64_t i = 0; i < rules->count && !choice->failed; i++) {
        uint64_t code[MAX_OPERANDS];
        choose_draw(choice->from, 1, rules->seed, i, rules->count, NULL, code);
        if ((i & 1) && format_is_plain(choice->from)) {
            uint64_t magnitude = generator_below(rules->seed, i, 2, choice->to->max_finite + 1);
            uint64_t low = source_code(choice, number_of(choice, magnitude));
            uint64_t high = source_code(choice, number_of(choice, magnitude + 1));
            uint64_t within = generator_below(rules->seed, i, 3, high > low ? high - low + 1 : 1);
            code[0] = format_with_sign(choice->from, low + within,
                                       format_is_negative(choice->from, code[0]));
        }
        add_code(choice, code[0], VECTOR_RANDOM, 0);
    }
}

/* Inputs without a right result are no tests. */
static void leave_out_open(struct cast_choice *choice) {
    struct vector_choices *choices = choice->choices;
    size_t kept = 0;
    for (size_t i = 0; i < choices->count; i++)
        if (!cast_may_be_open(&choice->cast) ||
            !cast_is_open(&choice->cast, choices->items[i].in[0], 0))
            choices->items[kept++] = choices->items[i];
    choices->count = kept;
}

bool choose_cast_inputs(struct vector_choices *choices, const struct binding_request *computed,
                        const struct choice_rules *rules, struct error *error) {
    struct cast_choice choice = {
        .choices = choices, .from = computed->format, .to = request_result_format(computed)};
    if (!conversion_make(&choice.cast, choice.from, computed->rounding, &computed->parameters,
                         error))
        return false;
    if (!choose_special(choices, computed, NULL) || !choose_every(choices, computed, rules))
        return error_set(error, "out of memory");
    if (format_is_plain(choice.from)) {
        add_limits(&choice);
        add_intervals(&choice, rules->count);
    }
    add_random(&choice, rules);
    if (choice.failed)
        return error_set(error, "out of memory");
    vector_choices_unite(choices, 1);
    leave_out_open(&choice);
    return true;
}
