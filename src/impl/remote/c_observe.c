/* Calls of a C function in windows. */
#include "impl/remote/c_observe.h"

#include "base/vector.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Which time it is that the slice is gone through: call_watch.at. */
enum { PASS_RESULTS = 0, PASS_RAISED = 2, PASS_CLEARED = 3, PASS_CAREFUL = 4 };

struct observation {
    const struct c_function *function;
    const struct slice *slice;
    const struct call_watch *watch;
};

static uint32_t at_of(const struct observation *o, size_t index, uint32_t pass) {
    return (uint32_t)(pass * o->slice->count + index) + 1;
}

/* The hot case. What is found after each call is looked at when MOST_CALLS are made: to wait for a
 * call to end takes longer than the call, and so does to look at what was found. */
enum { MOST_CALLS = 4096, GROUP = 64 };

struct hot_calls {
    struct observation observation;
    uint32_t control; /* exception_flags_control() of the environment that was set */
    uint8_t before;   /* flags that are set before the calls for results */
};

/* The calls for results, with a look after each, or one after the last, and then without errno; and
 * again, all flags being set, with a look after each or one after the last. */
#define LOOPS(NUMBER, MEMBER)                                                                      \
    static inline void compute_##NUMBER##_looking(const struct hot_calls *hot, size_t from,        \
                                                  size_t to, uint32_t *found, bool each) {         \
        const struct call_watch watch = *hot->observation.watch; /* which no call can change */    \
        const struct slice slice = *hot->observation.slice;                                        \
        NUMBER (*const function)(NUMBER) = hot->observation.function->call.MEMBER;                 \
        const uint32_t before = hot->control | exception_flags_bits(hot->before);                  \
        if (!each)                                                                                 \
            exception_flags_clear(before);                                                         \
        for (size_t i = from; i < to; i++) {                                                       \
            NUMBER x, y;                                                                           \
            memcpy(&x, (const char *)slice.operands[0] + i * sizeof x, sizeof x);                  \
            call_watch_begin(&watch, (uint32_t)i + 1, i + 1);                                      \
            if (each && slice.errnos)                                                              \
                errno = 0;                                                                         \
            if (each)                                                                              \
                exception_flags_clear(before);                                                     \
            y = function(x);                                                                       \
            if (each)                                                                              \
                exception_flags_store(&found[i - from]);                                           \
            if (each && slice.errnos)                                                              \
                slice.errnos[i] = (uint8_t)errno_kind_of(errno);                                   \
            call_watch_end(&watch, i + 1, slice.count, i);                                         \
            memcpy((char *)slice.results[0] + i * sizeof y, &y, sizeof y);                         \
        }                                                                                          \
        if (!each)                                                                                 \
            exception_flags_store(found);                                                          \
    }                                                                                              \
    static void compute_##NUMBER(const struct hot_calls *hot, size_t from, size_t to,              \
                                 uint32_t *found, bool each) {                                     \
        if (each)                                                                                  \
            compute_##NUMBER##_looking(hot, from, to, found, true);                                \
        else                                                                                       \
            compute_##NUMBER##_looking(hot, from, to, found, false);                               \
    }                                                                                              \
    static void repeat_##NUMBER(const struct hot_calls *hot, size_t from, size_t to,               \
                                uint32_t *found_of_each, uint32_t *found) {                        \
        const struct call_watch watch = *hot->observation.watch;                                   \
        const struct slice slice = *hot->observation.slice;                                        \
        NUMBER (*const function)(NUMBER) = hot->observation.function->call.MEMBER;                 \
        for (size_t i = from; i < to; i++) {                                                       \
            uint32_t at = at_of(&hot->observation, i, PASS_CLEARED);                               \
            NUMBER x;                                                                              \
            memcpy(&x, (const char *)slice.operands[0] + i * sizeof x, sizeof x);                  \
            call_watch_begin(&watch, at, at);                                                      \
            (void)function(x);                                                                     \
            if (found_of_each)                                                                     \
                exception_flags_store(&found_of_each[i - from]);                                   \
            call_watch_end(&watch, at, slice.count, i);                                            \
        }                                                                                          \
        exception_flags_store(found);                                                              \
    }
LOOPS(float, fp32_1)
LOOPS(double, fp64_1)

static bool is_wide(const struct hot_calls *hot) {
    return hot->observation.function->computed->width == 64;
}

/* Parts what was found: flags that were raised, and that were cleared. Returns what differs from
 * control in what there is besides flags. */
FOR_EACH_CPU static uint32_t part_found(const uint32_t *restrict found, size_t count,
                                        uint32_t control, uint8_t before, uint8_t *restrict raised,
                                        uint8_t *restrict cleared) {
    uint32_t differing = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t flags = exception_flags_of(found[i]);
        differing |= exception_flags_control_of(found[i]) ^ control;
        raised[i] = flags & (uint8_t)~before;
        cleared[i] = before & (uint8_t)~flags;
    }
    return differing;
}

/* What calls have left behind, into the slice; returns what they have left besides flags: that of the
 * last that left anything else than there was. */
static uint32_t tell_found(const struct hot_calls *hot, size_t at, size_t count,
                           const uint32_t *found) {
    const struct slice *slice = hot->observation.slice;
    uint8_t unused[MOST_CALLS];
    uint32_t left = hot->control,
             differing = part_found(found, count, hot->control, hot->before, slice->raised + at,
                                    slice->cleared ? slice->cleared + at : unused);
    for (size_t i = 0; i < count && differing; i++)
        if (exception_flags_control_of(found[i]) != hot->control)
            left = exception_flags_control_of(found[i]);
    return left;
}

/* Whether these calls, none of which is looked at, together raise nothing that is asked for: then none
 * of them does, as one that cleared what another raised is found by repeat_block. */
static bool compute_quietly(const struct hot_calls *hot, size_t from, size_t to) {
    const struct slice *slice = hot->observation.slice;
    uint32_t found;
    (is_wide(hot) ? compute_double : compute_float)(hot, from, to, &found, false);
    if (exception_flags_control_of(found) != hot->control ||
        exception_flags_of(found) != hot->before)
        return false;
    memset(slice->raised + from, 0, to - from);
    memset(slice->cleared + from, 0, to - from);
    return true;
}

/* Looks at each of these calls; returns whether one raised something. */
static bool compute_looking(const struct hot_calls *hot, size_t from, size_t to, uint32_t *left) {
    const uint8_t *raised = hot->observation.slice->raised;
    uint32_t found[MOST_CALLS];
    (is_wide(hot) ? compute_double : compute_float)(hot, from, to, found, true);
    uint32_t left_here = tell_found(hot, from, to - from, found);
    if (left_here != hot->control)
        *left = left_here;
    return raised[from] || memcmp(raised + from, raised + from + 1, to - from - 1) != 0;
}

/* Fills the results of a block, and tells what the calls raise. Which of them set a flag of x87 is
 * not known. Where whether calls are inexact is asked for, or errno, each is looked at; else only those
 * of groups that raise something, which are made again, and those that follow. */
static bool compute_block(const struct hot_calls *hot, size_t from, size_t to, uint32_t *left) {
    const struct slice *slice = hot->observation.slice;
    const bool by_groups = hot->before && slice->cleared && !slice->errnos;
    bool each = !by_groups;
    exception_flags_set_all(false);
    for (size_t at = from, most = by_groups ? GROUP : MOST_CALLS, count; at < to; at += count) {
        count = to - at < most ? to - at : most;
        if (each || !compute_quietly(hot, at, at + count))
            each = compute_looking(hot, at, at + count, left) || !by_groups;
    }
    exception_flags_clear(hot->control);
    return exception_flags_raised();
}

/* The calls of a block again, all flags being set. What one of them clears stays clear to the end of
 * its group where all calls of the group raise the same: what they do not raise, none of them sets
 * again; and a call that raises what is clear does not clear it. Where it is not known whether they
 * raise inexact, it was set before, and they were looked at for that. */
static bool repeat_block(const struct hot_calls *hot, size_t from, size_t to) {
    const uint8_t *raised = hot->observation.slice->raised;
    uint32_t kept = UINT32_MAX;
    exception_flags_set_all(true);
    for (size_t at = from, count; at < to; at += count) {
        uint32_t found_of_each[GROUP], found;
        count = to - at < GROUP ? to - at : GROUP;
        bool each = memcmp(raised + at, raised + at + 1, count - 1) != 0;
        (is_wide(hot) ? repeat_double : repeat_float)(hot, at, at + count,
                                                      each ? found_of_each : NULL, &found);
        kept &= found;
        for (size_t i = 0; i < count && each; i++)
            kept &= found_of_each[i];
    }
    return (ALL_FLAGS & ~exception_flags_of(kept)) || exception_flags_lacking();
}

static uint32_t pass_of(const struct call_window *window) {
    return window->keep   ? PASS_RESULTS
           : window->both ? PASS_CAREFUL
           : window->set  ? PASS_CLEARED
                          : PASS_RAISED;
}

static void compute_one(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observation *o = context;
    size_t bytes = format_bytes(o->function->wanted);
    uint64_t results[MAX_RESULTS];
    (void)count;
    c_function_call_one(o->function, o->slice, first, at_of(o, first, pass_of(window)), o->watch,
                        window, results);
    for (int i = 0; window->keep && i < o->function->request.operation->results; i++)
        code_store(o->slice->results[i], bytes, first, results[i]);
}

static void compute_many(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observation *o = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    struct slice array = array_of_slice(o->slice, &o->function->request, first, window, unused);
    uint32_t at = count == 1 ? at_of(o, first, pass_of(window)) : 0;
    c_function_call_many(o->function, &array, 0, count, at, o->watch, window);
}

/* The hot case: blocks of calls for results and flags at once. Leaves behind what a call has changed. */
static void observe_hot_results(const struct hot_calls *hot, struct observed_calls *calls) {
    const size_t total = calls->slice->count, block = observed_block(calls);
    uint32_t left = hot->control;
    for (size_t at = 0, k = 0; at < total; at += block, k++)
        calls->doubtful[k] = compute_block(hot, at, total - at < block ? total : at + block, &left);
    exception_flags_clear(left);
}

/* Then again for flags that they clear, and call by call where a block was not so simple. */
static void observe_hot_flags(const struct hot_calls *hot, struct observed_calls *calls) {
    const size_t total = calls->slice->count, block = observed_block(calls);
    for (size_t at = 0, k = 0; calls->slice->cleared && at < total; at += block, k++)
        calls->doubtful[k] |= repeat_block(hot, at, total - at < block ? total : at + block);
    observe_doubtful(calls);
}

/* A function of vector registers is called for each input where the flags of each are asked for: that
 * function, as one of a number. */
static struct c_function for_flags_of_each(const struct c_function *function) {
    struct c_function one = *function;
    const struct operation *operation = one.request.operation;
    if (!one.vector.lanes || operation->operands != 1 || operation->results != 1)
        return one;
    union vector_one call = vector_abi_for_one(&one.vector, one.call.address);
    if (one.computed->width == 64)
        one.call.fp64_1 = call.fp64;
    else
        one.call.fp32_1 = call.fp32;
    one.vector.lanes = 0;
    return one;
}

static void fill_observed(const struct c_function *given, const struct slice *slice,
                          const struct rounding_guard *guard, const struct call_watch *watch,
                          event_function *event, void *context) {
    struct unwatched otherwise;
    const struct c_function function_of_one =
                                slice->flags_of_each ? for_flags_of_each(given) : *given,
                            *function = &function_of_one;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    const bool is_hot = c_function_is_hot(function);
    const bool settable = EXCEPTION_FLAGS_ARE_SETTABLE && slice->inexact_is_open;
    const struct hot_calls hot = {.observation = {function, slice, &watching},
                                  .control = exception_flags_control(),
                                  .before = settable ? flag_bit(FLAG_INEXACT) : 0};
    const bool many = c_function_is_of_many(function);
    struct observed_calls calls = {.slice = slice,
                                   .array = many && !slice->flags_of_each ? FLAG_ARRAY : 1,
                                   .compute = many ? compute_many : compute_one,
                                   .context = (void *)(uintptr_t)&hot.observation};
    int before = errno;
    *watching.at = 0;
    if (is_hot)
        observe_hot_results(&hot, &calls);
    else
        observe_results(&calls);
    unsigned changes = rounding_guard_changes(guard);
    if (changes)
        c_function_find_changes(function, slice, guard, changes, watch, event, context);
    if (is_hot && !changes)
        observe_hot_flags(&hot, &calls);
    else
        observe_flags(&calls, changes ? guard : NULL);
    *watching.at = 0;
    errno = before;
}

/* Tells of the outputs that were not written: nothing else has marked inputs. */
static void tell_unwritten(const struct c_function *function, const struct slice *slice,
                           event_function *event, void *context) {
    const uint8_t *marks = slice->unanswered, *at = marks;
    if (!c_function_may_leave(function) || !marks)
        return;
    for (; (at = memchr(at, 1, slice->count - (size_t)(at - marks))); at++) {
        event(context, EVENT_NOT_WRITTEN, (size_t)(at - marks));
        if (at + 1 == marks + slice->count)
            return;
    }
}

void c_function_fill_guarded(const struct c_function *function, const struct slice *slice,
                             const struct rounding_guard *guard, const struct call_watch *watch,
                             event_function *event, void *context) {
    if (slice->raised)
        fill_observed(function, slice, guard, watch, event, context);
    else {
        c_function_fill(function, slice, watch);
        unsigned changes = rounding_guard_changes(guard);
        if (changes)
            c_function_find_changes(function, slice, guard, changes, watch, event, context);
    }
    tell_unwritten(function, slice, event, context);
}

bool c_function_fill_conditioned(const struct c_function *function, const struct slice *slice,
                                 const struct rounding_guard *guard, const struct call_watch *watch,
                                 event_function *event, void *context, struct error *error) {
    bool good = c_function_fill_arranged(function, slice, watch, error);
    c_function_tell_changes(rounding_guard_changes(guard), 0, event, context);
    rounding_guard_repair(guard);
    tell_unwritten(function, slice, event, context);
    return good;
}

/* The slice with marks, which may be the caller's. The room is to be freed. False when memory is out. */
static bool with_marks(const struct c_function *function, struct slice *slice, uint8_t **room,
                       struct error *error) {
    *room = NULL;
    if (slice->unanswered || !c_function_may_leave(function))
        return true;
    slice->unanswered = *room = calloc(slice->count ? slice->count : 1, 1);
    return *room || error_set(error, "out of memory");
}

bool c_function_fill_harmless(const struct c_function *function, const struct slice *given,
                              event_function *event, void *context, struct error *error) {
    struct slice slice = *given;
    uint8_t *room;
    if (!with_marks(function, &slice, &room, error))
        return false;
    bool good = true;
    if (slice.conditions)
        good = c_function_fill_arranged(function, &slice, NULL, error);
    else
        c_function_fill(function, &slice, NULL);
    tell_unwritten(function, &slice, event, context);
    free(room);
    return good;
}

/* Operands that the function may write over, against its word, without the caller's being other ones for the judge
 * than for the function. To be freed. */
static bool copy_operands(const struct c_function *function, struct slice *slice, uint8_t **room,
                          struct error *error) {
    const size_t bytes = slice->count * format_bytes(function->request.format);
    const int operands = function->request.operation->operands;
    *room = malloc((size_t)operands * bytes + 1);
    if (!*room)
        return error_set(error, "out of memory");
    for (int i = 0; i < operands; i++) {
        memcpy(*room + (size_t)i * bytes, slice->operands[i], bytes);
        slice->operands[i] = *room + (size_t)i * bytes;
    }
    return true;
}

bool c_function_fill_here(const struct c_function *function, const struct slice *given,
                          event_function *event, void *context, struct error *error) {
    pid_t process = getpid();
    struct rounding_guard guard;
    struct slice slice = *given;
    uint8_t *room = NULL, *operands = NULL;
    if (function->request.bare) {
        c_function_fill(function, given, NULL);
        return true;
    }
    bool good = (slice.conditions || copy_operands(function, &slice, &operands, error)) &&
                with_marks(function, &slice, &room, error);
    rounding_guard_enter(&guard, c_function_mode(&function->request));
    if (good && slice.conditions)
        good = c_function_fill_conditioned(function, &slice, &guard, NULL, event, context, error);
    else if (good)
        c_function_fill_guarded(function, &slice, &guard, NULL, event, context);
    if (getpid() != process) /* the function has made a copy of this process and returned in both */
        _exit(0);
    rounding_guard_leave(&guard);
    free(operands);
    free(room);
    return good;
}
