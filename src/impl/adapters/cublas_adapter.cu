/* detcheck asks, cuBLAS on the first CUDA device answers.
 *
 *     nvcc -O2 -arch=native cublas_adapter.cu -lcublas -o cublas_adapter
 *     detcheck reveal matmul -f fp16 --dtype fp32 --shape 64x1x64 --lengths 256 --impl exec:./cublas_adapter
 *
 * matmul by cublasGemmEx with its own choice of a kernel, sums in fp32: fp16, bf16, tf32 and fp32 with results in fp32, fp16 also
 * with results in fp16. Where c comes in (--addend), it is C with beta 1. */
#define ADAPTER_ARRAYS
#include "adapter.h"

#include <cublas_v2.h>

static const struct kind {
    const char *format, *result;
    cudaDataType_t factors, results;
    cublasComputeType_t compute;
} kinds[] = {{"fp16", "fp32", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F},
             {"fp16", "fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F},
             {"bf16", "fp32", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F},
             {"tf32", "fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32},
             {"fp32", "fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F}};

static const struct kind *chosen;
static cublasHandle_t handle;
static int takes_c;

static void need(bool good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "cublas_adapter: %s failed\n", what);
    exit(1);
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    int devices = 0, version = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].format, request->format) == 0 &&
            strcmp(kinds[i].result, request->result_format) == 0)
            chosen = &kinds[i];
    takes_c = strstr(request->parameters, "addend=") != NULL;
    if (!chosen || strcmp(request->operation, "matmul") != 0 ||
        strcmp(request->rounding, "nearest-even") != 0) {
        snprintf(text, ADAPTER_TEXT, "cublas_adapter has no %s of %s to %s, %s", request->operation,
                 request->format, request->result_format, request->rounding);
        return 0;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "cublas_adapter: there is no CUDA device\n");
        exit(77);
    }
    need(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    cublasGetVersion(handle, &version);
    snprintf(text, ADAPTER_TEXT, "cublasGemmEx of cuBLAS %d", version);
    return 1;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    (void)count, (void)x, (void)z; /* there is no row of an operation on numbers */
}

/* A copy on the device. A code of tf32 is the first 19 bits of 32. */
static void *load(const struct adapter_array *array, size_t count) {
    const size_t bytes = count * (chosen->factors == CUDA_R_32F ? 4 : 2);
    void *host = malloc(bytes + 1), *device;
    need(host != NULL, "malloc");
    memcpy(host, array->codes, bytes);
    for (size_t i = 0; strcmp(chosen->format, "tf32") == 0 && i < count; i++)
        ((uint32_t *)host)[i] <<= 13;
    need(cudaMalloc(&device, bytes + 1) == cudaSuccess, "cudaMalloc");
    need(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "cudaMemcpy");
    free(host);
    return device;
}

/* Rows are columns to cuBLAS: it multiplies the transposed matrices in the other sequence. */
static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    const int rows = (int)operands[0].extents[0], inner = (int)operands[0].extents[1],
              columns = (int)operands[1].extents[1];
    const size_t bytes = (size_t)rows * columns * (chosen->results == CUDA_R_32F ? 4 : 2);
    const float one = 1, zero = 0;
    void *a = load(&operands[0], (size_t)rows * inner),
         *b = load(&operands[1], (size_t)inner * columns), *d;
    need(cudaMalloc(&d, bytes + 1) == cudaSuccess, "cudaMalloc");
    if (takes_c)
        need(cudaMemcpy(d, operands[2].codes, bytes, cudaMemcpyHostToDevice) == cudaSuccess,
             "cudaMemcpy");
    need(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, columns, rows, inner, &one, b,
                      chosen->factors, columns, a, chosen->factors, inner, takes_c ? &one : &zero, d,
                      chosen->results, columns, chosen->compute,
                      CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS,
         "cublasGemmEx");
    need(cudaMemcpy(results[0].codes, d, bytes, cudaMemcpyDeviceToHost) == cudaSuccess,
         "cudaMemcpy");
    cudaFree(a);
    cudaFree(b);
    cudaFree(d);
}

int main(void) {
    return adapter_serve();
}
