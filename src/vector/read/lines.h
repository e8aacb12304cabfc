/* Tests from the files of other projects that hold results (lines/lines.h). */
#ifndef DETCHECK_VECTOR_READ_LINES_H
#define DETCHECK_VECTOR_READ_LINES_H

#include "lines/lines.h"
#include "vector/read/read.h"

/* Adds a group with the file's tests of what is computed, if it has any; their tcId are numbers of
 * lines. *without counts the lines that are of it but hold no result that can be told. The error
 * names the line. */
bool vector_read_lines(struct vector_file *file, const char *path, const struct line_kind *kind,
                       const struct binding_request *computed, uint64_t *without,
                       struct error *error);

#endif
