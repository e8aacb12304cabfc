/* The dyadic operations against rational numbers (GMP): int8 x int8 at shifts 0 to 8 each, in every
 * reading, rounding and overflow; wide mantissas at random and at the ends; stochastic rounding
 * over all of its random bits; errors; array forms on every instruction set and cut anywhere.
 *
 * With the argument `all`, every pair at every pair of shifts; else a part of them. */
#include <stdio.h> /* before gmp.h, which then has gmp_fprintf */

#include "detmath/library/dyadic_kernels.h"
#include "detmath/library/kernels.h"
#include "detmath/random.h"
#include "op/dyadic/exact.h"

#include "../base/random.h"

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

/* Rules that differ from pair to pair, so that all of them meet everything. */
static struct detmath_dyadic_rules rules_number(unsigned number) {
    return (struct detmath_dyadic_rules){number & 1 ? 64 : 32, number / 2 % 3, number / 6 % 6,
                                         number / 36 & 1};
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

/* Near 0, near a power of two, near the ends, or anything. */
static int64_t wide_mantissa(void) {
    uint64_t random = random_bits(&seed);
    int64_t small = (int64_t)(random >> 8 & 7) - 4;
    if (random & 1)
        return (int64_t)((random_bits(&seed) & 1 ? UINT64_C(1) : UINT64_MAX)
                         << (random >> 16 & 63)) +
               (small < 0 ? 0 : 1) * (random & 2 ? 1 : 0);
    if (random & 2)
        return (int64_t)(random_bits(&seed) >> (random >> 16 & 63));
    return random & 4 ? small : -(int64_t)(random_bits(&seed) >> 1 >> (random >> 16 & 63));
}

static void test_wide(void **state) {
    (void)state;
    for (int i = 0; i < (everything ? 20000000 : 700000); i++) {
        uint64_t random = random_bits(&seed);
        struct dyadic_question question = {.operation =
                                               (enum dyadic_operation)(random % DYADIC_OPERATIONS),
                                           .x1 = {wide_mantissa(), (int)(random >> 8 & 63) - 20},
                                           .x2 = {wide_mantissa(), (int)(random >> 16 & 63) - 20},
                                           .t = (int)(random >> 24 & 63) - 20,
                                           .shift = (int)(random >> 32 & 63),
                                           .bits = (int)(random >> 40 & 63) + 1,
                                           .is_signed = (int)(random >> 48 & 1),
                                           .rules = rules_number((unsigned)(random >> 49)),
                                           .random = random_bits(&seed)};
        check(&question);
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

enum { MOST = 700 };

static struct detmath_dyadic_plan draw_plan(enum detmath_dyadic_operation which,
                                            struct detmath_dyadic_rules rules) {
    int a = random_between(&seed, 0, 20), b = random_between(&seed, 0, 20);
    int c = random_between(&seed, 0, 20);
    switch (which) {
    case DETMATH_DYADIC_INDEX_mul:
        return detmath_dyadic_plan_mul(a, b, (a + b) / 2, rules);
    case DETMATH_DYADIC_INDEX_div:
        return detmath_dyadic_plan_div(a, b, b, rules);
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
    static int64_t wide[3][MOST];
    static int32_t narrow[3][MOST];
    uint32_t want_status = 0, status = 0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) {
            wide[k][i] = wide_mantissa();
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
            for (unsigned number = 0; number < 72; number++)
                check_arrays(&level.dyadic[which], (enum detmath_dyadic_operation)which,
                             rules_number(number));
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

int main(int argc, char **argv) {
    everything = argc > 1 && strcmp(argv[1], "all") == 0;
    dyadic_exact_open(&exact);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_int8_pairs),
                                       cmocka_unit_test(test_int8_requantise),
                                       cmocka_unit_test(test_wide),
                                       cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_stochastic_mean),
                                       cmocka_unit_test(test_gradient),
                                       cmocka_unit_test(test_arrays),
                                       cmocka_unit_test(test_reals),
                                       cmocka_unit_test(test_threads)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    dyadic_exact_close(&exact);
    return failed;
}
