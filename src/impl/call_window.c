/* Calls in blocks. One of the two places of flags is looked at after each call, and the other once
 * for each block; a block that turns out not to be so simple is gone through again call by call. */
#include "impl/call_window.h"

#include <string.h>

/* Inputs of a block: a multiple of FLAG_ARRAY. */
enum { BLOCK = 512 };

static size_t at_most(size_t count, size_t most) {
    return count < most ? count : most;
}

static void tell(uint8_t *bytes, size_t at, size_t count, uint8_t told) {
    if (bytes)
        memset(bytes + at, told, count);
}

struct slice array_of_slice(const struct slice *slice, const struct binding_request *request,
                            size_t first, uint64_t results[MAX_RESULTS][FLAG_ARRAY]) {
    struct slice array = {.count = slice->count};
    for (int i = 0; i < request->operation->operands; i++)
        array.operands[i] =
            (const char *)slice->operands[i] + first * format_bytes(request->format);
    for (int i = 0; i < request->operation->results; i++)
        array.results[i] = results[i];
    return array;
}

static uint8_t compute_quickly(const struct observed_calls *calls, size_t from, size_t to,
                               bool set) {
    const uint32_t control = exception_flags_control();
    uint8_t lacking = 0;
    for (size_t at = from, count; at < to; at += count) {
        struct call_window window = {.set = set, .control = control};
        count = at_most(to - at, calls->array);
        calls->compute(calls->context, at, count, &window);
        lacking |= window.flags;
        if (!set) {
            tell(calls->slice->raised, at, count, window.flags);
            tell(calls->slice->errnos, at, count, window.errnos);
        }
    }
    return lacking;
}

void observe_calls_carefully(const struct observed_calls *calls, size_t from, size_t to) {
    for (size_t at = from, count; at < to; at += count) {
        struct call_window raised = {.both = true}, cleared = {.both = true, .set = true};
        count = at_most(to - at, calls->array);
        if (calls->guard)
            rounding_guard_repair(calls->guard);
        calls->compute(calls->context, at, count, &raised);
        if (calls->guard) {
            rounding_guard_changes(calls->guard); /* which sets back what is not rounding */
            rounding_guard_repair(calls->guard);
        }
        tell(calls->slice->raised, at, count, raised.flags);
        tell(calls->slice->errnos, at, count, raised.errnos);
        if (calls->slice->cleared) {
            calls->compute(calls->context, at, count, &cleared);
            tell(calls->slice->cleared, at, count, cleared.flags);
        }
        if (calls->guard)
            rounding_guard_changes(calls->guard);
    }
}

/* All flags that calls raise, then all that they clear, then what is doubtful: where x87 has a flag
 * after a block, which call raised it is not known, and where one lacks a flag, not whether it took
 * away what an earlier one had raised. In this order, since call_watch wants the passes in order. */
void observe_calls(const struct observed_calls *calls) {
    enum { MOST_BLOCKS = 256 };
    size_t count = calls->slice->count;
    size_t block = (count / MOST_BLOCKS / BLOCK + 1) * BLOCK;
    bool doubtful[MOST_BLOCKS + 1] = {false};
    if (!calls->slice->raised && !calls->slice->errnos)
        return;
    if (calls->guard) {
        observe_calls_carefully(calls, 0, count);
        return;
    }
    for (size_t at = 0, k = 0; at < count; at += block, k++) {
        exception_flags_set_all(false);
        compute_quickly(calls, at, at + at_most(count - at, block), false);
        exception_flags_clear(exception_flags_control());
        doubtful[k] = exception_flags_raised() != 0;
    }
    for (size_t at = 0, k = 0; calls->slice->cleared && at < count; at += block, k++) {
        exception_flags_set_all(true);
        uint8_t lacking = compute_quickly(calls, at, at + at_most(count - at, block), true);
        doubtful[k] = doubtful[k] || lacking || exception_flags_lacking();
        memset(calls->slice->cleared + at, 0, at_most(count - at, block));
    }
    for (size_t at = 0, k = 0; at < count; at += block, k++)
        if (doubtful[k])
            observe_calls_carefully(calls, at, at + at_most(count - at, block));
}
