/* How an operation is found: in the table, among the formulas that were named, or as a formula. */
#include "base/names.h"
#include "op/formula/rows.h"
#include "op/formula/tree.h"
#include "op/operation.h"

#include <string.h>

enum { MOST_NAMES = 512 }; /* of which the nearest to a wrong one is found */

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
    if (nearest)
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
