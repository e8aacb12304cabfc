/* Calls of a C function in windows. */
#include "impl/remote/c_observe.h"

#include <string.h>
#include <unistd.h>

/* Which time it is that the slice is gone through: call_watch.at. */
enum { PASS_RAISED = 2, PASS_CLEARED = 3, PASS_CAREFUL = 4 };

struct observation {
    const struct c_function *function;
    const struct slice *slice;
    const struct call_watch *watch;
};

static uint32_t at_of(const struct observation *o, size_t index, uint32_t pass) {
    return (uint32_t)(pass * o->slice->count + index) + 1;
}

/* The hot case, as compute_calls: what is found after each call is looked at when all are made. */
enum { MOST_CALLS = 4096 };

#define LOOP(NUMBER, MEMBER)                                                                       \
    static void loop_##NUMBER(const struct observation *o, size_t from, size_t to, bool set,       \
                              uint32_t *found) {                                                   \
        const struct call_watch watch = *o->watch; /* which no call can change */                  \
        const struct slice slice = *o->slice;                                                      \
        NUMBER (*const function)(NUMBER) = o->function->call.MEMBER;                               \
        const uint32_t control = exception_flags_control(),                                        \
                       pass = set ? PASS_CLEARED : PASS_RAISED;                                    \
        for (size_t i = from; i < to; i++) {                                                       \
            uint32_t at = at_of(o, i, pass);                                                       \
            NUMBER x;                                                                              \
            memcpy(&x, (const char *)slice.operands[0] + i * sizeof x, sizeof x);                  \
            call_watch_begin(&watch, at, at);                                                      \
            if (slice.errnos)                                                                      \
                errno = 0;                                                                         \
            if (!set)                                                                              \
                exception_flags_clear(control);                                                    \
            (void)function(x);                                                                     \
            exception_flags_store(&found[i - from]);                                               \
            if (slice.errnos && !set)                                                              \
                slice.errnos[i] = (uint8_t)errno_kind_of(errno);                                   \
            call_watch_end(&watch, at, slice.count, i);                                            \
        }                                                                                          \
    }
LOOP(float, fp32_1)
LOOP(double, fp64_1)

static uint8_t loop_hot(void *context, size_t from, size_t to, bool set) {
    const struct observation *o = context;
    uint32_t found[MOST_CALLS], kept = UINT32_MAX;
    for (size_t at = from, count; at < to; at += count) {
        count = to - at < MOST_CALLS ? to - at : MOST_CALLS;
        (o->function->computed->width == 64 ? loop_double : loop_float)(o, at, at + count, set,
                                                                        found);
        for (size_t i = 0; i < count; i++)
            kept &= found[i];
        for (size_t i = 0; i < count && !set && o->slice->raised; i++)
            o->slice->raised[at + i] = exception_flags_of(found[i]);
    }
    return set ? ALL_FLAGS & (uint8_t)~exception_flags_of(kept) : 0;
}

static uint32_t pass_of(const struct call_window *window) {
    return window->both ? PASS_CAREFUL : window->set ? PASS_CLEARED : PASS_RAISED;
}

static void compute_one(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observation *o = context;
    uint64_t unused[MAX_RESULTS];
    (void)count;
    c_function_call_one(o->function, o->slice, first, at_of(o, first, pass_of(window)), o->watch,
                        window, unused);
}

static void compute_many(void *context, size_t first, size_t count, struct call_window *window) {
    const struct observation *o = context;
    uint64_t unused[MAX_RESULTS][FLAG_ARRAY];
    struct slice array = array_of_slice(o->slice, &o->function->request, first, unused);
    uint32_t at = count == 1 ? at_of(o, first, pass_of(window)) : 0;
    c_function_call_many(o->function, &array, 0, count, at, o->watch, window);
}

void c_function_observe(const struct c_function *function, const struct slice *slice,
                        const struct rounding_guard *guard, unsigned changes,
                        const struct call_watch *watch) {
    struct unwatched otherwise;
    const struct call_watch watching = call_watch_or(watch, &otherwise);
    struct observation o = {function, slice, &watching};
    bool many = c_function_is_of_many(function);
    const struct observed_calls calls = {.slice = slice,
                                         .array = many && !slice->flags_of_each ? FLAG_ARRAY : 1,
                                         .compute = many ? compute_many : compute_one,
                                         .loop = c_function_is_hot(function) ? loop_hot : NULL,
                                         .context = &o,
                                         .guard = changes ? guard : NULL};
    int before = errno;
    observe_calls(&calls);
    *watching.at = 0;
    errno = before;
}

void c_function_fill_here(const struct c_function *function, const struct slice *slice,
                          event_function *event, void *context) {
    pid_t process = getpid();
    struct rounding_guard guard;
    rounding_guard_enter(&guard, function->request.rounding);
    c_function_fill(function, slice, NULL);
    if (getpid() != process) /* the function has made a copy of this process and returned in both */
        _exit(0);
    unsigned changes = rounding_guard_changes(&guard);
    if (changes)
        c_function_find_changes(function, slice, &guard, changes, NULL, event, context);
    c_function_observe(function, slice, &guard, changes, NULL);
    rounding_guard_leave(&guard);
}
