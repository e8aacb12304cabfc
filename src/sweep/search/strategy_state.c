/* A strategy, member by member. */
#include "sweep/search/strategy_state.h"

#include "sweep/checkpoint/sound.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The longest half of a window, in bits: of a scout. One beyond a bound is still shorter than all codes. */
enum { LONGEST_HALF = 48 };

/* What the survey has seen; the rest of it follows from the request. */
static void pass_survey(struct survey *survey, struct flow *flow) {
    struct start *starts = survey->starts;
    struct flow_place place = flow_enter(flow, "survey");
    flow_size(flow, "done", &survey->done, survey->count);
    flow_number(flow, "specials_done", &survey->specials_done, survey->specials.count);
    if (survey->count) {
        flow_doubles(flow, "scores", &starts->score, sizeof *starts, survey->count);
        flow_flags(flow, "homes", &starts->was_home, sizeof *starts, survey->count);
    }
    flow_leave(flow, place);
}

/* Whether its windows are of inputs, and its numbers such that shares can be made of them. */
static bool is_population(const struct population *population,
                          const struct binding_request *computed) {
    bool good = population->count <= MOST_BEST && population->apart < 64;
    for (size_t i = 0; good && i < population->count; i++) {
        const struct window *window = &population->best[i];
        good = sound_codes(computed, window->centre) && window->half_log2 <= LONGEST_HALF;
    }
    for (int i = 0; i < POPULATION_WAYS; i++)
        good = good && sound_number(population->hits[i]) && isfinite(population->hits[i]) &&
               sound_number(population->tries[i]) && isfinite(population->tries[i]);
    return good;
}

static void pass_windows(struct population *population, struct flow *flow) {
    static const char *const names[] = {"centre_1", "centre_2", "centre_3"};
    struct window *best = population->best;
    uint64_t halves[MOST_BEST] = {0};
    size_t count = population->count;
    for (int i = 0; i < MAX_OPERANDS; i++)
        flow_numbers(flow, names[i], &best->centre[i], sizeof *best, count, UINT64_MAX);
    for (size_t i = 0; i < count; i++)
        halves[i] = best[i].half_log2;
    flow_numbers(flow, "halves", halves, sizeof *halves, count, LONGEST_HALF);
    for (size_t i = 0; i < count; i++)
        best[i].half_log2 = (unsigned)halves[i];
    flow_doubles(flow, "scores", &best->score, sizeof *best, count);
    flow_doubles(flow, "worst", &best->worst, sizeof *best, count);
    flow_flags(flow, "below", &best->below, sizeof *best, count);
}

/* A home is written as its number from 1. */
static void pass_population(struct strategy *strategy, const char *name,
                            struct population *population, struct flow *flow) {
    struct survey *survey = &strategy->survey;
    size_t home = population->home ? (size_t)(population->home - survey->starts) + 1 : 0;
    struct flow_place place = flow_enter(flow, name);
    flow_small(flow, "apart", &population->apart, 63);
    flow_size(flow, "home", &home, survey->count);
    flow_size(flow, "count", &population->count, MOST_BEST);
    pass_windows(population, flow);
    flow_small(flow, "in_vain", &population->in_vain, UINT_MAX);
    flow_doubles(flow, "hits", population->hits, sizeof(double), POPULATION_WAYS);
    flow_doubles(flow, "tries", population->tries, sizeof(double), POPULATION_WAYS);
    if (flow->reads)
        population->home = home && !flow_is_torn(flow) ? &survey->starts[home - 1] : NULL;
    flow_expect(flow, "count",
                flow_is_torn(flow) ||
                    is_population(population, &strategy->request->sweep->computed));
    flow_leave(flow, place);
}

/* Runs of codes: their first and their last ones. */
static void pass_set(struct code_set *set, uint64_t most, struct flow *flow) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(flow->object, "lively");
    size_t runs = flow->reads ? (size_t)cJSON_GetArraySize(list) / 2 : set->run_count;
    struct code_ends *ends = calloc(runs + 1, sizeof *ends);
    struct error unused;
    flow_expect(flow, "lively", ends);
    for (size_t i = 0; ends && !flow->reads && i < runs; i++)
        ends[i] = code_set_held(set, i);
    if (ends)
        flow_numbers(flow, "lively", ends, sizeof(uint64_t), 2 * runs, most);
    for (size_t i = 0; flow->reads && i < runs && !flow_is_torn(flow); i++) {
        flow_expect(flow, "lively",
                    ends[i].first <= ends[i].last &&
                        (!set->run_count || ends[i].first > set->last_end));
        if (!flow_is_torn(flow))
            flow_expect(flow, "lively", code_set_append(set, ends[i].first, ends[i].last, &unused));
    }
    free(ends);
}

void strategy_pass(struct strategy *strategy, struct flow *flow) {
    static const char *const names[POPULATIONS] = {"population_1", "population_2", "population_3",
                                                   "population_4"};
    const struct binding_request *computed = &strategy->request->sweep->computed;
    const struct domain *known = strategy->request->known;
    struct flow_place place = flow_enter(flow, "strategy");
    pass_survey(&strategy->survey, flow);
    for (unsigned i = 0; i < POPULATIONS; i++)
        pass_population(strategy, names[i], &strategy->populations[i], flow);
    flow_number(flow, "known", &strategy->known, known ? known->count : 0);
    flow_number(flow, "probes", &strategy->probes, UINT64_MAX);
    flow_small(flow, "turn", &strategy->turn, POPULATIONS - 1);
    flow_small(flow, "regular", &strategy->regular, POPULATIONS - 1);
    flow_small(flow, "rounds", &strategy->rounds, UINT_MAX);
    flow_flag(flow, "is_extra", &strategy->is_extra);
    flow_flag(flow, "follows", &strategy->follows);
    flow_number(flow, "evaluations", &strategy->evaluations, UINT64_MAX);
    flow_number(flow, "scattered", &strategy->scattered, UINT64_MAX);
    flow_numbers(flow, "firsts", strategy->firsts, sizeof(uint64_t), 2, UINT64_MAX);
    flow_flag(flow, "knows_lively", &strategy->knows_lively);
    pass_set(&strategy->lively, format_mask(strategy->format), flow);
    flow_size(flow, "suspect_count", &strategy->suspect_count, SUSPECTS);
    flow_numbers(flow, "suspects", strategy->suspects, sizeof(uint64_t),
                 strategy->suspect_count * MAX_OPERANDS, UINT64_MAX);
    for (size_t i = 0; i < strategy->suspect_count; i++)
        flow_expect(flow, "suspects", sound_codes(computed, strategy->suspects[i]));
    flow_leave(flow, place);
}
