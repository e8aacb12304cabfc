/* The operations of IEEE P3109 4.0, chapter 5, that take or make whole blocks. */
#ifndef DETCHECK_OP_P3109_BLOCKS_H
#define DETCHECK_OP_P3109_BLOCKS_H

#include "op/array.h"

/* Operands of reductions: a block is a line of elements and one scale. */
enum { BLOCK_X, BLOCK_X_SCALE, BLOCK_Y, BLOCK_Y_SCALE };
/* Results of the conversion that finds the scale. */
enum { BLOCK_ELEMENTS_MADE, BLOCK_SCALE_MADE };

/* What a reduction does with the numbers of a block, or of two. */
enum block_reduction { REDUCE_ADD, REDUCE_MULTIPLY, REDUCE_DOT };

/* `which` of the row is an enum block_reduction. */
bool p3109_exact_reduction(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error);
/* One after the other, each step rounded to nearest-even in the format of --accumulate (annex E). */
bool p3109_run_sequential(const struct array_call *call, const struct array_algorithm *algorithm,
                          struct error *error);

bool p3109_exact_conversion(const struct array_call *call, int result, int precision,
                            struct real *y, struct error *error);

/* The code of an exact result, by --rounding and --saturation, or those of the scale. */
uint64_t p3109_want(const struct array_call *call, int result, uint64_t element,
                    const struct real *y, bool *by_rule);

extern const struct array_family p3109_block_families[];

#endif
