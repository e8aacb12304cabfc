/* Matching and ranking of patterns. */
#include "gate/selector.h"

#include "format/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const selector_part_names[PART_COUNT] = {
    [PART_OPERATION] = "operation", [PART_IMPLEMENTATION] = "implementation",
    [PART_FORMAT] = "format",       [PART_ROUNDING] = "rounding",
    [PART_INPUTS] = "inputs",
};

int selector_fold(char c) {
    return c == '-' ? '_' : tolower((unsigned char)c);
}

/* Linear but for the steps back to the last "*". */
bool pattern_matches(const char *pattern, const char *text) {
    const char *star = NULL, *resume = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern &&
                   (*pattern == '?' || selector_fold(*pattern) == selector_fold(*text))) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else
            return false;
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool selector_is_name(const char *pattern) {
    return !strpbrk(pattern, "*?");
}

/* A format by its name here, whatever it was called. */
static const char *format_pattern(struct json_reader *reader, const char *text) {
    struct error error;
    if (!selector_is_name(text))
        return text;
    const struct format *format = format_find(text, &error);
    if (!format) {
        json_fail(reader, "format", error.text);
        return text;
    }
    return format->name;
}

void selector_read(struct selector *selector, struct json_reader *reader, const cJSON *rule) {
    *selector = (struct selector){0};
    for (int part = 0; part < PART_COUNT; part++) {
        const char *name = selector_part_names[part];
        if (!json_get(rule, name))
            continue;
        const char *text = json_string(reader, rule, name);
        if (!*text)
            json_fail(reader, name, "should be a name or a pattern, not an empty string");
        else if (strcmp(text, "*") != 0)
            selector->patterns[part] = part == PART_FORMAT ? format_pattern(reader, text) : text;
    }
    if (json_get(rule, "parameters"))
        selector->parameters = json_object(reader, rule, "parameters");
}

const char *selector_part_of(const struct gate_case *gate_case, int part) {
    switch (part) {
    case PART_OPERATION:
        return gate_case->result->operation;
    case PART_IMPLEMENTATION:
        return gate_case->implementation->name;
    case PART_FORMAT:
        return gate_case->result->format;
    case PART_ROUNDING:
        return gate_case->result->rounding;
    default:
        return gate_case->result->inputs.description;
    }
}

static bool is_number(const cJSON *item, double value) {
    return cJSON_IsNumber(item) && !(item->valuedouble < value) && !(item->valuedouble > value);
}

static bool parameters_match(const cJSON *wanted, const cJSON *there) {
    const cJSON *one;
    cJSON_ArrayForEach(one, wanted) {
        const cJSON *found = json_get(there, one->string);
        bool fits = cJSON_IsString(one) && cJSON_IsString(found)
                        ? pattern_matches(one->valuestring, found->valuestring)
                    : cJSON_IsRaw(found) ? is_number(one, strtod(found->valuestring, NULL))
                                         : cJSON_Compare(one, found, true);
        if (!fits)
            return false;
    }
    return true;
}

bool selector_matches(const struct selector *selector, const struct gate_case *gate_case) {
    for (int part = 0; part < PART_COUNT; part++)
        if (selector->patterns[part] &&
            !pattern_matches(selector->patterns[part], selector_part_of(gate_case, part)))
            return false;
    return !selector->parameters ||
           parameters_match(selector->parameters, gate_case->result->given);
}

static int weight(const char *pattern) {
    return !pattern ? 0 : selector_is_name(pattern) ? 2 : 1;
}

int selector_compare(const struct selector *a, const struct selector *b) {
    for (int part = 0; part < PART_COUNT; part++) {
        int difference = weight(a->patterns[part]) - weight(b->patterns[part]);
        if (difference)
            return difference;
    }
    int of_a = a->parameters ? cJSON_GetArraySize(a->parameters) : 0;
    int of_b = b->parameters ? cJSON_GetArraySize(b->parameters) : 0;
    return of_a - of_b;
}
