/* `file:PATH`: outputs that were computed before, elsewhere: raw codes, little-endian, 1, 2, 4 or 8
 * bytes each, one for each input of the sweep in its order; of an operation of two results, all of
 * the first and then all of the second. Of an operation on arrays, the elements of the results of
 * one call after the other. Nothing else may be in the file.
 *
 * `file:PATH.npy`, `file:PATH.safetensors#NAME` and the like: the same as the elements of a tensor, whatever its
 * shape, in the format of the outputs (tensor/named.h). */
#ifndef DETCHECK_IMPL_FILE_H
#define DETCHECK_IMPL_FILE_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_file;

#endif
