/* Inputs along a line through a box, ranked by a polynomial; or a few, judged one by one. */
#include "sweep/search/probe.h"

#include "sweep/generator.h"
#include "sweep/search/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Streams of the generator. */
enum { DRAW_SIDES, DRAW_RUNNING = MAX_OPERANDS, DRAW_START, DRAW_STEP, DRAW_END = 24, DRAW_FAR };

/* Lines shorter than that many codes are not worth their polynomial. An input that is judged alone
 * costs some fifty times as much. */
enum {
    RANK_BITS = 16,
    BOUNDARY_BITS = 60,
    SHORTEST_HALF = 64,
    ALONE_COSTS = 32,
    FEWEST_ALONE = 16
};

/* True where there is none, as for most operations. */
static bool open_builder(struct prober *prober) {
    const struct search_request *request = prober->request;
    const struct binding_request *computed = &request->sweep->computed;
    const struct built_request built = {computed->operation, computed->format,
                                        request_result_format(computed), computed->rounding,
                                        request->seed};
    if (!built_is_for(computed->operation, computed->format))
        return true;
    prober->builder = builder_open(&built);
    return prober->builder != NULL;
}

bool prober_open(struct prober *prober, const struct search_request *request,
                 const struct sweep_request *sweep, struct error *reasons, struct error *error) {
    const struct format *formats_of_results[MAX_RESULTS];
    const struct format *format = request_result_format(&sweep->computed);
    *prober = (struct prober){.request = request};
    if (!operation_integer_place(sweep->computed.operation, &prober->integer))
        prober->integer.operand = -1;
    prober->open = open_inputs_of(&sweep->computed);
    for (int i = 0; i < MAX_RESULTS; i++)
        formats_of_results[i] = format;
    if (!worker_open(&prober->worker, sweep, formats_of_results, PROBE_MOST_INPUTS, reasons,
                     error)) {
        worker_close(&prober->worker); /* nothing else is open */
        return false;
    }
    bool room = open_builder(prober);
    double **arrays[] = {&prober->offsets, &prober->values, &prober->ranks, &prober->more_ranks};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        room = (*arrays[i] = malloc(PROBE_MOST_INPUTS * sizeof(double))) && room;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < sweep->computed.operation->results; j++)
            room =
                (prober->outputs[i][j] = malloc(PROBE_MOST_INPUTS * format_bytes(format))) && room;
    line_maker_open(&prober->maker);
    prober->wider = libm_wider_of(sweep->computed.operation, format);
    worker_begin(&prober->worker);
    return room || error_set(error, "out of memory");
}

void prober_close(struct prober *prober) {
    if (!prober->worker.request)
        return;
    worker_end(&prober->worker);
    line_maker_close(&prober->maker);
    builder_close(prober->builder);
    free(prober->offsets);
    free(prober->values);
    free(prober->ranks);
    free(prober->more_ranks);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            free(prober->outputs[i][j]);
    worker_close(&prober->worker);
}

/* Inputs drawn from all of the box, judged one by one. */
static bool look_alone(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    const struct probe *probe = look->probe;
    size_t bytes = format_bytes(look->computed->format);
    uint64_t seed = prober->request->seed, all = 1;
    look->top_count = 0; /* what a line found that does not fit is no score */
    look->count = probe->inputs / ALONE_COSTS;
    look->count = look->count < FEWEST_ALONE ? FEWEST_ALONE : look->count;
    look->count = look_allowed(look, look->count);
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
            code_store(prober->worker.inputs[i], bytes, at,
                       look_call(look, i, side->first + offset));
        }
    }
    if (!look_fill(look, error))
        return false;
    for (size_t at = 0; at < look->count; at++) {
        prober->offsets[at] = (double)at;
        prober->ranks[at] = -1;
        if (look_is_answered(look, at) && !look_take(look, at, &prober->ranks[at], error))
            return false;
        prober->ranks[at] = prober->ranks[at] < 0 ? (double)NAN : prober->ranks[at];
    }
    look_offer(look, prober->ranks);
    look->result->evaluations += look->count;
    return true;
}

/* Halves the side of the running operand until it is clear where the exponent of the result changes;
 * the line then lies on one side of that, at any distance. */
static bool move_to_end(struct look *look, struct error *error) {
    struct line *line = &look->line;
    struct prober *prober = look->prober;
    const struct probe *probe = look->probe;
    const struct code_interval *side = &probe->box.sides[line->running];
    uint64_t low = side->first, high = side->first + side->count - 1, codes[MAX_OPERANDS];
    struct real ends[2], y;
    memcpy(codes, line->codes, sizeof codes);
    for (int i = 0; i < 2; i++) {
        codes[line->running] = i ? high : low;
        if (!oracle_exact(&prober->worker.refined, codes, 0, &ends[i], error))
            return false;
        if (ends[i].kind != REAL_FINITE)
            return true;
    }
    if (ends[0].exponent == ends[1].exponent)
        return true;
    while (high - low > 1) {
        codes[line->running] = low + (high - low) / 2;
        if (!oracle_exact(&prober->worker.refined, codes, 0, &y, error))
            return false;
        bool is_low = y.kind == REAL_FINITE && y.exponent == ends[0].exponent;
        *(is_low ? &low : &high) = codes[line->running];
    }
    uint64_t seed = prober->request->seed, bits = generator_bits(seed, probe->number, DRAW_END);
    uint64_t room = bits & 1 ? low - side->first : side->first + side->count - 1 - high;
    uint64_t far = (UINT64_MAX >> 1) >> (bits >> 1) % 63;
    line->half = line->half < room / 2 ? line->half : room / 2;
    far = far < room - 2 * line->half ? far : room - 2 * line->half;
    far = line->half + generator_below(seed, probe->number, DRAW_FAR, far + 1);
    line->codes[line->running] = bits & 1 ? low - far : high + far;
    return true;
}

/* The centre and the running operand. */
static void place_line(struct look *look) {
    const struct probe *probe = look->probe;
    uint64_t seed = look->prober->request->seed;
    int operands = look->computed->operation->operands;
    struct line *line = &look->line;
    line->spare_bits = look_is_boundary(look) ? BOUNDARY_BITS : RANK_BITS;
    line->running = (int)generator_below(seed, probe->number, DRAW_RUNNING, (uint64_t)operands);
    const int integer = look->prober->integer.operand;
    for (int i = 0; i < operands; i++)
        if (line->running == integer ||
            probe->box.sides[line->running].count < 2 * SHORTEST_HALF + 1)
            line->running = (line->running + 1) % operands;
    if (line->running == integer) /* integers are no line of codes */
        line->running = (integer + 1) % operands;
    for (int i = 0; i < operands; i++) {
        const struct code_interval *side = &probe->box.sides[i];
        uint64_t margin = 0;
        if (i == line->running) {
            line->half = (side->count - 1) / 2 < probe->half ? (side->count - 1) / 2 : probe->half;
            margin = line->half;
        }
        uint64_t code = side->first + margin +
                        generator_below(seed, probe->number, DRAW_SIDES + (unsigned)i,
                                        side->count - 2 * margin);
        line->codes[i] = look_call(look, i, code);
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
        bool turns = kind == LINE_FITS && look_is_boundary(look) && changes_binade(look);
        look->fits = kind == LINE_FITS && !turns;
        if (kind != LINE_BENDS && !turns)
            return true;
        line->half >>= 3;
    }
    return true;
}

/* Offsets along the line, spread by a step that has nothing to do with the function's. */
static void spread_offsets(struct look *look) {
    struct prober *prober = look->prober;
    const struct line *line = &look->line;
    uint64_t length = 2 * line->half + 1, seed = prober->request->seed;
    uint64_t place = generator_bits(seed, look->probe->number, DRAW_START);
    uint64_t step = generator_bits(seed, look->probe->number, DRAW_STEP) | 1;
    look->count = look->probe->inputs < length ? look->probe->inputs : (size_t)length;
    look->count = look_allowed(look, look->count);
    bool whole = look->count == length;
    for (size_t at = 0; at < look->count; at++) {
        uint64_t along = whole ? at : multiply_high(place, length);
        place += step;
        prober->offsets[at] = (double)((int64_t)along - (int64_t)line->half);
    }
}

static bool look_along(struct look *look, bool *good, struct error *error) {
    if (look_is_boundary(look))
        return look_for_boundaries(look, error) && look_confirm(look, good, error);
    if (look->probe->beyond.bound > 0) {
        *good = true;
        return look_beyond(look, error) && (!look->top_count || look_confirm(look, good, error));
    }
    spread_offsets(look);
    return look_try(look, error) && (!look->probe->breeds || look_breed(look, error)) &&
           look_confirm(look, good, error);
}

static bool look_into(struct look *look, struct error *error) {
    struct prober *prober = look->prober;
    const struct probe *probe = look->probe;
    bool good = false;
    if (probe->scattered)
        return look_scattered(look, error);
    if (probe->listed)
        return look_listed(look, error);
    if (probe->is_built)
        return look_built(look, error);
    place_line(look);
    if (probe->seeks_end && !move_to_end(look, error))
        return false;
    if (prober->request->purpose == SEARCH_DIFFERENCE)
        look->fits = look->line.half >= SHORTEST_HALF && format_is_wide(look->computed->format);
    else if (!fit_line(look, error))
        return false;
    if (look->fits && !look_along(look, &good, error))
        return false;
    return good || look_alone(look, error);
}

bool prober_look(struct prober *prober, const struct probe *probe, struct probe_result *result,
                 struct error *error) {
    struct look look = {.prober = prober,
                        .probe = probe,
                        .result = result,
                        .computed = &prober->worker.request->computed};
    *result = (struct probe_result){0};
    bool good = look_into(&look, error);
    if (look.is_cut) { /* a call that had no time to return may not hang */
        result->evaluations = 0;
        result->top = 0;
        result->has_best = false;
        result->strange = 0;
        result->faulty_count = 0;
    }
    return good;
}
