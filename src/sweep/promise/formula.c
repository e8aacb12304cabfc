/* What the operations of a formula are, and how far off its last ones may be for certain. */
#include "sweep/promise/inherit.h"

#include <limits.h>
#include <math.h>

bool formula_negates(const struct expression *formula, int node) {
    const struct expression_node *at = &formula->nodes[node];
    const struct expression_node *left = &formula->nodes[at->left];
    return at->kind == EXPRESSION_SUBTRACT && left->kind == EXPRESSION_NUMBER &&
           !(left->number < 0) && !(left->number > 0);
}

const struct operation *formula_operation(const struct expression *formula, int node) {
    static const char *const names[] = {[EXPRESSION_ADD] = "add",
                                        [EXPRESSION_SUBTRACT] = "sub",
                                        [EXPRESSION_MULTIPLY] = "mul",
                                        [EXPRESSION_DIVIDE] = "div"};
    enum expression_kind kind = formula->nodes[node].kind;
    struct error unused;
    if (kind == EXPRESSION_FUNCTION)
        return formula->nodes[node].operation;
    if (kind < EXPRESSION_ADD || kind > EXPRESSION_DIVIDE || formula_negates(formula, node))
        return NULL;
    return operation_find(names[kind], &unused);
}

const struct promise *formula_promise(const struct promise *promise,
                                      const struct operation *operation) {
    for (size_t i = 0; i < promise->inherited_count; i++)
        if (promise->inherited[i].operation == operation)
            return promise->inherited[i].promise;
    return NULL;
}

/* The least error, in ulps of its result, that a promise allows an operation on operands in the
 * intervals. */
static double least_allowed(const struct promise *promise, const struct span_of_values *operands,
                            int exponent) {
    double least = INFINITY;
    for (size_t i = 0; i < promise->piece_count; i++) {
        const struct promise_piece *piece = &promise->pieces[i];
        double own = piece->kind == PROMISE_ANYTHING ? INFINITY : 0;
        if (piece->kind == PROMISE_ERROR)
            own = promise_limit(piece, operands,
                                (struct ulp_exponents){.low = exponent, .high = exponent})
                      .low;
        least = own < least ? own : least;
    }
    return least;
}

/* The exponent of a power of two that a node is; INT_MAX for others. */
static int power_of(const struct expression *formula, int node) {
    const struct expression_node *at = &formula->nodes[node];
    int exponent;
    if (at->kind != EXPRESSION_NUMBER || !(at->number > 0))
        return INT_MAX;
    return frexp(at->number, &exponent) > 0.5 ? INT_MAX : exponent - 1;
}

/* An exponent that no ulp exceeds. */
enum { ANY_EXPONENT = 4000 };

/* Rounding to nearest may take half an ulp from an error that came before it. */
static double lost_by_rounding(const struct promise *promise) {
    for (size_t i = 0; i < promise->piece_count; i++)
        if (promise->pieces[i].kind == PROMISE_CORRECTLY_ROUNDED)
            return 0.5;
    return 0;
}

/* An error, in ulps of its result, that the node may have for certain, whatever those before it have:
 * - a function, or a quotient, may be as far off as is promised of it alone;
 * - what is multiplied by a power of two may be as many ulps off as it was, where it is normal;
 * - the larger of two that are added has an ulp of at least half the sum's, and may be off alone. */
static double node_floor(const struct promise *promise, const struct expression *formula, int node,
                         const struct span_of_values *operands, int exponent, bool normal) {
    const struct expression_node *at = &formula->nodes[node];
    const struct operation *operation = formula_operation(formula, node);
    const struct promise *own = operation ? formula_promise(promise, operation) : NULL;
    if (!own)
        return 0;
    struct span_of_values arguments[MAX_OPERANDS];
    const int places[MAX_OPERANDS] = {at->left, at->right, at->right};
    for (int i = 0; i < MAX_OPERANDS; i++) {
        const struct expression_node *argument = &formula->nodes[places[i]];
        arguments[i] = argument->kind == EXPRESSION_OPERAND
                           ? operands[argument->left]
                           : (struct span_of_values){-INFINITY, INFINITY};
    }
    double least = least_allowed(own, arguments, exponent), other = 0;
    int power = at->kind == EXPRESSION_MULTIPLY ? power_of(formula, at->right) : INT_MAX;
    if (power != INT_MAX && normal)
        other = node_floor(promise, formula, at->left, operands, exponent - power, false);
    else if (at->kind == EXPRESSION_ADD || at->kind == EXPRESSION_SUBTRACT) {
        double left = node_floor(promise, formula, at->left, operands, ANY_EXPONENT, false);
        double right = node_floor(promise, formula, at->right, operands, ANY_EXPONENT, false);
        other = (left < right ? left : right) / 2;
    }
    other -= lost_by_rounding(own);
    return least > other ? least : other;
}

static double inherited_floor(const struct promise *promise, const struct promise_piece *piece,
                              const struct format *format, const struct span_of_values *operands,
                              struct ulp_exponents ulp) {
    bool normal = ulp.low > format->emin - format->precision + 1;
    double least = node_floor(promise, piece->inherited, piece->inherited->count - 1, operands,
                              ulp.high, normal);
    return least * (1 - 0x1p-20); /* steps of fp64 may be lost on the way */
}

struct span_of_values inherited_limits(const struct promise *promise,
                                       const struct promise_piece *piece,
                                       const struct format *format,
                                       const struct span_of_values *operands,
                                       struct ulp_exponents ulp) {
    struct span_of_values limit = promise_limit(piece, operands, ulp);
    if (!piece->inherited)
        return limit;
    double least = inherited_floor(promise, piece, format, operands, ulp);
    return (struct span_of_values){least > limit.low ? least : limit.low, INFINITY};
}
