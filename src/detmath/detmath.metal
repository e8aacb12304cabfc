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
