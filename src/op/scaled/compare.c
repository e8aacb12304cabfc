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
static double unscaled_number(const struct scaled_call *call, int operand, uint64_t index) {
    const struct array *array = &call->call->operands[2 * operand];
    double scale = scale_value(scaled_scale_at(call, operand, index));
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
    case SCALED_DIV_GRADIENT:
        return -(x / detmath_product(y, y));
    case SCALED_STEP:
        return x > y ? 1 : x == y ? 0.5 : x < y ? 0 : x + y;
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
    case SCALED_GELU_GRADIENT:
        return y * detmath_scaled_gelu_slope(x);
    case SCALED_EXP_GRADIENT:
        return y * detmath_scaled_exponential(x);
    case SCALED_EXP:
        return detmath_scaled_exponential(x);
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

static double unscaled_sum(const struct scaled_call *call, uint64_t element) {
    double sum = 0;
    for (uint64_t k = 0; k < scaled_term_count(call); k++) {
        const struct scaled_term term = scaled_term_at(call, element, k);
        double x = term.is_padding[0] ? 0 : unscaled_number(call, 0, term.index[0]);
        double y = !call->facts->two    ? 1
                   : term.is_padding[1] ? 0
                                        : unscaled_number(call, 1, term.index[1]);
        sum = fma(x, y, sum);
    }
    return call->operation == SCALED_MEAN ? sum / (double)scaled_term_count(call) : sum;
}

/* The largest of a line, and the sum of powers below it. */
static double unscaled_largest(const struct scaled_call *call, uint64_t line, double *sum) {
    double best = -INFINITY;
    *sum = 0;
    for (uint64_t i = 0; i < scaled_term_count(call); i++)
        best = detmath_scaled_larger(
            best, unscaled_number(call, 0, scaled_term_at(call, line, i).index[0]));
    for (uint64_t i = 0; i < scaled_term_count(call); i++)
        *sum += detmath_core_exp(unscaled_number(call, 0, scaled_term_at(call, line, i).index[0]) -
                                 best);
    return best;
}

/* The result's scale, as ours stored it. */
static double stored_scale(const struct scaled_call *call, uint64_t element) {
    const struct array *scales = &call->call->results[SCALED_SCALE];
    uint32_t code = (uint32_t)array_code(scales, scaled_result_place(call, element));
    double scale =
        scales->format->is_integer ? ldexp(1, (int32_t)code) : (double)detmath_from_bits_f32(code);
    return scale == 0 ? 1 : scale;
}

static void unscaled_softmax(const struct scaled_call *call) {
    const struct array *data = &call->call->results[SCALED_DATA];
    for (uint64_t line = 0; line < shape_elements(&call->lines); line++) {
        double sum, best = unscaled_largest(call, line, &sum);
        for (uint64_t i = 0; i < scaled_term_count(call); i++) {
            uint64_t at = scaled_term_at(call, line, i).index[0];
            double x = detmath_core_exp(unscaled_number(call, 0, at) - best) / sum;
            store(data, at, rounded(data, x) / stored_scale(call, at));
        }
    }
}

/* Numbers, computed and rounded in the format; then, to be compared, as data at the scale of ours.
 */
bool scaled_run_unscaled(const struct array_call *array_call,
                         const struct array_algorithm *algorithm, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(array_call), *call = &scaled;
    const struct array *data = &array_call->results[SCALED_DATA];
    if (!scaled_run_det(array_call, algorithm, error))
        return false;
    if (call->operation == SCALED_SOFTMAX) {
        unscaled_softmax(call);
        return true;
    }
    bool sums = call->facts->layout == SCALED_BY_LINE || call->facts->layout == SCALED_BY_PRODUCT;
    for (uint64_t i = 0; i < shape_elements(&call->result); i++) {
        double x, y = 0;
        if (call->operation == SCALED_REDUCE_MAX)
            x = unscaled_largest(call, i, &y);
        else
            x = sums ? unscaled_sum(call, i)
                     : unscaled_number(call, 0, scaled_data_index(call, 0, i));
        if (call->facts->layout == SCALED_BY_ELEMENT && call->facts->two)
            y = unscaled_number(call, 1, scaled_data_index(call, 1, i));
        store(data, i, rounded(data, apply(call->operation, x, y)) / stored_scale(call, i));
    }
    return true;
}

static float article_larger(float a, float b) {
    return (float)detmath_scaled_larger((double)a, (double)b);
}

/* One element as the article has it, and its scale. */
static float article_element(const struct scaled_call *call, uint64_t element, float *scale) {
    uint64_t index = scaled_data_index(call, 0, element);
    float x = (float)datum(&call->call->operands[0], index);
    float a = scaled_scale_at(call, 0, index).m;
    *scale = a;
    if (call->operation == SCALED_RELU)
        return article_larger(x, 0);
    if (call->operation == SCALED_REBALANCE) { /* by what ours finds: the article names no s */
        float s = (float)(stored_scale(call, element) / (double)a);
        *scale = s * a;
        return (1.0f / s) * x;
    }
    if (!call->facts->two)
        return x;
    index = scaled_data_index(call, 1, element);
    float y = (float)datum(&call->call->operands[2], index);
    float b = scaled_scale_at(call, 1, index).m;
    if (call->scalar >= 0) {
        *scale = call->scalar ? a * (y * b) : b * (x * a);
        return call->scalar ? x : y;
    }
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

static void article_line(const struct scaled_call *call, uint64_t line) {
    const struct array *x = &call->call->operands[0], *data = &call->call->results[SCALED_DATA];
    const uint64_t first = scaled_term_at(call, line, 0).index[0];
    float best = (float)datum(x, first), sum = 0, a = scaled_scale_at(call, 0, first).m;
    for (uint64_t i = 1; i < scaled_term_count(call); i++)
        best = article_larger(best, (float)datum(x, scaled_term_at(call, line, i).index[0]));
    if (call->operation == SCALED_REDUCE_MAX) {
        store(data, line, (double)best);
        scaled_scale_store(call, scaled_result_place(call, line),
                           (struct scaled_scale){a, 0, false});
        return;
    }
    for (uint64_t i = 0; i < scaled_term_count(call); i++) {
        const uint64_t at = scaled_term_at(call, line, i).index[0];
        float power = detmath_expf(((float)datum(x, at) - best) * a);
        store(data, at, (double)power);
        sum += power;
    }
    scaled_scale_store(call, scaled_result_place(call, first),
                       (struct scaled_scale){1.0f / sum, 0, false});
}

static float article_product(const struct scaled_call *call, uint64_t element, float *scale) {
    const struct scaled_term first = scaled_term_at(call, element, 0);
    float sum = 0;
    for (uint64_t k = 0; k < scaled_term_count(call); k++) {
        const struct scaled_term term = scaled_term_at(call, element, k);
        sum += (float)datum(&call->call->operands[0], term.index[0]) *
               (float)datum(&call->call->operands[2], term.index[1]);
    }
    *scale = scaled_scale_at(call, 0, first.index[0]).m *
             scaled_scale_at(call, 1, first.index[1]).m * call->divisor;
    return sum * (1.0f / call->divisor);
}

bool scaled_run_article(const struct array_call *array_call,
                        const struct array_algorithm *algorithm, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(array_call), *call = &scaled;
    const struct array *data = &array_call->results[SCALED_DATA];
    if (call->operation == SCALED_REBALANCE && !scaled_run_det(array_call, algorithm, error))
        return false;
    for (uint64_t i = 0; call->facts->layout == SCALED_BY_LINE && i < shape_elements(&call->lines);
         i++)
        article_line(call, i);
    for (uint64_t i = 0; call->facts->layout != SCALED_BY_LINE && i < shape_elements(&call->result);
         i++) {
        float scale, y = call->operation == SCALED_MATMUL ? article_product(call, i, &scale)
                                                          : article_element(call, i, &scale);
        store(data, i, (double)y);
        if (call->operation != SCALED_REBALANCE)
            scaled_scale_store(call, scaled_result_place(call, i),
                               (struct scaled_scale){scale, 0, false});
    }
    return true;
}
