/* Where a model is said to give a result because it cuts nothing, it gives that result. */
#include "reveal/lossless.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { CASES = 24, PRODUCTS = 8 };

static uint64_t state = 1;
static uint64_t draw(void) {
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Exponents lie near each other or far apart; some products cancel. */
static void fill(struct unit_cases *cases, const struct format *format) {
    *cases = (struct unit_cases){
        .format = format, .result = &formats[FORMAT_FP32], .products = PRODUCTS, .has_c = true};
    const unsigned fraction = (unsigned)format->precision - 1;
    for (size_t i = 0; i < CASES; i++) {
        assert_true(unit_cases_add(cases));
        const uint64_t spread = 1 + i % 5 * 2;
        for (size_t k = i * PRODUCTS; k < (i + 1) * PRODUCTS; k++) {
            uint64_t exponent = (uint64_t)format->exponent_bias - spread / 2;
            uint64_t *factors[] = {&cases->a[k], &cases->b[k]};
            for (int f = 0; f < 2; f++)
                *factors[f] = (exponent + draw() % spread) << fraction |
                              (draw() & ((UINT64_C(1) << fraction) - 1)) |
                              (draw() % 2 ? format->sign_bit : 0);
        }
        if (i % 3 == 0) {
            cases->a[i * PRODUCTS + 1] = cases->a[i * PRODUCTS] ^ format->sign_bit;
            cases->b[i * PRODUCTS + 1] = cases->b[i * PRODUCTS];
        }
        cases->c[i] = 0x3f000000 + ((draw() % 4) << 23) + (draw() % 128 << (i % 2 ? 16 : 0));
    }
}

static void hold(const struct format *format) {
    struct unit_cases cases;
    struct grid grid;
    fill(&cases, format);
    grid_open(&grid, &cases);
    struct fit_terms terms;
    fit_terms_open(&terms, &cases);
    /* The results of an exact sum, of each rounding: only these can be known without a model. */
    size_t known = 0, asked = 0;
    for (unsigned rounding = 0; rounding < 5; rounding++) {
        struct grid_point point = {{0}};
        struct grid_model model;
        struct lossless lossless;
        point.at[GRID_BITS] = (uint8_t)(grid_values(&grid, &point, GRID_BITS) - 1);
        point.at[GRID_C] = rounding % 2 ? GRID_C_LAST : GRID_C_WITH_TERMS;
        point.at[GRID_ROUNDING] = (uint8_t)rounding;
        grid_model(&grid, &point, &model);
        for (size_t i = 0; i < CASES; i++)
            cases.d[i] = fit_result(&model, fit_terms_of(&terms, &model), &cases, i);
        assert_true(lossless_open(&lossless, &terms));
        point = (struct grid_point){{0}};
        do {
            grid_model(&grid, &point, &model);
            for (size_t i = 0; i < CASES; i++, asked++)
                if (lossless_fits(&lossless, &model, i)) {
                    known++;
                    assert_true(
                        fit_same(cases.result, cases.d[i],
                                 fit_result(&model, fit_terms_of(&terms, &model), &cases, i)));
                }
        } while (grid_next(&grid, &point));
        lossless_close(&lossless);
    }
    print_message("%s: known in %zu of %zu\n", format->name, known, asked);
    assert_true(known > asked / 50);
    fit_terms_close(&terms);
    unit_cases_close(&cases);
}

static void test_formats(void **context) {
    (void)context;
    hold(&formats[FORMAT_FP8_E5M2]);
    hold(&formats[FORMAT_FP8_E4M3FN]);
    hold(&formats[FORMAT_BF16]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
