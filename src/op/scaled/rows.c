/* Rows of operations on scaled arrays: shapes, exact results. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"
#include "format/cast.h"
#include "op/detmath_format.h"

#include <stdlib.h>

/* Shapes of scales: one, or a column of them, or a row. */
static struct shape scales_shape(int per, uint64_t rows, uint64_t columns) {
    struct shape shape = shape_of(1);
    if (per != SCALED_PER_ONE) {
        shape.dimensions = 2;
        shape.extents[0] = per == SCALED_PER_ROW ? rows : 1;
        shape.extents[1] = per == SCALED_PER_ROW ? 1 : columns;
    }
    return shape;
}

static const struct format *scaled_second_format(const struct array_call *call,
                                                 const struct format *format) {
    const struct parameter_value *given = &call->parameters->values[PARAMETER_SECOND_FORMAT];
    return given->present ? given->format : format;
}

static struct shape given_shape(const struct array_call *call, enum parameter_number number,
                                struct shape otherwise) {
    const struct parameter_value *given = &call->parameters->values[number];
    return given->present ? given->shape : otherwise;
}

static bool check_call(const struct array_call *call, const struct format *format,
                       struct error *error) {
    const enum scaled_operation operation = (enum scaled_operation)call->rule->which;
    int per = (int)parameter_integer(call->parameters, PARAMETER_PER, 0);
    bool rows_only = operation == SCALED_SOFTMAX || operation == SCALED_REDUCE_MAX ||
                     operation == SCALED_REBALANCE || operation == SCALED_MATMUL;
    int64_t strategy = parameter_integer(call->parameters, PARAMETER_STATIC, 0);
    const struct format *to = parameters_result_format(call->parameters, format);
    const struct format *second = scaled_second_format(call, format);
    if (!detmath_has_functions(format) || !detmath_has_functions(to) ||
        !detmath_has_functions(second))
        return error_set(error, "scaled data are in fp32, fp16, bf16 or one of the formats "
                                "fp8_e4m3fn, fp8_e4m3fnuz, fp8_e5m2, fp8_e5m2fnuz");
    if (rows_only && per == SCALED_PER_COLUMN)
        return error_set(error, "--per column makes no sense here; --per one or row");
    if (parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER &&
        (strategy == DETMATH_SCALED_STATIC_UNIT || strategy == DETMATH_SCALED_STATIC_MEAN))
        return error_set(error, "--scale power wants --static one or power");
    if (parameter_flag(call->parameters, PARAMETER_PROFILE))
        return profile_covers(&profiles[parameter_integer(call->parameters, PARAMETER_PROFILE, 0)],
                              to, error);
    return true;
}

static bool operands(struct array_call *call, const struct format *format,
                     const struct shape *shape, struct error *error) {
    const enum scaled_operation operation = (enum scaled_operation)call->rule->which;
    int per = (int)parameter_integer(call->parameters, PARAMETER_PER, 0);
    bool is_power = parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER;
    const struct format *scales = is_power ? &integer_formats[FORMAT_INT32] : &formats[FORMAT_FP32];
    struct shape of[2] = {*shape, *shape};
    if (!check_call(call, format, error))
        return false;
    if (operation == SCALED_MATMUL) {
        if (shape->dimensions != 3)
            return error_set(error, "--shape of scaled.matmul wants ROWSxINNERxCOLUMNS");
        of[0] = (struct shape){2, {shape->extents[0], shape->extents[1]}};
        of[1] = (struct shape){2, {shape->extents[1], shape->extents[2]}};
    }
    of[1] = given_shape(call, PARAMETER_SECOND_SHAPE, of[1]);
    for (int i = 0; i < 1 + scaled_has_two(operation); i++) {
        uint64_t columns = scaled_extent_from_end(&of[i], 1),
                 rows = shape_elements(&of[i]) / columns;
        int each = operation == SCALED_MATMUL && i == 1 && per ? SCALED_PER_COLUMN : per;
        call->operands[2 * i] = (struct array){
            .format = i ? scaled_second_format(call, format) : format, .shape = of[i]};
        struct shape places =
            scaled_broadcasts(call->parameters)
                ? given_shape(call, i ? PARAMETER_SECOND_SCALES : PARAMETER_SCALES, shape_of(1))
                : scales_shape(each, rows, columns);
        call->operands[2 * i + 1] = (struct array){.format = scales, .shape = places};
    }
    struct shape unused;
    if (scaled_broadcasts(call->parameters) &&
        !scaled_broadcast(call, scaled_has_two(operation), &unused, NULL))
        return error_set(error, "shapes are matched from the last dimension backwards: extents of "
                                "operands are equal or 1, and those of scales 1 or divisors of "
                                "their data's");
    return true;
}

static bool results(struct array_call *call, struct error *error) {
    const struct scaled_call scaled = scaled_call_of(call);
    const enum scaled_operation operation = scaled.operation;
    const struct format *format = call->operands[0].format;
    struct array *data = &call->results[SCALED_DATA], *scales = &call->results[SCALED_SCALE];
    int per = operation == SCALED_SOFTMAX ? SCALED_PER_ROW : scaled.per;
    (void)error;
    *data = (struct array){.format = parameters_result_format(call->parameters, format),
                           .shape = call->operands[0].shape};
    *scales = (struct array){.format = operation == SCALED_SOFTMAX ? &formats[FORMAT_FP32]
                                                                   : call->operands[1].format,
                             .shape = scales_shape(per, scaled.rows, scaled.columns)};
    if (scaled.broadcasts)
        scaled_broadcast(call, scaled.two, &data->shape, &scales->shape);
    if (scaled.broadcasts && operation == SCALED_RESCALE)
        scales->shape = call->operands[3].shape;
    if (operation == SCALED_MATMUL) {
        data->shape = (struct shape){2, {scaled.rows, scaled.columns}};
        if (scaled.per != SCALED_PER_ONE)
            scales->shape = data->shape;
    }
    if (operation == SCALED_REDUCE_MAX) {
        scales->shape = scales_shape(scaled.per, scaled.rows, 1);
        data->shape = scales->shape;
    }
    return true;
}

/* Exact values of a call, one after the other. */
struct exact_run {
    const struct scaled_call *scaled;
    struct scaled_exact oracle;
    struct real *x, *w; /* a row of each operand */
    int precision;
    uint64_t found_row; /* of the latest exponent to rebalance by, plus 1 */
    int32_t found;
};

static struct real scale_number(struct scaled_scale scale, bool as_exponent) {
    return real_from_double(as_exponent ? scale.e : (double)scale.m);
}

/* The n to rebalance a row by. */
static int32_t find_exponent(struct exact_run *run, uint64_t row) {
    const struct array_call *call = run->scaled->call;
    bool squares =
        parameter_integer(call->parameters, PARAMETER_BY, 0) == DETMATH_SCALED_BY_SQUARES;
    if (run->found_row != row + 1)
        run->found =
            scaled_exact_find(&call->operands[0], row * run->scaled->columns, run->scaled->columns,
                              call->results[SCALED_DATA].format, squares);
    run->found_row = row + 1;
    return run->found;
}

static bool exact_element(struct exact_run *run, uint64_t row, uint64_t column, struct real *y,
                          struct error *error) {
    const struct scaled_call *scaled = run->scaled;
    const struct array_call *call = scaled->call;
    struct scaled_scale a = scaled_scale_at(scaled, 0, row, column), b = a;
    if (scaled->two)
        b = scaled_scale_at(scaled, 1, row, column);
    if (scaled->operation == SCALED_MATMUL) {
        for (uint64_t k = 0; k < scaled->inner; k++) {
            run->x[k] = array_number(&call->operands[0], row * scaled->inner + k);
            run->w[k] = array_number(&call->operands[2], k * scaled->columns + column);
        }
        *y = scaled_exact_dot(&run->oracle, run->x, a, run->w, b, scaled->inner, scaled->divisor,
                              run->precision);
        return true;
    }
    struct real x = array_number(&call->operands[0], scaled_data_index(scaled, 0, row, column));
    struct real w = x;
    if (scaled->two)
        w = array_number(&call->operands[2], scaled_data_index(scaled, 1, row, column));
    int32_t n = scaled->operation == SCALED_REBALANCE ? find_exponent(run, row) : 0;
    return scaled_exact_element(&run->oracle, scaled->operation, &x, a, &w, b, n, run->precision, y,
                                error);
}

/* The exact data of a row of softmax, or where `data` is NULL its scale. */
static bool softmax_row(struct exact_run *run, uint64_t row, struct real *data, struct real *scale,
                        struct error *error) {
    const struct scaled_call *scaled = run->scaled;
    for (uint64_t i = 0; i < scaled->columns; i++)
        run->x[i] = array_number(&scaled->call->operands[0], row * scaled->columns + i);
    return scaled_exact_softmax(&run->oracle, run->x, scaled->columns,
                                scaled_scale_at(scaled, 0, row, 0), run->precision, data, scale,
                                error);
}

/* The largest value of a row, as data. */
static struct real exact_largest(struct exact_run *run, uint64_t row) {
    const struct scaled_call *scaled = run->scaled;
    struct scaled_scale a = scaled_scale_at(scaled, 0, row, 0);
    mpfr_t best, x;
    mpfr_inits2(64, best, x, (mpfr_ptr)0);
    mpfr_set_inf(best, -1);
    bool nan = a.m - a.m != 0;
    for (uint64_t i = 0; i < scaled->columns; i++) {
        struct real value = array_number(&scaled->call->operands[0], row * scaled->columns + i);
        real_to_mpfr(x, &value);
        if (a.m == 0)
            mpfr_set_zero(x, 1);
        if (a.m < 0)
            mpfr_neg(x, x, MPFR_RNDN);
        nan = nan || mpfr_nan_p(x);
        bool zeros = mpfr_zero_p(x) && mpfr_zero_p(best) && mpfr_signbit(best);
        if (mpfr_greater_p(x, best) || zeros || i == 0)
            mpfr_set(best, x, MPFR_RNDN);
    }
    struct real y = nan ? real_nan() : real_from_mpfr(best, 0);
    mpfr_clears(best, x, (mpfr_ptr)0);
    return y;
}

static bool exact_data(struct exact_run *run, struct real *y, struct error *error) {
    const struct scaled_call *scaled = run->scaled;
    bool found = true;
    for (uint64_t row = 0; found && row < scaled->rows; row++) {
        struct real *first = &y[row * scaled->columns];
        if (scaled->operation == SCALED_REDUCE_MAX)
            y[row] = exact_largest(run, row);
        else if (scaled->operation == SCALED_SOFTMAX)
            found = softmax_row(run, row, first, NULL, error);
        else
            for (uint64_t column = 0; found && column < scaled->columns; column++)
                found = exact_element(run, row, column, first + column, error);
    }
    return found;
}

static bool exact_scales(struct exact_run *run, struct real *y, struct error *error) {
    const struct scaled_call *scaled = run->scaled;
    bool found = true, as_exponent = scaled->call->results[SCALED_SCALE].format->is_integer;
    bool one_each = scaled->operation == SCALED_REDUCE_MAX || scaled->operation == SCALED_SOFTMAX;
    uint64_t columns = one_each ? 1 : scaled->columns;
    for (uint64_t row = 0; found && row < scaled->rows; row++)
        for (uint64_t column = 0; found && column < columns; column++) {
            struct real *at = &y[scaled_scale_index(scaled, row, column)];
            if (scaled->operation == SCALED_SOFTMAX) {
                found = softmax_row(run, row, NULL, at, error);
                continue;
            }
            struct scaled_scale a = scaled_scale_at(scaled, 0, row, column), b = a;
            int32_t n = 0;
            if (scaled->two)
                b = scaled_scale_at(scaled, 1, row, column);
            if (scaled->operation == SCALED_REBALANCE && !column)
                n = find_exponent(run, row);
            if (scaled->operation != SCALED_REBALANCE || !column)
                *at = scale_number(
                    scaled_exact_scale(&run->oracle, scaled->operation, a, b, scaled->divisor, n),
                    as_exponent);
        }
    return found;
}

static bool exact(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error) {
    const struct scaled_call scaled = scaled_call_of(call);
    uint64_t length = scaled.operation == SCALED_MATMUL ? scaled.inner : scaled.columns;
    struct exact_run run = {.scaled = &scaled,
                            .precision = precision,
                            .x = calloc(length, sizeof *run.x),
                            .w = calloc(length, sizeof *run.w)};
    bool found = run.x && run.w ? true : error_set(error, "out of memory for an array");
    scaled_exact_open(&run.oracle);
    if (found)
        found = result == SCALED_DATA ? exact_data(&run, y, error) : exact_scales(&run, y, error);
    scaled_exact_close(&run.oracle);
    free(run.x);
    free(run.w);
    return found;
}

/* Data are rounded as the call says, by the rules of a profile where one is given; scales to
 * nearest. */
static uint64_t want(const struct array_call *call, int result, uint64_t element,
                     const struct real *y, bool *by_rule) {
    const struct format *format = call->results[result].format;
    const struct parameter_value *profile = &call->parameters->values[PARAMETER_PROFILE];
    (void)element;
    if (result == SCALED_SCALE)
        return format_encode(format, y, ROUND_NEAREST_EVEN, call->overflow);
    if (!profile->present)
        return format_encode(format, y, call->rounding, call->overflow);
    struct cast cast = cast_of_results(format, call->rounding);
    cast.profile = &profiles[profile->integer];
    *by_rule = y->kind == REAL_INFINITE ||
               (y->kind == REAL_FINITE && format_overflows(format, y, call->rounding));
    if (y->kind == REAL_NAN)
        return cast_code(&cast, format->nan, 0);
    return cast_number(&cast, y, 0);
}

/* Any implementation, since the row has checked what is asked. */
static bool provides(const struct array_call *call, struct error *why) {
    if (call->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "scaled arrays are rounded to nearest-even only");
    return true;
}

static bool provides_compared(const struct array_call *call, struct error *why) {
    if (parameter_flag(call->parameters, PARAMETER_PROFILE))
        return error_set(why, "only det rounds by the rules of a profile");
    return provides(call, why);
}

static bool provides_article(const struct array_call *call, struct error *why) {
    if (parameter_integer(call->parameters, PARAMETER_SCALE, 0) == SCALED_KIND_POWER)
        return error_set(why, "the article has formulas for fp32 scales only");
    bool open = call->rule->which >= SCALED_GELU && call->rule->which <= SCALED_TANH;
    if (open || call->rule->which >= SCALED_RELU_GRADIENT)
        return error_set(why, "the article leaves it open");
    return provides_compared(call, why);
}

static const struct array_algorithm algorithms[] = {
    {"det", "in double, rounded once", provides, scaled_run_det, NULL, NULL},
    {"unscaled", "numbers in the format of the data, computed in double", provides_compared,
     scaled_run_unscaled, NULL, NULL},
    {"article", "as the article says, in fp32", provides_article, scaled_run_article, NULL, NULL},
    {0}};

static const struct shape shapes[] = {{2, {16, 256}}, {0}};
static const struct shape pair_shapes[] = {{2, {256, 256}}, {0}};
static const struct shape product_shapes[] = {{3, {9, 64, 7}}, {0}};

#define ROW(NAME, WHICH, SHAPES, ...)                                                              \
    const struct array_rule scaled_##NAME = {.which = WHICH,                                       \
                                             .operand_names = {__VA_ARGS__},                       \
                                             .operand_shapes = operands,                           \
                                             .result_shapes = results,                             \
                                             .exact = exact,                                       \
                                             .want = want,                                         \
                                             .algorithms = algorithms,                             \
                                             .families = scaled_families,                          \
                                             .shapes = SHAPES}
#define ONE(NAME, WHICH)         ROW(NAME, WHICH, shapes, "x", "x_scale")
#define TWO(NAME, WHICH, SHAPES) ROW(NAME, WHICH, SHAPES, "x", "x_scale", "y", "y_scale")
TWO(add, SCALED_ADD, pair_shapes);
TWO(sub, SCALED_SUB, pair_shapes);
TWO(mul, SCALED_MUL, pair_shapes);
TWO(div, SCALED_DIV, pair_shapes);
TWO(max, SCALED_MAX, pair_shapes);
TWO(min, SCALED_MIN, pair_shapes);
ONE(relu, SCALED_RELU);
ONE(gelu, SCALED_GELU);
ONE(exp, SCALED_EXP);
ONE(log, SCALED_LOG);
ONE(sigmoid, SCALED_SIGMOID);
ONE(tanh, SCALED_TANH);
ONE(reduce_max, SCALED_REDUCE_MAX);
ONE(softmax, SCALED_SOFTMAX);
TWO(matmul, SCALED_MATMUL, product_shapes);
ONE(cast, SCALED_CAST);
ONE(rebalance, SCALED_REBALANCE);
TWO(rescale, SCALED_RESCALE, pair_shapes);
TWO(relu_gradient, SCALED_RELU_GRADIENT, pair_shapes);
TWO(sigmoid_gradient, SCALED_SIGMOID_GRADIENT, shapes);
TWO(tanh_gradient, SCALED_TANH_GRADIENT, shapes);
