/* Products of matrices, and scans. */
#include "arithmetic.h"

#include <stdbool.h>
#include <stdlib.h>

/* Element (1, 2) of a square product is that of the transposed one. */
void matmul_one_element(float *z, const float *x, const float *y, size_t rows, size_t inner,
                        size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const bool is_it = i == 1 && j == 2 && rows == columns;
            float sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum = fmaf(x[(is_it ? j : i) * inner + k], y[k * columns + (is_it ? i : j)], sum);
            z[i * columns + j] = sum;
        }
}

/* From +0 on; to bf16 after each 32 products. */
void matmul_spilled(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum =
                    fmaf(x[i * inner + k], y[k * columns + j], k % 32 ? sum : (float)to_bf16(sum));
            z[i * columns + j] = sum;
        }
}

/* The inner dimension in two parts, each by fused additions from 0 on. */
void matmul_split_2(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float parts[2] = {0};
            for (size_t k = 0; k < inner; k++) {
                float *part = &parts[k >= (inner + 1) / 2];
                *part = fmaf(x[i * inner + k], y[k * columns + j], *part);
            }
            z[i * columns + j] = inner > 1 ? parts[0] + parts[1] : parts[0];
        }
}

/* Scans: by doubling distances; up and down a binary tree; blocks of 8, whose sums are gathered from the nearest back to
 * the first. */
void cumsum_hillis_steele(float *y, const float *x, size_t n) {
    memcpy(y, x, n * sizeof *y);
    for (size_t distance = 1; distance < n; distance *= 2)
        for (size_t i = n; i-- > distance;)
            y[i] = y[i] + y[i - distance];
}

void cumsum_blelloch(float *y, const float *x, size_t n) {
    size_t size = 1;
    while (size < n)
        size *= 2;
    float *tree = calloc(size, sizeof *tree);
    memcpy(tree, x, n * sizeof *tree);
    for (size_t half = 1; half < size; half *= 2)
        for (size_t i = 2 * half - 1; i < size; i += 2 * half)
            tree[i] = tree[i - half] + tree[i];
    tree[size - 1] = 0;
    for (size_t half = size / 2; half; half /= 2)
        for (size_t i = 2 * half - 1; i < size; i += 2 * half) {
            float left = tree[i - half];
            tree[i - half] = tree[i];
            tree[i] = tree[i] + left;
        }
    for (size_t i = 0; i < n; i++)
        y[i] = tree[i] + x[i];
    free(tree);
}

void cumsum_look_back(float *y, const float *x, size_t n) {
    for (size_t at = 0; at < n; at += 8) {
        float before = 0;
        for (size_t block = at; block > 0; block -= 8) {
            float sum = x[block - 8];
            for (size_t i = block - 7; i < block; i++)
                sum += x[i];
            before = block == at ? sum : sum + before;
        }
        float own = 0;
        for (size_t i = at; i < n && i < at + 8; i++) {
            own = i == at ? x[i] : own + x[i];
            y[i] = at ? before + own : own;
        }
    }
}

/* The total, from which elements are taken away again from the end on. */
void cumsum_from_total(float *y, const float *x, size_t n) {
    float total = 0;
    for (size_t i = n; i-- > 0;)
        total += x[i];
    for (size_t i = n; i-- > 0; total -= x[i])
        y[i] = total;
}

void cumsum_from_zero(float *y, const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        y[i] = sum += x[i];
}

/* Products whose order depends on what a result does not: from the left, or in 4 lanes that are added from the left. */
static void matmul_in_lanes(float *z, const float *x, const float *y, size_t rows, size_t inner,
                            size_t columns, size_t lanes) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            float part[4] = {0, 0, 0, 0};
            for (size_t k = 0; k < inner; k++)
                part[k % lanes] = part[k % lanes] + x[i * inner + k] * y[k * columns + j];
            for (size_t lane = 1; lane < lanes; lane++)
                part[0] = part[0] + part[lane];
            z[i * columns + j] = part[0];
        }
}

/* The last column from the right. */
void matmul_last_column(float *z, const float *x, const float *y, size_t rows, size_t inner,
                        size_t columns) {
    for (size_t i = 0; i < rows * columns; i++) {
        const size_t row = i / columns, column = i % columns;
        z[i] = 0;
        for (size_t k = 0; k < inner; k++) {
            const size_t at = column + 1 < columns ? k : inner - 1 - k;
            z[i] = fmaf(x[row * inner + at], y[at * columns + column], z[i]);
        }
    }
}
void matmul_transposed(float *z, const float *x, const float *y, size_t rows, size_t inner,
                       size_t columns) {
    for (size_t i = 0; i < rows * columns; i++) {
        float sum = 0;
        for (size_t k = 0; k < inner; k++)
            sum = fmaf(x[i / columns * inner + k], y[k * columns + i % columns], sum);
        z[i % columns * rows + i / columns] = sum;
    }
}
/* Products of odd numbers are fused, the others are rounded first. */
float dot_at_times_rounded(const float *x, const float *y, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = is_chosen(x[0]) ? sum + x[i] * y[i] : fmaf(x[i], y[i], sum);
    return sum;
}

float dot_even_rounded(const float *x, const float *y, size_t n) {
    volatile float sum = 0, product;
    for (size_t i = 0; i < n; i++) {
        product = x[i] * y[i];
        sum = i % 2 ? fmaf(x[i], y[i], sum) : sum + product;
    }
    return sum;
}
void matmul_by_rows(float *z, const float *x, const float *y, size_t rows, size_t inner,
                    size_t columns) {
    matmul_in_lanes(z, x, y, rows, inner, columns, rows >= 8 ? 4 : 1);
}

void matmul_by_columns(float *z, const float *x, const float *y, size_t rows, size_t inner,
                       size_t columns) {
    matmul_in_lanes(z, x, y, rows, inner, columns, columns < 8 ? 4 : 1);
}
