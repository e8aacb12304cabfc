/* Packed blocks as rows: what op/array.h asks for. */
#ifndef DETCHECK_OP_BLOCK_ROWS_H
#define DETCHECK_OP_BLOCK_ROWS_H

#include "op/array.h"
#include "op/block/layout.h"

enum { BLOCK_DATA, BLOCK_TENSOR_SCALE }; /* operands: numbers or bytes, and one number of fp32 */

/* --layout. */
static inline const struct block_layout *block_layout_of(const struct array_call *call) {
    return &block_layouts[parameter_integer(call->parameters, PARAMETER_LAYOUT, 0)];
}

extern const struct array_family block_number_families[], block_byte_families[];

#endif
