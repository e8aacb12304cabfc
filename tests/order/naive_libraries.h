/* The loops of numpy, det, PyTorch, Eigen and OpenBLAS, written down from these: what rules have to give. */
#ifndef NAIVE_LIBRARIES_H
#define NAIVE_LIBRARIES_H

#include "naive.h"

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
