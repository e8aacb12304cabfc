/* A survey of all starts; then round after round of windows, short lines of inputs: some anew from
 * the starts, most around the best windows so far.
 *
 * How bad an implementation can be varies smoothly over its tables, branches and binades, under the
 * noise of its roundings. A probe makes the most of the noise in its window (probe.h); what is left
 * to find is the place. Nothing is known of how far the features of an implementation reach, so
 * windows move by any power of two of codes, each as often as any other; and as many functions treat
 * all binades alike, or both signs, windows jump to others of these too. */
#include "sweep/search/strategy.h"

#include "sweep/generator.h"

#include <stdlib.h>
#include <string.h>

/* Starts of pairs and triples, which are drawn; inputs that a probe begins with; populations, and how
 * many windows each wants and remembers; windows of a round; scouts besides, long lines with few
 * inputs, which see what is smooth and large; of so many windows one goes anew, of so many others one
 * combines three, of so many moves one is a jump; rounds after which a population that found nothing
 * begins anew, and the one that has the best of all. */
enum {
    DRAWN_STARTS = 8192,
    SURVEY_INPUTS = 256,
    INPUTS = 1024,
    POPULATIONS = 4,
    FEWEST_BEST = 16,
    MOST_BEST = 64,
    WINDOWS = 64,
    SCOUTS = 64,
    SCOUT_INPUTS = 128,
    SCOUT_LOG2 = 40,
    ANEW_ONE_OF = 8,
    COMBINED_ONE_OF = 3,
    JUMPS_ONE_OF = 8,
    PATIENCE = 8,
    PATIENCE_OF_BEST = 128
};

/* Half a window whose inputs are combined: function values along it are near enough to a line in
 * fp64. Shorter formats have no such windows, but lines of any length. */
enum { WINDOW_LOG2 = 20, WINDOW_PRECISION = 40, SHORTEST_LOG2 = 7 };

/* Windows nearer than that are one place, of which a population remembers one window: the first
 * population looks into a few places deeply, the last keeps many places apart, from which
 * combinations lead to others: to the same place in another interval of a table, say. */
enum { NEAR_LOG2 = 2, NEARER_LOG2 = 6 };

/* Streams of the generator; those with operands take a number for each. Lower ones are the probe's.
 */
enum {
    STREAM_ANEW = 16,
    STREAM_COMBINED,
    STREAM_RANK, /* two for each of three */
    STREAM_DRAWN = STREAM_RANK + 6,
    STREAM_RUNNING,
    STREAM_LENGTH,
    STREAM_SIDE,
    STREAM_WAY = STREAM_SIDE + MAX_OPERANDS,
    STREAM_SCALE = STREAM_WAY + MAX_OPERANDS
};

struct start {
    struct box box;
    double score; /* the best seen from there */
    bool was_home;
};

/* Where something was found. */
struct window {
    uint64_t centre[MAX_OPERANDS];
    double score;
};

/* Windows that compete with each other. Several populations find different places, and one where
 * nothing was found for long begins anew. */
struct population {
    struct start *home; /* where it began and goes anew; NULL: anywhere */
    size_t count;
    struct window best[MOST_BEST]; /* the best first */
    unsigned in_vain;              /* rounds since it found a better one */
};

struct strategy {
    const struct search_request *request;
    const struct format *format;
    int operands;
    struct starts sides[MAX_OPERANDS];
    size_t start_count, surveyed;
    struct start *starts;
    struct start **order; /* best first */
    uint64_t known;       /* inputs to start from that have been planned */
    uint64_t probes;      /* are numbered */
    struct population populations[POPULATIONS];
    size_t turn;  /* the population whose round it is */
    bool surveys; /* or it is one of the survey, which is for all of them */
    /* The round under way: the start of each probe, or NULL. */
    size_t planned;
    struct start *roots[STRATEGY_MOST_PROBES];
};

static uint64_t draw(const struct strategy *strategy, unsigned stream) {
    return generator_bits(strategy->request->seed, strategy->probes, stream);
}

static uint64_t draw_below(const struct strategy *strategy, unsigned stream, uint64_t count) {
    return generator_below(strategy->request->seed, strategy->probes, stream, count);
}

/* 0 .. count - 1: as often below 1 as from 1 to 2, from 3 to 6, from 7 to 14 and so on. */
static size_t draw_rank(const struct strategy *strategy, unsigned which, size_t count) {
    unsigned stream = STREAM_RANK + 2 * which;
    unsigned octaves = 64 - leading_zeros(count);
    uint64_t octave = (uint64_t)1 << draw_below(strategy, stream, octaves);
    uint64_t rank = octave - 1 + draw_below(strategy, stream + 1, octave);
    return (size_t)(rank < count ? rank : rank - octave);
}

/* Intervals for all operands: of one, each in its turn. */
static struct box start_box(const struct strategy *strategy, uint64_t number) {
    struct box box = {{{0, 0}}};
    uint64_t seed = strategy->request->seed;
    for (int i = 0; i < strategy->operands; i++) {
        const struct starts *side = &strategy->sides[i];
        uint64_t which =
            strategy->operands == 1
                ? number
                : generator_below(seed, number, STREAM_SIDE + (unsigned)i, side->count);
        box.sides[i] = side->intervals[which];
    }
    return box;
}

static bool make_starts(struct strategy *strategy, struct error *error) {
    const struct search_request *request = strategy->request;
    const struct operation *operation = request->sweep->computed.operation;
    for (int i = 0; i < strategy->operands; i++)
        if (!starts_make(&strategy->sides[i], strategy->format, operation, &request->sets[i],
                         error))
            return false;
    size_t count = strategy->operands == 1 ? strategy->sides[0].count : DRAWN_STARTS;
    strategy->start_count = count;
    strategy->starts = calloc(count, sizeof *strategy->starts);
    strategy->order = calloc(count, sizeof *strategy->order);
    if (!strategy->starts || !strategy->order)
        return error_set(error, "out of memory for the search");
    for (size_t i = 0; i < count; i++) {
        strategy->order[i] = &strategy->starts[i];
        strategy->starts[i].box = start_box(strategy, i);
    }
    return true;
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
    if (make_starts(strategy, error))
        return strategy;
    strategy_close(strategy);
    return NULL;
}

void strategy_close(struct strategy *strategy) {
    if (!strategy)
        return;
    for (int i = 0; i < strategy->operands; i++)
        starts_free(&strategy->sides[i]);
    free(strategy->starts);
    free(strategy->order);
    free(strategy);
}

static void plan(struct strategy *strategy, struct probe *probes, struct probe probe,
                 struct start *root) {
    probe.number = strategy->probes++;
    strategy->roots[strategy->planned] = root;
    probes[strategy->planned++] = probe;
}

/* The inputs that the user knows, one by one: what is there is remembered as any other window. */
static void plan_known(struct strategy *strategy, struct probe *probes) {
    const struct domain *known = strategy->request->known;
    while (strategy->known < known->count && strategy->planned < STRATEGY_MOST_PROBES) {
        uint64_t codes[MAX_OPERANDS];
        struct probe probe = {.inputs = 1};
        domain_codes_at(known, strategy->known++, codes);
        for (int i = 0; i < strategy->operands; i++)
            probe.box.sides[i] = (struct code_interval){codes[i], 1};
        plan(strategy, probes, probe, NULL);
    }
}

static void plan_survey(struct strategy *strategy, struct probe *probes) {
    while (strategy->surveyed < strategy->start_count && strategy->planned < STRATEGY_MOST_PROBES) {
        struct start *start = &strategy->starts[strategy->surveyed++];
        plan(strategy, probes,
             (struct probe){.box = start->box, .half = UINT64_MAX, .inputs = SURVEY_INPUTS}, start);
    }
}

/* Anywhere in a start: of one operand a good one, of several that or, as often, a new one. */
static struct start *draw_anew(const struct strategy *strategy, struct start *home,
                               uint64_t *centre) {
    struct start *start = home;
    if (!home)
        start = strategy->order[draw_rank(strategy, 0, strategy->start_count)];
    struct box box = start->box;
    if (!home && strategy->operands > 1 && draw(strategy, STREAM_DRAWN) % 2) {
        box = start_box(strategy, strategy->start_count + strategy->probes);
        start = NULL;
    }
    for (int i = 0; i < strategy->operands; i++)
        centre[i] = box.sides[i].first +
                    draw_below(strategy, STREAM_SCALE + (unsigned)i, box.sides[i].count);
    return start;
}

/* The code some binades up or down, few more often than many; or with the other sign. */
static uint64_t jump(const struct strategy *strategy, uint64_t code, uint64_t way) {
    uint64_t binade = (uint64_t)1 << (strategy->format->precision - 1);
    uint64_t steps = binade * (1 + leading_zeros(way | 1));
    if (way % 8 == 0)
        return code ^ strategy->format->sign_bit;
    return (way % 2 ? code + steps : code - steps) & format_mask(strategy->format);
}

static struct population *population_of(struct strategy *strategy) {
    return &strategy->populations[strategy->turn];
}

static const uint64_t *draw_centre(const struct strategy *strategy, unsigned which) {
    const struct population *population = &strategy->populations[strategy->turn];
    return population->best[draw_rank(strategy, which, population->count)].centre;
}

/* a + b - c for the centres of three windows, as far as that lies in the binade of a: what the
 * window does on a small scale, the slower of the rounding errors do on a large one. */
static void combine(const struct strategy *strategy, uint64_t *centre) {
    unsigned digits = (unsigned)strategy->format->precision - 1;
    const uint64_t *b = draw_centre(strategy, 1), *c = draw_centre(strategy, 2);
    for (int i = 0; i < strategy->operands; i++) {
        uint64_t moved = centre[i] + b[i] - c[i];
        if (moved >> digits == centre[i] >> digits)
            centre[i] = moved;
    }
}

/* Near one of the best windows. Each operand moves within its binade, or stays, or jumps. */
static void draw_near(const struct strategy *strategy, uint64_t *centre) {
    unsigned digits = (unsigned)strategy->format->precision - 1;
    memcpy(centre, draw_centre(strategy, 0), (size_t)strategy->operands * sizeof *centre);
    if (draw_below(strategy, STREAM_COMBINED, COMBINED_ONE_OF) == 0) {
        combine(strategy, centre);
        return;
    }
    for (int i = 0; i < strategy->operands; i++) {
        uint64_t way = draw(strategy, STREAM_WAY + (unsigned)i), code = centre[i];
        if (strategy->operands > 1 && way % 2)
            continue;
        unsigned scale = STREAM_SCALE + (unsigned)i, side = STREAM_SIDE + (unsigned)i;
        uint64_t far = (uint64_t)1 << draw_below(strategy, scale, digits);
        uint64_t moved = code - far + draw_below(strategy, side, 2 * far + 1);
        if (moved >> digits == code >> digits)
            centre[i] = moved;
        if ((way >> 1) % JUMPS_ONE_OF == 0)
            centre[i] = jump(strategy, centre[i], way >> 8);
    }
}

/* Half the length of a line, and whether it is a window. */
static uint64_t draw_half(const struct strategy *strategy, bool *window) {
    int precision = strategy->format->precision;
    *window = precision >= WINDOW_PRECISION;
    if (*window)
        return (uint64_t)1 << WINDOW_LOG2;
    uint64_t scales = precision > SHORTEST_LOG2 ? (uint64_t)(precision - SHORTEST_LOG2) : 1;
    return (uint64_t)1 << (SHORTEST_LOG2 + draw_below(strategy, STREAM_LENGTH, scales));
}

/* Makes the box of a line around a centre along one operand. False where the centre is not among
 * what is searched. */
static bool make_line_box(const struct strategy *strategy, const uint64_t *centre, uint64_t half,
                          struct box *box) {
    int running = (int)draw_below(strategy, STREAM_RUNNING, (uint64_t)strategy->operands);
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

static int by_score(const void *a, const void *b) {
    const struct start *x = *(const struct start *const *)a, *y = *(const struct start *const *)b;
    if (x->score > y->score)
        return -1;
    if (x->score < y->score)
        return 1;
    return x < y ? -1 : 1;
}

/* One line; none where what was drawn is not among what is searched: other numbers are drawn then. */
static void plan_line(struct strategy *strategy, struct probe *probes, bool scouts) {
    const struct population *population = population_of(strategy);
    uint64_t centre[MAX_OPERANDS] = {0};
    struct probe probe = {.inputs = scouts ? SCOUT_INPUTS : INPUTS,
                          .half = (uint64_t)1 << SCOUT_LOG2};
    struct start *root = NULL;
    if (scouts || population->count < FEWEST_BEST ||
        draw_below(strategy, STREAM_ANEW, ANEW_ONE_OF) == 0)
        root = draw_anew(strategy, scouts ? NULL : population->home, centre);
    else
        draw_near(strategy, centre);
    if (!scouts)
        probe.half = draw_half(strategy, &probe.breeds);
    if (make_line_box(strategy, centre, probe.half, &probe.box))
        plan(strategy, probes, probe, root);
    else
        strategy->probes++;
}

/* All populations but the last have a home each: a good start that has not been one, or any good one.
 */
static void find_home(struct strategy *strategy) {
    struct population *population = population_of(strategy);
    size_t rank = draw_rank(strategy, 0, strategy->start_count);
    bool fresh = draw(strategy, STREAM_DRAWN) % 2;
    while (fresh && rank + 1 < strategy->start_count && strategy->order[rank]->was_home)
        rank++;
    population->home = strategy->order[rank];
    population->home->was_home = true;
}

static void plan_lines(struct strategy *strategy, struct probe *probes) {
    qsort(strategy->order, strategy->start_count, sizeof(struct start *), by_score);
    if (!population_of(strategy)->home && strategy->turn + 1 < POPULATIONS)
        find_home(strategy);
    while (strategy->planned < WINDOWS + SCOUTS)
        plan_line(strategy, probes, strategy->planned >= WINDOWS);
}

size_t strategy_plan(struct strategy *strategy, struct probe *probes) {
    const struct domain *known = strategy->request->known;
    strategy->planned = 0;
    strategy->surveys =
        strategy->surveyed < strategy->start_count && (!known || strategy->known == known->count);
    if (known && strategy->known < known->count)
        plan_known(strategy, probes);
    else if (strategy->surveys)
        plan_survey(strategy, probes);
    else
        plan_lines(strategy, probes);
    return strategy->planned;
}

/* Whether two windows are all but the same. */
static bool are_near(const struct strategy *strategy, const struct window *a,
                     const struct window *b) {
    bool window = strategy->format->precision >= WINDOW_PRECISION;
    uint64_t near = window ? (uint64_t)1 << (WINDOW_LOG2 + NEAR_LOG2 + NEARER_LOG2 * strategy->turn)
                           : (uint64_t)1 << (SHORTEST_LOG2 + strategy->turn);
    bool all = true;
    for (int i = 0; i < strategy->operands; i++) {
        uint64_t x = a->centre[i], y = b->centre[i];
        all = all && (x > y ? x - y : y - x) < near;
    }
    return all;
}

/* Keeps the best windows, and of those near each other one. */
static void remember(const struct strategy *strategy, struct population *population,
                     const struct window *window) {
    struct window *best = population->best;
    size_t place = 0;
    while (place < population->count && !are_near(strategy, &best[place], window))
        place++;
    if (place == MOST_BEST)
        place--;
    else if (place == population->count)
        best[population->count++].score = -1;
    if (best[place].score >= window->score)
        return;
    for (; place > 0 && best[place - 1].score < window->score; place--)
        best[place] = best[place - 1];
    best[place] = *window;
}

/* Whether no other population has a better window. */
static bool has_best(const struct strategy *strategy, const struct population *population) {
    for (size_t i = 0; i < POPULATIONS; i++)
        if (strategy->populations[i].count &&
            strategy->populations[i].best[0].score > population->best[0].score)
            return false;
    return true;
}

/* The round of a population is over, in which its best was `before` at first. */
static void end_round(struct strategy *strategy, double before) {
    struct population *population = population_of(strategy);
    bool better = population->count && population->best[0].score > before;
    population->in_vain = better ? 0 : population->in_vain + 1;
    unsigned patience = has_best(strategy, population) ? PATIENCE_OF_BEST : PATIENCE;
    if (population->in_vain >= patience)
        *population = (struct population){0};
    strategy->turn = (strategy->turn + 1) % POPULATIONS;
}

void strategy_learn(struct strategy *strategy, const struct probe_result *results, size_t count) {
    struct population *population = population_of(strategy);
    double before = population->count ? population->best[0].score : 0;
    for (size_t i = 0; i < count; i++) {
        struct start *root = strategy->roots[i];
        if (root && results[i].top > root->score)
            root->score = results[i].top;
        if (!results[i].has_best || strategy->surveys)
            continue;
        struct window window = {.score = results[i].top};
        memcpy(window.centre, results[i].best.input, sizeof window.centre);
        remember(strategy, population, &window);
    }
    if (!strategy->surveys)
        end_round(strategy, before);
}
