/* The functions of one operand that MPFR computes, against the other routes of reference.h: the
 * bits that the oracle keeps, whether more follow, and the rounding in all directions. */
#include "duel.h"
#include "reference.h"

static int samples = 40; /* of each function in fp16, or as many as the argument says */

struct native {
    const char *operation;
    int result;
    reference_function *reference;
    int most_exponent; /* beyond it overflow, saturation, or only integers: tested as special */
    int extra_bits;    /* that cancel in the reference, or that saturation needs */
    bool not_halves;   /* zeros, poles and ends at the multiples of 1/2: tested as special */
};

enum { ANY = 2000 };

static const struct native natives[] = {
    {"exp", 0, reference_exp, 12, 100, false},
    {"exp2", 0, reference_exp2, 12, 100, false},
    {"exp10", 0, reference_exp10, 12, 100, false},
    {"expm1", 0, reference_expm1, 9, 2000, false},
    {"exp2m1", 0, reference_exp2m1, 9, 2000, false},
    {"exp10m1", 0, reference_exp10m1, 9, 4000, false},
    {"log", 0, reference_log, ANY, 100, false},
    {"log2", 0, reference_log2, ANY, 100, false},
    {"log10", 0, reference_log10, ANY, 100, false},
    {"log1p", 0, reference_log1p, ANY, 100, false},
    {"log2p1", 0, reference_log2p1, ANY, 100, false},
    {"log10p1", 0, reference_log10p1, ANY, 100, false},
    {"sin", 0, reference_sin, ANY, 100, false},
    {"cos", 0, reference_cos, ANY, 100, false},
    {"tan", 0, reference_tan, ANY, 100, false},
    {"sincos", 0, reference_sin, ANY, 100, false},
    {"sincos", 1, reference_cos, ANY, 100, false},
    {"asin", 0, reference_asin, 0, 100, false},
    {"acos", 0, reference_acos, 0, 100, false},
    {"atan", 0, reference_atan, ANY, 100, false},
    {"sinpi", 0, reference_sinpi, 52, 100, true},
    {"cospi", 0, reference_cospi, 52, 100, true},
    {"tanpi", 0, reference_tanpi, 52, 100, true},
    {"asinpi", 0, reference_asinpi, 0, 100, false},
    {"acospi", 0, reference_acospi, 0, 100, false},
    {"atanpi", 0, reference_atanpi, ANY, 100, false},
    {"sinh", 0, reference_sinh, 10, 100, false},
    {"cosh", 0, reference_cosh, 10, 100, false},
    {"tanh", 0, reference_tanh, 9, 3200, false},
    {"asinh", 0, reference_asinh, ANY, 100, false},
    {"acosh", 0, reference_acosh, ANY, 100, false},
    {"atanh", 0, reference_atanh, 0, 100, false},
    {"cbrt", 0, reference_cbrt, ANY, 100, false},
    {"rsqrt", 0, reference_rsqrt, ANY, 100, false},
    {"erf", 0, reference_erf, 4, 3200, false},
    {"erfc", 0, reference_erfc, 4, 3200, false},
    {"tgamma", 0, reference_tgamma, 7, 300, true},
    {"lgamma", 0, reference_lgamma, 30, 300, true},
};
enum { NATIVES = sizeof natives / sizeof *natives };

static void check_code(struct duel *duel, const struct native *native, uint64_t code) {
    double x = layout_value(duel->layout, code);
    if (!isfinite(x) || x == 0 || ilogb(x) > native->most_exponent ||
        (native->not_halves && x * 2 == rint(x * 2)))
        return;
    int magnitude = abs(ilogb(x));
    duel_begin(duel, 300 + 4 * magnitude + native->extra_bits);
    mpfr_set_d(duel->x[0], x, MPFR_RNDN);
    native->reference(duel->y, duel->x[0]);
    duel_snap(duel, magnitude + 60);
    duel_check(duel, (const uint64_t[MAX_OPERANDS]){code}, native->result);
}

static void check_layout(const struct layout *layout, int count) {
    for (int i = 0; i < NATIVES; i++) {
        struct duel duel;
        uint64_t seed = 18 + (uint64_t)i;
        duel_open(&duel, natives[i].operation, layout);
        for (int n = 0; n < count; n++)
            check_code(&duel, &natives[i], duel_code(layout, duel_sample(layout, &seed)));
        /* Both ends of the binades where most of them change. */
        for (int e = -8; e <= 8; e++)
            for (int bit = 0; bit < 4; bit++)
                check_code(&duel, &natives[i],
                           duel_code(layout, ldexp(bit & 1 ? -1 : 1, e)) - (bit > 1));
        duel_close(&duel);
    }
}

static void test_fp16(void **state) {
    (void)state;
    check_layout(&layouts[4], samples);
}

static void test_bf16(void **state) {
    (void)state;
    check_layout(&layouts[5], samples / 2);
}

static void test_fp32(void **state) {
    (void)state;
    check_layout(&layouts[LAYOUT_FP32], samples * 2);
}

static void test_fp64(void **state) {
    (void)state;
    check_layout(&layouts[LAYOUT_FP64], samples);
}

int main(int argc, char **argv) {
    if (argc > 1)
        samples = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp16),
        cmocka_unit_test(test_bf16),
        cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_fp64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
