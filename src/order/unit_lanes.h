/* Matrix products by a unit, eight columns at a time: for processors with AVX2. */
#ifndef DETCHECK_ORDER_UNIT_LANES_H
#define DETCHECK_ORDER_UNIT_LANES_H

#include "order/units.h"

/* Whether the unit adds in a way that lanes of 32 bits have room for. */
bool unit_has_lanes(const struct unit *unit);

/* As unit_multiply. Null where the compiler makes no AVX2. */
extern bool (*const unit_multiply_avx2)(const struct unit_product *product);

#endif
