/* How an operation is found: in the table, among the formulas that were named, or as a formula. */
#include "base/names.h"
#include "op/formula/rows.h"
#include "op/formula/tree.h"
#include "op/operation.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 512 }; /* of which the nearest to a wrong one is found */

/* "onnx.quantise or packed.quantise" for "quantise": the operations whose name has the text behind its last dot. False
 * if there are none, or more than fit. */
static bool find_families(const char *text, char families[128]) {
    size_t length = 0;
    for (size_t i = 0; operation_at(i); i++) {
        const char *name = operation_at(i)->name, *dot = strrchr(name, '.');
        if (!dot || strcmp(dot + 1, text) != 0)
            continue;
        length +=
            (size_t)snprintf(families + length, 128 - length, "%s%s", length ? " or " : "", name);
        if (length >= 128)
            return false;
    }
    return length > 0;
}

const struct operation *operation_find(const char *text, struct error *error) {
    const struct operation *operation = operation_row(text);
    if (!operation)
        operation = formula_named(text);
    if (operation || formula_looks_like(text))
        return operation ? operation : formula_row(text, error);
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; operation_at(i) && count < MOST_NAMES; i++)
        names[count++] = operation_at(i)->name;
    const char *nearest = name_nearest(text, names, count);
    char families[128];
    if (find_families(text, families))
        error_set(error, "unknown operation '%s'; did you mean %s?", text, families);
    else if (nearest)
        error_set(error, "unknown operation '%s'; did you mean %s?", text, nearest);
    else
        error_set(error, "unknown operation '%s'; 'detcheck list operations' names them all", text);
    return NULL;
}

const struct operation *operation_of_result(const char *name, int *result, struct error *error) {
    char own[64];
    for (size_t i = 0; operation_at(i); i++)
        for (*result = 0; *result < operation_at(i)->results; ++*result)
            if (strcmp(operation_result_name(operation_at(i), *result, own), name) == 0)
                return operation_at(i);
    *result = 0;
    if (formula_looks_like(name))
        return formula_row(name, error);
    error_set(error, "no operation has a result '%.80s'", name);
    return NULL;
}
