/* How numbers become packed blocks: a quantiser is a row of rules, not a program of its own. All
 * arithmetic is fp32's, in the order that the row says. detcheck-quantisers(7) has the versions that the rules
 * are read from. */
#ifndef DETCHECK_OP_BLOCK_QUANTISE_H
#define DETCHECK_OP_BLOCK_QUANTISE_H

#include "op/block/layout.h"

extern const char *const block_quantiser_names[]; /* --quantiser; ends with NULL */

/* Whether there is a rule of that quantiser (its number among the names) for the layout. */
bool block_quantiser_takes(int quantiser, const struct block_layout *layout);

/* A block of layout->elements numbers. */
void block_quantise(int quantiser, const struct block_layout *layout, const float *x,
                    float tensor_scale, uint8_t *bytes);

#endif
