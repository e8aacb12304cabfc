/* detcheck asks, the first CUDA device answers.
 *
 *     nvcc -O2 cuda_adapter.cu -o cuda_adapter
 *     detcheck sweep sin --impl exec:./cuda_adapter
 *
 * fp32 and fp64, as nvcc's options have it (-use_fast_math, -ftz=true, -fmad=false ...). To measure
 * a kernel of your own, change the table. */
#include "adapter.h"

/* Each row is a type whose operator computes one number: CUDA's functions are overloaded. */
#define FUNCTION(NAME, EXPRESSION)                                                                 \
    struct NAME##_function {                                                                       \
        template <class number> static __device__ number compute(number x, number y, number z) {   \
            (void)y, (void)z;                                                                      \
            return EXPRESSION;                                                                     \
        }                                                                                          \
    };
#define UNARY(NAME)  FUNCTION(NAME, NAME(x))
#define BINARY(NAME) FUNCTION(NAME, NAME(x, y))
#define EACH_FUNCTION                                                                              \
    UNARY(exp)                                                                                     \
    UNARY(exp2) UNARY(exp10) UNARY(expm1) UNARY(log) UNARY(log2) UNARY(log10) UNARY(log1p)         \
        UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinpi)          \
            UNARY(cospi) UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh) UNARY(acosh)             \
                UNARY(atanh) UNARY(sqrt) UNARY(cbrt) UNARY(rsqrt) UNARY(erf) UNARY(erfc)           \
                    UNARY(tgamma) UNARY(lgamma) BINARY(pow) BINARY(atan2) BINARY(hypot)            \
                        BINARY(fmod) BINARY(remainder) BINARY(fdim) FUNCTION(recip, 1 / x)         \
                            FUNCTION(add, x + y) FUNCTION(sub, x - y) FUNCTION(mul, x *y)          \
                                FUNCTION(div, x / y) FUNCTION(fma, fma(x, y, z))
EACH_FUNCTION

template <class function, class number>
__global__ void compute(number *a, const number *x, const number *y, const number *z, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = function::compute(x[i], y[i], z[i]);
}

typedef void launch_function(void *const *arrays, size_t count);

template <class function, class number> static void launch(void *const *arrays, size_t count) {
    compute<function, number><<<(unsigned)((count + 255) / 256), 256>>>(
        (number *)arrays[0], (const number *)arrays[1], (const number *)arrays[2],
        (const number *)arrays[3], count);
}

#undef FUNCTION
#define FUNCTION(NAME, EXPRESSION)                                                                 \
    {#NAME, launch<NAME##_function, float>, launch<NAME##_function, double>},
static const struct row {
    const char *name;
    launch_function *fp32, *fp64;
} rows[] = {EACH_FUNCTION};

static launch_function *chosen;
static unsigned operands;
static size_t width;                       /* bytes of a number */
static void *arrays[1 + ADAPTER_OPERANDS]; /* on the device: the result, the operands */

static void need(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "cuda_adapter: %s\n", cudaGetErrorString(error));
    exit(1);
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    int devices = 0, fp64 = strcmp(request->format, "fp64") == 0;
    cudaDeviceProp device;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, request->operation) == 0)
            chosen = fp64 ? rows[i].fp64 : rows[i].fp32;
    if (!chosen || !(fp64 || strcmp(request->format, "fp32") == 0) ||
        strcmp(request->rounding, "nearest-even") != 0) {
        snprintf(text, ADAPTER_TEXT, "cuda_adapter has no %s in %s, %s", request->operation,
                 request->format, request->rounding);
        return 0;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "cuda_adapter: there is no CUDA device\n");
        exit(77);
    }
    need(cudaGetDeviceProperties(&device, 0));
    width = request->operand_bytes;
    operands = request->operands;
    for (int i = 0; i <= ADAPTER_OPERANDS; i++)
        need(cudaMalloc(&arrays[i], ADAPTER_BLOCK * width));
    snprintf(text, ADAPTER_TEXT, "CUDA on %s", device.name);
    return 1;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    for (unsigned k = 0; k < operands; k++)
        need(cudaMemcpy(arrays[1 + k], x[k], count * width, cudaMemcpyHostToDevice));
    /* What the kernel does not write stays. */
    need(cudaMemcpy(arrays[0], z[0], count * width, cudaMemcpyHostToDevice));
    chosen(arrays, count);
    need(cudaGetLastError());
    need(cudaMemcpy(z[0], arrays[0], count * width, cudaMemcpyDeviceToHost));
}

int main(void) {
    return adapter_serve();
}
