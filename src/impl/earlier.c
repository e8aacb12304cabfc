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
    for (int k = 0; k < request->operation->results; k++)
        memcpy((char *)earlier->results[k] + at * bytes, results[k], count * bytes);
    memset(earlier->state + at, EARLIER_KEPT, count);
    earlier->any = earlier->any || count;
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
            if (was != is && !(format_is_nan(format, was) && format_is_nan(format, is)))
                earlier->state[i] = EARLIER_DIFFERS;
        }
        if (earlier->state[i] == EARLIER_DIFFERS && first == at + count)
            first = i;
    }
    return first;
}
