/* detcheck/vectors/1: between write.c and json.c. */
#ifndef DETCHECK_VECTOR_WRITE_JSON_H
#define DETCHECK_VECTOR_WRITE_JSON_H

#include "vector/write/write.h"

#include <stdio.h>

/* All but the tests: what is before those of the first group, before those of each, after those of
 * each, after those of the last. */
void vector_json_begin(FILE *stream, const struct vector_group *groups, size_t count,
                       const struct vector_extent *extent);
void vector_json_begin_group(FILE *stream, const struct vector_group *group, bool is_first);
void vector_json_end_group(FILE *stream);
void vector_json_end(FILE *stream);

/* One test, the first of the group or not. */
void vector_json_test(FILE *stream, const struct vector_group *group,
                      const struct vector_test *test, uint64_t id, bool is_first);

#endif
