/* Exponentials: exp, exp2, exp10, and the same minus 1. */
#include "op/function/family.h"

#define EXP2_ENDS "16 -14 -25 128 -126 -150 1024 -1022 -1075"
#define EXP10_ENDS                                                                                 \
    "4.8163738887524 -4.2144199392957 -7.5257498915995 38.5318394320466 -37.9297794536616 "        \
    "-45.1544993495972 308.2547155599167 -307.6526555685888 -323.6072453387798"

/* b^x for b > 1 increases from 0 through 1 at 0. */
static const struct asymptote power_asymptotes[] = {{LEFT, LINE(0, 1), ASYMPTOTE_BELOW},
                                                    {RIGHT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                                    {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE},
                                                    OVERFLOWS_RIGHT,
                                                    {.side = ASYMPTOTE_END}};

/* b^x - 1 falls to -1. For b = e there is more to say near 0. */
static const struct asymptote power_m1_asymptotes[] = {
    {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE}, OVERFLOWS_RIGHT, {.side = ASYMPTOTE_END}};

static void ball_exp2(arb_t y, const arb_t x, slong precision) {
    ball_of_multiple(y, x, arb_exp, arb_const_log2, precision);
}

static void ball_exp10(arb_t y, const arb_t x, slong precision) {
    ball_of_multiple(y, x, arb_exp, arb_const_log10, precision);
}

static void ball_exp2m1(arb_t y, const arb_t x, slong precision) {
    ball_of_multiple(y, x, arb_expm1, arb_const_log2, precision);
}

static void ball_exp10m1(arb_t y, const arb_t x, slong precision) {
    ball_of_multiple(y, x, arb_expm1, arb_const_log10, precision);
}

static void analytic_exp2(acb_t y, const acb_t z, slong precision) {
    analytic_of_multiple(y, z, acb_exp, arb_const_log2, precision);
}

static void analytic_exp10(acb_t y, const acb_t z, slong precision) {
    analytic_of_multiple(y, z, acb_exp, arb_const_log10, precision);
}

static void analytic_exp2m1(acb_t y, const acb_t z, slong precision) {
    analytic_of_multiple(y, z, acb_expm1, arb_const_log2, precision);
}

static void analytic_exp10m1(acb_t y, const acb_t z, slong precision) {
    analytic_of_multiple(y, z, acb_expm1, arb_const_log10, precision);
}

static const struct operation rows[] = {
    {
        .name = "exp",
        .formula = "e^x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_exp,
                    .arb = ARB(.ball = arb_exp, .analytic = acb_exp),
                    .asymptotes = power_asymptotes,
                    .known_values = "-inf=0 inf=inf 0=1 -0=1"}},
        .platform = {.symbol = "exp"},
        .landmarks = "1 " EXP_ENDS,
    },
    {
        .name = "exp2",
        .formula = "2^x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_exp2,
                    .arb = ARB(.ball = ball_exp2, .analytic = analytic_exp2),
                    .asymptotes = power_asymptotes,
                    .known_values = "-inf=0 inf=inf -0=1 3=8 -2=0.25 -149=0x1p-149 "
                                    "-1074=0x1p-1074 1023=0x1p1023"}},
        .platform = {.symbol = "exp2"},
        .landmarks = "1 " EXP2_ENDS,
    },
    {
        .name = "exp10",
        .formula = "10^x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_exp10,
                    .arb = ARB(.ball = ball_exp10, .analytic = analytic_exp10),
                    .asymptotes = power_asymptotes,
                    .known_values = "-inf=0 inf=inf 0=1 2=100 22=1e22 1=10"}},
        .platform = {.symbol = "exp10"},
        .landmarks = "1 " EXP10_ENDS,
    },
    {
        .name = "expm1",
        .formula = "e^x - 1",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_expm1,
                    .arb = ARB(.ball = arb_expm1, .analytic = acb_expm1),
                    /* e^x - 1 - x has the derivative e^x - 1: 0 at 0, falling before and rising
                     * after. e^x - 1 > -1. */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE}, OVERFLOWS_RIGHT),
                    .known_values = "0=0 -0=-0 -inf=-1 inf=inf"}},
        .platform = {.symbol = "expm1"},
        .landmarks = "-0.6931471805599453 1 -17.33 -37.43 " EXP_ENDS,
    },
    {
        .name = "exp2m1",
        .formula = "2^x - 1",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_exp2m1,
                    .arb = ARB(.ball = ball_exp2m1, .analytic = analytic_exp2m1),
                    .asymptotes = power_m1_asymptotes,
                    .known_values = "0=0 -0=-0 -inf=-1 inf=inf 3=7 -1=-0.5"}},
        .platform = {.symbol = "exp2m1"},
        .landmarks = "1 -1 -24 -25 -54 " EXP2_ENDS,
    },
    {
        .name = "exp10m1",
        .formula = "10^x - 1",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_exp10m1,
                    .arb = ARB(.ball = ball_exp10m1, .analytic = analytic_exp10m1),
                    .asymptotes = power_m1_asymptotes,
                    .known_values = "0=0 -0=-0 -inf=-1 inf=inf 2=99 15=999999999999999"}},
        .platform = {.symbol = "exp10m1"},
        .landmarks = "1 -1 -7.5 -16.3 " EXP10_ENDS,
    },
};
OPERATION_FAMILY(exp, rows);
