/* How texts are read and written: by the oracle, and by strtof, strtod, sscanf and snprintf of the C library. */
#include "op/array/algorithms.h"
#include "op/array/slices.h"
#include "op/decimal/c_calls.h"
#include "op/decimal/rows.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* <fenv.h>'s mode; -1 where C has none. */
static int mode_of(enum rounding rounding) {
    switch (rounding) {
    case ROUND_NEAREST_EVEN:
        return FE_TONEAREST;
#if defined(FE_TOWARDZERO) && defined(FE_UPWARD) && defined(FE_DOWNWARD)
    case ROUND_TOWARD_ZERO:
        return FE_TOWARDZERO;
    case ROUND_UP:
        return FE_UPWARD;
    case ROUND_DOWN:
        return FE_DOWNWARD;
#endif
    default:
        return -1;
    }
}

static bool provides_mode(const struct array_call *call, struct error *why) {
    return mode_of(call->rounding) >= 0 ||
           error_set(why, "C has no rounding %s", rounding_names[call->rounding]);
}

static bool provides_reading(const struct array_call *call, struct error *why) {
    const struct format *to = call->results[0].format;
    const enum grammar_number grammar =
        (enum grammar_number)(decimal_grammar_of(call) - decimal_grammars);
    if (grammar != GRAMMAR_STRTOD && grammar != GRAMMAR_SCANF)
        return error_set(why, "C has no function that reads by the grammar of %s",
                         decimal_grammar_names[grammar]);
    return to == &formats[FORMAT_FP64] || to == &formats[FORMAT_FP32]
               ? provides_mode(call, why)
               : error_set(why, "strtof and strtod give fp32 and fp64, not %s", to->name);
}

static bool provides_writing(const struct array_call *call, struct error *why) {
    const struct format *from = call->operands[0].format;
    const bool shortest = decimal_style_of(call) == STYLE_SHORTEST;
    if (shortest && from != &formats[FORMAT_FP64] && from != &formats[FORMAT_FP32])
        return error_set(why,
                         "the shortest text is read back by strtof and strtod, which give fp32 and "
                         "fp64, not %s",
                         from->name);
    return provides_mode(call, why);
}

static void read_numbers(const struct array_call *call, char *text) {
    const struct slices slices = slices_of(call);
    const bool is_scanf = decimal_grammar_of(call) == &decimal_grammars[GRAMMAR_SCANF];
    const union text_function scan = {.scan = sscanf}, wide = {.read_fp64 = strtod},
                              narrow = {.read_fp32 = strtof};
    const union text_function *function = is_scanf                               ? &scan
                                          : call->results[0].format->width == 64 ? &wide
                                                                                 : &narrow;
    for (uint64_t i = 0; i < slices.count; i++) {
        memcpy(text, (const char *)call->operands[0].codes + i * slices.length,
               (size_t)slices.length);
        text_function_read(function, call, i, text);
    }
}

static bool run_reading(const struct array_call *call, const struct array_algorithm *algorithm,
                        struct error *error) {
    const int mode = fegetround();
    char *text = calloc((size_t)slices_of(call).length + 1, 1);
    (void)algorithm;
    if (!text)
        return error_set(error, "out of memory for a text");
    fesetround(mode_of(call->rounding));
    read_numbers(call, text);
    fesetround(mode);
    free(text);
    return true;
}

/* The first of %.0e, %.1e, ... that reads back, without zeros before its exponent. */
static void write_shortest(char *text, size_t room, double x, bool wide) {
    for (int digits = 0; digits < 17; digits++) {
        snprintf(text, room, "%.*e", digits, x);
        if (wide ? strtod(text, NULL) == x : strtof(text, NULL) == (float)x)
            break;
    }
}

static bool run_writing(const struct array_call *call, const struct array_algorithm *algorithm,
                        struct error *error) {
    const struct array *numbers = &call->operands[0], *texts = &call->results[0];
    const size_t room = (size_t)texts->shape.extents[texts->shape.dimensions - 1];
    const bool shortest = decimal_style_of(call) == STYLE_SHORTEST;
    const union text_function function = {.write = snprintf};
    const int mode = fegetround();
    (void)algorithm;
    (void)error;
    fesetround(mode_of(call->rounding));
    for (uint64_t i = 0; i < shape_elements(&numbers->shape); i++) {
        const struct real x = array_number(numbers, i);
        char *text = (char *)texts->codes + i * room;
        memset(text, 0, room);
        if (shortest)
            write_shortest(text, room, real_to_double(&x), numbers->format->width == 64);
        else
            text_function_write(&function, call, i, text, room);
    }
    fesetround(mode);
    return true;
}

const struct array_algorithm from_decimal_algorithms[] = {
    {"cr", "what the oracle finds", NULL, run_exact, NULL, NULL},
    {"libm", "strtof, strtod or sscanf of the C library", provides_reading, run_reading, NULL,
     NULL},
    {0}};
const struct array_algorithm to_decimal_algorithms[] = {
    {"cr", "what the oracle finds", NULL, run_exact, NULL, NULL},
    {"libm", "snprintf of the C library; shortest: the first of its %.Ne that strtod reads back",
     provides_writing, run_writing, NULL, NULL},
    {0}};
