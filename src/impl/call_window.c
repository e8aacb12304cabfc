/* Calls in blocks. One of the two places of flags is looked at after each call, and the other once
 * for each block; a block that turns out not to be so simple is gone through again call by call. */
#include "impl/call_window.h"

#include <string.h>

static size_t at_most(size_t count, size_t most) {
    return count < most ? count : most;
}

static void tell(uint8_t *bytes, size_t at, size_t count, uint8_t reported) {
    if (bytes)
        memset(bytes + at, reported, count);
}

struct slice array_of_slice(const struct slice *slice, const struct binding_request *request,
                            size_t first, const struct call_window *window,
                            uint64_t unused[MAX_RESULTS][FLAG_ARRAY]) {
    struct slice array = {.count = slice->count,
                          .first = slice->first + first,
                          .unanswered =
                              slice->unanswered && window->keep ? slice->unanswered + first : NULL};
    for (int i = 0; i < request->operation->operands; i++)
        array.operands[i] =
            (const char *)slice->operands[i] + first * format_bytes(request->format);
    for (int i = 0; i < request->operation->results; i++)
        array.results[i] = window->keep ? (char *)slice->results[i] +
                                              first * format_bytes(request_result_format(request))
                                        : (char *)unused[i];
    return array;
}

size_t observed_block(const struct observed_calls *calls) {
    return (calls->slice->count / OBSERVED_BLOCKS / OBSERVED_BLOCK + 1) * OBSERVED_BLOCK;
}

static uint8_t compute_quickly(const struct observed_calls *calls, size_t from, size_t to,
                               struct call_window window) {
    uint8_t lacking = 0;
    window.control = window.left = exception_flags_control();
    for (size_t at = from, count; at < to; at += count) {
        window.flags = 0;
        count = at_most(to - at, calls->array);
        calls->compute(calls->context, at, count, &window);
        lacking |= window.flags;
        if (!window.set) {
            tell(calls->slice->raised, at, count, window.flags);
            tell(calls->slice->errnos, at, count, window.errnos);
        }
    }
    if (!window.set)
        exception_flags_clear(window.left);
    return lacking;
}

/* All flags that calls raise. Where x87 has a flag after a block, it is not known which call raised
 * it. */
static void tell_raised(struct observed_calls *calls, bool keep) {
    const size_t total = calls->slice->count, block = observed_block(calls);
    for (size_t at = 0, k = 0; at < total; at += block, k++) {
        exception_flags_set_all(false);
        compute_quickly(calls, at, at + at_most(total - at, block),
                        (struct call_window){.keep = keep});
        exception_flags_clear(exception_flags_control());
        calls->doubtful[k] = exception_flags_raised() != 0;
    }
    calls->raised_is_reported = true;
}

/* Arrays are computed in as long a call as without a look at flags. Where it raises nothing, or what
 * nobody asks for, no array of it does. */
static void compute_long_array(struct observed_calls *calls) {
    const struct slice *slice = calls->slice;
    struct call_window window = {.both = true, .keep = true};
    calls->compute(calls->context, 0, slice->count, &window);
    if (slice->inexact_is_open)
        window.flags &= (uint8_t)~flag_bit(FLAG_INEXACT);
    calls->raised_is_reported = !window.flags && (!slice->errnos || window.errnos == ERRNO_NONE);
    if (calls->raised_is_reported) {
        tell(slice->raised, 0, slice->count, 0);
        tell(slice->errnos, 0, slice->count, ERRNO_NONE);
    }
}

void observe_results(struct observed_calls *calls) {
    if (calls->array > 1)
        compute_long_array(calls);
    else
        tell_raised(calls, true);
}

static void observe_carefully(const struct observed_calls *calls, size_t from, size_t to,
                              const struct rounding_guard *guard) {
    for (size_t at = from, count; at < to; at += count) {
        struct call_window raised = {.both = true}, cleared = {.both = true, .set = true};
        count = at_most(to - at, calls->array);
        if (guard)
            rounding_guard_repair(guard);
        calls->compute(calls->context, at, count, &raised);
        if (guard) {
            rounding_guard_changes(guard); /* which sets back what is not rounding */
            rounding_guard_repair(guard);
        }
        tell(calls->slice->raised, at, count, raised.flags);
        tell(calls->slice->errnos, at, count, raised.errnos);
        if (calls->slice->cleared) {
            calls->compute(calls->context, at, count, &cleared);
            tell(calls->slice->cleared, at, count, cleared.flags);
        }
        if (guard)
            rounding_guard_changes(guard);
    }
}

void observe_doubtful(const struct observed_calls *calls) {
    const size_t total = calls->slice->count, block = observed_block(calls);
    for (size_t at = 0, k = 0; at < total; at += block, k++)
        if (calls->doubtful[k])
            observe_carefully(calls, at, at + at_most(total - at, block), NULL);
}

/* What calls raise, then what they clear, then what is doubtful: where a call lacks a flag of x87, it
 * is not known whether it took away what an earlier one had raised. In this order, since call_watch
 * wants the passes in order. */
void observe_flags(struct observed_calls *calls, const struct rounding_guard *guard) {
    const size_t total = calls->slice->count, block = observed_block(calls);
    if (guard) {
        observe_carefully(calls, 0, total, guard);
        return;
    }
    if (!calls->raised_is_reported)
        tell_raised(calls, false);
    for (size_t at = 0, k = 0; calls->slice->cleared && at < total; at += block, k++) {
        exception_flags_set_all(true);
        uint8_t lacking = compute_quickly(calls, at, at + at_most(total - at, block),
                                          (struct call_window){.set = true});
        calls->doubtful[k] = calls->doubtful[k] || lacking || exception_flags_lacking();
        memset(calls->slice->cleared + at, 0, at_most(total - at, block));
    }
    observe_doubtful(calls);
}

void observe_calls(struct observed_calls *calls) {
    observe_results(calls);
    observe_flags(calls, NULL);
}
