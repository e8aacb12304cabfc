/* --sizes: how many lines the batches have that invariance tries. */
#ifndef DETCHECK_CMD_BATCH_OPTION_H
#define DETCHECK_CMD_BATCH_OPTION_H

#include "options.h"

#include "invariance/invariance.h"

/* Appends those that are given, in ascending order; none where the option is not. */
bool batch_sizes_given(const struct arguments *arguments, struct batch_sizes *sizes,
                       struct error *error);

#endif
