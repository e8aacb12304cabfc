/* The table of profiles. */
#include "format/profile.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

#define INF    OUTCOME_INFINITY
#define MAX    OUTCOME_LARGEST
#define PLUS   OUTCOME_POSITIVE_LARGEST
#define NOT    OUTCOME_NAN
#define SIGNED OUTCOME_SIGNED_NAN
#define MIN    OUTCOME_SMALLEST
#define NO_CASE                                                                                    \
    { NOT, NOT, NOT, NOT, NOT, NOT }
/* overflow, infinity, NaN; of scales also zero, underflow, negative numbers */
#define RULES(OVERFLOWN, INFINITE, NAN_IN)                                                         \
    { OVERFLOWN, INFINITE, NAN_IN, NOT, NOT, NOT }
#define SCALE(OVERFLOWN, INFINITE, ZERO, UNDER)                                                    \
    { OVERFLOWN, INFINITE, NOT, ZERO, UNDER, NOT }

#define ONNX_19        "fp16 bf16 fp32 fp64 fp8_e4m3fn fp8_e4m3fnuz fp8_e5m2 fp8_e5m2fnuz"
#define ONNX_24        ONNX_19 " fp4_e2m1fn fp8_e8m0fnu"
#define SOURCE_ONNX_19 "ONNX operator Cast, version 19 (opset 19 to 23), table of float 8"
#define SOURCE_ONNX_24                                                                             \
    "ONNX operator Cast, version 24 (opset 24 on), tables of float 8 and float8e8m0; \"Float "     \
    "stored "                                                                                      \
    "in 4 bits\""

#define FLOATS         "mxfp8_e5m2 mxfp8_e4m3 mxfp6_e3m2 mxfp6_e2m3 mxfp4_e2m1"
#define SOURCE_TORCHAO "torchao 0.14 and later, torchao/prototype/mx_formats/mx_tensor.py, to_mx"
/* It has no rules for casts. */
#define BLOCKS(NAME, SUMMARY, SOURCE, ...)                                                         \
    {                                                                                              \
        .name = NAME, .summary = SUMMARY, .source = SOURCE, .targets = "", .blocks = {             \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

const struct profile profiles[] = {
    [PROFILE_IEEE] =
        {.name = "ieee",
         .summary =
             "overflow to infinity, to NaN where there is none, to the largest number where there "
             "is no NaN either",
         .source = "IEEE 754-2019, 5.4.2, 6.2 and 7.4",
         .rules = {[TARGET_WIDE] = RULES(INF, INF, NOT),
                   [TARGET_NARROW] = RULES(INF, INF, NOT),
                   [TARGET_FN] = RULES(NOT, NOT, NOT),
                   [TARGET_FNUZ] = RULES(NOT, NOT, NOT),
                   [TARGET_FINITE] = RULES(MAX, MAX, NOT),
                   [TARGET_SCALE] = SCALE(NOT, NOT, NOT, MIN)}},
    {.name = "saturate",
     .summary = "everything beyond the largest number becomes it, infinity too",
     .source = "detcheck",
     .rules = {[TARGET_WIDE] = RULES(MAX, MAX, NOT),
               [TARGET_NARROW] = RULES(MAX, MAX, NOT),
               [TARGET_FN] = RULES(MAX, MAX, NOT),
               [TARGET_FNUZ] = RULES(MAX, MAX, NOT),
               [TARGET_FINITE] = RULES(MAX, MAX, NOT),
               [TARGET_SCALE] = SCALE(MAX, MAX, MIN, MIN)}},
    {.name = "onnx-19",
     .summary = "float 8 saturates, but infinity is NaN in the FNUZ formats",
     .source = SOURCE_ONNX_19,
     .targets = ONNX_19,
     .rules = {[TARGET_WIDE] = RULES(INF, INF, NOT),
               [TARGET_NARROW] = RULES(MAX, MAX, NOT),
               [TARGET_FN] = RULES(MAX, MAX, NOT),
               [TARGET_FNUZ] = RULES(MAX, NOT, NOT),
               [TARGET_FINITE] = NO_CASE,
               [TARGET_SCALE] = NO_CASE}},
    {.name = "onnx-19-unsaturated",
     .summary = "the same with saturate=0",
     .source = SOURCE_ONNX_19 " without saturation",
     .targets = ONNX_19,
     .rules = {[TARGET_WIDE] = RULES(INF, INF, NOT),
               [TARGET_NARROW] = RULES(INF, INF, SIGNED),
               [TARGET_FN] = RULES(NOT, SIGNED, SIGNED),
               [TARGET_FNUZ] = RULES(NOT, NOT, NOT),
               [TARGET_FINITE] = NO_CASE,
               [TARGET_SCALE] = NO_CASE}},
    {.name = "onnx-24",
     .summary = "float 8 saturates, infinity too; float 4 makes 6 of NaN; scales saturate",
     .source = SOURCE_ONNX_24,
     .targets = ONNX_24,
     .rules = {[TARGET_WIDE] = RULES(INF, INF, NOT),
               [TARGET_NARROW] = RULES(MAX, MAX, NOT),
               [TARGET_FN] = RULES(MAX, MAX, NOT),
               [TARGET_FNUZ] = RULES(MAX, MAX, NOT),
               [TARGET_FINITE] = RULES(MAX, MAX, PLUS),
               [TARGET_SCALE] = SCALE(MAX, MAX, MIN, MIN)}},
    {.name = "onnx-24-unsaturated",
     .summary = "the same with saturate=0, which is of no matter for float 4",
     .source = SOURCE_ONNX_24 " without saturation",
     .targets = ONNX_24,
     .rules = {[TARGET_WIDE] = RULES(INF, INF, NOT),
               [TARGET_NARROW] = RULES(INF, INF, SIGNED),
               [TARGET_FN] = RULES(NOT, SIGNED, SIGNED),
               [TARGET_FNUZ] = RULES(NOT, NOT, NOT),
               [TARGET_FINITE] = RULES(MAX, MAX, PLUS),
               [TARGET_SCALE] = SCALE(NOT, NOT, NOT, NOT)}},
    {.name = "ocp",
     .summary =
         "saturation; NaN becomes the largest number where there is none, and the scale of a "
         "block",
     .source = "OCP 8-bit Floating Point Specification (OFP8) 1.0, conversion with saturation; OCP "
               "Microscaling Formats (MX) 1.0, 6.3, which leaves NaN to the implementation",
     .targets = "fp8_e4m3fn fp8_e5m2 fp6_e2m3fn fp6_e3m2fn fp4_e2m1fn",
     .rules = {[TARGET_WIDE] = NO_CASE,
               [TARGET_NARROW] = RULES(MAX, MAX, NOT),
               [TARGET_FN] = RULES(MAX, MAX, NOT),
               [TARGET_FNUZ] = NO_CASE,
               [TARGET_FINITE] = RULES(MAX, MAX, PLUS),
               [TARGET_SCALE] = NO_CASE},
     .blocks = {.scale = BLOCK_SCALE_FLOOR}},
    {.name = "ocp-unsaturated",
     .summary = "infinity in fp8_e5m2 and NaN in fp8_e4m3fn",
     .source = "OCP 8-bit Floating Point Specification (OFP8) 1.0, conversion without saturation",
     .targets = "fp8_e4m3fn fp8_e5m2",
     .rules = {[TARGET_WIDE] = NO_CASE,
               [TARGET_NARROW] = RULES(INF, INF, NOT),
               [TARGET_FN] = RULES(NOT, NOT, NOT),
               [TARGET_FNUZ] = NO_CASE,
               [TARGET_FINITE] = NO_CASE,
               [TARGET_SCALE] = NO_CASE}},
    {.name = "ml_dtypes",
     .summary = "as the casts of numpy arrays to its types: no saturation, NaN keeps its sign",
     .source = "ml_dtypes 0.6.0, by its results",
     .targets =
         "bf16 fp8_e3m4 fp8_e4m3 fp8_e4m3b11fnuz fp8_e4m3fn fp8_e4m3fnuz fp8_e5m2 fp8_e5m2fnuz "
         "fp8_e8m0fnu fp6_e2m3fn fp6_e3m2fn fp4_e2m1fn",
     .strict_nan = true,
     .rules = {[TARGET_WIDE] = RULES(INF, INF, SIGNED),
               [TARGET_NARROW] = RULES(INF, INF, SIGNED),
               [TARGET_FN] = RULES(SIGNED, SIGNED, SIGNED),
               [TARGET_FNUZ] = RULES(NOT, NOT, NOT),
               [TARGET_FINITE] = RULES(MAX, MAX, SIGNED),
               [TARGET_SCALE] = SCALE(NOT, NOT, NOT, MIN)}},
    {.name = "onnx-reference",
     .summary = "as onnx-24, but NaN keeps its sign, and is a zero where the format has none",
     .source = "onnx 1.23.2, reference/ops/op_cast.py, by its results, but for fp8_e8m0fnu, whose "
               "scales it finds without a look at the sign",
     .targets = "bf16 fp8_e4m3fn fp8_e4m3fnuz fp8_e5m2 fp8_e5m2fnuz fp6_e2m3fn fp6_e3m2fn "
                "fp4_e2m1fn",
     .strict_nan = true,
     .rules = {[TARGET_WIDE] = RULES(INF, INF, SIGNED),
               [TARGET_NARROW] = RULES(MAX, MAX, SIGNED),
               [TARGET_FN] = RULES(MAX, MAX, SIGNED),
               [TARGET_FNUZ] = RULES(MAX, MAX, NOT),
               [TARGET_FINITE] = RULES(MAX, MAX, SIGNED),
               [TARGET_SCALE] = NO_CASE}},
    BLOCKS("ocp-up", "blocks: as ocp, but the scale is rounded up, so that nothing saturates",
           "detcheck; cuDNN, Block Scaling, has the same formula for the scale",
           .scale = BLOCK_SCALE_UP),
    BLOCKS("microxcaling", "blocks: as ocp, but mxint8 is symmetric, and has 2^-126 for zeros",
           "Microsoft microxcaling, mx/mx_ops.py, _quantize_mx, with exact exponents",
           .scale = BLOCK_SCALE_FLOOR, .symmetric = true, .zero_is_normal = true),
    BLOCKS("torchao-floor", "blocks: ScaleCalculationMode.FLOOR", SOURCE_TORCHAO,
           .scale = BLOCK_SCALE_FLOOR, .targets = FLOATS),
    BLOCKS("torchao-ceil", "blocks: ScaleCalculationMode.CEIL", SOURCE_TORCHAO,
           .scale = BLOCK_SCALE_CEIL, .targets = FLOATS),
    BLOCKS("torchao-even", "blocks: ScaleCalculationMode.EVEN", SOURCE_TORCHAO,
           .scale = BLOCK_SCALE_EVEN, .targets = FLOATS),
    BLOCKS("torchao-rceil", "blocks: ScaleCalculationMode.RCEIL", SOURCE_TORCHAO ", _to_mx_rceil",
           .scale = BLOCK_SCALE_PRODUCT, .targets = FLOATS),
    BLOCKS("transformer-engine",
           "blocks: a scale that is rounded up; NaN stays an element, infinity saturates",
           "NVIDIA Transformer Engine, common/util/ptx.cuh, float_to_e8m0 and exp2f_rcp",
           .scale = BLOCK_SCALE_PRODUCT, .targets = "mxfp8_e5m2 mxfp8_e4m3",
           .nan_is_an_element = true, .infinity_saturates = true, .least_is_one = true),
};
const size_t profile_count = sizeof profiles / sizeof *profiles;

const char *const profile_names[] = {"ieee",
                                     "saturate",
                                     "onnx-19",
                                     "onnx-19-unsaturated",
                                     "onnx-24",
                                     "onnx-24-unsaturated",
                                     "ocp",
                                     "ocp-unsaturated",
                                     "ml_dtypes",
                                     "onnx-reference",
                                     "ocp-up",
                                     "microxcaling",
                                     "torchao-floor",
                                     "torchao-ceil",
                                     "torchao-even",
                                     "torchao-rceil",
                                     "transformer-engine",
                                     NULL};

enum target_kind target_kind_of(const struct format *format) {
    if (format->has_infinity)
        return format->width >= 16 ? TARGET_WIDE : TARGET_NARROW;
    if (!format->has_zero)
        return TARGET_SCALE;
    if (!format->has_nan)
        return TARGET_FINITE;
    return format->has_negative_zero ? TARGET_FN : TARGET_FNUZ;
}

/* The profiles that have rules for blocks, or for casts: "a, b". */
static void name_profiles(bool blocks, char *text, size_t room) {
    text[0] = '\0';
    for (size_t i = 0; i < profile_count; i++) {
        const struct profile *row = &profiles[i];
        bool has = blocks ? row->blocks.scale != BLOCK_SCALE_NONE : !row->targets || *row->targets;
        size_t used = strlen(text);
        if (has)
            snprintf(text + used, room - used, "%s%s", used ? ", " : "", row->name);
    }
}

bool profile_covers(const struct profile *profile, const struct format *target,
                    struct error *error) {
    bool none = target->is_element ? profile->blocks.scale == BLOCK_SCALE_NONE
                                   : profile->targets && !*profile->targets;
    const char *targets = target->is_element ? profile->blocks.targets : profile->targets;
    char names[256];
    if (none) {
        name_profiles(target->is_element, names, sizeof names);
        return error_set(error, "the profile %s says nothing of %s, as %s; those that do: %s",
                         profile->name, target->is_element ? "blocks" : "casts of numbers",
                         target->name, names);
    }
    if (!targets || name_matches(target->name, "", targets))
        return true;
    return error_set(error, "the profile %s says nothing of %s; its targets are: %s", profile->name,
                     target->name, targets);
}

uint64_t outcome_code(enum outcome outcome, const struct format *target, bool negative) {
    switch (outcome) {
    case OUTCOME_INFINITY:
        return format_with_sign(target, format_greatest(target), negative);
    case OUTCOME_LARGEST:
        return format_with_sign(target, target->max_finite, negative);
    case OUTCOME_POSITIVE_LARGEST:
        return target->max_finite;
    case OUTCOME_SIGNED_NAN:
        return target->nan ^ (negative ? target->sign_bit : 0);
    case OUTCOME_SMALLEST:
        return 0;
    default:
        return target->nan;
    }
}
