/* What the operations on scaled numbers should return, from the definitions: the scale of a result
 * by its rule, and the data as the exact result over that scale (MPFR), to be rounded once. It
 * shares nothing with detmath/scaled.h but what a scale is. */
#ifndef DETCHECK_OP_SCALED_EXACT_H
#define DETCHECK_OP_SCALED_EXACT_H

#include "base/error.h"
#include "format/real.h"

#include <mpfr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scaled_operation {
    SCALED_ADD,
    SCALED_SUB,
    SCALED_MUL,
    SCALED_DIV,
    SCALED_MAX,
    SCALED_MIN,
    SCALED_RELU,
    SCALED_GELU,
    SCALED_EXP,
    SCALED_LOG,
    SCALED_SIGMOID,
    SCALED_TANH,
    SCALED_REDUCE_MAX,
    SCALED_SOFTMAX,
    SCALED_MATMUL,
    SCALED_CAST,
    SCALED_REBALANCE,
    SCALED_RELU_GRADIENT, /* the derivative at x, times w */
    SCALED_SIGMOID_GRADIENT,
    SCALED_TANH_GRADIENT,
    SCALED_GELU_GRADIENT,
    SCALED_EXP_GRADIENT,
    SCALED_RESCALE,      /* x at the scale of w, whose data do not count */
    SCALED_STEP,         /* 1 where x is the larger, 0 where w is, 1/2 where they are equal */
    SCALED_DIV_GRADIENT, /* of a quotient by its divisor w: -x / w^2 */
    SCALED_CONVOLUTION,
    SCALED_MUL_GRADIENT, /* of sums of products: the other operand, and what comes back */
    SCALED_MATMUL_GRADIENT,
    SCALED_CONVOLUTION_GRADIENT,
    SCALED_MAX_ALONG_GRADIENT, /* along an axis: x, and what comes back */
    SCALED_SOFTMAX_GRADIENT,
    SCALED_SUM,
    SCALED_MEAN
};

/* Which elements of the operands an element of the result is computed from. */
enum scaled_layout {
    SCALED_BY_ELEMENT, /* that of its own index: operands broadcast */
    SCALED_BY_LINE,    /* those of a line along an axis */
    SCALED_BY_CELL,    /* those that share its scale */
    SCALED_BY_PRODUCT  /* the terms of a sum of products */
};

/* What is true of an operation: the data of its row. */
struct scaled_facts {
    enum scaled_operation operation; /* which it is, and no more */
    enum scaled_layout layout;
    bool two;     /* operands, with their scales */
    bool reduces; /* each line becomes one element */
    bool
        one_scale; /* of a line: scales do not differ along the axis, which is the last without --axis */
    bool derives;  /* the derivative at x, times w, at the scale of w */
    bool backward; /* the rule of a sum of products: by the operand that --of names, whose shape the
                        result has. The operands are the other one and what comes back */
    bool windows;  /* a convolution, or its backward rule */
    bool in_article;                        /* which the formulas are from */
    int kernel;                             /* of elements: detmath's */
    const struct scaled_function *function; /* of x, times w where it derives */
};

/* m * 2^e: an fp32 number (e = 0), or a power of two (m = 1). */
struct scaled_scale {
    float m;
    int32_t e;
    bool is_power;
};

/* Exponents of 32 bits and sums of them need MPFR's own range; afterwards the caller's. */
struct scaled_range {
    mpfr_exp_t least, most;
};
struct scaled_range scaled_range_widen(void);
void scaled_range_restore(struct scaled_range range);

/* Numbers that are kept from question to question. */
struct scaled_exact {
    mpfr_t x[2]; /* data */
    mpfr_t m[2]; /* the m of scales */
    mpfr_t mc;   /* the m of the result's */
    mpfr_t u, v; /* exact products and sums */
    mpfr_t y;    /* truncated */
    /* The last scale of a result before it was rounded, and held within its range. */
    struct real whole;
    struct scaled_range range; /* MPFR's before this was opened */
};

/* MPFR's range is its own in between. */
void scaled_exact_open(struct scaled_exact *exact);
void scaled_exact_close(struct scaled_exact *exact);

/* The scale of the result of add, sub, mul, div, max, min, div_gradient; 1 of step; of matmul where `divisor` is its static
 * scale (1 for the others); of relu, gelu, reduce_max, rebalance by 2^n (n is 0 for the others),
 * where b counts for nothing; b itself of rescale. */
struct scaled_scale scaled_exact_scale(struct scaled_exact *exact, const struct scaled_facts *facts,
                                       struct scaled_scale a, struct scaled_scale b, float divisor,
                                       int32_t n);

/* The data of one element, exactly, truncated to `precision` bits: of operations on one element or
 * two. */
bool scaled_exact_element(struct scaled_exact *exact, const struct scaled_facts *facts,
                          const struct real *x, struct scaled_scale a, const struct real *w,
                          struct scaled_scale b, int32_t n, int precision, struct real *y,
                          struct error *error);

/* mul by a scalar, a number that is not 0 and the datum of one of the operands: into *scale, that of the product
 * times its magnitude, or times the least power of two not below that where scales are powers of two; the data at
 * that scale. Scales are numbers, and not 0. */
struct real scaled_exact_scalar(struct scaled_exact *exact, const struct real *x,
                                struct scaled_scale a, const struct real *w, struct scaled_scale b,
                                const struct real *scalar, int precision,
                                struct scaled_scale *scale);

/* A sum of products, in order of no importance. */
struct scaled_sum {
    size_t count; /* not 0 */
    size_t plain; /* the last ones of them are numbers that have no part in the result's scale */
    const struct real *x, *w;         /* w NULL: ones */
    const struct scaled_scale *a, *b; /* of each; b NULL with w */
    float divisor;                    /* of the static scale */
    bool mean;                        /* the sum over its count, at the scale of the terms */
    bool varies;                      /* not all terms have the same place for their scale */
    int32_t by;                       /* measured: the n of its static scale 2^n, else 0 */
};

/* The largest of the scales of its terms, times 2^by: detcheck-scaled(7), matmul. */
struct scaled_scale scaled_exact_sum_scale(struct scaled_exact *exact,
                                           const struct scaled_sum *sum);
/* Its data at that scale, truncated to `precision` bits. */
struct real scaled_exact_sum(struct scaled_exact *exact, const struct scaled_sum *sum,
                             int precision);

/* The largest value, whose data are at the scale that is returned: the largest of theirs. y may be
 * NULL. */
struct scaled_scale scaled_exact_largest(struct scaled_exact *exact, const struct real *x,
                                         const struct scaled_scale *a, size_t count, int precision,
                                         struct real *y);

/* Softmax of a row: its `count` data, and the scale; either may be NULL, and costs nothing then. */
bool scaled_exact_softmax(struct scaled_exact *exact, const struct real *x, size_t count,
                          struct scaled_scale a, int precision, struct real *data,
                          struct real *scale, struct error *error);

/* Backward along a line: of the largest value, where g[0] comes back, and of softmax: the data, at
 * the scale b of what comes back. */
bool scaled_exact_line_gradient(struct scaled_exact *exact, enum scaled_operation operation,
                                const struct real *x, const struct scaled_scale *a,
                                const struct real *g, struct scaled_scale b, size_t count,
                                int precision, struct real *data, struct error *error);

/* Below: between exact.c, sums.c, functions.c and softmax.c. */

/* As the result that a scale is: its m, or its exponent. */
struct real scaled_scale_number(struct scaled_scale scale);

/* f, over the scale c, at exact->u times exact->v: 1, or what comes back where f is a derivative. */
extern const struct scaled_function scaled_exp_function, scaled_log_function,
    scaled_sigmoid_function, scaled_tanh_function, scaled_gelu_function, scaled_sigmoid_slope,
    scaled_tanh_slope, scaled_gelu_slope;
bool scaled_exact_function(struct scaled_exact *exact, const struct scaled_function *function,
                           struct scaled_scale c, int precision, struct real *y,
                           struct error *error);
/* The scale of its results. */
struct scaled_scale scaled_function_scale(const struct scaled_function *function,
                                          struct scaled_scale a);

#endif
