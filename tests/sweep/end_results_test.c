/* Products, sums, differences and products plus a number next to the midpoints around powers of two are built on both sides, far nearer than chance brings them:
 * MPFR says where they lie. */
#include "sweep/built/built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bits that hold each sum, and each product. */
enum { RESULT_BITS = 4400, LEAST_FOUND = 4 };

/* A search begins with 4,096 inputs; some of them lie within 2^-depth ulp of each end. */
static const struct row {
    const char *operation;
    int format, depth;
    unsigned inputs, first_seed, last_seed;
} rows[] = {{"mul", FORMAT_FP32, 20, 4096, 1, 3}, {"mul", FORMAT_FP64, 48, 4096, 1, 3},
            {"fma", FORMAT_FP16, 11, 4096, 1, 3}, {"fma", FORMAT_BF16, 8, 4096, 1, 3},
            {"fma", FORMAT_FP32, 24, 4096, 1, 3}, {"fma", FORMAT_FP64, 53, 4096, 1, 3},
            {"add", FORMAT_FP16, 11, 4096, 1, 3}, {"add", FORMAT_BF16, 8, 4096, 1, 3},
            {"add", FORMAT_FP32, 24, 4096, 1, 3}, {"add", FORMAT_FP64, 53, 4096, 1, 3},
            {"sub", FORMAT_FP16, 11, 4096, 1, 3}, {"sub", FORMAT_BF16, 8, 4096, 1, 3},
            {"sub", FORMAT_FP32, 24, 4096, 1, 3}, {"sub", FORMAT_FP64, 53, 4096, 1, 3}};

/* Where a result can lie: where overflow begins, half an ulp above a power of two, or half an ulp below one. */
enum place { NEAR_OVERFLOW, ABOVE_POWER, BELOW_POWER, PLACES };

struct numbers {
    mpfr_t x[MAX_OPERANDS], result, power, distance;
};

/* |result| / 2^n, near 1, less 1 and half an ulp of that place, in ulps. */
static double distance_from(struct numbers *numbers, const struct format *format, bool is_above) {
    mpfr_set_ui_2exp(numbers->power, 1, mpfr_get_exp(numbers->result) - is_above, MPFR_RNDN);
    mpfr_sub(numbers->distance, numbers->result, numbers->power, MPFR_RNDN);
    mpfr_div(numbers->distance, numbers->distance, numbers->power, MPFR_RNDN);
    mpfr_mul_2si(numbers->distance, numbers->distance, format->precision - is_above, MPFR_RNDN);
    mpfr_add_d(numbers->distance, numbers->distance, is_above ? -0.5 : 0.5, MPFR_RNDN);
    return mpfr_get_d(numbers->distance, MPFR_RNDN);
}

/* The exact result; false where an operand is no number, or the result 0. */
static bool compute(struct numbers *numbers, const struct row *row, const uint64_t *codes) {
    const struct result_rule *rule = &operation_row(row->operation)->result[0];
    for (int i = 0; i < MAX_OPERANDS; i++) {
        const struct real value = format_decode(&formats[row->format], codes[i]);
        if (value.kind != REAL_FINITE && (value.kind != REAL_ZERO || i < 2))
            return false;
        real_to_mpfr(numbers->x[i], &value);
    }
    assert_int_equal(
        rule->mpfr3
            ? rule->mpfr3(numbers->result, numbers->x[0], numbers->x[1], numbers->x[2], MPFR_RNDN)
            : rule->mpfr2(numbers->result, numbers->x[0], numbers->x[1], MPFR_RNDN),
        0);
    mpfr_abs(numbers->result, numbers->result, MPFR_RNDN);
    return mpfr_regular_p(numbers->result);
}

static void count(struct numbers *numbers, const struct row *row, const uint64_t *codes,
                  unsigned found[PLACES][2]) {
    const struct format *format = &formats[row->format];
    if (!compute(numbers, row, codes))
        return;
    const long exponent = mpfr_get_exp(numbers->result) - 1;
    if (exponent < format->emin || exponent > format->emax)
        return;
    for (int above = 0; above < 2; above++) {
        const double distance = distance_from(numbers, format, above);
        const enum place place = above                      ? ABOVE_POWER
                                 : exponent == format->emax ? NEAR_OVERFLOW
                                                            : BELOW_POWER;
        const double most = 1.0 / (double)(UINT64_C(1) << row->depth);
        found[place][0] += distance < 0 && distance >= -most;
        found[place][1] += distance > 0 && distance <= most;
    }
}

static void check(struct numbers *numbers, const struct row *row, uint64_t seed) {
    const struct format *format = &formats[row->format];
    const struct built_request request = {operation_row(row->operation), format, format,
                                          ROUND_NEAREST_EVEN, seed};
    struct builder *builder = builder_open(&request);
    unsigned found[PLACES][2] = {{0}};
    assert_non_null(builder);
    for (uint64_t number = 0; number < row->inputs; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        count(numbers, row, codes, found);
    }
    builder_close(builder);
    for (int place = 0; place < PLACES; place++)
        for (int side = 0; side < 2; side++)
            if (found[place][side] < LEAST_FOUND)
                fail_msg("%s %s: %u within 2^-%d ulp at place %d, side %d", row->operation,
                         format->name, found[place][side], row->depth, place, side);
}

static void test_results(void **state) {
    (void)state;
    struct numbers numbers;
    mpfr_inits2(RESULT_BITS, numbers.x[0], numbers.x[1], numbers.x[2], numbers.result,
                numbers.power, numbers.distance, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t seed = rows[i].first_seed; seed <= rows[i].last_seed; seed++)
            check(&numbers, &rows[i], seed);
    mpfr_clears(numbers.x[0], numbers.x[1], numbers.x[2], numbers.result, numbers.power,
                numbers.distance, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
