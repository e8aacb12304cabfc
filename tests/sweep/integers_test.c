/* Operands that are integers in C: their sets hold C's integers and nothing else, and what is drawn
 * lies where the function lives. */
#include "sweep/domain.h"

#include "format/integers.h"
#include "oracle/exact.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SAMPLES = 1 << 13 };

static const char *const operations[] = {"pown",  "rootn", "compoundn", "scalbn",
                                         "ldexp", "jn",    "yn"};

static void make_sets(struct code_set *sets, size_t *count, const struct operation *operation,
                      const struct format *format, const char *range) {
    struct error error;
    *count = 1;
    assert_true(range ? code_set_range(&sets[0], format, range, NULL, &error)
                      : code_set_all(&sets[0], format, &error));
    assert_true(code_sets_keep_calls(sets, count, operation, format, &error));
}

/* By every code of a format of 16 bits: what the numbers count, and what the sets hold. */
static void test_every_integer_has_its_number(void **state) {
    static const char *const names[] = {"fp16",       "bf16",       "fp8_e5m2",
                                        "fp8_e4m3fn", "fp6_e2m3fn", "fp4_e2m1fn"};
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct format *format = format_find(names[i], &error);
        uint64_t count = 0;
        for (uint64_t code = 0; code <= format->max_finite; code++) {
            struct real x = format_decode(format, code);
            double value = real_to_double(&x);
            assert_int_equal(format_integers_below(format, code), count);
            if (value < floor(value) || value > floor(value))
                continue;
            assert_int_equal(format_integer_code(format, count), code);
            count++;
        }
        assert_int_equal(format_integers_below(format, format->max_finite + 1), count);
    }
}

static void test_sets_hold_what_c_has(void **state) {
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct operation *operation = operation_find(operations[i], &error);
        const struct format *format = format_find(i % 2 ? "bf16" : "fp16", &error);
        struct code_set sets[MAX_OPERANDS] = {{0}};
        struct integer_place place;
        size_t count;
        uint64_t calls = 0;
        assert_true(operation_integer_place(operation, &place));
        make_sets(sets, &count, operation, format, NULL);
        for (uint64_t code = 0; code <= format_mask(format); code++) {
            struct real x[2] = {real_zero(false), real_zero(false)};
            x[place.operand] = format_decode(format, code);
            if (operation_is_call(operation, x) && code != format->sign_bit) /* -0 is 0 */
                assert_int_equal(code_set_at(&sets[place.operand], calls++), code);
        }
        assert_int_equal(sets[place.operand].count, calls);
        code_set_free(&sets[0]);
        code_set_free(&sets[1]);
    }
}

static void test_ranges(void **state) {
    struct error error;
    const struct operation *pown = operation_find("pown", &error);
    const struct format *fp64 = format_find("fp64", &error);
    static const struct {
        const char *range;
        uint64_t count;
    } rows[] = {{"-64:64", 129},
                {"0.5:2.5", 2},
                {"-0.5:0.5", 1},
                {"0x0:0x3ff0000000000000", 2},
                {"0x0:0x2", 1},
                {"0x2:0x4008000000000000", 3},
                {"9e15:9.1e15", (UINT64_C(1) << 53) - 9000000000000000 + 1 +
                                    (9100000000000000 - (UINT64_C(1) << 53)) / 2}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct code_set sets[MAX_OPERANDS] = {{0}};
        size_t count;
        make_sets(sets, &count, pown, fp64, rows[i].range);
        assert_int_equal(sets[1].count, rows[i].count);
        code_set_free(&sets[0]);
        code_set_free(&sets[1]);
    }
    struct code_set none[MAX_OPERANDS] = {{0}};
    size_t count = 1;
    assert_true(code_set_range(&none[0], fp64, "0.25:0.75", NULL, &error));
    assert_false(code_sets_keep_calls(none, &count, pown, fp64, &error));
    code_set_free(&none[0]);
    code_set_free(&none[1]);
}

/* Half of the draws and more have a result that is neither 0 nor infinite nor 1 of a large order, in
 * all of which a function is nearly never wrong. */
static void test_draws_lie_where_the_function_lives(void **state) {
    struct error error;
    static uint64_t codes[2][SAMPLES];
    void *arrays[] = {codes[0], codes[1]};
    const struct format *fp64 = format_find("fp64", &error);
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        const struct operation *operation = operation_find(operations[i], &error);
        const struct sampling sampling = {SAMPLES, 3, 1, operation};
        struct code_set sets[MAX_OPERANDS] = {{0}};
        struct domain domain;
        struct oracle oracle;
        size_t count, alive = 0, large = 0;
        make_sets(sets, &count, operation, fp64, NULL);
        assert_true(domain_samples(&domain, fp64, 2, sets, count, &sampling, &error));
        domain_fill(&domain, 0, SAMPLES, arrays);
        oracle_open(&oracle, operation, fp64, NULL, ORACLE_MOST_BITS);
        for (size_t at = 0; at < SAMPLES; at++) {
            const uint64_t input[] = {codes[0][at], codes[1][at]};
            struct real x[] = {format_decode(fp64, input[0]), format_decode(fp64, input[1])}, y;
            assert_true(operation_is_call(operation, x));
            assert_true(oracle_exact(&oracle, input, 0, &y, &error));
            alive += y.kind == REAL_FINITE && y.exponent < fp64->emax + 2 &&
                     y.exponent > fp64->emin - 60;
            large += x[1].kind == REAL_FINITE && x[1].exponent >= 3;
        }
        if (i != 1 && alive < SAMPLES * 4 / 10)
            fail_msg("%s: %zu of %d", operation->name, alive, SAMPLES);
        assert_true(large > SAMPLES / 4);
        oracle_close(&oracle);
        domain_free(&domain);
    }
    oracle_thread_end();
}

/* Of the first operand: ascending, each binade as often as another. */
static void test_first_operands_ascend(void **state) {
    struct error error;
    static uint32_t codes[2][SAMPLES];
    void *arrays[] = {codes[0], codes[1]};
    const struct format *fp32 = format_find("fp32", &error);
    const struct operation *jn = operation_find("jn", &error);
    const struct sampling sampling = {SAMPLES, 3, 16, jn};
    struct code_set sets[MAX_OPERANDS] = {{0}};
    struct domain domain;
    size_t count, small = 0;
    (void)state;
    make_sets(sets, &count, jn, fp32, "-1024:1024");
    assert_true(domain_samples(&domain, fp32, 2, sets, count, &sampling, &error));
    domain_fill(&domain, 0, SAMPLES, arrays);
    for (size_t at = 0; at < SAMPLES; at++) {
        struct real n = format_decode(fp32, codes[0][at]);
        small += n.kind == REAL_ZERO || n.exponent < 4;
        assert_true(at == 0 || codes[0][at] >= codes[0][at - 1]);
        assert_true(at % 16 == 0 ||
                    (codes[0][at] == codes[0][at - 1] && codes[1][at] == codes[1][at - 1] + 1));
    }
    assert_in_range(small, SAMPLES * 9 / 23 - 200, SAMPLES * 9 / 23 + 200);
    domain_free(&domain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_integer_has_its_number),
        cmocka_unit_test(test_sets_hold_what_c_has),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_draws_lie_where_the_function_lives),
        cmocka_unit_test(test_first_operands_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
