/* Why two implementations differ: which simple causes account for the differences.
 *
 * All hypotheses about bits are held against a first look, some inputs from all of the domain, and
 * those that are plainly wrong are asked no more. The others are held against every input, but those
 * that take time and of which the look found nothing: they are held against the inputs that differ,
 * and against all only if they are right there. Of those that are right, the one that explains most differences is the first cause, the one that explains
 * most of what it leaves is the second, and so on. What they all leave is looked at for where it lies
 * (explain/where.h). */
#ifndef DETCHECK_EXPLAIN_EXPLAIN_H
#define DETCHECK_EXPLAIN_EXPLAIN_H

#include "explain/pass.h"

enum verdict_of_hypothesis { EXPLAINS_ALL, EXPLAINS_PART, EXPLAINS_NONE };
extern const char *const explanation_verdicts[];

/* Why an explanation that is credible is no cause. */
enum no_cause {
    NO_CAUSE_NONE,
    NO_CAUSE_RIGHT,    /* the side is right wherever they differ, and the other one is not */
    NO_CAUSE_CHANCE,   /* it explains few of them, and all lie in one place */
    NO_CAUSE_COVERED,  /* the causes explain these differences, too */
    NO_CAUSE_ONE_SIDE, /* the side computes so, and nothing is known of the other */
    NO_CAUSE_REASONS
};
extern const char *const no_cause_names[NO_CAUSE_REASONS];

struct explanation {
    const char *name, *says;
    int order;                        /* of the hypotheses: simple ones come first */
    int side;                         /* which side does this: 0 is A, 1 is B; -1: not told */
    uint64_t tested, explains, wrong; /* inputs it was held against; differences; predictions */
    enum verdict_of_hypothesis verdict;
    int cause;                   /* its number among the causes, from 1, or 0 */
    uint64_t adds;               /* of a cause: differences that those before leave */
    int same_as;                 /* the cause that explains no more than this does, or 0 */
    int part_of;                 /* the cause that this is a part of, or 0 */
    enum no_cause no_cause;      /* of one that predicts no input wrongly */
    bool has_example, has_wrong; /* the worst one that it explains, the first that it gets wrong */
    struct difference example, wrong_example;
    bool
        has_ends; /* of where they lie: from, to; where `to` is 0, from `from` on, away from zero */
    uint64_t from, to;
    uint64_t from_below; /* of bounds, where that of negative numbers is another; or 0 */
    uint64_t to_below;   /* of what holds in one stretch of each sign, where they are not alike */
    bool is_interval;    /* it ends at `to`, which may be 0 */
    bool is_within;      /* about bits, and it says nothing but from there to there */
    bool of_magnitudes;  /* the ends are those of |x|: there are differences of both signs */
    const char *why;     /* not tried; or NULL */
    int period;          /* of mantissas: in binades */
    bool
        has_distance; /* of an approximation: wrong results lie so near, in ulps, to a midpoint or a number */
    bool of_midpoints;
    double distance;
};

enum { EXPLANATION_MOST = HYPOTHESIS_BITS + 8 };

struct explain_outcome {
    uint64_t tested, unanswered, not_called, differ;
    uint64_t judged, right[2]; /* differences the oracle was asked of; where a side is right */
    uint64_t unexplained;
    struct side_events events[2];
    bool of_blocks; /* what is counted are blocks of a file of fingerprints, not inputs */
    bool has_first, has_unexplained;
    struct difference first, first_unexplained;
    bool
        has_reach; /* of one operand: the least and the greatest input with a difference, NaNs apart */
    uint64_t least, greatest;
    struct explanation explanations[EXPLANATION_MOST]; /* causes first, then the best */
    size_t count;
    /* Of sweeps of the same inputs; empty where an input was not answered, or without memory. */
    char fingerprints[2][FINGERPRINT_TEXT];
};

/* Whether it is a cause that predicts bits: a place only says where differences lie. */
static inline bool explanation_predicts_bits(const struct explanation *one) {
    return one->cause && one->order < HYPOTHESIS_MOST;
}

/* False for trouble only, or where it was stopped: the outcome then has what was counted until then, and no explanations. */
bool explain_run(const struct explain_request *request, struct explain_outcome *outcome,
                 struct error *error);

/* Hypotheses about bits that can be told of what is computed. */
hypothesis_set explain_hypotheses(const struct explain_request *request);

/* The same of outputs that are known by digests alone, those of the blocks of one side, of which the
 * request has no implementation: it has the other one twice. */
struct recorded_blocks {
    int side;
    const struct block_digest *digests;
    uint64_t count;
};
bool explain_recorded(const struct explain_request *request, const struct recorded_blocks *recorded,
                      struct explain_outcome *outcome, struct error *error);

/* Causes first, then the best. What is credible, predicts nothing wrongly, and is no cause, is covered by
 * the causes, unless another reason is there. */
void explain_sort(struct explain_outcome *outcome);

/* Below: between the files of this folder. */

/* The outcome of what was counted, without explanations; `format` is that of the operand. */
void explain_take_counts(struct explain_outcome *outcome, const struct counts *all,
                         const struct format *format);

/* Whether a hypothesis that is wrong so often is right about something: four times as often. */
static inline bool explain_is_credible(uint64_t explains, uint64_t wrong) {
    return explains && wrong <= explains / 4;
}

#endif
