/* The searches by which llama.cpp makes GGUF's blocks of 256, and iq4_nl: several scales are tried, and the one with the
 * least weighted error stays (ggml-quants.c, quantize_row_*_ref). In fp32, in the order of that file. */
#ifndef DETCHECK_OP_BLOCK_SEARCH_H
#define DETCHECK_OP_BLOCK_SEARCH_H

#include "op/block/layout.h"

bool block_search_takes(const struct block_layout *layout);

/* A block of such a layout. Of a block of iq4_nl whose magnitudes are all below 1e-15, the codes are 0; ggml leaves those that
 * the block before had. */
void block_search(const struct block_layout *layout, const float *x, uint8_t *bytes);

#endif
