/* Expressions of the trees of formulas, and arithmetic on intervals. */
#include "sweep/promise/expression.h"

#include "op/formula/tree.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

/* What is being made of a tree. */
struct making {
    const struct formula *formula;
    struct expression *expression;
    int nodes[FORMULA_NODES]; /* of the expression, by those of the tree */
    bool functions;           /* may stand in it */
    struct error *error;
    bool failed;
};

static int fail(struct making *making, const char *says) {
    if (!making->failed)
        error_set(making->error, "'%.100s': %s; such as \"%s\"", making->formula->text, says,
                  making->functions ? "sin(x) / cos(x)" : "3 + 2*|x|");
    making->failed = true;
    return 0;
}

static int add_node(struct making *making, struct expression_node node) {
    struct expression *expression = making->expression;
    if (making->failed)
        return 0;
    if (expression->count == EXPRESSION_NODES)
        return fail(making, "too many operations");
    expression->nodes[expression->count] = node;
    return expression->count++;
}

static int add_number(struct making *making, double number) {
    if (!isfinite(number))
        return fail(making, "the number there is too large");
    return add_node(making, (struct expression_node){EXPRESSION_NUMBER, 0, 0, number, NULL});
}

/* The double next to a fraction. */
static double number_of(const struct formula_node *node) {
    mpfr_t value;
    mpfr_init2(value, 53);
    mpfr_set_q(value, node->number, MPFR_RNDN);
    double number = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return number;
}

/* The number that a power of one is, by multiplications; false where a node is none with a whole exponent. */
static bool power_of_number(const struct formula *formula, const struct formula_node *node,
                            double *power) {
    if (node->kind != FORMULA_POWER)
        return false;
    const struct formula_node *base = &formula->nodes[node->arguments[0]],
                              *exponent = &formula->nodes[node->arguments[1]];
    bool negative = exponent->kind == FORMULA_NEGATE;
    if (negative)
        exponent = &formula->nodes[exponent->arguments[0]];
    if (base->kind != FORMULA_NUMBER || exponent->kind != FORMULA_NUMBER)
        return false;
    double times = number_of(exponent), number = number_of(base);
    *power = 1;
    for (double i = 0; i < times && times <= 2000; i++)
        *power = negative ? *power / number : *power * number;
    return times <= 2000 && !(times > floor(times));
}

static int add_function(struct making *making, const struct formula_node *node) {
    const struct operation *operation = node->operation;
    if (!making->functions || operation->operands > 2)
        return fail(making, making->functions ? "a function of one number or two should stand there"
                                              : "no function has a place there");
    int left = making->nodes[node->arguments[0]],
        right = making->nodes[node->arguments[operation->operands - 1]];
    return add_node(making,
                    (struct expression_node){EXPRESSION_FUNCTION, left, right, 0, operation});
}

/* What steps are here. */
static const struct step {
    enum formula_kind from;
    enum expression_kind to;
} steps[] = {{FORMULA_ADD, EXPRESSION_ADD},           {FORMULA_SUBTRACT, EXPRESSION_SUBTRACT},
             {FORMULA_MULTIPLY, EXPRESSION_MULTIPLY}, {FORMULA_DIVIDE, EXPRESSION_DIVIDE},
             {FORMULA_LESSER, EXPRESSION_SMALLER},    {FORMULA_GREATER, EXPRESSION_LARGER}};

static int add_step(struct making *making, const struct formula_node *node) {
    double power;
    if (power_of_number(making->formula, node, &power))
        return add_number(making, power);
    int left = making->nodes[node->arguments[0]], right = making->nodes[node->arguments[1]];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].from == node->kind)
            return add_node(making, (struct expression_node){steps[i].to, left, right, 0, NULL});
    switch (node->kind) {
    case FORMULA_NUMBER:
        return add_number(making, number_of(node));
    case FORMULA_PI:
        return add_number(making, 0x1.921fb54442d18p+1);
    case FORMULA_OPERAND:
        return add_node(
            making, (struct expression_node){EXPRESSION_OPERAND, node->arguments[0], 0, 0, NULL});
    case FORMULA_NEGATE: {
        int zero = add_number(making, 0);
        return add_node(making, (struct expression_node){EXPRESSION_SUBTRACT, zero, left, 0, NULL});
    }
    case FORMULA_MAGNITUDE:
        return add_node(making, (struct expression_node){EXPRESSION_MAGNITUDE, left, 0, 0, NULL});
    case FORMULA_POWER:
    case FORMULA_FUNCTION:
        return add_function(making, node);
    default:
        return fail(making, "a number, pi, x, y, z, + - * /, |...|, min or max should stand there");
    }
}

/* Which nodes are of the whole: a power of a number is one number, whatever it is made of. */
static void mark(const struct formula *formula, int node, bool *wanted) {
    double unused;
    if (wanted[node])
        return;
    wanted[node] = true;
    for (int i = 0; i < formula->nodes[node].count; i++)
        if (!power_of_number(formula, &formula->nodes[node], &unused))
            mark(formula, formula->nodes[node].arguments[i], wanted);
}

static void make(struct making *making) {
    bool wanted[FORMULA_NODES] = {false};
    const struct formula *formula = making->formula;
    mark(formula, formula->count - 1, wanted);
    for (int i = 0; i < formula->count && !making->failed; i++)
        if (wanted[i])
            making->nodes[i] = add_step(making, &formula->nodes[i]);
}

static bool parse(struct expression *expression, const char *text, bool functions,
                  struct error *error) {
    struct formula_fault unused;
    struct formula *formula = formula_read(text, FORMULA_OF_ANYTHING, &unused, error);
    struct making making = {.formula = formula,
                            .expression = expression,
                            .functions = functions,
                            .error = error,
                            .failed = !formula};
    expression->count = 0;
    if (formula)
        make(&making);
    formula_free(formula);
    if (making.failed) /* whoever goes on for a while has a whole expression nevertheless */
        *expression = expression_of_number(0);
    return !making.failed;
}

bool expression_parse(struct expression *expression, const char *text, struct error *error) {
    return parse(expression, text, false, error);
}

bool expression_parse_formula(struct expression *formula, const char *text, struct error *error) {
    return parse(formula, text, true, error);
}

struct expression expression_of_number(double number) {
    return (struct expression){.count = 1, .nodes = {{EXPRESSION_NUMBER, 0, 0, number, NULL}}};
}

int expression_operands(const struct expression *expression) {
    int most = 0;
    for (int i = 0; i < expression->count; i++) {
        const struct expression_node *node = &expression->nodes[i];
        if (node->kind == EXPRESSION_OPERAND && node->left >= most)
            most = node->left + 1;
    }
    return most;
}

bool expression_is_constant(const struct expression *expression) {
    return expression_operands(expression) == 0;
}

static struct span_of_values whole_line(void) {
    return (struct span_of_values){-INFINITY, INFINITY};
}

/* Of two numbers, or NaN where one is NaN. */
static double smaller(double a, double b) {
    return a < b ? a : b >= b && a >= b ? b : a + b;
}

static double larger(double a, double b) {
    return a > b ? a : b >= b && a <= b ? b : a + b;
}

/* The hull of four values, of the ends of both with each other. */
static struct span_of_values hull(double a, double b, double c, double d) {
    return (struct span_of_values){smaller(smaller(a, b), smaller(c, d)),
                                   larger(larger(a, b), larger(c, d))};
}

struct span_of_values expression_combine(enum expression_kind kind, struct span_of_values a,
                                         struct span_of_values b) {
    switch (kind) {
    case EXPRESSION_ADD:
        return (struct span_of_values){a.low + b.low, a.high + b.high};
    case EXPRESSION_SUBTRACT:
        return (struct span_of_values){a.low - b.high, a.high - b.low};
    case EXPRESSION_MULTIPLY:
        return hull(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
    case EXPRESSION_DIVIDE:
        return b.low <= 0 && b.high >= 0
                   ? whole_line()
                   : hull(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
    case EXPRESSION_MAGNITUDE:
        return a.low >= 0   ? a
               : a.high < 0 ? (struct span_of_values){-a.high, -a.low}
                            : (struct span_of_values){0, larger(-a.low, a.high)};
    case EXPRESSION_LARGER:
        return (struct span_of_values){larger(a.low, b.low), larger(a.high, b.high)};
    default:
        return (struct span_of_values){smaller(a.low, b.low), smaller(a.high, b.high)};
    }
}

struct span_of_values expression_bound(const struct expression *expression,
                                       const struct span_of_values *operands) {
    struct span_of_values values[EXPRESSION_NODES];
    for (int i = 0; i < expression->count; i++) {
        const struct expression_node *node = &expression->nodes[i];
        if (node->kind == EXPRESSION_NUMBER)
            values[i] = (struct span_of_values){node->number, node->number};
        else if (node->kind == EXPRESSION_OPERAND)
            values[i] = operands[node->left];
        else
            values[i] = expression_combine(node->kind, values[node->left], values[node->right]);
        if (isnan(values[i].low) || isnan(values[i].high))
            values[i] = whole_line();
    }
    return values[expression->count - 1];
}
