/* How numbers become packed blocks: a quantiser is a definition (op/block/define.h), or a row of rules that says what a
 * program does. detcheck-quantisers(7) has the versions that the rules are read from. */
#ifndef DETCHECK_OP_BLOCK_QUANTISE_H
#define DETCHECK_OP_BLOCK_QUANTISE_H

#include "base/error.h"
#include "op/block/coder.h"
#include "op/block/exact.h"
#include "op/block/rules.h"

/* In the order of the names. */
enum block_quantiser {
    QUANTISER_MAXIMUM,
    QUANTISER_SQUARES,
    QUANTISER_LLAMA_CPP,
    QUANTISER_LLAMA_CPP_AVX2,
    QUANTISER_TORCHAO,
    QUANTISER_TORCHAO_CEIL,
    QUANTISER_TORCHAO_EVEN,
    QUANTISER_TORCHAO_RCEIL,
    QUANTISER_MODELOPT,
    QUANTISER_TRITON_UP,
    QUANTISER_TRITON_DOWN,
    QUANTISER_TRITON_NEAREST,
    QUANTISER_TRANSFORMER_ENGINE,
    QUANTISER_FOUR_OVER_SIX,
    QUANTISER_CUDNN,
    QUANTISER_BITSANDBYTES,
    QUANTISER_DEEPSEEK
};
extern const char *const block_quantiser_names[]; /* --quantiser; ends with NULL */

/* The row of rules of a quantiser for a layout; NULL where it is a definition or a search, or has none. */
const struct quantiser_rule *block_rule_of(int quantiser, const struct block_layout *layout);

/* Whether there is a rule of that quantiser (its number among the names) for the layout. */
bool block_quantiser_takes(int quantiser, const struct block_layout *layout);

/* A block of layout->elements numbers, for a quantiser that takes the coder's layout. False without memory. */
bool block_quantise(int quantiser, const struct block_coder *coder, const float *x,
                    float tensor_scale, uint8_t *bytes, struct error *error);

/* The same for the oracle, by exact arithmetic: definitions and rules by code of their own, searches (op/block/search.h) by
 * the same code. */
bool block_quantise_exactly(int quantiser, struct block_exact *exact, const float *x,
                            uint8_t *bytes, struct error *error);

#endif
