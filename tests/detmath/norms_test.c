/* Norms: each line has the bits that it has alone, whatever lies beside it and wherever it lies, of every length to 512 and
 * some beyond, on every instruction set; no weight is the weight 1 and no bias -0; and what is computed is right. */
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"
#include "detmath/transformer.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 5000, ROWS = 3, ALL_LENGTHS = 512, NORMS = 3 };
static uint64_t seed = 7;
static float x[ROWS * MOST], y[ROWS * MOST], z[ROWS * MOST], weight[MOST], bias[MOST], ones[MOST],
    zeros[MOST];

static size_t next_length(size_t n) {
    return n < ALL_LENGTHS ? n + 1 : n + n / 3;
}

static float draw(void) {
    const double unit = (double)(random_bits(&seed) >> 11) * 0x1p-53;
    return (float)(4 * unit - 2);
}

static void fill(float *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        numbers[i] = draw();
}

static struct detmath_strided line_of(float *numbers, const size_t *n) {
    return (struct detmath_strided){numbers, DETMATH_F32, 1, n, NULL};
}

/* One line alone. */
static void norm_line(int which, float *to, float *from, float *w, float *b, size_t n) {
    const struct detmath_strided out = line_of(to, &n), in = line_of(from, &n), by = line_of(w, &n),
                                 plus = line_of(b, &n);
    assert_int_equal(detmath_norm_along((enum detmath_norm)which, &out, &in, w ? &by : NULL,
                                        b ? &plus : NULL, 0, 1e-5f),
                     0);
}

static void assert_same(const float *a, const float *b, size_t n) {
    assert_memory_equal(a, b, n * sizeof *a);
}

/* A batch is its rows, and its columns are rows; in place; with gaps and backwards. */
static void test_a_line_has_its_bits_anywhere(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n = next_length(n))
        for (int which = 0; which < NORMS; which++) {
            const size_t rows[2] = {ROWS, n}, columns[2] = {n, ROWS};
            const ptrdiff_t turned[2] = {1, (ptrdiff_t)n}, back[2] = {(ptrdiff_t)n, -1};
            struct detmath_strided in = {x, DETMATH_F32, 2, rows, NULL},
                                   out = {y, DETMATH_F32, 2, rows, NULL};
            const struct detmath_strided by = line_of(weight, &n), plus = line_of(bias, &n);
            fill(x, ROWS * n);
            fill(weight, n);
            fill(bias, n);
            for (size_t row = 0; row < ROWS; row++)
                norm_line(which, z + row * n, x + row * n, weight, bias, n);
            assert_int_equal(
                detmath_norm_along((enum detmath_norm)which, &out, &in, &by, &plus, 1, 1e-5f), 0);
            assert_same(y, z, ROWS * n);
            /* the same numbers as columns of a transposed view */
            memset(y, 0, sizeof y);
            in = (struct detmath_strided){x, DETMATH_F32, 2, columns, turned};
            out = (struct detmath_strided){y, DETMATH_F32, 2, columns, turned};
            assert_int_equal(
                detmath_norm_along((enum detmath_norm)which, &out, &in, &by, &plus, 0, 1e-5f), 0);
            assert_same(y, z, ROWS * n);
            /* in place, and from the end, where the line is another one */
            memcpy(y, x, ROWS * n * sizeof *x);
            norm_line(which, y, y, weight, bias, n);
            assert_same(y, z, n);
            for (size_t i = 0; i < n; i++)
                y[i] = x[n - 1 - i];
            norm_line(which, z, y, NULL, NULL, n);
            const struct detmath_strided reversed = {x + n - 1, DETMATH_F32, 2, rows, back};
            const size_t one[2] = {1, n};
            struct detmath_strided first = reversed;
            first.extents = one;
            const struct detmath_strided to = {y, DETMATH_F32, 2, one, NULL};
            assert_int_equal(
                detmath_norm_along((enum detmath_norm)which, &to, &first, NULL, NULL, -1, 1e-5f),
                0);
            assert_same(y, z, n);
        }
}

static void test_absent_operands_are_neutral(void **state) {
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        ones[i] = 1;
        zeros[i] = -0.0f;
    }
    for (size_t n = 1; n <= MOST; n = next_length(n))
        for (int which = 0; which < NORMS; which++) {
            fill(x, n);
            x[n / 2] = n % 2 ? 0.0f : -0.0f;
            if (n % 7 == 3)
                x[n / 3] = n % 2 ? INFINITY : NAN;
            fill(bias, n);
            norm_line(which, y, x, NULL, NULL, n);
            norm_line(which, z, x, ones, zeros, n);
            assert_same(y, z, n);
            norm_line(which, y, x, NULL, bias, n);
            norm_line(which, z, x, ones, bias, n);
            assert_same(y, z, n);
        }
}

static void test_every_level_has_the_same_bits(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n = next_length(n))
        for (int which = 0; which < NORMS; which++) {
            fill(x, n);
            fill(weight, n);
            fill(bias, n);
            norm_line(which, y, x, weight, bias, n);
            for (int level = 0; level < 3; level++) {
                const struct detmath_reductions *of = detmath_reductions_level(level);
                if (!of)
                    continue;
                of->lines->norm(z, x, weight, bias, n, 1e-5f, (enum detmath_norm)which);
                assert_same(y, z, n);
            }
            detmath_normf(z, x, weight, bias, n, 1e-5f, which);
            assert_same(y, z, n);
        }
}

/* Against sums in long double: within 0.51 ulp where nothing cancels, however large the mean is. */
static void test_elements_are_right(void **state) {
    (void)state;
    for (size_t n = 2; n <= MOST; n = next_length(n))
        for (int which = 0; which < NORMS; which++) {
            const float mean = n % 3 ? 0 : 100;
            long double sum = 0, squares = 0;
            for (size_t i = 0; i < n; i++)
                sum += x[i] = draw() + mean;
            const long double middle = which == DETMATH_LAYER_NORM ? sum / n : 0;
            for (size_t i = 0; i < n; i++)
                squares += (x[i] - middle) * (x[i] - middle);
            const long double root =
                which == DETMATH_L2_NORM ? sqrtl(squares) : sqrtl(squares / n + (long double)1e-5f);
            norm_line(which, y, x, NULL, NULL, n);
            for (size_t i = 0; i < n; i++) {
                const long double want = (x[i] - middle) / root;
                const long double ulp = ldexpl(1, ilogbl(want) - 23);
                if (fabsl(x[i] - middle) > 0x1p-10L * (1 + mean))
                    assert_true(fabsl(y[i] - want) < 0.51L * ulp);
            }
        }
}

/* Groups and channels are layer norms of their elements. */
static void test_groups_and_channels_are_lines(void **state) {
    enum { SAMPLES = 2, CHANNELS = 6, SPOTS = 35, GROUPS = 3, EACH = CHANNELS / GROUPS };
    const size_t extents[3] = {SAMPLES, CHANNELS, SPOTS}, channels = CHANNELS;
    const struct detmath_strided in = {x, DETMATH_F32, 3, extents, NULL},
                                 out = {y, DETMATH_F32, 3, extents, NULL},
                                 by = line_of(weight, &channels), plus = line_of(bias, &channels);
    static float line[SAMPLES * CHANNELS * SPOTS], w[SAMPLES * CHANNELS * SPOTS],
        b[SAMPLES * CHANNELS * SPOTS];
    (void)state;
    fill(x, SAMPLES * CHANNELS * SPOTS);
    fill(weight, CHANNELS);
    fill(bias, CHANNELS);
    assert_int_equal(detmath_group_norm(&out, &in, &by, &plus, GROUPS, 1e-5f), 0);
    for (size_t group = 0; group < SAMPLES * GROUPS; group++) {
        for (size_t i = 0; i < EACH * SPOTS; i++) {
            w[i] = weight[group % GROUPS * EACH + i / SPOTS];
            b[i] = bias[group % GROUPS * EACH + i / SPOTS];
        }
        norm_line(DETMATH_LAYER_NORM, line, x + group * EACH * SPOTS, w, b, EACH * SPOTS);
        assert_same(y + group * EACH * SPOTS, line, EACH * SPOTS);
    }
    assert_int_equal(detmath_batch_norm(&out, &in, &by, &plus, 1e-5f), 0);
    for (size_t channel = 0; channel < CHANNELS; channel++) {
        for (size_t i = 0; i < SAMPLES * SPOTS; i++) {
            line[i] = x[(i / SPOTS * CHANNELS + channel) * SPOTS + i % SPOTS];
            w[i] = weight[channel];
            b[i] = bias[channel];
        }
        norm_line(DETMATH_LAYER_NORM, line, line, w, b, SAMPLES * SPOTS);
        for (size_t i = 0; i < SAMPLES * SPOTS; i++)
            assert_same(&line[i], &y[(i / SPOTS * CHANNELS + channel) * SPOTS + i % SPOTS], 1);
    }
}

/* Elements of narrow formats are computed in fp32, and the results rounded. */
static void test_narrow_formats(void **state) {
    static uint16_t codes[300], results[300];
    const size_t n = 300;
    (void)state;
    for (size_t i = 0; i < n; i++) {
        codes[i] = (uint16_t)detmath_encode(draw(), detmath_formats[DETMATH_BF16]);
        x[i] = (float)detmath_decode(codes[i], detmath_formats[DETMATH_BF16]);
    }
    norm_line(DETMATH_RMS_NORM, y, x, NULL, NULL, n);
    const struct detmath_strided in = {codes, DETMATH_BF16, 1, &n, NULL},
                                 out = {results, DETMATH_BF16, 1, &n, NULL};
    assert_int_equal(detmath_norm_along(DETMATH_RMS_NORM, &out, &in, NULL, NULL, 0, 1e-5f), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(results[i], detmath_encode((double)y[i], detmath_formats[DETMATH_BF16]));
}

static void test_what_cannot_be_is_refused(void **state) {
    const size_t extents[2] = {2, 6}, other = 5, empty[2] = {2, 0};
    const struct detmath_strided in = {x, DETMATH_F32, 2, extents, NULL},
                                 out = {y, DETMATH_F32, 2, extents, NULL},
                                 shifted = {x + 1, DETMATH_F32, 2, extents, NULL},
                                 wide = {y, DETMATH_F64, 2, extents, NULL},
                                 by = line_of(weight, &other),
                                 none = {y, DETMATH_F32, 2, empty, NULL};
    (void)state;
    assert_int_equal(detmath_norm_along(DETMATH_L2_NORM, &out, &in, NULL, NULL, 2, 0),
                     DETMATH_TROUBLE_AXIS);
    assert_int_equal(detmath_norm_along(DETMATH_L2_NORM, &out, &in, &by, NULL, 1, 0),
                     DETMATH_TROUBLE_EXTENTS);
    assert_int_equal(detmath_norm_along(DETMATH_L2_NORM, &wide, &in, NULL, NULL, 1, 0),
                     DETMATH_TROUBLE_FORMAT);
    assert_int_equal(detmath_norm_along(DETMATH_L2_NORM, &shifted, &in, NULL, NULL, 1, 0),
                     DETMATH_TROUBLE_OVERLAP);
    assert_int_equal(detmath_group_norm(&out, &in, NULL, NULL, 4, 0), DETMATH_TROUBLE_GROUPS);
    assert_int_equal(detmath_norm_along(DETMATH_L2_NORM, &none, &none, NULL, NULL, 1, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_has_its_bits_anywhere),
        cmocka_unit_test(test_absent_operands_are_neutral),
        cmocka_unit_test(test_every_level_has_the_same_bits),
        cmocka_unit_test(test_elements_are_right),
        cmocka_unit_test(test_groups_and_channels_are_lines),
        cmocka_unit_test(test_narrow_formats),
        cmocka_unit_test(test_what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
