/* Quantisers by name. */
#include "op/block/quantise.h"

#include "op/block/define.h"
#include "op/block/exact_rules.h"
#include "op/block/rules.h"
#include "op/block/search.h"

#include <string.h>

const char *const block_quantiser_names[] = {[QUANTISER_MAXIMUM] = "maximum",
                                             [QUANTISER_SQUARES] = "squares",
                                             [QUANTISER_LLAMA_CPP] = "llama-cpp",
                                             [QUANTISER_LLAMA_CPP_AVX2] = "llama-cpp-avx2",
                                             [QUANTISER_TORCHAO] = "torchao",
                                             [QUANTISER_TORCHAO_CEIL] = "torchao-ceil",
                                             [QUANTISER_TORCHAO_EVEN] = "torchao-even",
                                             [QUANTISER_TORCHAO_RCEIL] = "torchao-rceil",
                                             [QUANTISER_MODELOPT] = "modelopt",
                                             [QUANTISER_TRITON_UP] = "triton-up",
                                             [QUANTISER_TRITON_DOWN] = "triton-down",
                                             [QUANTISER_TRITON_NEAREST] = "triton-nearest",
                                             [QUANTISER_TRANSFORMER_ENGINE] = "transformer-engine",
                                             [QUANTISER_FOUR_OVER_SIX] = "four-over-six",
                                             [QUANTISER_CUDNN] = "cudnn",
                                             [QUANTISER_BITSANDBYTES] = "bitsandbytes",
                                             [QUANTISER_DEEPSEEK] = "deepseek",
                                             NULL};

const struct quantiser_rule *block_rule_of(int quantiser, const struct block_layout *layout) {
    for (const struct quantiser_rule *rule = quantiser_rules; rule->layout; rule++)
        if (rule->quantiser == quantiser && strcmp(rule->layout, layout->name) == 0)
            return rule;
    return NULL;
}

static bool is_search(int quantiser, const struct block_layout *layout) {
    return quantiser == QUANTISER_LLAMA_CPP && block_search_takes(layout);
}

bool block_quantiser_takes(int quantiser, const struct block_layout *layout) {
    return quantiser == QUANTISER_MAXIMUM ||
           (quantiser == QUANTISER_SQUARES && block_has_squares(layout)) ||
           is_search(quantiser, layout) || block_rule_of(quantiser, layout);
}

bool block_quantise(int quantiser, const struct block_coder *coder, const float *x,
                    float tensor_scale, uint8_t *bytes, struct error *error) {
    if (quantiser == QUANTISER_SQUARES)
        return block_define_squares(coder, x, (double)tensor_scale, bytes) ||
               error_set(error, "out of memory for the scales of a block");
    if (quantiser == QUANTISER_MAXIMUM)
        block_define_maximum(coder, x, (double)tensor_scale, bytes);
    else if (is_search(quantiser, coder->layout))
        block_search(coder->layout, x, bytes);
    else
        block_follow(block_rule_of(quantiser, coder->layout), coder->layout, x, tensor_scale,
                     bytes);
    return true;
}

bool block_quantise_exactly(int quantiser, struct block_exact *exact, const float *x,
                            uint8_t *bytes, struct error *error) {
    if (quantiser == QUANTISER_SQUARES)
        return block_exact_squares(exact, x, bytes) ||
               error_set(error, "out of memory for the scales of a block");
    if (quantiser == QUANTISER_MAXIMUM)
        block_exact_maximum(exact, x, bytes);
    else if (is_search(quantiser, exact->layout))
        block_search(exact->layout, x, bytes);
    else
        block_exact_follow(block_rule_of(quantiser, exact->layout), exact->layout, x,
                           (float)exact->tensor, bytes);
    return true;
}
