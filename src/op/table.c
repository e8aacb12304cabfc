/* The table of operations: the rows of every family, and how a row is found. */
#include "base/names.h"
#include "op/array/slices.h"
#include "op/families.h"
#include "op/p3109_names.h"

#include <stdio.h>
#include <string.h>

#define TEXT(WORD)         #WORD
#define FAMILY(NAME, WORD) {TEXT(WORD), &OPERATION_FAMILY_NAME(NAME)},
static const struct {
    const char *word;
    const struct operation_family *family;
} families[] = {OPERATION_FAMILIES(FAMILY)};
enum { FAMILIES = sizeof families / sizeof *families };

const struct operation *operation_at(size_t index) {
    for (int i = 0; i < FAMILIES; i++) {
        if (index < families[i].family->count)
            return &families[i].family->rows[index];
        index -= families[i].family->count;
    }
    return NULL;
}

const char *operation_family_word(size_t index) {
    int i = 0;
    while (index >= families[i].family->count)
        index -= families[i++].family->count;
    return families[i].word;
}

const char *const operation_groups[OPERATION_GROUPS] = {
    "all",    "unary", "binary",  "ternary", "arrays", "dyadic", "scaled",
    "blocks", "onnx",  "kernels", "decimal", "packed", "p3109"};

static bool is_among(const struct format *const *list, const struct format *format) {
    while (*list && *list != format)
        list++;
    return *list != NULL;
}

static bool refuse_format(const struct operation *operation, const struct format *format,
                          struct error *error) {
    char names[200] = "";
    for (size_t i = 0; operation->formats[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 operation->formats[i]->name);
    return error_set(error, "%s is on %s, and %s is none of its formats", operation->name, names,
                     format->name);
}

bool operation_takes_format(const struct operation *operation, const struct format *format,
                            struct error *error) {
    struct error ignored;
    if (!format_is_plain(format))
        return p3109_takes_compound(operation, format, error);
    if (operation->formats)
        return is_among(operation->formats, format) || refuse_format(operation, format, error);
    const struct format *own =
        format_find(operation->format ? operation->format : "fp32", &ignored);
    if (operation->takes_kinds && !format->is_element)
        return true;
    if (own->is_element == format->is_element && !format->is_quantised &&
        (own->is_element || own->is_integer == format->is_integer))
        return true;
    return error_set(error, "%s is on %s, and %s is none of their formats", operation->name,
                     own->is_element   ? "elements of blocks (mxfp8_e5m2, mxfp8_e4m3, mxfp6_e3m2, "
                                         "mxfp6_e2m3, mxfp4_e2m1, mxint8)"
                     : own->is_integer ? "integers (int8, int16, int32, int64)"
                                       : "real numbers",
                     format->name);
}

int operation_operands(const struct operation *operation, const struct parameters *parameters) {
    return operation->array ? rule_operands(operation->array, parameters) : operation->operands;
}

parameter_set operation_all_parameters(const struct operation *operation) {
    const parameter_set of_p3109 = PARAMETER_BIT(TO) | PARAMETER_BIT(SATURATION) |
                                   PARAMETER_BIT(RANDOM_BITS) | PARAMETER_BIT(RANDOM) |
                                   PARAMETER_BIT(RANDOM_SEED);
    if (operation->array)
        return operation->parameters;
    return operation->parameters | of_p3109 |
           (p3109_has_block_form(operation) ? PARAMETER_BIT(RESULT_SCALE) : 0);
}

parameter_set operation_parameters(const struct operation *operation, const struct format *format) {
    return format->is_p3109 ? operation_all_parameters(operation) : operation->parameters;
}

/* Whether nothing was given that only formats of P3109 take. */
static bool gives_no_more(const struct operation *operation, const struct format *format,
                          const struct parameters *given, struct error *error) {
    const parameter_set more = parameters_present(given) & operation_all_parameters(operation) &
                               ~operation_parameters(operation, format);
    for (int i = 0; i < PARAMETER_COUNT; i++)
        if (more >> i & 1)
            return error_set(error, "%s takes no --%s on %s: only on a format of P3109",
                             operation->name, parameter_rows[i].name, format->name);
    return true;
}

bool operation_settle(const struct operation *operation, const struct format *format,
                      const struct parameters *given, struct parameters *settled,
                      struct error *error) {
    if (!operation_takes_format(operation, format, error) ||
        (!operation->array && !gives_no_more(operation, format, given, error)) ||
        !parameters_settle(given, operation_parameters(operation, format), operation->needed,
                           operation->defaults, operation->name, settled, error))
        return false;
    for (int i = 0; i < PARAMETER_COUNT; i++) {
        const struct parameter_value *value = &settled->values[i];
        struct error why;
        if (parameter_rows[i].casts_operands && value->present &&
            !operation_takes_format(operation, value->format, &why))
            return error_set(error, "--%s: %s", parameter_rows[i].name, why.text);
    }
    return true;
}

bool operation_in_group(const struct operation *operation, const char *group) {
    for (int i = 0; i < OPERATION_GROUPS; i++)
        if (name_matches(group, operation_groups[i], NULL))
            return operation->group
                       ? name_matches(group, operation->group, operation->second_group)
                       : !operation->stands_alone && (i == 0 || operation->operands == i);
    return false;
}

const struct operation *operation_row(const char *text) {
    for (size_t i = 0; operation_at(i); i++)
        if (name_matches(text, operation_at(i)->name, operation_at(i)->aliases))
            return operation_at(i);
    return NULL;
}

const char *operation_result_name(const struct operation *operation, int result, char *text) {
    const char *name = operation->result[result].name;
    if (!name)
        return operation->name;
    snprintf(text, 64, "%s.%s", operation->name, name);
    return text;
}
