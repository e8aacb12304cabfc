/* Special and exact values of the functions of one operand: C23 Annex F.10.1 to F.10.5 and, where C
 * has no such function, the limits. Exact values of landmarks are here too, since a zero or an
 * integer must come out exact in every direction. */
#include "special.h"

#define ROWS(NAME) check_special_rows(NAME, sizeof NAME / sizeof *NAME)

static const struct special_row exponentials[] = {
    {"exp", {"-inf"}, {"0"}},
    {"exp", {"inf"}, {"inf"}},
    {"exp", {"0"}, {"1"}},
    {"exp", {"-0"}, {"1"}},
    {"exp2", {"-inf"}, {"0"}},
    {"exp2", {"inf"}, {"inf"}},
    {"exp2", {"-0"}, {"1"}},
    {"exp2", {"3"}, {"8"}},
    {"exp2", {"-2"}, {"0.25"}},
    {"exp2", {"-149"}, {"0x1p-149"}},
    {"exp2", {"-1074"}, {"0x1p-1074"}},
    {"exp2", {"1023"}, {"0x1p1023"}},
    {"exp10", {"-inf"}, {"0"}},
    {"exp10", {"inf"}, {"inf"}},
    {"exp10", {"0"}, {"1"}},
    {"exp10", {"2"}, {"100"}},
    {"exp10", {"22"}, {"1e22"}},
    {"exp10", {"1"}, {"10"}},
    {"expm1", {"0"}, {"0"}},
    {"expm1", {"-0"}, {"-0"}},
    {"expm1", {"-inf"}, {"-1"}},
    {"expm1", {"inf"}, {"inf"}},
    {"exp2m1", {"0"}, {"0"}},
    {"exp2m1", {"-0"}, {"-0"}},
    {"exp2m1", {"-inf"}, {"-1"}},
    {"exp2m1", {"inf"}, {"inf"}},
    {"exp2m1", {"3"}, {"7"}},
    {"exp2m1", {"-1"}, {"-0.5"}},
    {"exp10m1", {"0"}, {"0"}},
    {"exp10m1", {"-0"}, {"-0"}},
    {"exp10m1", {"-inf"}, {"-1"}},
    {"exp10m1", {"inf"}, {"inf"}},
    {"exp10m1", {"2"}, {"99"}},
    {"exp10m1", {"15"}, {"999999999999999"}},
};

static const struct special_row logarithms[] = {
    {"log", {"0"}, {"-inf"}},
    {"log", {"-0"}, {"-inf"}},
    {"log", {"1"}, {"0"}},
    {"log", {"-1"}, {"nan"}},
    {"log", {"-inf"}, {"nan"}},
    {"log", {"inf"}, {"inf"}},
    {"log2", {"-0"}, {"-inf"}},
    {"log2", {"0"}, {"-inf"}},
    {"log2", {"1"}, {"0"}},
    {"log2", {"-2"}, {"nan"}},
    {"log2", {"inf"}, {"inf"}},
    {"log2", {"8"}, {"3"}},
    {"log2", {"0x1p-1074"}, {"-1074"}},
    {"log2", {"0x1p-24"}, {"-24"}},
    {"log10", {"-0"}, {"-inf"}},
    {"log10", {"0"}, {"-inf"}},
    {"log10", {"1"}, {"0"}},
    {"log10", {"-1"}, {"nan"}},
    {"log10", {"inf"}, {"inf"}},
    {"log10", {"100"}, {"2"}},
    {"log10", {"1e22"}, {"22"}},
    {"log1p", {"0"}, {"0"}},
    {"log1p", {"-0"}, {"-0"}},
    {"log1p", {"-1"}, {"-inf"}},
    {"log1p", {"-1.5"}, {"nan"}},
    {"log1p", {"inf"}, {"inf"}},
    {"log1p", {"-inf"}, {"nan"}},
    {"log2p1", {"0"}, {"0"}},
    {"log2p1", {"-0"}, {"-0"}},
    {"log2p1", {"-1"}, {"-inf"}},
    {"log2p1", {"-2"}, {"nan"}},
    {"log2p1", {"inf"}, {"inf"}},
    {"log2p1", {"1"}, {"1"}},
    {"log2p1", {"3"}, {"2"}},
    {"log2p1", {"-0.5"}, {"-1"}},
    {"log2p1", {"-0.75"}, {"-2"}},
    {"log2p1", {"255"}, {"8"}},
    {"log10p1", {"0"}, {"0"}},
    {"log10p1", {"-0"}, {"-0"}},
    {"log10p1", {"-1"}, {"-inf"}},
    {"log10p1", {"-2"}, {"nan"}},
    {"log10p1", {"inf"}, {"inf"}},
    {"log10p1", {"9"}, {"1"}},
    {"log10p1", {"999"}, {"3"}},
};

static const struct special_row trigonometric[] = {
    {"sin", {"0"}, {"0"}},
    {"sin", {"-0"}, {"-0"}},
    {"sin", {"inf"}, {"nan"}},
    {"sin", {"-inf"}, {"nan"}},
    {"cos", {"0"}, {"1"}},
    {"cos", {"-0"}, {"1"}},
    {"cos", {"inf"}, {"nan"}},
    {"cos", {"-inf"}, {"nan"}},
    {"tan", {"0"}, {"0"}},
    {"tan", {"-0"}, {"-0"}},
    {"tan", {"inf"}, {"nan"}},
    {"sincos.sin", {"-0"}, {"-0"}},
    {"sincos.cos", {"-0"}, {"1"}},
    {"sincos.sin", {"inf"}, {"nan"}},
    {"sincos.cos", {"-inf"}, {"nan"}},
    {"asin", {"0"}, {"0"}},
    {"asin", {"-0"}, {"-0"}},
    {"asin", {"1"}, {"pi/2"}},
    {"asin", {"-1"}, {"-pi/2"}},
    {"asin", {"1.5"}, {"nan"}},
    {"asin", {"-inf"}, {"nan"}},
    {"acos", {"1"}, {"0"}},
    {"acos", {"-1"}, {"pi"}},
    {"acos", {"0"}, {"pi/2"}},
    {"acos", {"-2"}, {"nan"}},
    {"acos", {"inf"}, {"nan"}},
    {"atan", {"0"}, {"0"}},
    {"atan", {"-0"}, {"-0"}},
    {"atan", {"inf"}, {"pi/2"}},
    {"atan", {"-inf"}, {"-pi/2"}},
    {"atan", {"1"}, {"pi/4"}},
    {"asinpi", {"0"}, {"0"}},
    {"asinpi", {"-0"}, {"-0"}},
    {"asinpi", {"1"}, {"0.5"}},
    {"asinpi", {"-1"}, {"-0.5"}},
    {"asinpi", {"2"}, {"nan"}},
    {"acospi", {"1"}, {"0"}},
    {"acospi", {"-1"}, {"1"}},
    {"acospi", {"0"}, {"0.5"}},
    {"acospi", {"-0"}, {"0.5"}},
    {"acospi", {"-2"}, {"nan"}},
    {"acospi", {"inf"}, {"nan"}},
    {"atanpi", {"0"}, {"0"}},
    {"atanpi", {"-0"}, {"-0"}},
    {"atanpi", {"inf"}, {"0.5"}},
    {"atanpi", {"-inf"}, {"-0.5"}},
    {"atanpi", {"1"}, {"0.25"}},
    {"atanpi", {"-1"}, {"-0.25"}},
};

/* C23 F.10.1.12 to F.10.1.14: zeros take the sign of x in sinpi, are +0 in cospi, and alternate in
 * tanpi as sinpi/cospi does. */
static const struct special_row half_turns[] = {
    {"sinpi", {"0"}, {"0"}},
    {"sinpi", {"-0"}, {"-0"}},
    {"sinpi", {"1"}, {"0"}},
    {"sinpi", {"-1"}, {"-0"}},
    {"sinpi", {"2"}, {"0"}},
    {"sinpi", {"-2"}, {"-0"}},
    {"sinpi", {"3"}, {"0"}},
    {"sinpi", {"0.5"}, {"1"}},
    {"sinpi", {"-0.5"}, {"-1"}},
    {"sinpi", {"1.5"}, {"-1"}},
    {"sinpi", {"-1.5"}, {"1"}},
    {"sinpi", {"2.5"}, {"1"}},
    {"sinpi", {"16777216"}, {"0"}},
    {"sinpi", {"-16777217"}, {"-0"}},
    {"sinpi", {"0x1p1000"}, {"0"}},
    {"sinpi", {"8388607.5"}, {"-1"}},
    {"sinpi", {"4503599627370495.5"}, {"-1"}},
    {"sinpi", {"inf"}, {"nan"}},
    {"sinpi", {"-inf"}, {"nan"}},
    {"cospi", {"0"}, {"1"}},
    {"cospi", {"-0"}, {"1"}},
    {"cospi", {"0.5"}, {"0"}},
    {"cospi", {"-0.5"}, {"0"}},
    {"cospi", {"1.5"}, {"0"}},
    {"cospi", {"-1.5"}, {"0"}},
    {"cospi", {"2.5"}, {"0"}},
    {"cospi", {"8388607.5"}, {"0"}},
    {"cospi", {"1"}, {"-1"}},
    {"cospi", {"-1"}, {"-1"}},
    {"cospi", {"2"}, {"1"}},
    {"cospi", {"16777217"}, {"-1"}},
    {"cospi", {"0x1p1000"}, {"1"}},
    {"cospi", {"inf"}, {"nan"}},
    {"cospi", {"-inf"}, {"nan"}},
    {"tanpi", {"0"}, {"0"}},
    {"tanpi", {"-0"}, {"-0"}},
    {"tanpi", {"1"}, {"-0"}},
    {"tanpi", {"-1"}, {"0"}},
    {"tanpi", {"2"}, {"0"}},
    {"tanpi", {"-2"}, {"-0"}},
    {"tanpi", {"3"}, {"-0"}},
    {"tanpi", {"-3"}, {"0"}},
    {"tanpi", {"4"}, {"0"}},
    {"tanpi", {"-4"}, {"-0"}},
    {"tanpi", {"16777217"}, {"-0"}},
    {"tanpi", {"0x1p1000"}, {"0"}},
    {"tanpi", {"-0x1p1000"}, {"-0"}},
    {"tanpi", {"0.5"}, {"inf"}},
    {"tanpi", {"-0.5"}, {"-inf"}},
    {"tanpi", {"1.5"}, {"-inf"}},
    {"tanpi", {"-1.5"}, {"inf"}},
    {"tanpi", {"2.5"}, {"inf"}},
    {"tanpi", {"-2.5"}, {"-inf"}},
    {"tanpi", {"8388607.5"}, {"-inf"}},
    {"tanpi", {"0.25"}, {"1"}},
    {"tanpi", {"-0.25"}, {"-1"}},
    {"tanpi", {"0.75"}, {"-1"}},
    {"tanpi", {"1.25"}, {"1"}},
    {"tanpi", {"inf"}, {"nan"}},
    {"tanpi", {"-inf"}, {"nan"}},
};

static const struct special_row hyperbolic[] = {
    {"sinh", {"0"}, {"0"}},        {"sinh", {"-0"}, {"-0"}},     {"sinh", {"inf"}, {"inf"}},
    {"sinh", {"-inf"}, {"-inf"}},  {"cosh", {"0"}, {"1"}},       {"cosh", {"-0"}, {"1"}},
    {"cosh", {"inf"}, {"inf"}},    {"cosh", {"-inf"}, {"inf"}},  {"tanh", {"0"}, {"0"}},
    {"tanh", {"-0"}, {"-0"}},      {"tanh", {"inf"}, {"1"}},     {"tanh", {"-inf"}, {"-1"}},
    {"asinh", {"0"}, {"0"}},       {"asinh", {"-0"}, {"-0"}},    {"asinh", {"inf"}, {"inf"}},
    {"asinh", {"-inf"}, {"-inf"}}, {"acosh", {"1"}, {"0"}},      {"acosh", {"0.5"}, {"nan"}},
    {"acosh", {"-1"}, {"nan"}},    {"acosh", {"-inf"}, {"nan"}}, {"acosh", {"inf"}, {"inf"}},
    {"atanh", {"0"}, {"0"}},       {"atanh", {"-0"}, {"-0"}},    {"atanh", {"1"}, {"inf"}},
    {"atanh", {"-1"}, {"-inf"}},   {"atanh", {"2"}, {"nan"}},    {"atanh", {"inf"}, {"nan"}},
};

static const struct special_row powers_and_gamma[] = {
    {"sqrt", {"0"}, {"0"}},
    {"sqrt", {"-0"}, {"-0"}},
    {"sqrt", {"-1"}, {"nan"}},
    {"sqrt", {"inf"}, {"inf"}},
    {"sqrt", {"-inf"}, {"nan"}},
    {"sqrt", {"2.25"}, {"1.5"}},
    {"sqrt", {"0x1p-1074"}, {"0x1p-537"}},
    {"cbrt", {"0"}, {"0"}},
    {"cbrt", {"-0"}, {"-0"}},
    {"cbrt", {"inf"}, {"inf"}},
    {"cbrt", {"-inf"}, {"-inf"}},
    {"cbrt", {"-27"}, {"-3"}},
    {"cbrt", {"0x1p-24"}, {"0x1p-8"}},
    {"rsqrt", {"0"}, {"inf"}},
    {"rsqrt", {"-0"}, {"-inf"}},
    {"rsqrt", {"inf"}, {"0"}},
    {"rsqrt", {"-1"}, {"nan"}},
    {"rsqrt", {"-inf"}, {"nan"}},
    {"rsqrt", {"4"}, {"0.5"}},
    {"rsqrt", {"0x1p-24"}, {"4096"}},
    {"recip", {"0"}, {"inf"}},
    {"recip", {"-0"}, {"-inf"}},
    {"recip", {"inf"}, {"0"}},
    {"recip", {"-inf"}, {"-0"}},
    {"recip", {"-4"}, {"-0.25"}},
    {"erf", {"0"}, {"0"}},
    {"erf", {"-0"}, {"-0"}},
    {"erf", {"inf"}, {"1"}},
    {"erf", {"-inf"}, {"-1"}},
    {"erfc", {"0"}, {"1"}},
    {"erfc", {"-0"}, {"1"}},
    {"erfc", {"inf"}, {"0"}},
    {"erfc", {"-inf"}, {"2"}},
    {"tgamma", {"0"}, {"inf"}},
    {"tgamma", {"-0"}, {"-inf"}},
    {"tgamma", {"-1"}, {"nan"}},
    {"tgamma", {"-2"}, {"nan"}},
    {"tgamma", {"-0x1p1000"}, {"nan"}},
    {"tgamma", {"-inf"}, {"nan"}},
    {"tgamma", {"inf"}, {"inf"}},
    {"tgamma", {"1"}, {"1"}},
    {"tgamma", {"2"}, {"1"}},
    {"tgamma", {"5"}, {"24"}},
    {"tgamma", {"18"}, {"355687428096000"}},
    {"lgamma", {"1"}, {"0"}},
    {"lgamma", {"2"}, {"0"}},
    {"lgamma", {"0"}, {"inf"}},
    {"lgamma", {"-0"}, {"inf"}},
    {"lgamma", {"-1"}, {"inf"}},
    {"lgamma", {"-2"}, {"inf"}},
    {"lgamma", {"-0x1p1000"}, {"inf"}},
    {"lgamma", {"inf"}, {"inf"}},
    {"lgamma", {"-inf"}, {"inf"}},
};

/* The limits; of x times a gate, -0 at -infinity since the function is negative there. */
static const struct special_row composites[] = {
    {"sigmoid", {"-inf"}, {"0"}},    {"sigmoid", {"inf"}, {"1"}},
    {"sigmoid", {"0"}, {"0.5"}},     {"sigmoid", {"-0"}, {"0.5"}},
    {"softplus", {"-inf"}, {"0"}},   {"softplus", {"inf"}, {"inf"}},
    {"logsigmoid", {"inf"}, {"-0"}}, {"logsigmoid", {"-inf"}, {"-inf"}},
    {"silu", {"inf"}, {"inf"}},      {"silu", {"-inf"}, {"-0"}},
    {"silu", {"0"}, {"0"}},          {"silu", {"-0"}, {"-0"}},
    {"gelu", {"inf"}, {"inf"}},      {"gelu", {"-inf"}, {"-0"}},
    {"gelu", {"0"}, {"0"}},          {"gelu", {"-0"}, {"-0"}},
    {"gelu_tanh", {"inf"}, {"inf"}}, {"gelu_tanh", {"-inf"}, {"-0"}},
    {"gelu_tanh", {"0"}, {"0"}},     {"gelu_tanh", {"-0"}, {"-0"}},
    {"mish", {"inf"}, {"inf"}},      {"mish", {"-inf"}, {"-0"}},
    {"mish", {"0"}, {"0"}},          {"mish", {"-0"}, {"-0"}},
};

static void test_exponentials(void **state) {
    (void)state;
    ROWS(exponentials);
}

static void test_logarithms(void **state) {
    (void)state;
    ROWS(logarithms);
}

static void test_trigonometric(void **state) {
    (void)state;
    ROWS(trigonometric);
    ROWS(half_turns);
}

static void test_hyperbolic(void **state) {
    (void)state;
    ROWS(hyperbolic);
}

static void test_powers_and_gamma(void **state) {
    (void)state;
    ROWS(powers_and_gamma);
}

static void test_composites(void **state) {
    (void)state;
    ROWS(composites);
}

/* Whatever the function of one operand: NaN in, the canonical NaN out; NaN with payload and sign
 * too. */
static void test_nan_gives_nan(void **state) {
    (void)state;
    struct error error;
    const struct format *fp32 = format_find("fp32", &error);
    for (size_t i = 0; operation_at(i); i++) {
        const struct operation *row = operation_at(i);
        static const uint64_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xffffffff};
        struct oracle oracle;
        if (row->operands != 1 || row->array)
            continue;
        oracle_open(&oracle, row, fp32, oracle_precision(fp32));
        for (int j = 0; j < row->results * 4; j++) {
            struct real y;
            assert_true(oracle_exact(&oracle, &nans[j % 4], j / 4, &y, &error));
            assert_int_equal(format_encode(fp32, &y, ROUND_NEAREST_EVEN, OVERFLOW_IEEE),
                             0x7fc00000);
        }
        oracle_close(&oracle);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exponentials),     cmocka_unit_test(test_logarithms),
        cmocka_unit_test(test_trigonometric),    cmocka_unit_test(test_hyperbolic),
        cmocka_unit_test(test_powers_and_gamma), cmocka_unit_test(test_composites),
        cmocka_unit_test(test_nan_gives_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
