/* Cutting the work, opening, merging, closing. */
#include "sweep/run.h"

#include "sweep/judge/flags.h"
#include "sweep/promise/promise.h"
#include "sweep/search/search.h"
#include "sweep/tally_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A small sweep is cut into small slices, so that there is work for every thread; the outputs of a
 * batch of them are kept for the fingerprint, and the threads join after each. A larger one is cut
 * into tasks, which a thread does alone, fingerprint and all: no one waits, the outputs are still
 * near, and a block of the fast oracle, or a run of samples, is fitted once. */
enum { SMALL_SLICE = 1 << 12, SMALL_TASK = FINGERPRINT_BLOCK, LARGE_TASK = 1 << BLOCK_LOG2 };
#define MEDIUM     ((uint64_t)1 << 22)
#define LARGE      ((uint64_t)1 << 24)
#define VERY_LARGE ((uint64_t)1 << 36) /* the digests of more would fill the memory */

bool run_is_computed(const struct sweep_run *run, size_t output) {
    size_t result = output % MAX_RESULTS;
    return run->workers[0].provided[output / MAX_RESULTS] &&
           (int)result < run->request->computed.operation->results;
}

/* Digests of blocks, or calls, of a whole domain. */
static uint64_t digests_in(const struct domain *domain) {
    return domain->kind == DOMAIN_ARRAYS ? domain->count : blocks_in(domain->count);
}

/* Room for what a shard hands over for the fingerprint of the whole. */
static bool open_groups(struct sweep_run *run, struct implementation_outcome *mine, size_t output) {
    struct fingerprint *fingerprint = &run->fingerprints[output];
    uint64_t in_group =
        fingerprint->group * (run_is_of_arrays(run->request) ? 1 : (uint64_t)FINGERPRINT_BLOCK);
    if (!shard_is_part(&run->request->shard))
        return true;
    mine->group_count = (size_t)((run->total + in_group - 1) / in_group);
    fingerprint->groups = calloc(mine->group_count + 1, sizeof *fingerprint->groups);
    mine->groups[output % MAX_RESULTS] = fingerprint->groups;
    return fingerprint->groups != NULL;
}

/* What has no bits to compare with must not be taken for kept. */
static bool references_are_provided(const struct sweep_run *run,
                                    const struct sweep_outcome *outcome, struct error *error) {
    const struct sweep_request *request = run->request;
    for (size_t i = 0; request->promises && i < run->output_count; i++) {
        const struct promise *promise = request->promises[i];
        bool held = promise && outcome->implementations[i / MAX_RESULTS].provided;
        for (size_t j = 0; held && j < promise->piece_count; j++) {
            const struct promise_piece *piece = &promise->pieces[j];
            if (piece->kind == PROMISE_SAME_BITS &&
                !outcome->implementations[piece->reference_at].provided)
                return error_set(error,
                                 "%.200s: rule %d promises the bits of %.200s, which does not "
                                 "provide %s in %s",
                                 promise->source, promise->rule, piece->reference,
                                 request->computed.operation->name, request->computed.format->name);
        }
    }
    return true;
}

static void tell_builds(const struct sweep_run *run, struct sweep_outcome *outcome) {
    for (size_t i = 0; i < run->builds.count; i++)
        memcpy(outcome->implementations[i].build, run->builds.texts[i], BUILD_TEXT);
}

static bool note_builds(struct sweep_run *run, struct sweep_outcome *outcome, struct error *error) {
    const struct worker *worker = &run->workers[0];
    if (!builds_note(&run->builds, worker->bindings, worker->provided,
                     outcome->implementation_count, error))
        return false;
    tell_builds(run, outcome);
    return true;
}

bool run_keep_builds(const struct sweep_run *run, struct sweep_outcome *outcome,
                     struct error *error) {
    const struct worker *worker = &run->workers[0];
    bool kept = builds_keep(&run->builds, worker->bindings, worker->provided, error);
    if (kept) /* without what the run has written */
        tell_builds(run, outcome);
    return kept;
}

bool run_open(struct sweep_run *run, struct sweep_outcome *outcome, struct error *error) {
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
    }
    free(reasons);
    opened =
        opened && note_builds(run, outcome, error) && references_are_provided(run, outcome, error);
    if (!opened)
        return room ? false : error_set(error, "out of memory");
    for (size_t i = 0; i < run->output_count; i++)
        if (run_is_computed(run, i)) {
            if (!run_is_of_arrays(request))
                run->outputs[i] = malloc(run->room * bytes);
            if ((!run_is_of_arrays(request) && !run->outputs[i]) ||
                !fingerprint_begin(&run->fingerprints[i], digests_in(request->domain)) ||
                !open_groups(run, &outcome->implementations[i / MAX_RESULTS], i))
                return error_set(error, "out of memory");
        }
    return true;
}

void run_close(struct sweep_run *run) {
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
    builds_free(&run->builds);
}

bool run_open_outcome(struct sweep_run *run, struct sweep_outcome *outcome, struct error *error) {
    const struct sweep_request *request = run->request;
    size_t count = request->implementation_count;
    *outcome = (struct sweep_outcome){.implementation_count = count};
    for (int i = 0; i < MAX_RESULTS && !run_is_of_arrays(request); i++)
        outcome->formats[i] = request_result_format(&request->computed);
    if (run_is_of_arrays(request) &&
        !array_places_open(&run->places, request, outcome->formats, error))
        return false;
    outcome->implementations = calloc(count, sizeof *outcome->implementations);
    outcome->pairs = calloc(count * count, sizeof *outcome->pairs);
    bool room = outcome->implementations && outcome->pairs;
    for (size_t i = 0; room && i < count; i++)
        for (int j = 0; room && j < request->computed.operation->results; j++)
            room = sweep_tally_open(&outcome->implementations[i].tallies[j], request,
                                    i * MAX_RESULTS + (size_t)j, outcome->formats[j]);
    for (size_t i = 0; room && request->kappas && i < count; i++)
        room = kappa_open(&outcome->implementations[i].kappas,
                          format_of_operand(request->computed.format, 0));
    return room || error_set(error, "out of memory");
}

void run_merge(struct sweep_run *run, struct sweep_outcome *outcome) {
    outcome->pair_count = run->workers[0].pair_count;
    memcpy(outcome->pairs, run->workers[0].pairs, outcome->pair_count * sizeof *outcome->pairs);
    for (int i = 1; i < run->threads; i++)
        for (size_t pair = 0; pair < outcome->pair_count; pair++)
            for (int j = 0; j < MAX_RESULTS; j++)
                difference_merge(&outcome->pairs[pair].results[j],
                                 &run->workers[i].pairs[pair].results[j]);
    for (size_t i = 0; i < run->output_count; i++) {
        struct implementation_outcome *mine = &outcome->implementations[i / MAX_RESULTS];
        if (!run_is_computed(run, i))
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
    for (int i = 0; run->request->kappas && i < run->threads; i++)
        for (size_t j = 0; j < outcome->implementation_count; j++)
            kappa_merge(&outcome->implementations[j].kappas, &run->workers[i].kappas[j],
                        format_of_operand(run->request->computed.format, 0));
    for (int i = 0; run->workers[0].flags && i < run->threads; i++)
        for (size_t j = 0; j < outcome->implementation_count; j++)
            effect_tally_merge(&outcome->implementations[j].effects,
                               &run->workers[i].flags->tallies[j]);
    for (int i = 0; i < run->threads; i++)
        for (int j = 0; j < MAX_RESULTS; j++)
            record_merge(&oracle_record, &outcome->oracle[j], &run->workers[i].counts[j]);
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

/* In batches, a slice of samples in longer runs is a run. */
void run_plan(struct sweep_run *run) {
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
    run->digest_count = run_is_of_arrays(run->request)
                            ? run->total
                            : blocks_in(run->by_task ? run->total : run->room);
}

bool run_open_state(struct sweep_run *run, const struct sweep_outcome *outcome, double *seconds,
                    struct error *error) {
    bool arrays = run_is_of_arrays(run->request);
    uint64_t task = arrays ? 1 : run->task;
    struct sweep_view view = {
        .request = run->request,
        .formats = outcome->formats,
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

void run_end_state(struct sweep_run *run, struct sweep_outcome *outcome, double seconds) {
    for (size_t i = 0; run->state && i < run->output_count; i++)
        if (run_is_computed(run, i) && state_fingerprint(run->state, i))
            memcpy(outcome->implementations[i / MAX_RESULTS].fingerprints[i % MAX_RESULTS],
                   state_fingerprint(run->state, i), FINGERPRINT_TEXT);
    if (run->state)
        state_end(run->state, outcome, seconds);
}
