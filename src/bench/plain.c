/* Plain loops. */
#include "bench/plain.h"

#include <math.h>
#include <stdbool.h>
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

void plain_softmax_gradient(float *y, const float *x, const float *g, size_t n) {
    plain_softmax(y, x, n);
    float mean = plain_dot(y, g, n);
    for (size_t i = 0; i < n; i++)
        y[i] *= g[i] - mean;
}

void plain_largest_gradient(float *y, const float *x, float g, size_t n) {
    float most = plain_largest(x, n), ties = 0;
    for (size_t i = 0; i < n; i++)
        ties += x[i] == most;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] == most ? g / ties : 0;
}

static float slope_of_sigmoid(float x) {
    float e = expf(-fabsf(x));
    return e / ((1 + e) * (1 + e));
}

static float slope_of_tanh(float x) {
    float y = tanhf(x);
    return 1 - y * y;
}

static float slope_of_gelu(float x) {
    return 0.5f * (1 + erff(x * 0.70710678f)) + x * 0.39894228f * expf(-0.5f * x * x);
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
LOOP_OF_ONE(copy, , , x[i])

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
MATMUL(static, multiply_int8, int8_t, uint32_t)
MATMUL(static, multiply_int16, int16_t, uint32_t)
MATMUL(static, multiply_int32, int32_t, uint32_t)

void plain_matmul_transposed(float *c, const float *a, const float *b, size_t rows, size_t inner,
                             size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            c[i * columns + j] = plain_dot(a + i * inner, b + j * inner, inner);
}

/* y += x moved by so many rows and columns, times w; zeros come in. */
static void add_moved(float *restrict y, const float *restrict x, float w, const size_t image[3],
                      int down, int right) {
    size_t rows = image[1], columns = image[2];
    size_t first = right < 0, last = columns - (right > 0); /* of y's columns */
    for (size_t i = down < 0; i < rows - (down > 0); i++) {
        const float *from = down < 0 ? x + (i - 1) * columns : x + (i + (size_t)down) * columns;
        for (size_t j = first; j < last; j++)
            y[i * columns + j] += right < 0 ? from[j - 1] * w : from[j + (size_t)right] * w;
    }
}

/* Forward, or from the results back. */
static void convolve(float *to, const float *from, const float *w, const size_t image[3],
                     bool back) {
    size_t channels = image[0], pixels = image[1] * image[2];
    memset(to, 0, channels * pixels * sizeof *to);
    for (size_t o = 0; o < channels; o++)
        for (size_t c = 0; c < channels; c++)
            for (int tap = 0; tap < 9; tap++) {
                int down = tap / 3 - 1, right = tap % 3 - 1;
                add_moved(to + (back ? c : o) * pixels, from + (back ? o : c) * pixels, *w++, image,
                          back ? -down : down, back ? -right : right);
            }
}

void plain_convolution(float *y, const float *x, const float *w, const size_t image[3]) {
    convolve(y, x, w, image, false);
}

void plain_convolution_gradient(float *x, const float *y, const float *w, const size_t image[3]) {
    convolve(x, y, w, image, true);
}

#define MATMUL_SHIFTED(TYPE)                                                                       \
    void plain_matmul_##TYPE(int32_t *c, const TYPE##_t *a, const TYPE##_t *b,                     \
                             const int32_t *bias, size_t rows, size_t inner, size_t columns) {     \
        multiply_##TYPE((uint32_t *)c, a, b, rows, inner, columns);                                \
        for (size_t i = 0; i < rows * columns; i++)                                                \
            c[i] = (int32_t)((uint32_t)c[i] + (bias ? (uint32_t)bias[i / columns] * 4 : 0)) >> 2;  \
    }                                                                                              \
    void plain_dot_##TYPE(int32_t *y, const TYPE##_t *x, const TYPE##_t *w, size_t n) {            \
        uint32_t sum = 0;                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            sum += (uint32_t)x[i] * (uint32_t)w[i];                                                \
        *y = (int32_t)sum >> 2;                                                                    \
    }
MATMUL_SHIFTED(int8)
MATMUL_SHIFTED(int16)
MATMUL_SHIFTED(int32)

static int32_t plain_clipped(int32_t v) {
    return v < INT8_MIN ? INT8_MIN : v > INT8_MAX ? INT8_MAX : v;
}

#define INTEGERS_OF_ONE(NAME, PLAN, VALUE)                                                         \
    void plain_integer_##NAME(int32_t *restrict y, const int32_t *restrict x, size_t n) {          \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = VALUE;                                                                          \
    }
#define INTEGERS_OF_TWO(NAME, PLAN, VALUE)                                                         \
    void plain_integer_##NAME(int32_t *restrict y, const int32_t *restrict x,                      \
                              const int32_t *restrict w, size_t n) {                               \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = VALUE;                                                                          \
    }
PLAIN_INTEGERS_OF_ONE(INTEGERS_OF_ONE)
PLAIN_INTEGERS_OF_TWO(INTEGERS_OF_TWO)

int32_t plain_integer_mse(const int32_t *x, const int32_t *w, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t d = (uint32_t)(x[i] * 2 - w[i]);
        sum += d * d;
    }
    return (int32_t)(sum * 4) / (int32_t)n;
}

void plain_integer_step(int32_t *restrict weights, int32_t *restrict velocities,
                        const int32_t *restrict gradients, size_t n) {
    for (size_t i = 0; i < n; i++) {
        velocities[i] += gradients[i] - (velocities[i] >> 1);
        weights[i] -= velocities[i] >> 4;
    }
}

void plain_integer_from_real(int32_t *restrict y, const float *restrict x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = plain_clipped((int32_t)floorf(fminf(fmaxf(x[i] * 8, -1000), 1000)));
}

void plain_integer_to_real(float *restrict y, const int32_t *restrict x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = (float)x[i] * 0.125f;
}
