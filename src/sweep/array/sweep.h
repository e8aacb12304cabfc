/* A sweep of an operation on arrays: sweep_run for those rows. */
#ifndef DETCHECK_SWEEP_ARRAY_SWEEP_H
#define DETCHECK_SWEEP_ARRAY_SWEEP_H

#include "sweep/sweep.h"

/* As sweep_run, which hands on to it. An input is one call (sweep/array/cases.h); an output is an
 * element of a result, and its sighting's input is {number of the call, number of the element}. */
bool array_sweep_run(const struct sweep_request *request, struct sweep_outcome *outcome,
                     struct error *error);

#endif
