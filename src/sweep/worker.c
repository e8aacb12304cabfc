/* Filling and judging a slice, with MPFR for every input. */
#include "sweep/worker.h"
#include "sweep/open_inputs.h"

#include "impl/earlier.h"
#include "sweep/judge/again.h"
#include "sweep/judge/flags.h"
#include "sweep/judge/output.h"
#include "sweep/judge/pairs.h"
#include "sweep/judge/slice.h"
#include "sweep/nans.h"
#include "sweep/promise/inherit.h"

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

/* What there is to tell of a result of an implementation. */
static unsigned tells_of(const struct sweep_request *request, size_t output) {
    const struct operation *operation = request->computed.operation;
    struct integer_place place;
    unsigned tells = operation->array ? 0 : TELLS_SIGNALLING | TELLS_SIGNALLED;
    tells |= operation_integer_place(operation, &place) || open_inputs_of(&request->computed).any
                 ? TELLS_CALLS
                 : 0;
    tells |= (array_counts_ends(operation->array) ? TELLS_ENDS : 0) |
             (array_is_of_texts(operation->array) ? TELLS_LENGTHS : 0);
    tells |= request->domain->search ? TELLS_FLUSHED : 0;
    tells |= array_has_values(operation->array, (int)(output % MAX_RESULTS)) ? TELLS_VALUE : 0;
    if (!operation->array) {
        tells |= request->shows & SHOW_ERRORS ? TELLS_ERRORS : 0;
        tells |= request->shows & SHOW_MONOTONY ? TELLS_MONOTONY : 0;
        tells |= request_symmetry(request, output) != PARITY_NONE ? TELLS_SYMMETRY : 0;
    }
    return tells | (request->promises && request->promises[output] ? TELLS_PROMISE : 0);
}

bool sweep_tally_open(struct tally *tally, const struct sweep_request *request, size_t output,
                      const struct format *format) {
    const struct binding_request *computed = &request->computed;
    if (!tally_open(tally, computed->operation->array ? format : computed->format,
                    computed->rounding) ||
        (request->envelope && sweep_has_envelope(request) &&
         !envelope_open(&tally->envelope, request->domain)))
        return false;
    tally->tells |= tells_of(request, output) | (tally->envelope.steps ? TELLS_ENVELOPE : 0);
    return true;
}

static bool make_room(struct worker *worker, const struct format *const *result_formats) {
    const struct sweep_request *request = worker->request;
    size_t count = request->implementation_count;
    worker->bindings = calloc(count, sizeof *worker->bindings);
    worker->provided = calloc(count, sizeof *worker->provided);
    worker->tallies = calloc(count * MAX_RESULTS, sizeof *worker->tallies);
    bool room = worker->bindings && worker->provided && worker->tallies &&
                kappa_open_all(&worker->kappas, request->kappas * count,
                               format_of_operand(request->computed.format, 0));
    for (size_t i = 0; room && i < count * MAX_RESULTS; i++)
        if ((int)(i % MAX_RESULTS) < request->computed.operation->results)
            room =
                sweep_tally_open(&worker->tallies[i], request, i, result_formats[i % MAX_RESULTS]);
    return room;
}

/* Room for a slice of numbers. */
static bool make_slice_room(struct worker *worker) {
    const struct sweep_request *request = worker->request;
    size_t count = request->implementation_count;
    worker->unanswered = calloc(count, sizeof *worker->unanswered);
    worker->unanswered_count = calloc(count, sizeof *worker->unanswered_count);
    worker->asked = malloc(worker->slice);
    struct integer_place place;
    bool takes_integer = operation_integer_place(request->computed.operation, &place) ||
                         open_inputs_of(&request->computed).any;
    worker->not_called = takes_integer ? malloc(worker->slice) : NULL;
    bool room = worker->asked && worker->unanswered && worker->unanswered_count &&
                (worker->not_called || !takes_integer) &&
                earlier_open(&worker->earlier, &request->computed, worker->slice);
    for (size_t i = 0; room && i < count; i++)
        room = (worker->unanswered[i] = malloc(worker->slice)) != NULL;
    for (int i = 0; room && i < request->computed.operation->operands; i++) {
        worker->inputs[i] = malloc(worker->slice * format_bytes(request->computed.format));
        room = worker->inputs[i] != NULL;
    }
    return room;
}

static bool bind_all(struct worker *worker, struct error *reasons, struct error *error) {
    const struct sweep_request *request = worker->request;
    for (size_t i = 0; i < request->implementation_count; i++) {
        struct error why;
        worker->provided[i] = implementation_bind(
            &worker->bindings[i], &request->implementations[i], &request->computed, &why);
        if (!worker->provided[i] && worker->bindings[i].broken) {
            *error = why;
            return false;
        }
        if (!worker->provided[i] && reasons)
            reasons[i] = why;
    }
    return true;
}

/* What judges numbers. */
static bool open_judge(struct worker *worker, struct error *error) {
    const struct sweep_request *request = worker->request;
    worker->judge = (struct judge){
        .format = request_result_format(&request->computed),
        .rounding = request->computed.rounding,
        .overflow = parameters_overflow(&request->computed.parameters, request->computed.overflow),
        .strict_nan = request->strict_nan};
    if (request->computed.operation->converts) {
        if (!conversion_make(&worker->cast, request->computed.format, request->computed.rounding,
                             &request->computed.parameters, error))
            return false;
        worker->judge.strict_nan = request->strict_nan || worker->cast.profile->strict_nan;
    }
    return (make_slice_room(worker) && worker_open_flags(worker) && worker_open_pairs(worker)) ||
           error_set(error, "out of memory");
}

bool worker_open(struct worker *worker, const struct sweep_request *request,
                 const struct format *const *result_formats, size_t slice, struct error *reasons,
                 struct error *error) {
    *worker = (struct worker){.request = request, .slice = slice};
    const bool arrays = request->computed.operation->array != NULL;
    if (!arrays && !open_judge(worker, error))
        return false;
    if (!make_room(worker, result_formats) || (arrays && !worker_open_flags(worker)))
        return error_set(error, "out of memory");
    return bind_all(worker, reasons, error) &&
           (make_pairs(worker) || error_set(error, "out of memory"));
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
    for (size_t i = 0; worker->unanswered && i < count; i++)
        free(worker->unanswered[i]);
    kappa_close_all(worker->kappas, worker->request->kappas ? count : 0);
    worker_close_flags(worker);
    worker_close_pairs(worker);
    free(worker->unanswered);
    free(worker->unanswered_count);
    earlier_close(&worker->earlier);
    free(worker->asked);
    free(worker->not_called);
    free(worker->bindings);
    free(worker->provided);
    free(worker->tallies);
    free(worker->pairs);
    *worker = (struct worker){0};
}

void worker_begin(struct worker *worker) {
    const struct sweep_request *request = worker->request;
    const struct binding_request *computed = &request->computed;
    if (computed->operation->array) {
        oracle_thread_begin();
        return;
    }
    oracle_open(&worker->oracle, computed->operation, computed->format, &computed->parameters,
                oracle_precision(worker->judge.format));
    oracle_open(&worker->refined, computed->operation, computed->format, &computed->parameters,
                ORACLE_MOST_BITS);
    worker->oracle.rounding = worker->refined.rounding = computed->rounding;
    worker->oracle.by_mpfr = worker->refined.by_mpfr = request->by_mpfr;
    const struct domain *domain = request->domain;
    bool consecutive = domain->kind == DOMAIN_ALL || domain->kind == DOMAIN_RANGE ||
                       (domain->kind == DOMAIN_SAMPLES && domain->run_length > 1);
    bool known = worker->judge.format == computed->format &&
                 decision_rules_for(computed->format, computed->rounding, computed->overflow,
                                    histogram_edges, HISTOGRAM_EDGES, &worker->rules);
    bool sizes = (request->shows & SHOW_ERRORS) || request->kappas; /* by exact results of all */
    worker->by_runs = worker_can_judge_runs(worker) && !request->promises && !sizes;
    /* A bracket never encloses a binary fraction (op/operation.h), but for special operands, 0
     * among them, which shares no FIT block where the row has asymptotes. Then an error within the
     * margin of 0 is still above it: mish, near 0 next to 3x/5, would else leave every fifth input
     * to MPFR. */
    const struct result_rule *rule = &computed->operation->result[0];
    worker->rules.never_exact =
        rule->bracket && rule->asymptotes && computed->operation->operands == 1 &&
        (computed->rounding == ROUND_NEAREST_EVEN || computed->rounding == ROUND_NEAREST_AWAY);
    for (int i = 0;
         !request->exact_only && !sizes && known && consecutive && i < computed->operation->results;
         i++)
        worker->filters[i] =
            filter_open(computed->operation, computed->format, i, computed->rounding);
}

void worker_end(struct worker *worker) {
    for (int i = 0; i < MAX_RESULTS; i++)
        filter_close(worker->filters[i]);
    if (!worker->request->computed.operation->array) {
        oracle_close(&worker->oracle);
        oracle_close(&worker->refined);
    }
    inheritor_close(worker->inheritor);
    worker->inheritor = NULL;
    oracle_thread_end();
}

/* Where an event is to be counted. */
struct event_place {
    struct worker *worker;
    size_t implementation;
    uint64_t first;
};

static void count_event(void *context, enum event_kind kind, size_t at) {
    const struct event_place *place = context;
    struct event_witness event = {.kind = kind, .index = place->first + at};
    worker_load_inputs(place->worker, at, event.input);
    for (int i = 0; i < place->worker->request->computed.operation->results; i++)
        tally_add_event(worker_tally(place->worker, place->implementation, i), &event);
}

/* Which inputs of the slice are no call of C, or have no right result. */
static void note_not_called(struct worker *worker, size_t count) {
    const struct binding_request *computed = &worker->request->computed;
    if (worker->not_called && computed->operation->converts) {
        worker_note_open(worker, count);
        return;
    }
    for (size_t at = 0; worker->not_called && at < count; at++) {
        uint64_t codes[MAX_OPERANDS];
        worker_load_inputs(worker, at, codes);
        worker->not_called[at] =
            !operation_is_call_of(computed->operation, computed->format, codes);
    }
}

/* Notes what the implementation left open, and what nobody called, and puts the same code there in
 * every run. */
static void note_unanswered(struct worker *worker, size_t implementation,
                            const struct slice *slice) {
    const struct format *format = worker->judge.format;
    size_t *count = &worker->unanswered_count[implementation];
    *count = 0;
    for (size_t i = 0; worker->not_called && i < slice->count; i++)
        slice->unanswered[i] |= worker->not_called[i];
    if (!memchr(slice->unanswered, 1, slice->count))
        return;
    for (size_t i = 0; i < slice->count; i++) {
        if (!slice->unanswered[i])
            continue;
        ++*count;
        for (int j = 0; j < worker->request->computed.operation->results; j++)
            code_store(slice->results[j], format_bytes(format), i, format->nan);
    }
}

static bool fill_outputs(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                         struct error *error) {
    struct slice slice = {.count = count, .first = first, .total = worker->request->domain->count};
    for (int i = 0; i < MAX_OPERANDS; i++)
        slice.operands[i] = worker->inputs[i];
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        if (!worker->provided[i])
            continue;
        memcpy(slice.results, &outputs[i * MAX_RESULTS], sizeof slice.results);
        slice.unanswered = worker->unanswered[i];
        memset(slice.unanswered, 0, count);
        slice.earlier = &worker->earlier;
        worker_ask_for_flags(worker, i, &slice);
        struct event_place place = {worker, i, first};
        if (!binding_fill(&worker->bindings[i], &slice, count_event, &place, error) ||
            !worker_choose_worse(worker, &slice, error))
            return false;
        note_unanswered(worker, i, &slice);
    }
    return true;
}

/* One result of a slice, all by MPFR: once for all implementations. */
static bool judge_slice(struct worker *worker, int result, uint64_t first, size_t *count,
                        void *const *outputs, struct error *error) {
    const struct judge *judge = &worker->judge;
    size_t bytes = format_bytes(judge->format);
    struct witness witness = {0};
    for (size_t at = 0; at < *count; at++) {
        struct real y;
        if (worker_should_stop(worker, result)) {
            *count = at;
            break;
        }
        worker_load_inputs(worker, at, witness.input);
        witness.index = first + at;
        if (!worker_find_exact(worker, result, at, witness.input, &y, error))
            return false;
        witness.want = worker_want(worker, &y, witness.input, witness.index);
        for (size_t i = 0; i < worker->request->implementation_count; i++) {
            if (!worker->provided[i] || worker_is_unanswered(worker, i, at))
                continue;
            witness.got = code_load(outputs[i * MAX_RESULTS + (size_t)result], bytes, at);
            worker_judge_by(worker, i, result, &y, &witness);
        }
    }
    worker->counts[result].exact += *count;
    return true;
}

static void compare_pair(struct worker *worker, struct pair_outcome *pair, int result,
                         uint64_t first, size_t count, void *const *outputs) {
    size_t bytes = format_bytes(worker->judge.format);
    const void *a = outputs[pair->a * MAX_RESULTS + (size_t)result];
    const void *b = outputs[pair->b * MAX_RESULTS + (size_t)result];
    if (memcmp(a, b, count * bytes) == 0)
        return;
    for (size_t at = 0; at < count; at++) {
        uint64_t x = code_load(a, bytes, at), y = code_load(b, bytes, at);
        uint64_t input[MAX_OPERANDS] = {0};
        if (x == y || worker_is_unanswered(worker, pair->a, at) ||
            worker_is_unanswered(worker, pair->b, at))
            continue;
        worker_load_inputs(worker, at, input);
        difference_add(&pair->results[result], first + at, input, worker_exponent(worker, input[0]),
                       x, y);
    }
}

static void count_unanswered(struct worker *worker, size_t implementation, size_t count) {
    uint64_t unanswered = 0, not_called = 0;
    for (size_t at = 0; worker->unanswered_count[implementation] && at < count; at++) {
        bool called = !worker->not_called || !worker->not_called[at];
        unanswered += called && worker->unanswered[implementation][at];
        not_called += !called;
    }
    for (int j = 0; j < worker->request->computed.operation->results; j++) {
        worker_tally(worker, implementation, j)->unanswered += unanswered;
        worker_tally(worker, implementation, j)->not_called += not_called;
    }
}

bool worker_run(struct worker *worker, uint64_t first, size_t *count, void *const *outputs,
                struct error *error) {
    const struct operation *operation = worker->request->computed.operation;
    worker->first = first;
    worker->outputs = outputs;
    domain_fill(worker->request->domain, first, *count, worker->inputs);
    worker_forget_exact(worker, *count);
    note_not_called(worker, *count);
    if (!fill_outputs(worker, first, *count, outputs, error))
        return false;
    /* An implementation may have been left waiting. */
    if (worker_should_stop(worker, 0))
        *count = 0;
    for (int result = 0; result < operation->results; result++) {
        bool judged = true;
        if (worker->by_runs)
            worker_judge_runs(worker, first, count, outputs);
        else if (worker->filters[result])
            judged = worker_judge_fast(worker, result, first, count, outputs, error);
        else
            judged = judge_slice(worker, result, first, count, outputs, error);
        if (!judged)
            return false;
        for (size_t i = 0; i < worker->request->implementation_count; i++)
            if (worker->provided[i])
                worker_tally(worker, i, result)->signalling_nans += make_nans_canonical(
                    worker->judge.format, outputs[i * MAX_RESULTS + (size_t)result], *count);
        for (size_t i = 0; i < worker->pair_count; i++)
            compare_pair(worker, &worker->pairs[i], result, first, *count, outputs);
    }
    if (!worker_judge_flags(worker, first, *count, outputs, error) ||
        !worker_measure_pairs(worker, *count, error))
        return false;
    for (size_t i = 0; i < worker->request->implementation_count; i++)
        if (worker->provided[i])
            count_unanswered(worker, i, *count);
    if (worker->refinement_failed)
        *error = worker->refinement_error;
    return !worker->refinement_failed;
}
