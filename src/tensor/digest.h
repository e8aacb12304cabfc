/* Digests of tensors: XXH3-128 of the bytes of their elements, little-endian, in C's order. Neither type nor shape goes
 * into one, so that a tensor has the digest of its views of another shape. */
#ifndef DETCHECK_TENSOR_DIGEST_H
#define DETCHECK_TENSOR_DIGEST_H

#include "tensor/types.h"

struct tensor_digest {
    uint64_t high, low;
};

/* The digest of `bytes` bytes of elements in this machine's byte order, and the canonical one, in which each NaN
 * counts as the format's positive quiet NaN without payload. Without NaNs both are the same. Where nothing is known
 * of the elements (`type` is NULL, or has no format) they are hashed as they lie. False when memory is out. */
bool tensor_digest(const struct tensor_type *type, const void *elements, size_t bytes,
                   struct tensor_digest *digest, struct tensor_digest *canonical);

#endif
