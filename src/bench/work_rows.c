/* Who computes what: a row for each operation on arrays and each way of computing it. */
#include "bench/plain.h"
#include "bench/work.h"

#include "detmath/arrays.h"
#include "op/detmath_format.h"
#include "op/onnx/rows.h"

#include <math.h>
#include <string.h>

#define CALL(NAME, ...)                                                                            \
    static bool NAME(struct bench_work *t) {                                                       \
        __VA_ARGS__;                                                                               \
        return true;                                                                               \
    }
#define CALL_OR_TROUBLE(NAME, ...)                                                                 \
    static bool NAME(struct bench_work *t) {                                                       \
        return (__VA_ARGS__) == 0;                                                                 \
    }

CALL(det_sum, t->sink = (double)detmath_sum_f32(t->x, t->n))
CALL(cr_sum, t->sink = (double)detmath_cr_sum_f32(t->x, t->n))
CALL(sum, t->sink = (double)plain_sum(t->x, t->n))
CALL(det_mean, t->sink = (double)detmath_mean_f32(t->x, t->n))
CALL(cr_mean, t->sink = (double)detmath_cr_mean_f32(t->x, t->n))
CALL(mean, t->sink = (double)(plain_sum(t->x, t->n) / (float)t->n))
CALL(det_dot, t->sink = (double)detmath_dot_f32(t->x, t->w, t->n))
CALL(cr_dot, t->sink = (double)detmath_cr_dot_f32(t->x, t->w, t->n))
CALL(dot, t->sink = (double)plain_dot(t->x, t->w, t->n))
CALL(det_logsumexp, t->sink = (double)detmath_logsumexp_f32(t->x, t->n))
CALL(logsumexp, t->sink = (double)plain_logsumexp(t->x, t->n))
CALL(det_cumsum, detmath_cumsum_f32(t->y, t->x, t->n))
CALL(cumsum, plain_cumsum(t->y, t->x, t->n))
CALL(det_logcumsumexp, detmath_logcumsumexp_f32(t->y, t->x, t->n))
CALL(logcumsumexp, plain_logcumsumexp(t->y, t->x, t->n))
CALL(exp_and_log, detmath_cr_exp_f32(t->y, t->x, t->n), detmath_cr_log_f32(t->y, t->y, t->n))
CALL(plain_exp_log, plain_exp_and_log(t->y, t->x, t->n))
CALL(det_softmax, detmath_softmax_f32(t->y, t->x, t->n))
CALL(softmax, plain_softmax(t->y, t->x, t->n))
CALL(det_log_softmax, detmath_log_softmax_f32(t->y, t->x, t->n))
CALL(log_softmax, plain_log_softmax(t->y, t->x, t->n))
#define GRADIENT(NAME, ...)                                                                        \
    CALL_OR_TROUBLE(det_##NAME, detmath_##NAME##_along(&t->line_y, &t->line_x, __VA_ARGS__))
GRADIENT(logcumsumexp_gradient, &t->line_w, 0, 0)
GRADIENT(logsumexp_gradient, &t->first_w, 0)
GRADIENT(log_softmax_gradient, &t->line_w, 0)
CALL(logcumsumexp_gradient, plain_logcumsumexp_gradient(t->y, t->x, t->w, t->n))
CALL(logsumexp_gradient, plain_logsumexp_gradient(t->y, t->x, t->w[0], t->n))
CALL(log_softmax_gradient, plain_log_softmax_gradient(t->y, t->x, t->w, t->n))
CALL(det_matmul, detmath_matmul_f32(t->y, t->x, t->w, t->rows, t->inner, t->columns))
CALL(matmul, plain_matmul(t->y, t->x, t->w, t->rows, t->inner, t->columns))
CALL(blas, blas_matmul(t->blas, t->y, t->x, t->w, t->rows, t->inner, t->columns))

#define EACH(INDEX, B)                                                                             \
    detmath_scaled_each(DETMATH_SCALED_INDEX_##INDEX, &t->scaled_c, &t->scaled_a, B, NULL)
#define CALLS_OF_ONE(NAME, DETAIL, DET_DETAIL, VALUE)                                              \
    CALL_OR_TROUBLE(det_scaled_##NAME, EACH(NAME, NULL))                                           \
    CALL(scaled_##NAME, plain_##NAME(t->y, t->x, t->n))
#define CALLS_OF_TWO(NAME, DETAIL, DET_DETAIL, VALUE)                                              \
    CALL_OR_TROUBLE(det_scaled_##NAME, EACH(NAME, &t->scaled_b))                                   \
    CALL(scaled_##NAME, plain_##NAME(t->y, t->x, t->w, t->n))
PLAIN_OF_ONE(CALLS_OF_ONE)
PLAIN_OF_TWO(CALLS_OF_TWO)
CALL_OR_TROUBLE(det_scaled_softmax, detmath_scaled_softmax_along(&t->scaled_c, &t->scaled_a, -1,
                                                                 DETMATH_SCALED_F32, NULL))
CALL_OR_TROUBLE(det_scaled_sum, detmath_scaled_sum(&t->scaled_first, &t->scaled_a, -1,
                                                   DETMATH_SCALED_STATIC_ONE, NULL))
CALL_OR_TROUBLE(det_scaled_mean, detmath_scaled_mean(&t->scaled_first, &t->scaled_a, -1, NULL))
CALL_OR_TROUBLE(det_scaled_reduce_max,
                detmath_scaled_max_along(&t->scaled_first, &t->scaled_a, -1, NULL))
CALL(scaled_sum, t->y[0] = plain_sum(t->x, t->n))
CALL(scaled_mean, t->y[0] = plain_sum(t->x, t->n) / (float)t->n)
CALL(scaled_reduce_max, t->y[0] = plain_largest(t->x, t->n))
CALL_OR_TROUBLE(det_scaled_matmul,
                detmath_scaled_matmul(&t->scaled_c, &t->scaled_a, &t->scaled_b,
                                      DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX))

CALL_OR_TROUBLE(det_scaled_cast, EACH(apply, NULL))
CALL_OR_TROUBLE(det_scaled_rebalance, detmath_scaled_rebalance(&t->scaled_c, &t->scaled_a,
                                                               DETMATH_SCALED_BY_MAXIMUM, NULL))
CALL_OR_TROUBLE(det_scaled_rescale, detmath_scaled_rescale(&t->scaled_c, &t->scaled_a, NULL))
CALL(scaled_same, plain_copy(t->y, t->x, t->n))
CALL_OR_TROUBLE(det_scaled_convolution,
                detmath_scaled_convolution(&t->image_c, &t->image_a, &t->scaled_taps, t->windows, 1,
                                           DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX))
CALL(convolution, plain_convolution(t->y, t->x, t->w, t->image + 1))
CALL_OR_TROUBLE(det_scaled_convolution_gradient,
                detmath_scaled_convolution_gradient(&t->image_c, &t->scaled_taps, &t->image_a,
                                                    t->windows, 1, DETMATH_SCALED_FIRST,
                                                    DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX))
CALL(convolution_gradient, plain_convolution_gradient(t->y, t->x, t->w, t->image + 1))
CALL_OR_TROUBLE(det_scaled_matmul_gradient,
                detmath_scaled_matmul_gradient(&t->scaled_c, &t->scaled_transposed, &t->scaled_a,
                                               DETMATH_SCALED_FIRST, DETMATH_SCALED_STATIC_ONE,
                                               NULL, 0, SIZE_MAX))
CALL(matmul_gradient, plain_matmul_transposed(t->y, t->x, t->w, t->rows, t->inner, t->columns))
CALL_OR_TROUBLE(det_scaled_mul_gradient,
                detmath_scaled_contract(&t->scaled_first, &t->scaled_a, &t->scaled_b,
                                        DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX))
CALL(scaled_mul_gradient, t->y[0] = plain_dot(t->x, t->w, t->n))
CALL_OR_TROUBLE(det_scaled_softmax_gradient,
                detmath_scaled_softmax_gradient(&t->scaled_c, &t->scaled_a, &t->scaled_b, -1, NULL))
CALL(softmax_gradient, plain_softmax_gradient(t->y, t->x, t->w, t->n))
CALL_OR_TROUBLE(det_scaled_reduce_max_gradient,
                detmath_scaled_max_gradient(&t->scaled_c, &t->scaled_a, &t->scaled_back, -1, NULL))
CALL(reduce_max_gradient, plain_largest_gradient(t->y, t->x, t->w[0], t->n))

#define INTEGERS_OF_ONE(NAME, PLAN, VALUE)                                                         \
    CALL_OR_TROUBLE(det_dyadic_##NAME,                                                             \
                    detmath_dyadic_##NAME##_i32(t->c, t->a, t->n, &t->plans.NAME, 0, 0))           \
    CALL(dyadic_##NAME, plain_integer_##NAME(t->c, t->a, t->n))
#define INTEGERS_OF_TWO(NAME, PLAN, VALUE)                                                         \
    CALL_OR_TROUBLE(det_dyadic_##NAME,                                                             \
                    detmath_dyadic_##NAME##_i32(t->c, t->a, t->b, t->n, &t->plans.NAME, 0, 0))     \
    CALL(dyadic_##NAME, plain_integer_##NAME(t->c, t->a, t->b, t->n))
PLAIN_INTEGERS_OF_ONE(INTEGERS_OF_ONE)
PLAIN_INTEGERS_OF_TWO(INTEGERS_OF_TWO)

#define AFFINE(NAME, TYPE, FORMAT, DET_BIAS, MATRICES, PLAIN)                                      \
    CALL_OR_TROUBLE(det_##NAME##_##FORMAT,                                                         \
                    detmath_dyadic_affine_##TYPE##_i32(t->c, t->a, t->b, DET_BIAS, &t->MATRICES,   \
                                                       &t->plans.affine, 0, 0))                    \
    CALL(NAME##_##FORMAT, PLAIN)
#define PRODUCTS(TYPE, FORMAT)                                                                     \
    AFFINE(matmul, TYPE, FORMAT, NULL, matrices,                                                   \
           plain_matmul_##FORMAT(t->c, t->a, t->b, NULL, t->rows, t->inner, t->columns))           \
    AFFINE(affine, TYPE, FORMAT, t->integers, matrices,                                            \
           plain_matmul_##FORMAT(t->c, t->a, t->b, t->integers, t->rows, t->inner, t->columns))    \
    AFFINE(dot, TYPE, FORMAT, NULL, line, plain_dot_##FORMAT(t->c, t->a, t->b, t->n))
PRODUCTS(i8, int8)
PRODUCTS(i16, int16)
PRODUCTS(i32, int32)

static bool det_mse(struct bench_work *t) {
    int32_t s, *mean = t->c;
    uint32_t status = 0;
    *mean = detmath_dyadic_mse_i32(t->a, t->b, t->n, &t->plans.sub, 2, 0, 0, &s, &status);
    return status == 0;
}
CALL(mse, *(int32_t *)t->c = plain_integer_mse(t->a, t->b, t->n))

/* Steps are taken in place: from the same weights and velocities each time. */
static void start_again(struct bench_work *t) {
    memcpy(t->c, t->a, t->n * sizeof(int32_t));
    memcpy(t->velocities, t->integers, t->n * sizeof(int32_t));
}
CALL_OR_TROUBLE(det_step, (start_again(t), detmath_dyadic_step_i32(t->c, t->velocities, t->b, t->n,
                                                                   &t->plans.step, 0, 0)))
CALL(step, start_again(t), plain_integer_step(t->c, t->velocities, t->b, t->n))
CALL_OR_TROUBLE(det_from_real,
                detmath_dyadic_from_f32_i32(t->c, t->x, t->n, &t->plans.from_real, 0, 0))
CALL(from_real, plain_integer_from_real(t->c, t->x, t->n))
CALL_OR_TROUBLE(det_to_real, detmath_dyadic_to_f32_i32(t->y, t->a, t->n, &t->plans.to_real, 0, 0))
CALL(to_real, plain_integer_to_real(t->y, t->a, t->n))

CALL(det_cast, detmath_cast_array(&t->conversion, t->c, t->a, t->n, NULL))
CALL(copy, memcpy(t->b, t->a, t->n *format_bytes(t->format)))
CALL(det_mx_quantise,
     detmath_mx_quantise(&t->mx, t->c, t->block_scales, t->index, t->a, t->n, NULL))
CALL(det_mx_dequantise, detmath_mx_dequantise(t->element, t->to_index, &t->from_blocks, t->c, t->a,
                                              t->block_scales, t->n, NULL))

#define ONNX(NAME)                                                                                 \
    CALL_OR_TROUBLE(det_onnx_##NAME,                                                               \
                    detmath_##NAME##_linear(&t->linear, t->c, onnx_index_of(t->to), t->a,          \
                                            onnx_index_of(t->format), &t->scale_a, DETMATH_F32,    \
                                            NULL))
ONNX(quantise)
ONNX(dequantise)

#define ORDER     "one written order"
#define NEAREST   "correctly rounded"
#define PAIRS     "in pairs of doubles"
#define IN_FP32   PLAIN_IN_FP32
#define LIBM      PLAIN_LIBM
#define NO_MORE   "the operands alone"
#define IN_BLOCKS "in fp32, to nearest"
#define IN_DOUBLE "sums in double, terms ascending"
#define INTEGER(OPERATION, FORMATS, DET, PLAIN)                                                    \
    {OPERATION, "plain", FORMATS, "a loop in C", PLAIN}, {                                         \
        OPERATION, "det", FORMATS, "32-bit accumulators", DET                                      \
    }

#define INTEGERS(NAME, PLAN, VALUE)                                                                \
    INTEGER("dyadic." #NAME, WORK_INT32, det_dyadic_##NAME, dyadic_##NAME),
#define PRODUCT(NAME)                                                                              \
    INTEGER("dyadic." #NAME, WORK_INT8, det_##NAME##_int8, NAME##_int8),                           \
        INTEGER("dyadic." #NAME, WORK_INT16, det_##NAME##_int16, NAME##_int16),                    \
        INTEGER("dyadic." #NAME, WORK_INT32, det_##NAME##_int32, NAME##_int32)

#define SCALED(NAME, DETAIL, PLAIN, DET_DETAIL)                                                    \
    {"scaled." #NAME, "plain", WORK_SCALED, DETAIL, PLAIN}, {                                      \
        "scaled." #NAME, "det", WORK_SCALED, DET_DETAIL, det_scaled_##NAME                         \
    }

#define ELEMENTWISE(NAME, DETAIL, DET_DETAIL, VALUE)                                               \
    {"scaled." #NAME, "plain", WORK_SCALED, DETAIL, scaled_##NAME},                                \
        {"scaled." #NAME, "det", WORK_SCALED, DET_DETAIL, det_scaled_##NAME},

/* The first row of an operation that is there is what the speed of the others refers to. */
const struct work_row work_rows[] = {
    {"sum", "plain", WORK_FP32, IN_FP32, sum},
    {"sum", "det", WORK_FP32, ORDER, det_sum},
    {"sum", "cr", WORK_FP32, NEAREST, cr_sum},
    {"mean", "plain", WORK_FP32, IN_FP32, mean},
    {"mean", "det", WORK_FP32, ORDER, det_mean},
    {"mean", "cr", WORK_FP32, NEAREST, cr_mean},
    {"dot", "plain", WORK_FP32, IN_FP32, dot},
    {"dot", "det", WORK_FP32, ORDER, det_dot},
    {"dot", "cr", WORK_FP32, NEAREST, cr_dot},
    {"cumsum", "plain", WORK_FP32, IN_FP32, cumsum},
    {"cumsum", "det", WORK_FP32, ORDER, det_cumsum},
    {"logsumexp", "plain", WORK_FP32, LIBM, logsumexp},
    {"logsumexp", "cr", WORK_FP32, NEAREST, det_logsumexp},
    {"logcumsumexp", "plain", WORK_FP32, LIBM, logcumsumexp},
    {"logcumsumexp", "cr", WORK_FP32, NEAREST, det_logcumsumexp},
    {"logcumsumexp", "exp+log", WORK_FP32, "cr's exp and then its log of each element",
     exp_and_log},
    {"logcumsumexp", "expf+logf", WORK_FP32, "libm's exp and then its log of each element",
     plain_exp_log},
    {"logcumsumexp_gradient", "plain", WORK_FP32, LIBM, logcumsumexp_gradient},
    {"logcumsumexp_gradient", "det", WORK_FP32, PAIRS, det_logcumsumexp_gradient},
    {"logsumexp_gradient", "plain", WORK_FP32, LIBM, logsumexp_gradient},
    {"logsumexp_gradient", "det", WORK_FP32, PAIRS, det_logsumexp_gradient},
    {"log_softmax_gradient", "plain", WORK_FP32, LIBM, log_softmax_gradient},
    {"log_softmax_gradient", "det", WORK_FP32, PAIRS, det_log_softmax_gradient},
    {"softmax", "plain", WORK_FP32, LIBM, softmax},
    {"softmax", "det", WORK_FP32, ORDER, det_softmax},
    {"log_softmax", "plain", WORK_FP32, LIBM, log_softmax},
    {"log_softmax", "cr", WORK_FP32, NEAREST, det_log_softmax},
    {"matmul", "plain", WORK_FP32, IN_FP32, matmul},
    {"matmul", "det", WORK_FP32, ORDER, det_matmul},
    {"matmul", "blas", WORK_FP32, "", blas},
    PLAIN_OF_TWO(ELEMENTWISE) PLAIN_OF_ONE(ELEMENTWISE) SCALED(softmax, LIBM, softmax, ORDER),
    SCALED(softmax_gradient, LIBM, softmax_gradient, "in double"),
    SCALED(sum, IN_FP32, scaled_sum, ORDER),
    SCALED(mean, IN_FP32, scaled_mean, ORDER),
    SCALED(reduce_max, IN_FP32, scaled_reduce_max, "exact"),
    SCALED(reduce_max_gradient, IN_FP32, reduce_max_gradient, "in double"),
    SCALED(cast, IN_FP32, scaled_same, "in double"),
    SCALED(rebalance, IN_FP32, scaled_same, "by the largest"),
    SCALED(rescale, IN_FP32, scaled_same, "in double"),
    SCALED(mul_gradient, IN_FP32, scaled_mul_gradient, IN_DOUBLE),
    SCALED(matmul_gradient, IN_FP32, matmul_gradient, IN_DOUBLE),
    SCALED(convolution, IN_FP32, convolution, IN_DOUBLE),
    SCALED(convolution_gradient, IN_FP32, convolution_gradient, IN_DOUBLE),
    SCALED(matmul, IN_FP32, matmul, IN_DOUBLE),
    {"scaled.matmul", "blas", WORK_SCALED, "fp32", blas},
    PLAIN_INTEGERS_OF_ONE(INTEGERS) PLAIN_INTEGERS_OF_TWO(INTEGERS) PRODUCT(matmul),
    PRODUCT(affine),
    PRODUCT(dot),
    INTEGER("dyadic.mse", WORK_INT32, det_mse, mse),
    INTEGER("dyadic.step", WORK_INT32, det_step, step),
    INTEGER("dyadic.from_real", WORK_FP32, det_from_real, from_real),
    INTEGER("dyadic.to_real", WORK_INT32, det_to_real, to_real),
    {"mx.quantise", "copy", WORK_SOURCES, NO_MORE, copy},
    {"mx.quantise", "det", WORK_SOURCES, IN_BLOCKS, det_mx_quantise},
    {"mx.dequantise", "copy", WORK_ELEMENTS, NO_MORE, copy},
    {"mx.dequantise", "det", WORK_ELEMENTS, IN_BLOCKS, det_mx_dequantise},
    {"onnx.quantise", "copy", WORK_SOURCES, NO_MORE, copy},
    {"onnx.quantise", "det", WORK_SOURCES, "one scale, quotients in fp32", det_onnx_quantise},
    {"onnx.dequantise", "copy", WORK_QUANTISED, NO_MORE, copy},
    {"onnx.dequantise", "det", WORK_QUANTISED, "one scale, products rounded once",
     det_onnx_dequantise},
    {"cast", "copy", WORK_CASTS, NO_MORE, copy},
    {"cast", "det", WORK_CASTS, "integers only", det_cast},
    {0}};

bool work_takes(const struct work_row *row, const struct format *format) {
    int index = detmath_index_of(format);
    switch (row->formats) {
    case WORK_FP32:
        return index == DETMATH_F32;
    case WORK_SCALED:
        return index >= 0 && index < DETMATH_FORMATS;
    case WORK_INT8:
        return format == &integer_formats[FORMAT_INT8];
    case WORK_INT16:
        return format == &integer_formats[FORMAT_INT16];
    case WORK_INT32:
        return format == &integer_formats[FORMAT_INT32];
    case WORK_SOURCES:
        return index >= 0 && index <= DETMATH_BF16;
    case WORK_ELEMENTS:
        return format->is_element;
    case WORK_QUANTISED:
        return format->is_integer ? !format->is_element && onnx_index_of(format) >= 0 &&
                                        onnx_index_of(format) != DETMATH_INT32
                                  : index >= DETMATH_E4M3FN && index < DETMATH_FORMATS;
    default:
        return index >= 0;
    }
}
