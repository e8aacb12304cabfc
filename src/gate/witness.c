/* The input that a check is about, and what was got and wanted there. */
#include "base/json.h"
#include "base/memory.h"
#include "format/text.h"
#include "gate/gate.h"

#include <inttypes.h>
#include <stdlib.h>

/* Several codes if the item is an array: a list of formats has one for each. A code that the format does not have
 * stands alone. */
static void print_codes(FILE *stream, const struct format *format, const cJSON *item) {
    const cJSON *one = cJSON_IsArray(item) ? item->child : item;
    bool begun = false;
    int operand = 0;
    for (; one; one = cJSON_IsArray(item) ? one->next : NULL) {
        uint64_t code;
        int digits;
        char decimal[NUMBER_TEXT], bits[NUMBER_TEXT];
        if (!record_code_of(one, &code, &digits))
            continue;
        fputs(begun ? ", " : "", stream);
        begun = true;
        const struct format *own =
            format && operand < FORMAT_OPERANDS ? format_of_operand(format, operand++) : NULL;
        if (own && code <= format_mask(own))
            fprintf(stream, "%s  %s", format_decimal_text(own, code, decimal),
                    format_bits_text(own, code, bits));
        else
            fprintf(stream, "0x%0*" PRIx64, digits, code);
    }
}

const struct witness_row witness_rows[WITNESS_ROWS] = {
    {"at", "input", false}, {"got", "got", true}, {"want", "want", true}};

char *gate_witness_text(const struct gate_case *gate_case, const cJSON *witness,
                        const struct witness_row *row) {
    struct error unused;
    const struct format *format = row->is_result ? read_result_format(gate_case->result)
                                                 : format_find(gate_case->result->format, &unused);
    char *text = NULL;
    size_t size = 0;
    FILE *stream = witness ? memory_stream(&text, &size) : NULL;
    if (!stream)
        return NULL;
    print_codes(stream, format, json_get(witness, row->member));
    if (fclose(stream) == 0 && size)
        return text;
    free(text);
    return NULL;
}

void gate_print_witness(FILE *stream, const struct gate_case *gate_case, const cJSON *witness,
                        const char *before, int width, const char *after) {
    for (int i = 0; i < WITNESS_ROWS; i++) {
        char *text = gate_witness_text(gate_case, witness, &witness_rows[i]);
        if (text)
            fprintf(stream, "%s%-*s %s%s", before, width, witness_rows[i].name, text, after);
        free(text);
    }
}
