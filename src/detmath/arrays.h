/* The library's calls: array forms and scalars, dispatched at run time over the instruction sets
 * that the library was built for. Link with -ldetmath; the headers alone need no library.
 *
 * Array forms return, element for element, the bits of the scalar functions, for every n and
 * alignment, and on x86-64, aarch64 and riscv64 for every rounding and flushing that the caller has
 * set. A result may be the same array as an operand, and of reductions and matmul too; an operand that it overlaps
 * otherwise is copied first (where out of memory for that, results are NaN). Two results must not overlap.
 *   detmath_NAME_f32        det: fp32 and fma only, error below 1 ulp, with two operands on
 *                           all pairs that were sampled
 *   detmath_cr_NAME_f32     correctly rounded to nearest-even
 *   detmath_cr_NAME_f16 _bf16 _e4m3fn _e4m3fnuz _e5m2 _e5m2fnuz
 *                           the same in a narrow format, code to code, rounded once; what overflows
 *                           is infinite, or NaN where the format has no infinity
 *   detmath_NAME_scalar, detmath_cr_NAME_scalar
 *                           one number; what the headers have as detmath_NAMEf and
 * detmath_cr_NAMEf, but quick where the program is compiled for a machine without fma */
#ifndef DETMATH_ARRAYS_H
#define DETMATH_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* One declaration for each narrow format. */
#define DETMATH_NARROW_UNARY(NAME, FORMAT, CODE)                                                   \
    void detmath_cr_##NAME##_##FORMAT(CODE *y, const CODE *x, size_t n);
#define DETMATH_NARROW_BINARY(NAME, FORMAT, CODE)                                                  \
    void detmath_cr_##NAME##_##FORMAT(CODE *z, const CODE *x, const CODE *y, size_t n);
#define DETMATH_NARROW_PAIR(NAME, FORMAT, CODE)                                                    \
    void detmath_cr_##NAME##_##FORMAT(CODE *a, CODE *b, const CODE *x, size_t n);
#define DETMATH_NARROW(MACRO, NAME)                                                                \
    MACRO(NAME, f16, uint16_t)                                                                     \
    MACRO(NAME, bf16, uint16_t)                                                                    \
    MACRO(NAME, e4m3fn, uint8_t)                                                                   \
    MACRO(NAME, e4m3fnuz, uint8_t)                                                                 \
    MACRO(NAME, e5m2, uint8_t)                                                                     \
    MACRO(NAME, e5m2fnuz, uint8_t)

#define DETMATH_UNARY(NAME, ...)                                                                   \
    void detmath_##NAME##_f32(float *y, const float *x, size_t n);                                 \
    void detmath_cr_##NAME##_f32(float *y, const float *x, size_t n);                              \
    float detmath_##NAME##_scalar(float x);                                                        \
    float detmath_cr_##NAME##_scalar(float x);                                                     \
    DETMATH_NARROW(DETMATH_NARROW_UNARY, NAME)
#define DETMATH_BINARY(NAME, ...)                                                                  \
    void detmath_##NAME##_f32(float *z, const float *x, const float *y, size_t n);                 \
    void detmath_cr_##NAME##_f32(float *z, const float *x, const float *y, size_t n);              \
    float detmath_##NAME##_scalar(float x, float y);                                               \
    float detmath_cr_##NAME##_scalar(float x, float y);                                            \
    DETMATH_NARROW(DETMATH_NARROW_BINARY, NAME)
#define DETMATH_PAIR(NAME, A, B, ...)                                                              \
    void detmath_##NAME##_f32(float *a, float *b, const float *x, size_t n);                       \
    void detmath_cr_##NAME##_f32(float *a, float *b, const float *x, size_t n);                    \
    void detmath_##NAME##_scalar(float x, float *a, float *b);                                     \
    void detmath_cr_##NAME##_scalar(float x, float *a, float *b);                                  \
    DETMATH_NARROW(DETMATH_NARROW_PAIR, NAME)
#include "functions.inc"

/* The same in fp64: detmath_NAME_f64 has an error of 0.55 ulp at most. */
#define DETMATH_UNARY_F64(NAME, ...)                                                               \
    void detmath_##NAME##_f64(double *y, const double *x, size_t n);                               \
    void detmath_cr_##NAME##_f64(double *y, const double *x, size_t n);                            \
    double detmath_##NAME##_f64_scalar(double x);                                                  \
    double detmath_cr_##NAME##_f64_scalar(double x);
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    void detmath_##NAME##_f64(double *a, double *b, const double *x, size_t n);                    \
    void detmath_cr_##NAME##_f64(double *a, double *b, const double *x, size_t n);                 \
    void detmath_##NAME##_f64_scalar(double x, double *a, double *b);                              \
    void detmath_cr_##NAME##_f64_scalar(double x, double *a, double *b);
#define DETMATH_BINARY_F64(NAME, ...)                                                              \
    void detmath_##NAME##_f64(double *z, const double *x, const double *y, size_t n);              \
    void detmath_cr_##NAME##_f64(double *z, const double *x, const double *y, size_t n);           \
    double detmath_##NAME##_f64_scalar(double x, double y);                                        \
    double detmath_cr_##NAME##_f64_scalar(double x, double y);
#include "functions_f64.inc"

/* NULL if array forms and scalars have the right bits on this machine, else the name of the first
 * function that has not: hashes of 64 results of each, as in self_check.h, in a millisecond. Where a
 * program does not ask, the library looks when it is first used, and says on stderr what is wrong. */
const char *detmath_self_check_arrays(void);

/* Sums, scans and softmax of n elements, S one of f32, f64; the order of operations is that of
 * reductions.h, whatever the machine. Accumulated in the type itself. A NaN that comes out is the
 * canonical one; the sum of no elements is +0, their logsumexp -inf, their mean NaN; a mean wants n <
 * 2^37 (cr_mean: n < 2^32).
 *   detmath_NAME_S         det
 *   detmath_cr_sum_S _cr_mean_S _cr_dot_S, and logsumexp, logcumsumexp, log_softmax
 *                          rounded once, to nearest-even: the same bits for any order of elements
 *                          (log_sums.h; strided.h has them along an axis, in any format)
 * dot and matmul take products into sums by fma; each element of matmul is the dot of its row (of
 * the rows x inner elements of a) and its column (of inner x columns of b). Where c comes in, det is
 * c + detmath_dot_S(x, y, n), one addition more; cr is detmath_cr_dot_S of n + 1 elements, the last of
 * which are c and 1. */
#define DETMATH_REDUCTIONS_OF(T, S)                                                                \
    T detmath_sum_##S(const T *x, size_t n);                                                       \
    T detmath_mean_##S(const T *x, size_t n);                                                      \
    T detmath_dot_##S(const T *x, const T *y, size_t n);                                           \
    T detmath_logsumexp_##S(const T *x, size_t n);                                                 \
    void detmath_cumsum_##S(T *y, const T *x, size_t n);                                           \
    void detmath_logcumsumexp_##S(T *y, const T *x, size_t n);                                     \
    void detmath_softmax_##S(T *y, const T *x, size_t n);                                          \
    void detmath_log_softmax_##S(T *y, const T *x, size_t n);                                      \
    void detmath_matmul_##S(T *c, const T *a, const T *b, size_t rows, size_t inner,               \
                            size_t columns);                                                       \
    T detmath_cr_sum_##S(const T *x, size_t n);                                                    \
    T detmath_cr_mean_##S(const T *x, size_t n);                                                   \
    T detmath_cr_dot_##S(const T *x, const T *y, size_t n);
DETMATH_REDUCTIONS_OF(float, f32)
DETMATH_REDUCTIONS_OF(double, f64)
#undef DETMATH_REDUCTIONS_OF

#if defined(__cplusplus)
}
#endif
#endif
