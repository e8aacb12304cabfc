/* The searches by which llama.cpp makes GGUF's blocks of 256, and iq4_nl: several scales are tried, and the one with the
 * least weighted error stays (ggml-quants.c, quantize_row_*_ref). In fp32, in the order of that file. */
#ifndef DETCHECK_OP_BLOCK_SEARCH_H
#define DETCHECK_OP_BLOCK_SEARCH_H

#include "op/block/layout.h"

bool block_search_takes(const struct block_layout *layout);

/* Writes a block of such a layout. If all magnitudes of a block of iq4_nl are below 1e-15, its codes are 0; ggml leaves the
 * codes of the block before. */
void block_search(const struct block_layout *layout, const float *x, uint8_t *bytes);

#endif
