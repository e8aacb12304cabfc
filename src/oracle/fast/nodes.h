/* Where a block's polynomial takes its values, and the matrix that turns these into coefficients. Proofs
 * are in fit.h. */
#ifndef DETCHECK_ORACLE_FAST_NODES_H
#define DETCHECK_ORACLE_FAST_NODES_H

#include <mpfr.h>
#include <stdbool.h>

enum {
    FIT_MOST_NODES = 16,
    NODE_BITS = 20, /* nodes are multiples of 2^-20, or in fp64 of what inputs are */
    NODE_MATRIX_PRECISION = 192
};

struct node_set {
    double nodes[FIT_MOST_NODES];                    /* Chebyshev's, rounded, descending */
    mpfr_t inverse[FIT_MOST_NODES * FIT_MOST_NODES]; /* of their Vandermonde matrix, row major */
    int extra; /* log2 of what the rounding of nodes multiplies the bound by, where it counts */
    bool usable;
};

/* n nodes that are multiples of 2^-bits; `wide`: for fp64, with what fit.h wants of nodes there. NULL
 * without memory. */
struct node_set *node_set_open(int bits, int n, bool wide);
void node_set_close(struct node_set *set, int n);

#endif
