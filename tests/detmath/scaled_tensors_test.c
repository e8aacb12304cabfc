/* Scaled arrays of any shape against the calls on lines and against MPFR: broadcasting, scales of
 * blocks, products of batches, convolutions, sums, and parts that threads share. */
#include "detmath/scaled_search.h"
#include "detmath/scaled_tensors.h"

#include "scaled_held.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

static const struct scaled_facts of_products = {.operation = SCALED_MATMUL, .two = true};

static struct scaled_exact exact;

/* A sum of products against the exact one. */
static void check_sum(const struct held *c, size_t at, size_t scale, const struct real *x,
                      struct scaled_scale a, const struct real *w, struct scaled_scale b,
                      size_t count, enum detmath_scaled_strategy strategy) {
    const struct format *format = format_of(c->tensor.data.format);
    float divisor = detmath_scaled_static(strategy, (uint32_t)count);
    struct real want = exact_dot(&exact, x, a, w, b, count, divisor);
    assert_int_equal(code_load(c->codes, format_bytes(format), at),
                     format_encode(format, &want, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    struct scaled_scale t = scaled_exact_scale(&exact, &of_products, a, b, divisor, 0);
    assert_true(c->scales[scale] == t.m);
}

enum { BATCHES = 3, ROWS = 7, INNER = 19, COLUMNS = 11 };

/* E4M3 x E5M2 to fp16, a scale for each row and column, the second operand the same for all. */
static void test_matmul(void **state) {
    (void)state;
    struct held a, b, c, parts;
    HOLD(&a, DETMATH_E4M3FN, EXTENTS(BATCHES, ROWS, INNER), EXTENTS(BATCHES, ROWS, 1));
    HOLD(&b, DETMATH_E5M2, EXTENTS(INNER, COLUMNS), EXTENTS(COLUMNS));
    HOLD(&c, DETMATH_F16, EXTENTS(BATCHES, ROWS, COLUMNS), EXTENTS(BATCHES, ROWS, COLUMNS));
    HOLD(&parts, DETMATH_F16, EXTENTS(BATCHES, ROWS, COLUMNS), EXTENTS(BATCHES, ROWS, COLUMNS));
    assert_int_equal(detmath_scaled_matmul(&c.tensor, &a.tensor, &b.tensor,
                                           DETMATH_SCALED_STATIC_UNIT, NULL, 0, SIZE_MAX),
                     0);
    for (size_t at = 0; at < (size_t)BATCHES * ROWS * COLUMNS; at++) {
        size_t row = at / COLUMNS, column = at % COLUMNS;
        struct real x[INNER], w[INNER];
        for (size_t k = 0; k < INNER; k++) {
            x[k] = number(&a, row * INNER + k);
            w[k] = number(&b, k * COLUMNS + column);
        }
        check_sum(&c, at, at, x, scale_at(&a, row), w, scale_at(&b, column), INNER,
                  DETMATH_SCALED_STATIC_UNIT);
    }
    for (size_t first = 0; first < (size_t)BATCHES * ROWS; first += 5)
        detmath_scaled_matmul(&parts.tensor, &a.tensor, &b.tensor, DETMATH_SCALED_STATIC_UNIT, NULL,
                              first, first + 5);
    assert_memory_equal(c.codes, parts.codes, BATCHES * ROWS * COLUMNS * 2);
}

/* A scale for each row that fits it: data are the exact sums over 2^n, none overflows, and with a
 * smaller n one would. Parts have the bits of the whole. */
static void test_measured(void **state) {
    (void)state;
    struct held a, b, c, parts;
    const struct format *format = format_of(DETMATH_E4M3FN);
    const double most =
        detmath_decode((uint32_t)format->max_finite, detmath_formats[DETMATH_E4M3FN]);
    HOLD(&a, DETMATH_F16, EXTENTS(ROWS, INNER), EXTENTS(ROWS, 1));
    HOLD(&b, DETMATH_BF16, EXTENTS(INNER, COLUMNS), EXTENTS(1));
    HOLD(&c, DETMATH_E4M3FN, EXTENTS(ROWS, COLUMNS), EXTENTS(ROWS, 1));
    HOLD(&parts, DETMATH_E4M3FN, EXTENTS(ROWS, COLUMNS), EXTENTS(ROWS, 1));
    assert_int_equal(detmath_scaled_matmul(&c.tensor, &a.tensor, &b.tensor, DETMATH_SCALED_MEASURED,
                                           NULL, 0, SIZE_MAX),
                     0);
    for (size_t row = 0; row < ROWS; row++) {
        const struct scaled_scale s = scale_at(&a, row), r = scale_at(&b, 0);
        struct scaled_scale t = scaled_exact_scale(&exact, &of_products, s, r, 1, 0);
        int n = 0;
        double largest = 0;
        assert_true(frexp((double)c.scales[row] / (double)t.m, &n) == 0.5);
        n--;
        for (size_t column = 0; column < COLUMNS; column++) {
            const size_t at = row * COLUMNS + column;
            struct real x[INNER], w[INNER], want;
            for (size_t k = 0; k < INNER; k++) {
                x[k] = number(&a, row * INNER + k);
                w[k] = number(&b, k * COLUMNS + column);
            }
            want = exact_dot(&exact, x, s, w, r, INNER, 1);
            want.exponent -= n;
            assert_int_equal(code_load(c.codes, 1, at),
                             format_encode(format, &want, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
            largest = fmax(largest, fabs(real_to_double(&want)));
        }
        assert_true(largest <= most && 2 * largest > most);
    }
    for (size_t first = 0; first < ROWS; first += 2)
        detmath_scaled_matmul(&parts.tensor, &a.tensor, &b.tensor, DETMATH_SCALED_MEASURED, NULL,
                              first, first + 2);
    assert_memory_equal(c.codes, parts.codes, ROWS * COLUMNS);
    assert_memory_equal(c.scales, parts.scales, ROWS * sizeof(float));
}

/* Two groups, steps of 2, padding and gaps, in two dimensions. */
static void test_convolution(void **state) {
    (void)state;
    enum { N = 2, INPUTS = 4, HIGH = 5, LONG = 6, OUTPUTS = 6, TAPS = 3, GROUPS = 2 };
    const struct detmath_scaled_windows windows[2] = {{2, 1, 1}, {1, 2, 2}};
    struct held x, w, c;
    size_t down = detmath_scaled_window_count(HIGH, TAPS, &windows[0]),
           across = detmath_scaled_window_count(LONG, TAPS, &windows[1]);
    HOLD(&x, DETMATH_F16, EXTENTS(N, INPUTS, HIGH, LONG), EXTENTS(N, 1, 1, 1));
    HOLD(&w, DETMATH_BF16, EXTENTS(OUTPUTS, INPUTS / GROUPS, TAPS, TAPS),
         EXTENTS(OUTPUTS, 1, 1, 1));
    HOLD(&c, DETMATH_F16, EXTENTS(N, OUTPUTS, down, across), EXTENTS(N, OUTPUTS, 1, 1));
    assert_int_equal(detmath_scaled_convolution(&c.tensor, &x.tensor, &w.tensor, windows, GROUPS,
                                                DETMATH_SCALED_STATIC_POWER, NULL, 0, SIZE_MAX),
                     0);
    for (size_t at = 0; at < N * OUTPUTS * down * across; at++) {
        size_t column = at % across, row = at / across % down,
               output = at / across / down % OUTPUTS, n = at / across / down / OUTPUTS,
               group = output / (OUTPUTS / GROUPS), count = 0;
        struct real terms[2][INPUTS * TAPS * TAPS];
        for (size_t i = 0; i < INPUTS / GROUPS; i++)
            for (size_t p = 0; p < TAPS; p++)
                for (size_t q = 0; q < TAPS; q++, count++) {
                    size_t y = row * 2 + p - 1, z = column + q * 2 - 2;
                    bool inside = y < HIGH && z < LONG; /* below 0 they are large */
                    size_t channel = group * (INPUTS / GROUPS) + i;
                    terms[0][count] =
                        inside ? number(&x, ((n * INPUTS + channel) * HIGH + y) * LONG + z)
                               : real_zero(false);
                    terms[1][count] =
                        number(&w, ((output * (INPUTS / GROUPS) + i) * TAPS + p) * TAPS + q);
                }
        check_sum(&c, at, n * OUTPUTS + output, terms[0], scale_at(&x, n), terms[1],
                  scale_at(&w, output), count, DETMATH_SCALED_STATIC_POWER);
    }
}

/* Backward by the product itself: g times y transposed by strides, and x transposed times g. */
static void test_gradients_of_products(void **state) {
    (void)state;
    struct held x, y, g, back[2], want[2];
    HOLD(&x, DETMATH_E4M3FN, EXTENTS(ROWS, INNER), EXTENTS(ROWS, 1));
    HOLD(&y, DETMATH_E5M2, EXTENTS(INNER, COLUMNS), EXTENTS(INNER, COLUMNS));
    HOLD(&g, DETMATH_BF16, EXTENTS(ROWS, COLUMNS), EXTENTS(1, COLUMNS));
    HOLD(&back[0], DETMATH_F16, EXTENTS(ROWS, INNER), EXTENTS(1, INNER));
    HOLD(&back[1], DETMATH_F16, EXTENTS(INNER, COLUMNS), EXTENTS(1, COLUMNS));
    const enum detmath_scaled_strategy unit = DETMATH_SCALED_STATIC_UNIT;
    assert_int_equal(detmath_scaled_matmul_gradient(&back[0].tensor, &y.tensor, &g.tensor,
                                                    DETMATH_SCALED_FIRST, unit, NULL, 0, SIZE_MAX),
                     0);
    assert_int_equal(detmath_scaled_matmul_gradient(&back[1].tensor, &x.tensor, &g.tensor,
                                                    DETMATH_SCALED_SECOND, unit, NULL, 0, SIZE_MAX),
                     0);
    want[0] = back[0];
    want[1] = back[1];
    const size_t across[2] = {COLUMNS, INNER}, down[2] = {INNER, ROWS}, scale[2] = {1, ROWS};
    const ptrdiff_t by_column[2] = {1, COLUMNS}, by_row[2] = {1, INNER}, by_one[2] = {1, 1};
    for (int k = 0; k < 2; k++) {
        struct held *turned = k ? &x : &y;
        want[k].tensor.data.codes = want[k].codes;
        want[k].tensor.scales.codes = want[k].scales;
        memset(want[k].codes, 0, sizeof want[k].codes);
        turned->tensor.data.extents = k ? down : across;
        turned->tensor.data.strides = k ? by_row : by_column;
        turned->tensor.scales.extents = k ? scale : across;
        turned->tensor.scales.strides = k ? by_one : by_column;
    }
    assert_int_equal(
        detmath_scaled_matmul(&want[0].tensor, &g.tensor, &y.tensor, unit, NULL, 0, SIZE_MAX), 0);
    assert_int_equal(
        detmath_scaled_matmul(&want[1].tensor, &x.tensor, &g.tensor, unit, NULL, 0, SIZE_MAX), 0);
    for (int k = 0; k < 2; k++)
        assert_memory_equal(back[k].codes, want[k].codes, 2 * INNER * (size_t)(k ? COLUMNS : ROWS));
}

/* A convolution whose taps are 1 long is a product of channels: so are its backward rules. What a
 * stride leaves out of x has no derivative. */
static void test_gradients_of_convolutions(void **state) {
    (void)state;
    enum { INPUTS = 3, OUTPUTS = 5, LENGTH = 7, WINDOWS = 4 };
    const struct detmath_scaled_windows windows[1] = {{2, 0, 1}};
    struct held w, g, back, product;
    HOLD(&w, DETMATH_F16, EXTENTS(OUTPUTS, INPUTS, 1), EXTENTS(OUTPUTS, 1, 1));
    HOLD(&g, DETMATH_F16, EXTENTS(1, OUTPUTS, WINDOWS), EXTENTS(1));
    HOLD(&back, DETMATH_F32, EXTENTS(1, INPUTS, LENGTH), EXTENTS(1));
    assert_int_equal(detmath_scaled_convolution_gradient(
                         &back.tensor, &w.tensor, &g.tensor, windows, 1, DETMATH_SCALED_FIRST,
                         DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     0);
    HOLD(&product, DETMATH_F32, EXTENTS(INPUTS, WINDOWS), EXTENTS(1));
    const size_t turned[2] = {INPUTS, OUTPUTS}, scales_of[2] = {1, OUTPUTS},
                 flat[2] = {OUTPUTS, WINDOWS};
    const ptrdiff_t strides[2] = {1, INPUTS};
    w.tensor.data.dimensions = w.tensor.scales.dimensions = g.tensor.data.dimensions = 2;
    w.tensor.data.extents = turned;
    w.tensor.data.strides = strides;
    w.tensor.scales.extents = scales_of;
    g.tensor.data.extents = flat;
    assert_int_equal(detmath_scaled_matmul(&product.tensor, &w.tensor, &g.tensor,
                                           DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     0);
    assert_true(back.scales[0] == product.scales[0]);
    for (size_t i = 0; i < (size_t)INPUTS * LENGTH; i++) {
        size_t at = i % LENGTH;
        assert_int_equal(back.codes[i], at % 2 ? 0 : product.codes[i / LENGTH * WINDOWS + at / 2]);
    }
}

/* Groups whose channels have scales of their own need a scale of their own each. */
static void test_groups_do_not_share_what_differs(void **state) {
    (void)state;
    const struct detmath_scaled_windows windows[1] = {{1, 0, 1}};
    struct held x, w, c;
    HOLD(&x, DETMATH_F16, EXTENTS(1, 4, 3), EXTENTS(4, 1));
    HOLD(&w, DETMATH_F16, EXTENTS(2, 2, 1), EXTENTS(1));
    HOLD(&c, DETMATH_F16, EXTENTS(1, 2, 3), EXTENTS(1));
    assert_int_equal(detmath_scaled_convolution(&c.tensor, &x.tensor, &w.tensor, windows, 2,
                                                DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     DETMATH_TROUBLE_SCALES);
    HOLD(&c, DETMATH_F16, EXTENTS(1, 2, 3), EXTENTS(2, 1));
    assert_int_equal(detmath_scaled_convolution(&c.tensor, &x.tensor, &w.tensor, windows, 2,
                                                DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     0);
    for (int group = 0; group < 2; group++) {
        float larger = fmaxf(x.scales[2 * group], x.scales[2 * group + 1]) * w.scales[0];
        assert_true(c.scales[group] == larger);
    }
}

/* A sum over blocks of two scales: partial sums at the larger. */
static void test_sum(void **state) {
    (void)state;
    enum { LINES = 4, LENGTH = 12, BLOCKS = 3 };
    struct held a, c, mean;
    HOLD(&a, DETMATH_F16, EXTENTS(LINES, LENGTH), EXTENTS(LINES, BLOCKS));
    HOLD(&c, DETMATH_F32, EXTENTS(LINES, 1), EXTENTS(LINES, 1));
    HOLD(&mean, DETMATH_F32, EXTENTS(LINES, 1), EXTENTS(LINES, 1));
    a.scales[0] = 0; /* counts as if its data were 0 */
    assert_int_equal(detmath_scaled_sum(&c.tensor, &a.tensor, -1, DETMATH_SCALED_STATIC_MEAN, NULL),
                     0);
    assert_int_equal(detmath_scaled_mean(&mean.tensor, &a.tensor, 1, NULL), 0);
    for (size_t line = 0; line < LINES; line++) {
        double sum = 0, largest = 0;
        for (size_t i = 0; i < LENGTH; i++) {
            double scale = (double)a.scales[line * BLOCKS + i / (LENGTH / BLOCKS)];
            sum += detmath_decode((uint32_t)code_load(a.codes, 2, line * LENGTH + i),
                                  detmath_formats[DETMATH_F16]) *
                   scale; /* exact but for 2^-50 */
            largest = scale > largest ? scale : largest;
        }
        double got = (double)detmath_from_bits_f32(c.codes[line]) * (double)c.scales[line];
        double average =
            (double)detmath_from_bits_f32(mean.codes[line]) * (double)mean.scales[line];
        assert_true(c.scales[line] == (float)(largest * LENGTH));
        assert_true(mean.scales[line] == (float)largest);
        assert_true(fabs(got - sum) <= fabs(sum) * 0x1p-24 + 0x1p-40);
        assert_true(fabs(average * LENGTH - sum) <= fabs(sum) * 0x1p-24 + 0x1p-40);
    }
}

/* Strides, blocks and broadcasting give each element the bits that it has alone. */
static void test_each(void **state) {
    (void)state;
    enum { HIGH = 4, LONG = 6 };
    struct held a, b, c;
    for (int which = 0; which < DETMATH_SCALED_OPERATION_COUNT; which++) {
        int two = detmath_scaled_kernels((enum detmath_scaled_operation)which)->operands == 2;
        HOLD(&a, DETMATH_E4M3FN, EXTENTS(HIGH, LONG), EXTENTS(2, 3));
        HOLD(&b, DETMATH_F16, EXTENTS(1, LONG), EXTENTS(2));
        HOLD(&c, DETMATH_BF16, EXTENTS(HIGH, LONG), EXTENTS(HIGH, LONG));
        c.extents[1][0] = 2;
        c.extents[1][1] = two ? 6 : 3;
        const ptrdiff_t strides[2] = {1, HIGH}; /* the result by columns */
        c.tensor.data.strides = strides;
        assert_int_equal(detmath_scaled_each((enum detmath_scaled_operation)which, &c.tensor,
                                             &a.tensor, two ? &b.tensor : NULL, NULL),
                         0);
        for (size_t row = 0; row < HIGH; row++)
            for (size_t column = 0; column < LONG; column++) {
                uint16_t alone;
                struct held one[3] = {a, b, c};
                const size_t from[3] = {row * LONG + column, column, 0};
                const size_t scale[2] = {row / 2 * 3 + column / 2, column / 3};
                float result;
                for (int k = 0; k < 3; k++) {
                    one[k].tensor = (k == 0 ? a : k == 1 ? b : c).tensor;
                    one[k].tensor.data.dimensions = one[k].tensor.scales.dimensions = 0;
                    one[k].tensor.data.strides = NULL;
                }
                one[0].tensor.data.codes = (char *)a.codes + from[0];
                one[1].tensor.data.codes = (char *)b.codes + 2 * from[1];
                one[0].tensor.scales.codes = &a.scales[scale[0]];
                one[1].tensor.scales.codes = &b.scales[scale[1]];
                one[2].tensor.data.codes = &alone;
                one[2].tensor.scales.codes = &result;
                const int alike = which == DETMATH_SCALED_INDEX_mul ? DETMATH_SCALED_INDEX_mul_data
                                                                    : which; /* not as a scalar */
                assert_int_equal(detmath_scaled_each((enum detmath_scaled_operation)alike,
                                                     &one[2].tensor, &one[0].tensor,
                                                     two ? &one[1].tensor : NULL, NULL),
                                 0);
                assert_int_equal(alone, code_load(c.codes, 2, row + column * HIGH));
                size_t at = two ? row / 2 * 6 + column : row / 2 * 3 + column / 2;
                assert_true(result == c.scales[at]);
            }
    }
}

/* Each rule of the search against what it says, told again for each step. */
static void test_search(void **state) {
    (void)state;
    enum { STEPS = 200, LENGTH = 7 };
    int32_t history[LENGTH], needed[STEPS];
    struct detmath_scale_search now =
        detmath_scale_search_of(DETMATH_SCALE_JUST_IN_TIME, 2, NULL, 1, 0);
    struct detmath_scale_search delayed =
        detmath_scale_search_of(DETMATH_SCALE_DELAYED, 1, history, LENGTH, 0);
    struct detmath_scale_search loss =
        detmath_scale_search_of(DETMATH_SCALE_BACK_OFF, 0, NULL, LENGTH, -3);
    int32_t exponent = -3;
    uint32_t late = 0, over = 0, quiet = 0;
    for (int i = 0; i < STEPS; i++) {
        needed[i] = (int32_t)(random_bits(&seed) % 9) - 4;
        assert_int_equal(detmath_scale_search_step(&now, needed[i]), needed[i] + 2);
        int32_t most = i ? INT32_MIN : needed[i];
        for (int k = i - LENGTH < 0 ? 0 : i - LENGTH; k < i; k++)
            most = needed[k] > most ? needed[k] : most;
        assert_int_equal(detmath_scale_search_step(&delayed, needed[i]), most + 1);
        late += needed[i] > most + 1;
        assert_int_equal(detmath_scale_search_step(&loss, needed[i]), exponent);
        over += needed[i] > exponent;
        quiet = needed[i] > exponent ? 0 : quiet + 1;
        exponent += needed[i] > exponent;
        exponent -= quiet == LENGTH;
        quiet %= LENGTH;
    }
    assert_int_equal(now.overflows, 0);
    assert_int_equal(delayed.overflows, late);
    assert_true(late > 0 && over > 0);
    assert_int_equal(loss.overflows, over);
    assert_int_equal(loss.steps, STEPS);
}

struct share {
    const struct held *a, *b, *c;
    size_t first, last;
};

static void *run_share(void *given) {
    const struct share *share = given;
    detmath_scaled_matmul(&share->c->tensor, &share->a->tensor, &share->b->tensor,
                          DETMATH_SCALED_STATIC_ONE, NULL, share->first, share->last);
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    enum { SIDE = 48 };
    static struct held a, b, c, whole;
    pthread_t threads[3];
    struct share shares[3];
    HOLD(&a, DETMATH_F32, EXTENTS(SIDE, SIDE), EXTENTS(SIDE, 1));
    HOLD(&b, DETMATH_F32, EXTENTS(SIDE, SIDE), EXTENTS(1));
    HOLD(&c, DETMATH_F32, EXTENTS(SIDE, SIDE), EXTENTS(SIDE, 1));
    HOLD(&whole, DETMATH_F32, EXTENTS(SIDE, SIDE), EXTENTS(SIDE, 1));
    for (size_t i = 0; i < 3; i++) {
        shares[i] = (struct share){&a, &b, &c, i * SIDE / 3, (i + 1) * SIDE / 3};
        assert_int_equal(pthread_create(&threads[i], NULL, run_share, &shares[i]), 0);
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    detmath_scaled_matmul(&whole.tensor, &a.tensor, &b.tensor, DETMATH_SCALED_STATIC_ONE, NULL, 0,
                          SIZE_MAX);
    assert_memory_equal(c.codes, whole.codes, SIDE * SIDE * 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients_of_products),
                                       cmocka_unit_test(test_gradients_of_convolutions),
                                       cmocka_unit_test(test_groups_do_not_share_what_differs),
                                       cmocka_unit_test(test_matmul),
                                       cmocka_unit_test(test_measured),
                                       cmocka_unit_test(test_convolution),
                                       cmocka_unit_test(test_sum),
                                       cmocka_unit_test(test_each),
                                       cmocka_unit_test(test_search),
                                       cmocka_unit_test(test_threads)};
    scaled_exact_open(&exact);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scaled_exact_close(&exact);
    return failed;
}
