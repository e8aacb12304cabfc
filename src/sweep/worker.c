/* Filling and judging a slice. */
#include "sweep/worker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool make_pairs(struct worker *worker) {
    size_t count = worker->request->implementation_count, at = 0;
    worker->pairs = calloc(count * count, sizeof *worker->pairs);
    if (!worker->pairs)
        return false;
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            if (worker->provided[a] && worker->provided[b]) {
                worker->pairs[at].a = a;
                worker->pairs[at++].b = b;
            }
    worker->pair_count = at;
    return true;
}

static bool make_room(struct worker *worker) {
    const struct sweep_request *request = worker->request;
    size_t count = request->implementation_count;
    worker->bindings = calloc(count, sizeof *worker->bindings);
    worker->provided = calloc(count, sizeof *worker->provided);
    worker->tallies = calloc(count * MAX_RESULTS, sizeof *worker->tallies);
    bool room = worker->bindings && worker->provided && worker->tallies;
    for (size_t i = 0; room && i < count * MAX_RESULTS; i++)
        room = tally_open(&worker->tallies[i], request->computed.format);
    for (int i = 0; room && i < request->computed.operation->operands; i++) {
        worker->inputs[i] = malloc(SLICE * format_bytes(request->computed.format));
        room = worker->inputs[i] != NULL;
    }
    return room;
}

bool worker_open(struct worker *worker, const struct sweep_request *request, struct error *reasons,
                 struct error *error) {
    *worker = (struct worker){.request = request};
    worker->judge = (struct judge){.format = request->computed.format,
                                   .rounding = request->computed.rounding,
                                   .overflow = request->computed.overflow,
                                   .strict_nan = request->strict_nan};
    if (!make_room(worker))
        return error_set(error, "out of memory");
    struct error ignored;
    for (size_t i = 0; i < request->implementation_count; i++)
        worker->provided[i] =
            implementation_bind(&worker->bindings[i], &request->implementations[i],
                                &request->computed, reasons ? &reasons[i] : &ignored);
    return make_pairs(worker) || error_set(error, "out of memory");
}

void worker_close(struct worker *worker) {
    if (!worker->request)
        return;
    size_t count = worker->request->implementation_count;
    for (size_t i = 0; worker->bindings && worker->provided && i < count; i++)
        if (worker->provided[i])
            binding_close(&worker->bindings[i]);
    for (size_t i = 0; worker->tallies && i < count * MAX_RESULTS; i++)
        tally_close(&worker->tallies[i]);
    for (int i = 0; i < MAX_OPERANDS; i++)
        free(worker->inputs[i]);
    free(worker->bindings);
    free(worker->provided);
    free(worker->tallies);
    free(worker->pairs);
    *worker = (struct worker){0};
}

void worker_begin(struct worker *worker) {
    const struct binding_request *computed = &worker->request->computed;
    oracle_open(&worker->oracle, computed->operation, computed->format,
                oracle_precision(computed->format));
}

void worker_end(struct worker *worker) {
    oracle_close(&worker->oracle);
    oracle_thread_end();
}

/* Where an event is to be counted. */
struct event_place {
    struct worker *worker;
    size_t implementation;
    uint64_t first;
};

static void load_inputs(const struct worker *worker, size_t at, uint64_t *codes) {
    size_t bytes = format_bytes(worker->judge.format);
    for (int i = 0; i < worker->request->computed.operation->operands; i++)
        codes[i] = code_load(worker->inputs[i], bytes, at);
}

static void count_event(void *context, enum event_kind kind, size_t at) {
    const struct event_place *place = context;
    struct event_sighting event = {.kind = kind, .index = place->first + at};
    load_inputs(place->worker, at, event.input);
    for (int i = 0; i < place->worker->request->computed.operation->results; i++)
        tally_add_event(&place->worker->tallies[place->implementation * MAX_RESULTS + (size_t)i],
                        &event);
}

static bool fill_outputs(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                         struct error *error) {
    struct slice slice = {.count = count};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = worker->inputs[i];
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        if (!worker->provided[i])
            continue;
        memcpy(slice.results, &outputs[i * MAX_RESULTS], sizeof slice.results);
        struct event_place place = {worker, i, first};
        if (!binding_fill(&worker->bindings[i], &slice, count_event, &place, error))
            return false;
    }
    return true;
}

/* Judges the outputs of all implementations for one result of one input. */
static void judge_result(struct worker *worker, int result, size_t at, const struct real *y,
                         struct sighting *sighting, int exponent, void *const *outputs) {
    const struct judge *judge = &worker->judge;
    size_t bytes = format_bytes(judge->format);
    sighting->want = format_encode(judge->format, y, judge->rounding, judge->overflow);
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        if (!worker->provided[i])
            continue;
        void *output = outputs[i * MAX_RESULTS + (size_t)result];
        sighting->got = code_load(output, bytes, at);
        struct judgement judgement = judge_output(judge, y, sighting->want, sighting->got);
        sighting->error = judgement.error;
        tally_add(&worker->tallies[i * MAX_RESULTS + (size_t)result], &judgement, sighting,
                  exponent);
        if (format_is_nan(judge->format, sighting->got))
            code_store(output, bytes, at, judge->format->nan);
    }
    for (size_t i = 0; i < worker->pair_count; i++) {
        struct pair_outcome *pair = &worker->pairs[i];
        uint64_t a = code_load(outputs[pair->a * MAX_RESULTS + (size_t)result], bytes, at);
        uint64_t b = code_load(outputs[pair->b * MAX_RESULTS + (size_t)result], bytes, at);
        if (a != b)
            difference_add(&pair->results[result], sighting->index, sighting->input, a, b);
    }
}

/* The binade of an operand, for the profile; INT_MIN where it has none. */
static int exponent_of(const struct format *format, uint64_t code) {
    struct real value = format_decode(format, code);
    return value.kind == REAL_FINITE ? value.exponent : INT_MIN;
}

bool worker_run(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                struct error *error) {
    const struct operation *operation = worker->request->computed.operation;
    domain_fill(worker->request->domain, first, count, worker->inputs);
    if (!fill_outputs(worker, first, count, outputs, error))
        return false;
    struct sighting sighting = {0};
    for (size_t at = 0; at < count; at++) {
        load_inputs(worker, at, sighting.input);
        sighting.index = first + at;
        int exponent = exponent_of(worker->judge.format, sighting.input[0]);
        for (int result = 0; result < operation->results; result++) {
            struct real y;
            if (!oracle_exact(&worker->oracle, sighting.input, result, &y, error))
                return false;
            judge_result(worker, result, at, &y, &sighting, exponent, outputs);
        }
    }
    worker->exact += count * (uint64_t)operation->results;
    return true;
}
