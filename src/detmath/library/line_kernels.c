/* Norms, gates, rotary embeddings and a first try of log_softmax for one instruction set: compiled several times, as reductions.c is. Where the processor
 * has vectors for kernels of lanes, what is ordinary goes through them; the headers do the rest, with the same bits. */
#include "kernels.h"
#include "reduction_list.h"

#include <string.h>

#include "log_softmax_first.h"

#include "gate_lanes.h"
#include "norm_lanes.h"
#include "rope_lanes.h"
#include "softmax_lanes.h"

#if defined(DETMATH_LANES)
#define BY_LANES(NAME) NAME##_of_lanes
#else
#define BY_LANES(NAME) detmath_##NAME
#endif

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

DETMATH_FLATTENED static void norm(float *y, const float *x, const float *weight, const float *bias,
                                   size_t n, float epsilon, enum detmath_norm which) {
#if defined(DETMATH_LANES)
    norm_of_lanes(y, x, weight, bias, n, epsilon, which);
#else
    if (which == DETMATH_LAYER_NORM)
        detmath_normf(y, x, weight, bias, n, epsilon, DETMATH_LAYER_NORM);
    else
        detmath_normf(y, x, weight, bias, n, epsilon, (int)which);
#endif
}

#define GATE(NAME)                                                                                 \
    DETMATH_FLATTENED static void NAME(float *y, const float *x, const float *u, size_t n) {       \
        BY_LANES(NAME##f)(y, x, u, n);                                                             \
    }
GATE(silu_mul)
GATE(gelu_mul)
GATE(gelu_tanh_mul)

DETMATH_FLATTENED static void rope_turns(float *turns, const struct detmath_wide *frequencies,
                                         size_t pairs, int64_t position) {
    BY_LANES(rope_turns)(turns, frequencies, pairs, position);
}

DETMATH_FLATTENED static void rope(float *y, const float *x, const float *turns, size_t pairs,
                                   int64_t position, int interleaved, size_t lines, size_t length) {
#if defined(DETMATH_LANES)
    rope_of_lanes(y, x, turns, pairs, position, interleaved, lines, length);
#else
    for (size_t line = 0; line < lines; line++)
        detmath_ropef(y + line * length, x + line * length, turns, pairs, position, interleaved);
#endif
}

void JOIN(detmath_softmax_, DETMATH_LEVEL)(float *y, const float *x, size_t n);
DETMATH_FLATTENED void JOIN(detmath_softmax_, DETMATH_LEVEL)(float *y, const float *x, size_t n) {
#if defined(DETMATH_LANES)
    if (y != x && n) {
        softmax_of_lanes(y, x, n);
        return;
    }
#endif
    detmath_softmaxf(y, x, n);
}

DETMATH_FLATTENED static int log_softmax(float *y, const float *x, size_t n) {
#if defined(DETMATH_HARDWARE_FMA)
    return log_softmax_first(y, x, n);
#else
    (void)y, (void)x, (void)n;
    return 0;
#endif
}

extern const struct detmath_line_kernels JOIN(detmath_line_kernels_, DETMATH_LEVEL);
const struct detmath_line_kernels JOIN(detmath_line_kernels_, DETMATH_LEVEL) = {
    .gates = {silu_mul, gelu_mul, gelu_tanh_mul},
    .norm = norm,
    .log_softmax = log_softmax,
    .rope_turns = rope_turns,
    .rope = rope};
