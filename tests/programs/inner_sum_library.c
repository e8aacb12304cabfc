/* Softmax, log_softmax, logsumexp and norms whose inner sums have known orders and arithmetic: what `detcheck reveal`
 * has to find through what these make of them. tests/cmd/reveal_inner_test.py has the truth of each. */
#include "inner_sums.h"

/* ---- Exponentials ---- */

/* One that no library has: rounded to nearest but for one in five, which is off by one bit. */
static float rough_exp(float x) {
    float y = (float)exp((double)x);
    uint32_t code;
    memcpy(&code, &y, sizeof code);
    if (x != 0 && code > 0x00800000 && code * 2654435761u % 5 == 0)
        code++;
    memcpy(&y, &code, sizeof y);
    return y;
}

static float most_of(const float *x, size_t n) {
    float most = x[0];
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

typedef float function(float x);

static float inner(sum_function *add, function *power, const float *x, float *terms, size_t n) {
    float most = most_of(x, n);
    for (size_t i = 0; i < n; i++)
        terms[i] = power(x[i] - most);
    return add(terms, n);
}

static void shares(sum_function *add, function *power, int multiplies, float *y, const float *x,
                   size_t n) {
    float sum = inner(add, power, x, y, n), one = 1 / sum;
    for (size_t i = 0; i < n; i++)
        y[i] = multiplies ? y[i] * one : y[i] / sum;
}

#define SOFTMAX(NAME, ADD, POWER, MULTIPLIES)                                                      \
    void softmax_##NAME(float *y, const float *x, size_t n);                                       \
    void softmax_##NAME(float *y, const float *x, size_t n) {                                      \
        shares(ADD, POWER, MULTIPLIES, y, x, n);                                                   \
    }
SOFTMAX(left, from_left, expf, 0)
SOFTMAX(right, from_right, rough_exp, 0)
SOFTMAX(lanes, in_lanes, rough_exp, 1)
SOFTMAX(halves, in_halves, rough_exp, 0)
SOFTMAX(blocks, in_blocks, expf, 1)
SOFTMAX(random, at_random, rough_exp, 0)
SOFTMAX(kahan, by_kahan, rough_exp, 0)
SOFTMAX(bf16, in_bf16, rough_exp, 0)
SOFTMAX(odd, odd, rough_exp, 0)

/* Its largest element so far: what was before is scaled down. */
void softmax_online(float *y, const float *x, size_t n);
void softmax_online(float *y, const float *x, size_t n) {
    float most = x[0], sum = 1;
    for (size_t i = 1; i < n; i++) {
        float larger = x[i] > most ? x[i] : most;
        sum = sum * expf(most - larger) + expf(x[i] - larger);
        most = larger;
    }
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i] - most) / sum;
}

/* More than the terms is in the sum. */
static void shares_beside(float beside, float *y, const float *x, size_t n) {
    const float sum = inner(from_left, expf, x, y, n) + beside;
    for (size_t i = 0; i < n; i++)
        y[i] /= sum;
}
void softmax_epsilon(float *y, const float *x, size_t n);
void softmax_epsilon(float *y, const float *x, size_t n) {
    shares_beside(1e-6f, y, x, n);
}
void softmax_sink(float *y, const float *x, size_t n);
void softmax_sink(float *y, const float *x, size_t n) {
    shares_beside(expf(-most_of(x, n)), y, x, n);
}

/* Term 5 twice, at the end. */
static float doubled(const float *x, size_t n) {
    return from_left(x, n) + x[5];
}
void softmax_doubled(float *y, const float *x, size_t n);
void softmax_doubled(float *y, const float *x, size_t n) {
    const float sum = inner(doubled, expf, x, y, n);
    for (size_t i = 0; i < n; i++)
        y[i] /= sum;
}

/* A sum that changes from call to call. */
void softmax_threads(float *y, const float *x, size_t n);
void softmax_threads(float *y, const float *x, size_t n) {
    static unsigned calls;
    float terms[MOST], turned[MOST];
    size_t start = (size_t)(++calls * 2654435761u >> 7) % n;
    inner(from_left, expf, x, terms, n);
    for (size_t i = 0; i < n; i++)
        turned[i] = terms[(start + i) % n];
    float sum = from_left(turned, n);
    for (size_t i = 0; i < n; i++)
        y[i] = terms[i] / sum;
}

#define LOGARITHMS(NAME, ADD, POWER)                                                               \
    float logsumexp_##NAME(const float *x, size_t n);                                              \
    float logsumexp_##NAME(const float *x, size_t n) {                                             \
        float terms[MOST], sum = inner(ADD, POWER, x, terms, n);                                   \
        return most_of(x, n) + logf(sum);                                                          \
    }                                                                                              \
    void log_softmax_##NAME(float *y, const float *x, size_t n);                                   \
    void log_softmax_##NAME(float *y, const float *x, size_t n) {                                  \
        float terms[MOST], most = most_of(x, n), rest = logf(inner(ADD, POWER, x, terms, n));      \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = x[i] - most - rest;                                                             \
    }
static float nearest_exp(float x) {
    return (float)exp((double)x);
}
LOGARITHMS(left, from_left, expf)
LOGARITHMS(lanes, in_lanes, nearest_exp)
LOGARITHMS(halves, in_halves, expf)
LOGARITHMS(random, at_random, nearest_exp)
LOGARITHMS(fp64, in_fp64, expf)
LOGARITHMS(rough, in_lanes, rough_exp)

/* Exponentials of x itself: the largest is not subtracted. */
void softmax_plain(float *y, const float *x, size_t n);
void softmax_plain(float *y, const float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = expf(x[i]);
    const float sum = from_left(y, n);
    for (size_t i = 0; i < n; i++)
        y[i] /= sum;
}
float logsumexp_plain(const float *x, size_t n);
float logsumexp_plain(const float *x, size_t n) {
    float terms[MOST];
    for (size_t i = 0; i < n; i++)
        terms[i] = expf(x[i]);
    return logf(from_left(terms, n));
}
void log_softmax_plain(float *y, const float *x, size_t n);
void log_softmax_plain(float *y, const float *x, size_t n) {
    const float rest = logsumexp_plain(x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] - rest;
}

/* ---- Squares ---- */

static void norm(float *y, const float *x, size_t n, float sum) {
    float root = sqrtf(sum / (float)n + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / root;
}

#define NORM(NAME, ADD)                                                                            \
    void rms_norm_##NAME(float *y, const float *x, size_t n);                                      \
    void rms_norm_##NAME(float *y, const float *x, size_t n) {                                     \
        float squares[MOST];                                                                       \
        for (size_t i = 0; i < n; i++)                                                             \
            squares[i] = x[i] * x[i];                                                              \
        norm(y, x, n, ADD(squares, n));                                                            \
    }
NORM(left, from_left)
NORM(lanes, in_lanes)
NORM(halves, in_halves)
NORM(random, at_random)
NORM(odd, odd)
NORM(doubled, doubled)

/* In fp16, squares and all: x has so few bits that these are rounded once. */
static double to_fp16(double x) {
    int exponent;
    frexp(x, &exponent);
    exponent = exponent < -13 ? -13 : exponent;
    return ldexp(nearbyint(ldexp(x, 11 - exponent)), exponent - 11);
}
void rms_norm_half(float *y, const float *x, size_t n);
void rms_norm_half(float *y, const float *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = to_fp16(sum + to_fp16((double)x[i] * (double)x[i]));
    norm(y, x, n, (float)sum);
}

void rms_norm_fused(float *y, const float *x, size_t n);
void rms_norm_fused(float *y, const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = fmaf(x[i], x[i], sum);
    norm(y, x, n, sum);
}

/* By another root: 1 / sqrt, and a product. */
void rms_norm_reciprocal(float *y, const float *x, size_t n);
void rms_norm_reciprocal(float *y, const float *x, size_t n) {
    float squares[MOST];
    for (size_t i = 0; i < n; i++)
        squares[i] = x[i] * x[i];
    float root = 1 / sqrtf(in_lanes(squares, n) * (1 / (float)n) + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * root;
}

void l2_norm_lanes(float *y, const float *x, size_t n);
void l2_norm_lanes(float *y, const float *x, size_t n) {
    float squares[MOST];
    for (size_t i = 0; i < n; i++)
        squares[i] = x[i] * x[i];
    float root = sqrtf(in_lanes(squares, n));
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] / (root > 1e-12f ? root : 1e-12f);
}

/* ---- Norms that take a mean away ---- */

/* By a sum for the mean and one for the squares. */
static void norm_beside(sum_function *add_mean, sum_function *add_squares, int multiplies, float *y,
                        const float *x, size_t n) {
    float mean = multiplies ? add_mean(x, n) * (1 / (float)n) : add_mean(x, n) / (float)n;
    float squares[MOST];
    for (size_t i = 0; i < n; i++)
        squares[i] = (x[i] - mean) * (x[i] - mean);
    float root = 1 / sqrtf(add_squares(squares, n) / (float)n + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * root;
}

#define NORM_BESIDE(NAME, MEAN, SQUARES, MULTIPLIES)                                               \
    void NAME(float *y, const float *x, size_t n);                                                 \
    void NAME(float *y, const float *x, size_t n) {                                                \
        norm_beside(MEAN, SQUARES, MULTIPLIES, y, x, n);                                           \
    }
NORM_BESIDE(layer_norm_left, from_left, in_lanes, 0)
NORM_BESIDE(layer_norm_lanes, in_lanes, in_halves, 1)
NORM_BESIDE(layer_norm_halves, in_halves, at_random, 0)
NORM_BESIDE(layer_norm_random, at_random, from_left, 0)
NORM_BESIDE(layer_norm_odd, odd, odd, 0)
NORM_BESIDE(layer_norm_doubled, doubled, from_left, 0)
NORM_BESIDE(layer_norm_doubled_squares, from_left, doubled, 0)

/* The squares of x itself, fused, less that of the mean. */
void layer_norm_fused(float *y, const float *x, size_t n);
void layer_norm_fused(float *y, const float *x, size_t n) {
    float mean = by_kahan(x, n) / (float)n, sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = fmaf(x[i], x[i], sum);
    float root = sqrtf(sum / (float)n - mean * mean + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) / root;
}

/* Each term moves the mean: no sum. */
void layer_norm_moved(float *y, const float *x, size_t n);
void layer_norm_moved(float *y, const float *x, size_t n) {
    float mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        float apart = x[i] - mean;
        mean += apart / (float)(i + 1);
        squares += apart * (x[i] - mean);
    }
    float root = 1 / sqrtf(squares / (float)n + 1e-5f);
    for (size_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * root;
}

/* ---- Attention ---- */

/* Attention of a query: extents are batch, heads, queries, keys and width. */
struct attending {
    sum_function *scores, *weights, *values;
    int fused, late; /* products of values; and the sum of weights divides what comes of them */
};

static void attend(const struct attending *how, float *y, const float *q, const float *k,
                   const float *v, size_t keys, size_t width) {
    static float products[MOST], scores[MOST], terms[MOST];
    for (size_t j = 0; j < keys; j++) {
        for (size_t d = 0; d < width; d++)
            products[d] = q[d] * k[j * width + d];
        scores[j] = how->scores(products, width) / sqrtf((float)width);
    }
    float sum = inner(how->weights, nearest_exp, scores, terms, keys);
    for (size_t j = 0; j < keys && !how->late; j++)
        terms[j] /= sum;
    for (size_t d = 0; d < width; d++) {
        y[d] = 0;
        for (size_t j = 0; j < keys; j++)
            products[j] = terms[j] * v[j * width + d];
        if (!how->fused)
            y[d] = how->values(products, keys);
        for (size_t j = 0; j < keys && how->fused; j++)
            y[d] = fmaf(terms[j], v[j * width + d], y[d]);
        if (how->late)
            y[d] /= sum;
    }
}

#define ATTENTION(NAME, ...)                                                                       \
    void attention_##NAME(float *y, const float *q, const float *k, const float *v,                \
                          const size_t extents[5]);                                                \
    void attention_##NAME(float *y, const float *q, const float *k, const float *v,                \
                          const size_t extents[5]) {                                               \
        static const struct attending how = {__VA_ARGS__};                                         \
        const size_t queries = extents[2], keys = extents[3], width = extents[4];                  \
        for (size_t i = 0; i < extents[0] * extents[1] * queries; i++)                             \
            attend(&how, y + i * width, q + i * width, k + i / queries * keys * width,             \
                   v + i / queries * keys * width, keys, width);                                   \
    }
ATTENTION(early, from_left, in_lanes, in_halves, 0, 0)
ATTENTION(late, in_lanes, in_halves, from_left, 1, 1)
ATTENTION(random, at_random, at_random, at_random, 0, 1)
ATTENTION(odd, odd, odd, odd, 0, 0)
/* Keys that are split. */
ATTENTION(16, from_left, from_left, in_blocks, 0, 1)
ATTENTION(32, from_left, from_left, in_blocks_of_32, 0, 1)
ATTENTION(64, from_left, from_left, in_blocks_of_64, 0, 1)
ATTENTION(256, from_left, from_left, in_blocks_of_256, 0, 1)
