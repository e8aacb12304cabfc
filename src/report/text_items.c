/* What stands in many lines: counts, and inputs. */
#include "report/text.h"

#include "format/text.h"

#include <inttypes.h>
#include <string.h>

const char *text_grouped(uint64_t count, char text[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

/* The element of a result, of which array. */
static void name_element(const struct cases *cases, const uint64_t *input, char text[TEXT_PLACE]) {
    const struct shape *shape = case_shape(cases, input[0]);
    int at = snprintf(text, TEXT_PLACE, "element %" PRIu64 " of draw %" PRIu64 ", shape ", input[1],
                      case_draw(cases, input[0]));
    for (int i = 0; i < shape->dimensions; i++)
        at += snprintf(text + at, TEXT_PLACE - (size_t)at, "%s%" PRIu64, i ? "x" : "",
                       shape->extents[i]);
}

const char *text_place(const struct sweep_request *request, const uint64_t *input,
                       char text[TEXT_PLACE]) {
    const struct binding_request *computed = &request->computed;
    char bits[NUMBER_TEXT];
    text[0] = '\0';
    if (computed->operation->array)
        name_element(&request->domain->cases, input, text);
    for (int i = 0, at = 0; i < computed->operation->operands && !computed->operation->array; i++)
        at += snprintf(text + at, TEXT_PLACE - (size_t)at, "%s%s", i ? " " : "",
                       format_bits_text(computed->format, input[i], bits));
    return text;
}

void text_print_input(FILE *stream, const struct sweep_request *request, const uint64_t *input) {
    static const char *const names[] = {"x", "y", "z"};
    const struct binding_request *computed = &request->computed;
    if (computed->operation->array) {
        char text[TEXT_PLACE];
        fputs(text_place(request, input, text), stream);
        return;
    }
    char decimal[NUMBER_TEXT], hex[NUMBER_TEXT], bits[NUMBER_TEXT];
    for (int i = 0; i < computed->operation->operands; i++)
        fprintf(stream, "%s%s = %s  %s  %s", i ? "\n                           " : "", names[i],
                format_decimal_text(computed->format, input[i], decimal),
                format_hex_text(computed->format, input[i], hex),
                format_bits_text(computed->format, input[i], bits));
}
