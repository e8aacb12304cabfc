/* Rules of programs, each operation exact and rounded once to fp32. */
#ifndef DETCHECK_OP_BLOCK_EXACT_RULES_H
#define DETCHECK_OP_BLOCK_EXACT_RULES_H

#include "op/block/rules.h"

/* A block by a row, as op/block/rules.h says. */
void block_exact_follow(const struct quantiser_rule *rule, const struct block_layout *layout,
                        const float *x, float tensor_scale, uint8_t *bytes);

#endif
