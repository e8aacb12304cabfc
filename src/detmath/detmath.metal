// detmath for Metal: det, which needs fp32 alone, as functions (detmath_expf and so on) and as a kernel for each.
// The functions are those of the headers beside this file; metal has no double, so that cr is left out.
//
// Compile with fast math off and without contraction, which would change bits:
//     xcrun metal -fno-fast-math -ffp-contract=off -I FOLDER_OF_THE_HEADERS detmath.metal
// or MTLCompileOptions.mathMode = MTLMathModeSafe. Where fast math is on, language.h refuses.
//
// Prove it as any port: README.md, "Proving a port".
#include <metal_stdlib>

#if defined(__METAL_VERSION__) && __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif

#include "attention_group.h"
#include "core.h"
#include "round.h"

#define DETMATH_FAMILIES
#include "functions.inc"

// detmath_exp_kernel: y[i] of x[i] for i < n; of two operands x and then their seconds, of two results y and then
// the others.
#define DETMATH_UNARY(NAME, ...)                                                                                      \
    kernel void detmath_##NAME##_kernel(device float *y [[buffer(0)]], device const float *x [[buffer(1)]],      \
                                        constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {    \
        if (i < n)                                                                                               \
            y[i] = detmath_##NAME##f(x[i]);                                                                      \
    }
#define DETMATH_BINARY(NAME, ...)                                                                                     \
    kernel void detmath_##NAME##_kernel(device float *z [[buffer(0)]], device const float *x [[buffer(1)]],      \
                                        device const float *y [[buffer(2)]], constant uint &n [[buffer(3)]],     \
                                        uint i [[thread_position_in_grid]]) {                                    \
        if (i < n)                                                                                               \
            z[i] = detmath_##NAME##f(x[i], y[i]);                                                                \
    }
#define DETMATH_PAIR(NAME, A, B, ...)                                                                                 \
    kernel void detmath_##NAME##_kernel(device float *first [[buffer(0)]], device float *second [[buffer(1)]],   \
                                        device const float *x [[buffer(2)]], constant uint &n [[buffer(3)]],     \
                                        uint i [[thread_position_in_grid]]) {                                    \
        float a, b;                                                                                              \
        if (i < n) {                                                                                             \
            detmath_##NAME##f(x[i], &a, &b);                                                                     \
            first[i] = a;                                                                                        \
            second[i] = b;                                                                                       \
        }                                                                                                        \
    }
#include "functions.inc"

// Attention of the queries of one head (attention_group.h): any number of thread groups of 64 shares them. Of `room` each has
// detmath_attention_group_room(keys, value_width) numbers, and of threadgroup(0) DETMATH_ATTENTION_SHARED floats. keys are
// turned: element d of key j is keys[d * call.keys + j]. Where call.has_bias is 0 any buffer will do for bias.
struct detmath_attention_call {
    ulong queries, keys, width, value_width;
    int causal, has_bias;
    float scale, soft_cap; // soft_cap 0: none
};
kernel void detmath_attention_kernel(device float *y [[buffer(0)]], device const float *q [[buffer(1)]],
                                     device const float *keys [[buffer(2)]], device const float *values [[buffer(3)]],
                                     device const float *bias [[buffer(4)]], device float *room [[buffer(5)]],
                                     constant detmath_attention_call &call [[buffer(6)]],
                                     threadgroup float *shared [[threadgroup(0)]],
                                     uint group [[threadgroup_position_in_grid]],
                                     uint groups [[threadgroups_per_grid]],
                                     uint lane [[thread_index_in_threadgroup]]) {
    struct detmath_attention_scoring all;
    struct detmath_attention_head head;
    all.scale = call.scale;
    all.soft_cap = call.soft_cap;
    head.q = q;
    head.keys = keys;
    head.values = values;
    head.bias = call.has_bias ? bias : 0;
    head.y = y;
    head.queries = call.queries;
    head.n = call.keys;
    head.width = call.width;
    head.value_width = call.value_width;
    head.causal = call.causal;
    device float *own = room + group * detmath_attention_group_room(head.n, head.value_width);
    detmath_attention_group_queries(&all, &head, detmath_attention_group_of(shared, own, head.n), (int)lane, group, groups);
}
