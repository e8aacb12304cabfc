/* All tensors of two files beside one another. */
#ifndef DETCHECK_TENSOR_PAIRS_H
#define DETCHECK_TENSOR_PAIRS_H

#include "tensor/compare.h"

/* A tensor of each file, or one that has no counterpart. */
struct tensor_pair {
    const struct tensor *a, *b; /* one may be NULL */
    enum tensor_mismatch mismatch;
    struct tensor_difference difference; /* of those that are compared */
    bool equal;                          /* the same type and shape, and no element differs */
};

struct tensor_pairs {
    struct tensor_pair *items; /* in the order of A, then what B has alone */
    size_t count, compared, equal;
};

/* Pairs tensors of the same name, or the two where each file has one, whatever their names, and compares them.
 * False with an error, or when *stop became nonzero. */
bool tensor_compare_files(const struct tensor_file *a, const struct tensor_file *b,
                          const volatile sig_atomic_t *stop, struct tensor_pairs *pairs,
                          struct error *error);
void tensor_pairs_free(struct tensor_pairs *pairs); /* right after a failure, too */

#endif
