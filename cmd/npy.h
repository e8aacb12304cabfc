/* Arrays that numpy has saved (.npy), as text. */
#ifndef DETCHECK_CMD_NPY_H
#define DETCHECK_CMD_NPY_H

#include "op/parameters.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether bytes begin as .npy does. */
bool npy_is(const char *bytes, size_t length);

/* The elements in exact decimal, a line each, from malloc: of fp16, fp32, fp64 and integers, little-endian,
 * in C's order. *shape is the array's. NULL with an error that names the path for all else. */
char *npy_text(const char *bytes, size_t length, const char *path, struct shape *shape,
               struct error *error);

#endif
