/* Reading the table. */
#include "report/libraries.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "op/operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char libraries_json[];
extern const size_t libraries_json_size;

/* As "sweep --samples 1048576 --seed 1" draws them. */
enum { LIBRARY_SAMPLE_COUNT = 1 << 20, LIBRARY_SEED = 1 };

const char *const library_inputs_names[LIBRARY_INPUTS] = {"all", "samples", "special"};

bool library_domain(struct domain *domain, enum library_inputs inputs,
                    const struct operation *operation, const struct format *format,
                    struct error *error) {
    struct code_set sets[MAX_OPERANDS] = {{0}};
    const struct sampling sampling = {LIBRARY_SAMPLE_COUNT, LIBRARY_SEED, 1, operation};
    const int operands = operation->operands;
    size_t set_count = 1;
    code_set_maker *const make = inputs == LIBRARY_SPECIAL ? code_set_special : code_set_every;
    bool made = code_sets_make(sets, &set_count, make, operation, format, error) &&
                code_sets_keep_calls(sets, &set_count, operation, format, error);
    for (int i = 0; !made && i < MAX_OPERANDS; i++)
        code_set_free(&sets[i]);
    if (!made)
        return false;
    if (inputs == LIBRARY_SAMPLES)
        return domain_samples(domain, format, operands, sets, set_count, &sampling, error);
    return domain_product(domain, inputs == LIBRARY_SPECIAL ? DOMAIN_SPECIAL : DOMAIN_ALL, format,
                          operands, sets, set_count, error);
}

enum library_inputs library_inputs_of(const char *identity, const struct operation *operation,
                                      const struct format *format) {
    int found = 0;
    for (bool same = false; !same && found < LIBRARY_INPUTS; found += !same) {
        struct domain domain = {0};
        struct error unused;
        char text[FINGERPRINT_TEXT];
        same = library_domain(&domain, (enum library_inputs)found, operation, format, &unused) &&
               domain_identity(&domain, text) && strcmp(text, identity) == 0;
        domain_free(&domain);
    }
    return (enum library_inputs)found;
}

/* The table, read once. */
static const cJSON *table(void) {
    static cJSON *read;
    struct error unused;
    char *text = read ? NULL : malloc(libraries_json_size + 1);
    if (text) {
        memcpy(text, libraries_json, libraries_json_size);
        text[libraries_json_size] = '\0';
        read =
            json_parse(text, libraries_json_size, "libraries.json", "table of libraries", &unused);
    }
    return json_get(read, "libraries");
}

/* The fingerprint of a function of a library; NULL where the table has none. */
static const char *print_of(const cJSON *library, const char *function,
                            enum library_inputs inputs) {
    const cJSON *print =
        json_get(json_get(json_get(library, "functions"), function), library_inputs_names[inputs]);
    return cJSON_IsString(print) ? print->valuestring : NULL;
}

/* Whether the library has no other fingerprint of the function than these; sets which it has. */
static bool agrees(const cJSON *library, const char *function,
                   char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT], bool by[LIBRARY_INPUTS]) {
    for (int i = 0; i < LIBRARY_INPUTS; i++) {
        const char *print = print_of(library, function, (enum library_inputs)i);
        by[i] = *prints[i] && print;
        if (by[i] && strcmp(print, prints[i]) != 0)
            return false;
    }
    return true;
}

void libraries_find(const char *operation, const struct format *format, enum rounding rounding,
                    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT], struct library_names *found) {
    const cJSON *library;
    const char *all_of_first = NULL;
    char function[128];
    *found = (struct library_names){0};
    snprintf(function, sizeof function, "%s %s", operation, format->name);
    if (rounding != ROUND_NEAREST_EVEN)
        return;
    cJSON_ArrayForEach(library, table()) {
        bool by[LIBRARY_INPUTS] = {false};
        const cJSON *name = json_get(library, "name");
        found->in_table = found->in_table || json_has(json_get(library, "functions"), function);
        if (!cJSON_IsString(name) || !agrees(library, function, prints, by) ||
            !(by[LIBRARY_ALL] || by[LIBRARY_SAMPLES])) /* special inputs alone say little */
            continue;
        for (int i = 0; i < LIBRARY_INPUTS; i++)
            found->by[i] = found->by[i] || by[i];
        const char *all = by[LIBRARY_ALL] ? NULL : print_of(library, function, LIBRARY_ALL);
        all_of_first = all_of_first ? all_of_first : all;
        found->all_tells_more = found->all_tells_more || (all && strcmp(all, all_of_first) != 0);
        if (found->count < LIBRARY_NAMES)
            found->names[found->count++] = name->valuestring;
        else
            found->more++;
    }
}

bool libraries_exclude(const char *operation, const struct format *format,
                       char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]) {
    const cJSON *library;
    char function[128];
    bool any = false;
    snprintf(function, sizeof function, "%s %s", operation, format->name);
    cJSON_ArrayForEach(library, table()) {
        bool by[LIBRARY_INPUTS] = {false};
        if (!json_has(json_get(library, "functions"), function))
            continue;
        any = true;
        if (agrees(library, function, prints, by))
            return false;
    }
    return any;
}

void libraries_recognise(const char *operation, const char *format, const char *rounding,
                         const char *identity, const char *print, struct library_names *found) {
    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT] = {{0}};
    struct error unused;
    int result;
    const struct operation *row = operation_of_result(operation, &result, &unused);
    const struct format *in = format_find(format, &unused);
    *found = (struct library_names){0};
    if (!row || !in || row->array || row->converts || row->operands != 1 ||
        strcmp(rounding, rounding_names[ROUND_NEAREST_EVEN]) != 0)
        return;
    enum library_inputs inputs = library_inputs_of(identity, row, in);
    if (inputs == LIBRARY_INPUTS)
        return;
    snprintf(prints[inputs], FINGERPRINT_TEXT, "%s", print);
    libraries_find(operation, in, ROUND_NEAREST_EVEN, prints, found);
}

enum library_inputs library_inputs_of_report(const struct read_result *result) {
    if (strcmp(result->inputs.kind, "all") == 0)
        return LIBRARY_ALL;
    if (strcmp(result->inputs.kind, "special") == 0)
        return LIBRARY_SPECIAL;
    return strcmp(result->inputs.kind, "samples") == 0 &&
                   result->inputs.count == LIBRARY_SAMPLE_COUNT &&
                   strcmp(result->inputs.seed, "1") == 0 && strcmp(result->format, "fp32") == 0
               ? LIBRARY_SAMPLES
               : LIBRARY_INPUTS;
}

void libraries_recognise_report(const struct read_result *result, const char *print,
                                struct library_names *found) {
    const enum library_inputs inputs = library_inputs_of_report(result);
    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT] = {{0}};
    struct error unused;
    const struct format *in = format_find(result->format, &unused);
    *found = (struct library_names){0};
    if (inputs == LIBRARY_INPUTS || !in ||
        strcmp(result->rounding, rounding_names[ROUND_NEAREST_EVEN]) != 0)
        return;
    snprintf(prints[inputs], FINGERPRINT_TEXT, "%s", print);
    libraries_find(result->operation, in, ROUND_NEAREST_EVEN, prints, found);
}

const char *libraries_text(const struct library_names *names, size_t columns,
                           char text[LIBRARIES_TEXT]) {
    size_t at = 0, shown = 0;
    *text = '\0';
    for (; shown < names->count; shown++) {
        const size_t left = names->count - shown - 1 + names->more;
        const size_t end = at + (shown ? 2 : 0) + strlen(names->names[shown]);
        char rest[32] = "";
        if (left)
            snprintf(rest, sizeof rest, " and %zu more", left);
        if (end >= LIBRARIES_TEXT || (shown && end + strlen(rest) > columns))
            break;
        at += (size_t)snprintf(text + at, LIBRARIES_TEXT - at, "%s%s", shown ? ", " : "",
                               names->names[shown]);
    }
    const size_t left = names->count - shown + names->more;
    if (left && at < LIBRARIES_TEXT)
        snprintf(text + at, LIBRARIES_TEXT - at, " and %zu more", left);
    return text;
}
