/* Lines of other projects as the tests of `detcheck verify --as`. */
#ifndef DETCHECK_CMD_VERIFY_LINES_H
#define DETCHECK_CMD_VERIFY_LINES_H

#include "options.h"
#include "selection.h"

#include "vector/read/lines.h"
#include "vector/verify.h"

/* Selects the operations, formats and roundings of the lines: those that options name, or all that lines of the kind
 * may name. False if the lines name no operation and the options do not either. */
bool verify_select_lines(struct selection *selection, const struct arguments *arguments,
                         const struct line_kind *kind, struct error *error);

/* Reads the lines of a file as tests of what is selected, and prints a note of the lines that are left out. Lines do not
 * say whether tininess is found after rounding; the caller does. False if no line is a test. */
bool verify_read_lines(struct vector_file *file, const struct selection *selection,
                       const char *path, const struct line_kind *kind, bool tiny_after_rounding,
                       struct error *error);

#endif
