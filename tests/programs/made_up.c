/* Operations that no release has, for list_test.py: one that the platform computes, one that no libm
 * has, one whose results are in another format. Nothing else of the program knows of them. */
#include "op/families.h"

static float made_up_square_fp32(const float *x) {
    return x[0] * x[0];
}

static double made_up_square_fp64(const double *x) {
    return x[0] * x[0];
}

/* e^0 / 2 is the one finite case that is a binary fraction. */
static bool special_half_exp(struct real *y, const struct real *x) {
    if (x->kind == REAL_NAN)
        *y = real_nan();
    else if (x->kind == REAL_INFINITE)
        *y = x->negative ? real_zero(false) : real_infinity(false);
    else if (x->kind == REAL_ZERO)
        *y = (struct real){
            .kind = REAL_FINITE, .exponent = -1, .significand = {UINT64_C(1) << 63, 0}};
    else
        return false;
    return true;
}

static void bracket_half_exp(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    interval_set(&scratch[0], x[0]);
    interval_increasing(y, mpfr_exp, &scratch[0]);
    interval_scale(y, y, -1);
}

static const struct operation rows[] = {
    {.name = "square",
     .aliases = "sqr power_of_2",
     .formula = "x^2, made up",
     .operands = 1,
     .results = 1,
     .result = {{.mpfr1 = mpfr_sqr}},
     .platform = {.operator_fp32 = made_up_square_fp32, .operator_fp64 = made_up_square_fp64},
     .landmarks = "1 1.5"},
    {.name = "half_exp",
     .formula = "e^x / 2, made up",
     .operands = 1,
     .results = 1,
     .result = {{.bracket = bracket_half_exp, .special = special_half_exp}},
     .landmarks = "1"},
    {.name = "narrow",
     .formula = "x, made up",
     .operands = 1,
     .results = 1,
     .parameters = PARAMETER_BIT(TO),
     .needed = PARAMETER_BIT(TO),
     .stands_alone = true,
     .result = {{.mpfr1 = mpfr_set}}},
};
OPERATION_FAMILY(made_up, rows);
