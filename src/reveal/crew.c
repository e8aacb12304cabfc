/* One thread of OpenMP for each. */
#include "reveal/crew.h"

#include <stdlib.h>
#include <string.h>

static size_t result_size(const struct array_call *call) {
    return (size_t)shape_elements(&call->results[0].shape) * format_bytes(call->results[0].format);
}

bool crew_open(struct crew *crew, const struct implementation *implementation,
               const struct binding_request *request, unsigned threads,
               const struct array_call *call, struct error *error) {
    *crew = (struct crew){.others = 0};
    for (unsigned i = 1; i < threads && i <= CREW_MOST; i++) {
        if (!implementation_bind(&crew->bindings[crew->others], implementation, request, error))
            return false;
        crew->codes[crew->others] = malloc(result_size(call) + 1);
        if (!crew->codes[crew->others++])
            return error_set(error, "out of memory for an array");
    }
    return true;
}

void crew_close(struct crew *crew) {
    for (size_t i = 0; i < crew->others; i++) {
        binding_close(&crew->bindings[i]);
        free(crew->codes[i]);
    }
    crew->others = 0;
}

/* Only those of the thread that asks are told. */
static void pass_over(void *context, enum event_kind kind, size_t index) {
    (void)context;
    (void)kind;
    (void)index;
}

static bool fill_one(struct crew *crew, size_t number, const struct slice *slice,
                     struct error *error) {
    struct array_call call = *slice->array;
    struct slice own = *slice;
    uint8_t unanswered = 0;
    call.results[0].codes = crew->codes[number];
    own.array = &call;
    own.unanswered = &unanswered;
    return binding_fill(&crew->bindings[number], &own, pass_over, NULL, error);
}

bool crew_fill(struct crew *crew, struct binding *binding, const struct slice *slice,
               event_function *event, void *context, struct error *error) {
    const int threads = (int)crew->others + 1;
    bool good[CREW_MOST + 1] = {false};
    struct error errors[CREW_MOST + 1];
    if (!crew->others)
        return binding_fill(binding, slice, event, context, error);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads; i++)
        good[i] = i ? fill_one(crew, (size_t)i - 1, slice, &errors[i])
                    : binding_fill(binding, slice, event, context, &errors[0]);
    for (int i = 0; i < threads; i++)
        if (!good[i]) {
            *error = errors[i];
            return false;
        }
    for (size_t i = 0; i < crew->others; i++)
        if (memcmp(crew->codes[i], slice->array->results[0].codes, result_size(slice->array)) != 0)
            return error_set(
                error, "threads that make the same call at the same time get different results");
    return true;
}
