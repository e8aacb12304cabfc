/* The tables of algorithms: det and cr of detmath, and beside them what others do. */
#include "op/array/algorithms.h"
#include "op/array/gradients.h"
#include "op/array/slices.h"
#include "op/kernels/norms.h"
#include "op/kernels/widened.h"

#include "detmath/arrays.h"
#include "detmath/exact_sum.h"
#include "detmath/library/reduction_list.h"
#include "detmath/log_sums_lines.h"
#include "detmath/scaled.h"

#include <math.h>
#include <string.h>

#define REAL           float
#define TYPED(NAME)    NAME##_fp32
#define KEEP(Y)        (Y)
#define FUSED(X, W, Y) fmaf(X, W, Y)
#define MATH(NAME)     NAME##f
#define ROOT(Y)        sqrtf(Y)
#define DETMATH(NAME)  detmath_##NAME##_f32
#include "op/array/sum_orders.inc"

#include "op/array/orders.inc"
#undef REAL
#undef TYPED
#undef FUSED
#undef MATH
#undef ROOT
#undef DETMATH

#define REAL           double
#define TYPED(NAME)    NAME##_fp64
#define FUSED(X, W, Y) fma(X, W, Y)
#define MATH(NAME)     NAME
#define ROOT(Y)        sqrt(Y)
#define DETMATH(NAME)  detmath_##NAME##_f64
#include "op/array/sum_orders.inc"

#include "op/array/orders.inc"
#undef TYPED
#undef KEEP
#undef FUSED
#undef MATH
#undef DETMATH

/* Narrow formats, whose numbers are held as doubles. They have at most 11 bits, so that what is rounded
 * to 53 bits and then to theirs is what is rounded once: a product is exact in double; a sum is, or one
 * term is below 2^-42 of the other, which is the result either way; a quotient a / n, n < 2^32, is a
 * half of a last place, h, or differs from it by 1 / (h n) of it at least. */
static double keep(double y, int format) {
    return detmath_scaled_decode(detmath_scaled_encode(y, detmath_formats[format]),
                                 detmath_formats[format]);
}

/* x w + y: the product may be a half of a last place itself, so the sum is rounded to odd first. */
static double keep_fused(double x, double w, double y, int format) {
    double a = x * w, sum = a + y, b = sum - a, rest = (a - (sum - b)) + (y - b);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (rest - rest == 0 && rest != 0 && (bits & 1) == 0)
        bits = (rest > 0) == (sum > 0) ? bits + 1 : bits - 1;
    memcpy(&sum, &bits, sizeof sum);
    return keep(sum, format);
}

#define TYPED(NAME)    NAME##_fp16
#define KEEP(Y)        keep(Y, DETMATH_F16)
#define FUSED(X, W, Y) keep_fused(X, W, Y, DETMATH_F16)
#include "op/array/sum_orders.inc"
#undef TYPED
#undef KEEP
#undef FUSED

#define TYPED(NAME)    NAME##_bf16
#define KEEP(Y)        keep(Y, DETMATH_BF16)
#define FUSED(X, W, Y) keep_fused(X, W, Y, DETMATH_BF16)
#include "op/array/sum_orders.inc"
#undef REAL
#undef TYPED
#undef KEEP
#undef FUSED

/* cr: exact sums, rounded once, to the format of the results. */
static void odd_sum(double *y, const float *x, const float *w, size_t n) {
    (void)w;
    y[0] = detmath_odd_sumf(x, n, 1);
}

static void odd_mean(double *y, const float *x, const float *w, size_t n) {
    (void)w;
    y[0] = detmath_odd_sumf(x, n, n);
}

static void odd_dot(double *y, const float *x, const float *w, size_t n) {
    y[0] = detmath_odd_dotf(x, w, n);
}

static void cr_sum_fp64(double *y, const double *x, const double *w, size_t n) {
    (void)w;
    y[0] = detmath_cr_sum_f64(x, n);
}

static void cr_mean_fp64(double *y, const double *x, const double *w, size_t n) {
    (void)w;
    y[0] = detmath_cr_mean_f64(x, n);
}

static void cr_dot_fp64(double *y, const double *x, const double *w, size_t n) {
    y[0] = detmath_cr_dot_f64(x, w, n);
}

/* Each prefix from a copy of the sum so far, since telling its value uses it up. */
#define EXACT_PREFIXES(NAME, TYPE, FORMAT, WIDTH, ODD)                                             \
    static void NAME(double *y, const TYPE *x, const TYPE *w, size_t n) {                          \
        (void)w;                                                                                   \
        struct detmath_exact sum, copy;                                                            \
        detmath_exact_clear(&sum, DETMATH_SUM_WORDS_##WIDTH, DETMATH_SUM_BASE_##WIDTH);            \
        for (size_t i = 0; i < n; i++) {                                                           \
            detmath_exact_sum_add_##FORMAT(&sum, x + i, 1);                                        \
            copy = sum;                                                                            \
            y[i] = detmath_exact_value(&copy, 1, ODD);                                             \
        }                                                                                          \
    }
EXACT_PREFIXES(odd_cumsum, float, f32, F32, 1)
EXACT_PREFIXES(cr_cumsum_fp64, double, f64, F64, 0)

/* Of fp32 elements, as doubles that round to every narrower format as the exact result does. */
#define ODD_LINES(NAME, ARGUMENTS)                                                                 \
    static void odd_##NAME(double *y, const float *x, const float *w, size_t n) {                  \
        (void)w;                                                                                   \
        struct detmath_line from = detmath_line_off(x);                                            \
        struct detmath_line_out to = detmath_line_to(y);                                           \
        detmath_reductions()->NAME ARGUMENTS;                                                      \
    }
ODD_LINES(logsumexp, (&to, &from, n))
ODD_LINES(logcumsumexp, (&to, &from, n, 0))
ODD_LINES(log_softmax, (&to, &from, n))

/* Gradients, in pairs of doubles for all formats. */
#define GRADIENTS(NAME)                                                                            \
    static void odd_##NAME(double *y, const float *x, const float *w, size_t n) {                  \
        struct detmath_line from = detmath_line_off(x), given = detmath_line_off(w);               \
        struct detmath_line_out to = detmath_line_to(y);                                           \
        detmath_reductions()->NAME(&to, &from, &given, n);                                         \
    }                                                                                              \
    static void det_##NAME##_fp64(double *y, const double *x, const double *w, size_t n) {         \
        struct detmath_line from = detmath_line_of(x), given = detmath_line_of(w);                 \
        struct detmath_line_out to = detmath_line_to(y);                                           \
        detmath_reductions()->NAME(&to, &from, &given, n);                                         \
    }
GRADIENTS(logsumexp_gradient)
GRADIENTS(log_softmax_gradient)

static const char exact_detail[] = "exact sum, rounded once";
static const char tree_detail[] = "blocks of 1024 in 64 lanes, then a binary tree";
static const char scan_detail[] = "blocks of 1024 in 32 runs, then a binary tree";
static const char sequential_detail[] = "from the left";
static const char pairwise_detail[] = "halves, down to 8 from the left";
static const char blocked_detail[] = "blocks of 256 from the left";
static const char rounded_detail[] = "the exact result, rounded once";
static const char oracle_detail[] = "what the oracle finds, rounded once";
static const char pairs_detail[] = "in pairs of doubles, rounded once";
static const char libm_detail[] = "over the largest, from the left, by the platform's libm";
static const char online_detail[] = "blocks of 256 over the largest so far, by the platform's libm";
static const char naive_detail[] = "as the formula says, by the platform's libm";

#define ROW(NAME, DETAIL, ...)                                                                     \
    {                                                                                              \
        NAME, DETAIL, provides_nearest, run_slices, &(const struct slice_function){__VA_ARGS__},   \
            accumulation_of                                                                        \
    }
#define BOTH(NAME)      .fp32 = NAME##_fp32, .fp64 = NAME##_fp64
#define EACH(NAME)      BOTH(NAME), .fp16 = NAME##_fp16, .bf16 = NAME##_bf16
#define EXACTLY(NAME)   .fp64 = cr_##NAME##_fp64, .odd = odd_##NAME, .begins_with_addend = true
#define FROM_LEFT(NAME) EACH(NAME), .begins_with_addend = true
#define ROUNDED(NAME)   .fp64 = det_##NAME##_fp64, .odd = odd_##NAME

#define REDUCTION(NAME)                                                                            \
    const struct array_algorithm algorithms_##NAME[] = {                                           \
        ROW("det", tree_detail, BOTH(det_##NAME)),                                                 \
        ROW("cr", exact_detail, EXACTLY(NAME)),                                                    \
        ROW("sequential", sequential_detail, FROM_LEFT(slice_sequential_##NAME)),                  \
        ROW("pairwise", pairwise_detail, EACH(slice_pairwise_##NAME)),                             \
        ROW("blocked", blocked_detail, EACH(slice_blocked_##NAME)),                                \
        {0}}
REDUCTION(sum);
REDUCTION(mean);
REDUCTION(dot);

const struct array_algorithm algorithms_cumsum[] = {
    ROW("det", scan_detail, BOTH(det_cumsum)),
    ROW("cr", exact_detail, EXACTLY(cumsum)),
    ROW("sequential", sequential_detail, EACH(slice_sequential_cumsum)),
    ROW("pairwise", pairwise_detail, EACH(slice_pairwise_cumsum)),
    ROW("blocked", blocked_detail, EACH(slice_blocked_cumsum)),
    {0}};

/* Orders have the norm alone. */
static bool provides_bare_norm(const struct array_call *call, struct error *why) {
    return provides_nearest(call, why) &&
           (rule_operands(call->rule, call->parameters) == 1 ||
            error_set(why, "orders of rms_norm take neither a weight nor a bias"));
}
#define NORM_ROW(NAME, DETAIL, FUNCTION)                                                           \
    {                                                                                              \
        NAME, DETAIL, provides_bare_norm, run_slices,                                              \
            &(const struct slice_function){EACH(FUNCTION)}, accumulation_of                        \
    }

const struct array_algorithm algorithms_rms_norm[] = {
    {"det", norm_det_detail, provides_widened, norm_run_det, NULL, NULL},
    {"cr", oracle_detail, provides_nearest, run_exact, NULL, NULL},
    NORM_ROW("sequential", sequential_detail, slice_sequential_rms_norm),
    NORM_ROW("pairwise", pairwise_detail, slice_pairwise_rms_norm),
    NORM_ROW("blocked", blocked_detail, slice_blocked_rms_norm),
    {0}};

const struct array_algorithm algorithms_logsumexp[] = {
    ROW("det", rounded_detail, BOTH(det_logsumexp)),
    ROW("cr", rounded_detail, ROUNDED(logsumexp)),
    ROW("libm", libm_detail, BOTH(slice_libm_logsumexp)),
    ROW("blocked", online_detail, BOTH(slice_blocked_logsumexp)),
    ROW("naive", naive_detail, BOTH(slice_naive_logsumexp)),
    {0}};

const struct array_algorithm algorithms_logcumsumexp[] = {
    ROW("det", rounded_detail, BOTH(det_logcumsumexp)),
    ROW("cr", rounded_detail, ROUNDED(logcumsumexp)),
    ROW("libm", libm_detail, BOTH(slice_libm_logcumsumexp)),
    ROW("naive", naive_detail, BOTH(slice_naive_logcumsumexp)),
    {0}};

#define SHARES(NAME, ...)                                                                          \
    const struct array_algorithm algorithms_##NAME[] = {                                           \
        __VA_ARGS__,                                                                               \
        ROW("libm", libm_detail, BOTH(slice_libm_##NAME)),                                         \
        ROW("blocked", online_detail, BOTH(slice_blocked_##NAME)),                                 \
        ROW("naive", naive_detail, BOTH(slice_naive_##NAME)),                                      \
        {0}}
SHARES(softmax, ROW("det", tree_detail, BOTH(det_softmax)));
SHARES(log_softmax, ROW("det", rounded_detail, BOTH(det_log_softmax)),
       ROW("cr", rounded_detail, ROUNDED(log_softmax)));

const struct array_algorithm algorithms_logcumsumexp_gradient[] = {
    {"det", "in pairs of doubles, from the right, rounded once", provides_nearest, run_gradient,
     NULL, NULL},
    {0}};

#define GRADIENT_ROWS(NAME)                                                                        \
    const struct array_algorithm algorithms_##NAME[] = {                                           \
        ROW("det", pairs_detail, ROUNDED(NAME)),                                                   \
        ROW("libm", libm_detail, BOTH(slice_libm_##NAME)),                                         \
        ROW("naive", naive_detail, BOTH(slice_naive_##NAME)),                                      \
        {0}}
GRADIENT_ROWS(logsumexp_gradient);
GRADIENT_ROWS(log_softmax_gradient);

/* Matrices: each element is the dot product of a row and a column, in that order. */
#define MATRICES(NAME, DETAIL, ...)                                                                \
    {                                                                                              \
        NAME, DETAIL, provides_nearest, run_matrices, &(const struct slice_function){__VA_ARGS__}, \
            accumulation_of                                                                        \
    }
const struct array_algorithm algorithms_matmul[] = {
    MATRICES("det", tree_detail, BOTH(det_dot)),
    MATRICES("cr", exact_detail, EXACTLY(dot)),
    MATRICES("sequential", sequential_detail, FROM_LEFT(slice_sequential_dot)),
    MATRICES("pairwise", pairwise_detail, EACH(slice_pairwise_dot)),
    MATRICES("blocked", blocked_detail, EACH(slice_blocked_dot)),
    {0}};
