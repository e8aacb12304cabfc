/* Outputs of an implementation beside one another: of inputs that follow one another, and of inputs with either sign. */
#ifndef DETCHECK_SWEEP_JUDGE_PAIRS_H
#define DETCHECK_SWEEP_JUDGE_PAIRS_H

#include "sweep/worker.h"

/* Room where the request asks for monotony or symmetry; NULL is left where it does not. False when there is no
 * memory. */
bool worker_open_pairs(struct worker *worker);
void worker_close_pairs(struct worker *worker);

/* Counts the pairs of the slice that was judged, whose first `count` inputs were. The input that follows on the last
 * one is asked for by itself, so that each pair of the domain is in one slice, and shards have all of them together. */
bool worker_measure_pairs(struct worker *worker, size_t count, struct error *error);

#endif
