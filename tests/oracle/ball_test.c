/* Where a row has a ball, Arb decides most results; MPFR alone must say the same, bit for bit: the
 * kept bits and whether more follow. Inputs are the landmarks and poles with their neighbours,
 * exact results, and random codes.
 *
 *   ball_test [samples]    a hundred thousand take a minute */
#include "../base/random.h"
#include "oracle/exact.h"
#include "sweep/domain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLES = 1500, FAR = 1 << 13 };

static unsigned long samples = SAMPLES;

static bool has_ball(const struct result_rule *rule) {
    return rule->arb && (rule->arb->ball || rule->arb->ball2);
}

/* The same, or both beyond every format: a ball is decided by its size sooner. */
static bool same(const struct real *a, const struct real *b) {
    if (a->kind != b->kind || a->negative != b->negative)
        return false;
    if (a->kind != REAL_FINITE)
        return true;
    if (a->exponent == REAL_HUGE_EXPONENT)
        return b->exponent > FAR;
    if (a->exponent == REAL_TINY_EXPONENT)
        return b->exponent < -FAR;
    return a->inexact == b->inexact && a->exponent == b->exponent &&
           a->significand.high == b->significand.high && a->significand.low == b->significand.low;
}

/* One format and precision, with two oracles. */
struct pair {
    struct oracle ball, mpfr;
    int result;
};

static void compare(struct pair *pair, const uint64_t *codes) {
    struct real a, b;
    struct error error;
    pair->ball.balls_to_pass = 0; /* Arb is asked, whatever it left open before */
    assert_true(oracle_exact(&pair->ball, codes, pair->result, &a, &error));
    assert_true(oracle_exact(&pair->mpfr, codes, pair->result, &b, &error));
    if (!same(&a, &b))
        fail_msg("%s at 0x%llx, 0x%llx in %s: other by Arb than by MPFR",
                 pair->ball.operation->name, (unsigned long long)codes[0],
                 (unsigned long long)codes[1], pair->ball.format->name);
}

static uint64_t random_code(uint64_t *state, const struct format *format) {
    uint64_t code = random_bits(state);
    return format->width < 64 ? code & (((uint64_t)1 << format->width) - 1) : code;
}

/* Numbers of ordinary size, where most of a function happens. */
static uint64_t ordinary_code(uint64_t *state, const struct format *format) {
    double x = (double)(random_between(state, -60 * (1 << 18), 40 * (1 << 18))) * 0x1p-18;
    struct real real = real_from_double(x);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

static bool wants_integer(const struct operation *operation) {
    return operation->platform.signature == C_LONG_LONG_SECOND;
}

/* A second operand of ordinary size; an integer where that is wanted. */
static uint64_t ordinary_second(uint64_t *state, const struct operation *operation,
                                const struct format *format) {
    if (!wants_integer(operation))
        return ordinary_code(state, format);
    struct real real = real_from_double((double)random_between(state, -50, 50));
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

static void compare_all(const struct operation *operation, int result, const char *format_name,
                        int precision) {
    struct error error;
    struct code_set special = {0};
    struct pair pair = {.result = result};
    const struct format *format = format_find(format_name, &error);
    uint64_t state = 11;
    oracle_open(&pair.ball, operation, format, NULL, precision);
    oracle_open(&pair.mpfr, operation, format, NULL, precision);
    pair.mpfr.by_mpfr = true;
    assert_true(code_set_special(&special, format, operation, &error));
    /* Of pairs a seventh, and fewer where either takes milliseconds. */
    bool partly = operation->result[result].partly && operation->operands == 2;
    uint64_t stride = partly ? 61 : operation->operands == 2 ? 7 : 1;
    unsigned long drawn = partly ? samples / 30 : samples;
    for (uint64_t i = 0; i < special.count; i++)
        for (uint64_t j = i % stride; j < (stride == 1 ? 1 : special.count); j += stride)
            compare(&pair, (const uint64_t[]){code_set_at(&special, i), code_set_at(&special, j)});
    for (unsigned long i = 0; i < drawn; i++)
        compare(&pair,
                (const uint64_t[]){random_code(&state, format), random_code(&state, format)});
    for (unsigned long i = 0; i < drawn; i++) {
        uint64_t first = ordinary_code(&state, format);
        compare(&pair, (const uint64_t[]){first, ordinary_second(&state, operation, format)});
    }
    code_set_free(&special);
    oracle_close(&pair.ball);
    oracle_close(&pair.mpfr);
}

static void test_agreement(void **state) {
    (void)state;
    int found = 0;
    for (size_t i = 0; operation_at(i); i++)
        for (int result = 0; result < operation_at(i)->results; result++) {
            if (!has_ball(&operation_at(i)->result[result]))
                continue;
            found++;
            compare_all(operation_at(i), result, "fp32", 48);
            compare_all(operation_at(i), result, "fp16", 35);
            compare_all(operation_at(i), result, "bf16", 64);
        }
    assert_true(found >= 34);
}

/* A ball that says nothing would leave all to MPFR, and the test above would see no difference. */
static const double inputs[] = {0.3,   1.5,     33.3, -0.7, -5.3,
                                -40.6, 0x1p-20, 3,    7}; /* jn wants integers */
/* Of functions of two operands. */
static double second_of(const struct operation *operation) {
    return wants_integer(operation) ? 5 : 2.3;
}

/* Whether the function has a number at x. */
static bool has_value(const struct operation *operation, double x) {
    struct oracle oracle;
    struct error error;
    const double values[] = {x, second_of(operation)};
    uint64_t codes[2];
    struct real y;
    memcpy(codes, values, sizeof codes);
    oracle_open(&oracle, operation, format_find("fp64", &error), NULL, 64);
    oracle.by_mpfr = true;
    assert_true(oracle_exact(&oracle, codes, 0, &y, &error));
    oracle_close(&oracle);
    return y.kind == REAL_FINITE;
}

static void test_balls_are_narrow(void **state) {
    (void)state;
    arb_t x[2], y;
    arb_init(x[0]);
    arb_init(x[1]);
    arb_init(y);
    for (size_t i = 0; operation_at(i); i++) {
        const struct result_rule *rule = &operation_at(i)->result[0];
        int narrow = 0;
        arb_set_d(x[1], second_of(operation_at(i)));
        for (size_t j = 0; has_ball(rule) && j < sizeof inputs / sizeof *inputs; j++) {
            if (!has_value(operation_at(i), inputs[j]))
                continue;
            arb_set_d(x[0], inputs[j]);
            if (rule->arb->ball)
                rule->arb->ball(y, x[0], 80);
            else
                rule->arb->ball2(y, x[0], x[1], 80);
            narrow++;
            if (!arb_is_finite(y) || arb_rel_accuracy_bits(y) <= 50)
                fail_msg("%s(%g): a ball of %ld bits", operation_at(i)->name, inputs[j],
                         (long)arb_rel_accuracy_bits(y));
        }
        assert_true(narrow >= 2 || !has_ball(rule));
    }
    arb_clear(x[0]);
    arb_clear(x[1]);
    arb_clear(y);
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement),
                                       cmocka_unit_test(test_balls_are_narrow)};
    if (count > 1)
        samples = strtoul(words[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
