/* A worker's other way of making and judging a slice of inputs: of an operation on arrays, whose inputs
 * are calls (sweep/array/cases.h). An output is an element of a result, and its witness's input is
 * {number of the call, number of the element}. */
#ifndef DETCHECK_SWEEP_ARRAY_JUDGE_H
#define DETCHECK_SWEEP_ARRAY_JUDGE_H

#include "sweep/worker.h"

/* Which of the elements of all calls are those of a shape. */
struct array_places {
    uint64_t *first;             /* by shape and result: elements of the results before it */
    uint64_t total[MAX_RESULTS]; /* elements of all results */
};

/* Also sets the formats of the results; those that there are not stay. */
bool array_places_open(struct array_places *places, const struct sweep_request *request,
                       const struct format **result_formats, struct error *error);
void array_places_close(struct array_places *places);

/* Makes call `number`, computes it by every implementation, judges all elements, and digests the
 * results: implementation i's result r into digests[(i * MAX_RESULTS + r) * stride]. Not all of it
 * where the request's stop flag is set meanwhile. */
bool array_worker_run(struct worker *worker, const struct array_places *places, uint64_t number,
                      struct block_digest *digests, size_t stride, struct error *error);

#endif
