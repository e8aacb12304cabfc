/* What a state may hold. Its bytes come from a file, and what they say is used as numbers of elements,
 * inputs, codes and texts: a file whose hash fits, but which no run has written, is to be refused, and
 * to lead to no place that is not there. */
#ifndef DETCHECK_SWEEP_CHECKPOINT_SOUND_H
#define DETCHECK_SWEEP_CHECKPOINT_SOUND_H

#include "sweep/sweep.h"

/* An error, a time, a score: a number from 0, or infinity. */
bool sound_number(double number);

/* Codes of the operands. */
bool sound_codes(const struct binding_request *computed, const uint64_t *codes);

#endif
