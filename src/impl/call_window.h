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
    bool keep;        /* the results are those of the slice; else they are thrown away */
    uint32_t control; /* exception_flags_control(), where only the first place is */
    uint32_t left;    /* the same after the last call that left another one */
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
    else {
        uint32_t bits;
        exception_flags_store(&bits);
        uint8_t flags = exception_flags_of(bits);
        window->flags |= window->set ? ALL_FLAGS & (uint8_t)~flags : flags;
        if (exception_flags_control_of(bits) != window->control)
            window->left = exception_flags_control_of(bits);
    }
    window->errnos = (uint8_t)errno_kind_of(errno);
}

/* Inputs of an array whose flags are told together; parts of a slice that are doubtful or not, each a
 * multiple of OBSERVED_BLOCK inputs. */
enum { FLAG_ARRAY = 64, OBSERVED_BLOCKS = 256, OBSERVED_BLOCK = 512 };

/* The slice from input `first` on; its results go to `unused` where the window does not keep them. */
struct slice array_of_slice(const struct slice *slice, const struct binding_request *request,
                            size_t first, const struct call_window *window,
                            uint64_t unused[MAX_RESULTS][FLAG_ARRAY]);

/* Computes `count` inputs of a slice from `first` on in a window: by one call, unless the window keeps
 * the results, where inputs that are computed as arrays may all be asked for. */
typedef void compute_array(void *context, size_t first, size_t count, struct call_window *window);

/* How the calls of a slice are made, and what is known after observe_results. */
struct observed_calls {
    const struct slice *slice;
    size_t array; /* inputs of a call: 1, or FLAG_ARRAY */
    compute_array *compute;
    void *context;
    bool raised_is_reported;
    bool doubtful[OBSERVED_BLOCKS + 1]; /* to be gone through again call by call */
};

/* Fills the results of a slice, and looks at what the calls raise meanwhile. */
void observe_results(struct observed_calls *calls);

/* Then tells of the slice the rest of what it asks for: flags that calls raise, flags that they clear,
 * errno. A guard, unless it is NULL, sets the environment back for each call. */
void observe_flags(struct observed_calls *calls, const struct rounding_guard *guard);

/* Both, of calls that leave the environment alone. */
void observe_calls(struct observed_calls *calls);

/* For those who make the calls of blocks themselves: the inputs of a block; and the blocks that turned
 * out to be doubtful once more, with a look at both places after each call. */
size_t observed_block(const struct observed_calls *calls);
void observe_doubtful(const struct observed_calls *calls);

#endif
