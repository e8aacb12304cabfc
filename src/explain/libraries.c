/* Reading the table, and asking a side for what it has. */
#include "explain/libraries.h"

#include "base/json.h"
#include "base/json_tree.h"
#include "explain/print.h"

#include <stdlib.h>
#include <string.h>

extern const unsigned char libraries_json[];
extern const size_t libraries_json_size;

/* As "sweep --samples 1048576 --seed 1" draws them. */
enum { LIBRARY_SAMPLE_COUNT = 1 << 20, LIBRARY_SEED = 1, LIBRARY_LEAST_WIDTH = 16 };

const char *const library_inputs_names[LIBRARY_INPUTS] = {"all", "samples", "special"};

bool library_domain(struct domain *domain, enum library_inputs inputs,
                    const struct operation *operation, const struct format *format,
                    struct error *error) {
    struct code_set sets[MAX_OPERANDS] = {{0}};
    const struct sampling sampling = {LIBRARY_SAMPLE_COUNT, LIBRARY_SEED, 1};
    const int operands = operation->operands;
    bool made = inputs == LIBRARY_SPECIAL ? code_set_special(&sets[0], format, operation, error)
                                          : code_set_all(&sets[0], format, error);
    if (!made) {
        code_set_free(&sets[0]);
        return false;
    }
    if (inputs == LIBRARY_SAMPLES)
        return domain_samples(domain, format, operands, sets, 1, &sampling, error);
    return domain_product(domain, inputs == LIBRARY_SPECIAL ? DOMAIN_SPECIAL : DOMAIN_ALL, format,
                          operands, sets, 1, error);
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
    return cJSON_GetObjectItemCaseSensitive(read, "libraries");
}

/* The fingerprint of a function of a library; NULL where the table has none. */
static const char *print_of(const cJSON *library, const char *function,
                            enum library_inputs inputs) {
    const cJSON *print = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(library, "functions"),
                                         function),
        library_inputs_names[inputs]);
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
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(library, "name");
        found->in_table =
            found->in_table ||
            json_has(cJSON_GetObjectItemCaseSensitive(library, "functions"), function);
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

/* Whether the table has the function, and no library that could still be this one. */
static bool is_none(const char *operation, const struct format *format,
                    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]) {
    const cJSON *library;
    char function[128];
    bool any = false;
    snprintf(function, sizeof function, "%s %s", operation, format->name);
    cJSON_ArrayForEach(library, table()) {
        bool by[LIBRARY_INPUTS] = {false};
        if (!json_has(cJSON_GetObjectItemCaseSensitive(library, "functions"), function))
            continue;
        any = true;
        if (agrees(library, function, prints, by))
            return false;
    }
    return any;
}

void library_prints(const struct explain_request *request, int side, const char *operation,
                    char prints[LIBRARY_INPUTS][FINGERPRINT_TEXT]) {
    const struct binding_request *computed = &request->computed;
    static const enum library_inputs order[] = {LIBRARY_SPECIAL, LIBRARY_ALL, LIBRARY_SAMPLES};
    const unsigned bits = request_input_bits(computed);
    for (int i = 0; i < LIBRARY_INPUTS && !is_none(operation, computed->format, prints); i++) {
        struct domain domain = {0};
        struct error unused;
        const enum library_inputs inputs = order[i];
        bool few =
            inputs == LIBRARY_SPECIAL || (inputs == LIBRARY_ALL) == (bits <= LIBRARY_LEAST_WIDTH);
        if (few && !*prints[inputs] &&
            library_domain(&domain, inputs, computed->operation, computed->format, &unused))
            print_outputs(request, side, &domain, prints[inputs], &unused);
        domain_free(&domain);
    }
}
