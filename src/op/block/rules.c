/* The table of rules. */
#include "op/block/rules.h"

#include "op/block/quantise.h"

#define LLAMA(LAYOUT, EXTENT, NAN_RULE, DIVISOR, CODING, ZERO, MOST)                               \
    {                                                                                              \
        .quantiser = QUANTISER_LLAMA_CPP, .layout = LAYOUT, .extent = EXTENT, .nan = NAN_RULE,     \
        .divisor = DIVISOR, .taking = TAKE_RECIPROCAL, .coding = CODING, .zero = ZERO,             \
        .most = MOST                                                                               \
    }
/* The largest magnitude, which NaN makes NaN. */
#define SCALED(QUANTISER, LAYOUT, DIVISOR, MAKING, STORING, TAKING)                                \
    CODED(QUANTISER, LAYOUT, DIVISOR, MAKING, STORING, TAKING, NEAREST, SPREADS)
#define CODED(QUANTISER, LAYOUT, DIVISOR, MAKING, STORING, TAKING, CODING, NAN_RULE)               \
    .quantiser = QUANTISER_##QUANTISER, .layout = LAYOUT, .extent = EXTENT_LARGEST,                \
    .nan = NAN_##NAN_RULE, .divisor = DIVISOR, .making = MAKE_##MAKING,                            \
    .storing = STORE_##STORING, .taking = TAKE_##TAKING, .coding = CODE_##CODING
/* torchao's to_mx: 2 to an integer by the bits of the largest magnitude, or by a logarithm. */
#define TORCHAO_POWER(QUANTISER, LAYOUT, BINADE, NAN_CODE, ...)                                    \
    {                                                                                              \
        SCALED(QUANTISER, LAYOUT, BINADE, POWER, DOWN, QUOTIENT),                                  \
            .nan_code = NAN_CODE, .power_is_normal = true, __VA_ARGS__                             \
    }
#define TORCHAO_POWERS(LAYOUT, BINADE, NAN_CODE, LARGEST)                                          \
    TORCHAO_POWER(TORCHAO, LAYOUT, BINADE, NAN_CODE, .goes_up = false),                            \
        TORCHAO_POWER(TORCHAO_CEIL, LAYOUT, BINADE, NAN_CODE, .goes_up = true),                    \
        TORCHAO_POWER(TORCHAO_EVEN, LAYOUT, BINADE, NAN_CODE, .rounds_extent = true), {            \
        SCALED(TORCHAO_RCEIL, LAYOUT, LARGEST, QUOTIENT, UP_LOG2, RECIPROCAL_OF_POWER),            \
            .nan_code = NAN_CODE, .least_power_is_1 = true                                         \
    }
#define TORCHAO_INTEGERS(LAYOUT, EXTENT, DIVISOR, MOST)                                            \
    {                                                                                              \
        .quantiser = QUANTISER_TORCHAO, .layout = LAYOUT, .extent = EXTENT, .nan = NAN_SPREADS,    \
        .divisor = DIVISOR, .taking = TAKE_RECIPROCAL, .coding = CODE_HALVES_EVEN, .most = MOST,   \
        .least = 0x1p-126F                                                                         \
    }
#define TRITON(QUANTISER, LAYOUT, DIVISOR, STORING)                                                \
    { SCALED(QUANTISER, LAYOUT, DIVISOR, QUOTIENT, STORING, RECIPROCAL_OF_POWER) }
#define BITSANDBYTES(LAYOUT)                                                                       \
    {                                                                                              \
        .quantiser = QUANTISER_BITSANDBYTES, .layout = LAYOUT, .extent = EXTENT_LARGEST,           \
        .nan = NAN_SPREADS, .divisor = 1, .taking = TAKE_RECIPROCAL, .coding = CODE_TABLE,         \
        .least_extent = 1e-38F                                                                     \
    }

const struct quantiser_rule quantiser_rules[] = {
    LLAMA("q4_0", EXTENT_SIGNED, NAN_SKIPPED, -8, CODE_HALVES_UP, 8, 15),
    LLAMA("q4_1", EXTENT_RANGE, NAN_SKIPPED, 15, CODE_HALVES_UP, 0, 15),
    LLAMA("q5_0", EXTENT_SIGNED, NAN_SKIPPED, -16, CODE_HALVES_UP, 16, 31),
    LLAMA("q5_1", EXTENT_RANGE, NAN_SKIPPED, 31, CODE_HALVES_UP, 0, 31),
    LLAMA("q8_0", EXTENT_LARGEST, NAN_RESTARTS, 127, CODE_HALVES_AWAY, 0, 127),
    {.quantiser = QUANTISER_LLAMA_CPP_AVX2,
     .layout = "q8_0",
     .extent = EXTENT_LARGEST,
     .nan = NAN_LANES,
     .divisor = 127,
     .nan_code = NAN_LEAST,
     .taking = TAKE_DIVISOR_OVER,
     .coding = CODE_HALVES_EVEN},
    {SCALED(TORCHAO, "nvfp4", 6, QUOTIENT, HELD, TENSOR_FIRST), .least = 0x1p-6F,
     .nan_code = NAN_BITS},
    TORCHAO_POWERS("mxfp4", 4, NAN_BITS, 6),
    TORCHAO_POWERS("mxfp6_e2m3", 4, NAN_BITS, 7.5F),
    TORCHAO_POWERS("mxfp6_e3m2", 16, NAN_BITS, 28),
    TORCHAO_POWERS("mxfp8_e4m3", 256, NAN_KEEPS_SIGN, 448),
    TORCHAO_POWERS("mxfp8_e5m2", 32768, NAN_KEEPS_SIGN, 57344),
    TORCHAO_INTEGERS("int4", EXTENT_LARGEST, 7.5F, 15),
    TORCHAO_INTEGERS("int8", EXTENT_LARGEST, 127.5F, 255),
    TORCHAO_INTEGERS("uint4_zero", EXTENT_RANGE_OF_0, 15, 15),
    TORCHAO_INTEGERS("int8_zero", EXTENT_RANGE_OF_0, 255, 255),
    {SCALED(MODELOPT, "nvfp4", 6, BY_PRODUCT, HELD, QUOTIENT), .least = 0x1p-9F,
     .zero_is_one = true, .drops_sign_of_zero = true, .nan_code = NAN_LARGEST,
     .nan_is_negative = true},
    {CODED(MODELOPT, "mxfp4", 6, QUOTIENT, UP_LOG2, QUOTIENT, NEAREST_ZERO, SPREADS),
     .special_is_least = true, .zero_is_negative = true, .nan_code = NAN_ZERO},
    {SCALED(MODELOPT, "mxfp8_e4m3", 448, QUOTIENT, UP_LOG2, RECIPROCAL_OF_POWER),
     .nan_is_least = true},
    TRITON(TRITON_UP, "mxfp4", 6, UP),
    TRITON(TRITON_UP, "mxfp8_e4m3", 448, UP),
    TRITON(TRITON_UP, "mxfp8_e5m2", 57344, UP),
    TRITON(TRITON_DOWN, "mxfp4", 4, DOWN),
    TRITON(TRITON_DOWN, "mxfp8_e4m3", 256, DOWN),
    TRITON(TRITON_DOWN, "mxfp8_e5m2", 32768, DOWN),
    {SCALED(TRITON_NEAREST, "nvfp4", 6, QUOTIENT, HELD, RECIPROCAL_OF_POWER), .tensor_first = true},
    {SCALED(TRANSFORMER_ENGINE, "nvfp4", 6, TIMES_ENCODING, HELD, RECIPROCAL_OF_BOTH),
     .drops_sign_of_zero = true, .nan_code = NAN_ZERO, .nan_is_negative = true},
    {CODED(TRANSFORMER_ENGINE, "mxfp8_e4m3", 448, TIMES_ENCODING, ABOVE, RECIPROCAL_OF_POWER,
           NEAREST, SKIPPED),
     .nan_code = NAN_POSITIVE},
    {CODED(TRANSFORMER_ENGINE, "mxfp8_e5m2", 57344, TIMES_ENCODING, ABOVE, RECIPROCAL_OF_POWER,
           NEAREST, SKIPPED),
     .nan_code = NAN_POSITIVE},
    {SCALED(FOUR_OVER_SIX, "nvfp4", 6, ENCODED, HELD, RECIPROCAL_OF_BOTH),
     .drops_sign_of_zero = true, .nan_code = NAN_ZERO, .four_over_six = true},
    {SCALED(CUDNN, "nvfp4", 6, QUOTIENT, ABOVE, QUOTIENT), .tensor_first = true,
     .nan_code = NAN_POSITIVE},
    {SCALED(CUDNN, "mxfp8_e4m3", 448, QUOTIENT, ABOVE, QUOTIENT), .nan_code = NAN_POSITIVE},
    {SCALED(CUDNN, "mxfp8_e5m2", 57344, QUOTIENT, ABOVE, QUOTIENT), .nan_code = NAN_POSITIVE},
    BITSANDBYTES("nf4"),
    BITSANDBYTES("fp4"),
    {SCALED(DEEPSEEK, "fp8_1x128", 448, QUOTIENT, NEAREST, QUOTIENT)},
    {SCALED(DEEPSEEK, "fp8_128x128", 448, QUOTIENT, NEAREST, QUOTIENT)},
    {0}};
