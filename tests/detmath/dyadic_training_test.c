/* A layer trained in integers alone, by the library's calls: forward, loss, backward and update. The
 * same steps in exact rational numbers (GMP) say which loss there is to reach. And the products:
 * every width, shape and stride, on every instruction set, against a plain loop. */
#include <stdio.h> /* before gmp.h, which then has gmp_fprintf */

#include "detmath/library/dyadic_kernels.h"
#include "detmath/library/kernels.h"
#include "detmath/random.h"

#include "../base/random.h"

#include <gmp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 11;

enum { SAMPLES = 16, INPUTS = 3, EPOCHS = 150 };
enum { S_DATA = 5, S_WEIGHT = 24, RATE = 3, DECAY = 1 };

/* Data of scale 5, as the text's, and targets that a layer with these weights gives, which no weight
 * of few bits does: 0.37, -0.61, 0.83 and the bias 0.29, rounded to the data's scale. */
static void make_data(int16_t x[INPUTS][SAMPLES], int32_t t[SAMPLES]) {
    static const int weights[INPUTS] = {37, -61, 83};
    for (int i = 0; i < SAMPLES; i++) {
        int sum = 29 << S_DATA;
        for (int k = 0; k < INPUTS; k++) {
            x[k][i] = (int16_t)random_between(&seed, -32, 32);
            sum += weights[k] * x[k][i];
        }
        t[i] = sum / 100;
    }
}

/* Weights and bias after EPOCHS steps, as integers of scale S_WEIGHT. z = (W x) + b has the scale of
 * the data; the gradient of the mean of squares is 2 (z - t) x / SAMPLES. */
static void train(const int16_t x[INPUTS][SAMPLES], const int32_t t[SAMPLES],
                  struct detmath_dyadic_rules rules, int64_t weights[INPUTS + 1], double *loss) {
    const int s_z = S_DATA + 12, s_gradient = s_z + S_DATA;
    const struct detmath_dyadic_plan forward =
        detmath_dyadic_plan_affine(S_WEIGHT, S_DATA, S_WEIGHT, S_WEIGHT + S_DATA - s_z, rules);
    const struct detmath_dyadic_plan raise = detmath_dyadic_plan_align(S_DATA, s_z, rules);
    const struct detmath_dyadic_plan difference = detmath_dyadic_plan_add(s_z, s_z, rules);
    /* The factor 2 / SAMPLES is a shift of the scale: nothing is computed. */
    const struct detmath_dyadic_plan backward =
        detmath_dyadic_plan_affine(s_z, S_DATA, s_z + S_DATA, 0, rules);
    const struct detmath_dyadic_step step =
        detmath_dyadic_step_of(S_WEIGHT, s_gradient + 3, RATE, DECAY, INT64_C(1) << 40, rules);
    const struct detmath_dyadic_matrices outward = {1,       INPUTS, SAMPLES, INPUTS, 1,
                                                    SAMPLES, 1,      1,       0};
    const struct detmath_dyadic_matrices inward = {INPUTS, SAMPLES, 1, SAMPLES, 1, 1, 1, 0, 0};
    int64_t wide[INPUTS][SAMPLES], target[SAMPLES], z[SAMPLES], d[SAMPLES];
    int64_t velocity[INPUTS + 1] = {0}, gradient[INPUTS + 1];
    uint32_t status = 0;
    for (int k = 0; k < INPUTS; k++)
        for (int i = 0; i < SAMPLES; i++)
            wide[k][i] = x[k][i];
    for (int i = 0; i < SAMPLES; i++)
        target[i] = t[i];
    status |= detmath_dyadic_align_i64(target, target, SAMPLES, &raise, 0, 0);
    memset(weights, 0, (INPUTS + 1) * sizeof *weights);
    for (unsigned epoch = 0; epoch < EPOCHS; epoch++) {
        status |= detmath_dyadic_affine_i64_i64(z, weights, &wide[0][0], &weights[INPUTS], &outward,
                                                &forward, epoch, 0);
        status |= detmath_dyadic_sub_i64(d, z, target, SAMPLES, &difference, epoch, 100);
        status |= detmath_dyadic_affine_i64_i64(gradient, &wide[0][0], d, NULL, &inward, &backward,
                                                epoch, 200);
        gradient[INPUTS] = 0;
        for (int i = 0; i < SAMPLES; i++)
            gradient[INPUTS] += d[i] * (1 << S_DATA);
        status |=
            detmath_dyadic_step_i64(weights, velocity, gradient, INPUTS + 1, &step, epoch, 300);
    }
    status |= detmath_dyadic_affine_i64_i64(z, weights, &wide[0][0], &weights[INPUTS], &outward,
                                            &forward, EPOCHS, 0);
    int32_t s;
    int64_t mean =
        detmath_dyadic_mse_i64(z, target, SAMPLES, &difference, 10, EPOCHS, 100, &s, &status);
    assert_int_equal(status, 0);
    struct detmath_dyadic exact_loss = {mean, s};
    *loss = detmath_dyadic_to_real(exact_loss, DETMATH_DYADIC_NEAREST_EVEN);
}

/* The same steps, nothing rounded. */
static double train_exactly(const int16_t x[INPUTS][SAMPLES], const int32_t t[SAMPLES]) {
    mpq_t w[INPUTS + 1], m[INPUTS + 1], g[INPUTS + 1], z, one, loss;
    mpq_inits(z, one, loss, NULL);
    for (int k = 0; k <= INPUTS; k++)
        mpq_inits(w[k], m[k], g[k], NULL);
    for (int epoch = 0; epoch <= EPOCHS; epoch++) {
        mpq_set_ui(loss, 0, 1);
        for (int k = 0; k <= INPUTS; k++)
            mpq_set_ui(g[k], 0, 1);
        for (int i = 0; i < SAMPLES; i++) {
            mpq_set_si(z, -t[i], 1u << S_DATA);
            mpq_canonicalize(z);
            for (int k = 0; k <= INPUTS; k++) {
                mpq_set_si(one, k < INPUTS ? x[k][i] : 1 << S_DATA, 1u << S_DATA);
                mpq_canonicalize(one);
                mpq_mul(one, one, w[k]);
                mpq_add(z, z, one);
            }
            for (int k = 0; k <= INPUTS; k++) {
                mpq_set_si(one, 2 * (k < INPUTS ? x[k][i] : 1 << S_DATA), SAMPLES << S_DATA);
                mpq_canonicalize(one);
                mpq_mul(one, one, z);
                mpq_add(g[k], g[k], one);
            }
            mpq_mul(z, z, z);
            mpq_add(loss, loss, z);
        }
        for (int k = 0; k <= INPUTS && epoch < EPOCHS; k++) {
            mpq_div_2exp(m[k], m[k], DECAY); /* 1 - 2^-1 */
            mpq_add(m[k], m[k], g[k]);
            mpq_div_2exp(one, m[k], RATE);
            mpq_sub(w[k], w[k], one);
        }
    }
    double reached = mpq_get_d(loss) / SAMPLES;
    for (int k = 0; k <= INPUTS; k++)
        mpq_clears(w[k], m[k], g[k], NULL);
    mpq_clears(z, one, loss, NULL);
    return reached;
}

static void test_training_reaches_the_loss_of_rationals(void **state) {
    (void)state;
    int16_t x[INPUTS][SAMPLES];
    int32_t t[SAMPLES];
    make_data(x, t);
    const double exact = train_exactly((const int16_t(*)[SAMPLES])x, t);
    assert_true(exact > 0 && exact < 0x1p-10); /* what rounding the targets leaves */
    for (int rounding = 0; rounding <= DETMATH_DYADIC_STOCHASTIC; rounding++) {
        const struct detmath_dyadic_rules rules = {64, DETMATH_DYADIC_REPORT,
                                                   (enum detmath_dyadic_rounding)rounding,
                                                   DETMATH_DYADIC_COARSER};
        int64_t weights[INPUTS + 1], again[INPUTS + 1];
        double loss, same;
        train((const int16_t(*)[SAMPLES])x, t, rules, weights, &loss);
        train((const int16_t(*)[SAMPLES])x, t, rules, again, &same);
        assert_memory_equal(weights, again, sizeof weights);
        if (loss < 0.99 * exact || loss > 1.01 * exact)
            fail_msg("rounding %d: loss %.9g, exactly %.9g", rounding, loss, exact);
    }
}

/* Products of every width against the definition, element by element. */
static int64_t operand_at(const void *array, int bytes, size_t at) {
    return bytes == 1   ? ((const int8_t *)array)[at]
           : bytes == 2 ? ((const int16_t *)array)[at]
           : bytes == 4 ? ((const int32_t *)array)[at]
                        : ((const int64_t *)array)[at];
}

static void check_product(const struct detmath_dyadic_product *product, unsigned index,
                          unsigned number) {
    static const int bytes_of[DETMATH_DYADIC_PRODUCT_COUNT] = {1, 2, 4, 1, 2, 4, 8};
    enum { ROWS = 9, INNER = 290, COLUMNS = 140 }; /* more than two tiles each way */
    static int64_t x[INNER * COLUMNS + 256], y[INNER * COLUMNS + 256], b[256];
    static int64_t got[ROWS * COLUMNS];
    const int bytes = bytes_of[index], to = index < 3 ? 4 : 8;
    size_t rows = (size_t)random_between(&seed, 1, ROWS),
           inner = (size_t)random_between(&seed, 0, number % 5 ? 70 : INNER);
    size_t columns = (size_t)random_between(&seed, 1, number % 3 ? 40 : COLUMNS);
    size_t needed = inner * (columns > rows ? columns : rows);
    bool turned = number & 1, small = number & 2, biased = number % 7;
    struct detmath_dyadic_rules rules = {to * 8, (enum detmath_dyadic_overflow)(number / 4 % 3),
                                         (enum detmath_dyadic_rounding)(number / 12 % 6), 0};
    struct detmath_dyadic_plan plan = detmath_dyadic_plan_affine(
        random_between(&seed, 0, 9), random_between(&seed, 0, 9), random_between(&seed, 0, 9),
        number % 11 ? random_between(&seed, 0, 12) : 0, rules);
    struct detmath_dyadic_matrices m = {rows, inner, columns, inner, 1, columns, 1, 1, 0};
    if (turned)
        m = (struct detmath_dyadic_matrices){rows, inner, columns, 1, rows, 1, inner, 0, 1};
    for (size_t i = 0; i < needed * (size_t)bytes / 8 + 256; i++) {
        x[i] = (int64_t)random_bits(&seed) & (small ? 0x0301030103010301 : -1);
        y[i] = (int64_t)random_bits(&seed) & (small ? 0x0103010301030103 : -1);
        if (number % 13 == 5) /* the least numbers, of which two products fill a lane */
            x[i] = y[i] = bytes == 1 ? INT64_C(-0x7f7f7f7f7f7f7f80) : INT64_C(-0x7fff7fff7fff8000);
        b[i % 256] = (int64_t)random_bits(&seed) >> (small ? 45 : 0);
    }
    if (to == 4)
        for (int i = 0; i < 256; i++)
            ((int32_t *)b)[i % 256] = (int32_t)random_bits(&seed) >> (small ? 20 : 0);
    uint32_t status = product->fill(got, x, y, biased ? b : NULL, &m, &plan, 5, 9);
    uint32_t want_status = 0;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            int64_t sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum = detmath_dyadic_add_product(
                    sum, operand_at(x, bytes, r * m.x_row + k * m.x_column),
                    operand_at(y, bytes, k * m.y_row + c * m.y_column), rules, &want_status);
            size_t i = r * columns + c;
            int64_t want =
                detmath_dyadic_affine_mantissa(sum, biased ? operand_at(b, to, turned ? c : r) : 0,
                                               plan, detmath_random(5, 9 + i), &want_status);
            assert_true(operand_at(got, to, i) == (to == 4 ? (int32_t)want : want));
        }
    assert_int_equal(status, want_status);
}

static void test_products(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (unsigned index = 0; level.dyadic_products && index < DETMATH_DYADIC_PRODUCT_COUNT;
             index++)
            for (unsigned number = 0; number < 72; number += index < 2 ? 1 : 5)
                check_product(&level.dyadic_products[index], index, number);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_training_reaches_the_loss_of_rationals),
        cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
