/* NaNs of outputs: all have one code where outputs are compared and hashed. */
#ifndef DETCHECK_SWEEP_NANS_H
#define DETCHECK_SWEEP_NANS_H

#include "format/format.h"

/* Puts the canonical NaN in place of every NaN. Returns how many were signalling. */
uint64_t make_nans_canonical(const struct format *format, void *codes, size_t count);

#endif
