/* Cross entropy of lines and their classes, with label smoothing; the loss of each, their sum, or their mean.
 *
 * With K classes, smoothing s, and m, n and t as op/array/exponentials.c has them, the loss of a line is
 *   (K m - K (1 - s) x[target] - s (x[0] + ... + x[K-1])) / K + ln(n + t).
 * A sum of losses is a binary fraction and ln of a product of n + t. That is 0 where one element alone is finite in each
 * line; else it is above 0, and no binary fraction: the product is a sum of powers of e with whole factors, that of e^0
 * among them (Lindemann and Weierstrass). */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/exponential_line.h"
#include "op/array/families.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include <stdlib.h>

enum { SCORES, TARGETS };
enum { EACH_LOSS, SUM_OF_LOSSES, MEAN_OF_LOSSES };

static int64_t reduction_of(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_REDUCTION, EACH_LOSS);
}

static bool joins_lines(const struct parameters *parameters) {
    return reduction_of(parameters) != EACH_LOSS;
}

static int64_t ignored_of(const struct array_call *call) {
    return parameter_integer(call->parameters, PARAMETER_IGNORE_INDEX, -100);
}

static struct real smoothing_of(const struct array_call *call) {
    return format_decode(&formats[FORMAT_FP32],
                         (uint64_t)parameter_integer(call->parameters, PARAMETER_SMOOTHING, 0));
}

static bool shapes_of_losses(struct array_call *call, const struct format *format,
                             const struct shape *shape, struct error *error) {
    const struct real smoothing = smoothing_of(call);
    if (!shapes_equal(call, format, shape, error))
        return false;
    call->operands[TARGETS].format = &integer_formats[FORMAT_INT64];
    return real_to_double(&smoothing) <= 1 || error_set(error, "--smoothing is 1 at most");
}

static bool shapes_of_loss(struct array_call *call, struct error *error) {
    const bool good = shapes_reduced(call, error);
    if (joins_lines(call->parameters))
        call->results[0].shape = shape_of(1);
    return good;
}

static uint64_t draw_target(const struct array_call *call, int operand, uint64_t code,
                            uint64_t bits) {
    const uint64_t classes = slices_of(call).length;
    return operand != TARGETS ? code
           : bits >> 32 & 15  ? bits % classes
           : bits >> 36 & 3   ? (uint64_t)ignored_of(call)
                              : classes - 1;
}

/* The losses that a result has: of one line, or of all. */
struct losses {
    struct exponential_line line;
    const struct array_call *call;
    uint64_t from, to; /* lines */
    arf_t base, share, kept, divisor;
    arb_t rest;
};

static bool is_ignored(const struct losses *losses, uint64_t line, int64_t *target) {
    *target = (int64_t)array_code(&losses->call->operands[TARGETS], line);
    return *target == ignored_of(losses->call);
}

/* Whether the loss of the line that was loaded is no number, and what it is then. */
static bool is_special(struct losses *losses, int64_t target, struct real *loss) {
    struct exponential_line *line = &losses->line;
    if (exponential_has_no_shares(line) || target < 0 || (uint64_t)target >= line->slices.length) {
        *loss = real_nan();
        return true;
    }
    *loss = real_infinity(false);
    return !real_is_number(&line->x[target]) ||
           (!arf_is_zero(losses->share) && line->finite < line->slices.length);
}

/* base += K times what the line's loss has beside the logarithm. */
static void add_base(struct losses *losses, int64_t target) {
    struct exponential_line *line = &losses->line;
    const ulong classes = (ulong)line->slices.length;
    arf_mul_ui(line->base, line->largest, classes, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_add(losses->base, losses->base, line->base, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_real(line->value, &line->x[target]);
    arf_mul(line->value, line->value, losses->kept, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_mul_ui(line->value, line->value, classes, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_sub(losses->base, losses->base, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    for (uint64_t i = 0; !arf_is_zero(losses->share) && i < line->slices.length; i++) {
        arf_set_real(line->value, &line->x[i]);
        arf_submul(losses->base, line->value, losses->share, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

static void enclose_losses(void *asked, struct interval *y) {
    struct losses *losses = asked;
    struct exponential_line *line = &losses->line;
    int64_t target;
    arb_zero(losses->rest);
    for (uint64_t i = losses->from; i < losses->to; i++) {
        if (is_ignored(losses, i, &target))
            continue;
        if (losses->to - losses->from > 1)
            exponential_line_load(line, losses->call, i);
        exponential_sum_up(line, line->slices.length, (slong)mpfr_get_prec(y->low));
        exponential_find_logarithm(line);
        arb_add(losses->rest, losses->rest, line->rest, line->bits);
    }
    arb_mul_ui(losses->rest, losses->rest, (ulong)line->slices.length,
               (slong)mpfr_get_prec(y->low));
    enclose_beside(y, losses->base, losses->rest, 1, losses->divisor);
}

/* The result of the lines `from` to `to`. */
static bool find(struct losses *losses, bool is_mean, int precision, struct real *y,
                 struct error *error) {
    struct exponential_line *line = &losses->line;
    struct real loss = real_zero(false);
    uint64_t counted = 0;
    bool has_logarithm = false, is_nan = false, is_infinite = false;
    int64_t target;
    arf_zero(losses->base);
    for (uint64_t i = losses->from; i < losses->to; i++) {
        if (is_ignored(losses, i, &target))
            continue;
        counted++;
        exponential_line_load(line, losses->call, i);
        if (is_special(losses, target, &loss)) {
            is_nan |= loss.kind == REAL_NAN;
            is_infinite |= loss.kind == REAL_INFINITE;
            continue;
        }
        add_base(losses, target);
        has_logarithm |= line->finite > 1;
    }
    *y = is_nan || (is_mean && !counted) ? real_nan()
         : is_infinite                   ? real_infinity(false)
                                         : real_zero(false);
    if (y->kind != REAL_ZERO || !has_logarithm)
        return true;
    arf_set_ui(losses->divisor, (ulong)line->slices.length);
    arf_mul_ui(losses->divisor, losses->divisor, is_mean ? counted : 1, ARF_PREC_EXACT,
               ARF_RND_DOWN);
    return enclose(enclose_losses, losses, precision, INTERVAL_DECIDED_BY_SIZE,
                   "an element of this array", y, error);
}

static bool exact_losses(const struct array_call *call, int result, int precision, struct real *y,
                         struct error *error) {
    const int64_t reduction = reduction_of(call->parameters);
    const struct real smoothing = smoothing_of(call);
    struct losses losses = {.call = call};
    arf_ptr numbers[] = {losses.base, losses.share, losses.kept, losses.divisor};
    bool good = exponential_line_open(&losses.line, call, precision, error);
    (void)result;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    arb_init(losses.rest);
    arf_set_real(losses.share, &smoothing);
    arf_sub_ui(losses.kept, losses.share, 1, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_neg(losses.kept, losses.kept);
    const uint64_t count = losses.line.slices.count, each = reduction == EACH_LOSS ? 1 : count;
    for (uint64_t i = 0; good && i < count / each; i++) {
        losses.from = i * each;
        losses.to = losses.from + each;
        good = find(&losses, reduction == MEAN_OF_LOSSES, precision, &y[i], error);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    arb_clear(losses.rest);
    exponential_line_close(&losses.line);
    return good;
}

static bool run_det(const struct array_call *call, const struct array_algorithm *algorithm,
                    struct error *error) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct real smoothing = smoothing_of(call);
    const struct detmath_cross_entropy_options options = {
        .smoothing = (float)real_to_double(&smoothing),
        .reduction = (int)reduction_of(call->parameters),
        .ignored = ignored_of(call)};
    struct widened x, y;
    bool good = widen(call, &call->operands[SCORES], &x);
    (void)algorithm;
    good = widen_room(&call->results[0], &y) && good;
    if (x.array.dimensions == 1) /* whose loss has one element, and one dimension here */
        y.array.dimensions = 0;
    const int trouble =
        good ? detmath_cross_entropy(&y.array, &x.array, call->operands[TARGETS].codes,
                                     axis->present ? (int)axis->integer : -1, &options)
             : DETMATH_TROUBLE_MEMORY;
    if (!trouble)
        widened_put(call, &y);
    free(x.array.codes);
    free(y.array.codes);
    return !trouble || error_set(error, "detmath: %s", detmath_trouble_text(trouble));
}

static const struct array_algorithm algorithms[] = {
    {"det", "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree", provides_widened,
     run_det, NULL, NULL},
    {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
    {0}};

static const struct operation rows[] = {
    {.name = "cross_entropy",
     .aliases = "cross_entropy_loss",
     .formula = "ln(e^x[0] + ... + e^x[n-1]) - (1 - s) x[target] - s (x[0] + ... + x[n-1]) / n, "
                "s the smoothing",
     .operands = 2,
     .results = 1,
     .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |
                   PARAMETER_BIT(AXIS) | PARAMETER_BIT(SMOOTHING) | PARAMETER_BIT(IGNORE_INDEX) |
                   PARAMETER_BIT(REDUCTION),
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"x", "target"},
                                         .roles = {OPERAND_LINES, OPERAND_PER_LINE},
                                         .lines = LINES_REDUCED,
                                         .joins_lines = joins_lines,
                                         .last_axis = true,
                                         .drawn = draw_target,
                                         .operand_shapes = shapes_of_losses,
                                         .result_shapes = shapes_of_loss,
                                         .exact = exact_losses,
                                         .algorithms = algorithms,
                                         .families = exponential_families,
                                         .shapes = slice_shapes}},
};
OPERATION_FAMILY(cross_entropy, rows);
