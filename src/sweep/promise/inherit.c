/* Formulas in intervals, operation by operation. */
#include "sweep/promise/inherit.h"

#include "oracle/exact.h"
#include "sweep/promise/outward.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORACLES = 16 };

struct inheritor {
    struct oracle oracles[MOST_ORACLES];
    size_t count;
};

/* The results that are permitted, or that there may be. */
struct range {
    struct span_of_values values;
    bool undefined;
};

static struct range undefined_range(void) {
    return (struct range){{-INFINITY, INFINITY}, true};
}

/* What is being evaluated: formulas may stand in formulas. */
struct evaluation {
    struct inheritor *inheritor;
    const struct promise *promise;
    const struct format *format;
    struct error *error;
    bool failed;
};

static bool is_exact(const struct expression *formula, int at) {
    const struct expression_node *node = &formula->nodes[at];
    switch (node->kind) {
    case EXPRESSION_NUMBER:
    case EXPRESSION_OPERAND:
        return true;
    case EXPRESSION_MAGNITUDE:
        return is_exact(formula, node->left);
    default:
        return formula_negates(formula, at) && is_exact(formula, node->right);
    }
}

struct inheritor *inheritor_open(void) {
    return calloc(1, sizeof(struct inheritor));
}

void inheritor_close(struct inheritor *inheritor) {
    for (size_t i = 0; inheritor && i < inheritor->count; i++)
        oracle_close(&inheritor->oracles[i]);
    free(inheritor);
}

bool inherited_is_sound(const struct expression *formula, struct error *error) {
    for (int i = 0; i < formula->count; i++) {
        const struct expression_node *node = &formula->nodes[i];
        if (node->kind == EXPRESSION_FUNCTION && !node->operation->result[0].is_monotone &&
            !(is_exact(formula, node->left) && is_exact(formula, node->right)))
            return error_set(error,
                             "%s is not monotone; to inherit from it, its argument must be x, y, z "
                             "or a number",
                             node->operation->name);
    }
    return true;
}

/* The doubles between which a result lies. */
static struct span_of_values doubles_around(const struct real *y) {
    if (y->kind != REAL_FINITE) {
        double value = real_to_double(y);
        return (struct span_of_values){value, value};
    }
    struct span_of_values size = {DBL_MAX, INFINITY};
    if (y->exponent < -1022)
        size = (struct span_of_values){0, DBL_MIN};
    else if (y->exponent <= 1023) {
        size.low = fabs(real_to_double(y));
        size.high = outward_up(size.low);
    }
    return y->negative ? (struct span_of_values){-size.high, -size.low} : size;
}

static struct oracle *oracle_of(struct inheritor *inheritor, const struct operation *operation) {
    for (size_t i = 0; i < inheritor->count; i++)
        if (inheritor->oracles[i].operation == operation)
            return &inheritor->oracles[i];
    const struct format *format = &formats[FORMAT_FP64];
    if (inheritor->count == MOST_ORACLES)
        oracle_close(&inheritor->oracles[--inheritor->count]);
    struct oracle *oracle = &inheritor->oracles[inheritor->count++];
    oracle_open(oracle, operation, format, NULL, oracle_precision(format));
    return oracle;
}

static struct range range_at(struct evaluation *evaluation, const struct operation *operation,
                             const double *operands) {
    const struct format *format = &formats[FORMAT_FP64];
    uint64_t codes[MAX_OPERANDS] = {0};
    struct real y;
    for (int i = 0; i < operation->operands; i++) {
        struct real operand = real_from_double(operands[i]);
        codes[i] = format_encode(format, &operand, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    }
    if (evaluation->failed || !oracle_exact(oracle_of(evaluation->inheritor, operation), codes, 0,
                                            &y, evaluation->error)) {
        evaluation->failed = true;
        return undefined_range();
    }
    return y.kind == REAL_NAN ? undefined_range() : (struct range){doubles_around(&y), false};
}

static struct range join(struct range a, struct range b) {
    return (struct range){{a.values.low < b.values.low ? a.values.low : b.values.low,
                           a.values.high > b.values.high ? a.values.high : b.values.high},
                          a.undefined || b.undefined};
}

/* A box that reaches over the cut of atan2 holds angles from -pi to pi. */
static bool crosses_cut(const struct operation *operation, const struct span_of_values *operands) {
    bool point = operands[0].low >= operands[0].high && operands[1].low >= operands[1].high;
    return strcmp(operation->name, "atan2") == 0 && !point && operands[0].low < 0 &&
           operands[0].high >= 0 && operands[1].low <= 0;
}

/* What a function makes of all operands within the intervals, right to all bits. */
static struct range apply(struct evaluation *evaluation, const struct operation *operation,
                          const struct span_of_values *operands) {
    struct range range = {{INFINITY, -INFINITY}, false};
    for (unsigned corner = 0; corner < 1u << operation->operands; corner++) {
        double at[MAX_OPERANDS];
        bool again = false; /* another corner has the same operands */
        for (int i = 0; i < operation->operands; i++) {
            at[i] = corner >> i & 1 ? operands[i].high : operands[i].low;
            again = again || (corner >> i & 1 && operands[i].low >= operands[i].high);
        }
        if (!again)
            range = join(range, range_at(evaluation, operation, at));
    }
    if (crosses_cut(operation, operands))
        range.values = (struct span_of_values){-0x1.921fb54442d19p+1, 0x1.921fb54442d19p+1};
    return range.undefined ? undefined_range() : range;
}

/* An end of a range, rounded to a number of the format. */
static double rounded(const struct format *format, double value, enum rounding rounding) {
    struct real real = real_from_double(value);
    real = format_decode(format, format_encode(format, &real, rounding, OVERFLOW_IEEE));
    return real_to_double(&real);
}

static double ulp_of(const struct format *format, double value) {
    struct real real = real_from_double(value);
    return ldexp(1, format_ulp_exponent(format, &real));
}

static double formula_error(struct evaluation *evaluation, const struct promise *promise,
                            const struct expression *formula, const struct span_of_values *operands,
                            struct span_of_values y, bool *undefined);

/* The range, with the errors that a piece allows. */
static struct range widen(struct evaluation *evaluation, const struct promise *promise,
                          const struct promise_piece *piece, const struct span_of_values *operands,
                          struct range range) {
    const struct format *format = evaluation->format;
    struct span_of_values *values = &range.values;
    if (piece->kind == PROMISE_ANYTHING)
        return undefined_range();
    if (piece->kind != PROMISE_ERROR) {
        bool right = piece->kind == PROMISE_CORRECTLY_ROUNDED;
        values->low = rounded(format, values->low, right ? ROUND_NEAREST_EVEN : ROUND_DOWN);
        values->high = rounded(format, values->high, right ? ROUND_NEAREST_EVEN : ROUND_UP);
        return range;
    }
    struct promise_piece in_ulps = *piece, apart = *piece;
    in_ulps.has_absolute = in_ulps.has_relative = apart.has_ulp = false;
    double ulps = promise_limit(&in_ulps, operands, (struct ulp_exponents){0}).high;
    /* Of numbers whose ulp is 1 a limit in ulps is an absolute one. */
    double size = fmax(fabs(values->low), fabs(values->high));
    double absolute =
        promise_limit(&apart, operands, (struct ulp_exponents){0, 0, {size, size}}).high;
    if (piece->inherited) {
        double inherited = formula_error(evaluation, promise, piece->inherited, operands, *values,
                                         &range.undefined);
        absolute = inherited > absolute ? inherited : absolute;
    }
    double below = ulps > 0 ? ulps * ulp_of(format, values->low) : 0;
    double above = ulps > 0 ? ulps * ulp_of(format, values->high) : 0;
    values->low = outward_down(values->low - (absolute > below ? absolute : below));
    values->high = outward_up(values->high + (absolute > above ? absolute : above));
    return range;
}

/* The class of all numbers of an interval, rounded to the format; false where they have several. */
static bool class_of(const struct format *format, struct span_of_values values,
                     enum number_class *class) {
    struct real low = real_from_double(values.low), high = real_from_double(values.high);
    uint64_t a = format_encode(format, &low, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    uint64_t b = format_encode(format, &high, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    *class = format_classify(format, a);
    return *class == format_classify(format, b) &&
           format_is_negative(format, a) == format_is_negative(format, b);
}

/* Whether the intervals may lie in the ranges and classes of a piece, and whether they do for certain. */
static bool may_hold(const struct format *format, const struct promise_piece *piece, int operands,
                     const struct span_of_values *at, bool *surely) {
    *surely = true;
    for (int i = 0; i < operands; i++) {
        enum number_class class;
        bool one = class_of(format, at[i], &class);
        bool classes = piece->classes == ALL_CLASSES;
        if (one && !(piece->classes >> class & 1))
            return false;
        *surely = *surely && (classes || one);
        if (!piece->has_range[i])
            continue;
        if (at[i].high < piece->range[i].low || at[i].low > piece->range[i].high)
            return false;
        *surely = *surely && at[i].low >= piece->range[i].low && at[i].high <= piece->range[i].high;
    }
    return true;
}

/* Overflow goes to infinity, and what is subnormal to zero, where the promise accepts that. */
static void reach_ends(const struct evaluation *evaluation, const struct promise *promise,
                       struct span_of_values *values) {
    const struct format *format = evaluation->format;
    struct real largest = format_decode(format, format->max_finite);
    double most = real_to_double(&largest), least = ldexp(1, format->emin);
    if (values->high > most)
        values->high = INFINITY;
    if (values->low < -most)
        values->low = -INFINITY;
    if (promise->accepted >> ACCEPT_FLUSHED_RESULTS & 1 && values->low < least &&
        values->high > -least) {
        values->low = values->low > 0 ? 0 : values->low;
        values->high = values->high < 0 ? 0 : values->high;
    }
}

/* The range of right results of an operation, with the errors that are promised of it. */
static struct range permit(struct evaluation *evaluation, const struct operation *operation,
                           const struct span_of_values *operands, struct range right) {
    const struct promise *promise = formula_promise(evaluation->promise, operation);
    struct range range = {{INFINITY, -INFINITY}, false};
    bool surely = false;
    if (right.undefined || !promise)
        return undefined_range();
    for (size_t i = 0; i < promise->piece_count && !surely; i++) {
        const struct promise_piece *piece = &promise->pieces[i];
        bool all;
        if (!may_hold(evaluation->format, piece, operation->operands, operands, &all))
            continue;
        range = join(range, widen(evaluation, promise, piece, operands, right));
        surely = all;
    }
    if (!surely || range.undefined)
        return undefined_range();
    reach_ends(evaluation, promise, &range.values);
    return range;
}

static struct range evaluate_node(struct evaluation *evaluation, const struct expression *formula,
                                  int at, const struct span_of_values *operands,
                                  const struct range *ranges) {
    const struct expression_node *node = &formula->nodes[at];
    if (node->kind == EXPRESSION_NUMBER)
        return (struct range){{node->number, node->number}, false};
    if (node->kind == EXPRESSION_OPERAND)
        return (struct range){operands[node->left], isnan(operands[node->left].low)};
    const struct range *a = &ranges[node->left], *b = &ranges[node->right];
    if (a->undefined || (node->kind != EXPRESSION_MAGNITUDE && b->undefined))
        return undefined_range();
    const struct span_of_values both[MAX_OPERANDS] = {a->values, b->values};
    if (node->kind == EXPRESSION_FUNCTION)
        return permit(evaluation, node->operation, both, apply(evaluation, node->operation, both));
    struct range range = {outward_combine(node->kind, a->values, b->values), false};
    if (isnan(range.values.low) || isnan(range.values.high))
        return undefined_range();
    const struct operation *operation = formula_operation(formula, at);
    return operation ? permit(evaluation, operation, both, range) : range;
}

static struct range evaluate(struct evaluation *evaluation, const struct expression *formula,
                             const struct span_of_values *operands) {
    struct range ranges[EXPRESSION_NODES];
    for (int i = 0; i < formula->count; i++)
        ranges[i] = evaluate_node(evaluation, formula, i, operands, ranges);
    return ranges[formula->count - 1];
}

/* How far the ends of the formula's range are from results that lie in y, at most. */
static double formula_error(struct evaluation *evaluation, const struct promise *promise,
                            const struct expression *formula, const struct span_of_values *operands,
                            struct span_of_values y, bool *undefined) {
    struct evaluation inner = *evaluation;
    inner.promise = promise;
    struct range range = evaluate(&inner, formula, operands);
    evaluation->failed = inner.failed;
    *undefined = *undefined || range.undefined;
    if (range.undefined)
        return INFINITY;
    if (isinf(y.low) || isinf(y.high)) /* nothing is far from infinity but what is finite */
        return range.values.low < y.low || range.values.high > y.high ? INFINITY : 0;
    double below = y.high - range.values.low, above = range.values.high - y.low;
    double error = below > above ? below : above;
    return error > 0 ? error : 0;
}

bool inherited_limit(struct inheritor *inheritor, const struct promise *promise,
                     const struct promise_piece *piece, const struct format *format,
                     const struct span_of_values *operands, const struct real *y, double *limit,
                     bool *undefined, struct error *error) {
    struct evaluation evaluation = {
        .inheritor = inheritor, .promise = promise, .format = format, .error = error};
    *undefined = false;
    *limit = formula_error(&evaluation, promise, piece->inherited, operands, doubles_around(y),
                           undefined);
    *limit = ldexp(*limit, -format_ulp_exponent(format, y));
    return !evaluation.failed;
}
