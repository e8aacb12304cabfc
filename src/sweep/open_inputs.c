/* Which inputs of a slice have no right result. */
#include "sweep/open_inputs.h"

#include "sweep/worker.h"

#include <string.h>

struct open_inputs open_inputs_of(const struct binding_request *computed) {
    struct open_inputs open = {.parameters = &computed->parameters};
    struct error unused;
    open.any = computed->operation->converts &&
               conversion_make(&open.cast, computed->format, computed->rounding,
                               &computed->parameters, &unused) &&
               cast_may_be_open(&open.cast);
    return open;
}

/* Whether codes that follow one another, finite and of one sign, are all open, or none: the ends say it. */
static bool are_alike(const struct worker *worker, uint64_t first, uint64_t last, size_t count) {
    const struct format *format = worker->request->computed.format;
    return format_is_plain(format) && last - first == count - 1 &&
           format_classify(format, first) < CLASS_INFINITE &&
           format_classify(format, last) < CLASS_INFINITE &&
           format_is_negative(format, first) == format_is_negative(format, last) &&
           cast_is_open(&worker->cast, first, 0) == cast_is_open(&worker->cast, last, 0);
}

void worker_note_open(struct worker *worker, size_t count) {
    const struct binding_request *computed = &worker->request->computed;
    const size_t bytes = format_bytes(computed->format);
    const uint64_t first = code_load(worker->inputs[0], bytes, 0);
    if (conversion_is_uniform(&worker->cast, &computed->parameters) &&
        are_alike(worker, first, code_load(worker->inputs[0], bytes, count - 1), count)) {
        memset(worker->not_called, cast_is_open(&worker->cast, first, 0), count);
        return;
    }
    for (size_t at = 0; at < count; at++)
        worker->not_called[at] = cast_is_open(
            &worker->cast, code_load(worker->inputs[0], bytes, at),
            conversion_random(&worker->cast, &computed->parameters, worker->first + at));
}
