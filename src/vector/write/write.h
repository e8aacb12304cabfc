/* Writing vectors: as JSON, and as the text that other projects' tests read. */
#ifndef DETCHECK_VECTOR_WRITE_WRITE_H
#define DETCHECK_VECTOR_WRITE_WRITE_H

#include "vector/vector.h"

#include <stdio.h>

struct vector_style;

/* By name ("json", "testfloat", "tst", "numpy-csv"); NULL and an error with what there is. */
const struct vector_style *vector_style_find(const char *name, struct error *error);

/* Whether the style can hold what the groups compute; an error that says why not. */
bool vector_style_fits(const struct vector_style *style, const struct vector_group *groups,
                       size_t count, struct error *error);

/* What the head of a document says of all its tests: how many, and with which flags. */
struct vector_extent {
    uint64_t tests;
    unsigned flags;
};

/* A file being written. */
struct vector_writer {
    const struct vector_style *style;
    FILE *stream;
    uint64_t tests; /* so far */
    size_t groups;  /* begun so far */
};

/* Begins a file of these groups, whose tests are not there yet. The same tests give the same bytes,
 * whatever the machine. That what was written arrived is for the caller to see (output_commit). */
void vector_write_begin(struct vector_writer *writer, const struct vector_style *style,
                        FILE *stream, const struct vector_group *groups, size_t count,
                        const struct vector_extent *extent);

/* Writes the tests of a group, or a part of them: the first one begins the group, the last one ends
 * it. False on an error of the oracle, which the flags of TestFloat are asked of. */
bool vector_write(struct vector_writer *writer, const struct vector_group *group, bool is_last,
                  struct error *error);
void vector_write_end(struct vector_writer *writer);

#endif
