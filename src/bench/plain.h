/* What the fast forms of operations on arrays are timed beside: the loops that one would write, over
 * fp32 numbers and libm, in the order of their terms. */
#ifndef DETCHECK_BENCH_PLAIN_H
#define DETCHECK_BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

float plain_sum(const float *x, size_t n);
float plain_dot(const float *x, const float *w, size_t n);
float plain_logsumexp(const float *x, size_t n);
void plain_cumsum(float *y, const float *x, size_t n);
void plain_logcumsumexp(float *y, const float *x, size_t n);
void plain_softmax(float *y, const float *x, size_t n);
void plain_log_softmax(float *y, const float *x, size_t n);
void plain_add(float *y, const float *x, const float *w, size_t n);
void plain_mul(float *y, const float *x, const float *w, size_t n);
void plain_exp_and_log(float *y, const float *x, size_t n);
void plain_gelu(float *y, const float *x, size_t n);
void plain_step(float *y, const float *x, const float *w, size_t n);

/* The gradients, g being what comes back. */
void plain_logcumsumexp_gradient(float *y, const float *x, const float *g, size_t n);
void plain_logsumexp_gradient(float *y, const float *x, float g, size_t n);
void plain_log_softmax_gradient(float *y, const float *x, const float *g, size_t n);

/* c = a b, of rows x inner and inner x columns: whole rows of c at a time, so that the innermost loop
 * runs along rows of b and c. */
void plain_matmul(float *c, const float *a, const float *b, size_t rows, size_t inner,
                  size_t columns);
void plain_matmul_int8(int32_t *c, const int8_t *a, const int8_t *b, size_t rows, size_t inner,
                       size_t columns);
void plain_matmul_int16(int32_t *c, const int16_t *a, const int16_t *b, size_t rows, size_t inner,
                        size_t columns);
void plain_matmul_int32(int32_t *c, const int32_t *a, const int32_t *b, size_t rows, size_t inner,
                        size_t columns);

/* Integers that share a scale: 2 x + w, and the product shifted to the right by 2, as in the products
 * of matrices above. */
void plain_add_int32(int32_t *y, const int32_t *x, const int32_t *w, size_t n);
void plain_mul_int32(int32_t *y, const int32_t *x, const int32_t *w, size_t n);

#endif
