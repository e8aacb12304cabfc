/* Losses and optimisers: what is computed is right, by doubles; each line and element has the bits that it has alone, whatever
 * lies beside it and however it lies, on every instruction set. */
#include "detmath/library/kernels.h"
#include "detmath/library/training_list.h"

#include "training_draws.h"

#include <string.h>

DRAWN_ARRAYS;
static int64_t indices[MOST];

static double loss_of(const float *line, size_t n, int64_t target, double smoothing) {
    double most = -INFINITY, sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, line[i]);
    for (size_t i = 0; i < n; i++) {
        sum += exp(line[i] - most);
        mean += (most - line[i]) / (double)n;
    }
    return log(sum) + (1 - smoothing) * (most - line[target]) + smoothing * mean;
}

static void test_losses(void **state) {
    static const float smoothings[] = {0, 0.125f, 1};
    (void)state;
    for (size_t n = 2; n <= MOST; n = n < 200 ? n + 1 : n + n / 2) {
        const size_t both[2] = {ROWS, n}, rows = ROWS;
        const ptrdiff_t turned[2] = {1, ROWS};
        const float s = smoothings[n % 3];
        struct detmath_cross_entropy_options options = {s, DETMATH_LOSS_NONE, -100, NULL};
        struct detmath_strided in = plain(x, 2, both), out = plain(y, 1, &rows),
                               one = plain(z, 0, NULL);
        double whole = 0;
        fill(x, ROWS * n);
        for (int row = 0; row < ROWS; row++)
            indices[row] = (int64_t)(random_bits(&seed) % n);
        assert_int_equal(detmath_cross_entropy(&out, &in, indices, -1, &options), 0);
        for (size_t row = 0; row < ROWS; row++) {
            const double want = loss_of(x + row * n, n, indices[row], (double)s);
            const struct detmath_strided line = plain(x + row * n, 1, &n);
            whole += want;
            assert_near(y[row], want, 0.52);
            assert_int_equal(detmath_cross_entropy(&one, &line, indices + row, 0, &options), 0);
            assert_memory_equal(&y[row], z, sizeof *y);
            for (size_t i = 0; i < n; i++)
                z[ROWS + i * ROWS + row] = x[row * n + i];
        }
        in = (struct detmath_strided){z + ROWS, DETMATH_F32, 2, both, turned};
        memcpy(w, y, sizeof(float) * ROWS);
        assert_int_equal(detmath_cross_entropy(&out, &in, indices, 1, &options), 0);
        assert_memory_equal(w, y, sizeof(float) * ROWS);
        options.reduction = DETMATH_LOSS_MEAN;
        assert_int_equal(detmath_cross_entropy(&one, &in, indices, 1, &options), 0);
        assert_near(z[0], whole / ROWS, 0.52);
    }
}

/* With weights of classes, some of which are 0: by doubles, and the gradient too; weights of 1 change no bit. */
static void test_weighted_losses(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n = n < 66 ? n + 1 : 2 * n) {
        const size_t both[2] = {ROWS, n}, rows = ROWS;
        const float s = n % 2 ? 0.0f : 0.25f;
        const struct detmath_strided in = plain(x, 2, both), each = plain(z, 1, &rows),
                                     one = plain(z + ROWS, 0, NULL), weights = plain(w, 1, &n),
                                     slopes = plain(y, 2, both);
        struct detmath_cross_entropy_options options = {s, DETMATH_LOSS_NONE, -100, &weights};
        float losses[ROWS], ones[ROWS], g[ROWS];
        const struct detmath_strided given = plain(g, 1, &rows);
        double whole = 0, all = 0;
        fill(x, ROWS * n);
        for (size_t i = 0; i < n; i++)
            w[i] = i % 5 == 3 ? 0.0f : (float)(1 + random_bits(&seed) % 1000) / 256;
        for (size_t row = 0; row < ROWS; row++) {
            indices[row] = (int64_t)(random_bits(&seed) % n);
            g[row] = (float)row + 0.75f;
        }
        assert_int_equal(detmath_cross_entropy(&each, &in, indices, -1, &options), 0);
        memcpy(losses, z, sizeof losses);
        assert_int_equal(
            detmath_cross_entropy_gradient(&slopes, &in, indices, &given, -1, &options), 0);
        for (size_t row = 0; row < ROWS; row++) {
            const float *line = x + row * n;
            double loss = 0, factor = 0, sum = 0;
            for (size_t i = 0; i < n; i++) {
                const double label =
                    w[i] * (((int64_t)i == indices[row] ? 1 - (double)s : 0) + s / (double)n);
                factor += label;
                loss += label > 0 ? label * loss_of(line, n, (int64_t)i, 0) : 0;
                sum += exp(line[i]);
            }
            assert_near(losses[row], loss, 0.52);
            whole += loss;
            all += w[indices[row]];
            for (size_t i = 0; i < n; i++) {
                const double label =
                    w[i] * (((int64_t)i == indices[row] ? 1 - (double)s : 0) + s / (double)n);
                const double p = factor * exp(line[i]) / sum, want = g[row] * (p - label);
                assert_true(fabs(y[row * n + i] - want) <=
                            0x1p-24 * fabs(want) + 0x1p-28 * g[row] * (p + label));
            }
        }
        options.reduction = DETMATH_LOSS_MEAN;
        assert_int_equal(detmath_cross_entropy(&one, &in, indices, -1, &options), 0);
        if (all > 0)
            assert_near(z[ROWS], whole / all, 0.52);
        for (size_t i = 0; i < n; i++)
            w[i] = 1;
        options.reduction = DETMATH_LOSS_NONE;
        assert_int_equal(detmath_cross_entropy(&each, &in, indices, -1, &options), 0);
        memcpy(ones, z, sizeof ones);
        options.weights = NULL;
        assert_int_equal(detmath_cross_entropy(&each, &in, indices, -1, &options), 0);
        assert_memory_equal(ones, z, sizeof ones);
    }
}

/* Weights that are none, of a class that counts and of one that does not; and a wrong number of them. */
static void test_odd_weights(void **state) {
    const size_t both[2] = {3, 2}, rows = 3, classes = 2;
    float line[6] = {1, 2, 3, 1, -INFINITY, 1}, loss[3], weight[2] = {0, -1};
    const struct detmath_strided in = plain(line, 2, both), out = plain(loss, 1, &rows),
                                 one = plain(loss, 0, NULL), given = plain(weight, 1, &classes),
                                 wrong = plain(weight, 1, &rows);
    const int64_t targets[3] = {0, 1, 0};
    struct detmath_cross_entropy_options options = {0, DETMATH_LOSS_NONE, -100, &given};
    (void)state;
    assert_int_equal(detmath_cross_entropy(&out, &in, targets, -1, &options), 0);
    assert_true(loss[0] == 0 && isnan(loss[1]) && isnan(loss[2])); /* 0 times +inf */
    weight[0] = -0.0f;
    assert_int_equal(detmath_cross_entropy(&out, &in, targets, -1, &options), 0);
    assert_true(loss[0] == 0 && !signbit(loss[0]));
    options.smoothing = 0.5f;
    assert_int_equal(detmath_cross_entropy(&out, &in, targets, -1, &options), 0);
    assert_true(isnan(loss[0]));
    weight[1] = 3;
    options.reduction = DETMATH_LOSS_MEAN;
    options.ignored = 1;
    const struct detmath_strided first = plain(line, 2, (const size_t[]){2, 2});
    assert_int_equal(detmath_cross_entropy(&one, &first, targets, -1, &options), 0);
    assert_true(loss[0] == INFINITY); /* over 0 */
    options.smoothing = 0;
    assert_int_equal(detmath_cross_entropy(&one, &first, targets, -1, &options), 0);
    assert_true(isnan(loss[0]));
    options.weights = &wrong;
    assert_int_equal(detmath_cross_entropy(&one, &in, targets, -1, &options),
                     DETMATH_TROUBLE_EXTENTS);
}

/* Targets that are left out, that are no class; and lines without numbers. */
static void test_odd_losses(void **state) {
    const size_t both[2] = {4, 2}, rows = 4;
    float line[8] = {1, 2, -INFINITY, 3, 3, -INFINITY, 1, 1}, loss[4];
    const struct detmath_strided in = plain(line, 2, both), out = plain(loss, 1, &rows),
                                 one = plain(loss, 0, NULL);
    const int64_t targets[4] = {5, 0, 0, -100};
    struct detmath_cross_entropy_options options = {0, DETMATH_LOSS_NONE, -100, NULL};
    (void)state;
    assert_int_equal(detmath_cross_entropy(&out, &in, targets, -1, &options), 0);
    assert_true(isnan(loss[0]) && loss[1] == INFINITY && loss[2] == 0 && loss[3] == 0);
    options = (struct detmath_cross_entropy_options){0, DETMATH_LOSS_MEAN, 5, NULL};
    assert_int_equal(detmath_cross_entropy(&one, &in, targets, -1, &options), 0);
    assert_true(isnan(loss[0])); /* of the class -100 */
    options.smoothing = 2;
    assert_int_equal(detmath_cross_entropy(&one, &in, targets, -1, &options),
                     DETMATH_TROUBLE_OPTIONS);
}

/* 300 steps by doubles, which round the parameter and what is kept of it as the step does. */
static void test_optimisers(void **state) {
    enum { N = 100 };
    const size_t n = N;
    static float p[N], g[N], m[N], v[N];
    const struct detmath_strided at = plain(p, 1, &n), slope = plain(g, 1, &n),
                                 mean = plain(m, 1, &n), square = plain(v, 1, &n);
    (void)state;
    fill(p, N);
    for (uint32_t t = 1; t <= 300; t++) {
        struct detmath_adam rates;
        float before[3][N];
        memcpy(before[0], p, sizeof p);
        memcpy(before[1], m, sizeof m);
        memcpy(before[2], v, sizeof v);
        for (int i = 0; i < N; i++)
            g[i] = draw() * ldexpf(1, (i - 50) / 2);
        detmath_adam_rates(&rates, 0x1p-9f, 0.9f, 0.999f, 1e-8f, 0.125f, t, 1);
        assert_int_equal(detmath_adam(&at, &slope, &mean, &square, &rates), 0);
        for (int i = 0; i < N; i++) {
            const double b1 = 0.9f, b2 = 0.999f,
                         new_mean = b1 * before[1][i] + (1 - b1) * (double)g[i],
                         new_square = b2 * before[2][i] + (1 - b2) * (double)g[i] * g[i];
            const double sizes = fabs(b1 * before[1][i]) + fabs((1 - b1) * (double)g[i]);
            const double base = before[0][i] * (1 - 0x1p-12),
                         update = 0x1p-9 * new_mean / (1 - pow(b1, t)) /
                                  (sqrt(new_square / (1 - pow(b2, t))) + (double)1e-8f);
            assert_true(fabs(m[i] - new_mean) <=
                        ldexp(0.5, ilogb(new_mean) - 23) + 0x1p-40 * sizes);
            assert_near(v[i], new_square, 0.51);
            assert_true(
                fabs(p[i] - (base - update)) <=
                ldexp(0.51, ilogb(base - update) - 23) +
                    0x1p-38 * (fabs(base) + fabs(update) + fabs(update) * sizes / fabs(new_mean)));
        }
    }
    const struct detmath_sgd rates = {.rate = 0.5f, .momentum = 0.5f, .decay = 0.25f};
    p[0] = 1;
    g[0] = 2;
    m[0] = 4;
    assert_int_equal(detmath_sgd(&at, &slope, &mean, &rates), 0);
    assert_true(m[0] == 4.25f && p[0] == -1.125f);
    assert_int_equal(detmath_sgd(&at, &slope, NULL, &rates), DETMATH_TROUBLE_OPTIONS);
    assert_int_equal(detmath_sgd(&at, &slope, &at, &rates), DETMATH_TROUBLE_OVERLAP);
}

/* Moments of other sizes than the gradient and than epsilon: what is small counts beside what is large where the formula has
 * them in different places. */
static void test_adam_of_many_sizes(void **state) {
    static const int sizes[] = {-148, -140, -120, -74, -60, -20, 0, 40};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    const size_t n = 1;
    float p, g, m, v;
    const struct detmath_strided at = plain(&p, 1, &n), slope = plain(&g, 1, &n),
                                 mean = plain(&m, 1, &n), square = plain(&v, 1, &n);
    int tried = 0;
    (void)state;
    for (int i = 0; i < SIZES * SIZES * SIZES * 2; i++) {
        struct detmath_adam rates;
        const float epsilon =
            i / SIZES / SIZES % SIZES < 3 ? 0 : ldexpf(1.25f, sizes[i / SIZES / SIZES % SIZES]);
        const double b1 = 0.5f, b2 = 0.75f;
        p = 0;
        g = ldexpf(1.5f, sizes[i % SIZES]);
        m = i / SIZES % SIZES ? ldexpf(1.75f, sizes[i / SIZES % SIZES]) : 0;
        v = i >= SIZES * SIZES * SIZES ? ldexpf(1.5f, -130) : 0;
        const double new_mean = b1 * m + (1 - b1) * g,
                     new_square = b2 * v + (1 - b2) * ((double)g * g),
                     update = 0x1p-9 * new_mean / (1 - b1) /
                              (sqrt(new_square / (1 - b2)) + (double)epsilon);
        detmath_adam_rates(&rates, 0x1p-9f, 0.5f, 0.75f, epsilon, 0, 1, 0);
        assert_int_equal(detmath_adam(&at, &slope, &mean, &square, &rates), 0);
        if (update < 0x1p-120 || update > 0x1p120)
            continue;
        assert_near(p, -update, 0.51);
        tried++;
    }
    assert_true(tried > SIZES * SIZES * SIZES);
}

/* A mean over an infinite square takes nothing away but a zero, whose sign counts. */
static void test_adam_over_infinity(void **state) {
    const size_t one = 1;
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct detmath_adam rates;
        float p = k & 1 ? 0.0f : -0.0f, gradient = -2, m = k & 2 ? -15 : 15, v = INFINITY;
        const struct detmath_strided at = plain(&p, 1, &one), slope = plain(&gradient, 1, &one),
                                     mean = plain(&m, 1, &one), square = plain(&v, 1, &one);
        detmath_adam_rates(&rates, 0.001f, 0.9f, 0.75f, 0, 0.5f, 2, 1);
        assert_int_equal(detmath_adam(&at, &slope, &mean, &square, &rates), 0);
        assert_true(p == 0 && !signbit(p) == (k != 0));
    }
}

static void test_every_level_has_the_same_bits(void **state) {
    struct detmath_adam adam;
    const struct detmath_sgd sgd = {0.1f, 0.9f, 0.5f, 0.01f, 1, 0};
    static float all[3][5][MOST];
    (void)state;
    detmath_adam_rates(&adam, 0.001f, 0.9f, 0.999f, 1e-8f, 0.01f, 7, 0);
    for (int k = 0; k < 5; k++)
        fill(all[0][k], MOST);
    for (int level = 1; level < 3; level++)
        memcpy(all[level], all[0], sizeof all[0]);
    for (int level = 0; level < 3; level++) {
        const struct detmath_reductions *of = detmath_reductions_level(level);
        if (!of)
            continue;
        float(*own)[MOST] = all[level];
        of->training->sgd(own[0], own[1], own[2], MOST, &sgd);
        of->training->adam(own[0], own[1], own[3], own[4], MOST, &adam);
        const struct detmath_parts loss =
            of->training->cross_entropy(own[1], NULL, MOST, 7, 0.125f);
        for (size_t i = 0; i < MOST; i++)
            own[2][i] = fabsf(own[2][i]);
        const struct detmath_parts weighted =
            of->training->cross_entropy(own[1], own[2], MOST, 7, 0.125f);
        of->training->cross_entropy_gradient(own[3], own[1], own[2], MOST, 7, 3, 0.125f);
        own[1][0] = loss.high;
        own[1][1] = loss.low;
        own[1][2] = weighted.high;
        own[1][3] = weighted.low;
        assert_memory_equal(own, all[0], sizeof all[0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_weighted_losses),
        cmocka_unit_test(test_odd_weights),
        cmocka_unit_test(test_odd_losses),
        cmocka_unit_test(test_optimisers),
        cmocka_unit_test(test_adam_of_many_sizes),
        cmocka_unit_test(test_adam_over_infinity),
        cmocka_unit_test(test_every_level_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
