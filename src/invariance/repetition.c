/* When a call is made: the first of a process, a later one, in another order, beside others. */
#include "invariance/array_calls.h"
#include "invariance/properties.h"
#include "invariance/walk.h"

/* Inputs of a domain whose first call is made in a process that has made no other, and processes in
 * which threads make their first calls at once. */
enum { FRESH = 16, RACES = 8, THREADS = 4 };

static bool out_of_memory(struct error *error) {
    return error_set(error, "out of memory");
}

/* Whether the block has one of `most` inputs that are spread over the domain, and which of its own
 * that is; `at` begins at 0. */
static bool next_spread(const struct walk *walk, uint64_t most, uint64_t *which, size_t *at) {
    uint64_t all = walk->request->domain->count, count = all < most ? all : most;
    for (; *which < count; (*which)++) {
        uint64_t index = count == all ? *which : all / count * *which + all / count / 2;
        if (index >= walk->first + walk->count)
            return false;
        if (index < walk->first)
            continue;
        *at = (size_t)(index - walk->first);
        (*which)++;
        return true;
    }
    return false;
}

static bool repetition_applies(const struct invariance_request *request,
                               const struct binding *binding, struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITIONS, why);
}

/* The block again, by the process that has just computed it. */
static bool repeat(struct walk *walk, struct walk_process *process, enum walk_order order,
                   const char *where, struct error *error) {
    walk->where = where;
    if (!walk_compute(walk, process, NULL, order, &walk->outputs, error))
        return false;
    walk_compare(walk, &walk->outputs, 0, walk->count, NULL, where);
    return true;
}

static bool repeat_block(struct walk *walk, struct walk_process *process,
                         struct walk_process *fresh, uint64_t *which, struct error *error) {
    static const char first[] = "the first call of a process";
    size_t at;
    walk->where = NULL;
    if (!walk_compute(walk, process, NULL, WALK_FORWARD, &walk->reference, error) ||
        !repeat(walk, process, WALK_FORWARD, "a later call of the same process", error) ||
        (walk->array && (!repeat(walk, process, WALK_AFTER_ONE, "after a call with 1", error) ||
                         !repeat(walk, process, WALK_AFTER_GREATEST,
                                 "after a call with the greatest number", error))) ||
        !repeat(walk, process, WALK_BACKWARD, "in the reverse order", error))
        return false;
    /* Both alone: what is other beside other inputs is no matter of the first call. */
    walk->where = first;
    while (next_spread(walk, FRESH, which, &at)) {
        binding_renew(&fresh->binding);
        if (!walk_compute_some(walk, process, NULL, at, 1, &walk->reference, error) ||
            !walk_compute_some(walk, fresh, NULL, at, 1, &walk->outputs, error))
            return false;
        walk_compare(walk, &walk->outputs, at, 1, NULL, first);
    }
    return true;
}

static bool run_repetition(const struct invariance_request *request, struct property_tally *tally,
                           struct error *error) {
    struct walk_process process = {0}, fresh = {0};
    struct walk walk = {0};
    uint64_t which = 0;
    bool good = walk_process_open(&process, request, NULL, error) &&
                walk_process_open(&fresh, request, NULL, error) &&
                (walk_open(&walk, request, &process, tally) || out_of_memory(error));
    while (good && walk_next(&walk))
        good = repeat_block(&walk, &process, &fresh, &which, error);
    walk_close(&walk);
    walk_process_close(&process);
    walk_process_close(&fresh);
    return good;
}

static bool threads_apply(const struct invariance_request *request, const struct binding *binding,
                          struct error *why) {
    (void)binding;
    return walk_applies(request, CONDITION_THREADS, why);
}

/* Calls that so many inputs of a block take. */
static uint64_t calls_of(const struct walk *walk, size_t count) {
    return walk->array ? (count + walk->array - 1) / walk->array : 1;
}

/* Whether two outputs of an input are the same. */
static bool is_same(const struct walk *walk, const struct walk_outputs *a,
                    const struct walk_outputs *b, size_t at) {
    const struct binding_request *computed = &walk->request->computed;
    bool same = true;
    for (int k = 0; k < computed->operation->results; k++)
        same = same && (a->unanswered[at] || b->unanswered[at] ||
                        property_same(walk->request, request_result_format(computed),
                                      walk_result(walk, a, k, at), walk_result(walk, b, k, at)));
    return same;
}

/* Inputs of a race that differ, and that one thread alone does not give the same again in a process of
 * its own, are unrepeatable. */
static bool repeat_race(struct walk *walk, struct walk_process *fresh, size_t at, size_t count,
                        const struct walk_outputs *alone, struct walk_outputs *again,
                        struct error *error) {
    bool differs = false;
    for (size_t i = at; i < at + count; i++)
        differs = differs || (!is_same(walk, &walk->outputs, &walk->reference, i) &&
                              !is_same(walk, &walk->outputs, alone, i));
    binding_renew(&fresh->binding);
    for (int time = 0; differs && time < 2 * THREADS; time++) {
        if (!walk_compute_some(walk, fresh, NULL, at, count, again, error))
            return false;
        for (size_t i = at; i < at + count; i++)
            walk->is_unrepeatable[i] |=
                !is_same(walk, alone, again, i) && !is_same(walk, alone, &walk->outputs, i);
    }
    return true;
}

/* The first calls of a process, by several threads at once. What one thread gives there is no fault
 * of theirs, though it may be other than what a later call gives. */
static bool race(struct walk *walk, struct walk_process *fresh, size_t at,
                 struct walk_outputs *alone, struct walk_outputs *again, struct error *error) {
    static const char racing_first[] = "the first calls of a process, in 4 threads at once";
    const struct conditions racing = {.stride = 1, .threads = THREADS};
    size_t count = walk->array > 1 ? walk->array : 16;
    if (count > walk->count - at)
        count = walk->count - at;
    walk->where = racing_first;
    binding_renew(&fresh->binding);
    if (!walk_compute_some(walk, fresh, NULL, at, count, alone, error))
        return false;
    binding_renew(&fresh->binding);
    if (!walk_compute_some(walk, fresh, &racing, at, count, &walk->outputs, error))
        return false;
    walk->tally->at_once += calls_of(walk, count);
    walk->tally->first_at_once++;
    if (!repeat_race(walk, fresh, at, count, alone, again, error))
        return false;
    walk_compare(walk, &walk->outputs, at, count, alone, racing_first);
    return true;
}

static bool compare_threads(struct walk *walk, struct walk_process *process,
                            struct walk_process *fresh, struct walk *room, uint64_t *which,
                            struct error *error) {
    struct walk_outputs *alone = &room->outputs;
    const struct conditions many = {.stride = 1, .threads = THREADS};
    static const char at_once[] = "in 4 threads at once";
    size_t at;
    walk->where = NULL;
    /* Twice: what is other at a first call, or in another order, is not the threads' doing. */
    if (!walk_compute(walk, process, NULL, WALK_FORWARD, alone, error) ||
        !walk_compute(walk, process, NULL, WALK_FORWARD, &walk->reference, error))
        return false;
    walk->where = at_once;
    if (!walk_compute(walk, process, &many, WALK_FORWARD, &walk->outputs, error))
        return false;
    walk->tally->at_once += calls_of(walk, walk->count);
    if (!walk_repeat(walk, process, NULL, NULL, alone, error))
        return false;
    walk_compare(walk, &walk->outputs, 0, walk->count, alone, at_once);
    while (next_spread(walk, RACES, which, &at))
        if (!race(walk, fresh, at, alone, &room->reference, error))
            return false;
    return true;
}

static bool run_threads(const struct invariance_request *request, struct property_tally *tally,
                        struct error *error) {
    struct walk_process process = {0}, fresh = {0};
    struct walk walk = {0}, room = {0};
    uint64_t which = 0;
    bool good = walk_process_open(&process, request, NULL, error) &&
                walk_process_open(&fresh, request, NULL, error) &&
                ((walk_open(&walk, request, &process, tally) &&
                  walk_open(&room, request, &process, tally)) ||
                 out_of_memory(error));
    while (good && walk_next(&walk))
        good = compare_threads(&walk, &process, &fresh, &room, &which, error);
    walk_close(&walk);
    walk_close(&room);
    walk_process_close(&process);
    walk_process_close(&fresh);
    return good;
}

const struct property property_repetition = {
    .name = "repetition",
    .summary = "whether a call is the first of a process, and the order of calls",
    .beside_others = true,
    .of = {[CALL_ON_NUMBERS] = {.applies = repetition_applies, .run = run_repetition},
           [CALL_ON_ARRAYS] = {.run = array_repetition_run}},
};
const struct property property_threads = {
    .name = "threads",
    .summary =
        "several threads that call at the same time, both in their first call and in later ones",
    .beside_others = true,
    .of = {[CALL_ON_NUMBERS] = {.applies = threads_apply, .run = run_threads},
           [CALL_ON_ARRAYS] = {.applies = array_threads_apply, .run = array_threads_run}},
};
