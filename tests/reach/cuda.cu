/* Prints fingerprints of every function of detmath, computed by the first CUDA device there is. To
 * flush subnormal numbers is the compiler's -ftz=true. */
#include "device.h"

#define REACH_BLOCK 0x100000
#include "driver.h"

typedef void kernel(detmath_u32 *a, detmath_u32 *b, const detmath_u32 *x, const detmath_u32 *y,
                    int format, detmath_u32 n);
static kernel *const kernels[][REACH_VARIANTS] = {
#define DETMATH_UNARY(NAME, ...)      {det_##NAME, cr_##NAME, narrow_##NAME},
#define DETMATH_BINARY(NAME, ...)     {det_##NAME, cr_##NAME, narrow_##NAME},
#define DETMATH_PAIR(NAME, A, B, ...) {det_##NAME, cr_##NAME, narrow_##NAME},
#include "detmath/functions.inc"
#define REACH_ROW(NAME) {det_##NAME, NULL, NULL},
    REACH_CODES(REACH_ROW)
#undef REACH_ROW
#define DETMATH_UNARY_F64(NAME, ...)  {det_##NAME##_f64, cr_##NAME##_f64, NULL},
#define DETMATH_BINARY_F64(NAME, ...) {det_##NAME##_f64, cr_##NAME##_f64, NULL},
#define DETMATH_PAIR_F64(NAME, A, B)  {det_##NAME##_f64, cr_##NAME##_f64, NULL},
#include "detmath/functions_f64.inc"
};

/* On the device: x, y and two results. */
static detmath_u32 *arrays[4];

static void need(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(2);
}

static void start(void) {
    int devices = 0;
    cudaDeviceProp device;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "compiled, but there is no CUDA device to run on\n");
        exit(77);
    }
    need(cudaGetDeviceProperties(&device, 0));
    fprintf(stderr, "CUDA on %s\n", device.name);
    for (int i = 0; i < 4; i++)
        need(cudaMalloc((void **)&arrays[i], REACH_BLOCK * sizeof(detmath_u32)));
}

static int reach_compute(struct reach_work *work) {
    size_t bytes = work->n * sizeof(detmath_u32), given = reach_is_long(work) ? 2 * bytes : bytes;
    unsigned blocks = (unsigned)((work->n + 255) / 256);
    if (!kernels[work->function][work->variant])
        return 0;
    if (!arrays[0])
        start();
    need(cudaMemcpy(arrays[0], work->x, given, cudaMemcpyHostToDevice));
    need(cudaMemcpy(arrays[1], work->y, given, cudaMemcpyHostToDevice));
    kernels[work->function][work->variant]<<<blocks, 256>>>(
        arrays[2], arrays[3], arrays[0], arrays[1], work->format, (detmath_u32)work->n);
    need(cudaGetLastError());
    for (int i = 0; i < reach_functions[work->function].results; i++)
        need(cudaMemcpy(work->results[i], arrays[2 + i], bytes, cudaMemcpyDeviceToHost));
    return 1;
}

static int reach_flush(void) {
    return 0;
}

int main(int argc, char **argv) {
    return reach_main(argc, argv);
}
