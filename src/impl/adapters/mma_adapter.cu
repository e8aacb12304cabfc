/* detcheck asks, the matrix unit of the first GPU answers, call by call.
 *
 *     nvcc -O2 -std=c++17 -arch=native mma_adapter.cu -o mma_adapter               (CUDA; wgmma: -arch=sm_90a)
 *     hipcc -x hip -O2 -std=c++17 --offload-arch=native mma_adapter.cu -o mma_adapter            (HIP)
 *     detcheck sweep matmul -f fp16 --dtype fp32 --impl mma:h100 --impl exec:./mma_adapter
 *
 * matmul along the inner dimension from zero, one call onto another: by mma.sync, by wgmma where it is the argument
 * (exec:'./mma_adapter wgmma'), and of AMD by MFMA, with results in fp32. fp16, bf16, tf32, fp8_e4m3fn and fp8_e5m2, of AMD
 * fp8_e4m3fnuz and fp8_e5m2fnuz; on NVIDIA with sums in fp16 too, where --accumulate asks for it and results are fp16. Products
 * of 8 bits need sm_89, of AMD gfx940, or later. So a row of detcheck-units(7) is held to a GPU at hand. */
#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define GPU(NAME) hip##NAME
typedef hipDeviceProp_t device_properties;
#else
#define GPU(NAME) cuda##NAME
typedef cudaDeviceProp device_properties;
#endif

#define ADAPTER_ARRAYS
#include "adapter.h"
#include "mma_instructions.h"

static const struct {
    const char *name;
    unsigned bytes, packed; /* of a code, and in a register */
} kinds[KINDS] = {{"fp16", 2, 2},
                  {"bf16", 2, 2},
                  {"tf32", 4, 4},
#if defined(__HIP__)
                  {"fp8_e4m3fnuz", 1, 1},
                  {"fp8_e5m2fnuz", 1, 1}};
#else
                  {"fp8_e4m3fn", 1, 1},
                  {"fp8_e5m2", 1, 1}};
#endif

static const struct instructions *by = all_instructions[0];
static multiply_function *chosen;
static int kind;
static bool to_fp16;

static void need(GPU(Error_t) error) {
    if (error == GPU(Success))
        return;
    fprintf(stderr, "mma_adapter: %s\n", GPU(GetErrorString)(error));
    exit(1);
}

/* Of what a device lacks a kernel would return zeros. */
static bool device_has(const device_properties *device) {
#if defined(__HIP__)
    const char *name = device->gcnArchName; /* "gfx90a:sramecc+:xnack-" */
    const bool third = strncmp(name, "gfx94", 5) == 0, second = strncmp(name, "gfx90a", 6) == 0;
    return third || (kind <= BF16 && second) || (kind == FP16 && strncmp(name, "gfx908", 6) == 0);
#else
    const int version = 10 * device->major + device->minor;
    return by == &wgmma ? version == 90 : version >= (kinds[kind].bytes == 1 ? 89 : 80);
#endif
}

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    int devices = 0;
    device_properties device;
    to_fp16 = strcmp(request->result_format, "fp16") == 0 &&
              strstr(request->parameters, "\naccumulate=fp16\n");
    for (kind = 0; kind < KINDS && strcmp(kinds[kind].name, request->format) != 0; kind++)
        continue;
    if (kind < KINDS && (to_fp16 || strcmp(request->result_format, "fp32") == 0))
        chosen = by->functions[kind][to_fp16];
    if (!chosen || strcmp(request->operation, "matmul") != 0 ||
        strcmp(request->rounding, "nearest-even") != 0) {
        snprintf(text, ADAPTER_TEXT, "mma_adapter has no %s of %s to %s, %s", request->operation,
                 request->format, request->result_format, request->rounding);
        return 0;
    }
    if (GPU(GetDeviceCount)(&devices) != GPU(Success) || devices == 0) {
        fprintf(stderr, "mma_adapter: there is no device\n");
        exit(77);
    }
    need(GPU(GetDeviceProperties)(&device, 0));
    if (!device_has(&device)) {
        snprintf(text, ADAPTER_TEXT, "%s has no products of %s by %s", device.name, request->format,
                 by->name);
        return 0;
    }
    snprintf(text, ADAPTER_TEXT, "%s on %s", by->name, device.name);
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
    need(GPU(Malloc)(&device, (size_t)padded * words * 4));
    need(GPU(Memcpy)(device, packed, (size_t)padded * words * 4, GPU(MemcpyHostToDevice)));
    free(packed);
    return device;
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    const unsigned rows = (unsigned)operands[0].extents[0],
                   inner = (unsigned)operands[0].extents[1];
    const unsigned columns = (unsigned)operands[1].extents[1];
    const unsigned tall = (rows + by->rows - 1) / by->rows * by->rows;
    const unsigned wide = (columns + by->columns - 1) / by->columns * by->columns;
    const unsigned in_call = WORDS * 4 / kinds[kind].packed;
    const unsigned words = (inner + in_call - 1) / in_call * WORDS;
    uint32_t *a = load(&operands[0], rows, inner, words, false, tall);
    uint32_t *b = load(&operands[1], columns, inner, words, true, wide), *d;
    uint32_t *codes = (uint32_t *)malloc((size_t)tall * wide * 4);
    if (!codes)
        exit(1);
    need(GPU(Malloc)(&d, (size_t)tall * wide * 4));
    chosen<<<dim3(wide / by->columns, tall / by->rows), by->threads>>>(d, a, b, words, wide);
    need(GPU(GetLastError)());
    need(GPU(Memcpy)(codes, d, (size_t)tall * wide * 4, GPU(MemcpyDeviceToHost)));
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < columns; j++) {
            size_t at = (size_t)i * columns + j;
            memcpy((uint8_t *)results[0].codes + at * (to_fp16 ? 2 : 4), &codes[i * wide + j],
                   to_fp16 ? 2 : 4);
        }
    free(codes);
    need(GPU(Free)(a));
    need(GPU(Free)(b));
    need(GPU(Free)(d));
}

int main(int count, char **words) {
    const size_t known = sizeof all_instructions / sizeof *all_instructions;
    for (size_t i = 0; count == 2; i++) {
        if (i == known) {
            fprintf(stderr, "mma_adapter: no instructions %s here\n", words[1]);
            return 1;
        }
        by = all_instructions[i];
        if (strcmp(by->name, words[1]) == 0)
            break;
    }
    return adapter_serve();
}
