/* Calls over threads: each is drawn, run by every implementation, and judged element by element. */
#include "sweep/array/sweep.h"

#include "oracle/exact.h"
#include "platform/threads.h"
#include "sweep/array/worker.h"

#include <float.h>
#include <limits.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* What the threads share. */
struct array_run {
    const struct sweep_request *request;
    const struct operation *operation;
    const struct cases *cases;
    const struct format *formats[MAX_RESULTS];
    size_t implementations;
    struct array_worker *workers;
    struct block_digest *digests; /* by call, implementation, result */
    uint64_t *first;              /* by shape and result: elements of the results before it */
    uint64_t total[MAX_RESULTS];  /* elements of all results */
    uint64_t done;
    bool failed;
    struct error *error;
};

/* One call under way. */
struct array_case {
    struct array_run *run;
    struct array_worker *worker;
    uint64_t number;
    struct array_call call;
    void *outputs[MAX_IMPLEMENTATIONS][MAX_RESULTS];
    uint8_t unanswered[MAX_IMPLEMENTATIONS];
};

/* An implementation's part in a case. */
struct array_part {
    struct array_case *of;
    size_t implementation;
};

static size_t slot(const struct array_run *run, uint64_t number, size_t implementation,
                   int result) {
    return ((size_t)number * run->implementations + implementation) * MAX_RESULTS + (size_t)result;
}

/* Which of the elements of all calls is the first of this one's result. */
static uint64_t first_element(const struct array_case *c, int result) {
    const struct cases *cases = c->run->cases;
    size_t shape = (size_t)(c->number / cases->draws);
    return c->run->first[shape * MAX_RESULTS + (size_t)result] +
           case_draw(cases, c->number) * shape_elements(&c->call.results[result].shape);
}

/* Whether there are outputs of the implementation. */
static bool has_answered(const struct array_case *c, size_t implementation) {
    return c->worker->provided[implementation] && !c->unanswered[implementation];
}

static bool is_stopped(const struct array_run *run) {
    return run->request->stop && *run->request->stop;
}

/* As other operations tell of it, for every result; there is no element that it belongs to. */
static void count_event(void *context, enum event_kind kind, size_t index) {
    const struct array_part *part = context;
    struct array_case *c = part->of;
    (void)index;
    for (int r = 0; r < c->run->operation->results; r++) {
        const struct event_sighting event = {
            .kind = kind, .index = first_element(c, r), .input = {c->number, 0}};
        tally_add_event(&c->worker->tallies[part->implementation * MAX_RESULTS + (size_t)r],
                        &event);
    }
}

/* Every implementation computes the call into outputs of its own. */
static bool fill(struct array_case *c, struct error *error) {
    const struct array_run *run = c->run;
    for (size_t i = 0; i < run->implementations; i++) {
        if (!c->worker->provided[i])
            continue;
        struct array_call call = c->call;
        for (int r = 0; r < run->operation->results; r++) {
            const struct array *result = &call.results[r];
            c->outputs[i][r] =
                calloc((size_t)shape_elements(&result->shape), format_bytes(result->format));
            if (!c->outputs[i][r])
                return error_set(error, "out of memory for an array");
            call.results[r].codes = c->outputs[i][r];
        }
        struct slice slice = {.count = 1, .unanswered = &c->unanswered[i], .array = &call};
        struct array_part part = {c, i};
        for (int r = 0; r < run->operation->results; r++) {
            slice.array_first[r] = first_element(c, r);
            slice.array_total[r] = run->total[r];
        }
        if (!binding_fill(&c->worker->bindings[i], &slice, count_event, &part, error))
            return false;
        for (int r = 0; r < run->operation->results && c->unanswered[i]; r++)
            c->worker->tallies[i * MAX_RESULTS + (size_t)r].unanswered +=
                shape_elements(&call.results[r].shape);
    }
    return true;
}

/* Errors are as exact as can be from the start. */
static double no_refinement(void *context, const struct sighting *sighting,
                            const struct error_knowledge *knowledge) {
    (void)context;
    (void)knowledge;
    return sighting->error;
}

static void judge_element(struct array_case *c, int result, uint64_t element,
                          const struct real *y) {
    const struct sweep_request *request = c->run->request;
    const struct format *format = c->run->formats[result];
    const struct judge judge = {format, request->computed.rounding, request->computed.overflow,
                                request->strict_nan};
    const struct error_knowledge knowledge = {.most = DBL_MAX, .refine = no_refinement};
    struct sighting sighting = {.index = first_element(c, result) + element,
                                .input = {c->number, element}};
    bool by_rule;
    sighting.want = array_want(&c->call, result, element, y, &by_rule);
    for (size_t i = 0; i < c->run->implementations; i++) {
        if (!has_answered(c, i))
            continue;
        sighting.got = code_load(c->outputs[i][result], format_bytes(format), (size_t)element);
        struct judgement judgement = judge_by_rule(&judge, y, sighting.want, by_rule, sighting.got);
        sighting.error = judgement.error;
        struct tally *tally = &c->worker->tallies[i * MAX_RESULTS + (size_t)result];
        tally_add(tally, &judgement, &sighting, INT_MIN, &knowledge);
        if (c->run->operation->array->counts_ends)
            tally_add_end(tally, format, y, sighting.got);
    }
    for (size_t p = 0; p < c->worker->pair_count; p++) {
        struct pair_outcome *pair = &c->worker->pairs[p];
        if (!has_answered(c, pair->a) || !has_answered(c, pair->b))
            continue;
        uint64_t codes[2] = {
            code_load(c->outputs[pair->a][result], format_bytes(format), (size_t)element),
            code_load(c->outputs[pair->b][result], format_bytes(format), (size_t)element)};
        for (int k = 0; k < 2; k++)
            if (format_is_nan(format, codes[k]))
                codes[k] = format->nan;
        if (codes[0] != codes[1])
            difference_add(&pair->results[result], sighting.index, sighting.input, INT_MIN,
                           codes[0], codes[1]);
    }
}

static bool judge_result(struct array_case *c, int result, struct error *error) {
    const struct format *format = c->run->formats[result];
    uint64_t elements = shape_elements(&c->call.results[result].shape);
    struct real *y = calloc((size_t)elements, sizeof *y);
    bool known = y ? c->run->operation->array->exact(&c->call, result, ORACLE_MOST_BITS, y, error)
                   : error_set(error, "out of memory for an array");
    for (uint64_t element = 0; known && element < elements; element++)
        judge_element(c, result, element, &y[element]);
    free(y);
    c->worker->counts[result].exact += known ? elements : 0;
    size_t bytes = format_bytes(format);
    for (size_t i = 0; known && i < c->run->implementations; i++) {
        if (!has_answered(c, i))
            continue;
        for (size_t at = 0; at < (size_t)elements; at++)
            if (format_is_nan(format, code_load(c->outputs[i][result], bytes, at)))
                code_store(c->outputs[i][result], bytes, at, format->nan);
        c->run->digests[slot(c->run, c->number, i, result)] =
            fingerprint_block(format, c->outputs[i][result], (size_t)elements);
    }
    return known;
}

static bool run_case(struct array_run *run, struct array_worker *worker, uint64_t number,
                     struct error *error) {
    const struct binding_request *computed = &run->request->computed;
    struct array_case c = {.run = run, .worker = worker, .number = number};
    c.call = (struct array_call){.parameters = &computed->parameters,
                                 .rounding = computed->rounding,
                                 .overflow = computed->overflow};
    bool good = case_open(&c.call, run->cases, number, run->operation, computed->format, error) &&
                fill(&c, error);
    for (int result = 0; good && !is_stopped(run) && result < run->operation->results; result++)
        good = judge_result(&c, result, error);
    array_call_free(&c.call);
    for (size_t i = 0; i < run->implementations; i++)
        for (int r = 0; r < MAX_RESULTS; r++)
            free(c.outputs[i][r]);
    return good;
}

static void run_cases(struct array_run *run) {
    uint64_t total = cases_count(run->cases);
#pragma omp parallel num_threads(run->request->threads)
    {
        struct array_worker *worker = &run->workers[omp_get_thread_num()];
        oracle_thread_begin();
        /* The largest shapes come last: first they go, so that no thread waits long in the end. */
#pragma omp for schedule(dynamic, 1)
        for (uint64_t back = 0; back < total; back++) {
            struct error error;
            bool stop;
            uint64_t done;
#pragma omp atomic read
            stop = run->failed;
            if (stop || is_stopped(run))
                continue;
            if (!run_case(run, worker, total - 1 - back, &error)) {
#pragma omp critical(array_failure)
                *run->error = error;
#pragma omp atomic write
                run->failed = true;
                continue;
            }
            if (is_stopped(run)) /* perhaps in the midst of it */
                continue;
#pragma omp atomic capture
            done = ++run->done;
            if (run->request->progress && omp_get_thread_num() == 0)
                run->request->progress(run->request->progress_context, done);
        }
        oracle_thread_end();
    }
}

/* Formats of the results, and where the elements of each shape begin. */
static bool plan_results(struct array_run *run, struct error *error) {
    uint64_t next[MAX_RESULTS] = {0};
    run->first = calloc(run->cases->shape_count * MAX_RESULTS, sizeof *run->first);
    if (!run->first)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < run->cases->shape_count; i++) {
        struct array_call call = {.parameters = &run->request->computed.parameters};
        if (!array_call_plan(&call, run->operation->array, run->request->computed.format,
                             &run->cases->shapes[i], error))
            return false;
        for (int r = 0; r < run->operation->results; r++) {
            run->formats[r] = call.results[r].format;
            run->first[i * MAX_RESULTS + (size_t)r] = next[r];
            next[r] += run->cases->draws * shape_elements(&call.results[r].shape);
        }
    }
    memcpy(run->total, next, sizeof run->total);
    return true;
}

static bool open_array_run(struct array_run *run, struct sweep_outcome *outcome,
                           struct error *error) {
    size_t count = run->implementations;
    outcome->implementation_count = count;
    outcome->implementations = calloc(count, sizeof *outcome->implementations);
    outcome->pairs = calloc(count * count, sizeof *outcome->pairs);
    run->workers = calloc((size_t)run->request->threads, sizeof *run->workers);
    run->digests =
        calloc((size_t)cases_count(run->cases) * count * MAX_RESULTS, sizeof *run->digests);
    struct error *reasons = calloc(count, sizeof *reasons);
    bool room =
        outcome->implementations && outcome->pairs && run->workers && run->digests && reasons;
    if (room && !plan_results(run, error)) {
        free(reasons);
        return false;
    }
    bool good = room || error_set(error, "out of memory");
    for (int i = 0; good && i < run->request->threads; i++)
        good = array_worker_open(&run->workers[i], run->request, run->formats,
                                 i == 0 ? reasons : NULL, run->error);
    for (size_t i = 0; good && i < count; i++) {
        struct implementation_outcome *one = &outcome->implementations[i];
        one->provided = run->workers[0].provided[i];
        one->reason = reasons[i];
        memcpy(one->detail, run->workers[0].bindings[i].detail, sizeof one->detail);
        for (int r = 0; good && r < run->operation->results; r++)
            good = tally_open(&one->tallies[r], run->formats[r], run->request->computed.rounding) ||
                   error_set(error, "out of memory");
    }
    memcpy(outcome->formats, run->formats, sizeof outcome->formats);
    free(reasons);
    return good;
}

static bool merge(struct array_run *run, struct sweep_outcome *outcome, struct error *error) {
    outcome->pair_count = run->workers[0].pair_count;
    for (size_t p = 0; p < outcome->pair_count; p++) {
        outcome->pairs[p].a = run->workers[0].pairs[p].a;
        outcome->pairs[p].b = run->workers[0].pairs[p].b;
    }
    for (int w = 0; w < run->request->threads; w++)
        for (int r = 0; r < run->operation->results; r++) {
            const struct array_worker *worker = &run->workers[w];
            for (size_t p = 0; p < outcome->pair_count; p++)
                difference_merge(&outcome->pairs[p].results[r], &worker->pairs[p].results[r]);
            for (size_t i = 0; i < run->implementations; i++)
                if (worker->provided[i])
                    tally_merge(&outcome->implementations[i].tallies[r],
                                &worker->tallies[i * MAX_RESULTS + (size_t)r]);
            outcome->oracle[r].exact += worker->counts[r].exact;
        }
    for (size_t i = 0; outcome->complete && i < run->implementations; i++)
        for (int r = 0; outcome->implementations[i].provided && r < run->operation->results; r++) {
            struct fingerprint fingerprint;
            if (outcome->implementations[i].tallies[r].unanswered)
                continue;
            if (!fingerprint_begin(&fingerprint))
                return error_set(error, "out of memory");
            for (uint64_t number = 0; number < cases_count(run->cases); number++)
                fingerprint_add(&fingerprint, &run->digests[slot(run, number, i, r)]);
            fingerprint_end(&fingerprint, outcome->implementations[i].fingerprints[r]);
        }
    return true;
}

bool array_sweep_run(const struct sweep_request *request, struct sweep_outcome *outcome,
                     struct error *error) {
    struct array_run run = {.request = request,
                            .operation = request->computed.operation,
                            .cases = &request->domain->cases,
                            .implementations = request->implementation_count,
                            .error = error};
    double start = omp_get_wtime();
    *outcome = (struct sweep_outcome){0};
    bool good = open_array_run(&run, outcome, error), any = false;
    for (size_t i = 0; good && i < run.implementations; i++)
        any = any || outcome->implementations[i].provided;
    if (any && !threads_can_start(request->threads, error))
        good = any = false;
    if (any) {
        run_cases(&run);
        outcome->covered = run.done;
        outcome->complete = run.done == cases_count(run.cases);
        good = !run.failed && merge(&run, outcome, error);
    }
    for (int i = 0; run.workers && i < request->threads; i++)
        array_worker_close(&run.workers[i], request);
    free(run.workers);
    free(run.digests);
    free(run.first);
    outcome->seconds = omp_get_wtime() - start;
    if (!good)
        sweep_outcome_free(outcome);
    return good;
}
