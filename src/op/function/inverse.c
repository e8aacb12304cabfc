/* asin, acos, atan, and the same divided by pi. */
#include "op/function/family.h"

#define UNIT_ENDS "0.5 1 -1"

static void ball_asinpi(arb_t y, const arb_t x, slong precision) {
    ball_over_constant(y, x, arb_asin, arb_const_pi, precision);
}

static void ball_acospi(arb_t y, const arb_t x, slong precision) {
    ball_over_constant(y, x, arb_acos, arb_const_pi, precision);
}

static void ball_atanpi(arb_t y, const arb_t x, slong precision) {
    ball_over_constant(y, x, arb_atan, arb_const_pi, precision);
}

/* |asin z| <= asin |z| <= 1.25 |z| for |z| <= 1/2: its power series has no negative coefficient. */
static void analytic_asin(acb_t y, const acb_t z, slong precision) {
    mag_t size;
    mag_init(size);
    acb_get_mag(size, z);
    if (mag_cmp_2exp_si(size, -1) <= 0) {
        mag_mul_ui(size, size, 5);
        mag_mul_2exp_si(size, size, -2);
        analytic_around(y, 0, size);
    } else {
        analytic_only_where(within_unit(z, precision), acb_asin, y, z, precision);
    }
    mag_clear(size);
}

static void analytic_acos(acb_t y, const acb_t z, slong precision) {
    analytic_only_where(within_unit(z, precision), acb_acos, y, z, precision);
}

void analytic_atan(acb_t y, const acb_t z, slong precision) {
    analytic_only_where(off_imaginary_cuts(z, precision), acb_atan, y, z, precision);
}

static void analytic_asinpi(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_asin, arb_const_pi, precision);
}

static void analytic_acospi(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_acos, arb_const_pi, precision);
}

static void analytic_atanpi(acb_t y, const acb_t z, slong precision) {
    analytic_over_constant(y, z, analytic_atan, arb_const_pi, precision);
}

static const struct operation rows[] = {
    {
        .name = "asin",
        .formula = "arcsin x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_asin,
                    .arb = ARB(.ball = arb_asin, .analytic = analytic_asin),
                    /* asin' >= 1. */
                    .asymptotes =
                        ASYMPTOTES({-1, 1, LINE(1, 0), ASYMPTOTE_OUTWARD}, NAN_OUTSIDE_UNIT),
                    .known_values = "0=0 -0=-0 1=pi/2 -1=-pi/2 1.5=nan -inf=nan"}},
        .platform = {.symbol = "asin"},
        .landmarks = UNIT_ENDS,
    },
    {
        .name = "acos",
        .formula = "arccos x",
        .operands = 1,
        .results = 1,
        .result = {{.is_monotone = true,
                    .mpfr1 = mpfr_acos,
                    .arb = ARB(.ball = arb_acos, .analytic = analytic_acos),
                    .asymptotes = ASYMPTOTES(NAN_OUTSIDE_UNIT),
                    .known_values = "1=0 -1=pi 0=pi/2 -2=nan inf=nan"}},
        .platform = {.symbol = "acos"},
        .landmarks = UNIT_ENDS,
    },
    {
        .name = "atan",
        .formula = "arctan x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .is_monotone = true,
                    .mpfr1 = mpfr_atan,
                    .arb = ARB(.ball = arb_atan, .analytic = analytic_atan),
                    /* atan' <= 1. */
                    .asymptotes = ASYMPTOTES({WHOLE, LINE(1, 0), ASYMPTOTE_INWARD}),
                    .known_values = "0=0 -0=-0 inf=pi/2 -inf=-pi/2 1=pi/4"}},
        .platform = {.symbol = "atan"},
        .landmarks = UNIT_ENDS,
    },
};
OPERATION_FAMILY(inverse, rows);

static const struct operation pi_rows[] = {
    {
        .name = "asinpi",
        .formula = "arcsin(x) / pi",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_asinpi,
                    .arb = ARB(.ball = ball_asinpi, .analytic = analytic_asinpi),
                    .asymptotes = ASYMPTOTES(NAN_OUTSIDE_UNIT),
                    .known_values = "0=0 -0=-0 1=0.5 -1=-0.5 2=nan"}},
        .platform = {.symbol = "asinpi"},
        .landmarks = UNIT_ENDS,
    },
    {
        .name = "acospi",
        .formula = "arccos(x) / pi",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_acospi,
                    .arb = ARB(.ball = ball_acospi, .analytic = analytic_acospi),
                    /* acos(x)/pi = 1/2 - asin(x)/pi. */
                    .asymptotes =
                        ASYMPTOTES({-1, 0, LINE(0, 0.5), ASYMPTOTE_ABOVE},
                                   {0, 1, LINE(0, 0.5), ASYMPTOTE_BELOW}, NAN_OUTSIDE_UNIT),
                    .known_values = "1=0 -1=1 0=0.5 -0=0.5 -2=nan inf=nan"}},
        .platform = {.symbol = "acospi"},
        .landmarks = UNIT_ENDS,
    },
    {
        .name = "atanpi",
        .formula = "arctan(x) / pi",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_atanpi,
                    .arb = ARB(.ball = ball_atanpi, .analytic = analytic_atanpi),
                    /* |atan(x)/pi| < 1/2, rising. */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, -0.5), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 0.5), ASYMPTOTE_BELOW}),
                    .known_values = "0=0 -0=-0 inf=0.5 -inf=-0.5 1=0.25 -1=-0.25"}},
        .platform = {.symbol = "atanpi"},
        .landmarks = UNIT_ENDS,
    },
};
OPERATION_FAMILY(inverse_pi, pi_rows);
