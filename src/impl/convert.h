/* Codes from one format to another, for implementations that compute in a wider format. */
#ifndef DETCHECK_IMPL_CONVERT_H
#define DETCHECK_IMPL_CONVERT_H

#include "format/format.h"

/* One code from format to format; exact when widening. A signalling NaN stays so. */
uint64_t convert_code(const struct format *from, const struct format *to, uint64_t code,
                      enum rounding rounding, enum overflow overflow);

#endif
