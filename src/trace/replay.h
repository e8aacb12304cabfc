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

/* What would be of a comparison if the implementation computed all operations that it has: each pair is one of these. */
enum trace_share {
    TRACE_SHARE_REPLAYED, /* both sides' inputs, by the implementation; of equal inputs the outputs are equal */
    TRACE_SHARE_EXACT,  /* whoever computes it has the same bits */
    TRACE_SHARE_SEEN,   /* not computed, and equal wherever inputs were equal */
    TRACE_SHARE_OPEN,   /* not computed, and never seen with equal inputs on both sides */
    TRACE_SHARE_PARTED, /* not computed, and it parted by itself */
    TRACE_SHARE_OTHER, /* of which the sides ask for other things: no implementation makes them agree */
    TRACE_SHARES
};
struct trace_shares {
    uint64_t counts[TRACE_SHARES];
    uint64_t
        broken; /* of those replayed: equal inputs, and other outputs; none, of an implementation that repeats itself */
    const struct trace_row *first[TRACE_SHARES]; /* or NULL */
    struct error why[TRACE_SHARES];              /* that the first one was not computed */
};

/* Asks that of each row of a comparison that has all. False with an error, or when *stop became nonzero. */
bool trace_replay_all(const struct trace *here, const struct trace *there,
                      const struct trace_comparison *comparison,
                      const struct implementation *implementation,
                      const volatile sig_atomic_t *stop, struct trace_shares *shares,
                      struct error *error);

#endif
