/* Functions in the steps that others have published for them, for steps and forms: `sleef-u10` has exp as SLEEF computes it
 * within 1 ulp where there is fused multiply-add, and so PyTorch's kernels do. */
#ifndef DETCHECK_IMPL_STEPS_PUBLISHED_H
#define DETCHECK_IMPL_STEPS_PUBLISHED_H

#include "impl/implementation.h"

/* Has the operations of its rows; others are cr's. */
extern const struct implementation_kind implementation_sleef_u10;

#endif
