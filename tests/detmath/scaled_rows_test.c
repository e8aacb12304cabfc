/* The scaled operations over rows against MPFR: softmax, products of rows and columns, static
 * scales, and the scale to rebalance to. */
#include "detmath/scaled_arrays.h"

#include "scaled.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct scaled_facts of_products = {.operation = SCALED_MATMUL, .two = true};

static uint64_t seed = 18;
static struct scaled_exact exact;

enum { ROW = 61 };

/* Rows of data at random, spread as they need to be. */
static void draw_row(int format, uint32_t *codes, size_t count) {
    const struct detmath_format row = detmath_formats[format];
    for (size_t i = 0; i < count; i++) {
        double value = ((double)(random_bits(&seed) >> 40) - 0x1p23) * 0x1p-20;
        codes[i] = detmath_encode(value, row);
    }
}

static void store(int format, void *to, const uint32_t *codes, size_t count) {
    for (size_t i = 0; i < count; i++)
        code_store(to, format_bytes(format_of(format)), i, codes[i]);
}

static void decode_row(int format, const uint32_t *codes, size_t count, struct real *values) {
    for (size_t i = 0; i < count; i++)
        values[i] = format_decode(format_of(format), codes[i]);
}

static void check_softmax(int format, const uint32_t *codes, size_t count, struct scaled_scale a) {
    uint32_t packed[ROW], out[ROW];
    struct real values[ROW], data[ROW], scale = {0};
    struct error error;
    const struct format *row = format_of(format);
    struct detmath_scaled_plan plan = plan_of(SCALED_SOFTMAX, a, a, 0);
    store(format, packed, codes, count);
    decode_row(format, codes, count, values);
    float got = detmath_scaled_softmax(format, out, packed, count, &plan, DETMATH_SCALED_F32);
    assert_true(scaled_exact_softmax(&exact, values, count, a, 100, data, &scale, &error));
    for (size_t at = 0; at < count; at++) {
        uint64_t want = format_encode(row, &data[at], ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        uint64_t code = code_load(out, format_bytes(row), at);
        assert_true(code - want + 1 <= 2);
        assert_true(code == want || format == DETMATH_F32);
    }
    assert_int_equal(detmath_bits_f32(got),
                     format_encode(format_of(0), &scale, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
}

static void test_softmax(void **state) {
    (void)state;
    static const uint32_t ends[][3] = {{0x7c00, 0x3c00, 0},      {0xfc00, 0xfc00, 0xfc00},
                                       {0xfc00, 0x3c00, 0x3c00}, {0x3c00, 0x3c00, 0x3c00},
                                       {0x7e00, 0, 0},           {0x7bff, 0xfbff, 0}};
    uint32_t codes[ROW];
    for (int i = 0; i < SCALES; i++) {
        if (scales[i].e > 4000 || scales[i].e < -4000)
            continue; /* e^(2^INT_MAX) would take MPFR long */
        for (unsigned end = 0; end < sizeof ends / sizeof *ends; end++)
            check_softmax(DETMATH_F16, ends[end], 3, scales[i]);
        for (int format = 0; format < DETMATH_FORMATS; format++) {
            size_t count = 1 + random_bits(&seed) % (9);
            draw_row(format, codes, count);
            check_softmax(format, codes, count, scales[i]);
        }
    }
}

static void test_dot(void **state) {
    (void)state;
    uint32_t codes[2][ROW], packed[2][ROW];
    struct real values[2][ROW];
    for (int trial = 0; trial < 3000; trial++) {
        int format = trial % DETMATH_FORMATS;
        size_t k = 1 + random_bits(&seed) % ROW;
        bool is_power = trial & 8;
        struct scaled_scale a = scales[is_power ? FP32_SCALES + trial % 4 : trial % FP32_SCALES];
        struct scaled_scale b = scales[is_power ? FP32_SCALES + trial / 8 % 4 : trial / 8 % 9];
        enum detmath_scaled_strategy strategy = (enum detmath_scaled_strategy)(trial / 16 % 4);
        if (is_power)
            strategy = DETMATH_SCALED_STATIC_POWER;
        for (int i = 0; i < 2; i++) {
            draw_row(format, codes[i], k);
            store(format, packed[i], codes[i], k);
            decode_row(format, codes[i], k, values[i]);
        }
        struct detmath_scaled_plan plan = detmath_scaled_plan_matmul(
            kernel_scale(a), kernel_scale(b), strategy, (uint32_t)k, is_power);
        float divisor = detmath_scaled_static(strategy, (uint32_t)k);
        uint32_t got = detmath_scaled_dot(format, packed[0], packed[1], k, 1, &plan);
        struct real truth = exact_dot(&exact, values[0], a, values[1], b, k, divisor);
        uint64_t want = format_encode(format_of(format), &truth, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        if (got - want + 1 > 2 || (got != want && format != DETMATH_F32)) {
            print_error("dot %s of %zu: got %x, want %llx\n", format_of(format)->name, k, got,
                        (unsigned long long)want);
            fail();
        }
        struct scaled_scale c = scaled_exact_scale(&exact, &of_products, a, b, divisor, 0);
        assert_true(plan.scale.m == c.m && plan.scale.e == c.e);
    }
}

/* The static scales, by integers: n^2 <= k etc. */
static void test_static(void **state) {
    (void)state;
    for (uint32_t k = 1; k < 70000; k++) {
        assert_true(detmath_scaled_static(DETMATH_SCALED_STATIC_ONE, k) == 1);
        assert_true(detmath_scaled_static(DETMATH_SCALED_STATIC_MEAN, k) == (float)k);
        double root = (double)detmath_scaled_static(DETMATH_SCALED_STATIC_UNIT, k);
        double next = (double)nextafterf((float)root, INFINITY);
        assert_true(root * root <= k && next * next > k);
        double power = (double)detmath_scaled_static(DETMATH_SCALED_STATIC_POWER, k);
        /* power / sqrt(2) <= sqrt(k) < power sqrt(2) */
        assert_true(power * power <= 2.0 * k && 2 * power * power > k);
        double down = (double)detmath_scaled_static(DETMATH_SCALED_STATIC_POWER_DOWN, k);
        int exponent;
        assert_true(frexp(down, &exponent) == 0.5 && down * down <= k && 4 * down * down > k);
        const float own = (float)k * 0x1p-20f;
        assert_true(detmath_scaled_static(detmath_scaled_own_static(own), k) == own);
    }
    const float others[] = {0, -1, NAN, INFINITY, 0x1p-127f, 0x1p-149f};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(detmath_scaled_own_static(others[i]) == DETMATH_SCALED_STATIC_OWN - 1);
    assert_true(detmath_scaled_static(detmath_scaled_own_static(FLT_MIN), 1) == FLT_MIN);
    assert_true(detmath_scaled_static(detmath_scaled_own_static(FLT_MAX), 1) == FLT_MAX);
}

/* By trying everything: no smaller n is in range; no n has a smaller sum of squares. */
static void test_find(void **state) {
    (void)state;
    uint32_t codes[ROW];
    for (int trial = 0; trial < 400; trial++) {
        int format = trial % 3, to = DETMATH_E4M3FN + trial % 4;
        const struct detmath_format from = detmath_formats[format], row = detmath_formats[to];
        double most = detmath_decode(row.max_finite, row), greatest = 0, best = INFINITY;
        uint32_t packed[ROW];
        draw_row(format, codes, ROW);
        if (trial & 4) /* an outlier */
            codes[5] = detmath_encode(30000.0, from);
        store(format, packed, codes, ROW);
        for (int i = 0; i < ROW; i++)
            greatest = fmax(greatest, fabs(detmath_decode(codes[i], from)));
        int maximum = detmath_scaled_find(to, format, packed, ROW, DETMATH_SCALED_BY_MAXIMUM);
        int squares = detmath_scaled_find(to, format, packed, ROW, DETMATH_SCALED_BY_SQUARES);
        assert_true(ldexp(greatest, -maximum) <= most && ldexp(greatest, 1 - maximum) > most);
        assert_true(squares <= maximum && squares >= maximum - 24);
        double errors[25];
        for (int below = 0; below <= 24; below++) {
            errors[below] = 0;
            for (int i = 0; i < ROW; i++) {
                double x = fabs(detmath_decode(codes[i], from)), y = ldexp(x, below - maximum);
                y = y > most ? most : detmath_decode(detmath_encode(y, row), row);
                double error = x - ldexp(y, maximum - below);
                errors[below] += error * error;
            }
            best = fmin(best, errors[below]);
        }
        assert_true(errors[maximum - squares] <= best * (1 + 0x1p-40));
    }
    uint32_t nothing[3] = {0, 0x7fc00000, 0xff800000};
    assert_int_equal(detmath_scaled_find(DETMATH_E5M2, 0, nothing, 3, DETMATH_SCALED_BY_MAXIMUM),
                     0);
    assert_false(detmath_scaled_has_number(0, nothing, 3));
    nothing[1] = 0x80000001;
    assert_true(detmath_scaled_has_number(0, nothing, 3));
}

int main(void) {
    scaled_exact_open(&exact);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_softmax), cmocka_unit_test(test_dot),
                                       cmocka_unit_test(test_static), cmocka_unit_test(test_find)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scaled_exact_close(&exact);
    return failed;
}
