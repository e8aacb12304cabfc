/* Keeping and comparing. */
#include "impl/earlier.h"

#include <stdlib.h>
#include <string.h>

bool earlier_open(struct earlier_answers *earlier, const struct binding_request *request,
                  size_t count) {
    bool room = true;
    *earlier = (struct earlier_answers){.state = calloc(count ? count : 1, 1)};
    for (int k = 0; k < request->operation->results; k++) {
        earlier->results[k] = malloc((count ? count : 1) * sizeof(uint64_t));
        room = room && earlier->results[k];
    }
    return room && earlier->state;
}

void earlier_close(struct earlier_answers *earlier) {
    for (int k = 0; k < MAX_RESULTS; k++)
        free(earlier->results[k]);
    free(earlier->state);
    *earlier = (struct earlier_answers){.any = false};
}

void earlier_keep(struct earlier_answers *earlier, const struct binding_request *request, size_t at,
                  size_t count, const void *const *results) {
    size_t bytes = format_bytes(request_result_format(request));
    for (size_t i = 0; i < count; i++) {
        if (earlier->state[at + i] == EARLIER_KEPT)
            continue;
        for (int k = 0; k < request->operation->results; k++)
            code_store(earlier->results[k], bytes, at + i, code_load(results[k], bytes, i));
        earlier->state[at + i] = EARLIER_KEPT;
    }
    earlier->any = earlier->any || count;
}

/* All NaNs are one answer. */
static bool is_same(const struct format *format, uint64_t a, uint64_t b) {
    return a == b || (format_is_nan(format, a) && format_is_nan(format, b));
}

size_t earlier_compare(struct earlier_answers *earlier, const struct binding_request *request,
                       const struct slice *slice, size_t at, size_t count) {
    const struct format *format = request_result_format(request);
    size_t bytes = format_bytes(format), first = at + count;
    for (size_t i = at; i < at + count; i++) {
        if (earlier->state[i] != EARLIER_KEPT)
            continue;
        earlier->state[i] = EARLIER_NONE;
        for (int k = 0; k < request->operation->results; k++) {
            uint64_t was = code_load(earlier->results[k], bytes, i);
            uint64_t is = code_load(slice->results[k], bytes, i);
            if (!is_same(format, was, is))
                earlier->state[i] = EARLIER_DIFFERS;
        }
        if (earlier->state[i] == EARLIER_DIFFERS && first == at + count)
            first = i;
    }
    return first;
}

size_t earlier_next(const struct earlier_answers *earlier, const struct slice *slice, size_t at) {
    while (earlier->any && at < slice->count &&
           (earlier->state[at] != EARLIER_DIFFERS || (slice->unanswered && slice->unanswered[at])))
        at++;
    return earlier->any ? at : slice->count;
}

void earlier_prefer_difference(struct earlier_answers *earlier,
                               const struct binding_request *request, const struct slice *slice,
                               void *const *other) {
    const struct format *format = request_result_format(request);
    size_t bytes = format_bytes(format);
    for (size_t at = earlier_next(earlier, slice, 0); at < slice->count;
         at = earlier_next(earlier, slice, at + 1))
        for (int k = 0; k < request->operation->results; k++)
            if (is_same(format, code_load(slice->results[k], bytes, at),
                        code_load(other[k], bytes, at)))
                code_store(slice->results[k], bytes, at, code_load(earlier->results[k], bytes, at));
    earlier_forget(earlier, slice->count);
}

void earlier_forget(struct earlier_answers *earlier, size_t count) {
    if (earlier->any)
        memset(earlier->state, EARLIER_NONE, count);
    earlier->any = false;
}
