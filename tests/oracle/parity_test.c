/* Which functions are even and which are odd: each row says so, and the exact results at every third number of fp16 say the
 * same. */
#include "oracle/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool same(const struct real *a, const struct real *b) {
    if (a->kind != b->kind || a->kind == REAL_NAN)
        return a->kind == b->kind;
    return a->negative == b->negative &&
           (a->kind != REAL_FINITE || (a->exponent == b->exponent && a->inexact == b->inexact &&
                                       wide_compare(a->significand, b->significand) == 0));
}

static enum parity found_parity(const struct operation *operation, int result) {
    const struct format *format = &formats[FORMAT_FP16];
    struct oracle oracle;
    bool even = true, odd = true;
    oracle_open(&oracle, operation, format, NULL, oracle_precision(format));
    for (uint64_t code = 0; code <= format_greatest(format) && (even || odd); code += 3) {
        uint64_t right[MAX_OPERANDS] = {code}, left[MAX_OPERANDS] = {code | format->sign_bit};
        struct real y, z;
        struct error error;
        assert_true(oracle_exact(&oracle, right, result, &y, &error));
        assert_true(oracle_exact(&oracle, left, result, &z, &error));
        even = even && same(&y, &z);
        y.negative = !y.negative;
        odd = odd && same(&y, &z);
    }
    oracle_close(&oracle);
    assert_false(even && odd);
    return even ? PARITY_EVEN : odd ? PARITY_ODD : PARITY_NONE;
}

static void rows_say_what_functions_are(void **state) {
    int of_each[3] = {0};
    (void)state;
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *operation = operation_at(i);
        if (operation->array || operation->converts || operation->operands > 1)
            continue;
        for (int result = 0; result < operation->results; result++) {
            enum parity said = operation->result[result].parity;
            if (said != found_parity(operation, result))
                fail_msg("%s, result %d", operation->name, result);
            of_each[said]++;
        }
    }
    oracle_thread_end();
    assert_true(of_each[PARITY_NONE] > 30 && of_each[PARITY_EVEN] > 5 && of_each[PARITY_ODD] > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_say_what_functions_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
