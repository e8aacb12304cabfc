/* Limits that depend on the input, such as "3 + 2*|x|" or "max(4, 2^-11)": read once, and then found
 * for one input or bounded for many.
 *
 * An expression means what fp64 arithmetic to nearest makes of it, operation by operation. That
 * arithmetic is monotone in each operand, so the same steps on both ends of intervals enclose what
 * they give for every input between. */
#ifndef DETCHECK_SWEEP_PROMISE_EXPRESSION_H
#define DETCHECK_SWEEP_PROMISE_EXPRESSION_H

#include "base/error.h"
#include "op/operation.h"

#include <stdbool.h>

enum { EXPRESSION_NODES = 48 };

/* From `low` to `high`, both of them too. */
struct span_of_values {
    double low, high;
};

enum expression_kind {
    EXPRESSION_NUMBER,
    EXPRESSION_OPERAND,
    EXPRESSION_ADD,
    EXPRESSION_SUBTRACT,
    EXPRESSION_MULTIPLY,
    EXPRESSION_DIVIDE,
    EXPRESSION_MAGNITUDE,
    EXPRESSION_LARGER,
    EXPRESSION_SMALLER,
    EXPRESSION_FUNCTION /* of formulas alone (inherit.h) */
};

/* A node's operands come before it; the last node is the whole. */
struct expression {
    int count;
    struct expression_node {
        enum expression_kind kind;
        int left, right; /* nodes; of EXPRESSION_OPERAND `left` is which operand */
        double number;
        const struct operation *operation; /* of EXPRESSION_FUNCTION, of one operand or two */
    } nodes[EXPRESSION_NODES];
};

/* Reads text: numbers (decimal or hex floats, powers such as 2^-11), pi, the operands x, y, z, + - * /,
 * (...), |...|, min(a, b) and max(a, b). False with an error that says where it went wrong; the
 * expression is then the number 0. */
bool expression_parse(struct expression *expression, const char *text, struct error *error);

/* The same of a formula: names of operations may stand before (...) too, as in "sin(x) / cos(x)". */
bool expression_parse_formula(struct expression *formula, const char *text, struct error *error);

/* What + - * / |...|, max or min makes of intervals. */
struct span_of_values expression_combine(enum expression_kind kind, struct span_of_values a,
                                         struct span_of_values b);

/* The expression that is a number. */
struct expression expression_of_number(double number);

/* Whether it needs no operand. */
bool expression_is_constant(const struct expression *expression);

/* How many operands it needs: one more than the last that it names. */
int expression_operands(const struct expression *expression);

/* Encloses the expression for all operands within the intervals; for intervals of one number each, both
 * ends are its value. NaN, which comes of infinities, becomes the whole line. */
struct span_of_values expression_bound(const struct expression *expression,
                                       const struct span_of_values *operands);

#endif
