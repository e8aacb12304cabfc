/* Plain loops. */
#include "bench/plain.h"

#include <math.h>
#include <string.h>

float plain_sum(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

float plain_dot(const float *x, const float *w, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * w[i];
    return sum;
}

float plain_largest(const float *x, size_t n) {
    float most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

float plain_logsumexp(const float *x, size_t n) {
    float most = plain_largest(x, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += expf(x[i] - most);
    return most + logf(sum);
}

void plain_cumsum(float *y, const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

void plain_logcumsumexp(float *y, const float *x, size_t n) {
    float sum = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        float most = sum > x[i] ? sum : x[i], least = sum > x[i] ? x[i] : sum;
        y[i] = sum = most + log1pf(expf(least - most));
    }
}

void plain_softmax(float *y, const float *x, size_t n) {
    float most = plain_largest(x, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - most);
    for (size_t i = 0; i < n; i++)
        y[i] /= sum;
}

void plain_log_softmax(float *y, const float *x, size_t n) {
    float sum = plain_logsumexp(x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - sum;
}

void plain_exp_and_log(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = logf(expf(x[i]));
}

/* From the end, by y = logcumsumexp(x). */
void plain_logcumsumexp_gradient(float *y, const float *x, const float *g, size_t n) {
    float sum = 0;
    plain_logcumsumexp(y, x, n);
    for (size_t i = n; i-- > 0;) {
        sum += g[i] * expf(-y[i]);
        y[i] = expf(x[i]) * sum;
    }
}

void plain_logsumexp_gradient(float *y, const float *x, float g, size_t n) {
    plain_softmax(y, x, n);
    for (size_t i = 0; i < n; i++)
        y[i] *= g;
}

void plain_log_softmax_gradient(float *y, const float *x, const float *g, size_t n) {
    float sum = plain_sum(g, n);
    plain_softmax(y, x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = g[i] - y[i] * sum;
}

#define LOOP_OF_ONE(NAME, DETAIL, DET_DETAIL, VALUE)                                               \
    void plain_##NAME(float *restrict y, const float *restrict x, size_t n) {                      \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = VALUE;                                                                          \
    }
#define LOOP_OF_TWO(NAME, DETAIL, DET_DETAIL, VALUE)                                               \
    void plain_##NAME(float *restrict y, const float *restrict x, const float *restrict w,         \
                      size_t n) {                                                                  \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = VALUE;                                                                          \
    }
PLAIN_OF_ONE(LOOP_OF_ONE)
PLAIN_OF_TWO(LOOP_OF_TWO)

#define MATMUL(LINKAGE, NAME, FROM, TO)                                                            \
    LINKAGE void NAME(TO *restrict c, const FROM *restrict a, const FROM *restrict b, size_t rows, \
                      size_t inner, size_t columns) {                                              \
        memset(c, 0, rows *columns * sizeof *c);                                                   \
        for (size_t i = 0; i < rows; i++)                                                          \
            for (size_t k = 0; k < inner; k++)                                                     \
                for (size_t j = 0; j < columns; j++)                                               \
                    c[i * columns + j] += (TO)a[i * inner + k] * (TO)b[k * columns + j];           \
    }
MATMUL(, plain_matmul, float, float)
MATMUL(static, multiply_int8, int8_t, int32_t)
MATMUL(static, multiply_int16, int16_t, int32_t)
MATMUL(static, multiply_int32, int32_t, int32_t)

#define MATMUL_SHIFTED(TYPE)                                                                       \
    void plain_matmul_##TYPE(int32_t *c, const TYPE##_t *a, const TYPE##_t *b, size_t rows,        \
                             size_t inner, size_t columns) {                                       \
        multiply_##TYPE(c, a, b, rows, inner, columns);                                            \
        for (size_t i = 0; i < rows * columns; i++)                                                \
            c[i] >>= 2;                                                                            \
    }
MATMUL_SHIFTED(int8)
MATMUL_SHIFTED(int16)
MATMUL_SHIFTED(int32)

void plain_add_int32(int32_t *restrict y, const int32_t *restrict x, const int32_t *restrict w,
                     size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * 2 + w[i];
}

void plain_mul_int32(int32_t *restrict y, const int32_t *restrict x, const int32_t *restrict w,
                     size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] * w[i]) >> 2;
}
