/* The scaled operations of one element or two against MPFR: every pair of fp8 numbers at scales of
 * every kind, samples of wider formats, rebalancing, array forms on every instruction set.
 *
 * With the argument `all`, every pair for every pair of scales; else a part of them. */
#include "detmath/library/kernels.h"
#include "detmath/library/scaled_kernels.h"

#include "op/operation.h"
#include "scaled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 17;
static bool everything;
static struct scaled_exact exact;

/* That of its row, which is looked up once. */
static const struct scaled_facts *facts_of(enum scaled_operation operation) {
    static const struct scaled_facts *facts;
    if (facts && facts->operation == operation)
        return facts;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *row = operation_at(i);
        if (row->group && strcmp(row->group, "scaled") == 0) {
            facts = row->array->data;
            if (facts->operation == operation)
                return facts;
        }
    }
    fail();
    return facts;
}

/* The scale, unless it is beside the point: of NaN. */
static void check_scale(enum scaled_operation operation, struct scaled_scale a,
                        struct scaled_scale b, int n, struct detmath_scaled_plan plan) {
    struct scaled_scale want = scaled_exact_scale(&exact, facts_of(operation), a, b, 1, n);
    if (plan.scale.m != want.m || plan.scale.e != want.e) {
        print_error("operation %d scales %a 2^%d, %a 2^%d: got %a 2^%d, want %a 2^%d\n", operation,
                    (double)a.m, a.e, (double)b.m, b.e, (double)plan.scale.m, plan.scale.e,
                    (double)want.m, want.e);
        fail();
    }
}

/* One element: the right bits in narrow formats; in fp32, where double has no bits to spare for
 * sums of exact products, these or their neighbour. */
static void check(enum scaled_operation operation, int format, uint32_t x, struct scaled_scale a,
                  uint32_t y, struct scaled_scale b, int n, struct detmath_scaled_plan plan) {
    const struct detmath_format row = detmath_formats[format];
    const struct format *long_row = format_of(format);
    uint32_t got = detmath_scaled_encode(
        element(operation, detmath_scaled_decode(x, row), detmath_scaled_decode(y, row), plan),
        row);
    struct real u = format_decode(long_row, x), v = format_decode(long_row, y), truth;
    struct error error;
    assert_true(
        scaled_exact_element(&exact, facts_of(operation), &u, a, &v, b, n, 100, &truth, &error));
    uint64_t want = format_encode(long_row, &truth, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    uint64_t apart = got > want ? got - want : want - got;
    if (apart > (format == DETMATH_F32)) {
        print_error("operation %d %s %x (%a 2^%d), %x (%a 2^%d), n %d: got %x, want %llx\n",
                    operation, format_of(format)->name, x, (double)a.m, a.e, y, (double)b.m, b.e, n,
                    got, (unsigned long long)want);
        fail();
    }
}

static void test_fp8_pairs(void **state) {
    (void)state;
    unsigned step = everything ? 1 : 491, at = 0;
    for (int format = DETMATH_E4M3FN; format <= DETMATH_E5M2FNUZ; format++)
        for (int i = 0; i < SCALES; i++)
            for (int j = 0; j < SCALES; j++)
                for (int operation = SCALED_ADD; operation <= SCALED_MIN; operation++) {
                    if (scales[i].is_power != scales[j].is_power)
                        continue;
                    enum scaled_operation which = (enum scaled_operation)operation;
                    struct detmath_scaled_plan plan = plan_of(which, scales[i], scales[j], 0);
                    check_scale(which, scales[i], scales[j], 0, plan);
                    for (uint32_t zeros = 0; zeros < 4; zeros++)
                        check(which, format, zeros & 1 ? 128 : 0, scales[i], zeros & 2 ? 128 : 0,
                              scales[j], 0, plan);
                    for (at %= step; at < 1u << 16; at += step)
                        check(which, format, at >> 8, scales[i], at & 255, scales[j], 0, plan);
                }
}

static void test_fp8_ones(void **state) {
    (void)state;
    for (int format = DETMATH_E4M3FN; format <= DETMATH_E5M2FNUZ; format++)
        for (int i = 0; i < SCALES; i++)
            for (uint32_t x = 0; x < 256; x++) {
                static const enum scaled_operation ones[] = {SCALED_RELU, SCALED_GELU,
                                                             SCALED_REDUCE_MAX, SCALED_CAST};
                for (int k = 0; k < 4; k++) {
                    struct detmath_scaled_plan plan = plan_of(ones[k], scales[i], scales[0], 0);
                    if (ones[k] != SCALED_REDUCE_MAX)
                        check(ones[k], format, x, scales[i], 0, scales[0], 0, plan);
                }
                for (int n = -9; n <= 9; n += 3) {
                    struct detmath_scaled_plan plan =
                        plan_of(SCALED_REBALANCE, scales[i], scales[0], n);
                    check_scale(SCALED_REBALANCE, scales[i], scales[0], n, plan);
                    check(SCALED_REBALANCE, format, x, scales[i], 0, scales[0], n, plan);
                }
            }
}

/* gelu is about x/2 where s x is tiny: to the side that s x is on, where that is a tie. */
static void test_gelu_of_tiny_values(void **state) {
    (void)state;
    static const int formats_[] = {DETMATH_F32, DETMATH_F16, DETMATH_E4M3FN, DETMATH_E5M2};
    for (int i = 0; i < 20000; i++) {
        uint64_t random = random_bits(&seed);
        float m = detmath_from_bits_f32((uint32_t)random & 0x807fffffu) * 0x1p23f;
        struct scaled_scale a = {ldexpf(m, -(int)(random >> 32 & 127)), 0, false};
        uint32_t sign = random >> 40 & 1 ? detmath_formats[formats_[i % 4]].sign_bit : 0;
        check(SCALED_GELU, formats_[i % 4], sign | (1 + (uint32_t)(random >> 48 & 15)), a, 0,
              scales[0], 0, plan_of(SCALED_GELU, a, a, 0));
    }
}

static void test_samples(void **state) {
    (void)state;
    static const int formats_[] = {DETMATH_F32, DETMATH_F16, DETMATH_BF16};
    for (int i = 0; i < (everything ? 5000000 : 150000); i++) {
        uint64_t random = random_bits(&seed);
        int format = formats_[random % 3], n = (int)(random >> 8 & 63) - 32;
        uint32_t mask = format == DETMATH_F32 ? UINT32_MAX : UINT16_MAX;
        bool is_power = random >> 16 & 1;
        struct scaled_scale a = draw_scale(&seed, is_power), b = draw_scale(&seed, is_power);
        static const enum scaled_operation which[] = {SCALED_ADD,  SCALED_SUB,  SCALED_MUL,
                                                      SCALED_DIV,  SCALED_MAX,  SCALED_MIN,
                                                      SCALED_RELU, SCALED_GELU, SCALED_REBALANCE};
        enum scaled_operation operation = which[(random >> 20) % 9];
        struct detmath_scaled_plan plan = plan_of(operation, a, b, n);
        check_scale(operation, a, b, n, plan);
        check(operation, format, (uint32_t)random_bits(&seed) & mask, a,
              (uint32_t)random_bits(&seed) & mask, b, n, plan);
    }
}

/* With powers of two: an add of equal scales has the bits of the unscaled add. */
static void test_equal_scales(void **state) {
    (void)state;
    static const int exponents[] = {0, 1, -1, 100, -100000, INT32_MAX, INT32_MIN};
    for (int format = DETMATH_E4M3FN; format <= DETMATH_E5M2FNUZ; format++)
        for (unsigned e = 0; e < sizeof exponents / sizeof *exponents; e++)
            for (uint32_t pair = 0; pair < 1u << 16; pair++) {
                const struct detmath_format row = detmath_formats[format];
                double x = detmath_decode(pair >> 8, row), y = detmath_decode(pair & 255, row);
                struct scaled_scale scale = {1, exponents[e], true};
                struct detmath_scaled_plan plan = plan_of(SCALED_ADD, scale, scale, 0);
                uint32_t scaled =
                    detmath_scaled_encode(detmath_scaled_add_element(x, y, plan), row);
                assert_int_equal(scaled, detmath_encode(x + y, row));
                assert_true(plan.scale.e == exponents[e] && plan.scale.m == 1);
            }
}

/* A rebalance loses nothing as long as the data stay normal numbers in range. */
static void test_rebalance_keeps(void **state) {
    (void)state;
    unsigned kept = 0;
    for (int format = DETMATH_E4M3FN; format <= DETMATH_E5M2FNUZ; format++)
        for (int n = -16; n <= 16; n++)
            for (uint32_t x = 0; x < 256; x++) {
                const struct detmath_format row = detmath_formats[format];
                double value = detmath_decode(x, row), moved = ldexp(value, -n);
                struct scaled_scale scale = {1, 5, true};
                struct detmath_scaled_plan plan = plan_of(SCALED_REBALANCE, scale, scale, n);
                uint32_t code =
                    detmath_scaled_encode(detmath_scaled_apply_element(value, 0, plan), row);
                if (!(fabs(moved) >= ldexp(1, row.emin) &&
                      fabs(moved) <= detmath_decode(row.max_finite, row)))
                    continue;
                kept++;
                assert_true(ldexp(detmath_decode(code, row), plan.scale.e) == ldexp(value, 5));
            }
    assert_true(kept > 10000);
}

/* One array by one instruction set is what its elements are. */
static void check_array(const struct detmath_scaled_kernels *kernels, int to, int format) {
    static uint32_t a[300], b[300], c[300];
    size_t n = random_bits(&seed) % 300;
    for (size_t i = 0; i < 300; i++) {
        a[i] = (uint32_t)random_bits(&seed);
        b[i] = (uint32_t)random_bits(&seed);
    }
    bool is_power = random_bits(&seed) & 1;
    static const struct {
        const char *name;
        enum scaled_operation operation;
        /* What is not the operation's own: in fp16 arithmetic, and without a scalar in the scale. */
        double (*element)(double, double, struct detmath_scaled_plan);
    } names[] = {{"add", SCALED_ADD, NULL},
                 {"sub", SCALED_SUB, NULL},
                 {"mul", SCALED_MUL, NULL},
                 {"mul_data", SCALED_MUL, detmath_scaled_mul_data_element},
                 {"div", SCALED_DIV, NULL},
                 {"max", SCALED_MAX, NULL},
                 {"min", SCALED_MIN, NULL},
                 {"relu", SCALED_RELU, NULL},
                 {"gelu", SCALED_GELU, NULL},
                 {"exp", SCALED_EXP, NULL},
                 {"log", SCALED_LOG, NULL},
                 {"tanh", SCALED_TANH, NULL},
                 {"sigmoid", SCALED_SIGMOID, NULL},
                 {"apply", SCALED_REBALANCE, NULL},
                 {"relu_gradient", SCALED_RELU_GRADIENT, NULL},
                 {"sigmoid_gradient", SCALED_SIGMOID_GRADIENT, NULL},
                 {"tanh_gradient", SCALED_TANH_GRADIENT, NULL},
                 {"gelu_gradient", SCALED_GELU_GRADIENT, NULL},
                 {"exp_gradient", SCALED_EXP_GRADIENT, NULL},
                 {"step", SCALED_STEP, NULL},
                 {"div_gradient", SCALED_DIV_GRADIENT, NULL},
                 {"exp_f16", SCALED_EXP, detmath_scaled_exp_f16_element},
                 {"sigmoid_f16", SCALED_SIGMOID, detmath_scaled_sigmoid_f16_element},
                 {"log_f16", SCALED_LOG, detmath_scaled_log_f16_element},
                 {"tanh_f16", SCALED_TANH, detmath_scaled_tanh_f16_element},
                 {"gelu_f16", SCALED_GELU, detmath_scaled_gelu_f16_element},
                 {0}};
    int at = 0;
    while (names[at].name && strcmp(names[at].name, kernels->name) != 0)
        at++;
    if (!names[at].name)
        fail_msg("the kernel %s has no line here", kernels->name);
    enum scaled_operation operation = names[at].operation;
    struct detmath_scaled_plan plan =
        plan_of(operation, draw_scale(&seed, is_power), draw_scale(&seed, is_power), 3);
    size_t from_bytes = format_bytes(format_of(format)), to_bytes = format_bytes(format_of(to));
    fill(kernels, to, c, format, a, b, n, &plan);
    for (size_t i = 0; i < n; i++) {
        const struct detmath_format row = detmath_formats[format];
        double x = detmath_scaled_decode((uint32_t)code_load(a, from_bytes, i), row);
        double y = detmath_scaled_decode((uint32_t)code_load(b, from_bytes, i), row);
        double result =
            names[at].element ? names[at].element(x, y, plan) : element(operation, x, y, plan);
        uint32_t want = detmath_scaled_encode(result, detmath_formats[to]);
        assert_int_equal(code_load(c, to_bytes, i), want);
    }
}

static void test_arrays(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (unsigned which = 0; level.scaled && which < DETMATH_SCALED_OPERATION_COUNT; which++)
            for (int format = 0; format < DETMATH_FORMATS; format++)
                for (int to = 0; to < DETMATH_FORMATS; to++)
                    check_array(&level.scaled[which], to, format);
}

/* The branch-free forms are those of round.h. */
static void test_codes(void **state) {
    (void)state;
    for (int format = 0; format < DETMATH_FORMATS; format++)
        for (int i = 0; i < 300000; i++) {
            const struct detmath_format row = detmath_formats[format];
            uint64_t random = random_bits(&seed);
            double y = detmath_from_bits_f64(random);
            if (i & 1)
                y = detmath_decode((uint32_t)random & (2 * row.sign_bit - 1), row) *
                    (1 + ldexp((double)(int)(random >> 60) - 8, -row.precision));
            assert_int_equal(detmath_scaled_encode(y, row), detmath_encode(y, row));
            uint32_t code = (uint32_t)random & (2 * row.sign_bit - 1);
            uint64_t got = detmath_bits_f64(detmath_scaled_decode(code, row));
            uint64_t want = detmath_bits_f64(detmath_decode(code, row));
            assert_true(got == want || (got << 1) + (want << 1) > UINT64_C(0xffe) << 53);
        }
}

int main(int argc, char **argv) {
    everything = argc > 1 && strcmp(argv[1], "all") == 0;
    scaled_exact_open(&exact);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),           cmocka_unit_test(test_fp8_pairs),
        cmocka_unit_test(test_fp8_ones),        cmocka_unit_test(test_gelu_of_tiny_values),
        cmocka_unit_test(test_samples),         cmocka_unit_test(test_equal_scales),
        cmocka_unit_test(test_rebalance_keeps), cmocka_unit_test(test_arrays)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scaled_exact_close(&exact);
    return failed;
}
