/* Reductions and scans for one instruction set: compiled several times, as arrays.c is. */
#if defined(__AVX512F__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define DETMATH_LOG_SHUFFLES
#endif
#endif
#include "detmath/reductions.h"
#include "convolution_tiles.h"
#include "detmath/exact_sum.h"
#include "kernels.h"
#include "matmul.h"
#include "reduction_list.h"

/* The header's names end in f for fp32. */
#define NAME_f32(NAME) detmath_##NAME##f
#define NAME_f64(NAME) detmath_##NAME

/* softmax of fp32 is among the kernels of lines (line_kernels.c). */
#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B
void JOIN(detmath_softmax_, DETMATH_LEVEL)(float *y, const float *x, size_t n);
#define detmath_softmaxf JOIN(detmath_softmax_, DETMATH_LEVEL)

#define REDUCE(T, S, NAME)                                                                         \
    DETMATH_FLATTENED static T NAME##_##S(const T *x, size_t n) {                                  \
        return NAME_##S(NAME)(x, n);                                                               \
    }
#define PAIR(T, S, NAME)                                                                           \
    DETMATH_FLATTENED static T NAME##_##S(const T *x, const T *y, size_t n) {                      \
        return NAME_##S(NAME)(x, y, n);                                                            \
    }
#define MAP(T, S, NAME)                                                                            \
    DETMATH_FLATTENED static void NAME##_##S(T *y, const T *x, size_t n) {                         \
        NAME_##S(NAME)(y, x, n);                                                                   \
    }
DETMATH_REDUCTIONS(REDUCE, PAIR, MAP)

/* By tiles, where the processor has vectors for them, of more than a term, and there is memory. */
#if defined(MATMUL_BYTES)
#define BY_TILES(S) inner > 1 && multiply_##S(c, a, b, rows, inner, columns)
#else
#define BY_TILES(S) 0
#endif
#define MATMUL(T, S)                                                                               \
    DETMATH_FLATTENED static void matmul_##S(T *c, const T *a, const T *b, size_t rows,            \
                                             size_t inner, size_t columns) {                       \
        if (!(BY_TILES(S)))                                                                        \
            NAME_##S(matmul)(c, a, b, rows, inner, columns);                                       \
    }
MATMUL(float, f32)
MATMUL(double, f64)

DETMATH_FLATTENED static void logcumsumexp(const struct detmath_line_out *y,
                                           const struct detmath_line *x, size_t n, int exclusive) {
    detmath_logcumsumexp_line(y, x, n, exclusive);
}

DETMATH_FLATTENED static void logsumexp(const struct detmath_line_out *y,
                                        const struct detmath_line *x, size_t n) {
    detmath_line_store(y, 0, detmath_logsumexp_line(x, n));
}

DETMATH_FLATTENED static void log_softmax(const struct detmath_line_out *y,
                                          const struct detmath_line *x, size_t n) {
    detmath_log_softmax_line(y, x, n);
}

DETMATH_FLATTENED static void logcumsumexp_gradient(const struct detmath_line_out *y,
                                                    const struct detmath_line *x,
                                                    const struct detmath_line *g, size_t n,
                                                    int exclusive,
                                                    struct detmath_log_prefix *prefixes) {
    detmath_logcumsumexp_gradient_line(y, x, g, n, exclusive, prefixes);
}

#define SHARE_GRADIENT(NAME)                                                                       \
    DETMATH_FLATTENED static void NAME(const struct detmath_line_out *y,                           \
                                       const struct detmath_line *x, const struct detmath_line *g, \
                                       size_t n) {                                                 \
        detmath_##NAME##_line(y, x, g, n);                                                         \
    }
SHARE_GRADIENT(logsumexp_gradient)
SHARE_GRADIENT(log_softmax_gradient)

extern const struct detmath_training JOIN(detmath_training_, DETMATH_LEVEL);
extern detmath_attention_of_rows JOIN(detmath_attention_rows_, DETMATH_LEVEL);
extern detmath_attention_gradient_of JOIN(detmath_attention_gradient_of_, DETMATH_LEVEL);
extern const struct detmath_line_kernels JOIN(detmath_line_kernels_, DETMATH_LEVEL);
#define MEMBER(T, S, NAME) .NAME##_##S = NAME##_##S,
extern const struct detmath_reductions JOIN(detmath_reductions_, DETMATH_LEVEL);
const struct detmath_reductions JOIN(detmath_reductions_, DETMATH_LEVEL) = {
    DETMATH_REDUCTIONS(MEMBER, MEMBER, MEMBER).matmul_f32 = matmul_f32,
    .matmul_f64 = matmul_f64,
    .convolution_sums = convolution_sums,
    .logcumsumexp = logcumsumexp,
    .logsumexp = logsumexp,
    .log_softmax = log_softmax,
    .logcumsumexp_gradient = logcumsumexp_gradient,
    .logsumexp_gradient = logsumexp_gradient,
    .log_softmax_gradient = log_softmax_gradient,
    .attention = JOIN(detmath_attention_rows_, DETMATH_LEVEL),
    .attention_gradient = JOIN(detmath_attention_gradient_of_, DETMATH_LEVEL),
    .lines = &JOIN(detmath_line_kernels_, DETMATH_LEVEL),
    .training = &JOIN(detmath_training_, DETMATH_LEVEL)};
