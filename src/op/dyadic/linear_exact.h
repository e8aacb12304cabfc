/* What products, the mean squared error and a step of training should return (linear_rows.c), from
 * their definitions in integers and rational numbers without bounds (GMP). */
#ifndef DETCHECK_OP_DYADIC_LINEAR_EXACT_H
#define DETCHECK_OP_DYADIC_LINEAR_EXACT_H

#include "detmath/dyadic_linear_arrays.h"
#include "op/array.h"
#include "op/dyadic/rows.h"

/* What a call's parameters say; of step, s1 is the scale of the weight and s2 that of velocity and
 * gradient. */
struct dyadic_linear {
    enum dyadic_operation which;
    int s1, s2, s3, q, p;
    int transpose; /* 0, or the number of the operand from 1 */
    int rate, decay;
    int64_t bound;
    struct detmath_dyadic_rules rules;
    uint64_t seed;
};
struct dyadic_linear dyadic_linear_of(const struct array_call *call);

/* Shapes and strides of the products of a call whose operands have shapes. */
struct detmath_dyadic_matrices dyadic_matrices_of(const struct array_call *call);

/* An element of a result, into v, s, status, value; of step 0 is the weight, 1 the velocity, and
 * there is no value. */
dyadic_answer dyadic_answer_product, dyadic_answer_mse, dyadic_answer_step;

#endif
