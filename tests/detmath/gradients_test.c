/* Gradients of losses, norms and the softmax: by doubles, and a line has the bits that it has alone, across and in place,
 * on every instruction set. */
#include "detmath/library/kernels.h"
#include "detmath/library/training_list.h"

#include "training_draws.h"

#include <string.h>

DRAWN_ARRAYS;
static int64_t indices[ROWS];
static float g[ROWS * MOST];

/* By doubles; and a line has the bits that it has alone, and in place. */
static void test_gradients_of_losses(void **state) {
    (void)state;
    for (size_t n = 2; n <= MOST; n = n < 100 ? n + 1 : 2 * n) {
        const size_t both[2] = {ROWS, n};
        const float s = n % 2 ? 0 : 0.5f;
        const struct detmath_cross_entropy_options options = {s, DETMATH_LOSS_NONE, -100, NULL};
        const struct detmath_strided in = plain(x, 2, both), out = plain(y, 2, both);
        float slopes[ROWS];
        const size_t rows = ROWS;
        const struct detmath_strided given = plain(slopes, 1, &rows),
                                     one = plain(slopes + 1, 0, NULL), alone = plain(z, 1, &n),
                                     line = plain(x + n, 1, &n);
        fill(x, ROWS * n);
        fill(slopes, ROWS);
        for (int row = 0; row < ROWS; row++)
            indices[row] = (int64_t)(random_bits(&seed) % n);
        assert_int_equal(detmath_cross_entropy_gradient(&out, &in, indices, &given, -1, &options),
                         0);
        for (size_t i = 0; i < ROWS * n; i++) {
            const size_t row = i / n, target = (size_t)indices[row];
            double others = 0, own = exp(x[i]), label = (double)s / (double)n;
            for (size_t k = 0; k < n; k++)
                others += k == i % n ? 0 : exp(x[row * n + k]);
            const double want = (double)slopes[row] *
                                (i % n == target ? -others / (own + others) + (double)s - label
                                                 : own / (own + others) - label);
            const double p = own / (own + others),
                         q = label + (i % n == target ? 1 - (double)s : 0),
                         sizes = s > 0 ? p + q : fabs(want / slopes[row]);
            assert_true(fabs(y[i] - want) <=
                        ldexp(0.5, ilogb(want) - 23) + 0x1p-28 * fabs(slopes[row]) * sizes);
        }
        assert_int_equal(
            detmath_cross_entropy_gradient(&alone, &line, indices + 1, &one, 0, &options), 0);
        assert_memory_equal(z, y + n, n * sizeof *z);
        assert_int_equal(detmath_cross_entropy_gradient(&in, &in, indices, &given, -1, &options),
                         0);
        assert_memory_equal(x, y, ROWS * n * sizeof *x);
    }
}

/* By doubles; a line has the bits that it has alone and across, and in place. */
static void test_gradients_of_norms(void **state) {
    (void)state;
    for (size_t n = 2; n <= MOST; n = n < 100 ? n + 1 : 2 * n)
        for (int which = DETMATH_RMS_NORM; which <= DETMATH_LAYER_NORM; which++) {
            const enum detmath_norm norm = (enum detmath_norm)which;
            const size_t both[2] = {ROWS, n};
            const ptrdiff_t turned[2] = {1, ROWS};
            struct detmath_strided in = plain(x, 2, both), slopes = plain(g, 2, both),
                                   out = plain(y, 2, both), by = plain(w, 1, &n);
            fill(x, ROWS * n);
            fill(g, ROWS * n);
            fill(w, n);
            assert_int_equal(detmath_norm_gradient_along(norm, &out, &in, &slopes, &by, -1, 0.5f),
                             0);
            for (size_t i = 0; i < ROWS * n; i++) {
                const float *line = x + i / n * n, *own = g + i / n * n;
                double mean = 0, variance = 0.5, of_a = 0, share = 0, sizes = 0;
                for (size_t k = 0; k < n; k++)
                    mean += which == DETMATH_LAYER_NORM ? line[k] / (double)n : 0;
                for (size_t k = 0; k < n; k++) {
                    const double d = line[k] - mean, a = (double)own[k] * w[k];
                    variance += d * d / (double)n;
                    of_a += which == DETMATH_LAYER_NORM ? a / (double)n : 0;
                    share += a * d / (double)n;
                    sizes += fabs(a) / (double)n;
                }
                const double a = (double)own[i % n] * w[i % n],
                             want = (a - of_a - (line[i % n] - mean) * share / variance) /
                                    sqrt(variance);
                assert_true(fabs(y[i] - want) <=
                            ldexp(0.5, ilogb(want) - 23) + 0x1p-36 * (sizes + fabs(a)));
                z[i % n * ROWS + i / n] = x[i];
            }
            const struct detmath_strided across = {z, DETMATH_F32, 2, both, turned};
            assert_int_equal(
                detmath_norm_gradient_along(norm, &across, &across, &slopes, &by, -1, 0.5f), 0);
            for (size_t i = 0; i < ROWS * n; i++)
                assert_memory_equal(&z[i % n * ROWS + i / n], &y[i], sizeof *y);
            assert_int_equal(
                detmath_norm_gradient_along(norm, &slopes, &in, &slopes, &by, -1, 0.5f),
                DETMATH_TROUBLE_OVERLAP);
        }
}

/* A number of any exponent, or 0. */
static float any_number(void) {
    return random_bits(&seed) % 8 ? ldexpf(draw(), (int)(random_bits(&seed) % 250) - 124) : 0;
}

/* Elements, g and weights that lie any number of binades apart: of lines without a mean each element, and each weight's sum. */
static void test_gradients_of_any_exponents(void **state) {
    size_t checked = 0;
    (void)state;
    for (int round = 0; round < 6000; round++) {
        const int is_l2 = round % 2, has_weight = round / 2 % 2;
        const enum detmath_norm norm = is_l2 ? DETMATH_L2_NORM : DETMATH_RMS_NORM;
        const size_t n = 2 + (size_t)round / 4 % 5;
        const struct detmath_strided in = plain(x, 1, &n), slopes = plain(g, 1, &n),
                                     out = plain(y, 1, &n), by = plain(w, 1, &n),
                                     sums = plain(z, 1, &n);
        double squares = 0, share = 0, sizes = 0;
        for (size_t i = 0; i < n; i++) {
            x[i] = any_number();
            g[i] = any_number();
            w[i] = any_number();
            squares += (double)x[i] * x[i] / (is_l2 ? 1 : (double)n);
        }
        const double s = sqrt(is_l2 ? fmax(squares, 0x1p-60) : squares + 0x1p-30);
        assert_int_equal(detmath_norm_gradient_along(norm, &out, &in, &slopes,
                                                     has_weight ? &by : NULL, 0, 0x1p-30f),
                         0);
        assert_int_equal(
            detmath_norm_weight_gradient_along(norm, &sums, NULL, &in, &slopes, 0, 0x1p-30f), 0);
        for (size_t i = 0; i < n; i++) {
            const double a = (double)g[i] * (has_weight ? w[i] : 1);
            share += (is_l2 && squares <= 0x1p-60 ? 0 : a) * x[i] / s / (is_l2 ? 1 : (double)n);
            sizes += fabs(a * x[i]) / s / (is_l2 ? 1 : (double)n);
        }
        for (size_t i = 0; i < n; i++) {
            const double a = (double)g[i] * (has_weight ? w[i] : 1),
                         want = (a - x[i] / s * share) / s,
                         most = (fabs(a) + fabs(x[i] / s) * sizes) / s, sum = g[i] * (x[i] / s);
            if (fabs(want) >= 0x1p-126 && fabs(want) < 0x1p127 && fabs(want) * 1024 >= most) {
                assert_true(fabs(y[i] - want) <= ldexp(0.51, ilogb(want) - 23));
                checked++;
            }
            if (fabs(sum) >= 0x1p-126 && fabs(sum) < 0x1p127)
                assert_true(fabs(z[i] - sum) <= ldexp(0.51, ilogb(sum) - 23));
        }
    }
    assert_true(checked > 6000);
}

/* Sums over rows, of g times the normed elements and of g; of one row they are these. */
static void test_gradients_of_weights(void **state) {
    (void)state;
    for (size_t rows = 1; rows <= 2100; rows = rows < 70 ? rows + 23 : 2 * rows)
        for (int which = DETMATH_RMS_NORM; which <= DETMATH_L2_NORM; which++) {
            enum { WIDTH = 7 };
            const enum detmath_norm norm = (enum detmath_norm)which;
            const size_t both[2] = {rows, WIDTH}, width = WIDTH;
            const ptrdiff_t turned[2] = {1, (ptrdiff_t)rows};
            const size_t across[2] = {WIDTH, rows};
            const struct detmath_strided in = plain(x, 2, both), slopes = plain(g, 2, both),
                                         weight = plain(y, 1, &width),
                                         bias = plain(y + WIDTH, 1, &width);
            fill(x, rows * WIDTH);
            fill(g, rows * WIDTH);
            assert_int_equal(
                detmath_norm_weight_gradient_along(norm, &weight, &bias, &in, &slopes, -1, 0.5f),
                0);
            for (size_t i = 0; i < WIDTH; i++) {
                double sum = 0, sizes = 0, of_g = 0;
                for (size_t row = 0; row < rows; row++) {
                    const float *line = x + row * WIDTH;
                    double mean = 0, squares = 0;
                    for (size_t k = 0; k < WIDTH; k++)
                        mean += which == DETMATH_LAYER_NORM ? line[k] / (double)WIDTH : 0;
                    for (size_t k = 0; k < WIDTH; k++)
                        squares += (line[k] - mean) * (line[k] - mean);
                    const double below =
                        which == DETMATH_L2_NORM ? fmax(squares, 0.25) : squares / WIDTH + 0.5;
                    const double term = (double)g[row * WIDTH + i] * (line[i] - mean) / sqrt(below);
                    sum += term;
                    sizes += fabs(term);
                    of_g += g[row * WIDTH + i];
                }
                assert_true(fabs(y[i] - sum) <= ldexp(0.5, ilogb(sum) - 23) + 0x1p-40 * sizes);
                assert_true(fabs(y[WIDTH + i] - of_g) <=
                            ldexp(0.5, ilogb(of_g) - 23) + 0x1p-40 * (double)rows * 4);
            }
            for (size_t i = 0; i < rows * WIDTH; i++)
                z[i % WIDTH * rows + i / WIDTH] = x[i];
            const struct detmath_strided seen = {z, DETMATH_F32, 2, both, turned};
            const struct detmath_strided again = plain(w, 1, &width);
            assert_int_equal(
                detmath_norm_weight_gradient_along(norm, &again, NULL, &seen, &slopes, 1, 0.5f), 0);
            assert_memory_equal(w, y, WIDTH * sizeof *w);
            const struct detmath_strided columns = plain(z, 2, across);
            assert_int_equal(
                detmath_norm_weight_gradient_along(norm, &again, NULL, &columns, &slopes, 0, 0.5f),
                DETMATH_TROUBLE_EXTENTS);
        }
}

/* A group norm's are those of a layer norm of each group; a batch norm's those of each channel. */
static void test_gradients_of_channels(void **state) {
    enum { SAMPLES = 3, CHANNELS = 4, SPOTS = 5, GROUPS = 2 };
    enum { ALL = SAMPLES * CHANNELS * SPOTS, EACH = CHANNELS / GROUPS * SPOTS };
    const size_t image[3] = {SAMPLES, CHANNELS, SPOTS}, lines[2] = {SAMPLES * GROUPS, EACH},
                 channels = CHANNELS;
    const ptrdiff_t by_channel[3] = {SPOTS, SAMPLES * SPOTS, 1};
    const struct detmath_strided in = plain(x, 3, image), slopes = plain(g, 3, image),
                                 out = plain(y, 3, image), rows = plain(x, 2, lines),
                                 of_rows = plain(g, 2, lines), alone = plain(z, 2, lines),
                                 weight = plain(w, 1, &channels),
                                 bias = plain(w + CHANNELS, 1, &channels);
    (void)state;
    fill(x, ALL);
    fill(g, ALL);
    assert_int_equal(detmath_group_norm_gradient(&out, &in, &slopes, NULL, GROUPS, 0.5f), 0);
    assert_int_equal(
        detmath_norm_gradient_along(DETMATH_LAYER_NORM, &alone, &rows, &of_rows, NULL, -1, 0.5f),
        0);
    assert_memory_equal(y, z, ALL * sizeof *y);
    assert_int_equal(detmath_batch_norm_gradient(&out, &in, &slopes, NULL, 0.5f), 0);
    struct detmath_strided seen = {z, DETMATH_F32, 3, image, by_channel};
    assert_int_equal(detmath_batch_norm_gradient(&seen, &in, &slopes, NULL, 0.5f), 0);
    for (size_t i = 0; i < ALL; i++) { /* channels beside each other: lines */
        const size_t sample = i / SPOTS / CHANNELS, channel = i / SPOTS % CHANNELS,
                     to = channel * SAMPLES * SPOTS + sample * SPOTS + i % SPOTS;
        assert_memory_equal(&z[to], &y[i], sizeof *y);
    }
    assert_int_equal(detmath_batch_norm_weight_gradient(&weight, &bias, &in, &slopes, 0.5f), 0);
    for (size_t c = 0; c < CHANNELS; c++) {
        double sum = 0, of_g = 0, mean = 0, variance = 0.5;
        const double n = SAMPLES * SPOTS;
        for (int pass = 0; pass < 3; pass++)
            for (size_t i = 0; i < SAMPLES * SPOTS; i++) {
                const size_t at = (i / SPOTS * CHANNELS + c) * SPOTS + i % SPOTS;
                mean += pass == 0 ? x[at] / n : 0;
                variance += pass == 1 ? (x[at] - mean) * (x[at] - mean) / n : 0;
                sum += pass == 2 ? (double)g[at] * (x[at] - mean) / sqrt(variance) : 0;
                of_g += pass == 2 ? g[at] : 0;
            }
        assert_true(fabs(w[c] - sum) <= ldexp(0.5, ilogb(sum) - 23) + 0x1p-36);
        assert_near(w[CHANNELS + c], of_g, 0.51);
    }
    assert_int_equal(detmath_group_norm_gradient(&out, &in, &slopes, NULL, 3, 0.5f),
                     DETMATH_TROUBLE_GROUPS);
}

static void test_gradients_of_softmax(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n = n < 20 ? n + 1 : 2 * n) {
        const size_t both[2] = {ROWS, n};
        const ptrdiff_t turned[2] = {1, ROWS};
        const struct detmath_strided in = plain(x, 2, both), slopes = plain(g, 2, both),
                                     out = plain(y, 2, both),
                                     across = {z, DETMATH_F32, 2, both, turned};
        fill(x, ROWS * n);
        fill(g, ROWS * n);
        for (size_t i = 0; i < n; i++)
            g[i] = 3; /* of equal g nothing is left */
        assert_int_equal(detmath_softmax_gradient_along(&out, &in, &slopes, -1), 0);
        for (size_t i = 0; i < ROWS * n; i++) {
            const float *line = x + i / n * n, *own = g + i / n * n;
            double sum = 0, mean = 0, sizes = 0;
            size_t most = 0;
            for (size_t k = 0; k < n; k++) {
                sum += exp(line[k]);
                mean += exp(line[k]) * own[k];
                most = line[k] > line[most] ? k : most;
            }
            for (size_t k = 0; k < n; k++)
                sizes += exp(line[k]) / sum * fabs((double)own[k] - own[most]);
            sizes += fabs((double)own[i % n] - own[most]);
            const double share = exp(line[i % n]) / sum, want = share * (own[i % n] - mean / sum);
            if (i < n || n == 1)
                assert_true(y[i] == 0);
            else
                assert_true(fabs(y[i] - want) <=
                            ldexp(0.5, ilogb(want) - 23) + 0x1p-28 * share * sizes);
            z[i % n * ROWS + i / n] = x[i];
        }
        assert_int_equal(detmath_softmax_gradient_along(&across, &across, &slopes, -1), 0);
        for (size_t i = 0; i < ROWS * n; i++)
            assert_memory_equal(&z[i % n * ROWS + i / n], &y[i], sizeof *y);
        assert_int_equal(detmath_softmax_gradient_along(&slopes, &in, &slopes, 1), 0);
        assert_memory_equal(g, y, ROWS * n * sizeof *g);
    }
}

static void test_every_level_has_the_same_bits(void **state) {
    static float all[3][4][MOST];
    static struct detmath_norm_line lines[3][MOST / 5];
    (void)state;
    for (int k = 0; k < 4; k++)
        fill(all[0][k], MOST);
    for (int level = 1; level < 3; level++)
        memcpy(all[level], all[0], sizeof all[0]);
    for (int level = 0; level < 3; level++) {
        const struct detmath_reductions *of = detmath_reductions_level(level);
        if (!of)
            continue;
        const struct detmath_training *training = of->training;
        float(*own)[MOST] = all[level];
        for (size_t i = 0; i < MOST / 5; i++)
            lines[level][i] = training->norm_line(own[0] + 5 * i, 5, 0.5f, DETMATH_LAYER_NORM);
        own[1][0] = training->norm_weight_gradient(own[2], own[3], lines[level], MOST, 5,
                                                   DETMATH_LAYER_NORM, &own[1][1]);
        for (int which = DETMATH_SILU; which <= DETMATH_GELU_TANH; which++)
            training->gate_gradients[which](own[0], own[1], own[0], own[1], own[2], MOST);
        for (int which = DETMATH_RMS_NORM; which <= DETMATH_L2_NORM; which++)
            training->norm_gradient(own[2], own[2], own[3], own[1], MOST, 0.5f,
                                    (enum detmath_norm)which);
        training->softmax_gradient(own[3], own[0], own[3], MOST);
        assert_memory_equal(own, all[0], sizeof all[0]);
    }
}

/* Two elements of a layer norm, and one of an RMS norm, of any size beside epsilon: by (a - mean of a) epsilon / s^3, of numbers of both
 * signs, so that nothing cancels but what the norm makes cancel. */
static void test_gradients_of_norms_of_few_elements(void **state) {
    const float epsilon = 1e-5f;
    (void)state;
    for (int round = 0; round < 4000; round++)
        for (size_t n = 1; n <= 2; n++) {
            const struct detmath_strided in = plain(x, 1, &n), slopes = plain(g, 1, &n),
                                         out = plain(y, 1, &n), by = plain(w, 1, &n);
            long double mean = 0, of_a = 0, variance = (long double)epsilon;
            for (size_t i = 0; i < n; i++) {
                const float sign = i ? -1.0f : 1.0f;
                x[i] = sign * ldexpf(fabsf(draw()) + 0.5f, round % 24 - 12);
                g[i] = sign * (fabsf(draw()) + 0.5f);
                w[i] = fabsf(draw()) + 0.5f;
                mean += n == 2 ? (long double)x[i] / 2 : 0;
                of_a += n == 2 ? (long double)g[i] * w[i] / 2 : 0;
            }
            for (size_t i = 0; i < n; i++)
                variance += (x[i] - mean) * (x[i] - mean) / (long double)n;
            assert_int_equal(
                detmath_norm_gradient_along(n == 2 ? DETMATH_LAYER_NORM : DETMATH_RMS_NORM, &out,
                                            &in, &slopes, &by, -1, epsilon),
                0);
            for (size_t i = 0; i < n; i++)
                assert_near(y[i],
                            (double)(((long double)g[i] * w[i] - of_a) * (long double)epsilon /
                                     (variance * sqrtl(variance))),
                            0.51);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_of_losses),
        cmocka_unit_test(test_gradients_of_norms),
        cmocka_unit_test(test_gradients_of_norms_of_few_elements),
        cmocka_unit_test(test_gradients_of_any_exponents),
        cmocka_unit_test(test_gradients_of_weights),
        cmocka_unit_test(test_gradients_of_channels),
        cmocka_unit_test(test_gradients_of_softmax),
        cmocka_unit_test(test_every_level_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
