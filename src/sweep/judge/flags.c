/* The room for flags, and what is asked for and judged of each slice. */
#include "sweep/judge/judged.h"

#include "platform/exception_flags.h"

#include <stdlib.h>
#include <string.h>

static bool make_reported(struct reported_flags *reported, size_t slice) {
    reported->raised = calloc(slice, 1);
    reported->cleared = calloc(slice, 1);
    reported->errnos = calloc(slice, 1);
    return reported->raised && reported->cleared && reported->errnos;
}

static void free_reported(struct reported_flags *reported) {
    free(reported->raised);
    free(reported->cleared);
    free(reported->errnos);
}

bool worker_open_flags(struct worker *worker) {
    const struct sweep_request *request = worker->request;
    const struct binding_request *computed = &request->computed;
    size_t count = request->implementation_count;
    if (!computed->flags && !computed->errnos)
        return true;
    struct flag_room *room = calloc(1, sizeof *room);
    worker->flags = room;
    if (!room)
        return false;
    room->tallies = calloc(count, sizeof *room->tallies);
    if (computed->operation->array) /* which sweep/array/lines.h judges */
        return room->tallies != NULL;
    room->setting =
        (struct flag_setting){.operation = computed->operation,
                              .format = computed->format,
                              .results = worker->judge.format,
                              .rounding = computed->rounding,
                              .rules = {.tiny_after_rounding = computed->tiny_after_rounding,
                                        .inexact = request->inexact,
                                        .may_clear = request->may_clear}};
    room->rules = calloc(worker->slice, sizeof *room->rules);
    room->reported = calloc(count, sizeof *room->reported);
    bool good =
        room->rules && room->reported && room->tallies && make_reported(&room->each, worker->slice);
    for (size_t i = 0; good && i < count; i++)
        good = make_reported(&room->reported[i], worker->slice);
    for (int i = 0; good && i < computed->operation->results; i++) {
        room->exact[i] = calloc(worker->slice, sizeof *room->exact[i]);
        room->asked[i] = calloc(worker->slice, 1);
        room->unused_results[i] = calloc(worker->slice, sizeof(uint64_t));
        good = room->exact[i] && room->asked[i] && room->unused_results[i];
    }
    return good;
}

void worker_close_flags(struct worker *worker) {
    struct flag_room *room = worker->flags;
    if (!room)
        return;
    for (size_t i = 0; room->reported && i < worker->request->implementation_count; i++)
        free_reported(&room->reported[i]);
    for (int i = 0; i < MAX_RESULTS; i++) {
        free(room->exact[i]);
        free(room->asked[i]);
        free(room->unused_results[i]);
    }
    free_reported(&room->each);
    free(room->reported);
    free(room->rules);
    free(room->tallies);
    free(room);
    worker->flags = NULL;
}

void worker_forget_exact(struct worker *worker, size_t count) {
    for (int i = 0; worker->flags && i < worker->request->computed.operation->results; i++)
        memset(worker->flags->asked[i], 0, count);
}

/* Calls most of which would have to be made again are asked for all that they do. */
static bool is_inexact_open(const struct worker *worker, size_t implementation) {
    const struct binding *binding = &worker->bindings[implementation];
    bool again =
        worker->flags->reported[implementation].often_at_fault && !binding->flags_of_arrays;
    return binding->tells_flags && !again && oracle_leaves_inexact_open(&worker->flags->setting);
}

void worker_ask_for_flags(const struct worker *worker, size_t implementation, struct slice *slice) {
    if (!worker->flags)
        return;
    reported_flags_ask(&worker->flags->reported[implementation], &worker->bindings[implementation],
                       &worker->flags->setting.rules, slice);
    slice->inexact_is_open = is_inexact_open(worker, implementation);
}

bool worker_judge_flags(struct worker *worker, uint64_t first, size_t count, void *const *outputs,
                        struct error *error) {
    struct flag_room *room = worker->flags;
    if (!room)
        return true;
    if (!worker_expect_flags(worker, first, count, error))
        return false;
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        const struct binding *binding = &worker->bindings[i];
        if (!worker->provided[i] || (!binding->tells_flags && !binding->tells_errno))
            continue;
        struct judged judged = {.worker = worker,
                                .implementation = i,
                                .binding = binding,
                                .first = first,
                                .count = count,
                                .outputs = outputs,
                                .mask = judged_mask(binding),
                                .no_promise = binding->promises_no_flags,
                                .open = is_inexact_open(worker, i) ? flag_bit(FLAG_INEXACT) : 0};
        room->tallies[i].calls += count;
        for (size_t at = 0; worker->unanswered_count[i] && at < count; at++)
            room->tallies[i].calls -= worker->unanswered[i][at];
        if (!(binding->flags_of_arrays
                  ? judged_judge_arrays(&judged, error)
                  : judged_judge_each(&judged, &room->reported[i], 0, count, judged.open, error)))
            return false;
    }
    return true;
}
