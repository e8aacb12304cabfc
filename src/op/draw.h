/* Random numbers for families of inputs: every step is exact or a single operation in double, so that
 * every machine draws the same. */
#ifndef DETCHECK_OP_DRAW_H
#define DETCHECK_OP_DRAW_H

#include "op/array.h"

/* From 0 to 1 - 2^-53. */
double draw_unit(uint64_t key, uint64_t index);

/* The sum of twelve uniform numbers less 6, of `key` and the eleven keys behind it: mean 0,
 * variance 1, and no logarithm. */
enum { NORMAL_DRAWS = 12 };
double draw_normal(uint64_t key, uint64_t index);

/* An element as the number nearest to `value`; the largest stands for what is beyond. */
void array_set_double(const struct array *array, uint64_t index, double value);

#endif
