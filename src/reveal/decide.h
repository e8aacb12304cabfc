/* Cases that would decide between what fits: drawn, and chosen because what fits gives different results there. */
#ifndef DETCHECK_REVEAL_DECIDE_H
#define DETCHECK_REVEAL_DECIDE_H

#include "reveal/fit.h"

enum {
    DECIDE_CASES = 3,
    DECIDE_MODELS = 500,
    DECIDE_DRAWN = 1500,
    DECIDE_MOST = DECIDE_MODELS + FIT_MOST_ROWS
};

struct decision {
    struct unit_cases drawn;
    size_t point_count,
        count; /* models of the grid that were asked, at most DECIDE_MODELS of those that fit; with rows */
    size_t points[DECIDE_MODELS];              /* their numbers in fit.points */
    const struct fit_row *rows[FIT_MOST_ROWS]; /* behind them */
    size_t chosen[DECIDE_CASES], chosen_count; /* numbers of cases in `drawn` */
    size_t groups[DECIDE_CASES]; /* into which the chosen ones, so far, part what fits */
    size_t most_groups;          /* into which all that were drawn do */
    uint64_t *results;           /* of each case, of each model */
};

/* False: no memory. Close in any case. */
bool decide(struct decision *decision, const struct fit *fit, uint64_t seed, struct error *error);
void decision_close(struct decision *decision);

#endif
