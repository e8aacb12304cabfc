/* Calls as lines that forms are run on: what is there before the first step, and where results go. */
#ifndef DETCHECK_IMPL_FORMS_LINES_H
#define DETCHECK_IMPL_FORMS_LINES_H

#include "impl/forms/run.h"

/* Operations whose calls have lines of one kind. */
struct form_lines {
    const char *operations; /* names, commas between them */
    struct form_name names[10];
    int name_count;
    /* Runs all lines of a call and puts what comes out into its result. */
    bool (*fill)(struct form_run *run, const struct array_call *call, struct error *error);
};

/* NULL where no forms are of it. */
const struct form_lines *form_lines_find(const struct operation *operation);

#endif
