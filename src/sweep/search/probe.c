/* Inputs along a line through a box, ranked by a polynomial; or a few, judged one by one. */
#include "sweep/search/probe.h"

#include "base/bits.h"
#include "oracle/boundary.h"
#include "sweep/generator.h"
#include "sweep/judge/output.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Streams of the generator. */
enum { DRAW_SIDES, DRAW_RUNNING = MAX_OPERANDS, DRAW_START, DRAW_STEP, DRAW_COMBINED };

/* Lines shorter than that many codes are not worth their polynomial. An input that is judged alone
 * costs some fifty times as much. */
enum { SHORTEST_HALF = 64, ALONE_COSTS = 32, FEWEST_ALONE = 16, TOP = 48, TOP_MEAN = 8 };

/* The worst of a line are combined, so many at a time, until so many times in a row nothing came of
 * it, or so often. */
enum { COMBINED = 256, MOST_IN_VAIN = 3, MOST_GENERATIONS = 100 };

/* How far the polynomial may be off the exact error where that is asked. */
#define OFF_SLACK 0x1p-8

bool prober_open(struct prober *prober, const struct search_request *request,
                 const struct sweep_request *sweep, struct error *reasons, struct error *error) {
    const struct format *formats_of_results[MAX_RESULTS];
    const struct format *format = request_result_format(&sweep->computed);
    *prober = (struct prober){.request = request};
    for (int i = 0; i < MAX_RESULTS; i++)
        formats_of_results[i] = format;
    if (!worker_open(&prober->worker, sweep, formats_of_results, PROBE_MOST_INPUTS, reasons, error))
        return false;
    bool room = true;
    double **arrays[] = {&prober->offsets, &prober->values, &prober->ranks, &prober->more_ranks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        room = (*arrays[i] = malloc(PROBE_MOST_INPUTS * sizeof(double))) && room;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < sweep->computed.operation->results; j++)
            room =
                (prober->outputs[i][j] = malloc(PROBE_MOST_INPUTS * format_bytes(format))) && room;
    line_maker_open(&prober->maker);
    worker_begin(&prober->worker);
    return room || error_set(error, "out of memory");
}

void prober_close(struct prober *prober) {
    if (!prober->worker.request)
        return;
    worker_end(&prober->worker);
    line_maker_close(&prober->maker);
    free(prober->offsets);
    free(prober->values);
    free(prober->ranks);
    free(prober->more_ranks);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            free(prober->outputs[i][j]);
    worker_close(&prober->worker);
}

/* A probe under way. */
struct look {
    struct prober *prober;
    const struct probe *probe;
    struct probe_result *result;
    const struct binding_request *computed;
    size_t count;     /* inputs that are loaded */
    struct line line; /* where `fits`; else its centre and length only */
    bool fits;
    size_t top_count;
    struct {
        size_t at;
        double offset; /* along the line */
        double error;
    } top[TOP]; /* largest first */
};

static bool is_boundary(const struct look *look) {
    return look->prober->request->purpose == SEARCH_BOUNDARY;
}

static void load_input(const struct look *look, size_t at, uint64_t *codes) {
    worker_load_inputs(&look->prober->worker, at, codes);
}

static void add_strange(struct look *look, size_t at) {
    if (look->result->strange < PROBE_STRANGE)
        load_input(look, at, look->result->strange_inputs[look->result->strange++]);
}

static void note_event(void *context, enum event_kind kind, size_t at) {
    (void)kind;
    add_strange(context, at);
}

/* The outputs for the loaded inputs. */
static bool fill(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    struct worker *worker = &prober->worker;
    struct slice slice = {.count = look->count};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = worker->inputs[i];
    for (size_t i = 0; i < prober->implementation_count; i++) {
        size_t which = prober->implementations[i];
        memcpy(slice.results, prober->outputs[i], sizeof slice.results);
        slice.unanswered = worker->unanswered[which];
        memset(slice.unanswered, 0, look->count);
        if (!binding_fill(&worker->bindings[which], &slice, note_event, look, error))
            return false;
        worker->unanswered_count[which] = memchr(slice.unanswered, 1, look->count) != NULL;
    }
    return true;
}

static bool is_answered(const struct look *look, size_t at) {
    const struct prober *prober = look->prober;
    for (size_t i = 0; i < prober->implementation_count; i++)
        if (worker_is_unanswered(&prober->worker, prober->implementations[i], at))
            return false;
    return true;
}

static uint64_t output_of(const struct look *look, size_t implementation, int result, size_t at) {
    return code_load(look->prober->outputs[implementation][result],
                     format_bytes(look->prober->worker.judge.format), at);
}

/* The exact value of what is sought for one input and result; false where there is none. */
static bool measure(struct look *look, size_t at, int result, double *value, bool *found,
                    struct error *error) {
    struct prober *prober = look->prober;
    const struct judge *judge = &prober->worker.judge;
    const struct format *format = judge->format;
    uint64_t input[MAX_OPERANDS];
    struct real y;
    *found = false;
    load_input(look, at, input);
    if (prober->request->purpose == SEARCH_DIFFERENCE) {
        uint64_t a = output_of(look, 0, result, at), b = output_of(look, 1, result, at);
        bool a_is_nan = format_is_nan(format, a), b_is_nan = format_is_nan(format, b);
        if (a_is_nan != b_is_nan)
            add_strange(look, at);
        *found = !a_is_nan && !b_is_nan && a != b;
        y = format_decode(format, b);
        if (*found)
            *value = ulp_error(format, &y, a);
        return true;
    }
    if (!oracle_exact(&prober->worker.refined, input, result, &y, error))
        return false;
    if (is_boundary(look)) {
        const struct cast rounding = cast_of_results(format, judge->rounding);
        bool near = y.inexact && boundary_is_near(format, &y);
        *value = near ? boundary_distance(&rounding, &y) : 1;
        *found = *value < 1;
        return true;
    }
    uint64_t want = worker_want(&prober->worker, &y, input, 0);
    struct judgement judgement = judge_output(judge, &y, want, output_of(look, 0, result, at));
    if (judgement.verdict == VERDICT_NAN_MISMATCH || judgement.verdict == VERDICT_SIGN_MISMATCH)
        add_strange(look, at);
    *found = judgement.in_ulps;
    *value = judgement.error;
    return true;
}

/* Takes the exact value of one input as one of all results. */
static bool take(struct look *look, size_t at, double *rank, struct error *error) {
    struct probe_result *result = look->result;
    bool boundary = is_boundary(look);
    *rank = -1;
    for (int i = 0; i < look->computed->operation->results; i++) {
        double value;
        bool found;
        if (!measure(look, at, i, &value, &found, error))
            return false;
        if (!found)
            continue;
        double mine = boundary ? 1 - value : value;
        *rank = mine > *rank ? mine : *rank;
        if (!result->has_best ||
            (boundary ? value < result->best.value : value > result->best.value)) {
            result->has_best = true;
            result->best.value = value;
            load_input(look, at, result->best.input);
        }
    }
    return true;
}

static void offer_top(struct look *look, size_t at, double error) {
    if (look->top_count == TOP && error <= look->top[TOP - 1].error)
        return;
    size_t place = look->top_count < TOP ? look->top_count++ : TOP - 1;
    while (place > 0 && look->top[place - 1].error < error) {
        look->top[place] = look->top[place - 1];
        place--;
    }
    look->top[place].at = at;
    look->top[place].offset = look->prober->offsets[at];
    look->top[place].error = error;
}

/* Of the ranks of the loaded inputs, those that are numbers. */
static void offer_all(struct look *look, const double *ranks) {
    for (size_t i = 0; i < look->count; i++)
        if (ranks[i] >= 0 && ranks[i] <= DBL_MAX)
            offer_top(look, i, ranks[i]);
    size_t tops = look->top_count < TOP_MEAN ? look->top_count : TOP_MEAN;
    double top = 0;
    for (size_t i = 0; i < tops; i++)
        top += look->top[i].error;
    look->result->top = tops ? top / (double)tops : 0;
}

/* Inputs drawn from all of the box, judged one by one. */
static bool look_alone(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    const struct probe *probe = look->probe;
    size_t bytes = format_bytes(look->computed->format);
    uint64_t seed = prober->request->seed, all = 1;
    size_t left = probe->most - look->result->evaluations;
    look->top_count = 0; /* what a line found that does not fit is no score */
    look->count = probe->inputs / ALONE_COSTS;
    look->count = look->count < FEWEST_ALONE ? FEWEST_ALONE : look->count;
    look->count = look->count < left ? look->count : left;
    for (int i = 0; i < look->computed->operation->operands; i++)
        all = multiply_high(all, probe->box.sides[i].count) ? UINT64_MAX
                                                            : all * probe->box.sides[i].count;
    bool whole = all <= look->count;
    look->count = whole ? (size_t)all : look->count;
    for (size_t at = 0; at < look->count; at++) {
        uint64_t rest = at;
        for (int i = 0; i < look->computed->operation->operands; i++) {
            const struct code_interval *side = &probe->box.sides[i];
            uint64_t offset = whole ? rest % side->count
                                    : generator_below(seed ^ generator_mix(probe->number), at,
                                                      (unsigned)i, side->count);
            rest /= side->count;
            code_store(prober->worker.inputs[i], bytes, at, side->first + offset);
        }
    }
    if (!fill(look, error))
        return false;
    for (size_t at = 0; at < look->count; at++) {
        prober->ranks[at] = -1;
        if (is_answered(look, at) && !take(look, at, &prober->ranks[at], error))
            return false;
    }
    offer_all(look, prober->ranks);
    look->result->evaluations += look->count;
    return true;
}

/* The centre and the running operand. */
static void place_line(struct look *look) {
    const struct probe *probe = look->probe;
    uint64_t seed = look->prober->request->seed;
    int operands = look->computed->operation->operands;
    struct line *line = &look->line;
    line->running = (int)generator_below(seed, probe->number, DRAW_RUNNING, (uint64_t)operands);
    for (int i = 0; i < operands; i++)
        if (probe->box.sides[line->running].count < 2 * SHORTEST_HALF + 1)
            line->running = (line->running + 1) % operands;
    for (int i = 0; i < operands; i++) {
        const struct code_interval *side = &probe->box.sides[i];
        uint64_t margin = 0;
        if (i == line->running) {
            line->half = (side->count - 1) / 2 < probe->half ? (side->count - 1) / 2 : probe->half;
            margin = line->half;
        }
        line->codes[i] = side->first + margin +
                         generator_below(seed, probe->number, DRAW_SIDES + (unsigned)i,
                                         side->count - 2 * margin);
    }
}

static bool changes_binade(const struct look *look) {
    for (int i = 0; i < look->computed->operation->results; i++) {
        const struct line_result *result = &look->line.results[i];
        if (result->exponents[0] != result->exponents[1])
            return true;
    }
    return false;
}

/* Lines are of outputs that are floats or doubles. */
static bool format_is_wide(const struct format *format) {
    return format->width == 32 || format->width == 64;
}

/* Finds a length at which the line fits; the centre stays. */
static bool fit_line(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    struct line *line = &look->line;
    const struct format *format = prober->worker.judge.format;
    while (format_is_wide(format) && line->half >= SHORTEST_HALF) {
        enum line_fit kind = line_make(line, &prober->maker, &prober->worker.refined, format,
                                       look->computed->operation->results, error);
        if (kind == LINE_FAILED)
            return false;
        /* What rounds elsewhere in another binade is not told apart. */
        bool turns = kind == LINE_FITS && is_boundary(look) && changes_binade(look);
        look->fits = kind == LINE_FITS && !turns;
        if (kind != LINE_BENDS && !turns)
            return true;
        line->half >>= 3;
    }
    return true;
}

/* The codes of the inputs at the offsets. */
static void load_offsets(struct look *look) {
    struct prober *prober = look->prober;
    const struct line *line = &look->line;
    size_t bytes = format_bytes(look->computed->format);
    for (size_t at = 0; at < look->count; at++)
        code_store(prober->worker.inputs[line->running], bytes, at,
                   line->codes[line->running] + (uint64_t)(int64_t)prober->offsets[at]);
    for (int i = 0; i < look->computed->operation->operands; i++)
        for (size_t at = 0; i != line->running && at < look->count; at++)
            code_store(prober->worker.inputs[i], bytes, at, line->codes[i]);
}

/* Offsets along the line, spread by a step that has nothing to do with the function's. */
static void spread_offsets(struct look *look) {
    struct prober *prober = look->prober;
    const struct line *line = &look->line;
    uint64_t length = 2 * line->half + 1, seed = prober->request->seed;
    uint64_t place = generator_bits(seed, look->probe->number, DRAW_START);
    uint64_t step = generator_bits(seed, look->probe->number, DRAW_STEP) | 1;
    look->count = look->probe->inputs < length ? look->probe->inputs : (size_t)length;
    look->count = look->count < look->probe->most ? look->count : look->probe->most;
    bool whole = look->count == length;
    for (size_t at = 0; at < look->count; at++) {
        uint64_t along = whole ? at : multiply_high(place, length);
        place += step;
        prober->offsets[at] = (double)((int64_t)along - (int64_t)line->half);
    }
}

/* A set of offsets, which takes a few for others that are in it. */
enum { SET_LOG2 = 17 };
struct offset_set {
    uint64_t bits[1 << (SET_LOG2 - 6)];
};

/* Whether the offset is new if `wanted`, and adds it then. */
static bool set_add(struct offset_set *set, double offset, bool wanted) {
    uint64_t place = generator_mix(bits_of(offset)) >> (64 - SET_LOG2);
    uint64_t *word = &set->bits[place >> 6], bit = (uint64_t)wanted << (place & 63);
    bool is_new = bit & ~*word;
    *word |= bit;
    return is_new;
}

/* a + b - c for the offsets of any three of the worst so far. Each rounding error in a function goes
 * round as the input runs, at a speed that a short line hardly changes. If a, b and c are where the
 * rounding errors add up, so is this. None is tried twice. No branch depends on what is drawn. */
static void combine_offsets(struct look *look, struct offset_set *tried, unsigned generation) {
    uint64_t key = look->prober->request->seed ^ generator_mix(look->probe->number);
    double offsets[TOP], half = (double)look->line.half, *room = look->prober->offsets;
    uint64_t n = look->top_count;
    size_t count = 0;
    for (size_t i = 0; i < TOP; i++)
        offsets[i] = i < n ? look->top[i].offset : 0;
    for (uint64_t draw = 0; draw < COMBINED; draw++) {
        uint64_t bits = generator_bits(key, draw, DRAW_COMBINED + generation);
        size_t a = (bits & 0xffff) * n >> 16, b = (bits >> 16 & 0xffff) * n >> 16,
               c = (bits >> 32 & 0xffff) * n >> 16;
        double offset = offsets[a] + offsets[b] - offsets[c];
        room[count] = offset;
        count += set_add(tried, offset, (a != c) & (b != c) & (fabs(offset) <= half));
    }
    look->count = count;
}

/* Outputs as doubles. */
static const double *output_values(struct look *look, size_t implementation, int result,
                                   double *room) {
    const void *outputs = look->prober->outputs[implementation][result];
    if (look->prober->worker.judge.format->width == 64)
        return outputs;
    const float *narrow = outputs;
    for (size_t at = 0; at < look->count; at++)
        room[at] = narrow[at];
    return room;
}

/* |a - b| in ulps of b, where `a` is overwritten. */
static void differences(const struct format *format, double *a, const double *b, size_t count) {
    int least = format->emin - format->precision + 1;
    for (size_t i = 0; i < count; i++) {
        int exponent = (int)(bits_of(b[i]) >> 52 & 0x7ff) - 1023 - format->precision + 1;
        a[i] = ldexp(fabs(a[i] - b[i]), -(exponent < least ? least : exponent));
    }
}

/* The ranks of one result of all loaded inputs. */
static void rank_line(struct look *look, int result, double *ranks) {
    struct prober *prober = look->prober;
    const struct format *format = prober->worker.judge.format;
    enum rounding rounding = prober->worker.judge.rounding;
    bool nearest = rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY;
    switch (prober->request->purpose) {
    case SEARCH_BOUNDARY:
        line_distances(&look->line.results[result], nearest, prober->offsets, ranks, look->count);
        for (size_t at = 0; at < look->count; at++)
            ranks[at] = 1 - ranks[at];
        return;
    case SEARCH_DIFFERENCE:
        memcpy(ranks, output_values(look, 0, result, prober->values), look->count * sizeof *ranks);
        differences(format, ranks, output_values(look, 1, result, prober->values), look->count);
        return;
    default:
        line_errors(&look->line.results[result], format, prober->offsets,
                    output_values(look, 0, result, prober->values), ranks, look->count);
        for (size_t at = 0; at < look->count; at++)
            ranks[at] = fabs(ranks[at]);
        return;
    }
}

/* Inputs whose rank is no number: the exact oracle sees what they are, while there are few. */
static bool judge_odd(struct look *look, const double *ranks, struct error *error) {
    size_t odd = 0;
    for (size_t at = 0; at < look->count && odd < PROBE_STRANGE; at++) {
        double rank;
        if (ranks[at] <= DBL_MAX || !is_answered(look, at))
            continue;
        odd++;
        if (!take(look, at, &rank, error))
            return false;
    }
    return true;
}

/* Sets *good where the exact values of what ranks first bear the ranks out. */
static bool confirm_top(struct look *look, bool *good, struct error *error) {
    *good = true;
    for (size_t i = 0; i < look->top_count; i++) {
        double exact, ranked = look->top[i].error;
        if (!take(look, look->top[i].at, &exact, error))
            return false;
        *good = exact < 0 || fabs(exact - ranked) <= OFF_SLACK * (1 + ranked);
        if (!*good || exact >= 0)
            return true;
    }
    return true;
}

/* The larger rank; what is no number prevails. */
static void take_larger(double *ranks, const double *more, size_t count) {
    for (size_t i = 0; i < count; i++)
        ranks[i] = more[i] <= ranks[i] || !(ranks[i] <= DBL_MAX) ? ranks[i] : more[i];
}

/* The ranks of what is at the offsets. */
static bool try_offsets(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    load_offsets(look);
    if (!fill(look, error))
        return false;
    rank_line(look, 0, prober->ranks);
    for (int i = 1; i < look->computed->operation->results; i++) {
        rank_line(look, i, prober->more_ranks);
        take_larger(prober->ranks, prober->more_ranks, look->count);
    }
    for (size_t at = 0; prober->implementation_count && at < look->count; at++)
        if (!is_answered(look, at))
            prober->ranks[at] = -1;
    look->result->evaluations += look->count;
    return true;
}

static double sum_of_top(const struct look *look) {
    double sum = 0;
    for (size_t i = 0; i < look->top_count; i++)
        sum += look->top[i].error;
    return sum;
}

/* Makes the worst worse, generation by generation. */
static bool breed(struct look *look, struct error *error) {
    struct offset_set tried = {{0}};
    double best = sum_of_top(look);
    unsigned in_vain = 0;
    for (size_t i = 0; i < look->top_count; i++)
        set_add(&tried, look->top[i].offset, true);
    for (unsigned i = 0; i < MOST_GENERATIONS && in_vain < MOST_IN_VAIN; i++) {
        combine_offsets(look, &tried, i);
        size_t left = look->probe->most - look->result->evaluations;
        look->count = look->count < left ? look->count : left;
        if (!try_offsets(look, error))
            return false;
        offer_all(look, look->prober->ranks);
        double sum = sum_of_top(look);
        in_vain = sum > best ? 0 : in_vain + 1;
        best = sum;
    }
    return true;
}

/* Loads the worst again, with their outputs. */
static bool load_top(struct look *look, struct error *error) {
    look->count = look->top_count;
    for (size_t i = 0; i < look->count; i++) {
        look->prober->offsets[i] = look->top[i].offset;
        look->top[i].at = i;
    }
    load_offsets(look);
    return fill(look, error);
}

static bool look_along(struct look *look, bool *good, struct error *error) {
    spread_offsets(look);
    if (!try_offsets(look, error))
        return false;
    offer_all(look, look->prober->ranks);
    return judge_odd(look, look->prober->ranks, error) &&
           (!look->probe->breeds || breed(look, error)) && load_top(look, error) &&
           confirm_top(look, good, error);
}

bool prober_look(struct prober *prober, const struct probe *probe, struct probe_result *result,
                 struct error *error) {
    struct look look = {.prober = prober,
                        .probe = probe,
                        .result = result,
                        .computed = &prober->worker.request->computed};
    bool good = false;
    *result = (struct probe_result){0};
    place_line(&look);
    if (prober->request->purpose == SEARCH_DIFFERENCE)
        look.fits = look.line.half >= SHORTEST_HALF && format_is_wide(look.computed->format);
    else if (!fit_line(&look, error))
        return false;
    if (look.fits && !look_along(&look, &good, error))
        return false;
    return good || look_alone(&look, error);
}
