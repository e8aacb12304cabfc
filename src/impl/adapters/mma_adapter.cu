/* detcheck asks, the matrix unit of the first CUDA device answers, call by call.
 *
 *     nvcc -O2 -arch=native mma_adapter.cu -o mma_adapter
 *     detcheck sweep matmul -f fp16 --dtype fp32 --impl mma:h100 --impl exec:./mma_adapter
 *
 * matmul by mma.sync along the inner dimension from zero, one call onto another: fp16, bf16, tf32, fp8_e4m3fn and fp8_e5m2
 * with results in fp32, and with sums in fp16 where --accumulate asks for it and results are fp16. Products of 8 bits need
 * -arch=sm_89 or later. So a row of detcheck-units(7) is held to a GPU at hand. */
#define ADAPTER_ARRAYS
#include "adapter.h"

enum { TILE_ROWS = 16, TILE_COLUMNS = 8, WORDS = 8 }; /* of 32 bits, which a row has in each call */

/* The instruction: d = c + a b, of a tile. */
enum kind { FP16, BF16, TF32, E4M3, E5M2, KINDS };
static const struct {
    const char *name;
    unsigned bytes, packed; /* of a code, and in a register */
} kinds[KINDS] = {
    {"fp16", 2, 2}, {"bf16", 2, 2}, {"tf32", 4, 4}, {"fp8_e4m3fn", 1, 1}, {"fp8_e5m2", 1, 1}};

#define TO_FP32(SHAPE, TYPE)                                                                       \
    asm volatile("mma.sync.aligned." SHAPE ".row.col.f32." TYPE "." TYPE ".f32 "                   \
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                           \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define TO_FP16(SHAPE, TYPE)                                                                       \
    asm volatile("mma.sync.aligned." SHAPE ".row.col.f16." TYPE "." TYPE ".f16 "                   \
                 "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"                                       \
                 : "+r"(c[0]), "+r"(c[1])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <int kind, bool to_fp16>
static __device__ void call(uint32_t *c, const uint32_t *a, const uint32_t *b) {
    if constexpr (kind == FP16 && to_fp16)
        TO_FP16("m16n8k16", "f16");
    else if constexpr (kind == FP16)
        TO_FP32("m16n8k16", "f16");
    else if constexpr (kind == BF16)
        TO_FP32("m16n8k16", "bf16");
    else if constexpr (kind == TF32)
        TO_FP32("m16n8k8", "tf32");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
    else if constexpr (kind == E4M3 && to_fp16)
        TO_FP16("m16n8k32", "e4m3");
    else if constexpr (kind == E5M2 && to_fp16)
        TO_FP16("m16n8k32", "e5m2");
    else if constexpr (kind == E4M3)
        TO_FP32("m16n8k32", "e4m3");
    else
        TO_FP32("m16n8k32", "e5m2");
#endif
}

/* A warp for each tile. a and b are words, as many for each row of a and column of b as all calls take; d is by rows. */
template <int kind, bool to_fp16>
static __global__ void multiply(uint32_t *d, const uint32_t *a, const uint32_t *b, unsigned words,
                                unsigned columns) {
    const unsigned group = threadIdx.x / 4, in_group = threadIdx.x % 4;
    const unsigned row = blockIdx.y * TILE_ROWS + group, column = blockIdx.x * TILE_COLUMNS + group;
    uint32_t c[4] = {0, 0, 0, 0};
    for (unsigned at = in_group; at < words; at += WORDS) {
        const uint32_t *first = a + row * words + at, *second = first + 8 * words;
        const uint32_t x[4] = {first[0], second[0], first[4], second[4]};
        const uint32_t y[2] = {b[column * words + at], b[column * words + at + 4]};
        call<kind, to_fp16>(c, x, y);
    }
    const unsigned to = blockIdx.x * TILE_COLUMNS + 2 * in_group;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t code = to_fp16 ? c[i / 2] >> 16 * (i % 2) & 0xffff : c[i];
        d[(row + i / 2 * 8) * columns + to + i % 2] = code;
    }
}

typedef void multiply_function(uint32_t *, const uint32_t *, const uint32_t *, unsigned, unsigned);
static multiply_function *const functions[KINDS][2] = {
    {multiply<FP16, false>, multiply<FP16, true>},
    {multiply<BF16, false>, NULL},
    {multiply<TF32, false>, NULL},
    {multiply<E4M3, false>, multiply<E4M3, true>},
    {multiply<E5M2, false>, multiply<E5M2, true>}};

static multiply_function *chosen;
static int kind;
static bool to_fp16;

static void need(cudaError_t error) {
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "mma_adapter: %s\n", cudaGetErrorString(error));
    exit(1);
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    int devices = 0;
    cudaDeviceProp device;
    to_fp16 = strcmp(request->result_format, "fp16") == 0 &&
              strstr(request->parameters, "\naccumulate=fp16\n");
    for (kind = 0; kind < KINDS && strcmp(kinds[kind].name, request->format) != 0; kind++)
        continue;
    if (kind < KINDS && (to_fp16 || strcmp(request->result_format, "fp32") == 0))
        chosen = functions[kind][to_fp16];
    if (!chosen || strcmp(request->operation, "matmul") != 0 ||
        strcmp(request->rounding, "nearest-even") != 0) {
        snprintf(text, ADAPTER_TEXT, "mma_adapter has no %s of %s to %s, %s", request->operation,
                 request->format, request->result_format, request->rounding);
        return 0;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        fprintf(stderr, "mma_adapter: there is no CUDA device\n");
        exit(77);
    }
    need(cudaGetDeviceProperties(&device, 0));
    if (kinds[kind].bytes == 1 && 10 * device.major + device.minor < 89) {
        snprintf(text, ADAPTER_TEXT, "%s has no products of 8 bits", device.name);
        return 0;
    }
    snprintf(text, ADAPTER_TEXT, "mma.sync on %s, compute capability %d.%d", device.name,
             device.major, device.minor);
    return 1;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    (void)count, (void)x, (void)z; /* there is no row of an operation on numbers */
}

/* Lines of codes as words on the device, filled up with zeros: a line is a row, or a column where `across`. */
static uint32_t *load(const struct adapter_array *array, unsigned lines, unsigned inner,
                      unsigned words, bool across, unsigned padded) {
    const unsigned bytes = kinds[kind].bytes;
    uint8_t *packed = (uint8_t *)calloc((size_t)padded * words, 4);
    uint32_t *device;
    if (!packed)
        exit(1);
    for (unsigned line = 0; line < lines; line++)
        for (unsigned k = 0; k < inner; k++) {
            const uint8_t *from =
                (const uint8_t *)array->codes +
                (size_t)bytes * (across ? (size_t)k * lines + line : (size_t)line * inner + k);
            uint8_t *to = packed + (size_t)line * words * 4 + (size_t)k * kinds[kind].packed;
            uint32_t code = 0;
            memcpy(&code, from, bytes);
            if (kind == TF32)
                code <<= 13; /* a code is the first 19 bits of 32 */
            memcpy(to, &code, kinds[kind].packed);
        }
    need(cudaMalloc(&device, (size_t)padded * words * 4));
    need(cudaMemcpy(device, packed, (size_t)padded * words * 4, cudaMemcpyHostToDevice));
    free(packed);
    return device;
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    const unsigned rows = (unsigned)operands[0].extents[0],
                   inner = (unsigned)operands[0].extents[1];
    const unsigned columns = (unsigned)operands[1].extents[1];
    const unsigned tall = (rows + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
    const unsigned wide = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS * TILE_COLUMNS;
    const unsigned in_call = WORDS * 4 / kinds[kind].packed;
    const unsigned words = (inner + in_call - 1) / in_call * WORDS;
    uint32_t *a = load(&operands[0], rows, inner, words, false, tall);
    uint32_t *b = load(&operands[1], columns, inner, words, true, wide), *d;
    uint32_t *codes = (uint32_t *)malloc((size_t)tall * wide * 4);
    if (!codes)
        exit(1);
    need(cudaMalloc(&d, (size_t)tall * wide * 4));
    chosen<<<dim3(wide / TILE_COLUMNS, tall / TILE_ROWS), 32>>>(d, a, b, words, wide);
    need(cudaGetLastError());
    need(cudaMemcpy(codes, d, (size_t)tall * wide * 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++) {
            size_t at = (size_t)i * columns + j;
            memcpy((uint8_t *)results[0].codes + at * (to_fp16 ? 2 : 4), &codes[i * wide + j],
                   to_fp16 ? 2 : 4);
        }
    free(codes);
    need(cudaFree(a));
    need(cudaFree(b));
    need(cudaFree(d));
}

int main(void) {
    return adapter_serve();
}
