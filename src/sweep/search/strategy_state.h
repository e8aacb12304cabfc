/* What a strategy knows: of the search as a whole, which checkpoints keep, and of the round under way. */
#ifndef DETCHECK_SWEEP_SEARCH_STRATEGY_STATE_H
#define DETCHECK_SWEEP_SEARCH_STRATEGY_STATE_H

#include "sweep/search/population.h"
#include "sweep/search/strategy.h"
#include "sweep/search/survey.h"

/* Populations, inputs that scattered probes find in a round, and such probes of the best places. */
enum { POPULATIONS = 4, SUSPECTS = 16, NEARS = 3 };

struct strategy {
    const struct search_request *request;
    const struct format *format;
    int operands;
    struct survey survey;
    uint64_t known;  /* inputs to start from that have been planned */
    uint64_t probes; /* are numbered */
    struct population populations[POPULATIONS];
    unsigned turn,
        regular; /* the population whose round it is, and whose it was before the extra one */
    unsigned rounds;
    bool is_extra; /* a round of the best between two others */
    bool follows;  /* the next round is one of a population, though the survey goes on */
    bool surveys;  /* or it is one of special inputs or of the survey, which is for all of them */
    /* The round under way: the start of each probe, or NULL, and the length of its window. */
    size_t planned, windows, beyond; /* how many of them are windows, and look beyond the bound */
    double bound, excess;
    struct start *roots[STRATEGY_MOST_PROBES];
    unsigned halves_log2[STRATEGY_MOST_PROBES];
    size_t scatters; /* which of them is the first that scatters inputs */
    size_t extras;   /* and the first of special or built ones, behind those */
    /* Scattered inputs: their share, how many there are, and of them in each set; the one set is all
     * there is, and the other the binades where results have errors. */
    uint64_t evaluations, scattered, firsts[2];
    struct code_set lively, near[NEARS][MAX_OPERANDS];
    bool knows_lively;
    uint64_t built; /* inputs that were */
    uint64_t suspects[SUSPECTS]
                     [MAX_OPERANDS]; /* found by them: the next windows are around these */
    size_t suspect_count;
};

static inline struct population *strategy_population(struct strategy *strategy) {
    return &strategy->populations[strategy->turn];
}

/* Adds a probe to the round, which begins at a start, or anywhere where that is NULL. */
static inline void strategy_plan_one(struct strategy *strategy, struct probe *probes,
                                     struct probe probe, struct start *root) {
    probe.number = strategy->probes++;
    strategy->roots[strategy->planned] = root;
    probes[strategy->planned++] = probe;
}

/* Adds the probes of the round that scatter inputs: they are its last. */
void strategy_plan_scattered(struct strategy *strategy, struct probe *probes);

/* Adds the special inputs that come before the survey, and one of the probes of those that come later. */
void strategy_plan_specials(struct strategy *strategy, struct probe *probes);
void strategy_plan_more_specials(struct strategy *strategy, struct probe *probes);

#endif
