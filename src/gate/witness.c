/* The input that a check is about, and what was got and wanted there. */
#include "base/json.h"
#include "format/text.h"
#include "gate/gate.h"

#include <inttypes.h>

/* Several where the item is an array: a list of formats has one for each. A code that is none of the format stands
 * alone. */
static void print_codes(FILE *stream, const char *label, const struct format *format,
                        const cJSON *item) {
    const cJSON *one = cJSON_IsArray(item) ? item->child : item;
    bool begun = false;
    int operand = 0;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        uint64_t code;
        int digits;
        char decimal[NUMBER_TEXT], bits[NUMBER_TEXT];
        if (!record_code_of(one, &code, &digits))
            continue;
        fprintf(stream, begun ? ", " : "    %-14s ", label);
        begun = true;
        const struct format *own =
            format && operand < FORMAT_OPERANDS ? format_of_operand(format, operand++) : NULL;
        if (own && code <= format_mask(own))
            fprintf(stream, "%s  %s", format_decimal_text(own, code, decimal),
                    format_bits_text(own, code, bits));
        else
            fprintf(stream, "0x%0*" PRIx64, digits, code);
    }
    if (begun)
        fputc('\n', stream);
}

void gate_print_witness(FILE *stream, const struct gate_case *gate_case, const cJSON *witness) {
    struct error unused;
    const struct format *format = format_find(gate_case->result->format, &unused);
    const struct format *of_result = read_result_format(gate_case->result);
    print_codes(stream, "at", format, json_get(witness, "input"));
    print_codes(stream, "got", of_result, json_get(witness, "got"));
    print_codes(stream, "want", of_result, json_get(witness, "want"));
}
