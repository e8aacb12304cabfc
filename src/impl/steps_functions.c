/* The rows of functions. Each names where it is written; none is a copy of what stands there. */
#include "impl/steps_functions.h"

#include "base/names.h"
#include "impl/detmath.h"
#include "impl/libm.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const struct function_source function_sources[FUNCTION_SOURCES] = {
    {"cr", "functions rounded once", &implementation_cr, false},
    {"libm", "functions of libm", &implementation_libm, false},
    {"torch", "functions as in PyTorch's vectors", &implementation_cr, true},
    {"xla", "functions as XLA's on the CPU", &implementation_cr, true},
    {"det", "functions of det", &implementation_det, false},
};

/* clang-format off */
static const struct {
    const char *source, *function;
    enum format_number format;
    const char *steps;
} rows[] = {
#include "impl/steps_functions.inc"
};
/* clang-format on */

const struct function_source *function_source_find(const char *name) {
    for (size_t i = 0; i < FUNCTION_SOURCES; i++)
        if (name_matches(name, function_sources[i].name, NULL))
            return &function_sources[i];
    return NULL;
}

const char *function_steps(const struct function_source *source, const char *function,
                           const struct format *format) {
    for (size_t i = 0; source && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].source, source->name) == 0 && format == &formats[rows[i].format] &&
            strcmp(rows[i].function, function) == 0)
            return rows[i].steps;
    return NULL;
}

bool function_steps_are_called(const struct function_source *source, const char *text,
                               const struct format *format) {
    while (*text) {
        char word[32];
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (text[length] == '(' && function_steps(source, word, format))
            return true;
        text += length ? length : 1;
    }
    return false;
}

bool step_functions_open(struct step_functions *functions, const char *name,
                         const struct foreign_settings *foreign, struct error *error) {
    const struct function_source *source = function_source_find(name);
    char known[128] = "";
    for (size_t i = 0; i < FUNCTION_SOURCES; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 function_sources[i].name);
    if (!source)
        return error_set(error, "steps have no functions '%.31s'; there are: %s", name, known);
    *functions = (struct step_functions){
        source, {.kind = source->others, .name = source->others->name, .foreign = foreign}};
    return source->others->open(&functions->others, error);
}
