/* Batches of slices over threads, merged into one outcome. */
#include "sweep/sweep.h"

#include "sweep/judge/confirm.h"
#include "sweep/run.h"

#include <omp.h>

static bool should_stop(struct sweep_run *run) {
    bool failed;
#pragma omp atomic read
    failed = run->failed;
    return failed || (run->request->stop && *run->request->stop);
}

static void fail(struct sweep_run *run, const struct error *error) {
#pragma omp critical(sweep_failure)
    {
        if (!run->failed)
            *run->error = *error;
#pragma omp atomic write
        run->failed = true;
    }
}

static void count_done(struct sweep_run *run, const struct worker *worker, size_t count) {
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
static bool run_slice(struct sweep_run *run, struct worker *worker, uint64_t first, size_t count,
                      size_t place) {
    if (should_stop(run))
        return false;
    first = shard_input(&run->request->shard, first, run->unit);
    size_t bytes = format_bytes(request_result_format(&run->request->computed)), wanted = count;
    void *outputs[MAX_IMPLEMENTATIONS * MAX_RESULTS];
    for (size_t i = 0; i < run->output_count; i++)
        outputs[i] = run->outputs[i] ? (char *)run->outputs[i] + place * bytes : NULL;
    struct error error;
    slow_watch_enter(run->watch, omp_get_thread_num(), first);
    bool ran = worker_run(worker, first, &count, outputs, &error);
    slow_watch_leave(run->watch, omp_get_thread_num());
    if (!ran) {
        fail(run, &error);
        return false;
    }
    count_done(run, worker, count);
    return count == wanted;
}

/* Digest number `number` of each output: of the block that begins at `place` of the arrays. */
static void digest_block(struct sweep_run *run, uint64_t number, size_t place, size_t count) {
    const struct format *format = request_result_format(&run->request->computed);
    for (size_t i = 0; i < run->output_count; i++)
        if (run->outputs[i])
            run->digests[i * run->digest_count + number] = fingerprint_block(
                format, (char *)run->outputs[i] + place * format_bytes(format), count);
}

static void add_digests(struct sweep_run *run, uint64_t blocks) {
    const struct sweep_request *request = run->request;
    struct error error;
    for (size_t i = 0; i < run->output_count; i++)
        for (uint64_t block = 0; run_is_computed(run, i) && block < blocks; block++) {
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

/* Every thread runs this; the loops inside are shared among them. */
static void run_batches(struct sweep_run *run, struct worker *worker) {
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
static void run_task(struct sweep_run *run, struct worker *worker, uint64_t first) {
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

static void run_tasks(struct sweep_run *run, struct worker *worker) {
#pragma omp for schedule(dynamic, 1)
    for (uint64_t first = 0; first < run->total; first += run->task)
        run_task(run, worker, first);
#pragma omp single
    add_digests(run, run->done == run->total ? blocks_in(run->total) : 0);
}

static void run_call(struct sweep_run *run, struct worker *worker, uint64_t number) {
    struct error error;
    if (should_stop(run) || (run->state && state_has(run->state, number)))
        return;
    uint64_t call = shard_input(&run->request->shard, number, run->unit);
    slow_watch_enter(run->watch, omp_get_thread_num(), call);
    bool ran = array_worker_run(worker, &run->places, call, run->digests + number,
                                run->digest_count, &error);
    slow_watch_leave(run->watch, omp_get_thread_num());
    if (!ran)
        fail(run, &error);
    else if (!should_stop(run)) { /* perhaps in the midst of it */
        if (run->state)
            state_add(run->state, omp_get_thread_num(), number);
        count_done(run, worker, 1);
    }
}

static void run_calls(struct sweep_run *run, struct worker *worker) {
    uint64_t total = run->total;
    /* The largest shapes come last: first they go, so that no thread waits long in the end. */
#pragma omp for schedule(dynamic, 1)
    for (uint64_t back = 0; back < total; back++)
        run_call(run, worker, total - 1 - back);
#pragma omp single
    add_digests(run, run->done == total ? total : 0);
}

bool sweep_run(const struct sweep_request *request, struct sweep_outcome *outcome,
               struct error *error) {
    struct sweep_run run = {.request = request, .threads = request->threads, .error = error};
    run_plan(&run);
    double start = omp_get_wtime(), before = 0; /* seconds, in runs that the checkpoint is of */
    early_begin(&run.early);
    bool opened = run_open_outcome(&run, outcome, error) && run_open(&run, outcome, error);
    bool any = false;
    for (size_t i = 0; opened && i < run.output_count; i++)
        any = any || run_is_computed(&run, i);
    if (any && request->checkpoint)
        opened = run_open_state(&run, outcome, &before, error);
    if (opened && any) {
        run.watch = slow_watch_begin(request, run.threads);
#pragma omp parallel num_threads(run.threads)
        {
            struct worker *worker = &run.workers[omp_get_thread_num()];
            worker_begin(worker);
            if (run_is_of_arrays(request))
                run_calls(&run, worker);
            else if (run.by_task)
                run_tasks(&run, worker);
            else
                run_batches(&run, worker);
            worker_end(worker);
        }
        slow_watch_end(run.watch);
        outcome->covered = run.done;
        outcome->complete = run.done == run.total;
    }
    bool finished = opened && !run.failed;
    if (finished && any) {
        run_merge(&run, outcome);
        run_end_state(&run, outcome, before + omp_get_wtime() - start);
        finished = run_keep_builds(&run, outcome, error) &&
                   (run_is_of_arrays(request) || sweep_confirm(&run.workers[0], outcome, error));
    }
    run_close(&run);
    outcome->seconds = before + omp_get_wtime() - start;
    if (!finished)
        sweep_outcome_free(outcome);
    return finished;
}
