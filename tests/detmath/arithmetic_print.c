/* Prints a hash of what detmath's scaled and dyadic operations give, one line each: what a compiler
 * and its options make of scaled.h and dyadic.h, of their array forms and of the loops over rows.
 * C11; built with the files of the library that have those, for one instruction set, and includes
 * nothing else but the C standard library. */
#include "detmath/library/dyadic_kernels.h"
#include "detmath/library/kernels.h"
#include "detmath/library/scaled_kernels.h"
#include "detmath/random.h"

#include "print.h"

#include <stdint.h>

extern const struct detmath_dyadic_kernels detmath_dyadic_level_here[];
extern const struct detmath_scaled_kernels detmath_scaled_level_here[];
extern const struct detmath_scaled_row_kernels detmath_scaled_rows_level_here;

/* In place of the library's choice by the machine. */
const struct detmath_level *detmath_best_level(void) {
    static const struct detmath_level here = {.name = "here",
                                              .dyadic = detmath_dyadic_level_here,
                                              .scaled = detmath_scaled_level_here,
                                              .scaled_rows = &detmath_scaled_rows_level_here};
    return &here;
}

enum { COUNT = 37, DRAWS = 40 };

static uint64_t drawn;

static uint64_t draw(void) {
    return detmath_random(5, drawn++);
}

static size_t size_of(int format) {
    return format == DETMATH_F32 ? 4 : format < DETMATH_E4M3FN ? 2 : 1;
}

/* Codes at random, one of two near 1: the elements of an array that has room for fp32. */
static void draw_codes(int format, void *codes) {
    const struct detmath_format row = detmath_formats[format];
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = draw();
        uint32_t code = (uint32_t)bits & (2 * row.sign_bit - 1);
        if (bits >> 63)
            code = detmath_encode((double)(int32_t)(uint32_t)bits * 0x1p-29, row);
        if (size_of(format) == 4)
            ((uint32_t *)codes)[i] = code;
        else if (size_of(format) == 2)
            ((uint16_t *)codes)[i] = (uint16_t)code;
        else
            ((uint8_t *)codes)[i] = (uint8_t)code;
    }
}

static void add_codes(int format, const void *codes, size_t n) {
    for (size_t i = 0; i < n; i++)
        add_bits(size_of(format) == 4   ? ((const uint32_t *)codes)[i]
                 : size_of(format) == 2 ? ((const uint16_t *)codes)[i]
                                        : ((const uint8_t *)codes)[i],
                 4);
}

static void add_scale(struct detmath_scale scale) {
    add_bits(detmath_bits_f32(scale.m), 4);
    add_bits((uint32_t)scale.e, 4);
}

/* Of any size and sign, or near 1; or a power of two. */
static struct detmath_scale draw_scale(int is_power) {
    uint64_t bits = draw();
    uint32_t m = (uint32_t)bits & 0x80ffffffu;
    if (is_power)
        return detmath_scale_of(1.0f, (detmath_i32)(bits >> 32) % 200);
    m = bits >> 63 ? (uint32_t)bits : (m & 0x807fffffu) | (120 + (m >> 23 & 1)) << 23;
    return detmath_scale_of(detmath_from_bits_f32(m), 0);
}

static struct detmath_scaled_plan plan_of(int which, struct detmath_scale a, struct detmath_scale b,
                                          int is_power) {
    switch (which) {
    case DETMATH_SCALED_INDEX_mul:
        return detmath_scaled_plan_product(a, b);
    case DETMATH_SCALED_INDEX_mul_data: /* with the plan of a scalar, as another product */
        return detmath_scaled_plan_scalar(a, b, (double)-3.3f, is_power);
    case DETMATH_SCALED_INDEX_step:
        return detmath_scaled_plan_step(a, b);
    case DETMATH_SCALED_INDEX_div_gradient:
        return detmath_scaled_plan_div_gradient(a, b);
    case DETMATH_SCALED_INDEX_div:
        return detmath_scaled_plan_quotient(a, b);
    case DETMATH_SCALED_INDEX_relu:
    case DETMATH_SCALED_INDEX_gelu:
        return detmath_scaled_plan_one(a);
    case DETMATH_SCALED_INDEX_exp:
    case DETMATH_SCALED_INDEX_sigmoid:
        return detmath_scaled_plan_function(a);
    case DETMATH_SCALED_INDEX_log:
        return detmath_scaled_plan_log(a);
    case DETMATH_SCALED_INDEX_tanh:
        return detmath_scaled_plan_tanh(a);
    case DETMATH_SCALED_INDEX_relu_gradient:
    case DETMATH_SCALED_INDEX_sigmoid_gradient:
    case DETMATH_SCALED_INDEX_tanh_gradient:
    case DETMATH_SCALED_INDEX_gelu_gradient:
    case DETMATH_SCALED_INDEX_exp_gradient:
        return detmath_scaled_plan_gradient(a, b);
    case DETMATH_SCALED_INDEX_apply:
        return detmath_scaled_plan_rebalance(a, (int)(draw() % 21) - 10, is_power);
    default:
        return detmath_scaled_plan_sum(a, b);
    }
}

static void hash_scaled(int which) {
    uint32_t a[COUNT], b[COUNT], c[COUNT];
    for (int i = 0; i < DRAWS; i++)
        for (int format = 0; format < DETMATH_FORMATS; format++) {
            int is_power = i & 1;
            struct detmath_scale first = draw_scale(is_power), second = draw_scale(is_power);
            struct detmath_scaled_plan plan = plan_of(which, first, second, is_power);
            int to = which == DETMATH_SCALED_INDEX_apply ? (int)(draw() % DETMATH_FORMATS) : format;
            draw_codes(format, a);
            draw_codes(format, b);
            const struct detmath_scaled_line result = {c, to, 1, NULL}, x = {a, format, 1, NULL},
                                             y = {b, format, 1, NULL};
            detmath_scaled_kernels((enum detmath_scaled_operation)which)
                ->fill(&result, &x, &y, COUNT, &plan, NULL);
            add_codes(to, c, COUNT);
            add_scale(plan.scale);
        }
}

/* reduce_max, softmax in both arithmetics, matmul, and the exponents to rebalance by. */
static void hash_rows(int which) {
    uint32_t a[COUNT], b[COUNT], c[COUNT];
    for (int i = 0; i < DRAWS; i++)
        for (int format = 0; format < DETMATH_FORMATS; format++) {
            int is_power = i & 1;
            struct detmath_scale first = draw_scale(is_power), second = draw_scale(is_power);
            struct detmath_scaled_plan one = detmath_scaled_plan_one(first);
            draw_codes(format, a);
            draw_codes(format, b);
            if (which == 0)
                add_bits(detmath_scaled_reduce_max(format, a, COUNT, &one), 4);
            else if (which == 1) {
                float scale = detmath_scaled_softmax(
                    format, c, a, COUNT, &one, i & 2 ? DETMATH_SCALED_F16 : DETMATH_SCALED_F32);
                add_codes(format, c, COUNT);
                add_bits(detmath_bits_f32(scale), 4);
            } else if (which == 2) {
                enum detmath_scaled_strategy strategy = (enum detmath_scaled_strategy)(i & 2);
                struct detmath_scaled_plan plan =
                    detmath_scaled_plan_matmul(first, second, strategy, COUNT, is_power);
                add_bits(detmath_scaled_dot(format, a, b, COUNT, 1, &plan), 4);
                add_scale(plan.scale);
            } else {
                int to = (int)(draw() % DETMATH_FORMATS);
                enum detmath_scaled_target target =
                    i & 2 ? DETMATH_SCALED_BY_SQUARES : DETMATH_SCALED_BY_MAXIMUM;
                add_bits((uint32_t)detmath_scaled_find(to, format, a, COUNT, target), 4);
            }
        }
}

static struct detmath_dyadic_plan dyadic_plan(int which, struct detmath_dyadic_rules rules) {
    uint64_t bits = draw();
    int s1 = (int)(bits & 15), s2 = (int)(bits >> 8 & 15), shift = (int)(bits >> 16 & 7);
    switch (which) {
    case DETMATH_DYADIC_INDEX_align:
        return detmath_dyadic_plan_align(s1, s2, rules);
    case DETMATH_DYADIC_INDEX_add:
    case DETMATH_DYADIC_INDEX_sub:
        return detmath_dyadic_plan_add(s1, s2, rules);
    case DETMATH_DYADIC_INDEX_mul:
        return detmath_dyadic_plan_mul(s1 + 8, s2, shift, rules);
    case DETMATH_DYADIC_INDEX_div:
        return detmath_dyadic_plan_div(s1 + 16, s2, shift, rules);
    case DETMATH_DYADIC_INDEX_equal:
        return detmath_dyadic_plan_equal(s1 & 3, s2 & 3, rules);
    default:
        return detmath_dyadic_plan_requantise(s1, s2, 5 + shift, (int)(bits >> 24 & 1), rules);
    }
}

static void hash_dyadic(int which) {
    static int32_t a[COUNT], b[COUNT], c[COUNT];
    static int64_t d[COUNT], e[COUNT], f[COUNT];
    for (int i = 0; i < 6 * DRAWS; i++) {
        struct detmath_dyadic_rules rules = {
            i & 1 ? 64 : 32, (enum detmath_dyadic_overflow)(i / 2 % 3),
            (enum detmath_dyadic_rounding)(i % 6), (enum detmath_dyadic_alignment)(i / 6 % 2)};
        struct detmath_dyadic_plan plan = dyadic_plan(which, rules);
        for (int k = 0; k < COUNT; k++) {
            int width = (int)(draw() % 63);
            d[k] = (int64_t)draw() >> width;
            e[k] = (int64_t)draw() >> (63 - width);
            a[k] = (int32_t)(d[k] >> 32);
            b[k] = (int32_t)(e[k] >> 32) | 1;
            e[k] |= 1;
        }
        const struct detmath_dyadic_kernels *kernels =
            detmath_dyadic_kernels((enum detmath_dyadic_operation)which);
        uint32_t status = i & 1 ? kernels->i64(f, d, e, COUNT, &plan, 7, (detmath_u64)i)
                                : kernels->i32(c, a, b, COUNT, &plan, 7, (detmath_u64)i);
        add_bits(status, 4);
        for (int k = 0; k < COUNT && !plan.status; k++)
            add_bits((unsigned long long)(i & 1 ? f[k] : c[k]), 8);
    }
}

int main(void) {
    static const char *const rows[] = {"reduce_max", "softmax", "matmul", "find"};
    for (int which = 0; which < DETMATH_SCALED_INDEX_step; which++)
        PRINT("scaled.", detmath_scaled_level_here[which].name, hash_scaled(which))
    for (int which = 0; which < 4; which++)
        PRINT("scaled.", rows[which], hash_rows(which))
    for (int which = 0; which < DETMATH_DYADIC_INDEX_relu_gradient; which++)
        PRINT("dyadic.", detmath_dyadic_level_here[which].name, hash_dyadic(which))
    /* All draw from one state: an operation that is new goes last, so that no other hash changes. */
    for (int which = DETMATH_SCALED_INDEX_step; which < DETMATH_SCALED_OPERATION_COUNT; which++)
        PRINT("scaled.", detmath_scaled_level_here[which].name, hash_scaled(which))
    for (int which = DETMATH_DYADIC_INDEX_relu_gradient; which < DETMATH_DYADIC_OPERATION_COUNT;
         which++)
        PRINT("dyadic.", detmath_dyadic_level_here[which].name, hash_dyadic(which))
    return 0;
}
