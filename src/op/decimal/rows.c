/* The rows of from_decimal and to_decimal. A text is a line of bytes, with zeros behind it. */
#include "op/decimal/rows.h"

#include "op/array/algorithms.h"
#include "op/array/slices.h"
#include "op/families.h"

#include <stdlib.h>
#include <string.h>

static const struct format *bytes(void) {
    return &integer_formats[FORMAT_UINT8];
}

static bool shapes_of_texts(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    (void)format;
    (void)error;
    call->operands[0] = (struct array){.format = bytes(), .shape = *shape};
    return true;
}

static bool exact_values(const struct array_call *call, int result, int precision, struct real *y,
                         struct error *error) {
    const struct slices slices = slices_of(call);
    const char *texts = call->operands[0].codes;
    (void)result;
    (void)error;
    for (uint64_t i = 0; i < slices.count; i++)
        y[i] = decimal_value(decimal_grammar_of(call), texts + i * slices.length,
                             (size_t)slices.length, precision);
    return true;
}

static bool shapes_of_numbers(struct array_call *call, const struct format *format,
                              const struct shape *shape, struct error *error) {
    (void)error;
    call->operands[0] = (struct array){.format = format, .shape = *shape};
    return true;
}

/* A line for each number, as long as the longest may be. */
static bool shapes_written(struct array_call *call, struct error *error) {
    const struct format *format = call->operands[0].format;
    struct shape *shape = &call->results[0].shape;
    const enum decimal_style style = decimal_style_of(call);
    if (style == STYLE_SHORTEST && decimal_digits_of(call) >= 0)
        return error_set(
            error,
            "--digits does not go with --style shortest, which writes as many digits as it needs");
    if (style == STYLE_SHORTEST && call->rounding != ROUND_NEAREST_EVEN)
        return error_set(error, "--style shortest is for reading back to nearest-even");
    if (call->operands[0].shape.dimensions == MOST_DIMENSIONS)
        return error_set(error, "--shape: %d dimensions at most, as each number becomes a line",
                         MOST_DIMENSIONS - 1);
    *shape = call->operands[0].shape;
    shape->extents[shape->dimensions++] = decimal_room(format, style, decimal_digits_of(call));
    call->results[0].format = bytes();
    return true;
}

static bool exact_texts(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    const struct array *numbers = &call->operands[0], *texts = &call->results[0];
    const uint64_t count = shape_elements(&numbers->shape),
                   length = texts->shape.extents[texts->shape.dimensions - 1];
    char *text = malloc((size_t)length);
    bool good = text;
    (void)result;
    (void)precision;
    for (uint64_t i = 0; good && i < count; i++) {
        const struct real x = array_number(numbers, i);
        good = decimal_write(text, numbers->format, &x, decimal_style_of(call),
                             decimal_digits_of(call), call->rounding);
        for (uint64_t j = 0; j < length; j++)
            y[i * length + j] = real_from_double(text[j]);
    }
    free(text);
    return good || error_set(error, "out of memory for a text");
}

/* The shortest text takes several calls. */
static bool tells_lines(const struct array_call *call, const struct array_algorithm *algorithm) {
    return algorithm->run != run_exact &&
           !(call->rule->gives_texts && decimal_style_of(call) == STYLE_SHORTEST);
}

static const struct shape text_shapes[] = {{2, {2048, 40}}, {2, {512, 120}}, {2, {32, 800}}, {0}};
static const struct shape number_shapes[] = {{1, {1024}}, {0}};

static const struct format *const byte_formats[] = {&integer_formats[FORMAT_UINT8], NULL};

static const struct operation rows[] = {
    {.name = "from_decimal",
     .aliases = "strtod",
     .formula = "the number that the text x stands for",
     .operands = 1,
     .results = 1,
     .parameters = PARAMETER_BIT(TO) | PARAMETER_BIT(GRAMMAR) | PARAMETER_BIT(SHAPE_OF) |
                   PARAMETER_BIT(DISTRIBUTION),
     .defaults = {{PARAMETER_TO, "fp64"}},
     .group = "decimal",
     .format = "uint8",
     .formats = byte_formats,
     .array = &(const struct array_rule){.lines = LINES_REDUCED,
                                         .last_axis = true,
                                         .operand_names = {"x"},
                                         .takes_texts = true,
                                         .tells_lines = tells_lines,
                                         .operand_shapes = shapes_of_texts,
                                         .result_shapes = shapes_reduced,
                                         .exact = exact_values,
                                         .algorithms = from_decimal_algorithms,
                                         .families = from_decimal_families,
                                         .families_by_name = 1,
                                         .shapes = text_shapes}},
    {.name = "to_decimal",
     .formula = "x as a text",
     .operands = 1,
     .results = 1,
     .parameters = PARAMETER_BIT(STYLE) | PARAMETER_BIT(DIGITS) | PARAMETER_BIT(SHAPE_OF) |
                   PARAMETER_BIT(DISTRIBUTION),
     .group = "decimal",
     .format = "fp64",
     .array = &(const struct array_rule){.lines = LINES_NONE,
                                         .operand_names = {"x"},
                                         .gives_texts = true,
                                         .tells_lines = tells_lines,
                                         .operand_shapes = shapes_of_numbers,
                                         .result_shapes = shapes_written,
                                         .exact = exact_texts,
                                         .algorithms = to_decimal_algorithms,
                                         .families = to_decimal_families,
                                         .shapes = number_shapes}},
};
OPERATION_FAMILY(decimal, rows);
