/* What a strategy knows: of the search as a whole, which checkpoints keep, and of the round under way. */
#ifndef DETCHECK_SWEEP_SEARCH_STRATEGY_STATE_H
#define DETCHECK_SWEEP_SEARCH_STRATEGY_STATE_H

#include "sweep/search/population.h"
#include "sweep/search/strategy.h"
#include "sweep/search/survey.h"

/* Populations, and inputs that scattered probes find in a round. */
enum { POPULATIONS = 4, SUSPECTS = 16 };

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
    bool surveys;  /* or it is one of special inputs or of the survey, which is for all of them */
    /* The round under way: the start of each probe, or NULL, and the length of its window. */
    size_t planned, beyond; /* how many of them look beyond the bound */
    double bound, excess;
    struct start *roots[STRATEGY_MOST_PROBES];
    unsigned halves_log2[STRATEGY_MOST_PROBES];
    size_t scatters; /* which of them is the first that scatters inputs */
    /* Scattered inputs: their share, how many there are, and of them in each set; the one set is all
     * there is, and the other the binades where results have errors. */
    uint64_t evaluations, scattered, firsts[2];
    struct code_set lively;
    bool knows_lively;
    uint64_t suspects[SUSPECTS]
                     [MAX_OPERANDS]; /* found by them: the next windows are around these */
    size_t suspect_count;
};

#endif
