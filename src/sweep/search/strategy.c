/* A survey of all starts; then round after round of windows, short lines of inputs: some anew from
 * the starts, most around the best windows so far.
 *
 * How bad an implementation can be varies smoothly over its tables, branches and binades, under the
 * noise of its roundings. A probe makes the most of the noise in its window (breed.c); what is left
 * to find is the place (population.c), and inputs all over the binades of the best places so far show
 * where in these it is worse. A slow implementation may not see the end of the survey: between its rounds are
 * some of few windows. Hard cases have no places: they are sought everywhere. */
#include "sweep/search/box.h"
#include "sweep/search/strategy_state.h"

#include "sweep/built/built.h"
#include "sweep/search/growth.h"

#include <stdlib.h>
#include <string.h>

/* Inputs that a probe of the survey begins with, and any other; windows of a round, and of one between
 * two of the survey; scouts besides, long lines with few inputs, which see what is smooth and large; of so
 * many windows one goes anew, and for so many there is one besides where errors are known to grow;
 * rounds after which a population that found nothing begins anew, and the one that has the best of all;
 * rounds in which that one gets no more than the others; inputs of a window beyond a bound, and how much
 * longer than others it is at most, in bits; half a line along which hard cases are sought, and how many
 * candidates; built inputs of a probe, probes of them at first and in a round of nothing else, and of how
 * many evaluations one is such an input. */
enum {
    SURVEY_INPUTS = 256,
    INPUTS = 256,
    WINDOWS = 64,
    WINDOWS_OF_SURVEY = 8,
    SCOUTS = 32,
    SCOUT_INPUTS = 128,
    SCOUT_LOG2 = 40,
    ANEW_ONE_OF = 8,
    GROWTH_ONE_OF = 8,
    PATIENCE = 8,
    PATIENCE_OF_BEST = 256,
    ALIKE_ROUNDS = 256,
    BEYOND_INPUTS = 4096,
    BEYOND_LONGER = 12,
    BUILT_INPUTS = 1024,
    BUILT_AT_FIRST = 4,
    BUILT_ROUND = 16,
    BUILT_ONE_OF = 512,
    BOUNDARY_LOG2 = 28,
    BOUNDARY_INPUTS = PROBE_MOST_INPUTS
};

/* The numbers of the survey's probes are those of its boxes, and those of built inputs have numbers of their own: others do
 * not come so far. What is drawn by numbers is therefore the same with built inputs and without them. */
#define NUMBERS_OF_BOXES ((uint64_t)1 << 48)
#define NUMBERS_OF_BUILT ((uint64_t)1 << 49)

/* For the next probe. */
static struct draws draws_of(const struct strategy *strategy) {
    return (struct draws){strategy->request->seed, strategy->probes, strategy->format,
                          strategy->operands};
}

/* A population that has nothing yet. */
static void begin(struct strategy *strategy, unsigned turn) {
    strategy->populations[turn] = (struct population){.apart = apart_of(strategy->format, turn)};
}

struct strategy *strategy_open(const struct search_request *request, struct error *error) {
    struct strategy *strategy = calloc(1, sizeof *strategy);
    if (!strategy) {
        error_set(error, "out of memory for the search");
        return NULL;
    }
    strategy->request = request;
    strategy->format = request->sweep->computed.format;
    strategy->operands = request->sweep->computed.operation->operands;
    for (unsigned i = 0; i < POPULATIONS; i++)
        begin(strategy, i);
    if (survey_open(&strategy->survey, request, error))
        return strategy;
    strategy_close(strategy);
    return NULL;
}

void strategy_close(struct strategy *strategy) {
    if (!strategy)
        return;
    survey_close(&strategy->survey);
    code_set_free(&strategy->lively);
    for (int i = 0; i < NEARS * MAX_OPERANDS; i++)
        code_set_free(&strategy->near[i / MAX_OPERANDS][i % MAX_OPERANDS]);
    free(strategy);
}

/* The inputs that the user knows and that are among what is searched, one by one: what is there is
 * remembered as any other window. */
static void plan_known(struct strategy *strategy, struct probe *probes) {
    const struct search_request *request = strategy->request;
    while (strategy->known < request->known->count && strategy->planned < STRATEGY_MOST_PROBES) {
        uint64_t codes[MAX_OPERANDS];
        struct probe probe = {.inputs = 1};
        domain_codes_at(request->known, strategy->known++, codes);
        if (!sets_have(request->sets, strategy->operands, codes))
            continue;
        for (int i = 0; i < strategy->operands; i++)
            probe.box.sides[i] = (struct code_interval){codes[i], 1};
        strategy->halves_log2[strategy->planned] = draw_length(
            &(struct draws){request->seed, strategy->probes, strategy->format, strategy->operands});
        strategy_plan_one(strategy, probes, probe, NULL);
    }
}

/* Inputs that are built. */
static void plan_built(struct strategy *strategy, struct probe *probes, size_t count) {
    const uint64_t drawn = strategy->probes;
    for (size_t i = 0; i < count; i++) {
        strategy_plan_one(
            strategy, probes,
            (struct probe){.is_built = true, .first = strategy->built, .inputs = BUILT_INPUTS},
            NULL);
        probes[strategy->planned - 1].number = NUMBERS_OF_BUILT + strategy->built;
        strategy->built += BUILT_INPUTS;
    }
    strategy->probes = drawn;
}

static bool has_built(const struct strategy *strategy) {
    return strategy->request->purpose != SEARCH_BOUNDARY && !strategy->request->without_built &&
           built_is_for(strategy->request->sweep->computed.operation, strategy->format);
}

static void plan_survey(struct strategy *strategy, struct probe *probes) {
    uint64_t half =
        strategy->request->purpose == SEARCH_BOUNDARY ? (uint64_t)1 << BOUNDARY_LOG2 : UINT64_MAX;
    struct survey *survey = &strategy->survey;
    while (survey->done < survey->count && strategy->planned < STRATEGY_MOST_PROBES) {
        size_t next = survey_next(survey);
        struct start *start = &survey->starts[next];
        strategy_plan_one(strategy, probes,
                          (struct probe){.box = start->box, .half = half, .inputs = SURVEY_INPUTS},
                          start);
        probes[strategy->planned - 1].number = NUMBERS_OF_BOXES + next; /* in any order */
    }
}

/* Of the next probe. */
static int running_operand(const struct strategy *strategy) {
    struct draws draws = draws_of(strategy);
    return (int)draw_below(&draws, STREAM_RUNNING, (uint64_t)strategy->operands);
}

/* Makes the box of a line around a centre along one operand. False where the centre is not among
 * what is searched. */
static bool make_line_box(const struct strategy *strategy, const uint64_t *centre, uint64_t half,
                          struct box *box) {
    int running = running_operand(strategy);
    for (int i = 0; i < strategy->operands; i++) {
        struct code_interval room =
            interval_around(strategy->format, &strategy->request->sets[i], centre[i]);
        uint64_t before = centre[i] - room.first, after = room.count - before - 1;
        if (!room.count)
            return false;
        before = i != running ? 0 : before < half ? before : half;
        after = i != running ? 0 : after < half ? after : half;
        box->sides[i] = (struct code_interval){centre[i] - before, before + after + 1};
    }
    return true;
}

/* A line with this length; none where its centre is not among what is searched: other numbers are
 * drawn then. */
static void plan_line(struct strategy *strategy, struct probe *probes, struct probe probe,
                      const struct window *window, struct start *root) {
    probe.half = (uint64_t)1 << window->half_log2;
    strategy->halves_log2[strategy->planned] = window->half_log2;
    if (make_line_box(strategy, window->centre, probe.half, &probe.box))
        strategy_plan_one(strategy, probes, probe, root);
    else
        strategy->probes++;
}

static void plan_window(struct strategy *strategy, struct probe *probes) {
    const struct population *population = strategy_population(strategy);
    struct draws draws = draws_of(strategy);
    struct window window;
    struct start *root = NULL;
    struct probe probe = {.inputs = INPUTS, .breeds = true};
    if (population->count < FEWEST_BEST || strategy->planned % ANEW_ONE_OF == 0) {
        root = survey_draw(&strategy->survey, &draws, population->home, false, window.centre);
        window.half_log2 = draw_length(&draws);
        probe.seeks_end = root && draw(&draws, STREAM_END) % 2;
        probe.half = (uint64_t)1 << window.half_log2;
        probe.box = root ? root->box : probe.box;
    } else
        window = population_draw(population, &draws);
    if (probe.seeks_end) {
        strategy->halves_log2[strategy->planned] = window.half_log2;
        strategy_plan_one(strategy, probes, probe, root);
    } else
        plan_line(strategy, probes, probe, &window, root);
}

/* A long window near one of the best, for what is worse than most of them. */
static void plan_beyond(struct strategy *strategy, struct probe *probes) {
    const struct population *population = strategy_population(strategy);
    uint64_t binade = (uint64_t)1 << binade_log2(strategy->format);
    struct draws draws = draws_of(strategy);
    struct window window = population_draw(population, &draws);
    int running = running_operand(strategy);
    window.half_log2 += (unsigned)draw_below(&draws, STREAM_END, BEYOND_LONGER + 1);
    struct probe probe = {.inputs = BEYOND_INPUTS,
                          .beyond = {.bound = strategy->bound,
                                     .reach = 2 * strategy->excess,
                                     .below = window.below,
                                     .shared_log2 = population_shares(population, running, binade),
                                     .shared = population->best[0].centre[running]}};
    plan_line(strategy, probes, probe, &window, NULL);
}

static void plan_anywhere(struct strategy *strategy, struct probe *probes, size_t inputs,
                          unsigned half_log2, bool even) {
    struct window window = {.half_log2 = half_log2};
    struct draws draws = draws_of(strategy);
    struct start *root = survey_draw(&strategy->survey, &draws, NULL, even, window.centre);
    plan_line(strategy, probes, (struct probe){.inputs = inputs}, &window, root);
}

static void plan_suspects(struct strategy *strategy, struct probe *probes) {
    for (size_t i = 0; i < strategy->suspect_count; i++) {
        struct draws draws = draws_of(strategy);
        struct window window = {.half_log2 = draw_length(&draws)};
        memcpy(window.centre, strategy->suspects[i], sizeof window.centre);
        plan_line(strategy, probes, (struct probe){.inputs = INPUTS, .breeds = true}, &window,
                  NULL);
    }
    strategy->suspect_count = 0;
}

/* Around places where errors are known to grow. */
static void plan_growth(struct strategy *strategy, struct probe *probes, size_t count) {
    const struct operation *operation = strategy->request->sweep->computed.operation;
    for (size_t i = 0; growth_is_known(operation) && i < count; i++) {
        struct draws draws = draws_of(strategy);
        struct window window = {.half_log2 = draw_length(&draws)};
        growth_draw(operation, &draws, window.centre);
        plan_line(strategy, probes, (struct probe){.inputs = INPUTS, .breeds = true}, &window,
                  NULL);
    }
}

static void plan_lines(struct strategy *strategy, struct probe *probes, bool is_seen) {
    struct population *population = strategy_population(strategy);
    const size_t scouts = is_seen ? SCOUTS : 0;
    struct draws draws = draws_of(strategy);
    strategy->windows = is_seen ? WINDOWS : WINDOWS_OF_SURVEY;
    survey_rank(&strategy->survey);
    /* All populations but the last have a home each. */
    if (!population->home && strategy->turn + 1 < POPULATIONS)
        population->home = survey_home(&strategy->survey, &draws);
    if (strategy->request->purpose == SEARCH_ERROR && population->count >= FEWEST_BEST) {
        strategy->bound = population_bound(population, &strategy->excess);
        strategy->beyond =
            (size_t)((double)strategy->windows * population_share_beyond(population));
    }
    while (strategy->planned < strategy->beyond)
        plan_beyond(strategy, probes);
    while (strategy->planned < strategy->windows)
        plan_window(strategy, probes);
    while (strategy->planned < strategy->windows + scouts)
        plan_anywhere(strategy, probes, SCOUT_INPUTS, SCOUT_LOG2, strategy->planned % 2 == 0);
    plan_growth(strategy, probes, strategy->windows / GROWTH_ONE_OF);
    plan_suspects(strategy, probes);
    strategy->scatters = strategy->planned;
    strategy_plan_scattered(strategy, probes);
    strategy->extras = strategy->planned;
    strategy_plan_more_specials(strategy, probes);
    if (has_built(strategy) && strategy->built < strategy->evaluations / BUILT_ONE_OF)
        plan_built(strategy, probes, 1);
}

size_t strategy_plan(struct strategy *strategy, struct probe *probes) {
    const struct domain *known = strategy->request->known;
    strategy->planned = strategy->beyond = 0;
    strategy->scatters = STRATEGY_MOST_PROBES;
    strategy->bound = strategy->excess = 0;
    strategy->extras = STRATEGY_MOST_PROBES;
    if (known && strategy->known < known->count)
        plan_known(strategy, probes);
    /* Between two rounds of the survey what it has found is followed: a slow implementation may not see its
     * end. */
    bool is_seen = strategy->survey.done == strategy->survey.count;
    strategy->surveys = !strategy->planned && !is_seen && !strategy->follows;
    if (!strategy->planned && !is_seen && strategy->request->purpose != SEARCH_BOUNDARY) {
        strategy->follows = strategy->surveys;
        strategy->turn = strategy->regular = POPULATIONS - 1; /* which begins anywhere */
    }
    if (strategy->surveys && !strategy->built && has_built(strategy)) {
        strategy->extras = strategy->planned;
        plan_built(strategy, probes, BUILT_AT_FIRST);
        strategy->follows = false; /* it was no round of the survey */
    }
    if (strategy->surveys && !strategy->planned && strategy->request->purpose != SEARCH_BOUNDARY)
        strategy_plan_specials(strategy, probes);
    if (!strategy->planned && strategy->request->purpose == SEARCH_WRONG_ROUNDING) {
        strategy->extras = strategy->planned;
        plan_built(strategy, probes, BUILT_ROUND);
        strategy_plan_more_specials(strategy, probes);
    } else if (strategy->surveys && !strategy->planned)
        plan_survey(strategy, probes);
    else if (!strategy->planned && strategy->request->purpose == SEARCH_BOUNDARY)
        while (strategy->planned < WINDOWS)
            plan_anywhere(strategy, probes, BOUNDARY_INPUTS, BOUNDARY_LOG2, true);
    else if (!strategy->planned)
        plan_lines(strategy, probes, is_seen);
    return strategy->planned;
}

/* Whether no other population has a better window. */
static bool has_best(const struct strategy *strategy, const struct population *population) {
    for (size_t i = 0; i < POPULATIONS; i++)
        if (strategy->populations[i].count &&
            strategy->populations[i].best[0].score > population->best[0].score)
            return false;
    return true;
}

/* All have their turns, and later on the one that has the best between them. */
static void next_turn(struct strategy *strategy) {
    strategy->is_extra = !strategy->is_extra && strategy->rounds++ >= ALIKE_ROUNDS;
    if (!strategy->is_extra)
        strategy->regular = (strategy->regular + 1) % POPULATIONS;
    strategy->turn = strategy->regular;
    for (unsigned i = 0; strategy->is_extra && i < POPULATIONS; i++)
        if (strategy->populations[i].count && has_best(strategy, &strategy->populations[i]))
            strategy->turn = i;
}

/* The round of a population is over, in which its best was `before` at first. */
static void end_round(struct strategy *strategy, double before) {
    struct population *population = strategy_population(strategy);
    bool better = population->count && population->best[0].score > before;
    population->stalled = better ? 0 : population->stalled + 1;
    unsigned patience = has_best(strategy, population) ? PATIENCE_OF_BEST : PATIENCE;
    if (population->stalled >= patience)
        begin(strategy, strategy->turn);
    if (strategy->survey.done == strategy->survey.count)
        next_turn(strategy);
}

/* Notes whether a window, which was drawn near others or beyond the bound, was worth it. */
static void credit(struct strategy *strategy, size_t at, const struct window *window,
                   uint64_t evaluations) {
    struct population *population = strategy_population(strategy);
    if (at < strategy->windows && strategy->bound > 0)
        population_credit(population, at < strategy->beyond ? WAY_BEYOND : WAY_BREED,
                          window->worst > strategy->bound &&
                              !population_has(population, window, strategy->operands),
                          evaluations);
}

void strategy_learn(struct strategy *strategy, const struct probe_result *results, size_t count) {
    struct population *population = strategy_population(strategy);
    double before = population->count ? population->best[0].score : 0;
    for (size_t i = 0; i < count; i++) {
        struct start *root = strategy->roots[i];
        if (i >= strategy->extras)
            continue;
        strategy->evaluations += results[i].evaluations;
        if (i >= strategy->scatters) {
            if (results[i].has_best)
                memcpy(strategy->suspects[strategy->suspect_count++], results[i].best.input,
                       sizeof *strategy->suspects);
            continue;
        }
        if (root && results[i].top > root->score)
            root->score = results[i].top;
        struct window window = {.half_log2 = strategy->halves_log2[i],
                                .score = results[i].top,
                                .worst = results[i].best.value,
                                .below = results[i].below};
        memcpy(window.centre, results[i].best.input, sizeof window.centre);
        if (strategy->surveys)
            continue;
        credit(strategy, i, &window, results[i].evaluations);
        if (!results[i].has_best)
            continue;
        population_remember(population, &window, strategy->format, strategy->operands);
    }
    if (!strategy->surveys)
        end_round(strategy, before);
}
