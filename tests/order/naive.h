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

/* numpy 1.24: pairwise_sum, and the +0 that reductions begin with. */
static inline float numpy_pairwise(const float *a, size_t n, size_t stride) {
    if (n < 8) {
        float res = 0.;
        for (size_t i = 0; i < n; i++)
            res += a[i * stride];
        return res;
    }
    if (n <= 128) {
        float r[8], res;
        size_t i;
        for (i = 0; i < 8; i++)
            r[i] = a[i * stride];
        for (i = 8; i < n - n % 8; i += 8)
            for (size_t k = 0; k < 8; k++)
                r[k] += a[(i + k) * stride];
        res = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        for (; i < n; i++)
            res += a[i * stride];
        return res;
    }
    size_t n2 = n / 2;
    n2 -= n2 % 8;
    return numpy_pairwise(a, n2, stride) + numpy_pairwise(a + n2 * stride, n - n2, stride);
}

static inline float naive_numpy(const float *x, size_t n) {
    return 0.f + numpy_pairwise(x, n, 1);
}

/* det: blocks of 1024 by 64 lanes, which fold in halves; blocks by a counter in binary. */
static inline float naive_det(const float *x, size_t n) {
    float level[40];
    size_t count = 0;
    for (size_t at = 0; at < n; at += 1024, count++) {
        float lane[64], value;
        for (int l = 0; l < 64; l++)
            lane[l] = -0.f;
        for (size_t i = at; i < n && i < at + 1024; i++)
            lane[i % 64] += x[i];
        for (int distance = 32; distance; distance /= 2)
            for (int l = 0; l < distance; l++)
                lane[l] += lane[l + distance];
        value = lane[0];
        int k = 0;
        for (size_t index = count; index & 1; index >>= 1, k++)
            value = level[k] + value;
        level[k] = value;
    }
    float total = -0.f;
    for (int k = 0; count >> k; k++)
        if (count >> k & 1)
            total = level[k] + total;
    return total;
}

/* torch: multi_row_sum of its sum kernel for one row, in four levels. */
static inline float torch_row(const float *x, size_t size, size_t stride) {
    enum { LEVELS = 4 };
    int log = 0;
    while ((size_t)1 << log < size)
        log++;
    int level_power = log / LEVELS > 4 ? log / LEVELS : 4;
    size_t level_step = (size_t)1 << level_power, level_mask = level_step - 1, i = 0;
    float acc[LEVELS] = {0};
    for (; i + level_step <= size;) {
        for (size_t j = 0; j < level_step; ++j, ++i)
            acc[0] += x[i * stride];
        for (int j = 1; j < LEVELS; ++j) {
            acc[j] += acc[j - 1];
            acc[j - 1] = 0;
            if (i & level_mask << (j * level_power))
                break;
        }
    }
    for (; i < size; ++i)
        acc[0] += x[i * stride];
    for (int j = 1; j < LEVELS; ++j)
        acc[0] += acc[j];
    return acc[0];
}

/* row_sum: four rows at once, then what is left onto the first. */
static inline float torch_rows(const float *x, size_t size, size_t stride) {
    size_t whole = size / 4;
    float part[4];
    for (size_t k = 0; k < 4; k++)
        part[k] = torch_row(x + k * stride, whole, 4 * stride);
    for (size_t i = whole * 4; i < size; i++)
        part[0] += x[i * stride];
    for (int k = 1; k < 4; k++)
        part[0] += part[k];
    return part[0];
}

/* vectorized_inner_sum with vectors of 8. */
static inline float naive_torch(const float *x, size_t n) {
    size_t vectors = n / 8;
    float lane[8], sum = 0;
    for (size_t l = 0; l < 8; l++)
        lane[l] = torch_rows(x + l, vectors, 8);
    for (size_t i = vectors * 8; i < n; i++)
        sum += x[i];
    for (int l = 0; l < 8; l++)
        sum += lane[l];
    return sum;
}

/* Eigen's redux with LinearVectorizedTraversal from an aligned start, packets of 4; predux adds halves. */
static inline float naive_eigen(const float *x, size_t n) {
    enum { P = 4 };
    size_t aligned = n / P * P, aligned2 = n / (2 * P) * (2 * P);
    float res;
    if (!aligned) {
        res = x[0];
        for (size_t i = 1; i < n; i++)
            res += x[i];
        return res;
    }
    float p0[P], p1[P];
    memcpy(p0, x, sizeof p0);
    if (aligned > P) {
        memcpy(p1, x + P, sizeof p1);
        for (size_t i = 2 * P; i < aligned2; i += 2 * P)
            for (int k = 0; k < P; k++) {
                p0[k] += x[i + (size_t)k];
                p1[k] += x[i + P + (size_t)k];
            }
        for (int k = 0; k < P; k++)
            p0[k] += p1[k];
        if (aligned > aligned2)
            for (int k = 0; k < P; k++)
                p0[k] += x[aligned2 + (size_t)k];
    }
    float a = p0[0] + p0[2], b = p0[1] + p0[3];
    res = a + b;
    for (size_t i = aligned; i < n; i++)
        res += x[i];
    return res;
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

/* OpenBLAS's level 3 driver: blocks of Q; the last two are halves, the first rounded up to a multiple. */
static inline float gemm_blocks(const float *x, size_t n, size_t unroll) {
    enum { Q = 24 };
    float sum = 0;
    for (size_t ls = 0, min_l; ls < n; ls += min_l) {
        min_l = n - ls;
        if (min_l >= Q * 2)
            min_l = Q;
        else if (min_l > Q)
            min_l = (min_l / 2 + unroll - 1) / unroll * unroll;
        float block = 0;
        for (size_t i = ls; i < ls + min_l; i++)
            block += x[i];
        sum += block;
    }
    return sum;
}

static inline float naive_gemm_blocks(const float *x, size_t n) {
    return gemm_blocks(x, n, 4);
}
static inline float naive_gemm_blocks_2(const float *x, size_t n) {
    return gemm_blocks(x, n, 2);
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

/* numpy's einsum of an array and ones: four lanes; of four vectors the last one is added first, and each vector that is
 * left by itself. */
static inline float naive_einsum(const float *x, size_t n) {
    float lane[4] = {0};
    size_t whole = n / 16 * 16;
    for (size_t i = 0; i < whole; i += 16)
        for (size_t k = 4; k-- > 0;)
            for (size_t l = 0; l < 4; l++)
                lane[l] += x[i + 4 * k + l];
    for (size_t i = whole; i < n; i++)
        lane[i % 4] += x[i];
    float a = lane[0] + lane[1], b = lane[2] + lane[3];
    return a + b;
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

/* OpenBLAS's sdot for x86-64 with its kernel for Haswell: four accumulators of eight, then a loop in C whose sum
 * is a double. */
static inline float naive_openblas_sdot(const float *x, const float *w, size_t n) {
    size_t n1 = n & ~(size_t)31;
    double dot = 0.0;
    float mydot = 0.0f;
    if (n1) {
        float acc[4][8] = {{0}}, sum[8], part[4];
        for (size_t i = 0; i < n1; i += 32)
            for (int a = 0; a < 4; a++)
                for (int l = 0; l < 8; l++) {
                    size_t at = i + (size_t)(8 * a + l);
                    acc[a][l] = fmaf(x[at], w[at], acc[a][l]);
                }
        for (int l = 0; l < 8; l++) {
            float first = acc[0][l] + acc[1][l], second = acc[2][l] + acc[3][l];
            sum[l] = first + second;
        }
        for (int l = 0; l < 4; l++)
            part[l] = sum[l] + sum[l + 4];
        float a = part[0] + part[1], b = part[2] + part[3];
        mydot = a + b;
    }
    for (size_t i = n1; i < n; i++) {
        float product = x[i] * w[i];
        dot += (double)product;
    }
    dot += (double)mydot;
    return (float)dot;
}

/* The same with its kernel for AVX-512: four accumulators of sixteen, each of which then is one of eight by adding its
 * halves; 32 elements that are left go to these. */
static inline float naive_openblas_sdot_wide(const float *x, const float *w, size_t n) {
    size_t n64 = n & ~(size_t)63, n32 = n & ~(size_t)31;
    double dot = 0.0;
    float wide[4][16] = {{0}}, acc[4][8], sum[8], part[4];
    for (size_t i = 0; i < n64; i += 64)
        for (int a = 0; a < 4; a++)
            for (int l = 0; l < 16; l++)
                wide[a][l] =
                    fmaf(x[i + (size_t)(16 * a + l)], w[i + (size_t)(16 * a + l)], wide[a][l]);
    for (int a = 0; a < 4; a++)
        for (int l = 0; l < 8; l++) {
            acc[a][l] = wide[a][l] + wide[a][l + 8];
            for (size_t i = n64; i < n32; i += 32)
                acc[a][l] = fmaf(x[i + (size_t)(8 * a + l)], w[i + (size_t)(8 * a + l)], acc[a][l]);
        }
    for (int l = 0; l < 8; l++) {
        sum[l] = acc[0][l] + acc[1][l];
        sum[l] += acc[2][l];
        sum[l] += acc[3][l];
    }
    for (int l = 0; l < 4; l++)
        part[l] = sum[l] + sum[l + 4];
    float a = part[0] + part[1], b = part[2] + part[3];
    for (size_t i = n32; i < n; i++) {
        float product = x[i] * w[i];
        dot += (double)product;
    }
    dot += (double)(a + b);
    return (float)dot;
}

#endif
