/* Functions of numbers as libraries compute them: in steps, which take the place of the function in those of a form. */
#ifndef DETCHECK_IMPL_FORMS_FUNCTIONS_H
#define DETCHECK_IMPL_FORMS_FUNCTIONS_H

#include "impl/forms/forms.h"

/* Whose they are. Functions that a library has no row for are correctly rounded. */
struct form_functions {
    const char *name;
    const char *says;
};
enum { FORM_FUNCTIONS = 3 };
extern const struct form_functions form_functions[FORM_FUNCTIONS]; /* the first: rounded once */

/* A library's by its name; NULL where there is none. */
const struct form_functions *form_functions_find(const char *name);

/* The steps of a function of x in a format, in the language of detcheck-formula(7); NULL where the library has no row for it. */
const char *form_function_text(const struct form_functions *functions, const char *name,
                               size_t length, const struct format *format);

/* Whether a library has any function that the form's steps name, of operands in a format. */
bool form_functions_are_in(const struct form_functions *functions, const struct form *form,
                           const struct format *operands);

#endif
