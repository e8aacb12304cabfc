/* Tests from the files of other projects that hold results (lines/lines.h). */
#ifndef DETCHECK_VECTOR_READ_LINES_H
#define DETCHECK_VECTOR_READ_LINES_H

#include "lines/lines.h"
#include "vector/read/read.h"

/* How many lines of a file became tests, and of how many others why not; empty lines and remarks are
 * not counted among `all`. */
struct lines_count {
    uint64_t all, states[LINE_STATES];
};

/* Adds a group for each of the requests that the file has tests of; their tcId are numbers of lines.
 * The error names the line. */
bool vector_read_lines(struct vector_file *file, const char *path, const struct line_kind *kind,
                       const struct binding_request *computed, size_t count,
                       struct lines_count *lines, struct error *error);

#endif
