/* Families of inputs for operations on arrays: seeded, the same on every machine. */
#ifndef DETCHECK_OP_ARRAY_FAMILIES_H
#define DETCHECK_OP_ARRAY_FAMILIES_H

#include "op/array.h"

/* For sums and products; each ends with a row without a name. */
extern const struct array_family sum_families[];
/* The same, and numbers with a large mean. */
extern const struct array_family norm_families[];
/* For exponentials: the same names, at sizes where e^x tells something. */
extern const struct array_family exponential_families[];

#endif
