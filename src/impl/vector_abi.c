/* Arrays by way of vector registers: whole ones, and one that is filled up. */
#include "impl/vector_abi.h"

#include "impl/vector_loops.h"

#include <stdalign.h>
#include <string.h>

#if defined(__x86_64__)

static const struct loops {
    vector_loop *loop;
    vector_for_one *for_one;
} loops[][2] = {{{vector_loop_fp32_16, vector_loop_fp32_16_for_one},
                 {vector_loop_fp64_16, vector_loop_fp64_16_for_one}},
                {{vector_loop_fp32_32, vector_loop_fp32_32_for_one},
                 {vector_loop_fp64_32, vector_loop_fp64_32_for_one}},
                {{vector_loop_fp32_64, vector_loop_fp32_64_for_one},
                 {vector_loop_fp64_64, vector_loop_fp64_64_for_one}}};

static const struct loops *loops_of(const struct vector_abi *abi) {
    size_t element = format_bytes(abi->format), bytes = abi->lanes * element;
    return &loops[bytes == 64 ? 2 : bytes == 32][element == sizeof(double)];
}

#else

/* No processor without these registers gets here: vector_symbol.c asks for its features. */
static const struct loops {
    vector_loop *loop;
    vector_for_one *for_one;
} * loops_of(const struct vector_abi *abi) {
    (void)abi;
    return NULL;
}

#endif

/* A register of the last `rest` elements, from `whole` on, of which the last is repeated. Of results it
 * is what they hold before the call: what a function does not write has to stay (impl/unwritten.h). */
static void fill_up(char *lanes, const void *array, size_t element, size_t whole, size_t rest,
                    size_t count) {
    for (size_t i = 0; i < count; i++)
        memcpy(lanes + i * element,
               (const char *)array + (whole + (i < rest ? i : rest - 1)) * element, element);
}

void vector_abi_call(const struct vector_abi *abi, void *function,
                     const struct operation *operation, void *const *z, const void *const *x,
                     size_t count) {
    enum { MOST_BYTES = 64 };
    size_t element = format_bytes(abi->format), rest = count % abi->lanes, whole = count - rest;
    vector_loop *loop = loops_of(abi)->loop;
    loop(abi, function, operation, z, x, whole);
    if (rest == 0)
        return;
    /* The loops read and write them as arrays of numbers. */
    alignas(MOST_BYTES) char operands[MAX_OPERANDS][MOST_BYTES];
    alignas(MOST_BYTES) char results[MAX_RESULTS][MOST_BYTES];
    void *tail_z[MAX_RESULTS] = {0};
    const void *tail_x[MAX_OPERANDS] = {0};
    for (int k = 0; k < operation->operands; k++) {
        fill_up(operands[k], x[k], element, whole, rest, abi->lanes);
        tail_x[k] = operands[k];
    }
    for (int k = 0; k < operation->results; k++) {
        tail_z[k] = results[k];
        fill_up(results[k], z[k], element, whole, rest, abi->lanes);
    }
    loop(abi, function, operation, tail_z, tail_x, abi->lanes);
    for (int k = 0; k < operation->results; k++)
        memcpy((char *)z[k] + whole * element, results[k], rest * element);
}

union vector_one vector_abi_for_one(const struct vector_abi *abi, void *function) {
    return loops_of(abi)->for_one(function);
}
