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

/* The row of a formula, which it takes; where it is new, with the format, formats, ranges and landmarks of `notes`, which
 * stay for good. */
struct formula;
const struct operation *formula_add(struct formula *formula, const struct operation *notes,
                                    struct error *error);

/* Makes the rows of a file (file.c): formulas with names, and what is known of each. */
bool formula_read_file(const char *path, struct error *error);

#endif
