/* What the rows of inner.h share, and where they are. */
#ifndef DETCHECK_REVEAL_INNER_PARTS_H
#define DETCHECK_REVEAL_INNER_PARTS_H

#include "reveal/inner.h"

/* Both end with a row without a name. */
extern const struct inner_sum inner_norms[], inner_attention[], inner_convolution[];

/* The number that an element is; NaN for what is none. */
double inner_get(const struct array *array, uint64_t index);
void inner_put(const struct array *array, uint64_t index, double value);
/* The terms of the simpler call, line after line. */
const struct array *inner_terms(const struct inner_call *inner);

#endif
