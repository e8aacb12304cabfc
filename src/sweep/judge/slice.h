/* The quick ways to judge a slice of consecutive inputs, of which worker.c chooses. */
#ifndef DETCHECK_SWEEP_JUDGE_SLICE_H
#define DETCHECK_SWEEP_JUDGE_SLICE_H

#include "sweep/worker.h"

/* Conversions (cast.c): whether outputs can be judged by runs, and that. */
bool worker_can_judge_runs(const struct worker *worker);
void worker_judge_runs(struct worker *worker, uint64_t first, size_t *count, void *const *outputs);

/* Judges a slice of consecutive codes with the filter. */
bool worker_judge_fast(struct worker *worker, int result, uint64_t first, size_t *count,
                       void *const *outputs, struct error *error);

#endif
