/* Looking through a node at the one that it undoes. */
#include "op/formula/undo.h"

#include <string.h>

struct value *undo_function(struct formula_work *work, value_function value_of,
                            const struct formula_node *node) {
    const struct formula_node *nodes = work->formula->nodes;
    int argument, inside;
    const char *outer = function_of_node(nodes, node, &argument);
    const char *inverse = outer ? function_inverse(outer) : NULL;
    const char *inner = inverse ? function_of_node(nodes, &nodes[argument], &inside) : NULL;
    return inner && strcmp(inner, inverse) == 0 && value_of(work, argument)->kind == VALUE_ENCLOSED
               ? value_of(work, inside)
               : NULL;
}

/* The argument of the exponential that an argument of the node is, where the other one is a fraction above 0; else NULL. */
static struct value *exponent_beside(struct formula_work *work, value_function value_of,
                                     const struct formula_node *product, const char *exponential,
                                     int which) {
    const struct formula_node *nodes = work->formula->nodes;
    int inside;
    const char *inner = function_of_node(nodes, &nodes[product->arguments[which]], &inside);
    const struct value *factor = value_of(work, product->arguments[1 - which]);
    if (!inner || strcmp(inner, exponential) != 0 || factor->kind != VALUE_RATIONAL ||
        value_sign(factor) <= 0)
        return NULL;
    struct value *exponent = value_of(work, inside);
    return exponent->kind >= VALUE_RATIONAL ? exponent : NULL;
}

/* log(erfcx(u)) of a u below 0 is u^2 + log(erfc(u)), whose erfc is between 1 and 2. */
static bool undo_scaling(struct formula_work *work, value_function value_of, int scaled,
                         struct value *y) {
    const struct operation *erfc = operation_row("erfc"), *log = operation_row("log");
    int inside;
    const char *name =
        function_of_node(work->formula->nodes, &work->formula->nodes[scaled], &inside);
    struct value *u = name && strcmp(name, "erfcx") == 0 ? value_of(work, inside) : NULL;
    struct value *const operands[] = {u}, *const factors[] = {&work->spare};
    if (!u || u->kind < VALUE_RATIONAL || value_sign(u) >= 0 ||
        !step_function(&work->stepper, erfc, operands, &work->spare) ||
        !step_function(&work->stepper, log, factors, &work->other_spare))
        return false;
    value_power(&work->spare, u, 2);
    value_add(y, &work->spare, &work->other_spare);
    return true;
}

bool undo_product(struct formula_work *work, value_function value_of,
                  const struct formula_node *node, struct value *y) {
    static const char *const logarithms[][2] = {
        {"log", "exp"}, {"log2", "exp2"}, {"log10", "exp10"}};
    const struct formula_node *product = &work->formula->nodes[node->arguments[0]];
    const bool divides = product->kind == FORMULA_DIVIDE;
    const char *exponential = NULL;
    for (size_t i = 0; i < sizeof logarithms / sizeof *logarithms; i++)
        if (strcmp(node->operation->name, logarithms[i][0]) == 0)
            exponential = logarithms[i][1];
    if (strcmp(node->operation->name, "log") == 0 &&
        undo_scaling(work, value_of, node->arguments[0], y))
        return true;
    if (!exponential || !(divides || product->kind == FORMULA_MULTIPLY) ||
        value_of(work, node->arguments[0])->kind != VALUE_ENCLOSED)
        return false;
    for (int which = 0; which < 2 - divides; which++) {
        struct value *exponent = exponent_beside(work, value_of, product, exponential, which);
        struct value *factor = exponent ? value_of(work, product->arguments[1 - which]) : NULL;
        if (!exponent || !step_function(&work->stepper, node->operation, &factor, &work->spare))
            continue;
        (divides ? value_subtract : value_add)(y, exponent, &work->spare);
        return true;
    }
    return false;
}
