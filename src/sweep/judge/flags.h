/* Judging what calls do to the exception flags and to errno.
 *
 * First the sweep finds what is right for each input of a slice, once for all implementations: many
 * at a time where a block of the fast oracle tells that the results of a run all lie among the normal
 * numbers, or follow a line (sweep/judge/expect.c). Then what each implementation told is held against
 * that. Where flags are told of arrays, an array that is beyond doubt is not looked into: nothing is
 * required of any of its calls, and nothing was raised that is not permitted to each. Of all others
 * flags are asked for input by input, and where only the array as a whole is at fault, the smallest
 * part of it that still is stands for it. */
#ifndef DETCHECK_SWEEP_JUDGE_FLAGS_H
#define DETCHECK_SWEEP_JUDGE_FLAGS_H

#include "oracle/flags.h"
#include "sweep/effects.h"
#include "sweep/judge/span.h"

/* What an implementation told of a slice, in a byte for each input. */
struct reported_flags {
    uint8_t *raised, *cleared, *errnos;
    bool often_at_fault; /* many calls of the last slice had to be looked into */
};

/* One thread's room for a slice. */
struct flag_room {
    struct flag_setting setting;
    struct effect_rule *rules;         /* by input */
    struct real *exact[MAX_RESULTS];   /* by input, where the exact oracle has been asked for it */
    uint8_t *asked[MAX_RESULTS];       /* likewise: whether it has */
    struct reported_flags *reported;   /* by implementation */
    struct reported_flags each;        /* of inputs one by one */
    struct effect_tally *tallies;      /* by implementation */
    void *unused_results[MAX_RESULTS]; /* of calls that are made for their flags alone */
};

/* Room where the request asks for flags or errno; NULL is left where it does not. False when there is
 * no memory. */
bool worker_open_flags(struct worker *worker);
void worker_close_flags(struct worker *worker);

/* Asks for flags along with the outputs of an implementation that can tell. */
void worker_ask_for_flags(const struct worker *worker, size_t implementation, struct slice *slice);

/* Forgets what the exact oracle said of the slice before. */
void worker_forget_exact(struct worker *worker, size_t count);

/* Sets the rules of `count` inputs of the slice: what is required of each call, and permitted. */
bool worker_expect_flags(struct worker *worker, uint64_t first, size_t count, struct error *error);

/* Judges the flags of a slice whose outputs have been judged. */
bool worker_judge_flags(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                        struct error *error);

#endif
