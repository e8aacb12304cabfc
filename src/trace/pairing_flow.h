/* Groups of operations that need not follow one another, made by following values back to those that gave them.
 *
 * A value is what tensors of the same bits share: a view gives nothing new. A group takes values from outside, and both of
 * its sides take the same ones, or values that stand beside one another as outputs of another pair or group. Where one side
 * takes a value that the other does not take, the operation without a partner that gave it belongs to the group, and so on,
 * until both take the same. What does not come to that end stays as it was. */
#ifndef DETCHECK_TRACE_PAIRING_FLOW_H
#define DETCHECK_TRACE_PAIRING_FLOW_H

#include "trace/constants.h"
#include "trace/pairing.h"
#include "trace/pairing_parts.h"

enum {
    FLOW_MEMBERS = 64, /* operations of each side of a group that was followed back */
    FLOW_VALUES = 192, /* that they take */
    FLOW_INPUTS = 32   /* of one of them */
};

struct flow_side {
    const struct trace *trace;
    const struct trace_values *values; /* the pairer's */
    size_t *group;                     /* of each operation; ALONE */
    size_t alone;                      /* operations without a partner */
};

/* A group; what it has of each side, in ascending order. */
struct flow_group {
    size_t *members[2];
    size_t count[2], pairs; /* of outputs that stand beside one another */
    bool is_moved;
};

/* Outputs of a group that stand beside one another. */
struct flow_pair {
    size_t group;
    const struct trace_tensor *one[2];
};

struct flow {
    struct flow_side sides[2];
    struct flow_group *groups;
    struct flow_pair *pairs;
    size_t count, room, pair_count, pair_room;
    struct digest_map refused; /* values of both sides that came to no end */
    bool has_failed;           /* memory is out */
};

/* A group that is being made. */
struct flow_value {
    const struct trace_tensor *tensor;
    size_t giver; /* ALONE: from outside */
};
struct flow_growth {
    size_t members[2][FLOW_MEMBERS], count[2];
    struct flow_value open[2][FLOW_VALUES]; /* what one side takes and the other does not */
    size_t open_count[2];
    bool is_sure;     /* what ends the group gives one thing on both sides */
    bool follows_own; /* into what only one side has, too, which may be a mask or cut weights */
    size_t own;       /* the group that grows; ALONE: a new one */
    const struct flow_growth *parent; /* that waits for this one; or NULL */
};

/* False without memory; flow_close in any case. */
bool flow_open(struct flow *flow, const struct pairer *pairer);
void flow_close(struct flow *flow);

/* Takes over who stands beside whom, of operations that are in no group yet; and marks in the pairer which ones are. */
void flow_take(struct flow *flow, const struct pairer *pairer);
void flow_mark(const struct flow *flow, struct pairer *pairer);

/* The operation before `before` that gave a value first; ALONE: none. */
size_t flow_giver(const struct flow_side *side, const struct trace_tensor *tensor, size_t before);

/* Whether an input is a value that counts: with elements, whose bits are known. */
bool flow_counts(const struct trace_tensor *tensor);

/* Whether two values may stand beside one another: of one size, and the same, or such that neither is there on the other
 * side, where it would stand beside itself. */
bool flow_may_match(const struct flow *flow, const struct trace_tensor *here,
                    const struct trace_tensor *there);

/* Makes a group of what grew, or puts it into the group that grew. */
size_t flow_put(struct flow *flow, const struct flow_growth *growth);
size_t flow_put_members(struct flow *flow, const size_t *const members[2], const size_t counts[2]);
void flow_add_pair(struct flow *flow, size_t group, const struct trace_tensor *here,
                   const struct trace_tensor *there);

/* Puts one group into another, which takes what it gives. */
void flow_merge(struct flow *flow, size_t group, size_t into);

/* Lets a group grow until both sides take the same. False where it does not come to that. */
bool flow_grow(struct flow *flow, struct flow_growth *growth, int depth);
bool flow_start(const struct flow *flow, struct flow_growth *growth, size_t group);
bool flow_join(struct flow_growth *growth, int side, size_t operation);
bool flow_has(const struct flow_growth *growth, int side, size_t operation);

/* Whether an operation of one side computes something of the kind of one of the other side. */
bool flow_is_akin(const struct flow *flow, const struct flow_growth *growth);

/* Whether an operation is a product of matrices, or a convolution. */
bool flow_is_product(const struct flow *flow, int side, size_t operation);

/* Whether both sides of a group multiply a value by one and the same matrix, which shows that the two values are the same thing,
 * however they were computed. */
bool flow_are_factors(const struct flow *flow, const struct flow_growth *growth,
                      const struct trace_tensor *here, const struct trace_tensor *there);

/* Follows all values back that pairs and groups take. */
void flow_follow(struct flow *flow);

/* Groups of casts and moves go where what they give is computed with. */
void flow_give_casts(struct flow *flow);

/* All groups, and what has no partner, in the order of the run. */
bool flow_list(const struct flow *flow, struct trace_pairing *pairing);

/* Operations on lists beside those on their elements. */
void flow_lists(struct flow *flow);

#endif
