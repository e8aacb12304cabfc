/* Rows of the operations that layers of dyadic integers are made of: products, the mean squared
 * error and the step of training. Operands and results are as in rows.c. */
#include "op/dyadic/linear_exact.h"
#include "op/dyadic/rows.h"

#include "detmath/library/dyadic_kernels.h"
#include "op/array/slices.h"

#include <stdlib.h>
#include <string.h>

enum { X1, X2, X3 };
enum { MANTISSA, SCALE };

static const struct format *accumulator_format(const struct array_call *call) {
    bool wide = parameter_integer(call->parameters, PARAMETER_ACCUMULATOR, 0);
    return &integer_formats[wide ? FORMAT_INT64 : FORMAT_INT32];
}

static bool check(uint32_t status, struct error *error) {
    if (status & DETMATH_DYADIC_BAD_SCALE)
        return error_set(error,
                         "the result's scale must be from -%d to %d; see --s1, --s2, --s3, "
                         "--q and --p",
                         DETMATH_DYADIC_MOST_SCALE, DETMATH_DYADIC_MOST_SCALE);
    return true;
}

static struct detmath_dyadic_plan plan_of(const struct dyadic_linear *given) {
    if (given->which == DYADIC_MSE)
        return detmath_dyadic_plan_mean(detmath_dyadic_plan_add(given->s1, given->s2, given->rules),
                                        given->p);
    return detmath_dyadic_plan_affine(
        given->s1, given->s2, given->which == DYADIC_AFFINE ? given->s3 : given->s1 + given->s2,
        given->q, given->rules);
}

/* ROWSxINNERxCOLUMNS; a transposed operand is stored the other way round. */
static bool matrix_operands(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    if (shape->dimensions != 3)
        return error_set(error, "%s needs --shape ROWSxINNERxCOLUMNS, such as 4x256x8",
                         given.which == DYADIC_AFFINE ? "dyadic.affine" : "dyadic.matmul");
    const uint64_t *extents = shape->extents;
    call->operands[X1] = (struct array){.format = format, .shape = {2, {extents[0], extents[1]}}};
    call->operands[X2] = (struct array){.format = format, .shape = {2, {extents[1], extents[2]}}};
    if (given.transpose)
        call->operands[given.transpose - 1].shape =
            (struct shape){2, {extents[given.transpose], extents[given.transpose - 1]}};
    if (given.which == DYADIC_AFFINE)
        call->operands[X3] =
            (struct array){.format = accumulator_format(call), .shape = shape_of(extents[0])};
    return check(plan_of(&given).status, error);
}

static bool vector_operands(struct array_call *call, const struct format *format,
                            const struct shape *shape, struct error *error) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    return shapes_equal(call, format, shape, error) && check(plan_of(&given).status, error);
}

static struct detmath_dyadic_step step_of(const struct dyadic_linear *given) {
    return detmath_dyadic_step_of(given->s1, given->s2, given->rate, given->decay, given->bound,
                                  given->rules);
}

static bool step_operands(struct array_call *call, const struct format *format,
                          const struct shape *shape, struct error *error) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    if (!shapes_equal(call, format, shape, error))
        return false;
    call->operands[X1].format = call->operands[X2].format = accumulator_format(call);
    return check(step_of(&given).status, error);
}

static bool set_results(struct array_call *call, struct shape first, bool has_scale) {
    call->results[0] = (struct array){.format = accumulator_format(call), .shape = first};
    call->results[1] =
        has_scale ? (struct array){.format = &integer_formats[FORMAT_INT32], .shape = shape_of(1)}
                  : call->results[0];
    return true;
}

static bool matrix_results(struct array_call *call, struct error *error) {
    const struct detmath_dyadic_matrices m = dyadic_matrices_of(call);
    (void)error;
    return set_results(call, (struct shape){2, {m.rows, m.columns}}, true);
}

static bool one_result(struct array_call *call, struct error *error) {
    (void)error;
    return set_results(call, shape_of(1), true);
}

static bool step_results(struct array_call *call, struct error *error) {
    (void)error;
    return set_results(call, call->operands[X1].shape, false);
}

static long value_scale(const struct array_rule *rule, const struct parameters *given) {
    long s1 = (long)parameter_integer(given, PARAMETER_S1, 0);
    long s2 = (long)parameter_integer(given, PARAMETER_S2, 0);
    long s3 = (long)parameter_integer(given, PARAMETER_S3, s1 + s2);
    if (rule->which == DYADIC_MSE)
        return 2 * (s1 > s2 ? s1 : s2);
    return rule->which == DYADIC_AFFINE && s3 > s1 + s2 ? s3 : s1 + s2;
}

/* An operand's mantissas as the accumulator holds them, as wide as that; for free(). */
static void *loaded(const struct array_call *call, int operand, uint32_t *status) {
    const struct detmath_dyadic_rules rules = dyadic_rules_of(call);
    const struct array *array = &call->operands[operand];
    size_t bytes = format_bytes(accumulator_format(call));
    uint64_t elements = shape_elements(&array->shape);
    void *held = calloc((size_t)elements, bytes);
    for (uint64_t i = 0; held && i < elements; i++)
        code_store(held, bytes, (size_t)i,
                   (uint64_t)detmath_dyadic_load(dyadic_mantissa_at(array, i), rules, status));
    return held;
}

/* The product for operands as wide as they are, where the accumulator holds them. */
static enum detmath_dyadic_product_index product_of(const struct format *format, bool wide) {
    static const enum detmath_dyadic_product_index products[2][4] = {
        {[FORMAT_INT8] = DETMATH_DYADIC_PRODUCT_i8_i32,
         [FORMAT_INT16] = DETMATH_DYADIC_PRODUCT_i16_i32,
         [FORMAT_INT32] = DETMATH_DYADIC_PRODUCT_i32_i32,
         [FORMAT_INT64] = DETMATH_DYADIC_PRODUCT_i32_i32},
        {[FORMAT_INT8] = DETMATH_DYADIC_PRODUCT_i8_i64,
         [FORMAT_INT16] = DETMATH_DYADIC_PRODUCT_i16_i64,
         [FORMAT_INT32] = DETMATH_DYADIC_PRODUCT_i32_i64,
         [FORMAT_INT64] = DETMATH_DYADIC_PRODUCT_i64_i64}};
    return products[wide][format - integer_formats];
}

static void store_scale(const struct array_call *call, int32_t s) {
    code_store(call->results[SCALE].codes, sizeof s, 0, (uint32_t)s);
}

static bool run_products(const struct array_call *call, const struct array_algorithm *algorithm,
                         struct error *error) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    const struct detmath_dyadic_plan plan = plan_of(&given);
    const struct detmath_dyadic_matrices m = dyadic_matrices_of(call);
    const struct format *format = call->operands[X1].format;
    bool wide = plan.rules.bits == 64;
    bool narrows = format == &integer_formats[FORMAT_INT64] && !wide;
    uint32_t status = 0;
    void *x = narrows ? loaded(call, X1, &status) : call->operands[X1].codes;
    void *y = narrows ? loaded(call, X2, &status) : call->operands[X2].codes;
    (void)algorithm;
    if (x && y)
        status |= detmath_dyadic_products(product_of(format, wide))
                      ->fill(call->results[MANTISSA].codes, x, y, call->operands[X3].codes, &m,
                             &plan, given.seed, 0);
    bool room = (x && y) || error_set(error, "out of memory for an array");
    if (narrows) {
        free(x);
        free(y);
    }
    store_scale(call, plan.s);
    return room && (!status || dyadic_explain(status, call, error));
}

static bool run_mse(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    const struct detmath_dyadic_plan plan =
        detmath_dyadic_plan_add(given.s1, given.s2, given.rules);
    size_t n = (size_t)shape_elements(&call->operands[X1].shape);
    uint32_t status = 0;
    int32_t s = 0;
    void *x = loaded(call, X1, &status), *y = loaded(call, X2, &status);
    bool room = (x && y) || error_set(error, "out of memory for an array");
    (void)algorithm;
    if (room && plan.rules.bits == 64)
        *(int64_t *)call->results[MANTISSA].codes =
            detmath_dyadic_mse_i64(x, y, n, &plan, given.p, given.seed, 0, &s, &status);
    else if (room)
        *(int32_t *)call->results[MANTISSA].codes =
            detmath_dyadic_mse_i32(x, y, n, &plan, given.p, given.seed, 0, &s, &status);
    free(x);
    free(y);
    store_scale(call, s);
    return room && (!status || dyadic_explain(status, call, error));
}

static bool run_step(const struct array_call *call, const struct array_algorithm *algorithm,
                     struct error *error) {
    const struct dyadic_linear given = dyadic_linear_of(call);
    const struct detmath_dyadic_step step = step_of(&given);
    const struct array *weights = &call->results[0], *velocities = &call->results[1];
    size_t n = (size_t)shape_elements(&weights->shape), bytes = format_bytes(weights->format);
    uint32_t status = 0;
    void *gradients = loaded(call, X3, &status);
    (void)algorithm;
    if (!gradients)
        return error_set(error, "out of memory for an array");
    memcpy(weights->codes, call->operands[X1].codes, n * bytes);
    memcpy(velocities->codes, call->operands[X2].codes, n * bytes);
    status |= step.rules.bits == 64 ? detmath_dyadic_step_i64(weights->codes, velocities->codes,
                                                              gradients, n, &step, given.seed, 0)
                                    : detmath_dyadic_step_i32(weights->codes, velocities->codes,
                                                              gradients, n, &step, given.seed, 0);
    free(gradients);
    return !status || dyadic_explain(status, call, error);
}

#define DET(RUN)                                                                                   \
    (const struct array_algorithm[]) {                                                             \
        {"det", "integers only", NULL, RUN, NULL, NULL}, {                                         \
            0                                                                                      \
        }                                                                                          \
    }
static const struct shape vectors[] = {{1, {1}}, {1, {7}}, {1, {256}}, {1, {1000}}, {0}};

#define LINEAR(NAME, OPERANDS, FORMULA, WHICH, ANSWER, SHAPES_OF, RESULTS, RUN, SHAPES,            \
               PARAMETERS)                                                                         \
    DYADIC(NAME, OPERANDS, FORMULA, DYADIC_TWO | (PARAMETERS), .which = WHICH,                     \
           .data = &(const struct dyadic_row){.answer = ANSWER}, .operand_shapes = SHAPES_OF,      \
           .takes_addend = ((PARAMETERS)&ADDEND) != 0, .result_shapes = RESULTS,                   \
           .value_scale = value_scale, .algorithms = DET(RUN), .shapes = SHAPES)
#define TWO    (2, "x", "y")
#define ONTO   (2, "x", "y", "c")
#define THREE  (3, "w", "x", "b")
#define ADDEND PARAMETER_BIT(ADDEND)

static const struct operation rows[] = {
    LINEAR(dot, ONTO, "(sum of x y) 2^-q, with --addend (c + sum of x y) 2^-q", DYADIC_DOT,
           dyadic_answer_product, vector_operands, one_result, run_products, vectors,
           PARAMETER_BIT(Q) | ADDEND),
    LINEAR(matmul, ONTO, "x y 2^-q, with --addend (c + x y) 2^-q", DYADIC_MATMUL,
           dyadic_answer_product, matrix_operands, matrix_results, run_products, matrix_shapes,
           PARAMETER_BIT(Q) | PARAMETER_BIT(TRANSPOSE) | ADDEND),
    LINEAR(affine, THREE, "(w x + b 2^(s1+s2-s3)) 2^-q", DYADIC_AFFINE, dyadic_answer_product,
           matrix_operands, matrix_results, run_products, matrix_shapes,
           PARAMETER_BIT(Q) | PARAMETER_BIT(S3)),
    LINEAR(mse, TWO, "mean of (x - y)^2, times 2^p", DYADIC_MSE, dyadic_answer_mse, vector_operands,
           one_result, run_mse, vectors, PARAMETER_BIT(P) | PARAMETER_BIT(ALIGN)),
    {.name = "dyadic.step",
     .formula = "m' = m - m 2^-a + clip(g), w' = w - m' 2^(s1-s2-b)",
     .operands = 3,
     .results = 2,
     .parameters =
         DYADIC_TWO | PARAMETER_BIT(LR_SHIFT) | PARAMETER_BIT(MOMENTUM_SHIFT) | PARAMETER_BIT(CLIP),
     .group = "dyadic",
     .result = {{.name = "weight"}, {.name = "velocity"}},
     .format = "int8",
     .array =
         &(const struct array_rule){
             .which = DYADIC_STEP,
             .data = &(const struct dyadic_row){.answer = dyadic_answer_step, .two_arrays = true},
             .operand_names = {"w", "m", "g"},
             .operand_shapes = step_operands,
             .result_shapes = step_results,
             .exact = dyadic_exact,
             .unrounded = dyadic_unrounded,
             .algorithms = DET(run_step),
             .families = dyadic_families,
             .shapes = vectors}},
};
OPERATION_FAMILY(dyadic_linear, rows);
