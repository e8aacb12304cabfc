/* The header of .npy, numpy's format of one array (NEP 1). */
#ifndef DETCHECK_TENSOR_NPY_H
#define DETCHECK_TENSOR_NPY_H

#include "tensor/file.h"

/* What stands in front of the header: magic, version, and the header's length. */
enum { NPY_PREFIX = 12, NPY_MOST_HEADER = 1 << 20 };

/* Where the header begins and how long it is, by the first NPY_PREFIX bytes (or fewer, of a file that short).
 * False with an error that begins with `label`. */
bool npy_prefix(const unsigned char *bytes, size_t length, const char *label, size_t *start,
                size_t *header, struct error *error);

/* Adds the tensor that a header, a text, speaks of, whose elements are `bytes` bytes. */
bool npy_add(struct tensor_file *file, const char *name, const char *header, const char *label,
             uint64_t bytes, struct error *error);

#endif
