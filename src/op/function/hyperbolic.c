/* sinh, cosh, tanh and their inverses. */
#include "op/function/family.h"

/* Odd, and log(z + sqrt(z^2 + 1)) where that does not cancel: right of the imaginary axis. */
static void analytic_asinh(acb_t y, const acb_t z, slong precision) {
    bool left = arb_is_negative(acb_realref(z));
    if (!left && !arb_is_positive(acb_realref(z))) {
        analytic_only_where(off_imaginary_cuts(z, precision), acb_asinh, y, z, precision);
        return;
    }
    acb_t w;
    acb_init(w);
    acb_sqr(w, z, precision);
    acb_add_ui(w, w, 1, precision);
    acb_sqrt_analytic(w, w, 1, precision);
    if (left)
        acb_sub(w, w, z, precision);
    else
        acb_add(w, w, z, precision);
    acb_log_analytic(y, w, 1, precision);
    if (left)
        acb_neg(y, y);
    acb_clear(w);
}

/* The cut of acosh lies left of 1. */
static void analytic_acosh(acb_t y, const acb_t z, slong precision) {
    arb_t w;
    arb_init(w);
    arb_sub_ui(w, acb_realref(z), 1, precision);
    analytic_only_where(arb_is_positive(w), acb_acosh, y, z, precision);
    arb_clear(w);
}

static void analytic_atanh(acb_t y, const acb_t z, slong precision) {
    analytic_only_where(within_unit(z, precision), acb_atanh, y, z, precision);
}

static const struct operation rows[] = {
    {
        .name = "sinh",
        .formula = "sinh x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_sinh,
                    .arb = ARB(.ball = arb_sinh, .analytic = acb_sinh),
                    /* cosh >= 1 is the derivative of sinh. */
                    .asymptotes =
                        ASYMPTOTES({WHOLE, LINE(1, 0), ASYMPTOTE_OUTWARD}, OVERFLOWS_RIGHT,
                                   {LEFT, LINE(0, -INFINITY), ASYMPTOTE_ABOVE}),
                    .known_values = "0=0 -0=-0 inf=inf -inf=-inf"}},
        .platform = {.symbol = "sinh"},
        .landmarks = EXP_ENDS " 89.41 710.47",
    },
    {
        .name = "cosh",
        .formula = "cosh x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_EVEN,
                    .mpfr1 = mpfr_cosh,
                    .arb = ARB(.ball = arb_cosh, .analytic = acb_cosh),
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_ABOVE}, OVERFLOWS_RIGHT,
                                             {LEFT, LINE(0, INFINITY), ASYMPTOTE_BELOW}),
                    .known_values = "0=1 -0=1 inf=inf -inf=inf"}},
        .platform = {.symbol = "cosh"},
        .landmarks = EXP_ENDS " 89.41 710.47",
    },
    {
        .name = "tanh",
        .formula = "tanh x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_tanh,
                    .arb = ARB(.ball = arb_tanh, .analytic = acb_tanh),
                    /* tanh' = 1 - tanh^2 <= 1; |tanh| < 1, rising. */
                    .asymptotes = ASYMPTOTES({WHOLE, LINE(1, 0), ASYMPTOTE_INWARD},
                                             {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}),
                    .known_values = "0=0 -0=-0 inf=1 -inf=-1"}},
        .platform = {.symbol = "tanh"},
        .landmarks = "0.5 1 4.5 9.01 19.06",
    },
    {
        .name = "asinh",
        .formula = "arsinh x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_asinh,
                    .arb = ARB(.ball = arb_asinh, .analytic = analytic_asinh),
                    /* asinh' <= 1. */
                    .asymptotes = ASYMPTOTES({WHOLE, LINE(1, 0), ASYMPTOTE_INWARD}),
                    .known_values = "0=0 -0=-0 inf=inf -inf=-inf"}},
        .platform = {.symbol = "asinh"},
        .landmarks = "1",
    },
    {
        .name = "acosh",
        .formula = "arcosh x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_acosh,
                    .arb = ARB(.ball = arb_acosh, .analytic = analytic_acosh),
                    .asymptotes = ASYMPTOTES(NAN_BETWEEN(-INFINITY, 0), NAN_BETWEEN(0, 1)),
                    .known_values = "1=0 0.5=nan -1=nan -inf=nan inf=inf"}},
        .platform = {.symbol = "acosh"},
        .landmarks = "1 2",
    },
    {
        .name = "atanh",
        .formula = "artanh x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_atanh,
                    .arb = ARB(.ball = arb_atanh, .analytic = analytic_atanh),
                    /* atanh' >= 1. */
                    .asymptotes =
                        ASYMPTOTES({-1, 1, LINE(1, 0), ASYMPTOTE_OUTWARD}, NAN_OUTSIDE_UNIT),
                    .known_values = "0=0 -0=-0 1=inf -1=-inf 2=nan inf=nan"}},
        .platform = {.symbol = "atanh"},
        .landmarks = "0.5 1 -1",
    },
};
OPERATION_FAMILY(hyperbolic, rows);
