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

/* The same of elements that do not lie one behind another: element i, j, ... is `width` bytes at `elements` and
 * i * strides[0] + j * strides[1] + ... elements further. Two elements may not share a byte. The
 * stride of an extent of one element may be anything. False when memory is out, and for more than 64 extents. */
bool tensor_digest_view(const struct tensor_type *type, const void *elements, size_t width,
                        size_t rank, const int64_t *shape, const int64_t *strides,
                        struct tensor_digest *digest, struct tensor_digest *canonical);

/* The same as text: 32 hexadecimal digits, and behind them those of the canonical digest where it is another. With a
 * rank of 0 the elements are one run of `width` bytes. False when memory is out, and for more than 64 extents. */
enum { TENSOR_DIGEST_TEXT = 65 };
bool tensor_digest_text(const struct tensor_type *type, const void *elements, size_t width,
                        size_t rank, const int64_t *shape, const int64_t *strides,
                        char text[TENSOR_DIGEST_TEXT]);

/* The same in pieces, each of whole elements. tensor_hash_begin is NULL when memory is out; tensor_hash_end frees. */
struct tensor_hash;
struct tensor_hash *tensor_hash_begin(const struct tensor_type *type);
void tensor_hash_add(struct tensor_hash *hash, const void *elements, size_t bytes);
void tensor_hash_end(struct tensor_hash *hash, struct tensor_digest *digest,
                     struct tensor_digest *canonical);
void tensor_hash_free(struct tensor_hash *hash);

#endif
