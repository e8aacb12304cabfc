/* Bags, pools, convolutions and their gradients: by doubles, and a line has the bits that it has alone. */
#include "detmath/library/kernels.h"
#include "detmath/library/training_list.h"

#include "training_draws.h"

#include <string.h>

DRAWN_ARRAYS;
static int64_t indices[MOST];

static void test_bags(void **state) {
    enum { BAGS = 3, LENGTH = 200, TABLE = 50, WIDTH = 7 };
    const size_t table[2] = {TABLE, WIDTH}, bags[2] = {BAGS, WIDTH}, one[2] = {1, WIDTH},
                 many[2] = {BAGS, LENGTH};
    const struct detmath_strided in = plain(x, 2, table), out = plain(y, 2, bags),
                                 alone = plain(z, 2, one), by = plain(w, 2, many);
    const int64_t none = 3;
    (void)state;
    fill(x, TABLE * WIDTH);
    fill(w, BAGS * LENGTH);
    for (int i = 0; i < BAGS * LENGTH; i++)
        indices[i] = (int64_t)(random_bits(&seed) % TABLE);
    for (int which = DETMATH_POOL_SUM; which <= DETMATH_POOL_MAX; which++) {
        const struct detmath_bags given = {.indices = indices,
                                           .count = BAGS * LENGTH,
                                           .weights = which == DETMATH_POOL_SUM ? &by : NULL,
                                           .padding = &none};
        assert_int_equal(detmath_embedding_bag((enum detmath_pooling)which, &out, &in, &given), 0);
        for (int bag = 0; bag < BAGS; bag++)
            for (int column = 0; column < WIDTH; column++) {
                double sum = 0, sizes = 0, most = -INFINITY, count = 0;
                for (int i = bag * LENGTH; i < (bag + 1) * LENGTH; i++) {
                    const double value = x[indices[i] * WIDTH + column];
                    if (indices[i] == none)
                        continue;
                    sum += which == DETMATH_POOL_SUM ? value * w[i] : value;
                    sizes += fabs(value) * 4;
                    most = fmax(most, value);
                    count++;
                }
                const double want = which == DETMATH_POOL_SUM    ? sum
                                    : which == DETMATH_POOL_MEAN ? sum / count
                                                                 : most;
                assert_true(fabs(y[bag * WIDTH + column] - want) <=
                            ldexp(0.5, ilogb(want) - 23) + 0x1p-42 * sizes);
            }
    }
    struct detmath_bags all = {.indices = indices, .count = BAGS * LENGTH};
    assert_int_equal(detmath_embedding_bag(DETMATH_POOL_MEAN, &out, &in, &all), 0);
    for (int bag = 0; bag < BAGS; bag++) {
        const struct detmath_bags own = {.indices = indices + bag * LENGTH, .count = LENGTH};
        assert_int_equal(detmath_embedding_bag(DETMATH_POOL_MEAN, &alone, &in, &own), 0);
        assert_memory_equal(z, y + bag * WIDTH, WIDTH * sizeof *y);
    }
    indices[0] = TABLE;
    assert_int_equal(detmath_embedding_bag(DETMATH_POOL_MAX, &out, &in, &all), 0);
    assert_true(isnan(y[0]) && isnan(y[WIDTH - 1]) && !isnan(y[WIDTH]));
    all.count = 0;
    assert_int_equal(detmath_embedding_bag(DETMATH_POOL_MAX, &out, &in, &all), 0);
    assert_true(y[0] == 0);
}

/* A bag with offsets has the bits that it has alone; gradients are those by doubles. */
static void test_offsets_and_gradients_of_bags(void **state) {
    enum { BAGS = 4, COUNT = 90, TABLE = 10, WIDTH = 5 };
    const size_t table[2] = {TABLE, WIDTH}, bags[2] = {BAGS, WIDTH}, one[2] = {1, WIDTH},
                 count = COUNT;
    const int64_t offsets[BAGS + 1] = {0, 40, 40, 71, COUNT}, falling[BAGS] = {0, 40, 39, 71};
    const struct detmath_strided in = plain(x, 2, table), out = plain(y, 2, bags),
                                 alone = plain(z, 2, one), by = plain(w, 1, &count),
                                 of_table = plain(z, 2, table), of_weights = plain(z, 1, &count);
    struct detmath_bags all = {.indices = indices, .count = COUNT, .offsets = offsets};
    (void)state;
    fill(x, TABLE * WIDTH);
    fill(w, COUNT);
    for (int i = 0; i < COUNT; i++)
        indices[i] = (int64_t)(random_bits(&seed) % (TABLE - 1));
    assert_int_equal(detmath_embedding_bag(DETMATH_POOL_MEAN, &out, &in, &all), 0);
    for (int bag = 0; bag < BAGS; bag++) {
        const struct detmath_bags own = {.indices = indices + offsets[bag],
                                         .count = (size_t)(offsets[bag + 1] - offsets[bag])};
        assert_int_equal(detmath_embedding_bag(DETMATH_POOL_MEAN, &alone, &in, &own), 0);
        assert_memory_equal(z, y + bag * WIDTH, WIDTH * sizeof *y);
    }
    fill(y, BAGS * WIDTH); /* g */
    for (int which = DETMATH_POOL_SUM; which <= DETMATH_POOL_MEAN; which++) {
        double want[TABLE * WIDTH] = {0}, sizes[TABLE * WIDTH] = {0};
        all.weights = which == DETMATH_POOL_SUM ? &by : NULL;
        for (int bag = 0; bag < BAGS; bag++)
            for (int64_t i = offsets[bag]; i < offsets[bag + 1]; i++)
                for (int column = 0; column < WIDTH; column++) {
                    const double g = y[bag * WIDTH + column],
                                 share = which == DETMATH_POOL_SUM
                                             ? g * w[i]
                                             : g / (double)(offsets[bag + 1] - offsets[bag]);
                    want[indices[i] * WIDTH + column] += share;
                    sizes[indices[i] * WIDTH + column] += fabs(share);
                }
        assert_int_equal(
            detmath_embedding_bag_gradient((enum detmath_pooling)which, &of_table, &out, &all), 0);
        for (int i = 0; i < (TABLE - 1) * WIDTH; i++)
            assert_true(fabs(z[i] - want[i]) <=
                        ldexp(0.5, ilogb(want[i]) - 23) + 0x1p-42 * sizes[i]);
        assert_true(z[TABLE * WIDTH - 1] == 0); /* no bag names the last row */
    }
    all.weights = NULL;
    assert_int_equal(detmath_embedding_bag_weight_gradient(&of_weights, &in, &out, &all), 0);
    for (int bag = 0; bag < BAGS; bag++)
        for (int64_t i = offsets[bag]; i < offsets[bag + 1]; i++) {
            double want = 0, sizes = 0;
            for (int column = 0; column < WIDTH; column++) {
                const double term =
                    (double)x[indices[i] * WIDTH + column] * y[bag * WIDTH + column];
                want += term;
                sizes += fabs(term);
            }
            assert_true(fabs(z[i] - want) <= ldexp(0.5, ilogb(want) - 23) + 0x1p-42 * sizes);
        }
    assert_int_equal(detmath_embedding_bag_gradient(DETMATH_POOL_MAX, &of_table, &out, &all),
                     DETMATH_TROUBLE_OPTIONS);
    all.offsets = falling;
    assert_int_equal(detmath_embedding_bag_gradient(DETMATH_POOL_SUM, &of_table, &out, &all),
                     DETMATH_TROUBLE_OFFSETS);
}

/* A convolution has the sums that its header has; a sample the bits that it has alone; and each is right. */
static void test_convolutions(void **state) {
    enum { SAMPLES = 2, CHANNELS = 4, SIDE = 9, OUTPUTS = 6, TAPS = 3, GROUPS = 2, MADE = 5 };
    enum { EACH = CHANNELS / GROUPS, INNER = EACH * TAPS * TAPS };
    const size_t image[4] = {SAMPLES, CHANNELS, SIDE, SIDE},
                 weights[4] = {OUTPUTS, EACH, TAPS, TAPS}, made[4] = {SAMPLES, OUTPUTS, MADE, MADE},
                 outputs = OUTPUTS;
    const struct detmath_windows windows[2] = {{TAPS, 2, 1, 1}, {TAPS, 2, 1, 1}};
    static float bias[OUTPUTS], line[2][INNER];
    const struct detmath_strided in = plain(x, 4, image), by = plain(w, 4, weights),
                                 plus = plain(bias, 1, &outputs), out = plain(y, 4, made);
    (void)state;
    fill(x, SAMPLES * CHANNELS * SIDE * SIDE);
    fill(w, OUTPUTS * INNER);
    fill(bias, OUTPUTS);
    assert_int_equal(detmath_convolution(&out, &in, &by, &plus, windows, GROUPS), 0);
    for (size_t i = 0; i < SAMPLES * OUTPUTS * MADE * MADE; i++) {
        const size_t sample = i / (OUTPUTS * MADE * MADE), output = i / (MADE * MADE) % OUTPUTS,
                     row = i / MADE % MADE, column = i % MADE;
        double sum = bias[output], sizes = fabs(sum);
        for (size_t k = 0; k < INNER; k++) {
            const size_t channel = output / (OUTPUTS / GROUPS) * EACH + k / (TAPS * TAPS),
                         down = 2 * row + k / TAPS % TAPS - 1, across = 2 * column + k % TAPS - 1;
            line[0][k] = w[output * INNER + k];
            line[1][k] = down < SIDE && across < SIDE
                             ? x[((sample * CHANNELS + channel) * SIDE + down) * SIDE + across]
                             : 0;
            sum += (double)line[0][k] * line[1][k];
            sizes += fabs((double)line[0][k] * line[1][k]);
        }
        const float product = detmath_convolution_element(
            detmath_convolution_sum(line[0], line[1], INNER, 1), bias[output], 1);
        assert_memory_equal(&product, &y[i], sizeof product);
        assert_true(fabs(y[i] - sum) <= ldexp(0.5, ilogb(sum) - 23) + 0x1p-35 * sizes);
    }
    const size_t first[4] = {1, CHANNELS, SIDE, SIDE}, alone[4] = {1, OUTPUTS, MADE, MADE};
    const struct detmath_strided of = plain(x + CHANNELS * SIDE * SIDE, 4, first),
                                 to = plain(z, 4, alone);
    assert_int_equal(detmath_convolution(&to, &of, &by, &plus, windows, GROUPS), 0);
    assert_memory_equal(z, y + OUTPUTS * MADE * MADE, OUTPUTS * MADE * MADE * sizeof *z);
    assert_int_equal(detmath_convolution(&to, &of, &by, &plus, windows, 3), DETMATH_TROUBLE_GROUPS);
}

/* What a convolution and a pool are linear in: the sum of g times what x, or the weight, makes of the result is the sum of the
 * gradient times x, or the weight. */
static void test_gradients_of_windows(void **state) {
    enum { SAMPLES = 2, CHANNELS = 4, LONG = 11, WIDE = 7, OUTPUTS = 6, TAPS = 3, GROUPS = 2 };
    enum { EACH = CHANNELS / GROUPS, HIGH = 5, ACROSS = 4, X = SAMPLES * CHANNELS * LONG * WIDE };
    enum { Y = SAMPLES * OUTPUTS * HIGH * ACROSS, W = OUTPUTS * EACH * TAPS * TAPS };
    const size_t image[4] = {SAMPLES, CHANNELS, LONG, WIDE},
                 weights[4] = {OUTPUTS, EACH, TAPS, TAPS},
                 made[4] = {SAMPLES, OUTPUTS, HIGH, ACROSS}, outputs = OUTPUTS,
                 pooled[4] = {SAMPLES, CHANNELS, 6, 4};
    const struct detmath_windows windows[2] = {{TAPS, 2, 1, 2}, {TAPS, 2, 1, 1}},
                                 pools[2] = {{TAPS, 2, 1, 1}, {TAPS, 2, 1, 1}};
    static float g[Y + X], d[X], dw[W], db[OUTPUTS];
    const struct detmath_strided in = plain(x, 4, image), by = plain(w, 4, weights),
                                 out = plain(y, 4, made), slope = plain(g, 4, made),
                                 dx = plain(d, 4, image), dweight = plain(dw, 4, weights),
                                 dbias = plain(db, 1, &outputs), means = plain(y, 4, pooled),
                                 of_means = plain(g, 4, pooled);
    double sums[4] = {0}, sizes = 0;
    (void)state;
    fill(x, X);
    fill(w, W);
    fill(g, Y);
    assert_int_equal(detmath_convolution(&out, &in, &by, NULL, windows, GROUPS), 0);
    assert_int_equal(
        detmath_convolution_gradient(&dx, &dweight, &dbias, &in, &by, &slope, windows, GROUPS), 0);
    for (int i = 0; i < Y; i++) {
        sums[0] += (double)y[i] * g[i];
        sums[3] += g[i];
        sizes += fabs((double)y[i] * g[i]);
    }
    for (int i = 0; i < X; i++)
        sums[1] += (double)d[i] * x[i];
    for (int i = 0; i < W; i++)
        sums[2] += (double)dw[i] * w[i];
    for (int i = 0; i < OUTPUTS; i++)
        sums[3] -= db[i];
    assert_true(fabs(sums[0] - sums[1]) < 0x1p-18 * sizes &&
                fabs(sums[0] - sums[2]) < 0x1p-18 * sizes);
    assert_true(fabs(sums[3]) < 0x1p-14);
    assert_int_equal(detmath_average_pool(&means, &in, pools, 0, 1), 0);
    fill(g, SAMPLES * CHANNELS * 24);
    assert_int_equal(detmath_average_pool_gradient(&dx, &of_means, pools, 0, 1), 0);
    sums[0] = sums[1] = sizes = 0;
    for (int i = 0; i < SAMPLES * CHANNELS * 24; i++) {
        sums[0] += (double)y[i] * g[i];
        sizes += fabs((double)y[i] * g[i]);
    }
    for (int i = 0; i < X; i++)
        sums[1] += (double)d[i] * x[i];
    assert_true(fabs(sums[0] - sums[1]) < 0x1p-20 * sizes);
    assert_int_equal(
        detmath_convolution_gradient(&dx, NULL, NULL, NULL, NULL, &slope, windows, GROUPS),
        DETMATH_TROUBLE_OPTIONS);
    assert_int_equal(
        detmath_convolution_gradient(&in, NULL, NULL, &in, &by, &slope, windows, GROUPS),
        DETMATH_TROUBLE_OVERLAP);
}

static void test_average_pools(void **state) {
    const size_t line[3] = {1, 1, 7}, made[3] = {1, 1, 4};
    float in[7] = {1, 2, 3, 4, 5, 6, 8}, out[4];
    const struct detmath_strided of = plain(in, 3, line), to = plain(out, 3, made);
    const struct detmath_windows windows = {3, 2, 1, 1};
    (void)state;
    assert_int_equal(detmath_average_pool(&to, &of, &windows, 0, 0), 0);
    assert_true(out[0] == 1.5f && out[1] == 3 && out[2] == 5 && out[3] == 7);
    assert_int_equal(detmath_average_pool(&to, &of, &windows, 1, 1), 0);
    assert_true(out[0] == 1 && out[1] == 3 && out[2] == 5 && out[3] == (float)(14.0 / 3));
    const size_t short_line[3] = {1, 1, 2}, one[3] = {1, 1, 1};
    const struct detmath_strided of_two = plain(in, 3, short_line), to_one = plain(out, 3, one);
    assert_int_equal(
        detmath_average_pool(&to_one, &of_two, &(struct detmath_windows){3, 2, 0, 1}, 0, 1), 0);
    assert_true(out[0] == 1.5f); /* torch.nn.functional.avg_pool1d(x, 3, 2, ceil_mode=True) */
    const struct detmath_windows wide = {3, 2, 3, 1};
    assert_int_equal(detmath_average_pool(&to, &of, &wide, 0, 0), DETMATH_TROUBLE_EXTENTS);
}

/* A mean of `count` numbers of a condition of 1024 or less is within 0.501 ulp. */
static size_t assert_mean(float got, const float *numbers, size_t n, size_t count) {
    long double sum = 0, sizes = 0;
    int exponent;
    for (size_t i = 0; i < n; i++) {
        sum += numbers[i];
        sizes += fabsl((long double)numbers[i]);
    }
    if (sizes > 1024 * fabsl(sum))
        return 0;
    (void)frexpl(sum / (long double)count, &exponent);
    assert_true(fabsl(got - sum / (long double)count) <= ldexpl(0.501L, exponent - 24));
    return 1;
}

static void test_errors_of_pools(void **state) {
    static const size_t lengths[] = {2, 3, 9, 64, 576, 4608};
    enum { MADE = 100 };
    size_t held = 0;
    (void)state;
    for (int round = 0; round < 48; round++) {
        const size_t n = lengths[round % 6], more = n + MADE - 1, line[3] = {1, 1, more},
                     made[3] = {1, 1, MADE};
        const struct detmath_windows windows = {n, 1, 0, 1};
        const struct detmath_strided in = plain(x, 3, line), out = plain(y, 3, made),
                                     g = plain(x, 3, made), slope = plain(z, 3, line);
        for (size_t i = 0; i < more; i++)
            x[i] = draw() + 2 * (float)(round / 6 % 4);
        assert_int_equal(detmath_average_pool(&out, &in, &windows, 0, 0), 0);
        assert_int_equal(detmath_average_pool_gradient(&slope, &g, &windows, 0, 0), 0);
        for (size_t i = 0; i < MADE; i++)
            held += assert_mean(y[i], x + i, n, n);
        for (size_t i = 0; i < more; i++) {
            const size_t first = i < n ? 0 : i + 1 - n, last = i < MADE ? i : MADE - 1;
            held += assert_mean(z[i], x + first, last - first + 1, n);
        }
    }
    print_message("%zu means\n", held);
    assert_true(held > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bags),          cmocka_unit_test(test_offsets_and_gradients_of_bags),
        cmocka_unit_test(test_convolutions),  cmocka_unit_test(test_gradients_of_windows),
        cmocka_unit_test(test_average_pools), cmocka_unit_test(test_errors_of_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
