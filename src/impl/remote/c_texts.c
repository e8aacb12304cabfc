/* strtod, strtof and snprintf of others, a call for each text. */
#include "impl/remote/c_texts.h"

#include "op/decimal/rows.h"

#include <stdlib.h>
#include <string.h>

bool c_texts_are_of(const struct operation *operation) {
    return operation->array->takes_texts || operation->array->gives_texts;
}

bool c_texts_provides(const struct array_call *call, struct error *why) {
    const struct format *number =
        call->rule->takes_texts ? call->results[0].format : call->operands[0].format;
    if (call->rule->gives_texts && decimal_style_of(call) == STYLE_SHORTEST)
        return error_set(why,
                         "C's snprintf has no shortest text: --style exponent, fixed, general or "
                         "hexadecimal");
    return number == &formats[FORMAT_FP64] || number == &formats[FORMAT_FP32] ||
           error_set(why, "C's functions on texts have float and double, and not %s", number->name);
}

union text_function {
    void *address;
    double (*read_fp64)(const char *, char **);
    float (*read_fp32)(const char *, char **);
    int (*write)(char *, size_t, const char *, ...);
};

static void read_text(const union text_function *function, const struct array *numbers,
                      uint64_t line, const char *text) {
    char *end;
    if (numbers->format->width == 64) {
        const double y = function->read_fp64(text, &end);
        memcpy((char *)numbers->codes + line * sizeof y, &y, sizeof y);
    } else {
        const float y = function->read_fp32(text, &end);
        memcpy((char *)numbers->codes + line * sizeof y, &y, sizeof y);
    }
}

/* Whether the text ends in its room. */
static bool write_text(const union text_function *function, const struct array_call *call,
                       uint64_t line, char *text, size_t room) {
    static const char *const given[DECIMAL_STYLES] = {NULL, "%.*e", "%.*f", "%.*g", "%.*a"},
                             *const open[DECIMAL_STYLES] = {NULL, "%e", "%f", "%g", "%a"};
    const struct real number = array_number(&call->operands[0], line);
    const double x = real_to_double(&number);
    const long digits = decimal_digits_of(call);
    const enum decimal_style style = decimal_style_of(call);
    if (digits < 0)
        function->write(text, room, open[style], x);
    else
        function->write(text, room, given[style], (int)digits, x);
    const char *end = memchr(text, 0, room);
    if (end)
        memset(text + (end - text), 0, room - (size_t)(end - text));
    return end != NULL;
}

bool c_texts_run(void *address, const struct array_call *call, bool *is_written,
                 struct error *error) {
    const union text_function function = {address};
    const bool reads = call->rule->takes_texts;
    const struct array *texts = reads ? &call->operands[0] : &call->results[0];
    const size_t room = (size_t)texts->shape.extents[texts->shape.dimensions - 1];
    char *text = calloc(room + 1, 1);
    if (!text)
        return error_set(error, "out of memory for a text");
    for (uint64_t i = 0; i < shape_elements(&texts->shape) / room; i++) {
        char *line = (char *)texts->codes + i * room;
        if (reads) {
            memcpy(text, line, room);
            read_text(&function, &call->results[0], i, text);
            continue;
        }
        memset(text, 0x7f, room); /* a byte that no text of a number has */
        if (!write_text(&function, call, i, text, room))
            *is_written = false;
        memcpy(line, text, room);
    }
    free(text);
    return true;
}
