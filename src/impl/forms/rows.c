/* The rows of forms. Each names where it is written; none is a copy of what stands there. */
#include "impl/forms/forms.h"

#include "impl/steps_functions.h"

#include <stdio.h>
#include <string.h>

#define FP32_ONCE "computes in fp32 and rounds once"

/* Where several forms give the same bits, the first is named. */
/* clang-format off */
const struct form forms[] = {
#include "impl/forms/norms.inc"
#include "impl/forms/softmax.inc"
#include "impl/forms/gates.inc"
#include "impl/forms/rope.inc"
#include "impl/forms/attention.inc"
#include "impl/forms/training.inc"
#include "impl/forms/gradients.inc"
};
/* clang-format on */
const size_t form_count = sizeof forms / sizeof *forms;

const char *form_name_at(size_t index) {
    for (size_t i = 0; i < form_count; i++) {
        bool is_first = true;
        for (size_t j = 0; is_first && j < i; j++)
            is_first = strcmp(forms[i].name, forms[j].name) != 0;
        if (is_first && index-- == 0)
            return forms[i].name;
    }
    return NULL;
}

const struct format *form_steps_format(const struct format *operands) {
    return &formats[operands->width == 64 ? FORMAT_FP64 : FORMAT_FP32];
}

void form_say(const struct form *form, const struct format *operands, char text[FORM_SAYS]) {
    snprintf(text, FORM_SAYS, "%s", form->says);
    for (char *at = text; (at = strstr(at, formats[FORMAT_FP32].name)); at++)
        memcpy(at, form_steps_format(operands)->name, strlen("fp32"));
}

bool form_names_operation(const char *operations, const char *name) {
    const size_t length = strlen(name);
    bool found = false;
    for (const char *at = operations; *at && !found;) {
        const size_t word = strcspn(at, ",");
        found = word == length && strncmp(at, name, length) == 0;
        at += word + strspn(at + word, ", ");
    }
    return found;
}

bool form_is_of(const struct form *form, const struct operation *operation,
                const struct parameters *parameters) {
    const bool found = form_names_operation(form->operations, operation->name);
    for (int i = 0; found && form->without && i < PARAMETER_COUNT; i++)
        if (form_names_operation(form->without, parameter_rows[i].name) &&
            parameter_integer(parameters, (enum parameter_number)i, 0))
            return false;
    if (!found || !form->gelu)
        return found;
    return (parameter_integer(parameters, PARAMETER_APPROXIMATE, 0) == 1) ==
           (strcmp(form->gelu, "tanh") == 0);
}

static bool has_word(const struct form *form, const char *word) {
    bool found = false;
    for (int i = 0; i < FORM_STEPS && form->steps[i]; i++)
        found = found || strstr(form->steps[i], word);
    return found;
}

bool form_calls(const struct form *form, const struct function_source *source,
                const struct format *operands) {
    bool found = false;
    for (int i = 0; i < FORM_STEPS && form->steps[i]; i++)
        found =
            found || function_steps_are_called(source, form->steps[i], form_steps_format(operands));
    return found;
}

bool form_has_sums(const struct form *form) {
    static const char *const words[] = {"= sum:", "= mean:",   "= running-",
                                        "= dot:", "= scores:", "= weighed:"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        found = found || has_word(form, words[i]);
    return found;
}

bool form_has_from(const struct form *form) {
    return has_word(form, "from");
}
