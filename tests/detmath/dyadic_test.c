/* The dyadic operations against rational numbers (GMP): int8 x int8 at shifts 0 to 8 each, in every
 * reading, rounding and overflow; wide mantissas at random and at the ends; stochastic rounding
 * over all of its random bits; errors. dyadic_arrays_test.c has the array forms.
 *
 * With the argument `all`, every pair at every pair of shifts; else a part of them. */
#include <stdio.h> /* before gmp.h, which then has gmp_fprintf */

#include "detmath/library/dyadic_kernels.h"
#include "detmath/library/kernels.h"
#include "detmath/random.h"
#include "op/dyadic/exact.h"

#include "dyadic_draws.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 7;
static bool everything;
static struct dyadic_exact exact;

static struct detmath_dyadic answer(const struct dyadic_question *question, uint32_t *status) {
    struct detmath_dyadic x1 = question->x1, x2 = question->x2;
    struct detmath_dyadic_rules rules = question->rules;
    uint64_t random = question->random;
    *status = 0;
    switch (question->operation) {
    case DYADIC_ALIGN:
        return detmath_dyadic_align(x1, question->t, rules, random, status);
    case DYADIC_ADD:
        return detmath_dyadic_add(x1, x2, rules, random, status);
    case DYADIC_SUB:
        return detmath_dyadic_sub(x1, x2, rules, random, status);
    case DYADIC_MUL:
        return detmath_dyadic_mul(x1, x2, question->shift, rules, random, status);
    case DYADIC_DIV:
        return detmath_dyadic_div(x1, x2, question->shift, rules, status);
    case DYADIC_RELU:
        return detmath_dyadic_relu(x1, rules, status);
    case DYADIC_RELU_GRADIENT:
        return detmath_dyadic_relu_gradient(x1, x2, rules, status);
    case DYADIC_EQUAL:
        return detmath_dyadic_equal(x1, x2, rules, status);
    case DYADIC_REQUANTISE:
        return detmath_dyadic_requantise(x1, question->t, question->bits, question->is_signed,
                                         rules, random, status);
    default:
        return detmath_dyadic_gradient(x1, x2, question->t, question->bits, question->is_signed,
                                       rules, random, status);
    }
}

/* The oracle's mantissa, which the accumulator holds. */
static int64_t expected_mantissa(void) {
    uint64_t magnitude = 0;
    mpz_export(&magnitude, NULL, 1, sizeof magnitude, 0, 0, exact.v);
    return (int64_t)(mpz_sgn(exact.v) < 0 ? 0 - magnitude : magnitude);
}

static void check(const struct dyadic_question *question) {
    uint32_t status;
    struct detmath_dyadic got = answer(question, &status);
    dyadic_exact_answer(&exact, question);
    if (got.v == expected_mantissa() && got.s == exact.s && status == exact.status)
        return;
    print_error(
        "operation %d (%lld,%d) (%lld,%d) t %d shift %d bits %d signed %d rules %d %d %d %d "
        "random %llx: got (%lld,%d) status %x\n",
        question->operation, (long long)question->x1.v, question->x1.s, (long long)question->x2.v,
        question->x2.s, question->t, question->shift, question->bits, question->is_signed,
        question->rules.bits, question->rules.overflow, question->rules.rounding,
        question->rules.alignment, (unsigned long long)question->random, (long long)got.v, got.s,
        status);
    gmp_fprintf(stderr, "want (%Zd,%ld) status %x\n", exact.v, exact.s, exact.status);
    fail();
}

static void check_pair(struct dyadic_question *question, unsigned number) {
    question->rules = rules_number(number);
    question->random = random_bits(&seed);
    for (int operation = DYADIC_ADD; operation < DYADIC_OPERATIONS; operation++) {
        if (operation == DYADIC_REQUANTISE || operation == DYADIC_GRADIENT)
            continue;
        question->operation = (enum dyadic_operation)operation;
        question->shift = (int)(number / 72 % 9);
        check(question);
    }
}

/* Every int8 x int8, or every 13th; each pair of shifts. The step through the rules is coprime with
 * their number. */
static void test_int8_pairs(void **state) {
    (void)state;
    unsigned number = 0;
    for (int s1 = 0; s1 <= 8; s1++)
        for (int s2 = 0; s2 <= 8; s2++)
            for (int pair = 0; pair < 1 << 16; pair += everything ? 1 : 13) {
                struct dyadic_question question = {.x1 = {(int8_t)(pair >> 8), s1},
                                                   .x2 = {(int8_t)pair, s2}};
                check_pair(&question, number += 7);
            }
}

/* Every int8 to every scale and width. */
static void test_int8_requantise(void **state) {
    (void)state;
    unsigned number = 0;
    for (int s = 0; s <= 8; s++)
        for (int t = 0; t <= 8; t++)
            for (int bits = 1; bits <= 9; bits += everything ? 1 : 3)
                for (int v = -128; v < 128; v++) {
                    struct dyadic_question question = {
                        .x1 = {v, s}, .t = t, .bits = bits, .is_signed = (int)(number & 1)};
                    question.rules = rules_number(number += 5);
                    question.random = random_bits(&seed);
                    check(&question);
                    question.operation = DYADIC_REQUANTISE;
                    check(&question);
                    question.operation = DYADIC_GRADIENT;
                    question.x2 = question.x1;
                    question.x1 = (struct detmath_dyadic){77, 3};
                    check(&question);
                }
}

static void test_wide(void **state) {
    (void)state;
    for (int i = 0; i < (everything ? 20000000 : 700000); i++) {
        uint64_t random = random_bits(&seed);
        struct dyadic_question question = {
            .operation = (enum dyadic_operation)(random % DYADIC_OPERATIONS),
            .x1 = {wide_mantissa(&seed), (int)(random >> 8 & 63) - 20},
            .x2 = {wide_mantissa(&seed), (int)(random >> 16 & 63) - 20},
            .t = (int)(random >> 24 & 63) - 20,
            .shift = (int)(random >> 32 & 63),
            .bits = (int)(random >> 40 & 63) + 1,
            .is_signed = (int)(random >> 48 & 1),
            .rules = rules_number((unsigned)(random >> 49)),
            .random = random_bits(&seed)};
        if (i % 4 ==
            0) { /* scales and shifts that nothing of a mantissa outlives, and those next to them */
            question.x2.s = question.x1.s + random_between(&seed, -140, 140);
            question.t = question.x1.s + random_between(&seed, -140, 140);
            question.shift = random_between(&seed, -140, 140);
        } else if (random >> 55 & 1)
            question.shift = -question.shift;
        check(&question);
    }
}

/* 2^63 and its neighbours by 63, 64 and 65 bits and more, in every rounding: where the tables of shifts end. */
static void test_ends_of_shifts(void **state) {
    (void)state;
    static const int64_t ends[] = {
        INT64_MIN,        INT64_MIN + 1,      -2, -1, 0, 1, 2, INT64_MAX - 1, INT64_MAX,
        INT64_C(1) << 62, -(INT64_C(1) << 62)};
    static const int by[] = {62, 63, 64, 65, 66, 125, 126, 127, 128, 131070};
    for (unsigned rules = 0; rules < 72; rules++)
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
            for (size_t k = 0; k < 2 * (sizeof by / sizeof *by); k++) {
                const int shift = k & 1 ? by[k / 2] : -by[k / 2];
                for (int random = 0; random < 3; random++) {
                    struct dyadic_question question = {.operation = DYADIC_ALIGN,
                                                       .x1 = {ends[i], shift / 2},
                                                       .x2 = {-3, 0},
                                                       .t = shift / 2 - shift,
                                                       .shift = shift,
                                                       .rules = rules_number(rules),
                                                       .random = random == 0 ? 0
                                                                 : random == 1
                                                                     ? UINT64_MAX
                                                                     : random_bits(&seed)};
                    check(&question);
                    question.operation = DYADIC_DIV;
                    check(&question);
                    question.operation = DYADIC_MUL;
                    question.x2.v = 1;
                    check(&question);
                }
            }
}

/* Scales, shifts and widths beyond their ranges, extremes of int among them. */
static void test_errors(void **state) {
    (void)state;
    static const int numbers[] = {0, 1, 63, 64, 65, 65535, 65536, -1, -63, INT32_MAX, INT32_MIN};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    for (int i = 0; i < 400000; i++) {
        int pick[6];
        for (int k = 0; k < 6; k++)
            pick[k] = numbers[random_between(&seed, 0, random_bits(&seed) & 1 ? COUNT - 1 : 2)];
        struct dyadic_question question = {
            .operation = (enum dyadic_operation)random_between(&seed, 0, DYADIC_OPERATIONS - 1),
            .x1 = {random_between(&seed, -9, 9), pick[0]},
            .x2 = {random_between(&seed, -1, 1), pick[1]},
            .t = pick[2],
            .shift = pick[3],
            .bits = pick[4],
            .is_signed = i & 1,
            .rules = rules_number((unsigned)random_between(&seed, 0, 71)),
            .random = random_bits(&seed)};
        check(&question);
    }
    uint32_t status = 0;
    struct detmath_dyadic seven = {7, 2}, nothing = {0, 0};
    struct detmath_dyadic_rules rules = {32, DETMATH_DYADIC_REPORT, DETMATH_DYADIC_DOWN, 0};
    detmath_dyadic_div(seven, nothing, 3, rules, &status);
    assert_int_equal(status, DETMATH_DYADIC_DIVISION_BY_ZERO);
    status = 0;
    assert_int_equal(detmath_dyadic_mul(seven, nothing, 3, rules, 0, &status).s, -1);
    assert_int_equal(status, 0);
    struct detmath_dyadic coarsest = {7, -65535}, finest = {7, 65535};
    detmath_dyadic_mul(coarsest, coarsest, 0, rules, 0, &status);
    assert_int_equal(status, DETMATH_DYADIC_BAD_SCALE);
    status = 0;
    assert_int_equal(detmath_dyadic_equal(coarsest, finest, rules, &status).v, 0);
    assert_int_equal(detmath_dyadic_equal(finest, finest, rules, &status).v, 1);
    assert_int_equal(status, 0);
    detmath_dyadic_from_real((double)NAN, 3, 8, 1, rules, 0, &status);
    assert_int_equal(status, DETMATH_DYADIC_NOT_A_NUMBER);
}

/* Over all 2^k values of U, the results sum to v exactly: their mean is v / 2^k. */
static void test_stochastic_mean(void **state) {
    (void)state;
    const struct detmath_dyadic_rules rules = {64, DETMATH_DYADIC_REPORT, DETMATH_DYADIC_STOCHASTIC,
                                               0};
    for (int k = 0; k <= 12; k++)
        for (int v = -5000; v <= 5000; v += everything || k < 6 ? 1 : 37) {
            int64_t sum = 0;
            uint32_t status = 0;
            for (uint64_t u = 0; u < UINT64_C(1) << k; u++) {
                /* What lies above the k bits must not matter. */
                uint64_t random = u | (k ? random_bits(&seed) << k : 0);
                struct detmath_dyadic x = {v, k};
                sum += detmath_dyadic_align(x, 0, rules, random, &status).v;
            }
            assert_true(sum == v && status == 0);
        }
}

/* The text's mask, of the clipped value, would let every gradient pass. */
static void test_gradient(void **state) {
    (void)state;
    const struct detmath_dyadic_rules rules = {32, DETMATH_DYADIC_REPORT, DETMATH_DYADIC_DOWN, 0};
    struct detmath_dyadic gradient = {-9, 4}, inside = {127 * 4 + 3, 2}, above = {128 * 4, 2};
    uint32_t status = 0;
    struct detmath_dyadic got =
        detmath_dyadic_gradient(gradient, inside, 0, 8, 1, rules, 0, &status);
    assert_true(got.v == -9 && got.s == 4);
    assert_int_equal(detmath_dyadic_requantise(above, 0, 8, 1, rules, 0, &status).v, 127);
    got = detmath_dyadic_gradient(gradient, above, 0, 8, 1, rules, 0, &status);
    assert_true(got.v == 0 && got.s == 4 && status == 0);
}

/* Real numbers of every exponent: against rationals, and the array forms of every level. A number
 * that from_real does not change is the one that to_real gives back. */
static void test_reals(void **state) {
    (void)state;
    enum { N = 300 };
    struct detmath_level level;
    for (unsigned number = 0; number < 72; number++) {
        struct detmath_dyadic_rules rules = rules_number(number);
        int t = random_between(&seed, -40, 60), bits = random_between(&seed, 1, 63);
        struct detmath_dyadic_plan plan = detmath_dyadic_plan_from_real(t, bits, number & 1, rules);
        struct dyadic_question question = {
            .t = t, .bits = bits, .is_signed = number & 1, .rules = rules};
        double x[N], back[N];
        int64_t wide[N];
        int32_t narrow[N];
        uint64_t key = random_bits(&seed);
        for (int i = 0; i < N; i++) {
            uint64_t exponent = (uint64_t)random_between(&seed, 1023 - t - 70, 1023 - t + 70);
            uint64_t code = random_bits(&seed) >> 12 >> (random_bits(&seed) & 31)
                                                            << (random_bits(&seed) & 31);
            code = (code & (UINT64_MAX >> 12)) | exponent << 52 | random_bits(&seed) << 63;
            memcpy(&x[i], &code, sizeof code);
        }
        for (int l = 0; detmath_level(l, &level); l++) {
            if (!level.dyadic)
                continue;
            const struct detmath_dyadic_kernels *from =
                &level.dyadic[DETMATH_DYADIC_INDEX_from_f64];
            const struct detmath_dyadic_kernels *to = &level.dyadic[DETMATH_DYADIC_INDEX_to_f64];
            bool is_wide = rules.bits == 64;
            void *out = is_wide ? (void *)wide : (void *)narrow;
            uint32_t status = (is_wide ? from->i64 : from->i32)(out, x, NULL, N, &plan, key, 5);
            struct detmath_dyadic_plan back_plan = detmath_dyadic_plan_to_real(t, rules);
            (is_wide ? to->i64 : to->i32)(back, out, NULL, N, &back_plan, 0, 0);
            uint32_t want_status = 0;
            for (int i = 0; i < N; i++) {
                struct real real = real_from_double(x[i]);
                question.random = detmath_random(key, 5 + (uint64_t)i);
                dyadic_exact_from_real(&exact, &question, &real);
                want_status |= exact.status;
                int64_t got = is_wide ? wide[i] : narrow[i];
                assert_true(got == expected_mantissa());
                bool below;
                bool same = !(dyadic_exact_error(&exact, got, t, 0, &below) > 0);
                assert_true(!same || !(back[i] < x[i] || back[i] > x[i]));
                struct detmath_dyadic one = {got, t};
                double scalar = detmath_dyadic_to_real(one, rules.rounding);
                assert_memory_equal(&back[i], &scalar, sizeof scalar);
            }
            assert_int_equal(status, want_status);
        }
    }
}

int main(int argc, char **argv) {
    everything = argc > 1 && strcmp(argv[1], "all") == 0;
    dyadic_exact_open(&exact);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int8_pairs), cmocka_unit_test(test_int8_requantise),
        cmocka_unit_test(test_wide),       cmocka_unit_test(test_ends_of_shifts),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_stochastic_mean),
        cmocka_unit_test(test_gradient),   cmocka_unit_test(test_reals)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dyadic_exact_close(&exact);
    return failed;
}
