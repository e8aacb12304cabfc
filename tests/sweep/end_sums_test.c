/* Sums and differences next to the midpoints around powers of two, and to where overflow begins, are among the first built inputs, on both
 * sides: MPFR says where they lie. */
#include "sweep/built/built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* The inputs that a search begins with, and bits that hold each sum. */
enum { INPUTS = 4096, SUM_BITS = 2200 };

static const char *const operations[] = {"add", "sub"};
static const int numbers_of[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32, FORMAT_FP64};

/* Where a sum can lie: where overflow begins, half an ulp above a power of two, or half an ulp below one. */
enum place { NEAR_OVERFLOW, ABOVE_POWER, BELOW_POWER, PLACES };

struct numbers {
    mpfr_t x[2], sum, power, distance;
};

/* |sum| / 2^n, near 1, less 1 and half an ulp of that place, in ulps. */
static double distance_from(struct numbers *numbers, const struct format *format, bool is_above) {
    mpfr_set_ui_2exp(numbers->power, 1, mpfr_get_exp(numbers->sum) - is_above, MPFR_RNDN);
    mpfr_sub(numbers->distance, numbers->sum, numbers->power, MPFR_RNDN);
    mpfr_div(numbers->distance, numbers->distance, numbers->power, MPFR_RNDN);
    mpfr_mul_2si(numbers->distance, numbers->distance, format->precision - is_above, MPFR_RNDN);
    mpfr_add_d(numbers->distance, numbers->distance, is_above ? -0.5 : 0.5, MPFR_RNDN);
    return mpfr_get_d(numbers->distance, MPFR_RNDN);
}

static void count(struct numbers *numbers, const struct format *format, bool subtracts,
                  const uint64_t *codes, unsigned found[PLACES][2]) {
    for (int i = 0; i < 2; i++) {
        const struct real value = format_decode(format, codes[i]);
        if (value.kind != REAL_FINITE)
            return;
        real_to_mpfr(numbers->x[i], &value);
    }
    assert_int_equal(
        (subtracts ? mpfr_sub : mpfr_add)(numbers->sum, numbers->x[0], numbers->x[1], MPFR_RNDN),
        0);
    if (!mpfr_regular_p(numbers->sum))
        return;
    mpfr_abs(numbers->sum, numbers->sum, MPFR_RNDN);
    const long exponent = mpfr_get_exp(numbers->sum) - 1;
    if (exponent < format->emin || exponent > format->emax)
        return;
    for (int above = 0; above < 2; above++) {
        const double distance = distance_from(numbers, format, above);
        const enum place place = above                      ? ABOVE_POWER
                                 : exponent == format->emax ? NEAR_OVERFLOW
                                                            : BELOW_POWER;
        const double most = 1.0 / (double)(UINT64_C(1) << format->precision);
        found[place][0] += distance < 0 && distance >= -most;
        found[place][1] += distance > 0 && distance <= most;
    }
}

/* The seed is one of a search. */
static void check(struct numbers *numbers, const char *operation, const struct format *format,
                  uint64_t seed) {
    const struct built_request request = {operation_row(operation), format, format,
                                          ROUND_NEAREST_EVEN, seed};
    struct builder *builder = builder_open(&request);
    unsigned found[PLACES][2] = {{0}};
    assert_non_null(builder);
    for (uint64_t number = 0; number < INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        count(numbers, format, operation == operations[1], codes, found);
    }
    builder_close(builder);
    for (int place = 0; place < PLACES; place++)
        for (int side = 0; side < 2; side++)
            if (found[place][side] < 4)
                fail_msg("%s %s: %u within 2^-%d ulp at place %d, side %d", operation, format->name,
                         found[place][side], format->precision, place, side);
}

static void test_sums(void **state) {
    (void)state;
    struct numbers numbers;
    mpfr_inits2(SUM_BITS, numbers.x[0], numbers.x[1], numbers.sum, numbers.power, numbers.distance,
                NULL);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        for (size_t k = 0; k < sizeof numbers_of / sizeof *numbers_of; k++)
            for (uint64_t seed = 1; seed <= 3; seed++)
                check(&numbers, operations[i], &formats[numbers_of[k]], seed);
    mpfr_clears(numbers.x[0], numbers.x[1], numbers.sum, numbers.power, numbers.distance, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
