/* Places where errors are known to grow: they are where growth.h says, by MPFR. */
#include "sweep/search/growth.h"

#include "format/format.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { DRAWS = 2000, BITS = 256 };

struct drawn {
    double x, y;
};

static struct drawn draw_place(const struct operation *operation, const struct format *format,
                               uint64_t number) {
    const struct draws draws = {4, number, format, operation->operands};
    uint64_t codes[MAX_OPERANDS] = {0};
    growth_draw(operation, &draws, codes);
    const struct real x = format_decode(format, codes[0]), y = format_decode(format, codes[1]);
    return (struct drawn){real_to_double(&x), real_to_double(&y)};
}

static const struct operation *operation_of(const char *name) {
    struct error error;
    const struct operation *operation = operation_find(name, &error);
    assert_non_null(operation);
    assert_true(growth_is_known(operation));
    return operation;
}

/* y log2(x), or y log2(1 + x). */
static double exponent_of(struct drawn at, bool of_next) {
    mpfr_t value;
    mpfr_init2(value, BITS);
    mpfr_set_d(value, at.x, MPFR_RNDN);
    (void)(of_next ? mpfr_log1p : mpfr_log)(value, value, MPFR_RNDN);
    mpfr_mul_d(value, value, at.y / log(2), MPFR_RNDN);
    double exponent = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return exponent;
}

/* Few integers y are too coarse to hold the exponent there; the others do, of either sign, and half of the bases are near 1. */
static void test_powers(void **state) {
    (void)state;
    static const char *const names[] = {"pow", "powr", "pown", "compoundn"};
    for (size_t i = 0; i < 8; i++) {
        const struct operation *operation = operation_of(names[i / 2]);
        const struct format *format = &formats[i % 2 ? FORMAT_FP32 : FORMAT_FP64];
        bool is_integer = i / 2 >= 2, of_next = i / 2 == 3;
        int inside = 0, negative = 0, near = 0;
        for (uint64_t n = 0; n < DRAWS; n++) {
            struct drawn at = draw_place(operation, format, n);
            double share = fabs(exponent_of(at, of_next)) / (format->emax + 1);
            bool is_there = share > 0.49 && share < 1.01;
            inside += is_there;
            negative += exponent_of(at, of_next) < 0;
            near += fabs(of_next ? at.x : at.x - 1) < 0.001;
            if (is_integer)
                assert_true(at.y == rint(at.y));
            else
                assert_true(is_there);
        }
        assert_in_range(inside, DRAWS * 3 / 4, DRAWS);
        assert_in_range(negative, DRAWS * 2 / 5, DRAWS * 3 / 5);
        assert_in_range(near, DRAWS / 4, DRAWS * 3 / 4);
    }
}

static bool is_positive(double x) {
    mpfr_t value;
    int sign;
    mpfr_init2(value, BITS);
    mpfr_set_d(value, x, MPFR_RNDN);
    mpfr_lgamma(value, &sign, value, MPFR_RNDN);
    bool positive = mpfr_sgn(value) > 0;
    mpfr_clear(value);
    return positive;
}

/* Next to a pole, on either side; and where lgamma changes its sign within a millionth, apart from the poles. */
static void test_poles_and_zeros(void **state) {
    (void)state;
    int poles = 0, beyond = 0, zeros = 0;
    for (uint64_t n = 0; n < DRAWS; n++) {
        double x = draw_place(operation_of("lgamma"), &formats[FORMAT_FP64], n).x;
        double apart = fabs(x - rint(x)), step = 1e-6 * fabs(x);
        assert_true(x < -0.25 && x > -186);
        poles += apart < 1e-6;
        beyond += apart < 1e-6 && x < rint(x);
        zeros += apart > 1e-5 && is_positive(x - step) != is_positive(x + step);
        assert_true(draw_place(operation_of("tgamma"), &formats[FORMAT_FP64], n).x < 0);
    }
    assert_in_range(poles, DRAWS / 4, DRAWS);
    assert_in_range(beyond, DRAWS / 10, poles - DRAWS / 10);
    assert_in_range(zeros, DRAWS / 40, DRAWS);
}

static void test_nothing_is_known_of_others(void **state) {
    (void)state;
    static const char *const names[] = {"exp", "sin", "hypot", "rootn", "atan2"};
    struct error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_false(growth_is_known(operation_find(names[i], &error)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers),
        cmocka_unit_test(test_poles_and_zeros),
        cmocka_unit_test(test_nothing_is_known_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
