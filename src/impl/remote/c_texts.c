/* strtod, strtof, sscanf and snprintf of others, a call for each text. */
#include "impl/remote/c_texts.h"

#include "op/decimal/c_calls.h"
#include "op/decimal/rows.h"

#include <stdlib.h>
#include <string.h>

bool c_texts_are_of(const struct operation *operation) {
    return array_is_of_texts(operation->array);
}

bool c_texts_provides(const struct array_call *call, struct error *why) {
    const struct format *number =
        call->rule->takes_texts ? call->results[0].format : call->operands[0].format;
    if (call->rule->gives_texts && decimal_style_of(call) == STYLE_SHORTEST)
        return error_set(why, "C's snprintf cannot write the default style, shortest; give --style "
                              "exponent, fixed, general or hexadecimal");
    return number == &formats[FORMAT_FP64] || number == &formats[FORMAT_FP32] ||
           error_set(why, "C's functions on texts have float and double, and not %s", number->name);
}

/* Whether the text ends in its room; zeros are put behind it. */
static bool end_text(char *text, size_t room) {
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
            text_function_read(&function, call, i, text);
            continue;
        }
        memset(text, 0x7f, room); /* a byte that no text of a number has */
        text_function_write(&function, call, i, text, room);
        if (!end_text(text, room))
            *is_written = false;
        memcpy(line, text, room);
    }
    free(text);
    return true;
}
