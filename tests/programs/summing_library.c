/* Sums in several orders, in float and in double, with fused products and without: what explain has to name. */
#include <math.h>
#include <stddef.h>

static volatile float rounded; /* a product on its own */

static float term(const float *x, const float *y, size_t i) {
    if (!y)
        return x[i];
    rounded = x[i] * y[i];
    return rounded;
}

static float add(float sum, const float *x, const float *y, size_t i, int is_fused) {
    return y && is_fused ? fmaf(x[i], y[i], sum) : sum + term(x, y, i);
}

static float in_order(const float *x, const float *y, size_t from, size_t to, int is_fused) {
    float sum = term(x, y, from);
    for (size_t i = from + 1; i < to; i++)
        sum = add(sum, x, y, i, is_fused);
    return sum;
}

static float from_the_end(const float *x, const float *y, size_t n, int is_fused) {
    float sum = term(x, y, n - 1);
    for (size_t i = n - 1; i-- > 0;)
        sum = add(sum, x, y, i, is_fused);
    return sum;
}

static float in_halves(const float *x, const float *y, size_t from, size_t to, int is_fused) {
    const size_t middle = from + (to - from) / 2;
    if (to - from <= 8)
        return in_order(x, y, from, to, is_fused);
    return in_halves(x, y, from, middle, is_fused) + in_halves(x, y, middle, to, is_fused);
}

static float in_blocks(const float *x, const float *y, size_t n, int is_fused) {
    float sum = 0;
    for (size_t from = 0; from < n; from += 256)
        sum += in_order(x, y, from, n - from < 256 ? n : from + 256, is_fused);
    return sum;
}

static float in_double(const float *x, const float *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i] * (y ? (double)y[i] : 1);
    return (float)sum;
}

/* As lib: calls sums, and dot products; and with a fused one each. */
#define ORDERS(NAME, CALL)                                                                         \
    float sum_##NAME(const float *x, size_t n);                                                    \
    float sum_##NAME(const float *x, size_t n) {                                                   \
        const float *y = NULL;                                                                     \
        const int is_fused = 0;                                                                    \
        (void)is_fused;                                                                            \
        return CALL;                                                                               \
    }                                                                                              \
    float dot_##NAME(const float *x, const float *y, size_t n);                                    \
    float dot_##NAME(const float *x, const float *y, size_t n) {                                   \
        const int is_fused = 0;                                                                    \
        (void)is_fused;                                                                            \
        return CALL;                                                                               \
    }                                                                                              \
    float fused_##NAME(const float *x, const float *y, size_t n);                                  \
    float fused_##NAME(const float *x, const float *y, size_t n) {                                 \
        const int is_fused = 1;                                                                    \
        (void)is_fused;                                                                            \
        return CALL;                                                                               \
    }
ORDERS(sequential, in_order(x, y, 0, n, is_fused))
ORDERS(from_the_end, from_the_end(x, y, n, is_fused))
ORDERS(pairwise, in_halves(x, y, 0, n, is_fused))
ORDERS(blocked, in_blocks(x, y, n, is_fused))
ORDERS(double, in_double(x, y, n))

float mean_sequential(const float *x, size_t n);
float mean_sequential(const float *x, size_t n) {
    return in_order(x, NULL, 0, n, 0) / (float)n;
}

/* In eight lanes, which no row has. */
float sum_lanes(const float *x, size_t n);
float sum_lanes(const float *x, size_t n) {
    float lanes[8] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        lanes[i % 8] += x[i];
    for (size_t i = 0; i < 8; i++)
        sum += lanes[i];
    return sum;
}

void matmul_rounded(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns);
void matmul_rounded(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float sum = 0;
            for (size_t k = 0; k < inner; k++) {
                rounded = x[i * inner + k] * y[k * columns + j];
                sum += rounded;
            }
            z[i * columns + j] = sum;
        }
}

/* Onto what z holds, as BLAS's gemm where beta is 1. */
void matmul_onto(float *z, const float *x, const float *y, size_t rows, size_t inner,
                 size_t columns);
void matmul_onto(float *z, const float *x, const float *y, size_t rows, size_t inner,
                 size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < inner; k++) {
                rounded = x[i * inner + k] * y[k * columns + j];
                z[i * columns + j] += rounded;
            }
}

/* Likewise, but for what z holds: it is halved first. */
void matmul_onto_half(float *z, const float *x, const float *y, size_t rows, size_t inner,
                      size_t columns);
void matmul_onto_half(float *z, const float *x, const float *y, size_t rows, size_t inner,
                      size_t columns) {
    for (size_t i = 0; i < rows * columns; i++)
        z[i] *= 0.5F;
    matmul_onto(z, x, y, rows, inner, columns);
}
