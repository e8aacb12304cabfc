/* Sums beyond the largest number, which no array that is replayed has. */
#ifndef DETCHECK_REVEAL_OVERFLOW_H
#define DETCHECK_REVEAL_OVERFLOW_H

#include "reveal/replay.h"

/* Whether an implementation returns something else than the model where sums overflow: `text` says so, or is "". */
bool find_overflow(struct subject *subject, const struct model *model, char *text, size_t room,
                   struct error *error);

#endif
