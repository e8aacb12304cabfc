/* Batches of slices over threads, merged into one outcome. */
#include "sweep/sweep.h"

#include "sweep/array/judge.h"
#include "sweep/checkpoint/state.h"
#include "sweep/early.h"
#include "sweep/judge/confirm.h"
#include "sweep/judge/flags.h"
#include "sweep/search/search.h"
#include "sweep/worker.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* A small sweep is cut into small slices, so that there is work for every thread; the outputs of a
 * batch of them are kept for the fingerprint, and the threads join after each. A larger one is cut
 * into tasks, which a thread does alone, fingerprint and all: no one waits, the outputs are still
 * near, and a block of the fast oracle, or a run of samples, is fitted once. */
enum {
    BATCH = 1 << 20,
    SMALL_SLICE = 1 << 12,
    SMALL_TASK = FINGERPRINT_BLOCK,
    LARGE_TASK = 1 << BLOCK_LOG2
};
#define MEDIUM     ((uint64_t)1 << 22)
#define LARGE      ((uint64_t)1 << 24)
#define VERY_LARGE ((uint64_t)1 << 36) /* the digests of more would fill the memory */

/* A sweep under way. Fields below the line are shared by the threads. */
struct run {
    const struct sweep_request *request;
    struct worker *workers;
    int threads;
    bool by_task;
    size_t task;         /* inputs in one */
    size_t slice;        /* inputs that a worker takes at a time */
    size_t room;         /* outputs in an array: those of a batch, or of a block of each thread */
    size_t output_count; /* implementations times MAX_RESULTS */
    void **outputs;      /* of numbers; NULL where nothing is provided */
    struct fingerprint *fingerprints;
    uint64_t total;        /* inputs, or calls on arrays */
    uint64_t unit;         /* inputs of the shard that follow one another */
    uint64_t digest_count; /* for each output; of arrays, one for each call */
    struct block_digest *digests;
    struct array_places places; /* of arrays */
    struct state *state;        /* what a checkpoint has and gets; NULL where there is none */

    struct early early; /* the first thread's */
    uint64_t done;
    bool failed;
    struct error *error;
};

static bool is_of_arrays(const struct sweep_request *request) {
    return request->computed.operation->array != NULL;
}

static bool should_stop(struct run *run) {
    bool failed;
#pragma omp atomic read
    failed = run->failed;
    return failed || (run->request->stop && *run->request->stop);
}

static void fail(struct run *run, const struct error *error) {
#pragma omp critical(sweep_failure)
    {
        if (!run->failed)
            *run->error = *error;
#pragma omp atomic write
        run->failed = true;
    }
}

static bool is_computed(const struct run *run, size_t output) {
    size_t result = output % MAX_RESULTS;
    return run->workers[0].provided[output / MAX_RESULTS] &&
           (int)result < run->request->computed.operation->results;
}

static void count_done(struct run *run, const struct worker *worker, size_t count) {
    uint64_t done;
#pragma omp atomic capture
    done = run->done += count;
    if (run->state)
        state_look(run->state);
    if (omp_get_thread_num() != 0)
        return;
    early_look(&run->early, worker);
    if (run->request->progress)
        run->request->progress(run->request->progress_context, done);
}

/* Inputs first .. first + count - 1 of those to be swept, which lie in one unit. Their outputs are
 * kept from `place` of the arrays on. False when the run ends here. */
static bool run_slice(struct run *run, struct worker *worker, uint64_t first, size_t count,
                      size_t place) {
    if (should_stop(run))
        return false;
    first = shard_input(&run->request->shard, first, run->unit);
    size_t bytes = format_bytes(request_result_format(&run->request->computed)), wanted = count;
    void *outputs[MAX_IMPLEMENTATIONS * MAX_RESULTS];
    for (size_t i = 0; i < run->output_count; i++)
        outputs[i] = run->outputs[i] ? (char *)run->outputs[i] + place * bytes : NULL;
    struct error error;
    if (!worker_run(worker, first, &count, outputs, &error)) {
        fail(run, &error);
        return false;
    }
    count_done(run, worker, count);
    return count == wanted;
}

static size_t at_most(uint64_t count, size_t most) {
    return count < most ? (size_t)count : most;
}

/* Digest number `number` of each output: of the block that begins at `place` of the arrays. */
static void digest_block(struct run *run, uint64_t number, size_t place, size_t count) {
    const struct format *format = request_result_format(&run->request->computed);
    for (size_t i = 0; i < run->output_count; i++)
        if (run->outputs[i])
            run->digests[i * run->digest_count + number] = fingerprint_block(
                format, (char *)run->outputs[i] + place * format_bytes(format), count);
}

static void add_digests(struct run *run, uint64_t blocks) {
    const struct sweep_request *request = run->request;
    struct error error;
    for (size_t i = 0; i < run->output_count; i++)
        for (uint64_t block = 0; is_computed(run, i) && block < blocks; block++) {
            const struct block_digest *digest = &run->digests[i * run->digest_count + block];
            fingerprint_add(&run->fingerprints[i], digest);
            if (request->digest && !request->digest(request->digest_context, i / MAX_RESULTS,
                                                    (int)(i % MAX_RESULTS), digest)) {
                error_set(&error, "out of memory for fingerprints");
                fail(run, &error);
                return;
            }
        }
}

static uint64_t blocks_in(uint64_t count) {
    return (count + FINGERPRINT_BLOCK - 1) / FINGERPRINT_BLOCK;
}

/* Every thread runs this; the loops inside are shared among them. */
static void run_batches(struct run *run, struct worker *worker) {
    bool stopped = false;
    for (uint64_t base = 0; base < run->total && !stopped; base += BATCH) {
        uint64_t batch = at_most(run->total - base, BATCH);
#pragma omp for schedule(dynamic, 1)
        for (uint64_t at = 0; at < batch; at += run->slice)
            run_slice(run, worker, base + at, at_most(batch - at, run->slice), at);
        /* The threads agree, since the count of inputs done no longer changes here. */
        stopped = run->done != base + batch;
#pragma omp for schedule(static)
        for (uint64_t at = 0; at < (stopped ? 0 : batch); at += FINGERPRINT_BLOCK)
            digest_block(run, at / FINGERPRINT_BLOCK, at, at_most(batch - at, FINGERPRINT_BLOCK));
#pragma omp single
        add_digests(run, stopped ? 0 : blocks_in(batch));
    }
}

/* Block by block of the fingerprint, so that there need be room for the outputs of no more. */
static void run_task(struct run *run, struct worker *worker, uint64_t first) {
    if (run->state && state_has(run->state, first / run->task))
        return;
    uint64_t end = first + at_most(run->total - first, run->task);
    size_t place = (size_t)omp_get_thread_num() * FINGERPRINT_BLOCK;
    for (uint64_t block = first; block < end; block += FINGERPRINT_BLOCK) {
        size_t count = at_most(end - block, FINGERPRINT_BLOCK);
        for (size_t at = 0; at < count; at += run->slice)
            if (!run_slice(run, worker, block + at, at_most(count - at, run->slice), place + at))
                return;
        digest_block(run, block / FINGERPRINT_BLOCK, place, count);
    }
    if (run->state)
        state_add(run->state, omp_get_thread_num(), first / run->task);
}

static void run_tasks(struct run *run, struct worker *worker) {
#pragma omp for schedule(dynamic, 1)
    for (uint64_t first = 0; first < run->total; first += run->task)
        run_task(run, worker, first);
#pragma omp single
    add_digests(run, run->done == run->total ? blocks_in(run->total) : 0);
}

static void run_call(struct run *run, struct worker *worker, uint64_t number) {
    struct error error;
    if (should_stop(run) || (run->state && state_has(run->state, number)))
        return;
    uint64_t call = shard_input(&run->request->shard, number, run->unit);
    if (!array_worker_run(worker, &run->places, call, run->digests + number, run->digest_count,
                          &error))
        fail(run, &error);
    else if (!should_stop(run)) { /* perhaps in the midst of it */
        if (run->state)
            state_add(run->state, omp_get_thread_num(), number);
        count_done(run, worker, 1);
    }
}

static void run_calls(struct run *run, struct worker *worker) {
    uint64_t total = run->total;
    /* The largest shapes come last: first they go, so that no thread waits long in the end. */
#pragma omp for schedule(dynamic, 1)
    for (uint64_t back = 0; back < total; back++)
        run_call(run, worker, total - 1 - back);
#pragma omp single
    add_digests(run, run->done == total ? total : 0);
}

/* Digests of blocks, or calls, of a whole domain. */
static uint64_t digests_in(const struct domain *domain) {
    return domain->kind == DOMAIN_ARRAYS ? domain->count : blocks_in(domain->count);
}

/* Room for what a shard hands over for the fingerprint of the whole. */
static bool open_groups(struct run *run, struct implementation_outcome *mine, size_t output) {
    struct fingerprint *fingerprint = &run->fingerprints[output];
    uint64_t in_group =
        fingerprint->group * (is_of_arrays(run->request) ? 1 : (uint64_t)FINGERPRINT_BLOCK);
    if (!shard_is_part(&run->request->shard))
        return true;
    mine->group_count = (size_t)((run->total + in_group - 1) / in_group);
    fingerprint->groups = calloc(mine->group_count + 1, sizeof *fingerprint->groups);
    mine->groups[output % MAX_RESULTS] = fingerprint->groups;
    return fingerprint->groups != NULL;
}

static bool open_run(struct run *run, struct sweep_outcome *outcome, struct error *error) {
    const struct sweep_request *request = run->request;
    size_t count = request->implementation_count;
    run->output_count = count * MAX_RESULTS;
    run->workers = calloc((size_t)run->threads, sizeof *run->workers);
    run->outputs = calloc(run->output_count, sizeof *run->outputs);
    run->fingerprints = calloc(run->output_count, sizeof *run->fingerprints);
    run->digests = calloc(run->output_count * run->digest_count + 1, sizeof *run->digests);
    struct error *reasons = calloc(count, sizeof *reasons);
    size_t bytes = format_bytes(request_result_format(&request->computed));
    bool room = run->workers && run->outputs && run->fingerprints && run->digests && reasons;
    bool opened = room;
    for (int i = 0; opened && i < run->threads; i++)
        opened = worker_open(&run->workers[i], request, outcome->formats, run->slice,
                             i == 0 ? reasons : NULL, error);
    for (size_t i = 0; opened && i < count; i++) {
        outcome->implementations[i].provided = run->workers[0].provided[i];
        const struct binding *binding = &run->workers[0].bindings[i];
        outcome->implementations[i].tells_flags = binding->tells_flags;
        outcome->implementations[i].tells_errno = binding->tells_errno;
        outcome->implementations[i].promises_no_flags = binding->promises_no_flags;
        outcome->implementations[i].reason = reasons[i];
        memcpy(outcome->implementations[i].detail, run->workers[0].bindings[i].detail,
               sizeof outcome->implementations[i].detail);
        const struct search_record *search = request->domain->search;
        if (run->workers[0].provided[i] &&
            (shard_is_part(&request->shard) || (search && shard_is_part(&search->shard))))
            binding_build(binding, outcome->implementations[i].build);
    }
    free(reasons);
    if (!opened)
        return room ? false : error_set(error, "out of memory");
    for (size_t i = 0; i < run->output_count; i++)
        if (is_computed(run, i)) {
            if (!is_of_arrays(request))
                run->outputs[i] = malloc(run->room * bytes);
            if ((!is_of_arrays(request) && !run->outputs[i]) ||
                !fingerprint_begin(&run->fingerprints[i], digests_in(request->domain)) ||
                !open_groups(run, &outcome->implementations[i / MAX_RESULTS], i))
                return error_set(error, "out of memory");
        }
    return true;
}

static void close_run(struct run *run) {
    char unused[FINGERPRINT_TEXT];
    for (int i = 0; run->workers && i < run->threads; i++)
        worker_close(&run->workers[i]);
    for (size_t i = 0; run->outputs && i < run->output_count; i++)
        free(run->outputs[i]);
    for (size_t i = 0; run->fingerprints && i < run->output_count; i++)
        if (run->fingerprints[i].state)
            fingerprint_end(&run->fingerprints[i], unused);
    free(run->workers);
    free(run->outputs);
    free(run->fingerprints);
    free(run->digests);
    array_places_close(&run->places);
    state_close(run->state);
}

/* And the run's places, where it is of arrays. */
static bool open_outcome(struct run *run, struct sweep_outcome *outcome, struct error *error) {
    const struct sweep_request *request = run->request;
    size_t count = request->implementation_count;
    *outcome = (struct sweep_outcome){.implementation_count = count};
    for (int i = 0; i < MAX_RESULTS && !is_of_arrays(request); i++)
        outcome->formats[i] = request_result_format(&request->computed);
    if (is_of_arrays(request) && !array_places_open(&run->places, request, outcome->formats, error))
        return false;
    outcome->implementations = calloc(count, sizeof *outcome->implementations);
    outcome->pairs = calloc(count * count, sizeof *outcome->pairs);
    bool room = outcome->implementations && outcome->pairs;
    for (size_t i = 0; room && i < count; i++)
        for (int j = 0; room && j < request->computed.operation->results; j++)
            room = sweep_tally_open(&outcome->implementations[i].tallies[j], request,
                                    outcome->formats[j]);
    return room || error_set(error, "out of memory");
}

static void merge(struct run *run, struct sweep_outcome *outcome) {
    outcome->pair_count = run->workers[0].pair_count;
    memcpy(outcome->pairs, run->workers[0].pairs, outcome->pair_count * sizeof *outcome->pairs);
    for (int i = 1; i < run->threads; i++)
        for (size_t pair = 0; pair < outcome->pair_count; pair++)
            for (int j = 0; j < MAX_RESULTS; j++)
                difference_merge(&outcome->pairs[pair].results[j],
                                 &run->workers[i].pairs[pair].results[j]);
    for (size_t i = 0; i < run->output_count; i++) {
        struct implementation_outcome *mine = &outcome->implementations[i / MAX_RESULTS];
        if (!is_computed(run, i))
            continue;
        for (int j = 0; j < run->threads; j++)
            tally_merge(&mine->tallies[i % MAX_RESULTS], &run->workers[j].tallies[i]);
        if (!outcome->complete || mine->tallies[i % MAX_RESULTS].unanswered)
            mine->group_count = 0;
        else if (shard_is_part(&run->request->shard))
            fingerprint_end_groups(&run->fingerprints[i]);
        else
            fingerprint_end(&run->fingerprints[i], mine->fingerprints[i % MAX_RESULTS]);
    }
    for (int i = 0; run->workers[0].flags && i < run->threads; i++)
        for (size_t j = 0; j < outcome->implementation_count; j++)
            effect_tally_merge(&outcome->implementations[j].effects,
                               &run->workers[i].flags->tallies[j]);
    for (int i = 0; i < run->threads; i++)
        for (int j = 0; j < MAX_RESULTS; j++) {
            outcome->oracle[j].fast += run->workers[i].counts[j].fast;
            outcome->oracle[j].exact += run->workers[i].counts[j].exact;
            outcome->oracle[j].rechecked += run->workers[i].counts[j].rechecked;
        }
}

/* Inputs of a task where a sweep is cut into such. A shard of a smaller one has whole blocks too. */
static size_t task_of(const struct domain *domain) {
    return domain->count >= LARGE ? LARGE_TASK : SMALL_TASK;
}

uint64_t sweep_unit(const struct domain *domain) {
    uint64_t group = fingerprint_group(digests_in(domain));
    if (domain->kind == DOMAIN_ARRAYS)
        return group;
    uint64_t unit = group * FINGERPRINT_BLOCK;
    return unit > task_of(domain) ? unit : task_of(domain);
}

/* How the work is cut. In batches, a slice of samples in longer runs is a run. */
static void plan_run(struct run *run) {
    const struct domain *domain = run->request->domain;
    uint64_t count = domain->count;
    run->unit = sweep_unit(domain);
    run->total = shard_inputs(&run->request->shard, count, run->unit);
    run->by_task = (count >= MEDIUM || run->request->checkpoint) && run->total <= VERY_LARGE;
    run->task = task_of(domain);
    run->slice = count >= LARGE                      ? MOST_SLICE
                 : domain->run_length <= SMALL_SLICE ? SMALL_SLICE
                                                     : at_most(domain->run_length, MOST_SLICE);
    run->room =
        run->by_task ? (size_t)run->threads * FINGERPRINT_BLOCK : at_most(run->total, BATCH);
    run->digest_count =
        is_of_arrays(run->request) ? run->total : blocks_in(run->by_task ? run->total : run->room);
}

/* Takes up what the checkpoint has. */
static bool open_state(struct run *run, double *seconds, struct error *error) {
    bool arrays = is_of_arrays(run->request);
    uint64_t task = arrays ? 1 : run->task;
    struct sweep_view view = {
        .request = run->request,
        .workers = run->workers,
        .threads = run->threads,
        .output_count = run->output_count,
        .tasks = (run->total + task - 1) / task,
        .task_digests = arrays ? 1 : task / FINGERPRINT_BLOCK,
        .digest_count = run->digest_count,
        .digests = run->digests,
    };
    if (!arrays && !run->by_task)
        return error_set(error,
                         "--checkpoint is for up to 2^36 inputs of an operation, and these are "
                         "2^%.1f; --shard K/N takes a part",
                         log2((double)run->total));
    run->state = state_open(run->request->checkpoint, &view, seconds, error);
    for (uint64_t i = 0; run->state && i < view.tasks; i++)
        if (state_has(run->state, i))
            run->done += at_most(run->total - i * task, task);
    return run->state != NULL;
}

/* What the checkpoint gets of a sweep that has ended, and its fingerprints if it had ended before. */
static void end_state(struct run *run, struct sweep_outcome *outcome, double seconds) {
    for (size_t i = 0; run->state && i < run->output_count; i++)
        if (is_computed(run, i) && state_fingerprint(run->state, i))
            memcpy(outcome->implementations[i / MAX_RESULTS].fingerprints[i % MAX_RESULTS],
                   state_fingerprint(run->state, i), FINGERPRINT_TEXT);
    if (run->state)
        state_end(run->state, outcome, seconds);
}

bool sweep_run(const struct sweep_request *request, struct sweep_outcome *outcome,
               struct error *error) {
    struct run run = {.request = request, .threads = request->threads, .error = error};
    plan_run(&run);
    double start = omp_get_wtime(), before = 0; /* seconds, in runs that the checkpoint is of */
    early_begin(&run.early);
    bool opened = open_outcome(&run, outcome, error) && open_run(&run, outcome, error);
    bool any = false;
    for (size_t i = 0; opened && i < run.output_count; i++)
        any = any || is_computed(&run, i);
    if (any && request->checkpoint)
        opened = open_state(&run, &before, error);
    if (opened && any) {
#pragma omp parallel num_threads(run.threads)
        {
            struct worker *worker = &run.workers[omp_get_thread_num()];
            worker_begin(worker);
            if (is_of_arrays(request))
                run_calls(&run, worker);
            else if (run.by_task)
                run_tasks(&run, worker);
            else
                run_batches(&run, worker);
            worker_end(worker);
        }
        outcome->covered = run.done;
        outcome->complete = run.done == run.total;
    }
    bool finished = opened && !run.failed;
    if (finished && any) {
        merge(&run, outcome);
        end_state(&run, outcome, before + omp_get_wtime() - start);
        finished = is_of_arrays(request) || sweep_confirm(&run.workers[0], outcome, error);
    }
    close_run(&run);
    outcome->seconds = before + omp_get_wtime() - start;
    if (!finished)
        sweep_outcome_free(outcome);
    return finished;
}
