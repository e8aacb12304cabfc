/* erf and erfc. */
#include "op/function/family.h"

#include <arb_hypgeom.h>

static void ball_erf(arb_t y, const arb_t x, slong precision) {
    arb_hypgeom_erf(y, x, precision);
}

static void ball_erfc(arb_t y, const arb_t x, slong precision) {
    arb_hypgeom_erfc(y, x, precision);
}

/* |e^(-z^2)|. */
static void gaussian(mag_t bound, const acb_t z, slong precision) {
    acb_t w;
    acb_init(w);
    acb_sqr(w, z, precision);
    acb_neg(w, w);
    acb_exp(w, w, precision);
    acb_get_mag(bound, w);
    acb_clear(w);
}

/* e^(z^2) erfc(z) = 2/sqrt(pi) times the integral over t > 0 of e^(-t^2 - 2zt), so that |erfc(z)|
 * <= |e^(-z^2)| right of the imaginary axis; left of it erfc(z) = 2 - erfc(-z). */
void analytic_erfc(acb_t y, const acb_t z, slong precision) {
    mag_t bound;
    mag_init(bound);
    gaussian(bound, z, precision);
    if (arb_is_nonnegative(acb_realref(z))) {
        analytic_around(y, 0, bound);
    } else if (arb_is_nonpositive(acb_realref(z))) {
        analytic_around(y, 2, bound);
    } else {
        mag_add_ui(bound, bound, 1);
        analytic_around(y, 1, bound);
    }
    mag_clear(bound);
}

/* Near 0 the integral of 2/sqrt(pi) e^(-t^2) from 0 to z: at most 1.13 e |z| for |z| <= 1.
 * Elsewhere 1 - erfc(z), or erfc(-z) - 1. */
static void analytic_erf(acb_t y, const acb_t z, slong precision) {
    mag_t bound;
    mag_init(bound);
    acb_get_mag(bound, z);
    if (mag_cmp_2exp_si(bound, 0) <= 0) {
        mag_mul_2exp_si(bound, bound, 2);
        analytic_around(y, 0, bound);
    } else {
        gaussian(bound, z, precision);
        int right = arb_is_nonnegative(acb_realref(z)), left = arb_is_nonpositive(acb_realref(z));
        if (!right && !left)
            mag_add_ui(bound, bound, 1);
        analytic_around(y, right - left, bound);
    }
    mag_clear(bound);
}

static const struct operation rows[] = {
    {
        .name = "erf",
        .formula = "erf x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_erf,
                    .arb = ARB(.ball = ball_erf, .analytic = analytic_erf),
                    /* |erf| < 1, rising. */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, -1), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}),
                    .known_values = "0=0 -0=-0 inf=1 -inf=-1"}},
        .platform = {.symbol = "erf"},
        .landmarks = "1 2.4 3.92 5.92",
    },
    {
        .name = "erfc",
        .formula = "1 - erf x",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_erfc,
                    .arb = ARB(.ball = ball_erfc, .analytic = analytic_erfc),
                    /* 1 - erf falls from 2 through 1 at 0 to 0. */
                    .asymptotes = ASYMPTOTES(
                        {LEFT, LINE(0, 1), ASYMPTOTE_ABOVE}, {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW},
                        {LEFT, LINE(0, 2), ASYMPTOTE_BELOW}, {RIGHT, LINE(0, 0), ASYMPTOTE_ABOVE}),
                    .known_values = "0=1 -0=1 inf=0 -inf=2"}},
        .platform = {.symbol = "erfc"},
        .landmarks = "1 3.5 9.19 10.06 26.54 27.23 -3.9 -5.8",
    },
};
OPERATION_FAMILY(error_function, rows);
