/* The instruction sets that det, cr and functions on vector registers are computed by, where the environment says so:
 * DETCHECK_LEVEL and DETCHECK_VECTOR_BYTES, in detcheck's own process and in those that it starts. */
#ifndef DETCHECK_IMPL_ENVIRONMENT_H
#define DETCHECK_IMPL_ENVIRONMENT_H

#include "base/error.h"

#include <stdbool.h>

/* At the start of a process. False where a variable is none of what there is here: the error names that. */
bool environment_take(struct error *why);

#endif
