/* What the files that pair operations share: who stands beside whom, and by which keys. */
#ifndef DETCHECK_TRACE_PAIRING_PARTS_H
#define DETCHECK_TRACE_PAIRING_PARTS_H

#include "trace/align.h"
#include "trace/constants.h"

/* By what operations pair, the strictest first. */
enum { BY_PLACE, BY_INPUTS, BY_KNOWN, BY_SHAPES, LEVELS };

/* A value of no more elements than these may be the same by chance. */
enum { PAIRING_FEW = 8 };

/* By what operations that took each other's place are known again, the strictest first. */
enum { ALL_SAME = LEVELS, SAME_ATTRIBUTES, KEYS };

struct side {
    const struct trace *trace;
    struct trace_values values;
    uint64_t *keys[KEYS];
    size_t *partner; /* of each operation: the first one of the other side; or ALONE */
    size_t *length;  /* how many stand together from here on; 0: the one before has this one, too */
    bool *is_moved;
};
#define ALONE SIZE_MAX

struct pairer {
    struct side sides[2];
    struct align_room room;
    bool has_failed; /* memory is out */
};

/* A run of operations of each side. */
struct gap {
    size_t first[2], end[2];
};

/* Sets who stands beside whom; of runs the first ones know of one another. */
void pairing_join(struct pairer *pairer, const size_t first[2], const size_t count[2]);

/* Whether what two operations give may stand beside one another: where each gives one thing, neither is elsewhere on the other
 * side. */
bool pairing_may_be(const struct pairer *pairer, size_t here, size_t there);

/* Whether an operation works on lists of tensors, element by element. */
bool pairing_is_list(const struct trace_operation *operation);

/* One operation of the shorter side after the other, each beside the run of the other side that does the same: that gives the same
 * bits, or, unless `by_bits`, at least the same shape. */
void pairing_fuse(struct pairer *pairer, struct gap gap, bool by_bits);

/* Pairs what was moved, by a key: the first here of a key with the first there. */
void pairing_moved(struct pairer *pairer, int level);

/* Gives an operation the one without a partner that takes the same, or the same weights, in the place of one that takes something
 * else. */
void pairing_correct(struct pairer *pairer);

/* Changes partners of independent operations of one place that a side computes in another order. */
void pairing_exchange(struct pairer *pairer);

/* Joins what stands beside one another without having the same inputs, and has them together with those behind it; and what
 * one side does behind a pair, where the other side's weights are others. */
void pairing_regroup(struct pairer *pairer);

/* Parts one operation from several that take more than it does. */
void pairing_part(struct pairer *pairer);

#endif
