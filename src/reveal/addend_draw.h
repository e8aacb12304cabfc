/* Drawing a c that comes into a sum. */
#ifndef DETCHECK_REVEAL_ADDEND_DRAW_H
#define DETCHECK_REVEAL_ADDEND_DRAW_H

#include "format/format.h"

/* A number about a sum, or its negative but for some last bits; of a sum that is 0 or none about 1, of a small one a subnormal
 * number as well. */
uint64_t addend_draw(uint64_t *state, const struct format *format, uint64_t sum);

#endif
