/* A line of a norm and the gradient of its result: exact sums that gradients are made of. */
#ifndef DETCHECK_OP_KERNELS_NORM_SLOPES_H
#define DETCHECK_OP_KERNELS_NORM_SLOPES_H

#include "op/enclose.h"
#include "op/kernels/norms.h"

/* Operands of the gradients. */
enum { SLOPE_X, SLOPE_GRADIENT, SLOPE_WEIGHT };

/* With a = g weight, n elements, their sum S, that of their squares T and epsilon e, A the sum of a x and B that of a,
 * a norm of x is n^(1/2) x / Q^(1/2) of the root mean square, (n x - S) / Q^(1/2) of the layer norm, and x / Q^(1/2) of the
 * L2 norm, where
 *   Q = T + n e,   n T - S^2 + n^2 e,   max(T, e^2). */
struct norm_slopes {
    const struct array_call *call;
    enum detmath_norm which;
    struct norm_layout layout;
    struct real epsilon;
    bool is_lost;    /* an element is infinite or NaN, or Q is 0 */
    bool is_bad;     /* or a gradient or a weight is */
    bool is_epsilon; /* Q is e^2 */
    arf_ptr x, a;    /* of all elements */
    arf_t sum, squares, products, slopes, quotient, term;
};

/* n zeros (NULL without memory), and their end. */
arf_ptr norm_numbers(uint64_t n);
void norm_numbers_clear(arf_ptr numbers, uint64_t n);

bool norm_slopes_open(struct norm_slopes *line, const struct array_call *call, struct error *error);
void norm_slopes_close(struct norm_slopes *line);
/* Line `number`: its elements, S, T, A, B and Q, A and B being n A - S B and B of a layer norm. */
void norm_slopes_load(struct norm_slopes *line, uint64_t number);
/* above (times / below)^(1/2), truncated; above is changed. */
struct real norm_slopes_root(arf_t above, uint64_t times, const arf_t below, int precision);

#endif
