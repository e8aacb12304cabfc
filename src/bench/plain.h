/* What the fast forms of operations on arrays are timed beside: the loops that one would write, over
 * fp32 numbers and libm, in the order of their terms. */
#ifndef DETCHECK_BENCH_PLAIN_H
#define DETCHECK_BENCH_PLAIN_H

#include <stddef.h>
#include <stdint.h>

float plain_sum(const float *x, size_t n);
float plain_dot(const float *x, const float *w, size_t n);
float plain_largest(const float *x, size_t n);
float plain_logsumexp(const float *x, size_t n);
void plain_cumsum(float *y, const float *x, size_t n);
void plain_logcumsumexp(float *y, const float *x, size_t n);
void plain_softmax(float *y, const float *x, size_t n);
void plain_log_softmax(float *y, const float *x, size_t n);
void plain_exp_and_log(float *y, const float *x, size_t n);

/* The elementwise operations on scaled arrays: the name, how the plain loop computes, how det does, and the value of an
 * element as that loop has it. */
#define PLAIN_IN_FP32 "a loop in C over fp32 numbers"
#define PLAIN_LIBM    "a loop in C over fp32 numbers, and libm"
#define PLAIN_OF_ONE(ROW)                                                                          \
    ROW(relu, PLAIN_IN_FP32, "exact", x[i] > 0 ? x[i] : 0)                                         \
    ROW(exp, PLAIN_LIBM, "in double", expf(x[i]))                                                  \
    ROW(log, PLAIN_LIBM, "in double", logf(x[i]))                                                  \
    ROW(sigmoid, PLAIN_LIBM, "in double", 1 / (1 + expf(-x[i])))                                   \
    ROW(tanh, PLAIN_LIBM, "in double", tanhf(x[i]))                                                \
    ROW(gelu, PLAIN_LIBM, "in double", 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f)))
#define PLAIN_OF_TWO(ROW)                                                                          \
    ROW(add, PLAIN_IN_FP32, "correctly rounded", x[i] + w[i])                                      \
    ROW(sub, PLAIN_IN_FP32, "correctly rounded", x[i] - w[i])                                      \
    ROW(mul, PLAIN_IN_FP32, "correctly rounded", x[i] * w[i])                                      \
    ROW(div, PLAIN_IN_FP32, "correctly rounded", x[i] / w[i])                                      \
    ROW(max, PLAIN_IN_FP32, "correctly rounded", x[i] > w[i] ? x[i] : w[i])                        \
    ROW(min, PLAIN_IN_FP32, "correctly rounded", x[i] < w[i] ? x[i] : w[i])                        \
    ROW(step, PLAIN_IN_FP32, "exact", x[i] > w[i] ? 1.0f : x[i] == w[i] ? 0.5f : 0.0f)             \
    ROW(relu_gradient, PLAIN_IN_FP32, "exact", x[i] > 0 ? w[i] : 0)                                \
    ROW(sigmoid_gradient, PLAIN_LIBM, "in double", w[i] * slope_of_sigmoid(x[i]))                  \
    ROW(tanh_gradient, PLAIN_LIBM, "in double", w[i] * slope_of_tanh(x[i]))                        \
    ROW(gelu_gradient, PLAIN_LIBM, "in double", w[i] * slope_of_gelu(x[i]))                        \
    ROW(exp_gradient, PLAIN_LIBM, "in double", w[i] * expf(x[i]))                                  \
    ROW(div_gradient, PLAIN_IN_FP32, "in double", -x[i] / (w[i] * w[i]))
#define PLAIN_DECLARE_ONE(NAME, DETAIL, DET_DETAIL, VALUE)                                         \
    void plain_##NAME(float *y, const float *x, size_t n);
#define PLAIN_DECLARE_TWO(NAME, DETAIL, DET_DETAIL, VALUE)                                         \
    void plain_##NAME(float *y, const float *x, const float *w, size_t n);
PLAIN_OF_ONE(PLAIN_DECLARE_ONE)
PLAIN_OF_TWO(PLAIN_DECLARE_TWO)

/* The same numbers, which is what a change of scale leaves. */
void plain_copy(float *y, const float *x, size_t n);

/* The gradients, g being what comes back. */
void plain_logcumsumexp_gradient(float *y, const float *x, const float *g, size_t n);
void plain_logsumexp_gradient(float *y, const float *x, float g, size_t n);
void plain_log_softmax_gradient(float *y, const float *x, const float *g, size_t n);
void plain_softmax_gradient(float *y, const float *x, const float *g, size_t n);
void plain_largest_gradient(float *y, const float *x, float g, size_t n);

/* c = a b, of rows x inner and inner x columns: whole rows of c at a time, so that the innermost loop
 * runs along rows of b and c. */
void plain_matmul(float *c, const float *a, const float *b, size_t rows, size_t inner,
                  size_t columns);
/* c = a b' of b's rows: columns x inner. */
void plain_matmul_transposed(float *c, const float *a, const float *b, size_t rows, size_t inner,
                             size_t columns);

/* Of integers, shifted to the right by 2; to each row 4 times its bias is added, which may be NULL. Operands
 * are of 12 bits, so that no sum overflows. */
#define PLAIN_DECLARE_PRODUCTS(TYPE)                                                               \
    void plain_matmul_##TYPE(int32_t *c, const TYPE##_t *a, const TYPE##_t *b,                     \
                             const int32_t *bias, size_t rows, size_t inner, size_t columns);      \
    void plain_dot_##TYPE(int32_t *y, const TYPE##_t *x, const TYPE##_t *w, size_t n);
PLAIN_DECLARE_PRODUCTS(int8)
PLAIN_DECLARE_PRODUCTS(int16)
PLAIN_DECLARE_PRODUCTS(int32)

/* Images x and y of as many channels, w of 3x3 taps for each pair of channels, and a zero at every edge;
 * or, of y that comes back, the derivative by x. */
void plain_convolution(float *y, const float *x, const float *w, const size_t image[3]);
void plain_convolution_gradient(float *x, const float *y, const float *w, const size_t image[3]);

/* Operations on dyadic integers of 32 bits: the name, the scales and shifts of det's plan (dyadic.h), and
 * the value of an element as a plain loop has it. Operands are of 12 bits, so that nothing overflows. */
#define PLAIN_SHIFTED(V, K) ((int32_t)(V) >> (K))
#define PLAIN_INTEGERS_OF_ONE(ROW)                                                                 \
    ROW(align, align(3, 1, rules), PLAIN_SHIFTED(x[i], 2))                                         \
    ROW(relu, align(3, 3, rules), x[i] > 0 ? x[i] : 0)                                             \
    ROW(requantise, requantise(3, 1, 8, 1, rules), plain_clipped(PLAIN_SHIFTED(x[i], 2)))
#define PLAIN_INTEGERS_OF_TWO(ROW)                                                                 \
    ROW(add, add(2, 3, rules), x[i] * 2 + w[i])                                                    \
    ROW(sub, add(2, 3, rules), x[i] * 2 - w[i])                                                    \
    ROW(mul, mul(3, 2, 2, rules), PLAIN_SHIFTED(x[i] * w[i], 2))                                   \
    ROW(div, div(3, 2, 2, rules), x[i] * 4 / w[i])                                                 \
    ROW(equal, equal(2, 3, rules), x[i] * 2 == w[i])                                               \
    ROW(relu_gradient, relu_gradient(3, 3, rules), w[i] > 0 ? x[i] : 0)                            \
    ROW(gradient, requantise(3, 1, 8, 1, rules),                                                   \
        PLAIN_SHIFTED(w[i], 2) == plain_clipped(PLAIN_SHIFTED(w[i], 2)) ? x[i] : 0)
#define PLAIN_DECLARE_INTEGERS_OF_ONE(NAME, PLAN, VALUE)                                           \
    void plain_integer_##NAME(int32_t *y, const int32_t *x, size_t n);
#define PLAIN_DECLARE_INTEGERS_OF_TWO(NAME, PLAN, VALUE)                                           \
    void plain_integer_##NAME(int32_t *y, const int32_t *x, const int32_t *w, size_t n);
PLAIN_INTEGERS_OF_ONE(PLAIN_DECLARE_INTEGERS_OF_ONE)
PLAIN_INTEGERS_OF_TWO(PLAIN_DECLARE_INTEGERS_OF_TWO)

/* The mean of the squares of 2 x - w, times 4; a step of training, where the velocity decays by a half and
 * the weight gives up 2^-4 of it; and conversions from numbers times 8, clipped to 8 bits, and to them. */
int32_t plain_integer_mse(const int32_t *x, const int32_t *w, size_t n);
void plain_integer_step(int32_t *weights, int32_t *velocities, const int32_t *gradients, size_t n);
void plain_integer_from_real(int32_t *y, const float *x, size_t n);
void plain_integer_to_real(float *y, const int32_t *x, size_t n);

#endif
