/* pow, hypot and atan2 against e^(y log x), the root of the sum of squares, and the arctangent of
 * the quotient, in samples. */
#include "duel.h"

#ifndef SAMPLES
#define SAMPLES 5000
#endif

/* What a reference can say: `bits` of precision are enough, or it leaves the pair out. */
typedef bool pair_function(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y);

static bool reference_pow(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y) {
    bool negative = mpfr_sgn(x) < 0;
    if (negative && !mpfr_integer_p(y)) {
        mpfr_set_nan(z);
        return true;
    }
    mpfr_abs(z, x, MPFR_RNDN);
    mpfr_log(z, z, MPFR_RNDN);
    mpfr_mul(z, z, y, MPFR_RNDN);
    /* Larger results are the special tests' business, and cost too much here. */
    if (mpfr_regular_p(z) && mpfr_get_exp(z) > 40)
        return false;
    mpfr_exp(z, z, MPFR_RNDN);
    if (negative) {
        mpfr_t half;
        mpfr_init2(half, mpfr_get_prec(y));
        mpfr_div_2ui(half, y, 1, MPFR_RNDN);
        mpfr_setsign(z, z, !mpfr_integer_p(half), MPFR_RNDN);
        mpfr_clear(half);
    }
    return true;
}

static bool reference_hypot(mpfr_ptr z, mpfr_srcptr x, mpfr_srcptr y) {
    mpfr_t square;
    mpfr_init2(square, mpfr_get_prec(z));
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_sqr(z, y, MPFR_RNDN);
    mpfr_add(z, z, square, MPFR_RNDN);
    mpfr_sqrt(z, z, MPFR_RNDN);
    mpfr_clear(square);
    return true;
}

/* atan(y/x), and half a turn added on the left with the sign of y. The first operand is y. */
static bool reference_atan2(mpfr_ptr z, mpfr_srcptr y, mpfr_srcptr x) {
    mpfr_div(z, y, x, MPFR_RNDN);
    mpfr_atan(z, z, MPFR_RNDN);
    if (mpfr_sgn(x) < 0) {
        mpfr_t pi;
        mpfr_init2(pi, mpfr_get_prec(z));
        mpfr_const_pi(pi, MPFR_RNDN);
        mpfr_copysign(pi, pi, y, MPFR_RNDN);
        mpfr_add(z, z, pi, MPFR_RNDN);
        mpfr_clear(pi);
    }
    return true;
}

static void check_pair(struct duel *duel, pair_function *reference, const uint64_t *codes) {
    double x = layout_value(duel->layout, codes[0]), y = layout_value(duel->layout, codes[1]);
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
        return;
    int magnitude = abs(ilogb(x)) + abs(ilogb(y));
    duel_begin(duel, 400 + 4 * magnitude);
    mpfr_set_d(duel->x[0], x, MPFR_RNDN);
    mpfr_set_d(duel->x[1], y, MPFR_RNDN);
    if (!reference(duel->y, duel->x[0], duel->x[1]))
        return;
    duel_snap(duel, magnitude + 100);
    duel_check(duel, codes, 0);
}

static void check_operation(const char *operation, pair_function *reference) {
    for (int i = 4; i < LAYOUTS; i++) {
        struct duel duel;
        uint64_t seed = 19 + (uint64_t)i;
        duel_open(&duel, operation, &layouts[i]);
        for (int n = 0; n < SAMPLES; n++) {
            double x = duel_sample(&layouts[i], &seed), y = duel_sample(&layouts[i], &seed);
            if (n % 4 == 0)
                y = random_between(&seed, -6, 6) / 2.0;
            if (n % 16 == 1)
                y = x;
            const uint64_t codes[] = {duel_code(&layouts[i], x), duel_code(&layouts[i], y)};
            check_pair(&duel, reference, codes);
        }
        duel_close(&duel);
    }
}

static void test_pow(void **state) {
    (void)state;
    check_operation("pow", reference_pow);
}

static void test_hypot(void **state) {
    (void)state;
    check_operation("hypot", reference_hypot);
}

static void test_atan2(void **state) {
    (void)state;
    check_operation("atan2", reference_atan2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pow),
        cmocka_unit_test(test_hypot),
        cmocka_unit_test(test_atan2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
