/* The instructions of mma_adapter.cu: kernels that multiply tiles by calls of a matrix unit, one call onto another from zero.
 *
 * Every instruction here takes 32 bytes of each row of a and column of b, eight words. d is by rows, a word for each code. */
#ifndef DETCHECK_MMA_INSTRUCTIONS_H
#define DETCHECK_MMA_INSTRUCTIONS_H

enum { WORDS = 8 };
enum kind { FP16, BF16, TF32, E4M3, E5M2, KINDS };

typedef void multiply_function(uint32_t *d, const uint32_t *a, const uint32_t *b, unsigned words,
                               unsigned columns);

/* A family of instructions: the tile of a block of threads, and a function for each kind, to fp32 and to fp16, or NULL. */
struct instructions {
    const char *name;
    unsigned rows, columns, threads;
    multiply_function *functions[KINDS][2];
};

#if defined(__HIP__)

/* MFMA of AMD: a wave of 64 has a tile of 16 x 16. A lane has two words of one row, of one column, and four results. */
typedef float floats __attribute__((ext_vector_type(4)));
typedef _Float16 halves __attribute__((ext_vector_type(4)));
typedef short shorts __attribute__((ext_vector_type(4)));
typedef float pair __attribute__((ext_vector_type(2)));

template <class T> static __device__ T as(const uint32_t *words) {
    T value;
    __builtin_memcpy(&value, words, sizeof value);
    return value;
}

template <int kind> static __device__ floats call(floats c, const uint32_t *a, const uint32_t *b) {
    if constexpr (kind == FP16)
        return __builtin_amdgcn_mfma_f32_16x16x16f16(as<halves>(a), as<halves>(b), c, 0, 0, 0);
#if !defined(__HIP_DEVICE_COMPILE__) || !defined(__gfx908__)
    else if constexpr (kind == BF16)
        return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(as<shorts>(a), as<shorts>(b), c, 0, 0, 0);
#endif
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__)
    else if constexpr (kind == TF32)
        return __builtin_amdgcn_mfma_f32_16x16x8_xf32(as<pair>(a), as<pair>(b), c, 0, 0, 0);
    else if constexpr (kind == E4M3)
        return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(as<long>(a), as<long>(b), c, 0, 0, 0);
    else
        return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(as<long>(a), as<long>(b), c, 0, 0, 0);
#else
    else
        return c;
#endif
}

template <int kind>
static __global__ void multiply(uint32_t *d, const uint32_t *a, const uint32_t *b, unsigned words,
                                unsigned columns) {
    const unsigned line = threadIdx.x % 16, part = threadIdx.x / 16;
    const unsigned row = blockIdx.y * 16, column = blockIdx.x * 16;
    floats c = {0, 0, 0, 0};
    for (unsigned at = 2 * part; at < words; at += WORDS)
        c = call<kind>(c, a + (row + line) * words + at, b + (column + line) * words + at);
    for (unsigned i = 0; i < 4; i++)
        d[(row + 4 * part + i) * columns + column + line] = __float_as_uint(c[i]);
}

static const struct instructions mfma = {"mfma",
                                         16,
                                         16,
                                         64,
                                         {{multiply<FP16>, NULL},
                                          {multiply<BF16>, NULL},
                                          {multiply<TF32>, NULL},
                                          {multiply<E4M3>, NULL},
                                          {multiply<E5M2>, NULL}}};
static const struct instructions *const all_instructions[] = {&mfma};

#else

/* mma.sync: a warp has a tile of 16 x 8. */
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

/* Stores what a lane of a warp has of 16 x 8 results. */
template <bool to_fp16>
static __device__ void store(uint32_t *d, const uint32_t *c, unsigned row, unsigned column,
                             unsigned columns) {
    const unsigned group = threadIdx.x % 32 / 4, in_group = threadIdx.x % 4;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t code = to_fp16 ? c[i / 2] >> 16 * (i % 2) & 0xffff : c[i];
        d[(row + group + i / 2 * 8) * columns + column + 2 * in_group + i % 2] = code;
    }
}

template <int kind, bool to_fp16>
static __global__ void multiply(uint32_t *d, const uint32_t *a, const uint32_t *b, unsigned words,
                                unsigned columns) {
    const unsigned group = threadIdx.x / 4, in_group = threadIdx.x % 4;
    const unsigned row = blockIdx.y * 16, column = blockIdx.x * 8;
    uint32_t c[4] = {0, 0, 0, 0};
    for (unsigned at = in_group; at < words; at += WORDS) {
        const uint32_t *first = a + (row + group) * words + at, *second = first + 8 * words;
        const uint32_t x[4] = {first[0], second[0], first[4], second[4]};
        const uint32_t *line = b + (column + group) * words + at, y[2] = {line[0], line[4]};
        call<kind, to_fp16>(c, x, y);
    }
    store<to_fp16>(d, c, row, column, columns);
}

static const struct instructions mma_sync = {"mma.sync",
                                             16,
                                             8,
                                             32,
                                             {{multiply<FP16, false>, multiply<FP16, true>},
                                              {multiply<BF16, false>, NULL},
                                              {multiply<TF32, false>, NULL},
                                              {multiply<E4M3, false>, multiply<E4M3, true>},
                                              {multiply<E5M2, false>, multiply<E5M2, true>}}};

/* wgmma: four warps have a tile of 64 x 8; a is in registers, each warp's as mma.sync has them, and b in shared memory. */
#define GROUP_FP32(SHAPE, TYPE, REST)                                                              \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE ".f32." TYPE "." TYPE                       \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1" REST ";"                             \
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define GROUP_FP16(SHAPE, TYPE, REST)                                                              \
    asm volatile("wgmma.mma_async.sync.aligned." SHAPE ".f16." TYPE "." TYPE                       \
                 " {%0,%1}, {%2,%3,%4,%5}, %6, 1, 1, 1" REST ";"                                   \
                 : "+r"(c[0]), "+r"(c[1])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

template <int kind, bool to_fp16>
static __device__ void call_group(uint32_t *c, const uint32_t *a, uint64_t b) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if constexpr (kind == FP16 && to_fp16)
        GROUP_FP16("m64n8k16", "f16", ", 0");
    else if constexpr (kind == FP16)
        GROUP_FP32("m64n8k16", "f16", ", 0");
    else if constexpr (kind == BF16)
        GROUP_FP32("m64n8k16", "bf16", ", 0");
    else if constexpr (kind == TF32)
        GROUP_FP32("m64n8k8", "tf32", "");
    else if constexpr (kind == E4M3 && to_fp16)
        GROUP_FP16("m64n8k32", "e4m3", "");
    else if constexpr (kind == E5M2 && to_fp16)
        GROUP_FP16("m64n8k32", "e5m2", "");
    else if constexpr (kind == E4M3)
        GROUP_FP32("m64n8k32", "e4m3", "");
    else
        GROUP_FP32("m64n8k32", "e5m2", "");
#endif
}

/* b without swizzling: 8 columns of 16 bytes each lie together, and the next 16 bytes of each 128 bytes further. */
template <int kind, bool to_fp16>
static __global__ void multiply_group(uint32_t *d, const uint32_t *a, const uint32_t *b,
                                      unsigned words, unsigned columns) {
    const unsigned row = blockIdx.y * 64 + threadIdx.x / 32 * 16, column = blockIdx.x * 8;
    uint32_t c[4] = {0, 0, 0, 0};
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    const unsigned group = threadIdx.x % 32 / 4, in_group = threadIdx.x % 4;
    __shared__ alignas(256) uint32_t shared[8 * WORDS];
    const uint64_t start = (uint64_t)__cvta_generic_to_shared(shared) >> 4 & 0x3fff;
    const uint64_t descriptor = start | (uint64_t)(128 >> 4) << 16 | (uint64_t)(128 >> 4) << 32;
    for (unsigned at = 0; at < words; at += WORDS) {
        const uint32_t *first = a + (row + group) * words + at + in_group;
        const uint32_t *second = first + 8 * words;
        const uint32_t x[4] = {first[0], second[0], first[4], second[4]};
        const unsigned line = threadIdx.x / WORDS, word = threadIdx.x % WORDS;
        if (threadIdx.x < 8 * WORDS)
            shared[word / 4 * 32 + line * 4 + word % 4] = b[(column + line) * words + at + word];
        asm volatile("fence.proxy.async;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        call_group<kind, to_fp16>(c, x, descriptor);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
#else
    __trap(); /* compiled for another device than sm_90a */
#endif
    store<to_fp16>(d, c, row, column, columns);
}

static const struct instructions wgmma = {
    "wgmma",
    64,
    8,
    128,
    {{multiply_group<FP16, false>, multiply_group<FP16, true>},
     {multiply_group<BF16, false>, NULL},
     {multiply_group<TF32, false>, NULL},
     {multiply_group<E4M3, false>, multiply_group<E4M3, true>},
     {multiply_group<E5M2, false>, multiply_group<E5M2, true>}}};
static const struct instructions *const all_instructions[] = {&mma_sync, &wgmma};

#endif

#endif
