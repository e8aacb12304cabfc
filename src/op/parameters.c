/* The table of parameters. */
#include "op/parameters.h"

#include "format/cast.h"
#include "op/block/layout.h"
#include "op/block/quantise.h"
#include "op/decimal/grammar.h"

/* In the order of enum overflow. */
static const char *const saturations[] = {"sat-none", "sat-finite", "sat-propagate", NULL};
/* In the order of enum rounding, without those that P3109 has not. */
static const char *const scale_roundings[] = {
    "nearest-even", "toward-zero",  "up",           "down",         "nearest-away",
    "to-odd",       "stochastic-a", "stochastic-b", "stochastic-c", NULL};
static const char *const accumulators[] = {"32", "64", NULL};
static const char *const overflows[] = {"wrap", "saturate", "report", NULL};
static const char *const transposes[] = {"none", "first", "second", NULL};
static const char *const operand_names[] = {"first", "second", NULL};
static const char *const alignments[] = {"coarser", "finer", NULL};

static const char *const scale_kinds[] = {"fp32", "power", "none", NULL};
static const char *const scale_places[] = {"one", "row", "column", NULL};
static const char *const nones[] = {"none", NULL};
static const char *const static_scales[] = {"one",      "unit",       "power", "mean",
                                            "measured", "power-down", NULL};
static const char *const targets[] = {"maximum", "squares", NULL};
static const char *const forms[] = {"once", "gemmlowp", "tosa", "tosa-double", "fp32", NULL};
static const char *const approximations[] = {"none", "tanh", NULL};
static const char *const biases[] = {"none", "mask", "alibi", NULL};
static const char *const affines[] = {"none", "weight", "bias", NULL};
static const char *const reductions[] = {"none", "sum", "mean", NULL};
static const char *const modes[] = {"sum", "mean", "max", NULL};
static const char *const styles[] = {"shortest", "exponent",    "fixed",
                                     "general",  "hexadecimal", NULL};
static const char *const computes[] = {"fp32", "fp16", "auto", NULL};

#define CHOICE(NAME, VALUE, CHOICES, OTHERWISE, SUMMARY)                                           \
    {                                                                                              \
        .name = NAME, .kind = PARAMETER_CHOICE, .value = VALUE, .summary = SUMMARY,                \
        .choices = CHOICES, .otherwise = OTHERWISE                                                 \
    }

#define INTEGER(NAME, LEAST, MOST, OTHERWISE, SUMMARY)                                             \
    {                                                                                              \
        .name = NAME, .kind = PARAMETER_INTEGER, .value = "N", .summary = SUMMARY,                 \
        .least = (LEAST), .most = (MOST), .otherwise = OTHERWISE                                   \
    }

/* A number of fp32 above 0, or a name. */
#define NUMBER(NAME, NAMES, OTHERWISE, SUMMARY)                                                    \
    {                                                                                              \
        .name = NAME, .kind = PARAMETER_CHOICE, .value = "NUMBER", .summary = SUMMARY,             \
        .choices = NAMES, .takes_number = true, .rounds_number = true, .otherwise = OTHERWISE      \
    }

#define FLAG(NAME, SUMMARY)                                                                        \
    { .name = NAME, .kind = PARAMETER_FLAG, .summary = SUMMARY }

#define EXTENTS(NAME, SUMMARY)                                                                     \
    { .name = NAME, .kind = PARAMETER_SHAPE, .value = "EXTENTS", .summary = SUMMARY }

enum { MOST_BLOCK = 1 << 28 };

/* A scale or a shift of dyadic integers; a number of the windows of a convolution. */
#define SHIFT(NAME, LEAST, MOST, SUMMARY)        INTEGER(NAME, LEAST, MOST, "0", SUMMARY)
#define WINDOWS(NAME, LEAST, OTHERWISE, SUMMARY) INTEGER(NAME, LEAST, 1 << 20, OTHERWISE, SUMMARY)

const struct parameter parameter_rows[PARAMETER_COUNT] = {
    [PARAMETER_TO] = {.name = "to",
                      .kind = PARAMETER_FORMAT,
                      .value = "FORMAT",
                      .summary = "format of the results",
                      .is_result_format = true,
                      .takes_elements = true},
    [PARAMETER_PROFILE] = {.name = "profile",
                           .kind = PARAMETER_CHOICE,
                           .value = "NAME",
                           .summary = "rules for overflow, infinity, NaN and the scale of a block",
                           .choices = profile_names,
                           .otherwise = "ieee"},
    [PARAMETER_SATURATION] =
        CHOICE("saturation", "MODE", saturations, NULL,
               "saturation mode of P3109; default sat-none for formats of P3109"),
    [PARAMETER_RESULT_SCALE] =
        {.name = "result-scale",
         .kind = PARAMETER_NUMBER,
         .value = "FORMAT:NUMBER",
         .summary = "for a result in a block of P3109, the scale of the block: the\n"
                    "exact result is divided by it before it is rounded"},
    [PARAMETER_RANDOM_BITS] = INTEGER("random-bits", 1, MOST_RANDOM_BITS, "16",
                                      "how many random bits stochastic rounding takes"),
    [PARAMETER_RANDOM] = {.name = "random",
                          .kind = PARAMETER_INTEGER,
                          .value = "R",
                          .summary = "use these random bits for every element",
                          .least = 0,
                          .most = (INT64_C(1) << MOST_RANDOM_BITS) - 1},
    [PARAMETER_RANDOM_SEED] = {.name = "random-seed",
                               .kind = PARAMETER_INTEGER,
                               .value = "S",
                               .summary = "draw the random bits of each element by this seed",
                               .least = 0,
                               .most = INT64_MAX,
                               .otherwise = "1"},
    [PARAMETER_AXIS] =
        INTEGER("axis", -MOST_DIMENSIONS, MOST_DIMENSIONS - 1, NULL,
                "axis of an array, -1 for the last; by default the array is flattened,\n"
                "but softmax, log_softmax, norms, sort, top_k and argmax take the last\n"
                "axis"),
    [PARAMETER_EXCLUSIVE] = FLAG("exclusive", "leave the element itself out of a scan"),
    [PARAMETER_REVERSE] =
        FLAG("reverse", "run a scan from the end to the beginning; sort in descending order;\n"
                        "top_k, argmax: take the smallest; swiglu, geglu: swap the halves"),
    [PARAMETER_DTYPE] = {.name = "dtype",
                         .kind = PARAMETER_FORMAT,
                         .value = "FORMAT",
                         .summary = "cast arrays to this format first; the results have it, too",
                         .is_result_format = true,
                         .casts_operands = true},
    [PARAMETER_ACCUMULATE] =
        {.name = "accumulate",
         .kind = PARAMETER_FORMAT,
         .value = "FORMAT",
         .summary = "format in which sums of arrays accumulate, default fp32 if it holds the\n"
                    "results' format, else fp64; sums also take fp16 and bf16"},
    [PARAMETER_SHAPE_OF] = {.name = "shape",
                            .kind = PARAMETER_SHAPE,
                            .value = "EXTENTS",
                            .summary = "extents of an array; for matmul ROWSxINNERxCOLUMNS"},
    [PARAMETER_DISTRIBUTION] = {.name = "distribution",
                                .kind = PARAMETER_TEXT,
                                .value = "NAME",
                                .summary =
                                    "family of inputs of arrays; default all families, in turn"},
    [PARAMETER_S1] = SHIFT("s1", -65535, 65535, "dyadic: scale of the first operand"),
    [PARAMETER_S2] = SHIFT("s2", -65535, 65535, "dyadic: scale of the second operand"),
    [PARAMETER_S3] = INTEGER("s3", -65535, 65535, NULL,
                             "dyadic.affine: scale of the bias; default that of the product"),
    [PARAMETER_TARGET] =
        SHIFT("target", -65535, 65535, "dyadic: scale to align, requantise or convert to"),
    [PARAMETER_Q] =
        SHIFT("q", -3 * 65535, 3 * 65535, "dyadic.mul: quantisation shift, to the right"),
    [PARAMETER_P] = SHIFT("p", -3 * 65535, 3 * 65535, "dyadic.div: precision shift, to the left"),
    [PARAMETER_BITS] =
        INTEGER("bits", 1, 64, "8", "dyadic: width in bits of the integers to clip to"),
    [PARAMETER_UNSIGNED] = FLAG("unsigned", "dyadic: clip to unsigned integers"),
    [PARAMETER_ACCUMULATOR] = CHOICE("accumulator", "BITS", accumulators, "32",
                                     "dyadic: width in bits of every intermediate integer"),
    [PARAMETER_ON_OVERFLOW] =
        CHOICE("on-overflow", "HOW", overflows, "wrap",
               "dyadic: wrap, saturate or report integers that do not fit the\n"
               "accumulator"),
    [PARAMETER_ALIGN] = CHOICE("align", "WHERE", alignments, "coarser",
                               "dyadic: align to the coarser of two scales, or to the finer"),
    [PARAMETER_TRANSPOSE] = CHOICE("transpose", "WHICH", transposes, "none",
                                   "dyadic.matmul: the first or the second operand is stored\n"
                                   "transposed"),
    [PARAMETER_LR_SHIFT] = SHIFT("lr-shift", 0, 63, "dyadic.step: the learning rate is 2^-N"),
    [PARAMETER_MOMENTUM_SHIFT] =
        SHIFT("momentum-shift", 0, 63,
              "dyadic.step: the velocity loses 2^-N of itself; with 0, all of it"),
    [PARAMETER_CLIP] = INTEGER("clip", 1, INT64_MAX, NULL,
                               "dyadic.step: clip gradients to the range from -N to N"),
    [PARAMETER_STOCHASTIC] = {.name = "stochastic",
                              .kind = PARAMETER_INTEGER,
                              .value = "SEED",
                              .summary = "round stochastically, by the random bits of this seed",
                              .most = INT64_MAX},
    [PARAMETER_SCALE] = CHOICE("scale", "KIND", scale_kinds, "fp32",
                               "scaled: scales in fp32, powers of two as int32 (power), or none"),
    [PARAMETER_PER] = CHOICE("per", "WHAT", scale_places, "one",
                             "scaled: one scale, one per row, or one per column"),
    [PARAMETER_STATIC] =
        {.name = "static",
         .kind = PARAMETER_CHOICE,
         .value = "STRATEGY",
         .choices = static_scales,
         .takes_number = true,
         .otherwise = "unit",
         .summary = "scaled sums: divide by 1 (one), by the root of the number of terms\n"
                    "(unit), by the power of two nearest to this root (power) or just not\n"
                    "above it (power-down), by the number of terms (mean), by the power of\n"
                    "two that the results need (measured), or by a number (3.5, 0x1.cp+1)"},
    [PARAMETER_BY] = CHOICE("by", "TARGET", targets, "maximum",
                            "scaled.rebalance: choose the scale by the maximum, or by the\n"
                            "least squared error"),
    [PARAMETER_MARGIN] = INTEGER("margin", -64, 64, NULL,
                                 "scaled.rebalance: leave room for N more powers of two, unless\n"
                                 "all data are 0"),
    [PARAMETER_COMPUTE] = CHOICE("compute", "FORMAT", computes, "fp32",
                                 "scaled functions: compute in fp32, in fp16, or in the\n"
                                 "one that suits the scale (auto)"),
    [PARAMETER_SCALES] =
        EXTENTS("scales", "scaled: extents of the array of scales; each divides the extent\n"
                          "of the data"),
    [PARAMETER_SECOND_FORMAT] = {.name = "second-format",
                                 .kind = PARAMETER_FORMAT,
                                 .value = "FORMAT",
                                 .summary = "scaled: format of the second operand"},
    [PARAMETER_SECOND_SHAPE] =
        EXTENTS("second-shape", "scaled: extents of the second operand, which broadcasts"),
    [PARAMETER_SECOND_SCALES] =
        EXTENTS("second-scales", "scaled: extents of the second operand's scales"),
    [PARAMETER_STRIDE] = WINDOWS(
        "stride", 1, "1", "convolutions, average_pool: step between windows, along each axis"),
    [PARAMETER_PADDING] =
        WINDOWS("padding", 0, "0", "convolutions, average_pool: zeros at each end of each axis"),
    [PARAMETER_DILATION] =
        WINDOWS("dilation", 1, "1", "convolutions: step between the taps of a window"),
    [PARAMETER_GROUPS] = WINDOWS("groups", 1, "1",
                                 "convolutions, group_norm: number of groups of channels;\n"
                                 "attention: number of heads of keys, default that of queries"),
    [PARAMETER_OF] = CHOICE("of", "WHICH", operand_names, "first",
                            "scaled gradients of products: the operand whose gradient is\n"
                            "computed"),
    [PARAMETER_OPSET] = INTEGER("opset", 10, 1000, "28", "onnx: operator set whose rules apply"),
    [PARAMETER_SCALE_FORMAT] =
        {.name = "scale-format",
         .kind = PARAMETER_FORMAT,
         .value = "FORMAT",
         .summary = "onnx, mx.matmul, p3109.to_block_max_abs_finite: format of the\n"
                    "scales"},
    [PARAMETER_SCALE_ROUNDING] =
        CHOICE("scale-rounding", "ROUNDING", scale_roundings, "nearest-even",
               "p3109.to_block_max_abs_finite: rounding of the scale"),
    [PARAMETER_SCALE_SATURATION] =
        CHOICE("scale-saturation", "MODE", saturations, "sat-none",
               "p3109.to_block_max_abs_finite: saturation mode of the scale"),
    [PARAMETER_PRECISION] =
        {.name = "precision",
         .kind = PARAMETER_FORMAT,
         .value = "FORMAT",
         .summary = "onnx.quantise: format of the division; default that of the scales"},
    [PARAMETER_BLOCK] = INTEGER("block", 1, MOST_BLOCK, NULL,
                                "onnx, mx.matmul: how many elements along the axis share a scale"),
    [PARAMETER_SCALAR_IN_DATA] = {.name = "scalar-in-data",
                                  .kind = PARAMETER_FLAG,
                                  .summary =
                                      "scaled.mul: multiply a scalar into the data, not into\n"
                                      "the scale"},
    [PARAMETER_UNSATURATED] = {.name = "unsaturated",
                               .kind = PARAMETER_FLAG,
                               .summary = "onnx.quantise: convert to 8-bit floats with saturate=0"},
    [PARAMETER_STRICT_SCALE] = {.name = "strict-scale",
                                .kind = PARAMETER_FLAG,
                                .summary = "scaled arrays: judge data and scale, not only their\n"
                                           "product"},
    [PARAMETER_EPSILON] = {.name = "epsilon",
                           .kind = PARAMETER_CHOICE,
                           .value = "E",
                           .choices = nones,
                           .takes_number = true,
                           .rounds_number = true,
                           .otherwise = "1e-5",
                           .summary =
                               "norms: add this number, rounded to fp32, to the mean of the\n"
                               "squares; l2_norm: divide at least by this number"},
    [PARAMETER_FORM] = CHOICE("form", "NAME", forms, "once",
                              "requantise: round once, as gemmlowp does, as TOSA does (without\n"
                              "or with double_round), or in fp32"),
    [PARAMETER_AFFINE] = CHOICE("affine", "WHAT", affines, NULL,
                                "norms: with a weight, or with a weight and a bias; convolution:\n"
                                "with a bias; default none"),
    [PARAMETER_APPROXIMATE] = CHOICE("approximate", "HOW", approximations, NULL,
                                     "gelu_mul, geglu: compute gelu by erf (none), or by tanh"),
    [PARAMETER_K] = INTEGER("k", 1, MOST_BLOCK, "1", "top_k: how many elements of a line to take"),
    [PARAMETER_CAUSAL] = {.name = "causal",
                          .kind = PARAMETER_FLAG,
                          .summary =
                              "attention: let a query see only the keys up to its own position;\n"
                              "the last query sees all keys"},
    [PARAMETER_WINDOW] =
        INTEGER("window", 1, MOST_BLOCK, NULL,
                "attention: let a query see only keys less than N positions away;\n"
                "average_pool: size of a window, along each axis"),
    [PARAMETER_SOFT_CAP] = {.name = "soft-cap",
                            .kind = PARAMETER_CHOICE,
                            .value = "C",
                            .choices = nones,
                            .takes_number = true,
                            .rounds_number = true,
                            .otherwise = "none",
                            .summary = "attention: replace each score s by C tanh(s / C)"},
    [PARAMETER_BIAS] = CHOICE("bias", "WHAT", biases, "none",
                              "attention: add a mask to the scores, or add a slope for each head\n"
                              "times the distance of key and query (alibi)"),
    [PARAMETER_BASE] = NUMBER("base", nones, "10000",
                              "rope: base of the angles, position * base^(-2i/n) for pair i\n"
                              "of a line of n elements"),
    [PARAMETER_FACTOR] = NUMBER("factor", nones, "none", "rope: divide positions by NUMBER"),
    [PARAMETER_ROTARY] =
        INTEGER("rotary", 2, 1 << 20, NULL,
                "rope: rotate the first N elements of a line; default all elements"),
    [PARAMETER_INTERLEAVED] = {.name = "interleaved",
                               .kind = PARAMETER_FLAG,
                               .summary =
                                   "rope: pair neighbouring elements, instead of element i of the\n"
                                   "first half with element i of the second"},
    [PARAMETER_SMOOTHING] = NUMBER("smoothing", nones, "none",
                                   "cross_entropy: share of the label that is spread over all\n"
                                   "classes, at most 1"),
    [PARAMETER_IGNORE_INDEX] = INTEGER("ignore-index", INT64_MIN, INT64_MAX, "-100",
                                       "cross_entropy: skip lines with this target"),
    [PARAMETER_REDUCTION] = CHOICE("reduction", "HOW", reductions, "none",
                                   "cross_entropy: the loss of each line (none), their sum, or\n"
                                   "their mean"),
    [PARAMETER_MODE] = CHOICE("mode", "HOW", modes, "mean",
                              "embedding_bag: return the sum, the mean or the maximum of rows"),
    [PARAMETER_WEIGHTED] = {.name = "weighted",
                            .kind = PARAMETER_FLAG,
                            .summary = "embedding_bag: multiply each row of a sum by a weight;\n"
                                       "cross_entropy: weight each class"},
    [PARAMETER_PADDING_INDEX] =
        INTEGER("padding-index", INT64_MIN, INT64_MAX, NULL, "embedding_bag: skip this index"),
    [PARAMETER_COUNT_INCLUDE_PAD] =
        {.name = "count-include-pad",
         .kind = PARAMETER_FLAG,
         .summary = "average_pool: count elements of the padding in the divisor"},
    [PARAMETER_CEIL_MODE] =
        {.name = "ceil-mode",
         .kind = PARAMETER_FLAG,
         .summary = "average_pool: add a last window that is only partly inside the array"},
    [PARAMETER_LEARNING_RATE] =
        NUMBER("learning-rate", nones, "0.001", "sgd, adam, adamw: learning rate; none means 0"),
    [PARAMETER_MOMENTUM] = NUMBER("momentum", nones, "none", "sgd: factor of the old velocity"),
    [PARAMETER_DAMPENING] = NUMBER("dampening", nones, "none",
                                   "sgd: the gradient enters the velocity times 1 - NUMBER"),
    [PARAMETER_NESTEROV] = FLAG("nesterov", "sgd: Nesterov momentum"),
    [PARAMETER_WEIGHT_DECAY] = NUMBER("weight-decay", nones, "none",
                                      "sgd, adam: add NUMBER times the weight to the gradient;\n"
                                      "adamw: multiply the weight by 1 - learning rate * NUMBER"),
    [PARAMETER_BETA1] = NUMBER("beta1", nones, "0.9", "adam, adamw: factor of the old mean"),
    [PARAMETER_BETA2] =
        NUMBER("beta2", nones, "0.999", "adam, adamw: factor of the old mean of squares"),
    [PARAMETER_STEP] =
        INTEGER("step", 1, INT32_MAX, "1", "sgd, adam, adamw: number of the step, counted from 1"),
    [PARAMETER_PAGE] = INTEGER("page", 1, MOST_BLOCK, NULL,
                               "attention: keep keys and values in pages of N, in any order"),
    [PARAMETER_SPLIT] = INTEGER("split", 1, MOST_BLOCK, NULL,
                                "attention: process keys in parts of N, and merge the parts"),
    [PARAMETER_ADDEND] = {.name = "addend",
                          .kind = PARAMETER_FLAG,
                          .summary =
                              "dot, matmul: add one more operand c to each sum, as BLAS's gemm\n"
                              "adds C with beta 1"},
    [PARAMETER_STYLE] =
        CHOICE("style", "NAME", styles, "shortest",
               "to_decimal: write the fewest digits that are read back as the same\n"
               "number, or write as printf's %e, %f, %g and %a do"),
    [PARAMETER_DIGITS] =
        INTEGER("digits", 0, 1100, NULL,
                "to_decimal: printf's precision; default 6, or all digits for hexadecimal"),
    [PARAMETER_GRAMMAR] = CHOICE("grammar", "NAME", decimal_grammar_names, NULL,
                                 "from_decimal: the function whose rules say which texts are\n"
                                 "numbers; default strtod"),
    [PARAMETER_LAYOUT] = CHOICE("layout", "NAME", block_layout_names, "q4_0",
                                "packed.*: block format, with the order of its bytes"),
    [PARAMETER_QUANTISER] = CHOICE("quantiser", "NAME", block_quantiser_names, "maximum",
                                   "packed.quantise: rule that converts numbers to bytes"),
};
