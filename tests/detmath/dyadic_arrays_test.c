/* Array forms of the dyadic operations: on every instruction set, cut anywhere, on any number of threads they
 * return what the scalar functions do. */
#include "dyadic_draws.h"

#include "detmath/dyadic_real.h"
#include "detmath/library/dyadic_kernels.h"
#include "detmath/library/kernels.h"
#include "detmath/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 7;

enum { MOST = 700 };

static struct detmath_dyadic_plan draw_plan(enum detmath_dyadic_operation which,
                                            struct detmath_dyadic_rules rules) {
    const int far = random_bits(&seed) % 3 ? 20 : random_between(&seed, 1, 150);
    int a = random_between(&seed, 0, far), b = random_between(&seed, 0, far);
    int c = random_between(&seed, 0, far < DETMATH_DYADIC_MOST_SHIFT ? far - 1 : 62);
    switch (which) {
    case DETMATH_DYADIC_INDEX_mul:
        return detmath_dyadic_plan_mul(a, b, random_bits(&seed) % 3 ? (a + b) / 2 : a - b, rules);
    case DETMATH_DYADIC_INDEX_div:
        return detmath_dyadic_plan_div(a, b, b - a / 2, rules);
    case DETMATH_DYADIC_INDEX_relu_gradient:
        return detmath_dyadic_plan_relu_gradient(a, b, rules);
    case DETMATH_DYADIC_INDEX_equal:
        return detmath_dyadic_plan_equal(a, b, rules);
    case DETMATH_DYADIC_INDEX_add:
    case DETMATH_DYADIC_INDEX_sub:
        return detmath_dyadic_plan_add(a, b, rules);
    default:
        return detmath_dyadic_plan_requantise(a, b, c + 1, c & 1, rules);
    }
}

static int64_t scalar_element(enum detmath_dyadic_operation which, int64_t x1, int64_t x2,
                              struct detmath_dyadic_plan plan, uint64_t random, uint32_t *status) {
    switch (which) {
    case DETMATH_DYADIC_INDEX_align:
        return detmath_dyadic_align_mantissa(x1, plan, random, status);
    case DETMATH_DYADIC_INDEX_add:
        return detmath_dyadic_add_mantissas(x1, x2, plan, random, status);
    case DETMATH_DYADIC_INDEX_sub:
        return detmath_dyadic_sub_mantissas(x1, x2, plan, random, status);
    case DETMATH_DYADIC_INDEX_mul:
        return detmath_dyadic_mul_mantissas(x1, x2, plan, random, status);
    case DETMATH_DYADIC_INDEX_div:
        return detmath_dyadic_div_mantissas(x1, x2, plan, status);
    case DETMATH_DYADIC_INDEX_relu:
        return detmath_dyadic_relu_mantissa(x1, plan, status);
    case DETMATH_DYADIC_INDEX_relu_gradient:
        return detmath_dyadic_relu_gradient_mantissa(x1, x2, plan, status);
    case DETMATH_DYADIC_INDEX_equal:
        return detmath_dyadic_equal_mantissas(x1, x2, plan, status);
    case DETMATH_DYADIC_INDEX_requantise:
        return detmath_dyadic_requantise_mantissa(x1, plan, random, status);
    default:
        return detmath_dyadic_gradient_mantissa(x1, x2, plan, random, status);
    }
}

/* One array by one instruction set, in two parts, as two threads would have them. */
static void check_arrays(const struct detmath_dyadic_kernels *kernels,
                         enum detmath_dyadic_operation which, struct detmath_dyadic_rules rules) {
    struct detmath_dyadic_plan plan = draw_plan(which, rules);
    size_t n = random_bits(&seed) % MOST, cut = n ? random_bits(&seed) % n : 0;
    uint64_t key = random_bits(&seed), first = random_bits(&seed);
    const int down = random_bits(&seed) & 1 ? 0 : random_between(&seed, 0, 60);
    static int64_t wide[3][MOST];
    static int32_t narrow[3][MOST];
    uint32_t want_status = 0, status = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            wide[k][i] = wide_mantissa(&seed) >> down;
            if (rules.bits == 32)
                wide[k][i] = narrow[k][i] = (int32_t)wide[k][i];
        }
    if (rules.bits == 32) {
        status |= kernels->i32(narrow[2], narrow[0], narrow[1], cut, &plan, key, first);
        status |= kernels->i32(narrow[2] + cut, narrow[0] + cut, narrow[1] + cut, n - cut, &plan,
                               key, first + cut);
    } else {
        status |= kernels->i64(wide[2], wide[0], wide[1], cut, &plan, key, first);
        status |= kernels->i64(wide[2] + cut, wide[0] + cut, wide[1] + cut, n - cut, &plan, key,
                               first + cut);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t want = scalar_element(which, wide[0][i], wide[1][i], plan,
                                      detmath_random(key, first + i), &want_status);
        int64_t got = rules.bits == 32 ? narrow[2][i] : wide[2][i];
        assert_true(got == (rules.bits == 32 ? (int32_t)want : want));
    }
    assert_int_equal(status, want_status);
}

static void test_arrays(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (unsigned which = 0; level.dyadic && which < DETMATH_DYADIC_OPERATION_COUNT; which++)
            for (unsigned number = 0; number < 4 * 72; number++)
                check_arrays(&level.dyadic[which], (enum detmath_dyadic_operation)which,
                             rules_number(number % 72));
}

/* From fp32 and fp64, and to them: near the middle between two integers, where subnormal numbers are cut, beyond the bounds,
 * and NaN. */
#define CHECK_CONVERSIONS(REAL, FORMAT, WIDTH, TYPE, UINT)                                         \
    static void check_##FORMAT##_##WIDTH(const struct detmath_dyadic_kernels *from,                \
                                         const struct detmath_dyadic_kernels *to,                  \
                                         struct detmath_dyadic_rules rules) {                      \
        static REAL x[MOST], y[MOST];                                                              \
        static TYPE v[MOST], w[MOST];                                                              \
        const struct detmath_dyadic_real_format format = REAL_FORMAT_##FORMAT;                     \
        const size_t n = random_bits(&seed) % MOST;                                                \
        const uint64_t key = random_bits(&seed), first = random_bits(&seed);                       \
        const int far = random_bits(&seed) % 3 ? 30 : 160, is_signed = random_bits(&seed) & 1;     \
        const int t = random_between(&seed, -far, far);                                            \
        const struct detmath_dyadic_plan plan = detmath_dyadic_plan_from_real(                     \
            t, random_between(&seed, 1, random_bits(&seed) & 1 ? 16 : 63), is_signed, rules);      \
        const struct detmath_dyadic_plan back = detmath_dyadic_plan_to_real(t, rules);             \
        uint32_t want_status = 0;                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t bits = random_bits(&seed);                                              \
            UINT code = (UINT)random_bits(&seed);                                                  \
            memcpy(&x[i], &code, sizeof code);                                                     \
            if (bits & 1) /* halves and their neighbours, times 2^-t */                            \
                x[i] = (REAL)((double)random_between(&seed, -99, 99) / 2 *                         \
                              (double)(REAL)detmath_power_of_two(-t));                             \
            memcpy(&code, &x[i], sizeof code);                                                     \
            code += (UINT)(bits & 1 ? (bits >> 8) % 3 - 1 : 0);                                    \
            memcpy(&x[i], &code, sizeof code);                                                     \
            v[i] = (TYPE)(wide_mantissa(&seed) >> (bits >> 16) % 64);                              \
        }                                                                                          \
        const uint32_t status = from->WIDTH(w, x, NULL, n, &plan, key, first);                     \
        assert_int_equal(to->WIDTH(y, v, NULL, n, &back, 0, 0), 0);                                \
        for (size_t i = 0; i < n; i++) {                                                           \
            UINT code, got;                                                                        \
            memcpy(&code, &x[i], sizeof code);                                                     \
            memcpy(&got, &y[i], sizeof got);                                                       \
            const int64_t want = detmath_dyadic_from_code(                                         \
                code, format, plan, detmath_random(key, first + i), &want_status);                 \
            if (w[i] != (TYPE)want)                                                                \
                fail_msg("%a times 2^%d by rounding %d: %lld, not %lld", (double)x[i], t,          \
                         (int)rules.rounding, (long long)w[i], (long long)want);                   \
            const UINT number = (UINT)detmath_dyadic_to_code(v[i], t, format, rules.rounding);     \
            if (got != number)                                                                     \
                fail_msg("%lld at scale %d by rounding %d: %llx, not %llx", (long long)v[i], t,    \
                         (int)rules.rounding, (unsigned long long)got,                             \
                         (unsigned long long)number);                                              \
        }                                                                                          \
        assert_int_equal(status, want_status);                                                     \
    }
#define REAL_FORMAT_f32 DETMATH_DYADIC_F32
#define REAL_FORMAT_f64 DETMATH_DYADIC_F64
CHECK_CONVERSIONS(float, f32, i32, int32_t, uint32_t)
CHECK_CONVERSIONS(float, f32, i64, int64_t, uint32_t)
CHECK_CONVERSIONS(double, f64, i32, int32_t, uint64_t)
CHECK_CONVERSIONS(double, f64, i64, int64_t, uint64_t)

static void test_conversions(void **state) {
    const char *given = getenv("CASES");
    const unsigned cases = given ? (unsigned)atoi(given) : 8 * 72;
    struct detmath_level level;
    (void)state;
    for (int l = 0; detmath_level(l, &level); l++)
        for (unsigned number = 0; level.dyadic && number < cases; number++) {
            const struct detmath_dyadic_rules rules = rules_number(number % 72);
            const struct detmath_dyadic_kernels *all = level.dyadic;
            (rules.bits == 32 ? check_f32_i32 : check_f32_i64)(
                &all[DETMATH_DYADIC_INDEX_from_f32], &all[DETMATH_DYADIC_INDEX_to_f32], rules);
            (rules.bits == 32 ? check_f64_i32 : check_f64_i64)(
                &all[DETMATH_DYADIC_INDEX_from_f64], &all[DETMATH_DYADIC_INDEX_to_f64], rules);
        }
}

/* Those of layers, by the steps that they are made of: of mse differences and sums, of step velocities and weights. */
#define CHECK_LAYERS(WIDTH, TYPE)                                                                  \
    static void check_layers_##WIDTH(struct detmath_dyadic_rules rules) {                          \
        static TYPE x[MOST], y[MOST], z[MOST], w[MOST], m[MOST];                                   \
        const size_t n = 1 + random_bits(&seed) % (MOST - 1);                                      \
        const uint64_t key = random_bits(&seed), first = random_bits(&seed);                       \
        const int down = random_bits(&seed) % 3 ? random_between(&seed, 0, 63) : 0;                \
        const int far = random_bits(&seed) % 3 ? 20 : random_between(&seed, 1, 150);               \
        const struct detmath_dyadic_plan plan = detmath_dyadic_plan_add(                           \
            random_between(&seed, 0, far), random_between(&seed, 0, far), rules);                  \
        const struct detmath_dyadic_step step = detmath_dyadic_step_of(                            \
            random_between(&seed, 0, far / 2), random_between(&seed, 0, far / 2),                  \
            random_between(&seed, 0, far % 64), random_between(&seed, 0, far % 64),                \
            1 + (int64_t)(random_bits(&seed) >> random_between(&seed, 2, 63)), rules);             \
        const struct detmath_dyadic_plan mean = detmath_dyadic_plan_mean(plan, 3);                 \
        uint32_t want_status = 0, status = 0;                                                      \
        int64_t sum = 0;                                                                           \
        int32_t s;                                                                                 \
        for (size_t i = 0; i < n; i++) {                                                           \
            x[i] = (TYPE)(wide_mantissa(&seed) >> down);                                           \
            y[i] = (TYPE)(wide_mantissa(&seed) >> down);                                           \
            z[i] = w[i] = (TYPE)(wide_mantissa(&seed) >> down);                                    \
            m[i] = y[i];                                                                           \
            sum = detmath_dyadic_add_square(sum, x[i], y[i], plan, detmath_random(key, first + i), \
                                            &want_status);                                         \
        }                                                                                          \
        sum = detmath_dyadic_div_mantissas(sum, (int64_t)n, mean, &want_status);                   \
        TYPE got = detmath_dyadic_mse_##WIDTH(x, y, n, &plan, 3, key, first, &s, &status);         \
        assert_true(got == (TYPE)sum);                                                             \
        assert_int_equal(status, want_status);                                                     \
        assert_int_equal(step.status, 0);                                                          \
        status = detmath_dyadic_step_##WIDTH(w, m, x, n, &step, key, first);                       \
        want_status = 0;                                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint64_t random = detmath_random(key, first + i);                                \
            int64_t v = detmath_dyadic_step_velocity(y[i], x[i], step, random, &want_status);      \
            assert_true(m[i] == (TYPE)v);                                                          \
            v = detmath_dyadic_step_weight(z[i], v, step, random, &want_status);                   \
            assert_true(w[i] == (TYPE)v);                                                          \
        }                                                                                          \
        assert_int_equal(status, want_status);                                                     \
    }
CHECK_LAYERS(i32, int32_t)
CHECK_LAYERS(i64, int64_t)

static void test_layers(void **state) {
    (void)state;
    for (unsigned number = 0; number < 40 * 72; number++) {
        const struct detmath_dyadic_rules rules = rules_number(number % 72);
        (rules.bits == 32 ? check_layers_i32 : check_layers_i64)(rules);
    }
}

/* Two runs with one seed agree on any number of threads: each element draws by its own index. */
static void test_threads(void **state) {
    (void)state;
    enum { N = 100003 };
    static int32_t x[N], alone[N], shared[N];
    const struct detmath_dyadic_rules rules = {32, DETMATH_DYADIC_WRAP, DETMATH_DYADIC_STOCHASTIC,
                                               0};
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_requantise(9, 2, 8, 1, rules);
    for (int i = 0; i < N; i++)
        x[i] = random_between(&seed, -20000, 20000);
    assert_int_equal(detmath_dyadic_requantise_i32(alone, x, N, &plan, 42, 0), 0);
    for (int threads = 1; threads <= 8; threads++) {
        memset(shared, 0, sizeof shared);
#pragma omp parallel for num_threads(threads)
        for (int part = 0; part < threads; part++) {
            size_t from = (size_t)N * (size_t)part / (size_t)threads;
            size_t to = (size_t)N * (size_t)(part + 1) / (size_t)threads;
            detmath_dyadic_requantise_i32(shared + from, x + from, to - from, &plan, 42, from);
        }
        assert_memory_equal(shared, alone, sizeof alone);
    }
    plan.rules.bits = 64;
    assert_int_equal(detmath_dyadic_requantise_i32(shared, x, N, &plan, 42, 0),
                     DETMATH_DYADIC_BAD_WIDTH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays), cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_layers), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
