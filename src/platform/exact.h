/* Correctly rounded fma and sqrt in integers, as a measure for the platform's. */
#ifndef DETCHECK_PLATFORM_EXACT_H
#define DETCHECK_PLATFORM_EXACT_H

#include "format/format.h"

#include <stdint.h>

/* Codes in and out of a format of at most 24 bits of precision, rounded to nearest-even once.
 * Nothing is computed in floating point, so neither the library nor the state of the processor has
 * a say in it. */
uint64_t exact_fma(const struct format *format, uint64_t x, uint64_t y, uint64_t z);
uint64_t exact_sqrt(const struct format *format, uint64_t x);

#endif
