/* A strategy as bytes. */
#include "sweep/search/strategy_state.h"

/* What the survey has seen; the rest of it follows from the request. */
static void pass_survey(struct survey *survey, struct flow *flow) {
    flow_pass_count(flow, &survey->done, survey->count);
    flow_pass(flow, &survey->specials_done, sizeof survey->specials_done);
    for (size_t i = 0; i < survey->count; i++) {
        flow_pass(flow, &survey->starts[i].score, sizeof survey->starts[i].score);
        flow_pass(flow, &survey->starts[i].was_home, sizeof survey->starts[i].was_home);
    }
}

/* A home is written as its number from 1. */
static void pass_population(struct population *population, struct survey *survey,
                            struct flow *flow) {
    size_t home = population->home ? (size_t)(population->home - survey->starts) + 1 : 0;
    flow_pass(flow, population, sizeof *population);
    flow_pass_count(flow, &home, survey->count);
    if (flow->reads)
        population->home = home && !flow->torn ? &survey->starts[home - 1] : NULL;
}

static void pass_set(struct code_set *set, struct flow *flow) {
    size_t runs = set->run_count;
    struct error unused;
    flow_pass_count(flow, &runs, flow->bytes->size);
    for (size_t i = 0; i < runs && !flow->torn; i++) {
        struct code_ends held = {0, 0};
        if (!flow->reads)
            held = code_set_held(set, i);
        flow_pass(flow, &held, sizeof held);
        if (flow->reads && !flow->torn)
            flow->torn = !code_set_append(set, held.first, held.last, &unused);
    }
}

#define PASS(FIELD) flow_pass(flow, &strategy->FIELD, sizeof strategy->FIELD)

void strategy_pass(struct strategy *strategy, struct flow *flow) {
    pass_survey(&strategy->survey, flow);
    for (unsigned i = 0; i < POPULATIONS; i++)
        pass_population(&strategy->populations[i], &strategy->survey, flow);
    PASS(known);
    PASS(probes);
    PASS(turn);
    PASS(regular);
    PASS(rounds);
    PASS(is_extra);
    PASS(evaluations);
    PASS(scattered);
    PASS(firsts);
    PASS(knows_lively);
    pass_set(&strategy->lively, flow);
    PASS(suspects);
    flow_pass_count(flow, &strategy->suspect_count, SUSPECTS);
}
