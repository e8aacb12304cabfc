/* What the tests of scaled operations share: formats and scales of every kind, and the kernels by
 * the names of the oracle. */
#ifndef DETCHECK_TESTS_DETMATH_SCALED_H
#define DETCHECK_TESTS_DETMATH_SCALED_H

#include "detmath/library/scaled_kernels.h"
#include "detmath/scaled_functions.h"
#include "format/format.h"
#include "op/detmath_format.h"
#include "op/scaled/exact.h"

#include "../base/random.h"

#include <math.h>

static inline const struct format *format_of(int index) {
    for (size_t i = 0; i < format_count; i++)
        if (detmath_index_of(&formats[i]) == index)
            return &formats[i];
    return NULL;
}

static inline struct detmath_scale kernel_scale(struct scaled_scale scale) {
    return detmath_scale_of(scale.m, scale.e);
}

/* Scales in fp32 of every kind, and powers of two. */
static const struct scaled_scale scales[] = {{1, 0, false},
                                             {0x1p-3f, 0, false},
                                             {-2, 0, false},
                                             {0, 0, false},
                                             {0x1.8p1f, 0, false},
                                             {-0.1f, 0, false},
                                             {1000.1f, 0, false},
                                             {0x1p-149f, 0, false},
                                             {0x1.fffffep127f, 0, false},
                                             {-0x1.23p-130f, 0, false},
                                             {NAN, 0, false},
                                             {INFINITY, 0, false},
                                             {1, 0, true},
                                             {1, 7, true},
                                             {1, -5, true},
                                             {1, 40, true},
                                             {1, INT32_MAX, true},
                                             {1, INT32_MIN, true},
                                             {1, 2000, true},
                                             {1, INT32_MAX - 3, true}};
enum { SCALES = sizeof scales / sizeof *scales, FP32_SCALES = 12 };

static inline struct detmath_scaled_plan
plan_of(enum scaled_operation operation, struct scaled_scale a, struct scaled_scale b, int n) {
    struct detmath_scale x = kernel_scale(a), y = kernel_scale(b);
    if (operation == SCALED_MUL)
        return detmath_scaled_plan_product(x, y);
    if (operation == SCALED_DIV)
        return detmath_scaled_plan_quotient(x, y);
    if (operation <= SCALED_MIN)
        return detmath_scaled_plan_sum(x, y);
    if (operation == SCALED_CAST)
        return detmath_scaled_plan_cast(x);
    if (operation == SCALED_REBALANCE)
        return detmath_scaled_plan_rebalance(x, n, a.is_power);
    if (operation == SCALED_STEP)
        return detmath_scaled_plan_step(x, y);
    if (operation == SCALED_DIV_GRADIENT)
        return detmath_scaled_plan_div_gradient(x, y);
    if (operation == SCALED_EXP || operation == SCALED_SIGMOID)
        return detmath_scaled_plan_function(x);
    if (operation == SCALED_LOG)
        return detmath_scaled_plan_log(x);
    if (operation == SCALED_TANH)
        return detmath_scaled_plan_tanh(x);
    return detmath_scaled_plan_one(x);
}

static inline double element(enum scaled_operation operation, double x, double y,
                             struct detmath_scaled_plan plan) {
    switch (operation) {
    case SCALED_ADD:
        return detmath_scaled_add_element(x, y, plan);
    case SCALED_SUB:
        return detmath_scaled_sub_element(x, y, plan);
    case SCALED_MUL:
        return detmath_scaled_mul_element(x, y, plan);
    case SCALED_DIV:
        return detmath_scaled_div_element(x, y, plan);
    case SCALED_MAX:
        return detmath_scaled_max_element(x, y, plan);
    case SCALED_MIN:
        return detmath_scaled_min_element(x, y, plan);
    case SCALED_DIV_GRADIENT:
        return detmath_scaled_div_gradient_element(x, y, plan);
    case SCALED_STEP:
        return detmath_scaled_step_element(x, y, plan);
    case SCALED_RELU:
        return detmath_scaled_relu_element(x, 0, plan);
    case SCALED_GELU:
        return detmath_scaled_gelu_element(x, 0, plan);
    case SCALED_RELU_GRADIENT:
        return detmath_scaled_relu_gradient_element(x, y, plan);
    case SCALED_SIGMOID_GRADIENT:
        return detmath_scaled_sigmoid_gradient_element(x, y, plan);
    case SCALED_TANH_GRADIENT:
        return detmath_scaled_tanh_gradient_element(x, y, plan);
    case SCALED_GELU_GRADIENT:
        return detmath_scaled_gelu_gradient_element(x, y, plan);
    case SCALED_EXP_GRADIENT:
        return detmath_scaled_exp_gradient_element(x, y, plan);
    case SCALED_EXP:
        return detmath_scaled_exp_element(x, 0, plan);
    case SCALED_LOG:
        return detmath_scaled_log_element(x, 0, plan);
    case SCALED_SIGMOID:
        return detmath_scaled_sigmoid_element(x, 0, plan);
    case SCALED_TANH:
        return detmath_scaled_tanh_element(x, 0, plan);
    default:
        return detmath_scaled_apply_element(x, 0, plan);
    }
}

/* A sum of products of one scale each. */
static inline struct real exact_dot(struct scaled_exact *exact, const struct real *x,
                                    struct scaled_scale a, const struct real *w,
                                    struct scaled_scale b, size_t count, float divisor) {
    enum { LONGEST_SUM = 128 };
    struct scaled_scale scales_of[2][LONGEST_SUM];
    for (size_t i = 0; i < count && i < LONGEST_SUM; i++) {
        scales_of[0][i] = a;
        scales_of[1][i] = b;
    }
    const struct scaled_sum sum = {
        .count = count, .x = x, .w = w, .a = scales_of[0], .b = scales_of[1], .divisor = divisor};
    return scaled_exact_sum(exact, &sum, 100);
}

/* Elements beside each other. */
static inline void fill(const struct detmath_scaled_kernels *kernels, int to, void *c, int format,
                        void *a, void *b, size_t n, const struct detmath_scaled_plan *plan) {
    const struct detmath_scaled_line result = {c, to, 1, NULL}, x = {a, format, 1, NULL},
                                     y = {b, format, 1, NULL};
    kernels->fill(&result, &x, b ? &y : NULL, n, plan, NULL);
}

/* A scale of any size, in fp32 or not. */
static inline struct scaled_scale draw_scale(uint64_t *seed, bool is_power) {
    uint64_t random = random_bits(seed);
    if (is_power)
        return (struct scaled_scale){1, (int32_t)(random >> (random & 31)) % 4000, true};
    float m = detmath_from_bits_f32((uint32_t)random);
    if (random >> 32 & 1) /* not far from 1 */
        m = detmath_from_bits_f32((uint32_t)(random & 0x807fffff) |
                                  ((uint32_t)(random >> 40 & 7) + 123) << 23);
    return (struct scaled_scale){m, 0, false};
}

#endif
