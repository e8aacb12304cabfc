/* Reading vectors: detcheck/vectors/1, streamed, so that a file of a million tests takes the memory
 * of its tests and no more. */
#ifndef DETCHECK_VECTOR_READ_READ_H
#define DETCHECK_VECTOR_READ_READ_H

#include "vector/vector.h"

#include <stdio.h>

struct vector_file {
    const char *path; /* the caller's */
    struct vector_group *groups;
    size_t group_count;
    uint64_t test_count;
    char **texts; /* what parameters' values point to */
    size_t text_count;
};

/* Reads a file ("-" is standard input) that is as detcheck-vectors(7) says, to the letter. The
 * error says what is wrong and where: not JSON, cut off, another schema, an unknown or missing or
 * repeated member, bits of the wrong width or spelling, a NaN that is not the canonical one among
 * the outputs, a tcId that appears twice, another number of tests than is claimed, no tests. On
 * failure nothing is left to free. */
bool vector_read(struct vector_file *file, const char *path, struct error *error);

/* The same from a stream. */
bool vector_read_stream(struct vector_file *file, const char *path, FILE *stream,
                        struct error *error);

void vector_file_free(struct vector_file *file);

/* A group for `computed` at the end of the file, to which tests can be added; NULL when there is no
 * memory. Valid until the next one is added. */
struct vector_group *vector_file_add(struct vector_file *file,
                                     const struct binding_request *computed, unsigned expects);

#endif
