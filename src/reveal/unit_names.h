/* Which implementations mma: give all samples: rows of the table of matrix units, with cuts of the inner dimension. */
#ifndef DETCHECK_REVEAL_UNIT_NAMES_H
#define DETCHECK_REVEAL_UNIT_NAMES_H

#include "reveal/replay.h"

enum { UNIT_NAMES = 32, UNIT_NAME_TEXT = 64 };
struct unit_names {
    unsigned count;
    char of[UNIT_NAMES][UNIT_NAME_TEXT]; /* "mma:h100,split-k=2" */
};

/* For sums of products; fp64 left out, where a unit is a chain of fused additions as any processor has it. A cut is tried where it has more than one part; of those that fit, names of one row without a cut
 * come first. False with an error where the environment fails. */
bool unit_names_find(struct unit_names *names, struct replay_samples *samples, struct error *error);

#endif
