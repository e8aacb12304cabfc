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

/* Writes the groups. The same groups give the same bytes, whatever the machine. False on an error
 * of the oracle, which the flags of TestFloat are asked of; that what was written arrived is for
 * the caller to see (output_commit). */
bool vector_write(const struct vector_style *style, FILE *stream, const struct vector_group *groups,
                  size_t count, struct error *error);

#endif
