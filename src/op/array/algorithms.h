/* How operations on arrays are computed: ours, and the orders that others use. */
#ifndef DETCHECK_OP_ARRAY_ALGORITHMS_H
#define DETCHECK_OP_ARRAY_ALGORITHMS_H

#include "op/array.h"

typedef void double_slices(double *y, const double *x, const double *w, size_t n);

/* A computation on slices (op/array/slices.h), in the format of --accumulate; without it in fp32 for
 * formats that fp32 holds, in fp64 for others. What is NULL is not provided. x and w are the
 * operands' slices, y the result's: n elements, or one where the row makes one of a line. With --epsilon
 * that is w[0]. */
struct slice_function {
    void (*fp32)(float *y, const float *x, const float *w, size_t n);
    double_slices *fp64;
    /* In place of fp32: results that are rounded to odd, to be rounded to any narrower format. */
    void (*odd)(double *y, const float *x, const float *w, size_t n);
    /* In arithmetic of a narrow format, whose numbers are held as doubles. */
    double_slices *fp16, *bf16;
    /* Of products, where c comes in (--addend): it is the first term, times 1. Else c is added to their sum, both as terms
     * of one more sum of products, times 1. */
    bool begins_with_addend;
};

/* `data` is a slice_function. */
bool run_slices(const struct array_call *call, const struct array_algorithm *algorithm,
                struct error *error);
/* The exact results, rounded. */
bool run_exact(const struct array_call *call, const struct array_algorithm *algorithm,
               struct error *error);
/* As run_slices, for each row of the first matrix and column of the second. */
bool run_matrices(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error);
/* That of a slice_function; NULL of an exact sum. False with the reason where it has no such one. */
bool accumulation_of(const struct array_call *call, const struct array_algorithm *algorithm,
                     const struct format **format, struct error *why);
/* To nearest-even only; overflow as in IEEE 754. */
bool provides_nearest(const struct array_call *call, struct error *why);

/* One table for each operation; each ends with a row without a name. */
extern const struct array_algorithm algorithms_sum[], algorithms_mean[], algorithms_cumsum[],
    algorithms_dot[], algorithms_matmul[], algorithms_logsumexp[], algorithms_logcumsumexp[],
    algorithms_softmax[], algorithms_log_softmax[], algorithms_logcumsumexp_gradient[],
    algorithms_logsumexp_gradient[], algorithms_log_softmax_gradient[], algorithms_rms_norm[];

#endif
