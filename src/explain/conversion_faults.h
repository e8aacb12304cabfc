/* What conversions with a fault of one kind give (explain/conversion.h). Each is false where it says nothing of the input. */
#ifndef DETCHECK_EXPLAIN_CONVERSION_FAULTS_H
#define DETCHECK_EXPLAIN_CONVERSION_FAULTS_H

#include "explain/conversion.h"

/* An unsigned integer by its top bit, and the others, which are rounded before the two are added. */
bool predict_in_parts(const struct converted *input, uint64_t *predicted);

/* A number that is rounded up to a power of two, in the binade of the number: half as large. */
bool predict_without_carry(const struct converted *input, uint64_t *predicted);

/* A number beyond an int64 as the low bits of the end of int64 that lies there. */
bool predict_by_int64(const struct converted *input, uint64_t *predicted);

#endif
