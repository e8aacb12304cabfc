/* logaddexp against (a + b)/2 + log(2 cosh((a - b)/2)): a grid of fp16 pairs, and samples of the
 * wider formats, most of them where the result is hard: near zero, and with one operand almost
 * without influence. */
#include "textbook.h"

#ifndef SAMPLES
#define SAMPLES 3000
#endif

/* contest->y for the operands in contest->x. */
static void reference(struct contest *contest, const struct reach *reach) {
    mpfr_srcptr a = contest->x[0], b = contest->x[1];
    mpfr_ptr y = contest->y;
    mpfr_t half;
    mpfr_init2(half, reach->bits);
    mpfr_sub(half, a, b, MPFR_RNDN);
    mpfr_abs(half, half, MPFR_RNDN);
    if (mpfr_cmp_d(half, reach->exponential) > 0) {
        /* e^-|a - b| is far below the smallest number and any half ulp: just above the larger. */
        approach(y, mpfr_cmp(a, b) > 0 ? a : b, ABOVE_X);
    } else {
        mpfr_div_2ui(half, half, 1, MPFR_RNDN);
        mpfr_cosh(half, half, MPFR_RNDN);
        mpfr_mul_2ui(half, half, 1, MPFR_RNDN);
        mpfr_log(half, half, MPFR_RNDN);
        mpfr_add(y, a, b, MPFR_RNDN);
        mpfr_div_2ui(y, y, 1, MPFR_RNDN);
        mpfr_add(y, y, half, MPFR_RNDN);
    }
    mpfr_clear(half);
}

static void check_pair(struct contest *contest, const struct reach *reach, uint64_t a, uint64_t b) {
    const uint64_t codes[] = {a, b};
    double x = contest_value(contest, a), y = contest_value(contest, b);
    if (!isfinite(x) || !isfinite(y))
        return;
    contest_reference_range();
    mpfr_set_d(contest->x[0], x, MPFR_RNDN);
    mpfr_set_d(contest->x[1], y, MPFR_RNDN);
    reference(contest, reach);
    contest_check(contest, codes);
}

static void test_fp16_grid(void **state) {
    (void)state;
    struct contest contest;
    contest_open(&contest, "logaddexp", &reach_fp16);
    for (uint64_t a = 0; a < 0x10000; a += 211)
        for (uint64_t b = 5; b < 0x10000; b += 199)
            check_pair(&contest, &reach_fp16, a, b);
    contest_close(&contest);
}

/* e^a + e^b is 1 where b = log(1 - e^a): the result is as near to zero as the format allows. */
static void check_near_zero(struct contest *contest, const struct reach *reach, double a) {
    uint64_t first = code_near(contest->layout, a);
    uint64_t second = code_near(contest->layout, log1p(-exp(contest_value(contest, first))));
    for (uint64_t i = 0; i < 4; i++) {
        check_pair(contest, reach, first, second + i - 2);
        check_pair(contest, reach, second + i - 2, first);
    }
}

static void check_samples(const struct reach *reach, int samples) {
    struct contest contest;
    uint64_t seed = 17;
    contest_open(&contest, "logaddexp", reach);
    const uint64_t mask = UINT64_MAX >> (64 - layout_width(contest.layout));
    for (int i = 0; i < samples; i++) {
        double a = (double)(int64_t)random_bits(&seed) * 0x1p-63;
        double d = (double)(int64_t)random_bits(&seed) * 0x1p-63;
        a = ldexp(a, random_between(&seed, -40, 40));
        uint64_t code = code_near(contest.layout, a);
        switch (i % 4) {
        case 0: /* anything, mostly far apart */
            check_pair(&contest, reach, random_bits(&seed) & mask, random_bits(&seed) & mask);
            break;
        case 1: /* a difference that counts */
            check_pair(&contest, reach, code,
                       code_near(contest.layout, a + d * 1.1 * reach->exponential));
            break;
        case 2: /* neighbours, or the same */
            check_pair(&contest, reach, code, code + (uint64_t)random_between(&seed, 0, 2));
            break;
        default:
            check_near_zero(&contest, reach, -fabs(d) * (i % 8 == 3 ? 1 : reach->exponential / 2));
        }
    }
    contest_close(&contest);
}

static void test_bf16(void **state) {
    (void)state;
    check_samples(&reach_bf16, SAMPLES / 3);
}

static void test_fp32(void **state) {
    (void)state;
    check_samples(&reach_fp32, SAMPLES);
}

static void test_fp64(void **state) {
    (void)state;
    check_samples(&reach_fp64, SAMPLES / 3);
}

/* Every pair of the numbers where a format begins and ends. */
static void test_ends(void **state) {
    (void)state;
    const struct reach *const all[] = {&reach_fp16, &reach_bf16, &reach_fp32, &reach_fp64};
    for (int i = 0; i < 4; i++) {
        struct contest contest;
        contest_open(&contest, "logaddexp", all[i]);
        const struct format *format = contest.oracle.format;
        const uint64_t normal = UINT64_C(1) << contest.layout->fraction_bits;
        const uint64_t one = i == 0 ? 0x3c00 : code_near(contest.layout, 1);
        const uint64_t codes[] = {0,
                                  1,
                                  2,
                                  normal - 1,
                                  normal,
                                  one - 1,
                                  one,
                                  one + 1,
                                  format->max_finite - 1,
                                  format->max_finite};
        enum { CODES = sizeof codes / sizeof *codes };
        for (int j = 0; j < 4 * CODES * CODES; j++)
            check_pair(&contest, all[i], codes[j / 4 % CODES] | (j & 1 ? format->sign_bit : 0),
                       codes[j / 4 / CODES] | (j & 2 ? format->sign_bit : 0));
        contest_close(&contest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends), cmocka_unit_test(test_bf16),      cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_fp64), cmocka_unit_test(test_fp16_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
