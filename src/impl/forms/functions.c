/* The rows of functions. Each names where it is written; none is a copy of what stands there. */
#include "impl/forms/functions.h"

#include <ctype.h>
#include <string.h>

const struct form_functions form_functions[FORM_FUNCTIONS] = {
    {"cr", "functions rounded once"},
    {"torch", "functions as in PyTorch's vectors"},
    {"xla", "functions as XLA's on the CPU"},
};

/* clang-format off */
static const struct {
    const char *by, *name;
    enum format_number format;
    const char *text;
} functions[] = {
#include "impl/forms/functions.inc"
};
/* clang-format on */

const struct form_functions *form_functions_find(const char *name) {
    for (size_t i = 0; i < FORM_FUNCTIONS; i++)
        if (strcmp(form_functions[i].name, name) == 0)
            return &form_functions[i];
    return NULL;
}

const char *form_function_text(const struct form_functions *by, const char *name, size_t length,
                               const struct format *format) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].by, by->name) == 0 && format == &formats[functions[i].format] &&
            strlen(functions[i].name) == length && strncmp(functions[i].name, name, length) == 0)
            return functions[i].text;
    return NULL;
}

bool form_functions_are_in(const struct form_functions *by, const struct form *form,
                           const struct format *operands) {
    for (size_t i = 0; i < FORM_STEPS && form->steps[i]; i++)
        for (const char *at = form->steps[i]; *at;) {
            size_t length = 0;
            while (isalnum((unsigned char)at[length]) || at[length] == '_')
                length++;
            if (length && at[length] == '(' &&
                form_function_text(by, at, length, form_steps_format(operands)))
                return true;
            at += length ? length : 1;
        }
    return false;
}
