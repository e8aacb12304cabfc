/* Rows of operations that are made at run time, of formulas. */
#ifndef DETCHECK_OP_FORMULA_ROWS_H
#define DETCHECK_OP_FORMULA_ROWS_H

#include "base/error.h"
#include "op/operation.h"

/* The row of a formula, by its text, made where it is new; or of one that was made before, by its name. NULL and an
 * error where the text is no formula. The same text has the same row in all of a process, which keeps it. */
const struct operation *formula_row(const char *text, struct error *error);

/* A row that was made before, by its name; NULL: none. */
const struct operation *formula_named(const char *name);

/* Makes the rows of a file: a formula with a name on each line, blank lines and those that begin with # passed
 * over. */
bool formula_read_file(const char *path, struct error *error);

#endif
