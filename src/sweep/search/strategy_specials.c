/* Probes of special inputs: most of them before the survey, and the others in the rounds behind it. */
#include "sweep/search/strategy_state.h"

enum { SPECIAL_INPUTS = 1024 };

/* Plans a probe of the next inputs of a list, of which `done` have had one. Nothing is drawn for it, so it has no number. */
static void plan_one(struct strategy *strategy, struct probe *probes, const struct domain *listed,
                     uint64_t done) {
    const uint64_t left = listed->count - done;
    const size_t inputs = left < SPECIAL_INPUTS ? (size_t)left : SPECIAL_INPUTS;
    strategy->roots[strategy->planned] = NULL;
    probes[strategy->planned++] = (struct probe){.listed = listed, .first = done, .inputs = inputs};
    strategy->survey.specials_done += inputs;
}

void strategy_plan_specials(struct strategy *strategy, struct probe *probes) {
    const struct survey *survey = &strategy->survey;
    while (survey->specials_done < survey->specials.first.count)
        plan_one(strategy, probes, &survey->specials.first, survey->specials_done);
}

void strategy_plan_more_specials(struct strategy *strategy, struct probe *probes) {
    const struct survey *survey = &strategy->survey;
    const uint64_t first = survey->specials.first.count;
    if (survey->specials_done >= first &&
        survey->specials_done < first + survey->specials.later.count)
        plan_one(strategy, probes, &survey->specials.later, survey->specials_done - first);
}
