/* Loops over all outputs that find the few that have to be looked at. A mark is 1; what is marked
 * stays so. */
#ifndef DETCHECK_EXPLAIN_MARK_H
#define DETCHECK_EXPLAIN_MARK_H

#include "format/format.h"

/* Where two arrays of codes, of 1, 2, 4 or 8 bytes each, differ. */
void mark_different(const void *a, const void *b, size_t bytes, uint8_t *marks, size_t count);

/* Where an array of codes has subnormal numbers. */
void mark_subnormal(const void *codes, const struct format *format, uint8_t *marks, size_t count);

#endif
