/* Prints fingerprints of det as detmath.metal has it, whose kernels are called one input at a time. Metal's names
 * are those of metal/metal_stdlib. */
#define __METAL_VERSION__ 310
#include "detmath/detmath.metal"
#undef kernel
#undef device
#undef thread
#undef threadgroup
#undef constant

#define REACH_BLOCK 0x10000
#include "driver.h"

#include <vector>

static std::vector<float> floats(const uint32_t *words, size_t n) {
    std::vector<float> numbers(n);
    std::memcpy(numbers.data(), words, n * sizeof *words);
    return numbers;
}

static int reach_compute(struct reach_work *work) {
    uint n = (uint)work->n;
    const std::vector<float> x = floats(work->x, n), y = floats(work->y, n);
    std::vector<float> first(n), second(n);
    if (work->variant != REACH_DET)
        return 0;
    switch (work->function) {
#define EACH(NAME, ...)                                                                            \
    case REACH_INDEX_##NAME:                                                                       \
        for (uint i = 0; i <= n; i++) /* the last one has to be left alone */                      \
            detmath_##NAME##_kernel(__VA_ARGS__, n, i);                                            \
        break;
#define DETMATH_UNARY(NAME, ...)      EACH(NAME, first.data(), x.data())
#define DETMATH_BINARY(NAME, ...)     EACH(NAME, first.data(), x.data(), y.data())
#define DETMATH_PAIR(NAME, A, B, ...) EACH(NAME, first.data(), second.data(), x.data())
#include "detmath/functions.inc"
    default:
        return 0;
    }
    std::memcpy(work->results[0], first.data(), n * sizeof(float));
    std::memcpy(work->results[1], second.data(), n * sizeof(float));
    return 1;
}

static int reach_flush(void) {
    return 0;
}

int main(int argc, char **argv) {
    return reach_main(argc, argv);
}
