/* detcheck/vectors/1: between write.c and json.c. */
#ifndef DETCHECK_VECTOR_WRITE_JSON_H
#define DETCHECK_VECTOR_WRITE_JSON_H

#include "vector/vector.h"

#include <stdio.h>

void vector_write_json(FILE *stream, const struct vector_group *groups, size_t count);

#endif
