/* Searches in a gate: another implementation, machine or hour has another list of inputs, found for
 * the same reason. */
#include "gate/gate.h"

#include <stdio.h>
#include <string.h>

static const char digits[] = "0123456789,";

bool gate_is_search(const struct read_result *result) {
    return strcmp(result->inputs.kind, "search") == 0;
}

/* Appends `length` characters. */
static void append(char *pattern, const char *text, size_t length) {
    size_t used = strlen(pattern);
    snprintf(pattern + used, INPUTS_PATTERN - used, "%.*s", (int)length, text);
}

/* Descriptions are "801 inputs found by a search for large errors among 200,000 from 1:2, seed 1", or
 * "no difference found among 20,000, seed 1; one input stands for these". */
const char *gate_inputs_pattern(const struct read_result *result, char pattern[INPUTS_PATTERN]) {
    const char *text = result->inputs.description, *among = strstr(text, " among ");
    const char *found = strstr(text, " found by ");
    *pattern = '\0';
    if (gate_is_search(result) && found && among && found < among) {
        append(pattern, "*", 1);
        text = found;
    }
    if (gate_is_search(result) && among) {
        const char *tried = among + strlen(" among ");
        append(pattern, text, (size_t)(tried - text));
        append(pattern, "*", 1);
        text = tried + strspn(tried, digits);
        text -= text > tried && text[-1] == ','; /* of the sentence */
    }
    append(pattern, text, strlen(text));
    return pattern;
}

bool gate_is_lasting(const struct read_result *result, enum limit_kind kind, double figure) {
    return !gate_is_search(result) || kind == LIMIT_OF_ERROR || !(figure > 0);
}
