/* `lut`: a look-up table of correctly rounded results, made by the oracle when it is bound: of one
 * operand of up to 16 bits, or of two of 8. As `detcheck table` prints it. */
#ifndef DETCHECK_IMPL_LUT_H
#define DETCHECK_IMPL_LUT_H

#include "impl/implementation.h"

enum { LUT_MOST_BITS = 16 };

extern const struct implementation_kind implementation_lut;

/* The table for a request, operands in bit-pattern order, the first one slowest; NULL with an error
 * where there is none. The caller's to free. */
uint64_t *lut_make(const struct binding_request *request, struct error *error);

#endif
