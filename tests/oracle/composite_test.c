/* sigmoid, softplus, logsigmoid, silu, mish, gelu, gelu_tanh against their textbook formulas: every
 * fp16 code with the argument `all`, else one in seven, and samples of the wider formats. */
#include "textbook.h"

enum { SAMPLES = 600 };
static unsigned step = 7; /* from one code of fp16 to the next */

static void check_code(struct contest *contest, const struct textbook *textbook,
                       const struct reach *reach, uint64_t code) {
    double x = contest_value(contest, code);
    if (!isfinite(x) || x == 0)
        return;
    contest_reference_range();
    mpfr_set_d(contest->x[0], x, MPFR_RNDN);
    textbook_value(contest->y, contest->x[0], textbook, reach);
    contest_check(contest, (const uint64_t[MAX_OPERANDS]){code});
}

static void test_fp16_codes(void **state) {
    (void)state;
    for (int i = 0; i < TEXTBOOKS; i++) {
        struct contest contest;
        contest_open(&contest, textbooks[i].operation, &reach_fp16);
        for (uint64_t code = 0; code < 0x10000; code += step)
            check_code(&contest, &textbooks[i], &reach_fp16, code);
        contest_close(&contest);
    }
}

/* Any code; codes near 1; and codes where something ends: tiny, huge, and as far as e^x reaches. */
static uint64_t sample(const struct layout *layout, const struct reach *reach, uint64_t *seed) {
    double uniform = (double)(int64_t)random_bits(seed) * 0x1p-63;
    switch (random_bits(seed) % 4) {
    case 0:
        return random_bits(seed) & (UINT64_MAX >> (64 - layout_width(layout)));
    case 1:
        return code_near(layout, ldexp(uniform, random_between(seed, -30, 6)));
    case 2:
        return code_near(layout, uniform * reach->exponential * 1.1);
    default:
        return code_near(layout, uniform * 20);
    }
}

static void check_samples(const struct reach *reach, int samples) {
    uint64_t seed = 16;
    for (int i = 0; i < TEXTBOOKS; i++) {
        struct contest contest;
        contest_open(&contest, textbooks[i].operation, reach);
        for (int n = 0; n < samples; n++)
            check_code(&contest, &textbooks[i], reach, sample(contest.layout, reach, &seed));
        contest_close(&contest);
    }
}

static void test_bf16(void **state) {
    (void)state;
    check_samples(&reach_bf16, SAMPLES);
}

static void test_fp32(void **state) {
    (void)state;
    check_samples(&reach_fp32, SAMPLES * 3);
}

static void test_fp64(void **state) {
    (void)state;
    check_samples(&reach_fp64, SAMPLES);
}

/* The ends of each format and the neighbours of zero, by name, since samples could miss them. */
static void test_ends(void **state) {
    (void)state;
    const struct reach *const all[] = {&reach_fp16, &reach_bf16, &reach_fp32, &reach_fp64};
    for (int i = 0; i < TEXTBOOKS; i++)
        for (int j = 0; j < 4; j++) {
            struct contest contest;
            contest_open(&contest, textbooks[i].operation, all[j]);
            const struct format *format = contest.oracle.format;
            const uint64_t normal = UINT64_C(1) << contest.layout->fraction_bits;
            const uint64_t codes[] = {1,
                                      2,
                                      3,
                                      normal - 1,
                                      normal,
                                      normal + 1,
                                      normal * 4,
                                      format->max_finite - 1,
                                      format->max_finite};
            for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
                check_code(&contest, &textbooks[i], all[j], codes[k]);
                check_code(&contest, &textbooks[i], all[j], codes[k] | format->sign_bit);
            }
            contest_close(&contest);
        }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "all") == 0)
        step = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends), cmocka_unit_test(test_bf16),       cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_fp64), cmocka_unit_test(test_fp16_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
