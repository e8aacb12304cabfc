/* Looking up inputs in a report. */
#include "vector/choose/worst.h"

#include "format/text.h"

#include <string.h>

/* Whether the entry is of one of the operation's results, in that format and rounding. */
static bool is_of(const struct read_result *entry, const struct binding_request *computed) {
    if (strcmp(entry->format, computed->format->name) != 0 ||
        strcmp(entry->rounding, rounding_names[computed->rounding]) != 0)
        return false;
    for (int i = 0; i < computed->operation->results; i++) {
        char name[64];
        if (strcmp(entry->operation, operation_result_name(computed->operation, i, name)) == 0)
            return true;
    }
    return false;
}

/* Adds the witness's input: one text, or an array of them. */
static bool add_input(const char *path, const cJSON *witness, struct vector_choices *choices,
                      const struct binding_request *computed, struct error *error) {
    const cJSON *input = cJSON_GetObjectItemCaseSensitive(witness, "input");
    struct vector_choice test = {.flags = 1u << VECTOR_WORST};
    int operands = computed->operation->operands;
    if (operands > 1 && cJSON_GetArraySize(input) != operands)
        return error_set(error, "%s: an input of %s is not an array of %d", path,
                         computed->operation->name, operands);
    for (int i = 0; i < operands; i++) {
        const char *text =
            cJSON_GetStringValue(operands > 1 ? cJSON_GetArrayItem(input, i) : input);
        struct parsed_value value;
        struct error why;
        if (!text || !format_parse(computed->format, text, &value, &why))
            return error_set(error, "%s: an input of %s is not a number of %s", path,
                             computed->operation->name, computed->format->name);
        test.in[i] = value.code;
    }
    return vector_choices_add(choices, &test) || error_set(error, "out of memory");
}

static bool add_implementation(const char *path, const struct read_implementation *one,
                               struct vector_choices *choices,
                               const struct binding_request *computed, struct error *error) {
    const cJSON *witness;
    if (one->max && !add_input(path, one->max, choices, computed, error))
        return false;
    cJSON_ArrayForEach(witness, cJSON_GetObjectItemCaseSensitive(one->json, "worst")) {
        if (!add_input(path, witness, choices, computed, error))
            return false;
    }
    return true;
}

bool worst_add(const struct read_report *report, struct vector_choices *choices,
               const struct binding_request *computed, struct error *error) {
    bool found = false;
    for (size_t i = 0; i < report->result_count; i++) {
        const struct read_result *entry = &report->results[i];
        if (!is_of(entry, computed))
            continue;
        found = true;
        for (size_t j = 0; j < entry->implementation_count; j++)
            if (!add_implementation(report->path, &entry->implementations[j], choices, computed,
                                    error))
                return false;
    }
    if (!found)
        return error_set(error, "%s has no inputs for %s in %s, %s", report->path,
                         computed->operation->name, computed->format->name,
                         rounding_names[computed->rounding]);
    vector_choices_unite(choices, computed->operation->operands);
    return true;
}
