/* What stands right around a call to see what it does to the exception flags and to errno. */
#ifndef DETCHECK_IMPL_CALL_WINDOW_H
#define DETCHECK_IMPL_CALL_WINDOW_H

#include "impl/implementation.h"
#include "oracle/flags.h"
#include "platform/exception_flags.h"
#include "platform/rounding_guard.h"

#include <errno.h>

struct call_window {
    bool set;         /* all flags are set before the call, and cleared ones are told; else none is,
                         and raised ones are told */
    bool both;        /* both places that hold flags are prepared and looked at */
    uint32_t control; /* exception_flags_control(), where only the first place is */
    uint8_t flags;    /* what is told of all calls since this was 0 */
    uint8_t errnos;   /* enum errno_kind of the last call */
};

/* Nothing but the call may stand between the two; the window may be NULL. */
static inline void call_window_open(const struct call_window *window) {
    if (!window)
        return;
    errno = 0;
    if (window->both)
        exception_flags_set_all(window->set);
    else if (!window->set)
        exception_flags_clear(window->control);
}
static inline void call_window_close(struct call_window *window) {
    if (!window)
        return;
    if (window->both)
        window->flags |= window->set ? exception_flags_lacking() : exception_flags_raised();
    else
        window->flags |=
            window->set ? ALL_FLAGS & (uint8_t)~exception_flags_now() : exception_flags_now();
    window->errnos = (uint8_t)errno_kind_of(errno);
}

/* Inputs of an array whose flags are told together. */
enum { FLAG_ARRAY = 64 };

/* The slice from input `first` on, with room for other results. */
struct slice array_of_slice(const struct slice *slice, const struct binding_request *request,
                            size_t first, uint64_t results[MAX_RESULTS][FLAG_ARRAY]);

/* Computes `count` inputs of a slice from `first` on by one call, in a window. The results are thrown
 * away: they are not those of the slice. */
typedef void compute_array(void *context, size_t first, size_t count, struct call_window *window);

/* How the calls of a slice are made. */
struct observed_calls {
    const struct slice *slice;
    size_t array; /* inputs of a call: 1, or FLAG_ARRAY */
    compute_array *compute;
    void *context;
    const struct rounding_guard *guard; /* NULL, or: set the environment back by it for each call */
};

/* Tells of a slice what it asks for: flags that calls raise, flags that they clear, errno. */
void observe_calls(const struct observed_calls *calls);

/* The same of the inputs from `from` to `to`, with a look at both places after each call. */
void observe_calls_carefully(const struct observed_calls *calls, size_t from, size_t to);

#endif
