/* Searches in a gate: another implementation, machine or hour has another list of inputs, found for
 * the same reason. */
#include "gate/judging.h"

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
 * "no difference found among 20,000 inputs, seed 1"; older ones have "among 20,000, seed 1; one input stands for
 * these" in its place, which is the same. */
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
        const size_t noun = strncmp(text, " inputs", 7) == 0  ? 7
                            : strncmp(text, " input", 6) == 0 ? 6
                                                              : 0;
        text += found ? 0 : noun;
    }
    const char *older =
        gate_is_search(result) && !found ? strstr(text, "; one input stands for these") : NULL;
    append(pattern, text, older ? (size_t)(older - text) : strlen(text));
    return pattern;
}

static uint64_t tried(const struct read_result *result) {
    const struct inputs_facts *inputs = &result->inputs;
    return gate_is_search(result) && inputs->search ? inputs->search->evaluations : inputs->covered;
}

bool judging_apply_tried(struct judging *judging, size_t at) {
    const struct gate_case *gate_case = &judging->gate->cases[at];
    uint64_t least = judging->min_tried;
    if (!least && gate_is_search(gate_case->result))
        least = LEAST_TRIED_BY_SEARCH;
    if (judging->part || tried(gate_case->result) >= least)
        return true;
    struct check *check =
        gate_add_check(judging->gate, at, MIN_TRIED_CHECK, MIN_TRIED_MEANS, CHECK_FAILED);
    if (!check)
        return judging_out_of_memory(judging);
    snprintf(check->allowed, FIGURE_TEXT, "%llu or more", (unsigned long long)least);
    snprintf(check->found, FIGURE_TEXT, "%llu", (unsigned long long)tried(gate_case->result));
    snprintf(check->source, sizeof check->source, "%s",
             judging->min_tried ? "command line" : "always, of a search");
    check->command = gate_command(gate_case, NULL);
    judging_excuse(judging, check, judging_exception(judging, gate_case, -1, 0));
    return check->command || judging_out_of_memory(judging);
}

bool gate_is_lasting(const struct read_result *result, enum limit_kind kind, double figure) {
    return !gate_is_search(result) || kind == LIMIT_OF_ERROR || !(figure > 0);
}
