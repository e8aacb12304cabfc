/* The rows of the table as steps of a formula: which may stand in one, and their results where the operands are
 * not known exactly. */
#ifndef DETCHECK_OP_FORMULA_FUNCTIONS_H
#define DETCHECK_OP_FORMULA_FUNCTIONS_H

#include "op/formula/tree.h"

#include <stdbool.h>

/* How a function of one operand runs over its domain, from `low` to `high`. */
enum function_shape {
    SHAPE_OTHER,
    SHAPE_RISES,
    SHAPE_FALLS,
    SHAPE_EVEN_RISES, /* with the magnitude */
    SHAPE_EVEN_FALLS,
    SHAPE_STEPS /* to integers: `rounding` says how */
};

struct function_rule {
    const char *name;
    enum function_shape shape;
    double low, high;       /* outside of which it is NaN */
    enum rounding rounding; /* of SHAPE_STEPS */
    /* What the finite result is in terms of other functions (x, y); NULL: nothing of that kind. */
    const char *rewriting;
    /* The rewriting has fractions, or roots of them, where the row encloses them. */
    bool may_be_fraction;
};

/* What is known of a row; NULL for rows of which nothing is. */
const struct function_rule *function_rule(const struct operation *operation);

/* Whether the row may be called in a formula: it is from numbers to a number and knows no format. */
bool formula_takes(const struct operation *operation);

/* Whether only operands and numbers may be its arguments: nothing encloses it elsewhere. */
bool formula_wants_points(const struct operation *operation);

/* The function that `outer` undoes: outer(inner(u)) is u wherever inner(u) is a number. NULL: none is known. */
const char *function_inverse(const char *outer);

/* The name of the function of one number that a node is, and its argument; 2^u, 10^u and e^u are exp2, exp10 and exp.
 * NULL for other nodes. */
const char *function_of_node(const struct formula_node *nodes, const struct formula_node *node,
                             int *argument);

#endif
