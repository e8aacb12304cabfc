/* Rounds of probes over threads, and what they found. */
#include "sweep/search/search.h"

#include "base/clock.h"
#include "sweep/builds.h"
#include "sweep/built/built.h"
#include "sweep/search/checkpoint.h"
#include "sweep/search/finds.h"
#include "sweep/search/strategy.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Inputs are built for few operations: the error names them. */
static bool is_built_for(const struct operation *operation, const struct format *format,
                         struct error *error) {
    char names[BUILT_NAMES];
    return built_is_for(operation, format) ||
           error_set(error, "--for wrong-rounding builds inputs for %s, not for %s in %s",
                     built_names(names), operation->name, format->name);
}

bool search_is_for(enum search_purpose purpose, const struct operation *operation,
                   const struct format *format, struct error *error) {
    if (operation->array)
        return error_set(error,
                         "search does not take operations on arrays, such as %s; use "
                         "'detcheck sweep'",
                         operation->name);
    if (purpose == SEARCH_WRONG_ROUNDING)
        return is_built_for(operation, format, error);
    if (format_input_bits(format, operation->operands) <= 32)
        return error_set(
            error, "%s in %s has 2^%u inputs; 'detcheck sweep %s -f %s --all' tries each of them",
            operation->name, format->name, format_input_bits(format, operation->operands),
            operation->name, format->name);
    return true;
}

/* One part under way. Fields below the line are shared by the threads. */
struct search_run {
    const struct search_request *request;
    const struct sweep_request *sweep;
    struct search_part *part;
    uint64_t evaluations; /* to make; 0: until `end` */
    double end;           /* of clock_seconds() */
    struct strategy *strategy;
    struct finds *finds;
    struct prober *probers;
    uint64_t before; /* evaluations of earlier parts */
    double start;    /* as if it had run without a break */
    struct search_place place;

    struct probe probes[STRATEGY_MOST_PROBES];
    struct probe_result results[STRATEGY_MOST_PROBES];
    size_t count; /* 0: it is over */
    bool stopped, failed;
    struct error *error;
};

static bool is_stopped(const struct search_run *run) {
    return run->sweep->stop && *run->sweep->stop;
}

static void fail(struct search_run *run, const struct error *error) {
#pragma omp critical(search_failure)
    {
        if (!run->failed)
            *run->error = *error;
#pragma omp atomic write
        run->failed = true;
    }
}

/* The probes of a round share what is left of the evaluations: each has as much as it could want,
 * or the same part. */
static void share_out(struct search_run *run, uint64_t left) {
    if (run->count > left)
        run->count = (size_t)left;
    uint64_t each = left / run->count;
    for (size_t i = 0; i < run->count; i++)
        run->probes[i].most = each < PROBE_MOST_EVALUATIONS ? (size_t)each : PROBE_MOST_EVALUATIONS;
}

/* What is done so far, for the checkpoint. A round that was stopped is none of it: it is made again. */
static void keep(struct search_run *run, struct strategy *strategy) {
    run->place.seconds = clock_seconds() - run->start;
    search_keep(&run->place, strategy);
}

static void plan_round(struct search_run *run) {
    bool over =
        run->evaluations ? run->part->evaluations >= run->evaluations : clock_seconds() >= run->end;
    run->stopped = run->stopped || is_stopped(run);
    if (!run->failed && !run->stopped)
        keep(run, run->strategy);
    if (run->failed || run->stopped || over) {
        run->count = 0;
        return;
    }
    run->count = strategy_plan(run->strategy, run->probes);
    share_out(run, run->evaluations ? run->evaluations - run->part->evaluations : UINT64_MAX);
}

static void take_round(struct search_run *run) {
    for (size_t i = 0; i < run->count; i++) {
        run->part->evaluations += run->results[i].evaluations;
        finds_add(run->finds, &run->results[i]);
    }
    finds_grow(run->finds, run->part);
    strategy_learn(run->strategy, run->results, run->count);
}

static void look(struct search_run *run, size_t at) {
    struct error error;
    bool failed;
#pragma omp atomic read
    failed = run->failed;
    run->results[at] = (struct probe_result){0};
    if (failed || is_stopped(run) || (!run->evaluations && clock_seconds() >= run->end))
        return;
    if (!prober_look(&run->probers[omp_get_thread_num()], &run->probes[at], &run->results[at],
                     &error))
        fail(run, &error);
    if (omp_get_thread_num() == 0 && run->sweep->progress)
        run->sweep->progress(run->sweep->progress_context, run->before + run->part->evaluations);
}

static void run_thread(struct search_run *run) {
    struct prober *prober = &run->probers[omp_get_thread_num()];
    prober->implementations = run->part->implementations;
    prober->implementation_count = run->part->implementation_count;
    for (;;) {
#pragma omp barrier
#pragma omp single
        plan_round(run);
        if (!run->count)
            return;
#pragma omp for schedule(dynamic, 1)
        for (size_t i = 0; i < run->count; i++)
            look(run, i);
#pragma omp single
        take_round(run);
    }
}

/* Until when calls may take. */
static void limit_calls(const struct search_run *run, double until) {
    if (run->request->until)
        *run->request->until = until;
}

/* `serialiser` has the state of its strategy; or NULL. */
static bool run_part(struct search_run *run, struct serialiser *serialiser, struct error *error) {
    run->strategy = strategy_open(run->request, error);
    if (!run->strategy)
        return false;
    if (serialiser)
        strategy_pass(run->strategy, serialiser);
    if (serialiser && serialise_is_torn(serialiser)) {
        strategy_close(run->strategy);
        return false;
    }
    limit_calls(run, run->evaluations ? 0 : run->end);
#pragma omp parallel num_threads(run->sweep->threads)
    run_thread(run);
    limit_calls(run, 0);
    strategy_close(run->strategy);
    return !run->failed;
}

static void add_part(const struct search_request *request, size_t count, size_t first,
                     struct search_record *record) {
    struct search_part *part = &record->parts[record->part_count++];
    *part = (struct search_part){.tells = 1u << request->purpose, .implementation_count = count};
    for (size_t i = 0; i < count; i++) {
        part->implementations[i] = first + i;
        part->names[i] = request->sweep->implementations[first + i].name;
    }
}

/* One part for each implementation; one for a pair; one for none. */
static void make_parts(const struct search_request *request, const bool *provided,
                       struct search_record *record) {
    *record = (struct search_record){.purpose = request->purpose};
    size_t count = request->sweep->implementation_count;
    for (size_t i = 0; search_is_of_errors(request->purpose) && i < count; i++)
        if (provided[i])
            add_part(request, 1, i, record);
    if (request->purpose == SEARCH_BOUNDARY)
        add_part(request, 0, 0, record);
    if (request->purpose == SEARCH_DIFFERENCE && provided[0] && provided[1])
        add_part(request, 2, 0, record);
}

static bool open_probers(struct search_run *run, struct error *error) {
    bool opened = true;
#pragma omp parallel num_threads(run->sweep->threads)
    {
        struct error mine;
        struct prober *prober = &run->probers[omp_get_thread_num()];
        if (!prober_open(prober, run->request, run->sweep, NULL, &mine)) {
#pragma omp critical(search_failure)
            {
                opened = false;
                *error = mine;
            }
        }
    }
    return opened;
}

static void close_probers(struct search_run *run) {
#pragma omp parallel num_threads(run->sweep->threads)
    prober_close(&run->probers[omp_get_thread_num()]);
}

/* All parts, from the one that the checkpoint was written in: `serialiser` is to be closed. */
static bool run_from(struct search_run *run, struct serialiser *serialiser, struct error *error) {
    const struct search_request *request = run->request;
    struct search_record *record = run->place.record;
    bool found;
    uint64_t all = request->evaluations, parts = record->part_count;
    if (all && all < parts)
        return error_set(error, "--evaluations should be %llu or more: one for each search",
                         (unsigned long long)parts);
    if (!search_read(&run->place, &run->probers[0].worker, serialiser, &found, error))
        return false;
    run->start = clock_seconds() - run->place.seconds;
    for (uint64_t i = run->place.part; i < parts && !run->stopped; i++) {
        bool goes_on = found && i == run->place.part;
        run->place.part = i;
        run->part = &record->parts[i];
        run->evaluations = all / parts + (i < all % parts);
        run->end = run->start + request->seconds * (double)(i + 1) / (double)parts;
        run->before = record->evaluations;
        if (!run_part(run, goes_on ? serialiser : NULL, error))
            return false;
        found = false;
        if (!finds_end(run->finds, run->part))
            return error_set(error, "out of memory for the search");
        record->evaluations += run->part->evaluations;
    }
    record->seconds = clock_seconds() - run->start;
    if (!run->stopped) {
        run->place.part = parts;
        keep(run, NULL);
    }
    search_leave(&run->place);
    return true;
}

static bool run_parts(struct search_run *run, struct error *error) {
    struct serialiser serialiser = {0};
    bool good = run_from(run, &serialiser, error);
    serialise_close(&serialiser);
    return good;
}

bool search_run(const struct search_request *request, struct search_record *record,
                struct domain *domain, bool *complete, struct error *error) {
    struct domain any = {.kind = DOMAIN_SEARCH,
                         .format = request->sweep->computed.format,
                         .operands = request->sweep->computed.operation->operands,
                         .count = 1};
    struct sweep_request sweep = *request->sweep;
    sweep.domain = &any;
    struct search_run *run = calloc(1, sizeof *run);
    struct prober *probers = calloc((size_t)sweep.threads, sizeof *probers);
    struct finds finds;
    bool good = run && probers && finds_open(&finds, request);
    if (!good)
        error_set(error, "out of memory for the search");
    if (good) {
        run->request = request;
        run->sweep = &sweep;
        run->probers = probers;
        run->finds = &finds;
        run->error = error;
        run->place = (struct search_place){
            .request = request, .sweep = &sweep, .record = record, .finds = &finds};
        good = open_probers(run, error);
        if (good)
            make_parts(request, probers[0].worker.provided, record);
        const struct worker *worker = &probers[0].worker;
        struct builds builds = {0};
        good = good &&
               builds_note(&builds, worker->bindings, worker->provided, sweep.implementation_count,
                           error) &&
               run_parts(run, error) &&
               builds_keep(&builds, worker->bindings, worker->provided, error);
        builds_free(&builds);
        close_probers(run);
        *complete = !run->stopped;
        good = good && finds_to_domain(&finds, record, domain, error);
        domain->search = record;
        finds_close(&finds);
    }
    free(probers);
    free(run);
    return good;
}
