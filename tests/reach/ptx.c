/* Prints fingerprints of every function of detmath, as CUDA's kernels compute them: by the C that ptx.py
 * made of their PTX, in the file REACH_PTX. */
#include "ptx.h"

#define REACH_BLOCK 4096
#include "driver.h"

#include REACH_PTX

typedef void kernel(uint64_t a, uint64_t b, uint64_t x, uint64_t y, uint32_t format, uint32_t n,
                    uint32_t thread);
static kernel *const kernels[][REACH_VARIANTS] = {
#define DETMATH_UNARY(NAME, ...)      {ptx_det_##NAME, ptx_cr_##NAME, ptx_narrow_##NAME},
#define DETMATH_BINARY(NAME, ...)     {ptx_det_##NAME, ptx_cr_##NAME, ptx_narrow_##NAME},
#define DETMATH_PAIR(NAME, A, B, ...) {ptx_det_##NAME, ptx_cr_##NAME, ptx_narrow_##NAME},
#include "detmath/functions.inc"
#define REACH_ROW(NAME) {ptx_det_##NAME, NULL, NULL},
    REACH_CODES(REACH_ROW)
#undef REACH_ROW
#define DETMATH_UNARY_F64(NAME, ...)  {ptx_det_##NAME##_f64, ptx_cr_##NAME##_f64, NULL},
#define DETMATH_BINARY_F64(NAME, ...) {ptx_det_##NAME##_f64, ptx_cr_##NAME##_f64, NULL},
#define DETMATH_PAIR_F64(NAME, A, B)  {ptx_det_##NAME##_f64, ptx_cr_##NAME##_f64, NULL},
#include "detmath/functions_f64.inc"
};

static int reach_compute(struct reach_work *work) {
    kernel *function = kernels[work->function][work->variant];
    uint32_t n = (uint32_t)work->n;
    if (!function)
        return 0;
    for (uint32_t thread = 0; thread < n; thread++)
        function((uintptr_t)work->results[0], (uintptr_t)work->results[1], (uintptr_t)work->x,
                 (uintptr_t)work->y, (uint32_t)work->format, n, thread);
    return 1;
}

/* What is flushed is written in PTX. */
static int reach_flush(void) {
    return 0;
}

int main(int argc, char **argv) {
    return reach_main(argc, argv);
}
