/* Packed blocks as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_BLOCK_ROWS_H
#define DETCHECK_OP_BLOCK_ROWS_H

#include "op/array.h"
#include "op/block/layout.h"

/* Operands: numbers or bytes, one number of fp32, and of packed.nearest bytes that have scales. */
enum { BLOCK_DATA, BLOCK_TENSOR_SCALE, BLOCK_SCALED };

/* --layout. */
static inline const struct block_layout *block_layout_of(const struct array_call *call) {
    return &block_layouts[parameter_integer(call->parameters, PARAMETER_LAYOUT, 0)];
}

extern const struct array_family block_number_families[], block_byte_families[];

#endif
