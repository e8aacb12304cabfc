/* Whose functions the steps of formulas and forms take. A library's are rows, which take the function's place: in the steps, in
 * the language of detcheck-formula(7), that the library computes it in. Functions without such a row are cr's. */
#ifndef DETCHECK_IMPL_STEPS_FUNCTIONS_H
#define DETCHECK_IMPL_STEPS_FUNCTIONS_H

#include "impl/implementation.h"

struct function_source {
    const char *name;
    const char *says;                         /* of a form, behind its name */
    const struct implementation_kind *others; /* that has what is not in rows */
    bool has_rows;
};
enum { FUNCTION_SOURCES = 5 };
extern const struct function_source function_sources[FUNCTION_SOURCES]; /* the first: cr */

/* NULL where there is none of that name. */
const struct function_source *function_source_find(const char *name);

/* The steps of a function of x in a format; NULL where the source (NULL: none) has no row for it. */
const char *function_steps(const struct function_source *source, const char *function,
                           const struct format *format);

/* Whether text of formulas calls any function that the source has in steps of a format. */
bool function_steps_are_called(const struct function_source *source, const char *text,
                               const struct format *format);

/* Functions that are ready to be bound. */
struct step_functions {
    const struct function_source *source; /* NULL: all are those of `others` */
    struct implementation others;
};

/* Opens those of a source by its name; an error names all sources. */
bool step_functions_open(struct step_functions *functions, const char *name,
                         const struct foreign_settings *foreign, struct error *error);

#endif
