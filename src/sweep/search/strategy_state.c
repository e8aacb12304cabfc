/* A strategy as bytes. */
#include "sweep/search/strategy_state.h"

#include "sweep/checkpoint/sound.h"

#include <math.h>

/* The longest half of a window, in bits: of a scout. One beyond a bound is still shorter than all codes. */
enum { LONGEST_HALF = 48 };

/* What the survey has seen; the rest of it follows from the request. */
static void pass_survey(struct survey *survey, struct flow *flow) {
    flow_pass_count(flow, &survey->done, survey->count);
    flow_pass(flow, &survey->specials_done, sizeof survey->specials_done);
    flow_expect(flow, survey->specials_done <= survey->specials.count);
    for (size_t i = 0; i < survey->count; i++) {
        struct start *start = &survey->starts[i];
        flow_pass(flow, &start->score, sizeof start->score);
        flow_pass(flow, &start->was_home, sizeof start->was_home);
        flow_expect(flow, !isnan(start->score) && sound_flag(&start->was_home));
    }
}

/* Whether its windows are of inputs, and its numbers such that shares can be made of them. */
static bool is_population(const struct population *population,
                          const struct binding_request *computed) {
    bool good = population->count <= MOST_BEST && population->apart < 64;
    for (size_t i = 0; good && i < population->count; i++) {
        const struct window *window = &population->best[i];
        good = sound_codes(computed, window->centre) && window->half_log2 <= LONGEST_HALF &&
               !isnan(window->score) && !isnan(window->worst) && sound_flag(&window->below);
    }
    for (int i = 0; i < POPULATION_WAYS; i++)
        good = good && sound_number(population->hits[i]) && isfinite(population->hits[i]) &&
               sound_number(population->tries[i]) && isfinite(population->tries[i]);
    return good;
}

/* A home is written as its number from 1. */
static void pass_population(struct strategy *strategy, struct population *population,
                            struct flow *flow) {
    struct survey *survey = &strategy->survey;
    size_t home = population->home ? (size_t)(population->home - survey->starts) + 1 : 0;
    flow_pass(flow, population, sizeof *population);
    flow_pass_count(flow, &home, survey->count);
    if (flow->reads)
        population->home = home && !flow->torn ? &survey->starts[home - 1] : NULL;
    flow_expect(flow, flow->torn || is_population(population, &strategy->request->sweep->computed));
}

static void pass_set(struct code_set *set, uint64_t most, struct flow *flow) {
    size_t runs = set->run_count;
    struct error unused;
    flow_pass_count(flow, &runs, flow->bytes->size);
    for (size_t i = 0; i < runs && !flow->torn; i++) {
        struct code_ends held = {0, 0};
        if (!flow->reads)
            held = code_set_held(set, i);
        flow_pass(flow, &held, sizeof held);
        flow_expect(flow, held.first <= held.last && held.last <= most &&
                              (!set->run_count || held.first > set->last_end));
        if (flow->reads && !flow->torn)
            flow->torn = !code_set_append(set, held.first, held.last, &unused);
    }
}

#define PASS(FIELD) flow_pass(flow, &strategy->FIELD, sizeof strategy->FIELD)

void strategy_pass(struct strategy *strategy, struct flow *flow) {
    const struct binding_request *computed = &strategy->request->sweep->computed;
    const struct domain *known = strategy->request->known;
    pass_survey(&strategy->survey, flow);
    for (unsigned i = 0; i < POPULATIONS; i++)
        pass_population(strategy, &strategy->populations[i], flow);
    PASS(known);
    PASS(probes);
    PASS(turn);
    PASS(regular);
    PASS(rounds);
    PASS(is_extra);
    PASS(follows);
    PASS(evaluations);
    PASS(scattered);
    PASS(firsts);
    PASS(knows_lively);
    flow_expect(flow, strategy->known <= (known ? known->count : 0) &&
                          strategy->turn < POPULATIONS && strategy->regular < POPULATIONS &&
                          sound_flag(&strategy->is_extra) && sound_flag(&strategy->follows) &&
                          sound_flag(&strategy->knows_lively));
    pass_set(&strategy->lively, format_mask(strategy->format), flow);
    PASS(suspects);
    flow_pass_count(flow, &strategy->suspect_count, SUSPECTS);
    for (size_t i = 0; i < strategy->suspect_count; i++)
        flow_expect(flow, sound_codes(computed, strategy->suspects[i]));
}
