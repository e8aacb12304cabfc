/* Rows of operations on packed blocks: shapes, and exact results by op/block/layout.h. */
#include "op/block/rows.h"

#include "op/block/quantise.h"
#include "op/families.h"

#include <stdlib.h>
#include <string.h>

/* Numbers in blocks: --shape counts numbers, of which blocks are full. */
static bool plan(struct array_call *call, const struct shape *shape, bool bytes,
                 struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    const uint64_t numbers = shape_elements(shape);
    if (numbers % layout->elements)
        return error_set(error, "--shape of %s needs a multiple of %d numbers, not %llu",
                         layout->name, layout->elements, (unsigned long long)numbers);
    call->operands[BLOCK_DATA] = (struct array){
        .format = bytes ? &integer_formats[FORMAT_UINT8] : &formats[FORMAT_FP32],
        .shape = shape_of(bytes ? numbers / layout->elements * layout->bytes : numbers)};
    call->operands[BLOCK_TENSOR_SCALE] =
        (struct array){.format = &formats[FORMAT_FP32], .shape = shape_of(1)};
    return true;
}

static bool byte_operands(struct array_call *call, const struct format *format,
                          const struct shape *shape, struct error *error) {
    const struct format *to = parameters_result_format(call->parameters, format);
    if (to != &formats[FORMAT_FP32] && to != &formats[FORMAT_FP16] && to != &formats[FORMAT_BF16])
        return error_set(error, "packed.dequantise needs --to fp32, fp16 or bf16, not %s",
                         to->name);
    return plan(call, shape, true, error);
}

static bool number_results(struct array_call *call, struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    const struct format *to = parameters_result_format(call->parameters, &formats[FORMAT_FP32]);
    (void)error;
    call->results[0] =
        (struct array){.format = to,
                       .shape = shape_of(shape_elements(&call->operands[BLOCK_DATA].shape) /
                                         layout->bytes * layout->elements)};
    return true;
}

/* The scale of the call's tensor. */
static double tensor_of(const struct array_call *call) {
    const struct real scale = array_number(&call->operands[BLOCK_TENSOR_SCALE], 0);
    return real_to_double(&scale);
}

static bool exact_dequantise(const struct array_call *call, int result, int precision,
                             struct real *y, struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    const uint8_t *bytes = call->operands[BLOCK_DATA].codes;
    struct block_exact exact;
    (void)result;
    (void)precision;
    (void)error;
    block_exact_prepare(&exact, layout, tensor_of(call));
    for (uint64_t i = 0; i < shape_elements(&call->results[0].shape); i++)
        y[i] = block_exact_value(&exact, bytes + i / layout->elements * layout->bytes,
                                 (unsigned)(i % layout->elements));
    block_exact_clear(&exact);
    return true;
}

static bool run_once(const struct array_call *call, const struct array_algorithm *algorithm,
                     struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    const uint8_t *bytes = call->operands[BLOCK_DATA].codes;
    const struct array *to = &call->results[0];
    const struct real scale = array_number(&call->operands[BLOCK_TENSOR_SCALE], 0);
    (void)error;
    for (uint64_t i = 0; i < shape_elements(&to->shape); i++) {
        bool exact;
        const uint8_t *block = bytes + i / layout->elements * layout->bytes;
        const unsigned element = (unsigned)(i % layout->elements);
        const double tensor_scale = layout->has_tensor_scale ? real_to_double(&scale) : 1;
        const struct real number = real_from_double(
            algorithm->data
                ? (double)block_element_in_fp32(layout, block, (float)tensor_scale, element)
                : block_element_number(layout, block, tensor_scale, element, &exact));
        array_set_code(to, i, format_encode(to->format, &number, call->rounding, OVERFLOW_IEEE));
    }
    return true;
}

/* The quantiser that is asked for, or the one that the implementation is. */
static int quantiser_of(const struct array_call *call, const struct array_algorithm *algorithm) {
    return algorithm && algorithm->data
               ? *(const int *)algorithm->data
               : (int)parameter_integer(call->parameters, PARAMETER_QUANTISER, 0);
}

/* False and why, if a quantiser has no rule for a layout. */
static bool takes(int quantiser, const struct block_layout *layout, struct error *why) {
    return block_quantiser_takes(quantiser, layout) ||
           error_set(
               why, "the quantiser %s has no rule for %s%s; detcheck-quantisers(7) lists the rules",
               block_quantiser_names[quantiser], layout->name,
               quantiser == QUANTISER_SQUARES
                   ? ": detcheck cannot find the least sum if a part of a block has a "
                     "minimum or shares a scale"
                   : "");
}

static bool number_operands(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    (void)format;
    if (!takes(quantiser_of(call, NULL), block_layout_of(call), error))
        return false;
    return plan(call, shape, false, error);
}

static bool scaled_operands(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    (void)format;
    if (!plan(call, shape, false, error))
        return false;
    call->operands[BLOCK_SCALED] =
        (struct array){.format = &integer_formats[FORMAT_UINT8],
                       .shape = shape_of(shape_elements(shape) / layout->elements * layout->bytes)};
    return true;
}

static bool byte_results(struct array_call *call, struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    (void)error;
    call->results[0] =
        (struct array){.format = &integer_formats[FORMAT_UINT8],
                       .shape = shape_of(shape_elements(&call->operands[BLOCK_DATA].shape) /
                                         layout->elements * layout->bytes)};
    return true;
}

/* All blocks of a call, where `bytes` has room for them. */
static bool quantise_all(const struct array_call *call, const struct array_algorithm *algorithm,
                         uint8_t *bytes, struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    const struct real scale = array_number(&call->operands[BLOCK_TENSOR_SCALE], 0);
    const float *x = call->operands[BLOCK_DATA].codes;
    const uint64_t blocks = shape_elements(&call->operands[BLOCK_DATA].shape) / layout->elements;
    struct block_coder coder;
    block_coder_prepare(&coder, layout);
    for (uint64_t block = 0; block < blocks; block++)
        if (!block_quantise(quantiser_of(call, algorithm), &coder, x + block * layout->elements,
                            (float)real_to_double(&scale), bytes + block * layout->bytes, error))
            return false;
    return true;
}

/* The nearest codes, and all other fields as the operand has them. */
static bool code_all(const struct array_call *call, uint8_t *bytes, struct error *error) {
    const struct block_layout *layout = block_layout_of(call);
    const struct real scale = array_number(&call->operands[BLOCK_TENSOR_SCALE], 0);
    const float *x = call->operands[BLOCK_DATA].codes;
    const uint8_t *from = call->operands[BLOCK_SCALED].codes;
    const uint64_t blocks = shape_elements(&call->operands[BLOCK_DATA].shape) / layout->elements;
    struct block_coder coder;
    (void)error;
    block_coder_prepare(&coder, layout);
    memset(bytes, 0, (size_t)(blocks * layout->bytes));
    for (; x < (const float *)call->operands[BLOCK_DATA].codes + blocks * layout->elements;
         x += layout->elements, from += layout->bytes, bytes += layout->bytes) {
        for (enum block_role role = 0; role < BLOCK_SUM; role++)
            for (unsigned i = 0; role != BLOCK_ELEMENT && i < layout->fields[role].count; i++)
                block_set(layout, role, bytes, i, block_get(layout, role, from, i));
        block_code_elements(&coder, x, real_to_double(&scale), bytes);
    }
    return true;
}

/* The same bytes by the oracle's arithmetic: of each block of numbers, and what it is given of scales. */
static bool make_exactly(const struct array_call *call, struct block_exact *exact, uint8_t *bytes,
                         struct error *error) {
    const struct block_layout *layout = exact->layout;
    const bool is_nearest = call->rule->operand_names[BLOCK_SCALED] != NULL;
    const float *x = call->operands[BLOCK_DATA].codes;
    const uint64_t blocks = shape_elements(&call->operands[BLOCK_DATA].shape) / layout->elements;
    if (is_nearest)
        memcpy(bytes, call->operands[BLOCK_SCALED].codes, (size_t)(blocks * layout->bytes));
    for (uint64_t block = 0; block < blocks; block++, x += layout->elements, bytes += layout->bytes)
        if (is_nearest)
            block_exact_nearest(exact, x, bytes);
        else if (!block_quantise_exactly(quantiser_of(call, NULL), exact, x, bytes, error))
            return false;
    return true;
}

static bool exact_bytes(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    const uint64_t count = shape_elements(&call->results[0].shape);
    uint8_t *bytes = malloc((size_t)count);
    struct block_exact exact;
    (void)result;
    (void)precision;
    if (!bytes)
        return error_set(error, "out of memory for an array");
    block_exact_prepare(&exact, block_layout_of(call), tensor_of(call));
    const bool made = make_exactly(call, &exact, bytes, error);
    for (uint64_t i = 0; made && i < count; i++)
        y[i] = real_from_double((double)bytes[i]);
    block_exact_clear(&exact);
    free(bytes);
    return made;
}

static bool run_quantise(const struct array_call *call, const struct array_algorithm *algorithm,
                         struct error *error) {
    return quantise_all(call, algorithm, call->results[0].codes, error);
}

static bool run_nearest(const struct array_call *call, const struct array_algorithm *algorithm,
                        struct error *error) {
    (void)algorithm;
    return code_all(call, call->results[0].codes, error);
}

static const struct array_algorithm nearest_algorithms[] = {
    {"det", "exact comparisons", NULL, run_nearest, NULL, NULL}, {0}};
/* Quantisers as implementations, whatever --quantiser asks for. */
static bool provides(int quantiser, const struct array_call *call, struct error *why) {
    return takes(quantiser, block_layout_of(call), why);
}

#define QUANTISERS(ROW)                                                                            \
    ROW(MAXIMUM, "maximum")                                                                        \
    ROW(SQUARES, "squares")                                                                        \
    ROW(LLAMA_CPP, "llama-cpp")                                                                    \
    ROW(LLAMA_CPP_AVX2, "llama-cpp-avx2")                                                          \
    ROW(TORCHAO, "torchao")                                                                        \
    ROW(TORCHAO_CEIL, "torchao-ceil")                                                              \
    ROW(TORCHAO_EVEN, "torchao-even")                                                              \
    ROW(TORCHAO_RCEIL, "torchao-rceil")                                                            \
    ROW(MODELOPT, "modelopt")                                                                      \
    ROW(TRITON_UP, "triton-up")                                                                    \
    ROW(TRITON_DOWN, "triton-down")                                                                \
    ROW(TRITON_NEAREST, "triton-nearest")                                                          \
    ROW(TRANSFORMER_ENGINE, "transformer-engine")                                                  \
    ROW(FOUR_OVER_SIX, "four-over-six")                                                            \
    ROW(CUDNN, "cudnn")                                                                            \
    ROW(BITSANDBYTES, "bitsandbytes")                                                              \
    ROW(DEEPSEEK, "deepseek")
#define PROVIDES(QUANTISER, NAME)                                                                  \
    static bool provides_##QUANTISER(const struct array_call *call, struct error *why) {           \
        return provides(QUANTISER_##QUANTISER, call, why);                                         \
    }
QUANTISERS(PROVIDES)

#define ALGORITHM(QUANTISER, NAME)                                                                 \
    {NAME,                                                                                         \
     "its rule, in fp32",                                                                          \
     provides_##QUANTISER,                                                                         \
     run_quantise,                                                                                 \
     &(const int){QUANTISER_##QUANTISER},                                                          \
     NULL},
static const struct array_algorithm quantise_algorithms[] = {
    {"det", "the rule of --quantiser, in fp32", NULL, run_quantise, NULL, NULL},
    QUANTISERS(ALGORITHM){0}};
static const struct array_algorithm dequantise_algorithms[] = {
    {"cr", "the exact number, rounded once", NULL, run_once, NULL, NULL},
    {"naive", "in fp32: scales first, then the element, then the minimum", NULL, run_once,
     &(const bool){true}, NULL},
    {0}};

static const struct shape shapes[] = {{1, {65536}}, {0}};
static const struct format *const number_formats[] = {&formats[FORMAT_FP32], NULL};
static const struct format *const byte_formats[] = {&integer_formats[FORMAT_UINT8], NULL};

#define BLOCK_PARAMETERS                                                                           \
    (PARAMETER_BIT(LAYOUT) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION))

static const struct operation rows[] = {
    {.name = "packed.quantise",
     .aliases = "packed.quantize",
     .formula = "bytes[i] of the blocks that the rule of a quantiser makes from x",
     .operands = 2,
     .results = 1,
     .parameters = BLOCK_PARAMETERS | PARAMETER_BIT(QUANTISER),
     .defaults = {{PARAMETER_LAYOUT, "nvfp4"}},
     .group = "packed",
     .formats = number_formats,
     .array = &(const struct array_rule){.operand_names = {"x", "tensor_scale"},
                                         .operand_shapes = number_operands,
                                         .result_shapes = byte_results,
                                         .exact = exact_bytes,
                                         .algorithms = quantise_algorithms,
                                         .families = block_number_families,
                                         .shapes = shapes}},
    {.name = "packed.nearest",
     .formula = "bytes[i], the codes nearest to x for given scales",
     .operands = 3,
     .results = 1,
     .parameters = BLOCK_PARAMETERS,
     .defaults = {{PARAMETER_LAYOUT, "nvfp4"}},
     .group = "packed",
     .formats = number_formats,
     .array = &(const struct array_rule){.operand_names = {"x", "tensor_scale", "bytes"},
                                         .operand_shapes = scaled_operands,
                                         .result_shapes = byte_results,
                                         .exact = exact_bytes,
                                         .algorithms = nearest_algorithms,
                                         .families = block_number_families,
                                         .shapes = shapes}},
    {.name = "packed.dequantise",
     .aliases = "packed.dequantize",
     .formula = "y[i] = scale bytes[...], as the layout has them, plus the minimum",
     .operands = 2,
     .results = 1,
     .parameters = BLOCK_PARAMETERS | PARAMETER_BIT(TO),
     .defaults = {{PARAMETER_TO, "fp32"}},
     .group = "packed",
     .format = "uint8",
     .formats = byte_formats,
     .array = &(const struct array_rule){.operand_names = {"bytes", "tensor_scale"},
                                         .operand_shapes = byte_operands,
                                         .result_shapes = number_results,
                                         .exact = exact_dequantise,
                                         .algorithms = dequantise_algorithms,
                                         .families = block_byte_families,
                                         .shapes = shapes}},
};
OPERATION_FAMILY(packed, rows);
