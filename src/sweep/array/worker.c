/* Binding implementations, and room for what is counted of them. */
#include "sweep/array/worker.h"

#include "sweep/worker.h"

#include <stdlib.h>

bool array_worker_open(struct array_worker *worker, const struct sweep_request *request,
                       const struct format *const *results, struct error *reasons,
                       struct error *error) {
    size_t count = request->implementation_count;
    worker->bindings = calloc(count, sizeof *worker->bindings);
    worker->provided = calloc(count, sizeof *worker->provided);
    worker->tallies = calloc(count * MAX_RESULTS, sizeof *worker->tallies);
    worker->pairs = calloc(count * count, sizeof *worker->pairs);
    bool room = worker->bindings && worker->provided && worker->tallies && worker->pairs;
    for (size_t i = 0; room && i < count * MAX_RESULTS; i++)
        if (results[i % MAX_RESULTS])
            room = tally_open(&worker->tallies[i], results[i % MAX_RESULTS],
                              request->computed.rounding);
    if (!room)
        return error_set(error, "out of memory");
    room = sweep_bind(request, worker->bindings, worker->provided, reasons, error);
    for (size_t a = 0; room && a < count; a++)
        for (size_t b = a + 1; b < count; b++)
            if (worker->provided[a] && worker->provided[b]) {
                worker->pairs[worker->pair_count].a = a;
                worker->pairs[worker->pair_count++].b = b;
            }
    return room;
}

void array_worker_close(struct array_worker *worker, const struct sweep_request *request) {
    for (size_t i = 0; worker->provided && i < request->implementation_count; i++)
        if (worker->provided[i])
            binding_close(&worker->bindings[i]);
    for (size_t i = 0; worker->tallies && i < request->implementation_count * MAX_RESULTS; i++)
        tally_close(&worker->tallies[i]);
    free(worker->bindings);
    free(worker->provided);
    free(worker->tallies);
    free(worker->pairs);
}
