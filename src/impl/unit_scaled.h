/* scaled.matmul by a matrix unit: the unit multiplies the data, and scales come after it. */
#ifndef DETCHECK_IMPL_UNIT_SCALED_H
#define DETCHECK_IMPL_UNIT_SCALED_H

#include "order/units.h"

#include "op/array.h"

/* Whether kernels with a unit have the scales and the result that are asked for, where sums are cut so; else why not. */
bool unit_scaled_provides(const struct array_call *call, enum unit_cut cut, struct error *why);

/* Fills data and scale. `like` has the unit, which sums to fp32 or fp16, and whether it goes by lanes. */
bool unit_scaled_multiply(const struct unit_product *like, enum unit_cut cut, size_t number,
                          const struct array_call *call, struct error *error);

#endif
