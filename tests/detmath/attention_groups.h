/* Attention by work groups beside that of the library: draws for whoever runs the lanes. The bits have to be the same. */
#ifndef DETCHECK_TESTS_DETMATH_ATTENTION_GROUPS_H
#define DETCHECK_TESTS_DETMATH_ATTENTION_GROUPS_H

#include "detmath/transformer.h"

#include "../base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GROUPS_KEYS = 1100,
    GROUPS_WIDTH = 128,
    GROUPS_QUERIES = 9,
    GROUPS_KEY_NUMBERS = GROUPS_KEYS * GROUPS_WIDTH,
    GROUPS_QUERY_NUMBERS = GROUPS_QUERIES * GROUPS_WIDTH,
    GROUPS_BIASES = GROUPS_QUERIES * GROUPS_KEYS
};

/* A head as it is drawn: q, k and v row by row, as the library has them, and k turned, as groups have it. */
struct groups_call {
    size_t queries, n, width, values;
    int causal, has_bias;
    float scale, soft_cap;
    float *q, *k, *turned, *v, *bias, *y;
};

/* Computes y by groups. */
typedef void groups_run(const struct groups_call *call);

static float groups_memory[2 * GROUPS_QUERY_NUMBERS + 3 * GROUPS_KEY_NUMBERS + GROUPS_BIASES];
static uint64_t groups_seed = 5;
static int groups_wrong, groups_calls;
static size_t groups_elements;

static struct groups_call groups_call_of(size_t queries, size_t n, size_t width, size_t values) {
    struct groups_call call = {queries, n,    width, values, 0,    0,    0.25f,
                               0.0f,    NULL, NULL,  NULL,   NULL, NULL, NULL};
    call.q = groups_memory;
    call.y = call.q + GROUPS_QUERY_NUMBERS;
    call.k = call.y + GROUPS_QUERY_NUMBERS;
    call.turned = call.k + GROUPS_KEY_NUMBERS;
    call.v = call.turned + GROUPS_KEY_NUMBERS;
    call.bias = call.v + GROUPS_KEY_NUMBERS;
    for (size_t i = 0; i < sizeof groups_memory / sizeof *groups_memory; i++)
        groups_memory[i] = (float)(4 * ((double)(random_bits(&groups_seed) >> 11) * 0x1p-53) - 2);
    return call;
}

/* Every third key is masked, and for the first queries all of a block. */
static void groups_mask(struct groups_call *call) {
    call->has_bias = 1;
    for (size_t i = 0; i < call->queries * call->n; i++)
        if (i % 3 == 0 || (i / call->n < 2 && i % call->n / 64 == 1))
            call->bias[i] = -INFINITY;
}

static void groups_check(const struct groups_call *call, groups_run *run) {
    static float z[GROUPS_QUERY_NUMBERS];
    const size_t by_query[4] = {1, 1, call->queries, call->width},
                 by_key[4] = {1, 1, call->n, call->width},
                 by_value[4] = {1, 1, call->n, call->values},
                 by_result[4] = {1, 1, call->queries, call->values},
                 by_bias[4] = {1, 1, call->queries, call->n};
    const struct detmath_strided out = {z, DETMATH_F32, 4, by_result, NULL},
                                 in = {call->q, DETMATH_F32, 4, by_query, NULL},
                                 with = {call->k, DETMATH_F32, 4, by_key, NULL},
                                 of = {call->v, DETMATH_F32, 4, by_value, NULL},
                                 plus = {call->bias, DETMATH_F32, 4, by_bias, NULL};
    struct detmath_attention_options options;
    const size_t numbers = call->queries * call->values;
    memset(&options, 0, sizeof options);
    options.scale = call->scale;
    options.soft_cap = call->soft_cap;
    options.causal = call->causal;
    options.bias = call->has_bias ? DETMATH_BIAS_MASK : DETMATH_BIAS_NONE;
    for (size_t i = 0; i < call->n * call->width; i++)
        call->turned[i % call->width * call->n + i / call->width] = call->k[i];
    if (detmath_attention(&out, &in, &with, &of, call->has_bias ? &plus : NULL, &options))
        abort();
    run(call);
    groups_calls++;
    groups_elements += numbers;
    for (size_t i = 0; i < numbers; i++)
        if (memcmp(&call->y[i], &z[i], sizeof *z)) {
            groups_wrong++;
            printf("%zu queries, %zu keys, widths %zu and %zu%s%s: element %zu is %a and not %a\n",
                   call->queries, call->n, call->width, call->values,
                   call->causal ? ", causal" : "", call->has_bias ? ", biases" : "", i,
                   (double)call->y[i], (double)z[i]);
            break;
        }
}

/* Numbers of keys and widths; causal, with masks, with soft caps. */
static void groups_check_shapes(groups_run *run) {
    static const size_t shapes[][4] = {
        /* queries, keys, widths */
        {1, 1, 20, 70},   {1, 2, 8, 8},     {2, 63, 64, 64},
        {1, 64, 128, 64}, {9, 65, 64, 128}, {3, 200, 20, 70},
        {1, 449, 8, 8},   {2, 130, 1, 1},   {1, GROUPS_KEYS, 16, 16}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int which = 0; which < 3; which++) {
            const size_t *shape = shapes[i];
            struct groups_call call = groups_call_of(shape[0], shape[1], shape[2], shape[3]);
            call.causal = which > 0;
            call.soft_cap = which == 2 ? 1.5f : 0.0f;
            if (which == 2)
                groups_mask(&call);
            groups_check(&call, run);
        }
}

/* Scores of -inf, in all of a block too, values that are none, sums that overflow, weights that underflow; a NaN last. */
static void groups_check_special_values(groups_run *run) {
    struct groups_call call = groups_call_of(1, 300, 20, 70);
    for (size_t j = 0; j < call.n; j++) {
        if (j % 5 == 0 || (j >= 64 && j < 128))
            call.k[j * 20] = call.q[0] > 0 ? -INFINITY : INFINITY;
        call.v[j * 70] = j % 2 ? 0x1.fffffep127f : 0x1.fffffcp127f;
        call.v[j * 70 + 1] = j == 70 ? NAN : 1; /* of a key that counts nothing */
        call.v[j * 70 + 2] = j == 71 || j == 201 ? INFINITY : 1;
        call.v[j * 70 + 3] = j == 70 ? 0x1p100f : 0x1p-100f;
        call.v[j * 70 + 66] = -0.0f;
    }
    groups_check(&call, run);
    groups_wrong +=
        call.y[1] != 1 || !isinf(call.y[2]) || call.y[3] != 0x1p-100f || !signbit(call.y[66]);
    for (size_t j = 0; j < call.n; j++)
        call.k[j * 20] = call.q[0] > 0 ? -INFINITY : INFINITY;
    groups_check(&call, run);
    call.k[200 * 20] = NAN;
    groups_check(&call, run);
    groups_wrong += !isnan(call.y[5]);
    call = groups_call_of(2, 200, 64, 64);
    call.scale = 40.0f;
    groups_check(&call, run);
    call.scale = 0x1p20f;
    groups_check(&call, run);
}

static int groups_result(void) {
    printf("%d of %d calls of %zu elements have other bits\n", groups_wrong, groups_calls,
           groups_elements);
    return groups_wrong != 0 || groups_calls < 30;
}

#endif
