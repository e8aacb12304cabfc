/* What one implementation told of the calls of a slice, against what is right: by call, and where
 * flags are told of arrays. */
#ifndef DETCHECK_SWEEP_JUDGE_JUDGED_H
#define DETCHECK_SWEEP_JUDGE_JUDGED_H

#include "sweep/judge/flags.h"

/* The slice of one implementation, being judged. */
struct judged {
    struct worker *worker;
    size_t implementation;
    const struct binding *binding;
    uint64_t first; /* in the domain */
    size_t count;
    void *const *outputs;
    uint8_t mask; /* of effects that are told */
    bool no_promise;
    uint8_t open; /* flags that are left open, and were not asked for the first time */
};

/* Has a slice ask for what the binding can tell, and the rules want to know. */
void reported_flags_ask(const struct reported_flags *reported, const struct binding *binding,
                        const struct flag_rules *rules, struct slice *slice);

/* What the implementation may do: what the standards say, or its own promise to clear no flags and to
 * leave errno alone. */
struct effect_rule judged_rule(const struct judged *judged, size_t at);

/* The effects that a binding tells. */
static inline uint8_t judged_mask(const struct binding *binding) {
    return (uint8_t)((binding->tells_flags ? ALL_FLAGS : 0) |
                     (binding->tells_errno ? 0xff & ~ALL_FLAGS : 0));
}

/* What a call was seen to do, of what is judged. */
uint8_t judged_seen(const struct judged *judged, const struct reported_flags *reported, size_t at);

static inline uint8_t judged_fault(struct effect_rule rule, uint8_t seen, uint8_t cleared) {
    return (uint8_t)((rule.required & ~seen) | (seen & ~rule.permitted) | cleared);
}

/* Counts a fault, and those of the `count` - 1 calls that follow. */
void judged_count(const struct judged *judged, size_t at, uint8_t seen, uint8_t cleared,
                  size_t count);

/* What calls are made again for. */
enum again { AGAIN_INEXACT, AGAIN_ARRAY, AGAIN_EACH };

/* Asks for the flags of part of the slice again, as arrays or input by input; what is told goes to
 * the room for each input, at the same place. */
bool judged_ask_again(const struct judged *judged, size_t from, size_t count, enum again again,
                      struct error *error);

/* Judges inputs from..to-1 by what was told of each. Of the flags in `open` nothing was: they are asked
 * for where that matters. */
bool judged_judge_each(const struct judged *judged, const struct reported_flags *reported,
                       size_t from, size_t to, uint8_t open, struct error *error);

/* Judges a slice by what was told of its arrays. */
bool judged_judge_arrays(const struct judged *judged, struct error *error);

#endif
