/* What scaled operations are held against: the same on numbers in the format of the data, and the
 * article's formulas, word for word. Both may overflow, lose bits, or be wrong: that is what they
 * show. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"
#include "op/detmath_format.h"

#include <math.h>
#include <stdlib.h>

static struct detmath_format row_of(const struct array *array) {
    return detmath_formats[detmath_index_of(array->format)];
}

static double datum(const struct array *array, uint64_t index) {
    return detmath_decode((uint32_t)array_code(array, index), row_of(array));
}

static void store(const struct array *array, uint64_t index, double value) {
    array_set_code(array, index, detmath_encode(value, row_of(array)));
}

static double scale_value(struct scaled_scale scale) {
    return ldexp((double)scale.m, scale.e);
}

/* A number rounded to the format of an array. */
static double rounded(const struct array *array, double value) {
    return detmath_decode(detmath_encode(value, row_of(array)), row_of(array));
}

/* Operand 0 or 1 as a number in its format. */
static double unscaled_number(const struct scaled_call *call, int operand, uint64_t index,
                              uint64_t row, uint64_t column) {
    const struct array *array = &call->call->operands[2 * operand];
    double scale = scale_value(scaled_scale_at(call, operand, row, column));
    return rounded(array, scale == 0 ? 0 : datum(array, index) * scale);
}

static double apply(enum scaled_operation operation, double x, double y) {
    switch (operation) {
    case SCALED_ADD:
        return x + y;
    case SCALED_SUB:
        return x - y;
    case SCALED_MUL:
        return x * y;
    case SCALED_DIV:
        return x / y;
    case SCALED_MAX:
        return detmath_scaled_larger(x, y);
    case SCALED_MIN:
        return -detmath_scaled_larger(-x, -y);
    case SCALED_RELU:
        return detmath_scaled_larger(x, 0);
    case SCALED_GELU:
        return x - x == 0 ? detmath_core_gelu(x) : x > 0 || x != x ? x : -0.0;
    case SCALED_RELU_GRADIENT:
        return y * (x > 0 ? 1 : x != x ? x : 0);
    case SCALED_SIGMOID_GRADIENT:
        return y * detmath_scaled_bell(x);
    case SCALED_TANH_GRADIENT:
        return y * (4 * detmath_scaled_bell(x + x));
    case SCALED_EXP:
        return x == x ? detmath_core_exp(x) : x;
    case SCALED_LOG:
        return detmath_core_log(x);
    case SCALED_SIGMOID:
        return detmath_core_sigmoid(x);
    case SCALED_TANH:
        return x == x ? detmath_core_tanh(x) : x;
    default:
        return x;
    }
}

static double unscaled_sum(const struct scaled_call *call, uint64_t row, uint64_t column) {
    double sum = 0;
    for (uint64_t k = 0; k < call->inner; k++)
        sum = fma(unscaled_number(call, 0, row * call->inner + k, row, column),
                  unscaled_number(call, 1, k * call->columns + column, row, column), sum);
    return sum;
}

/* The largest of a row, and the sum of powers below it. */
static double unscaled_largest(const struct scaled_call *call, uint64_t row, double *sum) {
    double best = unscaled_number(call, 0, row * call->columns, row, 0);
    for (uint64_t i = 1; i < call->columns; i++)
        best =
            detmath_scaled_larger(best, unscaled_number(call, 0, row * call->columns + i, row, i));
    *sum = 0;
    for (uint64_t i = 0; i < call->columns; i++)
        *sum += detmath_core_exp(unscaled_number(call, 0, row * call->columns + i, row, i) - best);
    return best;
}

/* The result's scale, as ours stored it. */
static double stored_scale(const struct scaled_call *call, uint64_t row, uint64_t column) {
    const struct array *scales = &call->call->results[SCALED_SCALE];
    uint32_t code = (uint32_t)array_code(scales, scaled_scale_index(call, row, column));
    double scale =
        scales->format->is_integer ? ldexp(1, (int32_t)code) : (double)detmath_from_bits_f32(code);
    return scale == 0 ? 1 : scale;
}

/* Numbers, computed and rounded in the format; then, to be compared, as data at the scale of ours.
 */
bool scaled_run_unscaled(const struct array_call *array_call,
                         const struct array_algorithm *algorithm, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(array_call), *call = &scaled;
    const struct array *data = &array_call->results[SCALED_DATA];
    if (!scaled_run_det(array_call, algorithm, error))
        return false;
    for (uint64_t row = 0; row < call->rows; row++) {
        double sum = 0, best = 0;
        if (call->operation == SCALED_REDUCE_MAX || call->operation == SCALED_SOFTMAX)
            best = unscaled_largest(call, row, &sum);
        if (call->operation == SCALED_REDUCE_MAX) {
            store(data, row, best / stored_scale(call, row, 0));
            continue;
        }
        for (uint64_t column = 0; column < call->columns; column++) {
            uint64_t at = row * call->columns + column;
            double x, y = 0;
            if (call->operation == SCALED_MATMUL)
                x = unscaled_sum(call, row, column);
            else
                x = unscaled_number(call, 0, scaled_data_index(call, 0, row, column), row, column);
            if (call->two && call->operation != SCALED_MATMUL)
                y = unscaled_number(call, 1, scaled_data_index(call, 1, row, column), row, column);
            if (call->operation == SCALED_SOFTMAX)
                x = detmath_core_exp(x - best) / sum;
            x = rounded(data, apply(call->operation, x, y));
            store(data, at, x / stored_scale(call, row, column));
        }
    }
    return true;
}

static float article_larger(float a, float b) {
    return (float)detmath_scaled_larger((double)a, (double)b);
}

/* One element as the article has it, and its scale. */
static float article_element(const struct scaled_call *call, uint64_t row, uint64_t column,
                             float *scale) {
    float x = (float)datum(&call->call->operands[0], scaled_data_index(call, 0, row, column));
    float a = scaled_scale_at(call, 0, row, column).m;
    *scale = a;
    if (call->operation == SCALED_RELU)
        return article_larger(x, 0);
    if (call->operation == SCALED_REBALANCE) { /* by what ours finds: the article names no s */
        float s = (float)(stored_scale(call, row, column) / (double)a);
        *scale = s * a;
        return (1.0f / s) * x;
    }
    if (!call->two)
        return x;
    float y = (float)datum(&call->call->operands[2], scaled_data_index(call, 1, row, column));
    float b = scaled_scale_at(call, 1, row, column).m;
    bool picks = call->operation == SCALED_MAX || call->operation == SCALED_MIN;
    float sign = call->operation == SCALED_MIN ? -1.0f : 1.0f;
    if (call->operation == SCALED_MUL || call->operation == SCALED_DIV) {
        *scale = call->operation == SCALED_MUL ? a * b : a / b;
        return call->operation == SCALED_MUL ? x * y : x / y;
    }
    if (picks && (a == 0 || b == 0)) {
        *scale = a == 0 ? b : a;
        return sign * article_larger(sign * (a == 0 ? y : x), 0);
    }
    float c = *scale = a > b ? a : b;
    float left = a / c * x, right = b / c * y;
    if (picks)
        return sign * article_larger(sign * left, sign * right);
    return call->operation == SCALED_SUB ? left - right : left + right;
}

static void article_row(const struct scaled_call *call, uint64_t row) {
    const struct array *x = &call->call->operands[0], *data = &call->call->results[SCALED_DATA];
    float best = (float)datum(x, row * call->columns), sum = 0;
    float a = scaled_scale_at(call, 0, row, 0).m;
    for (uint64_t i = 1; i < call->columns; i++)
        best = article_larger(best, (float)datum(x, row * call->columns + i));
    if (call->operation == SCALED_REDUCE_MAX) {
        store(data, row, (double)best);
        scaled_scale_store(call, row, 0, (struct scaled_scale){a, 0, false});
        return;
    }
    for (uint64_t i = 0; i < call->columns; i++) {
        float power = detmath_expf(((float)datum(x, row * call->columns + i) - best) * a);
        store(data, row * call->columns + i, (double)power);
        sum += power;
    }
    scaled_scale_store(call, row, 0, (struct scaled_scale){1.0f / sum, 0, false});
}

static float article_product(const struct scaled_call *call, uint64_t row, uint64_t column,
                             float *scale) {
    float sum = 0;
    for (uint64_t k = 0; k < call->inner; k++)
        sum += (float)datum(&call->call->operands[0], row * call->inner + k) *
               (float)datum(&call->call->operands[2], k * call->columns + column);
    *scale = scaled_scale_at(call, 0, row, column).m * scaled_scale_at(call, 1, row, column).m *
             call->divisor;
    return sum * (1.0f / call->divisor);
}

bool scaled_run_article(const struct array_call *array_call,
                        const struct array_algorithm *algorithm, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(array_call), *call = &scaled;
    const struct array *data = &array_call->results[SCALED_DATA];
    if (call->operation == SCALED_REBALANCE && !scaled_run_det(array_call, algorithm, error))
        return false;
    for (uint64_t row = 0; row < call->rows; row++) {
        if (call->operation == SCALED_REDUCE_MAX || call->operation == SCALED_SOFTMAX) {
            article_row(call, row);
            continue;
        }
        for (uint64_t column = 0; column < call->columns; column++) {
            uint64_t at = row * call->columns + column;
            float scale, y = call->operation == SCALED_MATMUL
                                 ? article_product(call, row, column, &scale)
                                 : article_element(call, row, column, &scale);
            store(data, at, (double)y);
            if (call->operation != SCALED_REBALANCE)
                scaled_scale_store(call, row, column, (struct scaled_scale){scale, 0, false});
        }
    }
    return true;
}
