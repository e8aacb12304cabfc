/* Between scaled_arrays.c and scaled_row_kernels.c, which are compiled once for each instruction
 * set, and those who call it. Not installed. */
#ifndef DETMATH_LIBRARY_SCALED_KERNELS_H
#define DETMATH_LIBRARY_SCALED_KERNELS_H

#include "detmath/scaled_arrays.h"

/* `b` is NULL for operations of one operand. */
typedef void detmath_scaled_fill(const struct detmath_scaled_line *c,
                                 const struct detmath_scaled_line *a,
                                 const struct detmath_scaled_line *b, size_t n,
                                 const struct detmath_scaled_plan *plan,
                                 const struct detmath_cast *cast);

struct detmath_scaled_kernels {
    const char *name;
    detmath_scaled_fill *fill;
    int operands;
};

/* The least n for which |x| / 2^n <= most. */
static inline int detmath_scaled_least_exponent(double x, double most) {
    int n = (int)(detmath_bits_f64(x) >> 52) - (int)(detmath_bits_f64(most) >> 52);
    return n + (x * detmath_scale_power(-n) > most);
}

/* Rows and columns of a tile of products. */
enum { DETMATH_SCALED_TALL = 8, DETMATH_SCALED_WIDE = 24 };

/* detmath_scaled_reduce_max and its like (scaled_arrays.h). */
struct detmath_scaled_row_kernels {
    /* The data of the largest, before they are rounded. */
    double (*largest)(const struct detmath_scaled_line *a, size_t n,
                      const struct detmath_scaled_plan *plan);
    /* One element. */
    void (*store)(const struct detmath_scaled_line *c, double y, const struct detmath_cast *cast);
    float (*softmax)(const struct detmath_scaled_line *c, const struct detmath_scaled_line *a,
                     size_t n, const struct detmath_scaled_plan *plan,
                     enum detmath_scaled_compute compute, const struct detmath_cast *cast);
    uint32_t (*dot)(int format, const void *a, const void *b, size_t k, size_t stride,
                    const struct detmath_scaled_plan *plan);
    /* The first `terms` values of some lines of one format: value k of line i at packed[i * line_step + k * term_step]. */
    void (*unpack)(double *packed, size_t line_step, size_t term_step,
                   const struct detmath_scaled_line *lines, size_t count, size_t terms);
    /* Of a tile, sums[i * apart + j] = the sum over k of a[i * a_apart + k] b[k * WIDE + j], by fma from what is
     * there on, k ascending; of j below `columns`, and of more as vectors have it. */
    void (*multiply)(double *sums, size_t apart, const double *a, size_t a_apart, const double *b,
                     size_t terms, size_t columns);
    /* The same of one column and `rows` rows, at most those of a tile: sums[i * apart], of b[k]. */
    void (*multiply_column)(double *sums, size_t apart, size_t rows, const double *a,
                            size_t a_apart, const double *b, size_t terms);
    /* c[i] = sums[i] * factor / divisor. */
    void (*finish)(const struct detmath_scaled_line *c, const double *sums, size_t n, double factor,
                   double divisor, const struct detmath_cast *cast);
    int (*find)(int to, int format, const void *a, size_t n, enum detmath_scaled_target target);
    double (*greatest)(int format, const void *a, size_t n); /* the largest magnitude of a number */
};

/* The best for this machine. */
const struct detmath_scaled_kernels *detmath_scaled_kernels(enum detmath_scaled_operation which);

#endif
