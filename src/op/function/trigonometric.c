/* sin, cos, tan; the same of pi x; and sincos, which has the results of two of them. */
#include "op/function/family.h"
#include "op/function/p3109.h"

/* Zeros and extrema of sin and cos. */
#define QUARTER_TURNS                                                                              \
    "0.7853981633974483 1.5707963267948966 2.356194490192345 3.141592653589793 "                   \
    "4.71238898038469 6.283185307179586 355 710 16367173 0x1.6ac5b262ca1ffp+849"
#define HALF_INTEGERS                                                                              \
    "0.25 0.5 0.75 1 1.5 2 2.5 3 1023.5 4194303.5 8388607.5 8388609 16777215 4503599627370495.5"

/* x - sin x has the derivative 1 - cos x >= 0. */
static const struct asymptote sin_asymptotes[] = {{-1, 1, LINE(1, 0), ASYMPTOTE_INWARD},
                                                  {.side = ASYMPTOTE_END}};

/* 1 - cos x, and 1 - cos(pi x), rise with |x| up to half a period. */
#define BELOW_ONE_NEAR_0                                                                           \
    {-0.5, 0, LINE(0, 1), ASYMPTOTE_BELOW}, {                                                      \
        0, 0.5, LINE(0, 1), ASYMPTOTE_BELOW                                                        \
    }
static const struct asymptote cos_asymptotes[] = {BELOW_ONE_NEAR_0, {.side = ASYMPTOTE_END}};

/* Numbers of 24 bits from 2^24 on are even: of sin(pi x) and tan(pi x) zeros, with the sign of x,
 * and of cos(pi x) maxima. So are those of 53 bits from 2^53 on. */
#define FAR_LEFT(VALUE)                                                                            \
    {-INFINITY, -0x1.fffffep23, LINE(0, VALUE), ASYMPTOTE_EXACT, .most_precision = 24}, {          \
        -INFINITY, -0x1.fffffffffffffp52, LINE(0, VALUE), ASYMPTOTE_EXACT                          \
    }
#define FAR_RIGHT(VALUE)                                                                           \
    {0x1.fffffep23, INFINITY, LINE(0, VALUE), ASYMPTOTE_EXACT, .most_precision = 24}, {            \
        0x1.fffffffffffffp52, INFINITY, LINE(0, VALUE), ASYMPTOTE_EXACT                            \
    }
#define ZERO_FAR_AWAY ASYMPTOTES(FAR_LEFT(-0.0), FAR_RIGHT(0))

/* What sin and cos are, alone and in sincos. */
#define SIN                                                                                        \
    .parity = PARITY_ODD, .mpfr1 = mpfr_sin, .arb = ARB(.ball = arb_sin, .analytic = acb_sin),     \
    .asymptotes = sin_asymptotes, .reduction = REDUCTION_SIN,                                      \
    .known_values = "0=0 -0=-0 inf=nan -inf=nan"
#define COS                                                                                        \
    .parity = PARITY_EVEN, .mpfr1 = mpfr_cos, .arb = ARB(.ball = arb_cos, .analytic = acb_cos),    \
    .asymptotes = cos_asymptotes, .reduction = REDUCTION_COS,                                      \
    .known_values = "0=1 -0=1 inf=nan -inf=nan"

static const struct operation rows[] = {
    {
        .name = "sin",
        .formula = "sin x",
        .operands = 1,
        .results = 1,
        .result = {{SIN}},
        .platform = {.symbol = "sin"},
        .landmarks = QUARTER_TURNS,
    },
    {
        .name = "cos",
        .formula = "cos x",
        .operands = 1,
        .results = 1,
        .result = {{COS}},
        .platform = {.symbol = "cos"},
        .landmarks = QUARTER_TURNS,
    },
    {
        .name = "tan",
        .formula = "tan x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_tan,
                    .arb = ARB(.ball = arb_tan, .analytic = acb_tan),
                    /* tan x - x has the derivative tan^2 x. */
                    .asymptotes = ASYMPTOTES({-1, 1, LINE(1, 0), ASYMPTOTE_OUTWARD}),
                    .reduction = REDUCTION_TAN,
                    .known_values = "0=0 -0=-0 inf=nan"}},
        .platform = {.symbol = "tan"},
        .landmarks = QUARTER_TURNS,
    },
};
OPERATION_FAMILY(trigonometric, rows);

static const struct operation pi_rows[] = {
    {
        .name = "sinpi",
        .formula = "sin(pi x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_sinpi,
                    .arb = ARB(.ball = arb_sin_pi, .analytic = acb_sin_pi),
                    .asymptotes = ZERO_FAR_AWAY,
                    .reduction = REDUCTION_SIN,
                    .has_period_two = true,
                    .known_values = "0=0 -0=-0 1=0 -1=-0 2=0 -2=-0 3=0 0.5=1 -0.5=-1 1.5=-1 "
                                    "-1.5=1 2.5=1 16777216=0 -16777217=-0 0x1p1000=0 8388607.5=-1 "
                                    "4503599627370495.5=-1 inf=nan -inf=nan"}},
        .platform = {.symbol = "sinpi"},
        .landmarks = HALF_INTEGERS,
    },
    {
        .name = "cospi",
        .formula = "cos(pi x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_EVEN,
                    .mpfr1 = mpfr_cospi,
                    .arb = ARB(.ball = arb_cos_pi, .analytic = acb_cos_pi),
                    .asymptotes = ASYMPTOTES(BELOW_ONE_NEAR_0, FAR_LEFT(1), FAR_RIGHT(1)),
                    .reduction = REDUCTION_COS,
                    .has_period_two = true,
                    .known_values = "0=1 -0=1 0.5=0 -0.5=0 1.5=0 -1.5=0 2.5=0 8388607.5=0 1=-1 "
                                    "-1=-1 2=1 16777217=-1 0x1p1000=1 inf=nan -inf=nan"}},
        .platform = {.symbol = "cospi"},
        .landmarks = HALF_INTEGERS,
    },
    {
        .name = "tanpi",
        .formula = "tan(pi x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_tanpi,
                    .p3109 = p3109_tanpi,
                    .arb = ARB(.ball = arb_tan_pi, .analytic = acb_tan_pi),
                    .asymptotes = ZERO_FAR_AWAY,
                    .reduction = REDUCTION_TAN,
                    .has_period_two = true,
                    .known_values = "0=0 -0=-0 1=-0 -1=0 2=0 -2=-0 3=-0 -3=0 4=0 -4=-0 "
                                    "16777217=-0 0x1p1000=0 -0x1p1000=-0 0.5=inf -0.5=-inf "
                                    "1.5=-inf -1.5=inf 2.5=inf -2.5=-inf 8388607.5=-inf 0.25=1 "
                                    "-0.25=-1 0.75=-1 1.25=1 inf=nan -inf=nan"}},
        .platform = {.symbol = "tanpi"},
        .landmarks = HALF_INTEGERS,
    },
};
OPERATION_FAMILY(trigonometric_pi, pi_rows);

static const struct operation sincos_rows[] = {
    {
        .name = "sincos",
        .formula = "sin x and cos x",
        .operands = 1,
        .results = 2,
        .result = {{.name = "sin", SIN}, {.name = "cos", COS}},
        .platform = {.symbol = "sincos"},
        .landmarks = QUARTER_TURNS,
    },
};
OPERATION_FAMILY(sincos, sincos_rows);
