/* Kernels of transformers as one would write them: plain loops over rows of fp32 numbers, with libm. kernels_bench.py
 * compiles them by themselves, for the processor that it runs on. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

void plain_rms_norm(float *y, const float *x, const float *w, const float *b, size_t rows,
                    size_t n) {
    (void)b;
    for (size_t r = 0; r < rows; r++, x += n, y += n) {
        float squares = 0;
        for (size_t i = 0; i < n; i++)
            squares += x[i] * x[i];
        const float root = 1 / sqrtf(squares / (float)n + 1e-5f);
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] * root * w[i];
    }
}

void plain_l2_norm(float *y, const float *x, const float *w, const float *b, size_t rows,
                   size_t n) {
    (void)w, (void)b;
    for (size_t r = 0; r < rows; r++, x += n, y += n) {
        float squares = 0;
        for (size_t i = 0; i < n; i++)
            squares += x[i] * x[i];
        const float root = 1 / fmaxf(sqrtf(squares), 1e-12f);
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] * root;
    }
}

static void moments(const float *x, size_t n, float *mean, float *root) {
    float sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    *mean = sum / (float)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *root = 1 / sqrtf(squares / (float)n + 1e-5f);
}

void plain_layer_norm(float *y, const float *x, const float *w, const float *b, size_t rows,
                      size_t n) {
    for (size_t r = 0; r < rows; r++, x += n, y += n) {
        float mean, root;
        moments(x, n, &mean, &root);
        for (size_t i = 0; i < n; i++)
            y[i] = (x[i] - mean) * root * w[i] + b[i];
    }
}

/* Groups of channels of `spots` elements, n together, one after the other: those of a sample, and then of the next one. */
void plain_group_norm(float *y, const float *x, const float *w, const float *b, size_t rows,
                      size_t n, size_t groups, size_t spots) {
    for (size_t r = 0; r < rows; r++) {
        float mean, root;
        moments(x, n, &mean, &root);
        for (size_t c = r % groups * (n / spots), end = c + n / spots; c < end; c++)
            for (size_t i = 0; i < spots; i++, x++, y++)
                *y = (*x - mean) * root * w[c] + b[c];
    }
}

/* Of samples by channels by spots, each channel in all samples. */
void plain_batch_norm(float *y, const float *x, const float *w, const float *b, size_t samples,
                      size_t channels, size_t spots) {
    const size_t step = channels * spots;
    for (size_t c = 0; c < channels; c++, x += spots, y += spots) {
        float sum = 0, squares = 0;
        for (size_t s = 0; s < samples; s++)
            for (size_t i = 0; i < spots; i++)
                sum += x[s * step + i];
        const float n = (float)(samples * spots), mean = sum / n;
        for (size_t s = 0; s < samples; s++)
            for (size_t i = 0; i < spots; i++)
                squares += (x[s * step + i] - mean) * (x[s * step + i] - mean);
        const float root = 1 / sqrtf(squares / n + 1e-5f);
        for (size_t s = 0; s < samples; s++)
            for (size_t i = 0; i < spots; i++)
                y[s * step + i] = (x[s * step + i] - mean) * root * w[c] + b[c];
    }
}

/* Rows of n, which lie `step` apart in x and u. */
#define GATE(NAME, ACTIVATION)                                                                     \
    void plain_##NAME(float *y, const float *x, const float *u, size_t rows, size_t n,             \
                      size_t step) {                                                               \
        for (size_t r = 0; r < rows; r++, x += step, u += step, y += n)                            \
            for (size_t i = 0; i < n; i++)                                                         \
                y[i] = (ACTIVATION)*u[i];                                                          \
    }
GATE(silu_mul, x[i] / (1 + expf(-x[i])))
GATE(gelu_mul, 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f)))
GATE(gelu_tanh_mul,
     0.5f * x[i] * (1 + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i]))))

static float largest(const float *x, size_t n) {
    float most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

void plain_softmax(float *y, const float *x, size_t rows, size_t n) {
    for (size_t r = 0; r < rows; r++, x += n, y += n) {
        const float most = largest(x, n);
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += y[i] = expf(x[i] - most);
        const float share = 1 / sum;
        for (size_t i = 0; i < n; i++)
            y[i] *= share;
    }
}

void plain_log_softmax(float *y, const float *x, size_t rows, size_t n) {
    for (size_t r = 0; r < rows; r++, x += n, y += n) {
        const float most = largest(x, n);
        float sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += expf(x[i] - most);
        const float less = most + logf(sum);
        for (size_t i = 0; i < n; i++)
            y[i] = x[i] - less;
    }
}

/* The cosine of each pair at each position, and the sine. */
void plain_rope_tables(float *cosines, float *sines, const int64_t *positions, size_t tokens,
                       size_t width) {
    for (size_t i = 0; i < width / 2; i++) {
        const float turn = powf(10000, -2 * (float)i / (float)width);
        for (size_t t = 0; t < tokens; t++) {
            cosines[t * (width / 2) + i] = cosf((float)positions[t] * turn);
            sines[t * (width / 2) + i] = sinf((float)positions[t] * turn);
        }
    }
}

/* Tokens by heads by a width: pairs are element i of both halves of a width. */
void plain_rope(float *restrict y, const float *restrict x, const float *restrict cosines,
                const float *restrict sines, size_t tokens, size_t heads, size_t width) {
    const size_t pairs = width / 2;
    for (size_t t = 0; t < tokens; t++, cosines += pairs, sines += pairs)
        for (size_t h = 0; h < heads; h++, x += width, y += width)
            for (size_t i = 0; i < pairs; i++) {
                y[i] = x[i] * cosines[i] - x[i + pairs] * sines[i];
                y[i + pairs] = x[i + pairs] * cosines[i] + x[i] * sines[i];
            }
}

/* A function of a row, for each row. */
void each_row(void (*call)(float *, const float *, size_t), float *y, const float *x, size_t rows,
              size_t n) {
    for (size_t r = 0; r < rows; r++)
        call(y + r * n, x + r * n, n);
}
