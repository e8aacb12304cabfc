/* glibc's libm-test-ulps as rules.
 *
 *   Function: "acos_upward":
 *   double: 1
 *   float: 1
 */
#include "gate/policy.h"

#include "format/format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GLIBC_MIB = 16 };

static const struct {
    const char *suffix, *rounding;
    double beyond; /* from the correctly rounded result to the exact one, in ulps */
} roundings[] = {{"_downward", "down", 1},
                 {"_towardzero", "toward-zero", 1},
                 {"_upward", "up", 1},
                 {"", "nearest-even", 0.5}};

static const struct {
    const char *name, *format;
} types[] = {{"float", "fp32"}, {"double", "fp64"}};

/* What the lines after a "Function:" line are about. */
struct heading {
    char *function; /* NULL for parts of complex functions */
    size_t rounding;
};

/* Cuts the name out of the line, and the rounding off the name. */
static bool read_heading(struct heading *heading, char *line) {
    *heading = (struct heading){0};
    char *open = strchr(line, '"'), *close = open ? strchr(open + 1, '"') : NULL;
    if (!close || strcmp(close, "\":") != 0 || close == open + 1)
        return false;
    *close = '\0';
    if (strncmp(line, "Function: \"", 11) != 0)
        return strstr(line, "part of") != NULL;
    heading->function = open + 1;
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++) {
        size_t length = strlen(roundings[i].suffix), all = strlen(heading->function);
        if (length <= all && strcmp(heading->function + all - length, roundings[i].suffix) == 0) {
            heading->function[all - length] = '\0';
            heading->rounding = i;
            return true;
        }
    }
    return true;
}

static bool read_limit(struct policy *policy, const struct heading *heading, char *line, int number,
                       struct error *error) {
    char *colon = strchr(line, ':'), *end = NULL;
    unsigned long ulps = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (!colon || !isdigit((unsigned char)colon[1 + strspn(colon + 1, " ")]) || *end ||
        ulps > 1000000)
        return error_set(error,
                         "%.200s, line %d: should be a type and its ulps, such as 'double: 1'",
                         policy->name, number);
    *colon = '\0';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!heading->function || strcmp(line, types[i].name) != 0)
            continue;
        struct rule *rule = &policy->rules[policy->rule_count++];
        rule->selector.patterns[PART_OPERATION] = heading->function;
        rule->selector.patterns[PART_FORMAT] = types[i].format;
        rule->selector.patterns[PART_ROUNDING] = roundings[heading->rounding].rounding;
        rule->has[LIMIT_MAX_ULP] = true;
        rule->limits[LIMIT_MAX_ULP] = (double)ulps + roundings[heading->rounding].beyond;
        rule->number = number;
    }
    return true;
}

static bool read_lines(struct policy *policy, struct error *error) {
    struct heading heading = {0};
    bool any = false;
    int number = 1;
    for (char *line = policy->text, *next; line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        size_t length = strcspn(line, "\r");
        line[length] = '\0';
        if (!*line || *line == '#' || strcmp(line, "end of automatic generation") == 0)
            continue;
        bool is_heading = strchr(line, '"') != NULL;
        if (is_heading ? !read_heading(&heading, line) : !any)
            return error_set(error,
                             "%.200s, line %d: should be 'Function: \"NAME\":' as in glibc's "
                             "libm-test-ulps",
                             policy->name, number);
        any = true;
        if (!is_heading && !read_limit(policy, &heading, line, number, error))
            return false;
    }
    return policy->rule_count || error_set(error,
                                           "%.200s has no limit of a double or float "
                                           "function, as glibc's libm-test-ulps has",
                                           policy->name);
}

bool policy_read_glibc(struct policy *policy, const char *path, struct error *error) {
    size_t length, lines = 2;
    *policy = (struct policy){.name = path, .rule_noun = "line", .exception_noun = "exception"};
    policy->text = file_read(path, (size_t)MOST_GLIBC_MIB << 20, "libm-test-ulps", &length, error);
    if (!policy->text)
        return false;
    bool good = strlen(policy->text) == length ||
                error_set(error, "%.200s has a NUL byte; it is not a libm-test-ulps", path);
    for (size_t i = 0; i < length; i++)
        lines += policy->text[i] == '\n';
    policy->rules = good ? calloc(lines, sizeof *policy->rules) : NULL;
    if (good && !policy->rules)
        good = error_set(error, "out of memory for %.200s", path);
    good = good && read_lines(policy, error);
    if (!good)
        policy_free(policy);
    return good;
}
