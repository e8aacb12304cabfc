/* Products next to the midpoints around powers of two are built on both sides, far nearer than chance brings them: MPFR says where
 * they lie. */
#include "sweep/built/built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INPUTS = 20000, PRODUCT_BITS = 128 };

/* Within 2^-depth ulp. */
static const struct row {
    int format, depth;
} rows[] = {{FORMAT_FP32, 20}, {FORMAT_FP64, 40}, {FORMAT_FP64, 44}};

/* Where a product can lie: where overflow begins, half an ulp above a power of two, or half an ulp below one. */
enum place { NEAR_OVERFLOW, ABOVE_POWER, BELOW_POWER, PLACES };

struct numbers {
    mpfr_t x[2], product, power, distance;
};

/* |x y| / 2^n, near 1, less 1 and half an ulp of that place, in ulps. */
static double distance_from(struct numbers *numbers, const struct format *format, bool is_above) {
    mpfr_set_ui_2exp(numbers->power, 1, mpfr_get_exp(numbers->product) - is_above, MPFR_RNDN);
    mpfr_sub(numbers->distance, numbers->product, numbers->power, MPFR_RNDN);
    mpfr_div(numbers->distance, numbers->distance, numbers->power, MPFR_RNDN);
    mpfr_mul_2si(numbers->distance, numbers->distance, format->precision - is_above, MPFR_RNDN);
    mpfr_add_d(numbers->distance, numbers->distance, is_above ? -0.5 : 0.5, MPFR_RNDN);
    return mpfr_get_d(numbers->distance, MPFR_RNDN);
}

static void count(struct numbers *numbers, const struct row *row, const uint64_t *codes,
                  unsigned found[PLACES][2]) {
    const struct format *format = &formats[row->format];
    for (int i = 0; i < 2; i++) {
        const struct real value = format_decode(format, codes[i]);
        if (value.kind != REAL_FINITE)
            return;
        real_to_mpfr(numbers->x[i], &value);
    }
    assert_int_equal(mpfr_mul(numbers->product, numbers->x[0], numbers->x[1], MPFR_RNDN), 0);
    mpfr_abs(numbers->product, numbers->product, MPFR_RNDN);
    const long exponent = mpfr_get_exp(numbers->product) - 1;
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

static void test_products(void **state) {
    (void)state;
    struct numbers numbers;
    mpfr_inits2(PRODUCT_BITS, numbers.x[0], numbers.x[1], numbers.product, numbers.power,
                numbers.distance, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct format *format = &formats[rows[i].format];
        const struct built_request request = {operation_row("mul"), format, format,
                                              ROUND_NEAREST_EVEN, 3};
        struct builder *builder = builder_open(&request);
        unsigned found[PLACES][2] = {{0}};
        assert_non_null(builder);
        for (uint64_t number = 0; number < INPUTS; number++) {
            uint64_t codes[MAX_OPERANDS] = {0};
            builder_make(builder, number, codes, NULL);
            count(&numbers, &rows[i], codes, found);
        }
        builder_close(builder);
        for (int place = 0; place < PLACES; place++)
            for (int side = 0; side < 2; side++)
                if (found[place][side] < 4)
                    fail_msg("%s: %u products within 2^-%d ulp at place %d, side %d", format->name,
                             found[place][side], rows[i].depth, place, side);
    }
    mpfr_clears(numbers.x[0], numbers.x[1], numbers.product, numbers.power, numbers.distance, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
