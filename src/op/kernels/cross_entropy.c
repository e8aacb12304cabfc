/* Cross entropy of lines and their classes, with label smoothing; the loss of each, their sum, or their mean.
 *
 * With K classes, smoothing s, and m, n and t as op/array/exponentials.c has them, the loss of a line is
 *   (K m - K (1 - s) x[target] - s (x[0] + ... + x[K-1])) / K + ln(n + t).
 * With weights w of classes it is, for the factor A = K (1 - s) w[target] + s (w[0] + ... + w[K-1]), which is K without them,
 *   (A m - K (1 - s) w[target] x[target] - s (w[0] x[0] + ... + w[K-1] x[K-1])) / K + A / K ln(n + t).
 * A sum of losses is a binary fraction and ln of a product of n + t. That is 0 where one element alone is finite in each
 * line; else it is above 0, and no binary fraction: the product is a sum of powers of e with whole factors, that of e^0
 * among them (Lindemann and Weierstrass). */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/exponential_line.h"
#include "op/array/families.h"
#include "op/families.h"
#include "op/kernels/class_weights.h"
#include "op/kernels/widened.h"

enum { SCORES, TARGETS, GRADIENT };
enum { OF_LOSSES, OF_GRADIENTS }; /* which row it is */
enum { EACH_LOSS, SUM_OF_LOSSES, MEAN_OF_LOSSES };

static int64_t reduction_of(const struct parameters *parameters) {
    return parameter_integer(parameters, PARAMETER_REDUCTION, EACH_LOSS);
}

static bool joins_lines(const struct parameters *parameters) {
    return reduction_of(parameters) != EACH_LOSS;
}

static int up_to_3(const struct parameters *parameters) {
    return parameter_flag(parameters, PARAMETER_WEIGHTED) ? 3 : 2;
}

static int up_to_4(const struct parameters *parameters) {
    return parameter_flag(parameters, PARAMETER_WEIGHTED) ? 4 : 3;
}

/* Which operand the weights of classes are, the last one; 0: there are none. */
static int weights_of(const struct array_call *call) {
    return !parameter_flag(call->parameters, PARAMETER_WEIGHTED) ? 0
           : call->rule->which == OF_GRADIENTS                   ? 3
                                                                 : 2;
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
    if (operand && operand == weights_of(call))
        return bits >> 40 & 7 ? code & ~call->operands[operand].format->sign_bit : 0;
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
    struct class_weights classes;
    arf_t base, divisor;
    arf_t label, slope; /* of an element of the gradient */
    arf_t counted;      /* the sum of weights of targets */
    arb_t rest;
};

static bool is_ignored(const struct losses *losses, uint64_t line, int64_t *target) {
    *target = (int64_t)array_code(&losses->call->operands[TARGETS], line);
    return *target == ignored_of(losses->call);
}

/* Whether the loss of the line that was loaded is no number, and what it is then. */
static bool is_special(struct losses *losses, int64_t target, struct real *loss) {
    struct exponential_line *line = &losses->line;
    *loss = real_nan();
    if (exponential_has_no_shares(line) || class_weights_lack(&losses->classes, target))
        return true;
    bool is_infinite = false;
    for (uint64_t i = 0; i < line->slices.length; i++) {
        if (real_is_number(&line->x[i]) ||
            (i != (uint64_t)target && arf_is_zero(losses->classes.share)))
            continue;
        class_weights_load(&losses->classes, i);
        if (arf_is_zero(losses->classes.weight))
            return true;
        is_infinite = true;
    }
    if (is_infinite)
        *loss = real_infinity(false);
    return is_infinite;
}

/* base += K times what the line's loss has beside the logarithm. */
static void add_base(struct losses *losses, int64_t target) {
    struct exponential_line *line = &losses->line;
    class_weights_find_factor(&losses->classes, target);
    arf_addmul(losses->base, line->largest, losses->classes.factor, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set_real(line->value, &line->x[target]);
    arf_submul(losses->base, line->value, losses->classes.own, ARF_PREC_EXACT, ARF_RND_DOWN);
    for (uint64_t i = 0; !arf_is_zero(losses->classes.share) && i < line->slices.length; i++) {
        class_weights_load(&losses->classes, i);
        arf_set_real(line->value, &line->x[i]);
        arf_mul(line->value, line->value, losses->classes.weight, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_submul(losses->base, line->value, losses->classes.share, ARF_PREC_EXACT, ARF_RND_DOWN);
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
        class_weights_find_factor(&losses->classes, target);
        arb_mul_arf(line->rest, line->rest, losses->classes.factor, line->bits);
        arb_add(losses->rest, losses->rest, line->rest, line->bits);
    }
    enclose_beside(y, losses->base, losses->rest, 1, losses->divisor);
}

/* The result of the lines `from` to `to`. */
static bool find(struct losses *losses, bool is_mean, int precision, struct real *y,
                 struct error *error) {
    struct exponential_line *line = &losses->line;
    struct real loss = real_zero(false);
    bool has_logarithm = false, is_nan = false, is_infinite = false;
    int64_t target;
    arf_zero(losses->base);
    arf_zero(losses->counted);
    for (uint64_t i = losses->from; i < losses->to; i++) {
        if (is_ignored(losses, i, &target))
            continue;
        exponential_line_load(line, losses->call, i);
        if (is_special(losses, target, &loss)) {
            is_nan |= loss.kind == REAL_NAN;
            is_infinite |= loss.kind == REAL_INFINITE;
            continue;
        }
        add_base(losses, target);
        has_logarithm |= line->finite > 1 && !arf_is_zero(losses->classes.factor);
        class_weights_load(&losses->classes, (uint64_t)target);
        arf_add(losses->counted, losses->counted, losses->classes.weight, ARF_PREC_EXACT,
                ARF_RND_DOWN);
    }
    const bool is_of_none = is_mean && arf_is_zero(losses->counted);
    is_nan |= is_of_none && !is_infinite && !has_logarithm;
    is_infinite |= is_of_none;
    *y = is_nan ? real_nan() : is_infinite ? real_infinity(false) : real_zero(false);
    if (y->kind != REAL_ZERO || !has_logarithm)
        return true;
    arf_set_ui(losses->divisor, (ulong)line->slices.length);
    if (is_mean)
        arf_mul(losses->divisor, losses->divisor, losses->counted, ARF_PREC_EXACT, ARF_RND_DOWN);
    return enclose(enclose_losses, losses, precision, INTERVAL_DECIDED_BY_SIZE,
                   "an element of this array", y, error);
}

/* The gradient: g (A / K p - q), p the share of an element and q that of the label. With K q a binary fraction, it is
 * g A / K p and, exactly, -g q; of the largest elements g (A / K / n - q) and what t takes away. It is no binary fraction but
 * where all numbers are equal, the element is -inf, or A is 0. */
static void enclose_slope(void *asked, struct interval *y) {
    struct losses *losses = asked;
    struct exponential_line *line = &losses->line;
    const bool of_largest = exponential_find_share(line, y);
    const slong bits = (slong)mpfr_get_prec(y->low);
    arf_set(losses->base, losses->label);
    arf_mul(losses->base, losses->base, line->divisor, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_neg(losses->base, losses->base);
    if (of_largest) {
        arf_add(losses->base, losses->base, losses->classes.factor, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_neg(line->rest, line->rest);
    }
    arf_mul(losses->base, losses->base, losses->slope, ARF_PREC_EXACT, ARF_RND_DOWN);
    arb_mul_arf(losses->rest, line->rest, losses->classes.factor, bits);
    arb_mul_arf(losses->rest, losses->rest, losses->slope, bits);
    arf_mul_ui(losses->divisor, line->divisor, (ulong)line->slices.length, ARF_PREC_EXACT,
               ARF_RND_DOWN);
    enclose_beside(y, losses->base, losses->rest,
                   of_largest ? -arf_sgn(losses->slope) : arf_sgn(losses->slope), losses->divisor);
}

/* f (A p - K q), exactly, where p is 0 or one of f equal shares. */
static bool find_difference(struct losses *losses, arf_t difference, uint64_t *shares) {
    struct exponential_line *line = &losses->line;
    const bool is_lost = !real_is_number(&line->x[line->at]) || arf_is_zero(losses->classes.factor);
    exponential_sum_up(line, line->slices.length, 0);
    *shares = is_lost ? 1 : line->finite;
    if (!is_lost && line->peers != line->finite)
        return false;
    arf_mul_ui(difference, losses->label, (ulong)*shares, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_neg(difference, difference);
    if (!is_lost)
        arf_add(difference, difference, losses->classes.factor, ARF_PREC_EXACT, ARF_RND_DOWN);
    return true;
}

/* The gradient for g = 1, for its sign. */
static bool find_sign(struct losses *losses, int *sign, struct error *error) {
    struct real value;
    arf_one(losses->slope);
    const bool good = enclose(enclose_slope, losses, 8, INTERVAL_DECIDED_BY_SIZE,
                              "an element of this array", &value, error);
    *sign = value.negative ? -1 : 1;
    return good;
}

static bool find_slope(struct losses *losses, const struct real *g, int precision, struct real *y,
                       struct error *error) {
    uint64_t shares;
    int sign = 0;
    const bool is_exact = find_difference(losses, losses->base, &shares);
    if (is_exact)
        sign = arf_sgn(losses->base);
    else if (g->kind != REAL_FINITE && !find_sign(losses, &sign, error))
        return false;
    if (g->kind == REAL_FINITE)
        arf_set_real(losses->slope, g);
    if (g->kind == REAL_NAN || (g->kind == REAL_INFINITE && sign == 0))
        *y = real_nan();
    else if (g->kind == REAL_INFINITE)
        *y = real_infinity(g->negative != (sign < 0));
    else if ((is_exact || g->kind == REAL_ZERO) && sign == 0)
        *y = (struct real){.kind = REAL_ZERO, .cancelled = true};
    else if (g->kind == REAL_ZERO)
        *y = real_zero(g->negative != (sign < 0));
    else if (is_exact) {
        arf_mul(losses->base, losses->base, losses->slope, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_set_ui(losses->divisor, (ulong)shares);
        arf_mul_ui(losses->divisor, losses->divisor, (ulong)losses->line.slices.length,
                   ARF_PREC_EXACT, ARF_RND_DOWN);
        *y = quotient_of(losses->base, losses->divisor, precision);
    } else
        return enclose(enclose_slope, losses, precision, INTERVAL_DECIDED_BY_SIZE,
                       "an element of this array", y, error);
    return true;
}

/* A line of the gradient. */
static bool find_slopes(struct losses *losses, uint64_t number, int precision, struct real *y,
                        struct error *error) {
    struct exponential_line *line = &losses->line;
    const struct format *format = losses->call->results[0].format;
    const struct real g =
        format_decode(format, element_load(&losses->call->operands[GRADIENT], format, number));
    int64_t target;
    bool good = true;
    const bool ignored = is_ignored(losses, number, &target);
    exponential_line_load(line, losses->call, number);
    const bool none =
        exponential_has_no_shares(line) || class_weights_lack(&losses->classes, target);
    for (uint64_t i = 0; good && i < line->slices.length; i++) {
        struct real *value = &y[slice_place(&line->slices, number, i)];
        line->at = i;
        if (!ignored && !none) {
            class_weights_find_factor(&losses->classes, target);
            if (i == (uint64_t)target)
                arf_set(losses->label, losses->classes.own);
            else
                arf_zero(losses->label);
            class_weights_load(&losses->classes, i);
            arf_addmul(losses->label, losses->classes.share, losses->classes.weight, ARF_PREC_EXACT,
                       ARF_RND_DOWN); /* K q */
        }
        if (ignored || none)
            *value = ignored ? real_zero(false) : real_nan();
        else
            good = find_slope(losses, &g, precision, value, error);
    }
    return good;
}

static bool exact_losses(const struct array_call *call, int result, int precision, struct real *y,
                         struct error *error) {
    const int64_t reduction = reduction_of(call->parameters);
    const struct real smoothing = smoothing_of(call);
    struct losses losses = {.call = call};
    arf_ptr numbers[] = {losses.base, losses.divisor, losses.label, losses.slope, losses.counted};
    bool good = exponential_line_open(&losses.line, call, precision, error);
    (void)result;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    arb_init(losses.rest);
    class_weights_open(&losses.classes, call, weights_of(call), losses.line.slices.length,
                       &smoothing);
    const uint64_t count = losses.line.slices.count, each = reduction == EACH_LOSS ? 1 : count;
    for (uint64_t i = 0; good && i < count / each; i++) {
        if (call->rule->which == OF_GRADIENTS) {
            good = find_slopes(&losses, i, precision, y, error);
            continue;
        }
        losses.from = i * each;
        losses.to = losses.from + each;
        good = find(&losses, reduction == MEAN_OF_LOSSES, precision, &y[i], error);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    arb_clear(losses.rest);
    class_weights_close(&losses.classes);
    exponential_line_close(&losses.line);
    return good;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    const struct real smoothing = smoothing_of(call);
    const struct detmath_cross_entropy_options options = {
        .smoothing = (float)real_to_double(&smoothing),
        .reduction = (int)reduction_of(call->parameters),
        .ignored = ignored_of(call),
        .weights = weights_of(call) ? x[weights_of(call)] : NULL};
    const int at = axis->present ? (int)axis->integer : -1;
    const int64_t *targets = call->operands[TARGETS].codes;
    if (call->rule->which == OF_GRADIENTS)
        return detmath_cross_entropy_gradient(y[0], x[SCORES], targets, x[GRADIENT], at, &options);
    if (x[SCORES]->dimensions == 1) /* whose loss has one element, and one dimension here */
        y[0]->dimensions = 0;
    return detmath_cross_entropy(y[0], x[SCORES], targets, at, &options);
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree",
         provides_widened, run_det, NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

#define COMMON                                                                                     \
    (PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |                \
     PARAMETER_BIT(AXIS) | PARAMETER_BIT(SMOOTHING) | PARAMETER_BIT(IGNORE_INDEX) |                \
     PARAMETER_BIT(WEIGHTED))
#define LOSS(...)                                                                                  \
    .results = 1, .group = "kernels", .array = &(const struct array_rule) {                        \
        .last_axis = true, .drawn = draw_target, .operand_shapes = shapes_of_losses,               \
        .exact = exact_losses, .algorithms = algorithms, .families = exponential_families,         \
        .shapes = slice_shapes, __VA_ARGS__                                                        \
    }

static const struct operation rows[] = {
    {.name = "cross_entropy",
     .aliases = "cross_entropy_loss",
     .formula = "ln(e^x[0] + ... + e^x[n-1]) - (1 - s) x[target] - s (x[0] + ... + x[n-1]) / n, "
                "s the smoothing; with weights, each class's part is multiplied by its weight",
     .operands = 3,
     .parameters = COMMON | PARAMETER_BIT(REDUCTION),
     LOSS(.which = OF_LOSSES, .operand_names = {"x", "target", "weight"}, .operand_count = up_to_3,
          .roles = {OPERAND_LINES, OPERAND_PER_LINE, OPERAND_SHARED}, .lines = LINES_REDUCED,
          .joins_lines = joins_lines, .result_shapes = shapes_of_loss)},
    {.name = "cross_entropy_gradient",
     .formula = "y[i] = g (e^x[i] / (e^x[0] + ... + e^x[n-1]) - q[i]), q[i] = s / n, and of the "
                "target 1 - s + s / n",
     .operands = 4,
     .parameters = COMMON,
     LOSS(.which = OF_GRADIENTS, .operand_names = {"x", "target", "g", "weight"},
          .operand_count = up_to_4,
          .roles = {OPERAND_LINES, OPERAND_PER_LINE, OPERAND_PER_LINE, OPERAND_SHARED},
          .lines = LINES_PLACED, .result_shapes = shapes_same)},
};
OPERATION_FAMILY(cross_entropy, rows);
