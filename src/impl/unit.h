/* `mma:UNIT`: products of arrays as a matrix unit computes them (order/units.h), on a machine without one. */
#ifndef DETCHECK_IMPL_UNIT_H
#define DETCHECK_IMPL_UNIT_H

#include "impl/implementation.h"

extern const struct implementation_kind implementation_unit;

#endif
