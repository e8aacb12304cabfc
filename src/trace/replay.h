/* Recorded operations, computed again from their recorded inputs by an implementation. */
#ifndef DETCHECK_TRACE_REPLAY_H
#define DETCHECK_TRACE_REPLAY_H

#include "impl/implementation.h"
#include "trace/compare.h"

/* What came of one operation. */
struct trace_replayed {
    const char *operation; /* detcheck's; NULL: it was not computed, and `why` says why */
    struct error why;
    uint64_t outputs;
    bool is_held;    /* against what was recorded: */
    uint64_t differ; /* outputs that are others */
};

/* Computes one again. False with an error where the recorded outputs cannot be read. */
bool trace_replay(const struct trace *trace, const struct trace_operation *operation,
                  const struct implementation *implementation, struct trace_replayed *replayed,
                  struct error *error);

/* What would be of a comparison if the implementation computed all operations that it has: each pair is one of these.
 *
 * Both sides agree to the end, by induction along the run, where each pair is one of the first three. Each of a pair's inputs
 * then either came from outside, as the same bits, or is what one and the same pair before gave on both sides. */
enum trace_share {
    TRACE_SHARE_REPLAYED, /* by the implementation, of both sides' recorded inputs */
    TRACE_SHARE_EXACT,    /* whoever computes it has the same bits */
    TRACE_SHARE_SEEN,     /* not computed; its inputs were equal, and so were its outputs */
    /* In the way: */
    TRACE_SHARE_OUTSIDE, /* an input differs that no recorded operation gave */
    TRACE_SHARE_ORIGIN,  /* it is not known that an input comes from the same pair on both sides */
    TRACE_SHARE_ATTRIBUTES, /* another operation, or other attributes, types or shapes */
    TRACE_SHARE_ALONE,      /* no partner, or several */
    TRACE_SHARE_BROKEN,     /* the implementation gave other bits of the same inputs */
    TRACE_SHARE_RANDOM,     /* not computed, and it drew random numbers */
    TRACE_SHARE_PARTED,     /* not computed, and it parted by itself */
    TRACE_SHARE_OPEN,       /* not computed, and not seen to give equal outputs of equal inputs */
    TRACE_SHARES
};
struct trace_shares {
    uint64_t counts[TRACE_SHARES];
    uint64_t
        repeated; /* of those replayed: of equal inputs, so that the implementation was seen to repeat itself */
    uint64_t
        outside; /* inputs of pairs that no recorded operation gave, and that are the same bits */
    const struct trace_row *first[TRACE_SHARES]; /* or NULL */
    struct error why[TRACE_SHARES];              /* of the first one: what is in the way */
    enum trace_share obstacle; /* of the first pair that is in the way; TRACE_SHARES: none */
};

/* Asks that of each row of a comparison that has all. False with an error, or when *stop became nonzero. */
bool trace_replay_all(const struct trace *here, const struct trace *there,
                      const struct trace_comparison *comparison,
                      const struct implementation *implementation,
                      const volatile sig_atomic_t *stop, struct trace_shares *shares,
                      struct error *error);

#endif
