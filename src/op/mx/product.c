/* mx.matmul: matrices whose rows and columns are in blocks with a scale each. Shapes, exact results, and two ways to
 * compute them: rounded once, and as emulations do, in fp32 from the left, from c where it comes in. */
#include "op/array/sums.h"
#include "op/mx/rows.h"

#include <stdlib.h>

static const struct format *scale_format(const struct array_call *call) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_SCALE_FORMAT];
    return given->present ? given->format : &formats[BLOCK_SCALES];
}

uint64_t mx_product_block(const struct array_call *call) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_BLOCK];
    return given->present                                 ? (uint64_t)given->integer
           : scale_format(call) == &formats[BLOCK_SCALES] ? BLOCK_ELEMENTS
                                                          : BLOCK_ELEMENTS_NVFP4;
}

bool mx_product_operands(struct array_call *call, const struct format *format,
                         const struct shape *shape, struct error *error) {
    const struct format *scales = scale_format(call);
    if (!format->is_element)
        return error_set(error, "mx.matmul takes formats of blocks, not %s", format->name);
    if (scales != &formats[BLOCK_SCALES] && scales != &formats[BLOCK_SCALES_NVFP4])
        return error_set(error, "scales of mx.matmul are in fp8_e8m0fnu or fp8_e4m3fn, not in %s",
                         scales->name);
    if (shape->dimensions != 3)
        return error_set(error, "mx.matmul needs --shape ROWSxINNERxCOLUMNS, such as 4x256x8");
    const uint64_t rows = shape->extents[0], inner = shape->extents[1], columns = shape->extents[2],
                   block = mx_product_block(call), blocks = (inner + block - 1) / block;
    call->operands[MX_X] = (struct array){.format = format, .shape = {2, {rows, inner}}};
    call->operands[MX_X_SCALES] = (struct array){.format = scales, .shape = {2, {rows, blocks}}};
    call->operands[MX_Y] = (struct array){.format = format, .shape = {2, {inner, columns}}};
    call->operands[MX_Y_SCALES] = (struct array){.format = scales, .shape = {2, {blocks, columns}}};
    return true;
}

bool mx_product_results(struct array_call *call, struct error *error) {
    const struct format *to = parameters_result_format(call->parameters, &formats[FORMAT_FP32]);
    if (to != &formats[FORMAT_FP32] && to != &formats[FORMAT_FP16] && to != &formats[FORMAT_BF16])
        return error_set(error, "mx.matmul needs --to fp32, fp16 or bf16, not %s", to->name);
    call->results[0] = (struct array){
        .format = to,
        .shape = {2,
                  {call->operands[MX_X].shape.extents[0], call->operands[MX_Y].shape.extents[1]}}};
    return true;
}

/* An element times its scale, whose sign does not count: exact, of some twelve bits. */
static struct real scaled(const struct array *elements, uint64_t at, const struct array *scales,
                          uint64_t scale_at) {
    struct real x = array_number(elements, at), scale = array_number(scales, scale_at);
    if (x.kind == REAL_NAN || scale.kind == REAL_NAN ||
        (x.kind == REAL_INFINITE && scale.kind == REAL_ZERO))
        return real_nan();
    if (x.kind != REAL_FINITE)
        return x;
    if (scale.kind == REAL_ZERO)
        return real_zero(x.negative);
    uint64_t product = (x.significand.high >> 32) * (scale.significand.high >> 32);
    unsigned zeros = leading_zeros(product);
    x.exponent += scale.exponent + 1 - (int)zeros;
    x.significand.high = product << zeros;
    return x;
}

static struct real x_number(const struct array_call *call, uint64_t row, uint64_t k) {
    const struct array *x = &call->operands[MX_X], *scales = &call->operands[MX_X_SCALES];
    return scaled(x, row * x->shape.extents[1] + k, scales,
                  row * scales->shape.extents[1] + k / mx_product_block(call));
}

static struct real y_number(const struct array_call *call, uint64_t k, uint64_t column) {
    const struct array *y = &call->operands[MX_Y], *scales = &call->operands[MX_Y_SCALES];
    const uint64_t columns = y->shape.extents[1];
    return scaled(y, k * columns + column, scales, k / mx_product_block(call) * columns + column);
}

bool mx_product_exact(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error) {
    const uint64_t inner = call->operands[MX_Y].shape.extents[0],
                   columns = call->operands[MX_Y].shape.extents[1],
                   elements = shape_elements(&call->results[0].shape);
    const struct array *c = array_addend(call);
    struct exact_total total;
    (void)result;
    (void)error;
    exact_total_open(&total, &formats[FORMAT_FP64]);
    for (uint64_t i = 0; i < elements; i++) {
        exact_total_reset(&total);
        for (uint64_t k = 0; k < inner; k++) {
            struct real a = x_number(call, i / columns, k), b = y_number(call, k, i % columns);
            exact_total_add_product(&total, &a, &b);
        }
        if (c) {
            const struct real onto = array_number(c, i);
            exact_total_add(&total, &onto);
        }
        y[i] = exact_total_quotient(&total, 1, precision);
    }
    exact_total_close(&total);
    return true;
}

static void put(const struct array_call *call, uint64_t at, const struct real *y) {
    const struct array *result = &call->results[0];
    array_set_code(result, at, format_encode(result->format, y, call->rounding, OVERFLOW_IEEE));
}

bool mx_run_exact_product(const struct array_call *call, const struct array_algorithm *algorithm,
                          struct error *error) {
    enum { PRECISION = 120 };
    const uint64_t elements = shape_elements(&call->results[0].shape);
    struct real *y = calloc(elements ? elements : 1, sizeof *y);
    (void)algorithm;
    if (!y)
        return error_set(error, "out of memory");
    bool good = mx_product_exact(call, 0, PRECISION, y, error);
    for (uint64_t i = 0; good && i < elements; i++)
        put(call, i, &y[i]);
    free(y);
    return good;
}

static float as_float(struct real x) {
    return (float)real_to_double(&x);
}

bool mx_run_naive_product(const struct array_call *call, const struct array_algorithm *algorithm,
                          struct error *error) {
    const uint64_t inner = call->operands[MX_Y].shape.extents[0],
                   columns = call->operands[MX_Y].shape.extents[1],
                   elements = shape_elements(&call->results[0].shape);
    const struct array *c = array_addend(call);
    (void)algorithm;
    (void)error;
    for (uint64_t i = 0; i < elements; i++) {
        float sum = c ? as_float(array_number(c, i)) : 0;
        for (uint64_t k = 0; k < inner; k++) {
            float product =
                as_float(x_number(call, i / columns, k)) * as_float(y_number(call, k, i % columns));
            sum += product;
        }
        struct real y = real_from_double((double)sum);
        put(call, i, &y);
    }
    return true;
}
