/* What the files that find verdicts share. */
#ifndef DETCHECK_TRACE_VERDICT_PARTS_H
#define DETCHECK_TRACE_VERDICT_PARTS_H

#include "trace/verdict.h"

enum sameness { SAME, OTHER, UNKNOWN };

/* Of tensors without elements no bits differ, whatever their types are. */
enum sameness verdict_compare(const struct trace_tensor *a, const struct trace_tensor *b);

/* One operation of each side, of one name: what they take and give pairs by its place. */
bool verdict_is_plain(const struct verdict_judge *judge, const struct trace_match *match);

static inline const struct trace_operation *verdict_operation(const struct verdict_judge *judge,
                                                              const struct trace_match *match,
                                                              int side, size_t index) {
    return &judge->sides[side]->operations[match->members[side][index]];
}

/* The number of its last operation. */
static inline size_t verdict_end(const struct trace_match *match, int side) {
    return match->members[side][match->count[side] - 1];
}

static inline const struct trace_operation *
verdict_last(const struct verdict_judge *judge, const struct trace_match *match, int side) {
    return verdict_operation(judge, match, side, match->count[side] - 1);
}

/* What the inputs of a match are like. */
struct verdict_inputs {
    bool differ, unknown;
    bool follow;   /* one that differs comes from what was recorded to differ */
    bool is_other; /* one that differs comes from outside of what was recorded */
    const struct trace_tensor *other[2]; /* the first such one, where that is known */
};

struct verdict_inputs verdict_compare_inputs(const struct verdict_judge *judge,
                                             const struct trace_match *match);

#endif
