/* Inputs for which some implementation was worst, from a report. */
#ifndef DETCHECK_VECTOR_CHOOSE_WORST_H
#define DETCHECK_VECTOR_CHOOSE_WORST_H

#include "report/read.h"
#include "vector/vector.h"

/* Adds what the report has for the operation, format and rounding: of each implementation the input
 * of its largest error, and of its worst outputs. Unites the choices again. An error where the report
 * has nothing for them. */
bool worst_add(const struct read_report *report, struct vector_choices *choices,
               const struct binding_request *computed, struct error *error);

#endif
