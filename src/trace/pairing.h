/* Which operations of two traces stand beside one another.
 *
 * Operations pair in their order, by name, path and shapes; where these differ, by name and the digests of their inputs,
 * then by those of their inputs that both sides have, such as weights, and by name and shapes alone, where of PyTorch's names
 * the part before the overload counts: aten.mm.default of an eager run pairs with aten.mm.out of a compiled one; each by a
 * longest common subsequence (align.h). What is left then pairs out of order, by the digests of its inputs or by name, path
 * and shapes: an operation that was moved. Near operations of one name, path and shapes change partners where all of them get
 * one of the same inputs and attributes, or of the same attributes.
 *
 * Then groups are made: of successive pairs that take the same inputs in another order; of what one side does behind a pair
 * and the other has folded into its weights; and by following values back from pairs to what gave them (pairing_flow.h). What
 * is left between two pairs is looked at for an operation of one side that the other side has as several, or under another
 * name. */
#ifndef DETCHECK_TRACE_PAIRING_H
#define DETCHECK_TRACE_PAIRING_H

#include "trace/trace.h"

/* Outputs that stand beside one another, here and there. */
struct trace_output_pair {
    const struct trace_tensor *one[2];
};

/* Operations of each side that stand beside one another; of one that has no partner the other count is 0, and its place
 * is where the partner would be. Those of a group need not follow one another, and a light one may be in several groups. */
struct trace_match {
    size_t first[2], count[2];             /* of here, of there */
    const size_t *members[2];              /* their numbers, in ascending order */
    const struct trace_output_pair *pairs; /* outputs of a group, where they are known; */
    size_t pair_count;                     /* 0: those of its last operations */
    bool is_moved;
};

struct trace_pairing {
    struct trace_match *matches; /* in the order of the run */
    size_t count;
    size_t *numbers; /* of all matches, one behind the other */
    struct trace_output_pair *pairs;
};

bool trace_pair(const struct trace *here, const struct trace *there, struct trace_pairing *pairing,
                struct error *error);
void trace_pairing_free(struct trace_pairing *pairing);

#endif
