/* Gradients of rms_norm and layer_norm with respect to x, exactly, and by det.
 *
 * With a = g weight, n elements, their sum S, that of their squares T and epsilon e, A the sum of a x and B that of a,
 *   rms_norm    y = n^(1/2) (a Q - x A) / Q^(3/2),                        Q = T + n e
 *   layer_norm  y = ((n a - B) Q - (n x - S) (n A - S B)) / Q^(3/2),      Q = n T - S^2 + n^2 e
 * So its square is a quotient of binary fractions. Truncated to twice the bits that has the same root, truncated. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/families.h"
#include "op/array/slices.h"
#include "op/enclose.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include <stdlib.h>

enum { X, GRADIENT, WEIGHT };

static int operands_of(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_AFFINE, 0) ? 3 : 2;
}

/* A line, and what its results share. */
struct line {
    const struct array_call *call;
    struct slices slices;
    bool is_layer, is_bad; /* something is infinite or NaN, or Q is 0 */
    arf_ptr x, a;          /* of all elements */
    arf_t sum, squares, products, slopes, quotient, term, other, root;
};

static void load_line(struct line *line, uint64_t number) {
    const struct format *format = line->call->results[0].format;
    const int operands = operands_of(line->call->parameters);
    line->is_bad = false;
    for (uint64_t i = 0; i < line->slices.length; i++) {
        const uint64_t at = slice_place(&line->slices, number, i);
        arf_one(line->a + i);
        for (int k = X; k < operands; k++) {
            const struct real value = format_decode(
                format, element_load(&line->call->operands[k], format, k == WEIGHT ? i : at));
            line->is_bad |= value.kind == REAL_NAN || value.kind == REAL_INFINITE;
            arf_zero(line->term);
            if (value.kind == REAL_FINITE)
                arf_set_real(line->term, &value);
            if (k == X)
                arf_set(line->x + i, line->term);
            else
                arf_mul(line->a + i, line->a + i, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
        }
    }
}

/* Q and the sums. */
static void sum_up(struct line *line) {
    const struct real epsilon = array_epsilon(line->call);
    const ulong n = (ulong)line->slices.length;
    arf_ptr sums[] = {line->sum, line->squares, line->products, line->slopes, line->term};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        arf_zero(sums[i]);
    for (uint64_t i = 0; i < n; i++) {
        arf_add(line->sum, line->sum, line->x + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_addmul(line->squares, line->x + i, line->x + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_addmul(line->products, line->a + i, line->x + i, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(line->slopes, line->slopes, line->a + i, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    if (epsilon.kind == REAL_FINITE)
        arf_set_real(line->term, &epsilon);
    arf_mul_ui(line->term, line->term, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(line->quotient, line->squares, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (line->is_layer) {
        arf_mul_ui(line->quotient, line->quotient, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_submul(line->quotient, line->sum, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(line->products, line->products, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_submul(line->products, line->sum, line->slopes, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    line->is_bad |= arf_is_zero(line->quotient);
}

/* term = what stands above Q^(3/2), without n^(1/2). */
static void find_term(struct line *line, uint64_t i) {
    const ulong n = (ulong)line->slices.length;
    arf_set(line->term, line->a + i);
    arf_set(line->other, line->x + i);
    if (line->is_layer) {
        arf_mul_ui(line->term, line->term, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(line->term, line->term, line->slopes, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(line->other, line->other, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(line->other, line->other, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_mul(line->term, line->term, line->quotient, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_submul(line->term, line->other, line->products, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static struct real find_slope(struct line *line, uint64_t i, int precision) {
    mpfr_t value;
    find_term(line, i);
    if (arf_is_zero(line->term))
        return (struct real){.kind = REAL_ZERO, .cancelled = true};
    const bool negative = arf_sgn(line->term) < 0;
    arf_mul(line->root, line->term, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (!line->is_layer)
        arf_mul_ui(line->root, line->root, (ulong)line->slices.length, ARF_PREC_EXACT,
                   ARF_RND_DOWN);
    arf_mul(line->other, line->quotient, line->quotient, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul(line->other, line->other, line->quotient, ARF_PREC_EXACT, ARF_RND_DOWN);
    int lost = arf_div(line->root, line->root, line->other, 2 * precision + 2, ARF_RND_DOWN);
    lost |= arf_sqrt(line->root, line->root, precision, ARF_RND_DOWN);
    mpfr_init2(value, precision);
    lost |= arf_get_mpfr(value, line->root, MPFR_RNDZ);
    struct real y = real_from_mpfr(value, lost);
    mpfr_clear(value);
    y.negative = negative;
    return y;
}

static bool exact_gradient(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    struct line line = {.call = call,
                        .slices = slices_of(call),
                        .is_layer = call->rule->which == DETMATH_LAYER_NORM};
    const slong n = (slong)line.slices.length;
    arf_ptr numbers[] = {line.sum,      line.squares, line.products, line.slopes,
                         line.quotient, line.term,    line.other,    line.root};
    line.x = calloc((size_t)n, sizeof *line.x);
    line.a = calloc((size_t)n, sizeof *line.a);
    const bool room = line.x && line.a;
    (void)result;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    for (slong i = 0; room && i < n; i++) {
        arf_init(line.x + i);
        arf_init(line.a + i);
    }
    for (uint64_t l = 0; room && l < line.slices.count; l++) {
        load_line(&line, l);
        sum_up(&line);
        for (uint64_t i = 0; i < line.slices.length; i++)
            y[slice_place(&line.slices, l, i)] =
                line.is_bad ? real_nan() : find_slope(&line, i, precision);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    for (slong i = 0; room && i < n; i++) {
        arf_clear(line.x + i);
        arf_clear(line.a + i);
    }
    free(line.x);
    free(line.a);
    return room || error_set(error, "out of memory");
}

static bool run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct real epsilon = array_epsilon(call);
    const int operands = operands_of(call->parameters);
    struct widened x[3] = {{{0}, {0}}};
    bool good = true;
    (void)algorithm;
    for (int i = 0; i < operands; i++)
        good = widen(call, &call->operands[i], &x[i]) && good;
    const int trouble =
        good ? detmath_norm_gradient_along(
                   (enum detmath_norm)call->rule->which, &x[X].array, &x[X].array,
                   &x[GRADIENT].array, operands > WEIGHT ? &x[WEIGHT].array : NULL,
                   axis->present ? (int)axis->integer : -1, (float)real_to_double(&epsilon))
             : DETMATH_TROUBLE_MEMORY;
    if (!trouble)
        widened_put(call, &x[X]);
    for (int i = 0; i < operands; i++)
        free(x[i].array.codes);
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}

static const struct array_algorithm algorithms[] = {
    {"det", "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree", provides_widened,
     run_det, NULL, NULL},
    {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
    {0}};

#define NORM_GRADIENT(NAME, WHICH, FORMULA)                                                        \
    {                                                                                              \
        .name = NAME, .formula = FORMULA, .operands = 3, .results = 1,                             \
        .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) |                             \
                      PARAMETER_BIT(DISTRIBUTION) | PARAMETER_BIT(AXIS) | PARAMETER_BIT(EPSILON) | \
                      PARAMETER_BIT(AFFINE),                                                       \
        .group = "kernels", .array = &(const struct array_rule) {                                  \
            .which = DETMATH_##WHICH##_NORM, .operand_names = {"x", "g", "weight"},                \
            .roles = {OPERAND_LINES, OPERAND_LINES, OPERAND_SHARED}, .lines = LINES_MAPPED,        \
            .last_axis = true, .operand_count = operands_of, .operand_shapes = shapes_equal,       \
            .result_shapes = shapes_same, .exact = exact_gradient, .algorithms = algorithms,       \
            .families = norm_families, .shapes = slice_shapes                                      \
        }                                                                                          \
    }

static const struct operation rows[] = {
    NORM_GRADIENT("rms_norm_gradient", RMS,
                  "y[i] = (g[i] weight[i] - x^[i] (mean of g weight x^)) / s, x^ = x / s, s = "
                  "(mean of x^2 + epsilon)^(1/2)"),
    NORM_GRADIENT("layer_norm_gradient", LAYER,
                  "y[i] = (g[i] weight[i] - (mean of g weight) - x^[i] (mean of g weight x^)) / s, "
                  "x^ = (x - m) / s, m and s^2 the mean, and epsilon and the variance, of x"),
};
OPERATION_FAMILY(norm_gradient, rows);
