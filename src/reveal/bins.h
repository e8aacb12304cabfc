/* Sums by bins: what is lost of a term beside a large one that is taken away again. */
#ifndef DETCHECK_REVEAL_BINS_H
#define DETCHECK_REVEAL_BINS_H

#include "reveal/aim.h"

/* Looks for bins in a sum of one addition; what there are none of is no error. */
bool aim_bins(struct aim *aim, struct error *error);

/* A way to cut what is kept into bins, and to add these: how many of how many bits, how far above the largest term the
 * highest ends. */
struct bin_cut {
    unsigned bins, width;
    int base;
    enum order_totals totals;
};
/* How many ways there are; 0 where no bins were found. */
unsigned bin_cuts(const struct aimed_bins *bins);
/* False where there is no such one; the other one puts it into a node. */
bool bin_cut_of(const struct aimed_bins *bins, unsigned row, struct bin_cut *cut);
void aimed_bins_of(const struct aimed_bins *bins, unsigned row, struct order_node *node);

#endif
