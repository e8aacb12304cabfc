/* The table of block formats. */
#include "op/block/layout.h"

#include "format/block.h"

#define FP(NAME) &formats[FORMAT_##NAME]

/* All integers of a field, one after another. */
#define STREAM(COUNT, OFFSET, BITS)                                                                \
    {                                                                                              \
        { 0, COUNT, OFFSET, BITS, 0, 0, 0, 0, 0 }                                                  \
    }
/* In planes: `RUN` bytes have the first RUN integers in their low bits. */
#define PLANES(COUNT, OFFSET, BITS, TO, RUN)                                                       \
    { 0, COUNT, OFFSET, BITS, TO, 0, RUN, 8 / (BITS), 8 }
/* Some bits of a byte each. */
#define IN_BYTES(FIRST, COUNT, OFFSET, BITS, TO, SHIFT)                                            \
    { FIRST, COUNT, OFFSET, BITS, TO, SHIFT, COUNT, 1, 8 }

/* One number that all elements share, or numbers that SHARE elements share. */
#define NUMBERS(COUNT, SHARE, WIDTH, FORMAT, OFFSET)                                               \
    {                                                                                              \
        .count = COUNT, .share = SHARE, .width = WIDTH, .format = FORMAT,                          \
        .pieces = STREAM(COUNT, OFFSET, WIDTH)                                                     \
    }
#define ONE(WIDTH, FORMAT, OFFSET) NUMBERS(1, 1, WIDTH, FORMAT, OFFSET)

/* Elements that follow each other. */
#define CODES(COUNT, WIDTH, FORMAT, OFFSET) NUMBERS(COUNT, 1, WIDTH, FORMAT, OFFSET)
#define INTEGERS(COUNT, WIDTH, OFFSET)                                                             \
    {                                                                                              \
        .count = COUNT, .share = 1, .width = WIDTH, .is_signed = true,                             \
        .pieces = STREAM(COUNT, OFFSET, WIDTH)                                                     \
    }

/* Sub-scales and sub-minima of q4_K and q5_K: eight of 6 bits each in 12 bytes. */
#define SIX_BITS(LOW, HIGH_SHIFT)                                                                  \
    {                                                                                              \
        .count = 8, .share = 32, .width = 6, .pieces = {                                           \
            IN_BYTES(0, 4, 4 + (LOW), 6, 0, 0),                                                    \
            IN_BYTES(4, 4, 12, 4, 0, HIGH_SHIFT),                                                  \
            IN_BYTES(4, 4, 4 + (LOW), 2, 4, 6)                                                     \
        }                                                                                          \
    }

static const float iq4_nl[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                               1,    13,   25,  38,  53,  69,  89,  113};
/* Quantiles of the normal distribution, as bitsandbytes has them. */
static const float nf4[] = {-1.0F,
                            -0.6961928009986877F,
                            -0.5250730514526367F,
                            -0.39491748809814453F,
                            -0.28444138169288635F,
                            -0.18477343022823334F,
                            -0.09105003625154495F,
                            0.0F,
                            0.07958029955625534F,
                            0.16093020141124725F,
                            0.24611230194568634F,
                            0.33791524171829224F,
                            0.44070982933044434F,
                            0.5626170039176941F,
                            0.7229568362236023F,
                            1.0F};
static const float fp4[] = {
    0.0F, 5.208333333e-03F,  0.66666667F,  1.0F,  0.33333333F,  0.5F,  0.16666667F,  0.25F,
    0.0F, -5.208333333e-03F, -0.66666667F, -1.0F, -0.33333333F, -0.5F, -0.16666667F, -0.25F};
/* AutoAWQ's order: column n of eight lies at place order[n] of a word. */
static const uint8_t awq[] = {0, 4, 1, 5, 2, 6, 3, 7};
/* The first of two in the high half of a byte. */
static const uint8_t high_first[] = {1, 0, 3, 2, 5, 4, 7, 6};

/* Elements behind a scale, as format/block.h has them. */
#define SCALED(NAME, SUMMARY, ELEMENTS, WIDTH, FORMAT, SCALES, ...)                                \
    {                                                                                              \
        .name = NAME, .summary = SUMMARY, .elements = ELEMENTS,                                    \
        .bytes = 1 + (ELEMENTS) * (WIDTH) / 8,                                                     \
        .fields = {[BLOCK_ELEMENT] = CODES(ELEMENTS, WIDTH, &element_formats[FORMAT], 1),          \
                   [BLOCK_SCALE] = ONE(8, &formats[SCALES], 0)},                                   \
        __VA_ARGS__                                                                                \
    }
#define MX(NAME, WIDTH, FORMAT)                                                                    \
    SCALED(NAME, "32 elements, scale fp8_e8m0fnu; low bits first", BLOCK_ELEMENTS, WIDTH, FORMAT,  \
           BLOCK_SCALES, .has_tensor_scale = false)
#define GGUF_32(NAME, SUMMARY, BYTES)                                                              \
    .name = NAME, .summary = SUMMARY, .elements = 32, .bytes = BYTES
#define GGUF_256(NAME, SUMMARY, BYTES)                                                             \
    .name = NAME, .summary = SUMMARY, .elements = 256, .bytes = BYTES

const struct block_layout block_layouts[] = {
    {GGUF_32("q4_0", "GGUF: d (q - 8), d in fp16", 18),
     .fields = {[BLOCK_ELEMENT] = {32, 1, 4, .bias = 8, .pieces = {PLANES(32, 2, 4, 0, 16)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0)}},
    {GGUF_32("q4_1", "GGUF: d q + m, d and m in fp16", 20),
     .fields = {[BLOCK_ELEMENT] = {32, 1, 4, .pieces = {PLANES(32, 4, 4, 0, 16)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0),
                [BLOCK_MINIMUM] = ONE(16, FP(FP16), 2)}},
    {GGUF_32("q5_0", "GGUF: d (q - 16), d in fp16", 22),
     .fields = {[BLOCK_ELEMENT] = {32, 1, 5, .bias = 16,
                                   .pieces = {PLANES(32, 6, 4, 0, 16), PLANES(32, 2, 1, 4, 1)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0)}},
    {GGUF_32("q5_1", "GGUF: d q + m, d and m in fp16", 24),
     .fields = {[BLOCK_ELEMENT] = {32, 1, 5,
                                   .pieces = {PLANES(32, 8, 4, 0, 16), PLANES(32, 4, 1, 4, 1)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0),
                [BLOCK_MINIMUM] = ONE(16, FP(FP16), 2)}},
    {GGUF_32("q8_0", "GGUF: d q, d in fp16", 34),
     .fields = {[BLOCK_ELEMENT] = INTEGERS(32, 8, 2), [BLOCK_SCALE] = ONE(16, FP(FP16), 0)}},
    {GGUF_256("q2_K", "GGUF: d s q - e m, s and m of 4 bits for 16", 84), .subtracts_minimum = true,
     .fields = {[BLOCK_ELEMENT] = {256, 1, 2, .pieces = {PLANES(256, 16, 2, 0, 32)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 80),
                [BLOCK_SUBSCALE] = {16, 16, 4, .pieces = {IN_BYTES(0, 16, 0, 4, 0, 0)}},
                [BLOCK_MINIMUM] = ONE(16, FP(FP16), 82),
                [BLOCK_SUBMINIMUM] = {16, 16, 4, .pieces = {IN_BYTES(0, 16, 0, 4, 0, 4)}}}},
    {GGUF_256("q3_K", "GGUF: d (s - 32) (q - 4), s of 6 bits for 16", 110),
     .fields = {[BLOCK_ELEMENT] = {256, 1, 3, .bias = 4,
                                   .pieces = {PLANES(256, 32, 2, 0, 32), PLANES(256, 0, 1, 2, 32)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 108),
                [BLOCK_SUBSCALE] = {16, 16, 6, .bias = 32,
                                    .pieces = {PLANES(16, 96, 4, 0, 8),
                                               PLANES(16, 104, 2, 4, 4)}}}},
    {GGUF_256("q4_K", "GGUF: d s q - e m, s and m of 6 bits for 32", 144),
     .subtracts_minimum = true,
     .fields = {[BLOCK_ELEMENT] = {256, 1, 4, .pieces = {PLANES(256, 16, 4, 0, 32)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0),
                [BLOCK_SUBSCALE] = SIX_BITS(0, 0),
                [BLOCK_MINIMUM] = ONE(16, FP(FP16), 2),
                [BLOCK_SUBMINIMUM] = SIX_BITS(4, 4)}},
    {GGUF_256("q5_K", "GGUF: d s q - e m, s and m of 6 bits for 32", 176),
     .subtracts_minimum = true,
     .fields = {[BLOCK_ELEMENT] = {256, 1, 5,
                                   .pieces = {PLANES(256, 48, 4, 0, 32),
                                              PLANES(256, 16, 1, 4, 32)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0),
                [BLOCK_SUBSCALE] = SIX_BITS(0, 0),
                [BLOCK_MINIMUM] = ONE(16, FP(FP16), 2),
                [BLOCK_SUBMINIMUM] = SIX_BITS(4, 4)}},
    {GGUF_256("q6_K", "GGUF: d s (q - 32), s in int8 for 16", 210),
     .fields = {[BLOCK_ELEMENT] = {256, 1, 6, .bias = 32,
                                   .pieces = {PLANES(256, 0, 4, 0, 64),
                                              PLANES(256, 128, 2, 4, 32)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 208),
                [BLOCK_SUBSCALE] = {16, 16, 8, .is_signed = true, .pieces = STREAM(16, 192, 8)}}},
    {GGUF_256("q8_K", "GGUF: d q, d in fp32; sums of 16 elements", 292),
     .fields = {[BLOCK_ELEMENT] = INTEGERS(256, 8, 4),
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0),
                [BLOCK_SUM] = {16, 16, 16, .is_signed = true, .pieces = STREAM(16, 260, 16)}}},
    {GGUF_32("iq4_nl", "GGUF: d times one of 16 integers, d in fp16", 18),
     .fields = {[BLOCK_ELEMENT] = {32, 1, 4, .table = iq4_nl, .pieces = {PLANES(32, 2, 4, 0, 16)}},
                [BLOCK_SCALE] = ONE(16, FP(FP16), 0)}},
    SCALED("nvfp4", "16 of fp4_e2m1fn, scale fp8_e4m3fn, and fp32 of the tensor",
           BLOCK_ELEMENTS_NVFP4, 4, FORMAT_MXFP4_E2M1, BLOCK_SCALES_NVFP4,
           .has_tensor_scale = true),
    MX("mxfp4", 4, FORMAT_MXFP4_E2M1),
    MX("mxfp6_e2m3", 6, FORMAT_MXFP6_E2M3),
    MX("mxfp6_e3m2", 6, FORMAT_MXFP6_E3M2),
    MX("mxfp8_e4m3", 8, FORMAT_MXFP8_E4M3),
    MX("mxfp8_e5m2", 8, FORMAT_MXFP8_E5M2),
    MX("mxint8", 8, FORMAT_MXINT8),
    {.name = "int4",
     .summary = "32 integers of 4 bits, low first; scale fp32",
     .elements = 32,
     .bytes = 20,
     .fields = {[BLOCK_ELEMENT] = INTEGERS(32, 4, 4), [BLOCK_SCALE] = ONE(32, FP(FP32), 0)}},
    {.name = "int8",
     .summary = "32 integers of 8 bits; scale fp32",
     .elements = 32,
     .bytes = 36,
     .fields = {[BLOCK_ELEMENT] = INTEGERS(32, 8, 4), [BLOCK_SCALE] = ONE(32, FP(FP32), 0)}},
    {.name = "uint4_zero",
     .summary = "32 of 4 bits without sign, scale fp32, zero point of 8 bits",
     .elements = 32,
     .bytes = 21,
     .fields = {[BLOCK_ELEMENT] = {32, 1, 4, .pieces = STREAM(32, 5, 4)},
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0),
                [BLOCK_ZERO] = ONE(8, NULL, 4)}},
    {.name = "int8_zero",
     .summary = "32 of int8, scale fp32, zero point int8",
     .elements = 32,
     .bytes = 37,
     .fields = {[BLOCK_ELEMENT] = INTEGERS(32, 8, 5),
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0),
                [BLOCK_ZERO] = INTEGERS(1, 8, 4)}},
    {.name = "gptq",
     .summary = "128x8 of 4 bits down the columns; zeros less 1, scales fp16",
     .elements = 1024,
     .bytes = 532,
     .columns = 8,
     .fields = {[BLOCK_ELEMENT] = {1024, 1, 4, .pieces = {{0, 1024, 0, 4, 0, 0, 8, 8, 32}}},
                [BLOCK_SCALE] = NUMBERS(8, 1, 16, FP(FP16), 516),
                [BLOCK_ZERO] = {8, 1, 4, .bias = -1, .pieces = STREAM(8, 512, 4)}}},
    {.name = "awq",
     .summary = "128x8 of 4 bits along the rows, in AWQ's order; scales fp16",
     .elements = 1024,
     .bytes = 532,
     .columns = 8,
     .fields = {[BLOCK_ELEMENT] = {1024, 1, 4, .order = awq, .pieces = STREAM(1024, 0, 4)},
                [BLOCK_SCALE] = NUMBERS(8, 1, 16, FP(FP16), 516),
                [BLOCK_ZERO] = {8, 1, 4, .order = awq, .pieces = STREAM(8, 512, 4)}}},
    {.name = "fp8_1x128",
     .summary = "128 of fp8_e4m3fn, scale fp32",
     .elements = 128,
     .bytes = 132,
     .fields = {[BLOCK_ELEMENT] = CODES(128, 8, FP(FP8_E4M3FN), 4),
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0)}},
    {.name = "fp8_128x128",
     .summary = "a tile of 128x128 of fp8_e4m3fn, scale fp32",
     .elements = 16384,
     .bytes = 16388,
     .columns = 128,
     .fields = {[BLOCK_ELEMENT] = CODES(16384, 8, FP(FP8_E4M3FN), 4),
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0)}},
    {.name = "nf4",
     .summary = "64 of bitsandbytes' 16 quantiles, high half first; fp32 maximum",
     .elements = 64,
     .bytes = 36,
     .fields = {[BLOCK_ELEMENT] = {64, 1, 4, .table = nf4, .order = high_first,
                                   .pieces = STREAM(64, 4, 4)},
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0)}},
    {.name = "fp4",
     .summary = "64 of bitsandbytes' 4-bit numbers, high half first; fp32 maximum",
     .elements = 64,
     .bytes = 36,
     .fields = {[BLOCK_ELEMENT] = {64, 1, 4, .table = fp4, .order = high_first,
                                   .pieces = STREAM(64, 4, 4)},
                [BLOCK_SCALE] = ONE(32, FP(FP32), 0)}},
    {0}};

const char *const block_layout_names[] = {
    "q4_0",   "q4_1",      "q5_0",        "q5_1",       "q8_0",       "q2_K",
    "q3_K",   "q4_K",      "q5_K",        "q6_K",       "q8_K",       "iq4_nl",
    "nvfp4",  "mxfp4",     "mxfp6_e2m3",  "mxfp6_e3m2", "mxfp8_e4m3", "mxfp8_e5m2",
    "mxint8", "int4",      "int8",        "uint4_zero", "int8_zero",  "gptq",
    "awq",    "fp8_1x128", "fp8_128x128", "nf4",        "fp4",        NULL};
