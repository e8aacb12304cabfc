/* The arithmetic operations: what the platform has as an operator, or as the function fma.
 *
 * The operators are themselves under test, in every rounding mode: this file is compiled with
 * -frounding-math, by which the compiler leaves them to the mode in force at run time. */
#include "op/function/family.h"
#include "op/function/p3109.h"
#include "op/function/reciprocal.h"

#define OPERATORS(NAME, EXPRESSION)                                                                \
    static float NAME##_fp32(const float *x) {                                                     \
        return EXPRESSION;                                                                         \
    }                                                                                              \
    static double NAME##_fp64(const double *x) {                                                   \
        return EXPRESSION;                                                                         \
    }

OPERATORS(add, x[0] + x[1])
OPERATORS(sub, x[0] - x[1])
OPERATORS(mul, x[0] * x[1])
OPERATORS(div, x[0] / x[1])
OPERATORS(recip, 1 / x[0])

int mpfr1_recip(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    return mpfr_ui_div(y, 1, x, rounding);
}

static void analytic_recip(acb_t y, const acb_t z, slong precision) {
    acb_inv(y, z, precision);
}

/* x/z is monotone on either side of its pole, where it grows beyond all bounds, and falls to 0. */
static bool open_div(struct section *section) {
    double far = section->fixed < 0 ? -INFINITY : INFINITY;
    const struct asymptote asymptotes[] = {
        {RIGHT, LINE(0, far), ASYMPTOTE_INWARD},
        {LEFT, LINE(0, -far), ASYMPTOTE_INWARD},
        {RIGHT, LINE(0, 0), far < 0 ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE},
        {LEFT, LINE(0, 0), far < 0 ? ASYMPTOTE_ABOVE : ASYMPTOTE_BELOW}};
    section_set_asymptotes(section, asymptotes, 4);
    return section->fixed < 0 || section->fixed > 0;
}

static void analytic_div(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    acb_inv(y, z, precision);
    acb_mul_arb(y, y, fixed, precision);
}

static const struct operation reciprocal_rows[] = {
    {
        .name = "recip",
        .aliases = "reciprocal",
        .formula = "1 / x",
        .operands = 1,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .errno_is_open = true,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr1_recip,
                    .p3109 = p3109_recip,
                    .arb = ARB(.analytic = analytic_recip),
                    /* Decreasing on either side of its pole. */
                    .asymptotes = ASYMPTOTES({RIGHT, LINE(0, INFINITY), ASYMPTOTE_BELOW},
                                             {LEFT, LINE(0, -INFINITY), ASYMPTOTE_ABOVE}),
                    .known_values = "0=inf -0=-inf inf=0 -inf=-0 -4=-0.25"}},
        .platform = {.operator_fp32 = recip_fp32, .operator_fp64 = recip_fp64},
        .landmarks = "1 3",
    },
};
OPERATION_FAMILY(reciprocal, reciprocal_rows);

static const struct operation rows[] = {
    {
        .name = "add",
        .formula = "x + y",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .errno_is_open = true,
        .sums = true,
        .result = {{.mpfr2 = mpfr_add,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_ADD},
                    .known_values = "1.5,-1.5=0|-0 -1.5,1.5=0|-0 0,-0=0|-0 -0,0=0|-0 0,0=0 "
                                    "-0,-0=-0 -0,1=1 inf,-inf=nan inf,inf=inf -inf,1=-inf "
                                    "nan,1=nan inf,nan=nan"}},
        .platform = {.operator_fp32 = add_fp32, .operator_fp64 = add_fp64},
    },
    {
        .name = "sub",
        .formula = "x - y",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .errno_is_open = true,
        .sums = true,
        .result = {{.mpfr2 = mpfr_sub,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_SUB},
                    .known_values = "1.5,1.5=0|-0 -1.5,-1.5=0|-0 0,0=0|-0 -0,-0=0|-0 0,-0=0 "
                                    "-0,0=-0 inf,inf=nan 1,inf=-inf"}},
        .platform = {.operator_fp32 = sub_fp32, .operator_fp64 = sub_fp64},
    },
    {
        .name = "mul",
        .formula = "x * y",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .errno_is_open = true,
        .result = {{.mpfr2 = mpfr_mul,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_MUL},
                    .known_values = "0,-1=-0 -0,-1=0 -0,0=-0 inf,0=nan -0,-inf=nan -inf,2=-inf "
                                    "3,-2=-6 nan,0=nan"}},
        .platform = {.operator_fp32 = mul_fp32, .operator_fp64 = mul_fp64},
    },
    {
        .name = "div",
        .formula = "x / y",
        .operands = 2,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .errno_is_open = true,
        .result = {{.mpfr2 = mpfr_div,
                    .p3109 = p3109_div,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_DIV,
                                                            .open = open_div,
                                                            .analytic = analytic_div},
                    .known_values = "0,0=nan inf,-inf=nan 1,0=inf 1,-0=-inf -0,0=nan -1,0=-inf "
                                    "0,-3=-0 -0,-3=0 1,-inf=-0 -inf,-2=inf 6,-3=-2"}},
        .platform = {.operator_fp32 = div_fp32, .operator_fp64 = div_fp64},
    },
};
OPERATION_FAMILY(arithmetic, rows);

/* IEEE 754-2019, 7.2 c: whether 0 times infinity plus a quiet NaN is invalid is the implementation's
 * choice. */
static uint8_t open_flags_fma(const struct real *x) {
    bool zero_times_infinity = (x[0].kind == REAL_ZERO && x[1].kind == REAL_INFINITE) ||
                               (x[0].kind == REAL_INFINITE && x[1].kind == REAL_ZERO);
    return zero_times_infinity && x[2].kind == REAL_NAN ? flag_bit(FLAG_INVALID) : 0;
}

static const struct operation fused_rows[] = {
    {
        .name = "fma",
        .formula = "x * y + z",
        .operands = 3,
        .results = 1,
        .exceptions = EXCEPTIONS_OF_IEEE,
        .open_flags = open_flags_fma,
        .errno_is_open = true,
        .sums = true,
        .result = {{.mpfr3 = mpfr_fma,
                    .section = &(const struct section_rule){.arithmetic = ARITHMETIC_FMA},
                    .known_values = "inf,0,1=nan 0,-inf,nan=nan inf,1,-inf=nan -inf,1,inf=nan "
                                    "inf,1,inf=inf 2,3,-inf=-inf 2,3,-6=0|-0 -2,3,6=0|-0 0,1,0=0 "
                                    "0,1,-0=0|-0 0,-1,0=0|-0 0,-1,-0=-0 -0,-0,0=0 -0,-0,-0=0|-0 "
                                    "0,1,2=2 2,3,1=7 1,nan,1=nan 1,1,nan=nan "
                                    "0x1p-12,0x1p-12,-0x1p-24=0|-0"}},
        .platform = {.symbol = "fma"},
        .landmarks = "1",
    },
};
OPERATION_FAMILY(fused, fused_rows);
