/* A strategy, member by member. */
#include "sweep/search/strategy_state.h"

#include "sweep/checkpoint/sound.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The longest half of a window, in bits: of a scout. One beyond a bound is still shorter than all codes. */
enum { LONGEST_HALF = 48 };

/* What the survey has seen; the rest of it follows from the request. */
static void pass_survey(struct survey *survey, struct serialiser *serialiser) {
    struct start *starts = survey->starts;
    struct serialise_place place = serialise_enter(serialiser, "survey");
    serialise_size(serialiser, "done", &survey->done, survey->count);
    serialise_number(serialiser, "specials_done", &survey->specials_done,
                     survey->specials.first.count + survey->specials.later.count);
    if (survey->count) {
        serialise_doubles(serialiser, "scores", &starts->score, sizeof *starts, survey->count);
        serialise_flags(serialiser, "homes", &starts->was_home, sizeof *starts, survey->count);
    }
    serialise_leave(serialiser, place);
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

static void pass_windows(struct population *population, struct serialiser *serialiser) {
    static const char *const names[] = {"centre_1", "centre_2", "centre_3"};
    struct window *best = population->best;
    uint64_t halves[MOST_BEST] = {0};
    size_t count = population->count;
    for (int i = 0; i < MAX_OPERANDS; i++)
        serialise_numbers(serialiser, names[i], &best->centre[i], sizeof *best, count, UINT64_MAX);
    for (size_t i = 0; i < count; i++)
        halves[i] = best[i].half_log2;
    serialise_numbers(serialiser, "halves", halves, sizeof *halves, count, LONGEST_HALF);
    for (size_t i = 0; i < count; i++)
        best[i].half_log2 = (unsigned)halves[i];
    serialise_doubles(serialiser, "scores", &best->score, sizeof *best, count);
    serialise_doubles(serialiser, "worst", &best->worst, sizeof *best, count);
    serialise_flags(serialiser, "below", &best->below, sizeof *best, count);
}

/* A home is written as its number from 1. */
static void pass_population(struct strategy *strategy, const char *name,
                            struct population *population, struct serialiser *serialiser) {
    struct survey *survey = &strategy->survey;
    size_t home = population->home ? (size_t)(population->home - survey->starts) + 1 : 0;
    struct serialise_place place = serialise_enter(serialiser, name);
    serialise_small(serialiser, "apart", &population->apart, 63);
    serialise_size(serialiser, "home", &home, survey->count);
    serialise_size(serialiser, "count", &population->count, MOST_BEST);
    pass_windows(population, serialiser);
    serialise_small(serialiser, "in_vain", &population->stalled, UINT_MAX);
    serialise_doubles(serialiser, "hits", population->hits, sizeof(double), POPULATION_WAYS);
    serialise_doubles(serialiser, "tries", population->tries, sizeof(double), POPULATION_WAYS);
    if (serialiser->reads)
        population->home =
            home && !serialise_is_torn(serialiser) ? &survey->starts[home - 1] : NULL;
    serialise_expect(serialiser, "count",
                     serialise_is_torn(serialiser) ||
                         is_population(population, &strategy->request->sweep->computed));
    serialise_leave(serialiser, place);
}

/* Runs of codes: their first and their last ones. */
static void pass_set(struct code_set *set, uint64_t most, struct serialiser *serialiser) {
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(serialiser->object, "lively");
    size_t runs = serialiser->reads ? (size_t)cJSON_GetArraySize(list) / 2 : set->run_count;
    struct code_ends *ends = calloc(runs + 1, sizeof *ends);
    struct error unused;
    serialise_expect(serialiser, "lively", ends);
    for (size_t i = 0; ends && !serialiser->reads && i < runs; i++)
        ends[i] = code_set_held(set, i);
    if (ends)
        serialise_numbers(serialiser, "lively", ends, sizeof(uint64_t), 2 * runs, most);
    for (size_t i = 0; serialiser->reads && i < runs && !serialise_is_torn(serialiser); i++) {
        serialise_expect(serialiser, "lively",
                         ends[i].first <= ends[i].last &&
                             (!set->run_count || ends[i].first > set->last_end));
        if (!serialise_is_torn(serialiser))
            serialise_expect(serialiser, "lively",
                             code_set_append(set, ends[i].first, ends[i].last, &unused));
    }
    free(ends);
}

void strategy_pass(struct strategy *strategy, struct serialiser *serialiser) {
    static const char *const names[POPULATIONS] = {"population_1", "population_2", "population_3",
                                                   "population_4"};
    const struct binding_request *computed = &strategy->request->sweep->computed;
    const struct domain *known = strategy->request->known;
    struct serialise_place place = serialise_enter(serialiser, "strategy");
    pass_survey(&strategy->survey, serialiser);
    for (unsigned i = 0; i < POPULATIONS; i++)
        pass_population(strategy, names[i], &strategy->populations[i], serialiser);
    serialise_number(serialiser, "known", &strategy->known, known ? known->count : 0);
    serialise_number(serialiser, "probes", &strategy->probes, UINT64_MAX);
    serialise_small(serialiser, "turn", &strategy->turn, POPULATIONS - 1);
    serialise_small(serialiser, "regular", &strategy->regular, POPULATIONS - 1);
    serialise_small(serialiser, "rounds", &strategy->rounds, UINT_MAX);
    serialise_flag(serialiser, "is_extra", &strategy->is_extra);
    serialise_flag(serialiser, "follows", &strategy->follows);
    serialise_number(serialiser, "evaluations", &strategy->evaluations, UINT64_MAX);
    serialise_number(serialiser, "built", &strategy->built, UINT64_MAX);
    serialise_number(serialiser, "scattered", &strategy->scattered, UINT64_MAX);
    serialise_numbers(serialiser, "firsts", strategy->firsts, sizeof(uint64_t), 2, UINT64_MAX);
    serialise_flag(serialiser, "knows_lively", &strategy->knows_lively);
    pass_set(&strategy->lively, format_mask(strategy->format), serialiser);
    serialise_size(serialiser, "suspect_count", &strategy->suspect_count, SUSPECTS);
    serialise_numbers(serialiser, "suspects", strategy->suspects, sizeof(uint64_t),
                      strategy->suspect_count * MAX_OPERANDS, UINT64_MAX);
    for (size_t i = 0; i < strategy->suspect_count; i++)
        serialise_expect(serialiser, "suspects", sound_codes(computed, strategy->suspects[i]));
    serialise_leave(serialiser, place);
}
