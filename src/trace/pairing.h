/* Which operations of two traces stand beside one another.
 *
 * Operations pair in their order, by name, path and shapes; where these differ, by name and the digests of their inputs,
 * then by name and shapes alone, where of PyTorch's names the part before the overload counts: aten.mm.default of an eager
 * run pairs with aten.mm.out of a compiled one; each by a longest common subsequence (align.h). What is left between two pairs is
 * looked at for an operation of one side that the other side has as several, or under another name. What is left then
 * pairs out of order, by the digests of its inputs or by name, path and shapes: an operation that was moved. Last, near
 * operations of one name, path and shapes change partners where all of them get one of the same inputs and attributes, or
 * of the same attributes; and groups are made: of successive pairs that take the same inputs in another order, and of what has
 * no partner and gives a pair the same input. One operation
 * is parted from several that take more than it does, and gets what one side does behind it and the other has folded into
 * its weights. */
#ifndef DETCHECK_TRACE_PAIRING_H
#define DETCHECK_TRACE_PAIRING_H

#include "trace/trace.h"

/* Operations of each side that stand beside one another; of one that has no partner the other count is 0, and its place
 * is where the partner would be. */
struct trace_match {
    size_t first[2], count[2]; /* of here, of there */
    bool is_moved;
};

struct trace_pairing {
    struct trace_match *matches; /* in the order of the run */
    size_t count;
};

bool trace_pair(const struct trace *here, const struct trace *there, struct trace_pairing *pairing,
                struct error *error);
void trace_pairing_free(struct trace_pairing *pairing);

#endif
