/* The fingerprints by the library's array forms (src/detmath/library/arrays.c) in place of the headers' scalars: the loops
 * and vectors of an instruction set, from any compiler and under any emulator, in the caller's environment.
 *
 * --fill NAME det|cr COUNT FROM TO computes so many numbers, evenly from one to the other, and prints nothing: for who counts
 * instructions. */
#include "detmath/families_f64.h" /* before any lanes are vectors */
#define DETMATH_LEVEL reach
#include "detmath/library/arrays.c"
#include "detmath/library/arrays_f64.c"
#define LEVEL reach
#include "detmath/library/kernel_list.inc"

enum { REACH_BLOCK = 4096 };
#include "driver.h"

/* Codes of one or two bytes, as array forms take and give them. */
static void pack(void *to, const uint32_t *codes, size_t n, size_t bytes) {
    for (size_t i = 0; i < n; i++)
        memcpy((char *)to + i * bytes,
               bytes == 1 ? (const void *)&(uint8_t){(uint8_t)codes[i]}
                          : &(uint16_t){(uint16_t)codes[i]},
               bytes);
}

static void unpack(uint32_t *codes, const void *from, size_t n, size_t bytes) {
    for (size_t i = 0; i < n; i++) {
        uint16_t two = 0;
        memcpy(&two, (const char *)from + i * bytes, bytes == 1 ? 0 : bytes);
        codes[i] = bytes == 1 ? ((const uint8_t *)from)[i] : two;
    }
}

static void narrow(const struct detmath_kernels *kernels, struct reach_work *work) {
    static uint16_t operands[2][REACH_BLOCK], results[2][REACH_BLOCK];
    size_t bytes = work->format <= REACH_BF16 ? 2 : 1;
    pack(operands[0], work->x, work->n, bytes);
    pack(operands[1], work->y, work->n, bytes);
    kernels->cr(work->format, (void *const[]){results[0], results[1]},
                (const void *const[]){operands[0], operands[1]}, work->n);
    unpack(work->results[0], results[0], work->n, bytes);
    unpack(work->results[1], results[1], work->n, bytes);
}

static int compute_f64(const struct detmath_kernels_f64 *kernels, struct reach_work *work) {
    static double x[REACH_BLOCK], y[REACH_BLOCK], z[REACH_BLOCK];
    const size_t n = reach_is_long(work) ? 2 * work->n : work->n;
    if (work->variant == REACH_NARROW)
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = (uint64_t)work->x[i] << 32 | work->y[i];
        memcpy(&x[i], &bits, sizeof bits);
    }
    (work->variant == REACH_DET ? kernels->det : kernels->cr)(
        (void *[]){y, z}, (const void *[]){x, x + work->n}, work->n);
    for (size_t i = 0; i < work->n; i++) {
        uint64_t bits, second;
        memcpy(&bits, &y[i], sizeof bits);
        memcpy(&second, &z[i], sizeof second);
        bits ^= kernels->det_scalar.pair ? second << 1 | second >> 63 : 0;
        work->results[0][i] = (uint32_t)(bits >> 32);
        work->results[1][i] = (uint32_t)bits;
    }
    return 1;
}

static int reach_compute(struct reach_work *work) {
    if (work->function >= REACH_FIRST_F64)
        return compute_f64(kernels_f64_reach[work->function - REACH_FIRST_F64], work);
    if (work->function >= DETMATH_FUNCTIONS) /* those of codes.h */
        return 0;
    const struct detmath_kernels *kernels = kernels_reach[work->function];
    void *const results[] = {work->results[0], work->results[1]};
    const void *const operands[] = {work->x, work->y};
    if (work->variant == REACH_DET)
        kernels->det(results, operands, work->n);
    else if (work->variant == REACH_CR)
        kernels->cr(DETMATH_F32, results, operands, work->n);
    else
        narrow(kernels, work);
    return 1;
}

static int reach_flush(void) {
    return 0; /* the library sees to it that nothing is flushed */
}

static int fill(char **arguments) {
    enum { MOST = 1 << 16 };
    static float x[MOST], y[MOST], results[2][MOST];
    size_t n = strtoul(arguments[2], NULL, 10);
    float from = strtof(arguments[3], NULL),
          step = (strtof(arguments[4], NULL) - from) / (float)MOST;
    for (size_t i = 0; i < MOST; i++) {
        x[i] = from + step * (float)i;
        y[i] = 1.5f;
    }
    for (int k = 0; k < DETMATH_FUNCTIONS; k++) {
        const struct detmath_kernels *kernels = kernels_reach[k];
        if (n > MOST || strcmp(kernels->name, arguments[0]) != 0)
            continue;
        void *const to[] = {results[0], results[1]};
        const void *const operands[] = {x, y};
        if (strcmp(arguments[1], "cr") == 0)
            kernels->cr(DETMATH_F32, to, operands, n);
        else
            kernels->det(to, operands, n);
        return 0;
    }
    return 2;
}

int main(int argc, char **argv) {
    if (argc == 7 && strcmp(argv[1], "--fill") == 0)
        return fill(argv + 2);
    return reach_main(argc, argv);
}
