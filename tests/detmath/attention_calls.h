/* Calls of attention for its tests: one batch and one head. */
#ifndef DETCHECK_TESTS_DETMATH_ATTENTION_CALLS_H
#define DETCHECK_TESTS_DETMATH_ATTENTION_CALLS_H

#include "detmath/transformer.h"

#include "../base/random.h"

#include <stdint.h>

static uint64_t seed = 11;

/* From -2 to 2. */
static void fill(float *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        numbers[i] = (float)(4 * ((double)(random_bits(&seed) >> 11) * 0x1p-53) - 2);
}

struct attention_call {
    float *y;
    const float *q, *k, *v, *bias; /* for each query and key, or ALiBi's slope */
    size_t rows, n, width;
};

static int attend_with(const struct attention_call *call,
                       const struct detmath_attention_options *options) {
    const size_t by_query[4] = {1, 1, call->rows, call->width},
                 by_key[4] = {1, 1, call->n, call->width}, by_bias[4] = {1, 1, call->rows, call->n},
                 one = 1;
    const int is_slope = options->bias == DETMATH_BIAS_ALIBI;
    const struct detmath_strided out = {call->y, DETMATH_F32, 4, by_query, NULL},
                                 in = {(void *)(uintptr_t)call->q, DETMATH_F32, 4, by_query, NULL},
                                 with = {(void *)(uintptr_t)call->k, DETMATH_F32, 4, by_key, NULL},
                                 of = {(void *)(uintptr_t)call->v, DETMATH_F32, 4, by_key, NULL},
                                 bias = {(void *)(uintptr_t)call->bias, DETMATH_F32,
                                         is_slope ? 1 : 4, is_slope ? &one : by_bias, NULL};
    return detmath_attention(&out, &in, &with, &of, options->bias ? &bias : NULL, options);
}

#endif
