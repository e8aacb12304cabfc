/* Loops as one finds them in libraries, written down from these: what rules have to give. */
#ifndef NAIVE_H
#define NAIVE_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef float naive_sum(const float *x, size_t n);

static inline float naive_sequential(const float *x, size_t n) {
    float sum = x[0];
    for (size_t i = 1; i < n; i++)
        sum += x[i];
    return sum;
}

static inline float naive_from_zero(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

static inline float naive_reverse(const float *x, size_t n) {
    float sum = x[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum += x[i];
    return sum;
}

#define NAIVE_LANES(NAME, K, FOLD)                                                                 \
    static inline float NAME(const float *x, size_t n) {                                           \
        float lane[K];                                                                             \
        size_t used = n < K ? n : K;                                                               \
        for (size_t l = 0; l < used; l++) {                                                        \
            lane[l] = x[l];                                                                        \
            for (size_t i = l + K; i < n; i += K)                                                  \
                lane[l] += x[i];                                                                   \
        }                                                                                          \
        FOLD return lane[0];                                                                       \
    }
#define FOLD_LEFT                                                                                  \
    for (size_t l = 1; l < used; l++)                                                              \
        lane[0] += lane[l];
#define FOLD_RIGHT                                                                                 \
    for (size_t l = used - 1; l-- > 0;)                                                            \
        lane[used - 1] += lane[l];                                                                 \
    lane[0] = lane[used - 1];
#define FOLD_PAIRS                                                                                 \
    for (size_t step = 1; step < used; step *= 2)                                                  \
        for (size_t l = 0; l + step < used; l += 2 * step)                                         \
            lane[l] += lane[l + step];
NAIVE_LANES(naive_lanes_2, 2, FOLD_LEFT)
NAIVE_LANES(naive_lanes_3, 3, FOLD_LEFT)
NAIVE_LANES(naive_lanes_4, 4, FOLD_LEFT)
NAIVE_LANES(naive_lanes_5_right, 5, FOLD_RIGHT)
NAIVE_LANES(naive_lanes_8, 8, FOLD_LEFT)
NAIVE_LANES(naive_lanes_8_pairs, 8, FOLD_PAIRS)
NAIVE_LANES(naive_lanes_16_pairs, 16, FOLD_PAIRS)
NAIVE_LANES(naive_lanes_32_pairs, 32, FOLD_PAIRS)

/* Lanes of a vector that are folded at distances 4, 2, 1; the rest from the left, behind, before or apart. */
static inline float lanes_8_folded(const float *x, size_t n) {
    float lane[8];
    memcpy(lane, x, sizeof lane);
    for (size_t i = 8; i < n; i++)
        lane[i % 8] += x[i];
    for (int distance = 4; distance; distance /= 2)
        for (int l = 0; l < distance; l++)
            lane[l] += lane[l + distance];
    return lane[0];
}

static inline float naive_tail_after(const float *x, size_t n) {
    size_t whole = n / 8 * 8;
    float sum = whole ? lanes_8_folded(x, whole) : x[0];
    for (size_t i = whole ? whole : 1; i < n; i++)
        sum += x[i];
    return sum;
}

static inline float naive_tail_before(const float *x, size_t n) {
    size_t whole = n / 8 * 8;
    if (whole == n)
        return lanes_8_folded(x, n);
    float sum = naive_sequential(x + whole, n - whole);
    return whole ? sum + lanes_8_folded(x, whole) : sum;
}

static inline float naive_tail_apart(const float *x, size_t n) {
    size_t whole = n / 8 * 8;
    if (!whole || whole == n)
        return whole ? lanes_8_folded(x, n) : naive_reverse(x, n);
    float rest = naive_reverse(x + whole, n - whole);
    return lanes_8_folded(x, whole) + rest;
}

static inline float naive_tail_dropped(const float *x, size_t n) {
    size_t whole = n / 8 * 8;
    return whole ? lanes_8_folded(x, whole) : 0;
}

#define NAIVE_BLOCKS(NAME, SIZE)                                                                   \
    static inline float NAME(const float *x, size_t n) {                                           \
        float sum = 0;                                                                             \
        for (size_t at = 0; at < n; at += SIZE) {                                                  \
            float block = naive_sequential(x + at, n - at < SIZE ? n - at : SIZE);                 \
            sum = at ? sum + block : block;                                                        \
        }                                                                                          \
        return sum;                                                                                \
    }
NAIVE_BLOCKS(naive_blocks_4, 4)
NAIVE_BLOCKS(naive_blocks_7, 7)
NAIVE_BLOCKS(naive_blocks_16, 16)

/* Windows of 8, padded at both ends, as XLA's CPU backend reduces. */
static inline float naive_centred(const float *x, size_t n) {
    enum { W = 8 };
    size_t windows = (n + W - 1) / W, padding = windows * W - n, low = padding / 2;
    float sum = 0;
    for (size_t w = 0; w < windows; w++) {
        float part = 0;
        for (size_t place = w * W; place < (w + 1) * W; place++)
            part += place >= low && place - low < n ? x[place - low] : 0;
        sum = w ? sum + part : part;
    }
    return sum;
}

/* Even and odd items of whole rows of 8, what is left onto the even ones: OpenBLAS's sgemm on Haswell. */
static inline float naive_even_odd(const float *x, size_t n) {
    size_t whole = n - n % 8;
    if (!whole)
        return naive_sequential(x, n);
    float even = x[0], odd = x[1];
    for (size_t i = 2; i < whole; i += 2) {
        even += x[i];
        odd += x[i + 1];
    }
    for (size_t i = whole; i < n; i++)
        even += x[i];
    return even + odd;
}

#define NAIVE_SPLIT(NAME, PARTS)                                                                   \
    static inline float NAME(const float *x, size_t n) {                                           \
        float part[PARTS] = {0};                                                                   \
        size_t used = 0, at = 0;                                                                   \
        for (size_t p = 0; p < PARTS && at < n; p++) {                                             \
            size_t size = n / PARTS + (p < n % PARTS);                                             \
            part[used++] = naive_sequential(x + at, size);                                         \
            at += size;                                                                            \
        }                                                                                          \
        return naive_sequential(part, used);                                                       \
    }
NAIVE_SPLIT(naive_split_2, 2)
NAIVE_SPLIT(naive_split_3, 3)
NAIVE_SPLIT(naive_split_8, 8)

static inline float naive_split_rounded(const float *x, size_t n) {
    size_t size = (n + 3) / 4;
    size = (size + 7) / 8 * 8;
    float sum = naive_sequential(x, size < n ? size : n);
    for (size_t at = size; at < n; at += size)
        sum += naive_sequential(x + at, n - at < size ? n - at : size);
    return sum;
}

static inline float naive_halves(const float *x, size_t n) {
    if (n == 1)
        return x[0];
    return naive_halves(x, n / 2) + naive_halves(x + n / 2, n - n / 2);
}

static inline float naive_halves_above_8(const float *x, size_t n) {
    if (n <= 8)
        return naive_sequential(x, n);
    return naive_halves_above_8(x, n / 2) + naive_halves_above_8(x + n / 2, n - n / 2);
}

static inline float naive_neighbours(const float *x, size_t n) {
    float y[1024];
    memcpy(y, x, n * sizeof *y);
    for (size_t step = 1; step < n; step *= 2)
        for (size_t i = 0; i + step < n; i += 2 * step)
            y[i] += y[i + step];
    return y[0];
}

static inline float naive_serpentine(const float *x, size_t n) {
    float sum = 0;
    for (size_t at = 0; at < n; at += 8) {
        size_t size = n - at < 8 ? n - at : 8;
        for (size_t i = 0; i < size; i++)
            sum += at / 8 % 2 ? x[at + size - 1 - i] : x[at + i];
    }
    return sum;
}

static inline float naive_kahan(const float *x, size_t n) {
    float sum = 0, c = 0;
    for (size_t i = 0; i < n; i++) {
        float y = x[i] - c, t = sum + y, back = t - sum;
        c = back - y;
        sum = t;
    }
    return sum;
}

static inline float naive_neumaier(const float *x, size_t n) {
    float sum = x[0], c = 0;
    for (size_t i = 1; i < n; i++) {
        float t = sum + x[i], part;
        if (fabsf(sum) >= fabsf(x[i])) {
            part = sum - t;
            c += part + x[i];
        } else {
            part = x[i] - t;
            c += part + sum;
        }
        sum = t;
    }
    return sum + c;
}

static inline float naive_double_double(const float *x, size_t n) {
    float high = x[0], low = 0;
    for (size_t i = 1; i < n; i++) {
        float s = high + x[i], b = s - high, a = s - b, e1 = high - a, e2 = x[i] - b, e = e1 + e2;
        e += low;
        high = s + e;
        float back = high - s;
        low = e - back;
    }
    return high;
}

static inline float naive_fp64(const float *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)x[i];
    return (float)sum;
}

/* fp64 in blocks of 16 whose totals are kept in fp32. */
static inline float naive_fp64_blocks(const float *x, size_t n) {
    float sum = 0;
    for (size_t at = 0; at < n; at += 16) {
        double block = 0;
        for (size_t i = at; i < n && i < at + 16; i++)
            block += (double)x[i];
        sum += (float)block;
    }
    return sum;
}

/* The accumulator is stored as bf16 after every 32 terms. */
static inline float naive_spill(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        if (i % 32 == 31 && sum - sum == 0) {
            unsigned bits;
            memcpy(&bits, &sum, sizeof bits);
            bits += 0x7fff + (bits >> 16 & 1);
            bits &= 0xffff0000u;
            memcpy(&sum, &bits, sizeof sum);
        }
    }
    return sum;
}

/* Scaled down first, as some means are. */
static inline float naive_mean_before(const float *x, size_t n) {
    float sum = x[0] / (float)n;
    for (size_t i = 1; i < n; i++)
        sum += x[i] / (float)n;
    return sum;
}

static inline float naive_mean(const float *x, size_t n) {
    return naive_sequential(x, n) / (float)n;
}

static inline float naive_mean_reciprocal(const float *x, size_t n) {
    float scale = 1 / (float)n;
    return naive_sequential(x, n) * scale;
}

/* Products. */
typedef float naive_dot(const float *x, const float *w, size_t n);

static inline float naive_dot_fused(const float *x, const float *w, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = fmaf(x[i], w[i], sum);
    return sum;
}

static inline float naive_dot_rounded(const float *x, const float *w, size_t n) {
    float sum = x[0] * w[0];
    for (size_t i = 1; i < n; i++) {
        float product = x[i] * w[i];
        sum += product;
    }
    return sum;
}

#endif
