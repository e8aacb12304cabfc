/* Bessel functions: j0, j1, y0 and y1 of POSIX, and i0, i1, i0e, i1e, which statistics use.
 *
 * MPFR has those of POSIX. Arb encloses the modified ones; their values at algebraic numbers other
 * than 0, and the products with e^-|x|, are transcendental (Siegel), so no binary fractions.
 *
 * Where arguments are so large that blocks of them span swings, the fast oracle has an expansion
 * (oracle/fast/hankel.h). jn and yn are in bessel_order.c. */
#include "op/function/bessel_bound.h"
#include "op/function/family.h"

#include <arb_hypgeom.h>

static void bessel(arb_t y, const arb_t x, ulong order,
                   void (*function)(arb_t, const arb_t, const arb_t, slong), slong precision) {
    arb_t nu;
    arb_init(nu);
    arb_set_ui(nu, order);
    function(y, nu, x, precision);
    arb_clear(nu);
}

/* I_0 and I_1 exceed 2^20000 from there on. */
enum { MODIFIED_OVERFLOW_LOG2 = 14 };

static void modified(arb_t y, const arb_t x, ulong order, bool scaled, slong precision) {
    arb_t magnitude;
    arb_init(magnitude);
    arb_abs(magnitude, x);
    if (!scaled && arf_cmp_2exp_si(arb_midref(magnitude), MODIFIED_OVERFLOW_LOG2) >= 0) {
        arb_one(y);
        arb_mul_2exp_si(y, y, 2 * INTERVAL_DECIDED_BY_SIZE);
    } else {
        bessel(y, magnitude, order, scaled ? arb_hypgeom_bessel_i_scaled : arb_hypgeom_bessel_i,
               precision);
    }
    if (order == 1 && arb_is_negative(x))
        arb_neg(y, y);
    arb_clear(magnitude);
}

#define BALL(NAME, CALL)                                                                           \
    static void ball_##NAME(arb_t y, const arb_t x, slong precision) {                             \
        CALL;                                                                                      \
    }
BALL(i0, modified(y, x, 0, false, precision))
BALL(i1, modified(y, x, 1, false, precision))
BALL(i0e, modified(y, x, 0, true, precision))
BALL(i1e, modified(y, x, 1, true, precision))

#define BRACKET(NAME)                                                                              \
    static void bracket_##NAME(struct interval *y, mpfr_srcptr const *x,                           \
                               struct interval *scratch) {                                         \
        (void)scratch;                                                                             \
        bracket_of_ball(y, x[0], ball_##NAME);                                                     \
    }
BRACKET(i0)
BRACKET(i1)
BRACKET(i0e)
BRACKET(i1e)

static bool special_i0(struct real *y, const struct real *x) {
    if (x->kind == REAL_ZERO)
        return decided(y, real_power_of_two(0));
    if (x->kind == REAL_INFINITE)
        return decided(y, real_infinity(false));
    return x->kind == REAL_NAN && decided(y, *x);
}

static bool special_i1(struct real *y, const struct real *x) {
    return x->kind != REAL_FINITE && decided(y, *x);
}

static bool special_i0e(struct real *y, const struct real *x) {
    if (x->kind == REAL_ZERO)
        return decided(y, real_power_of_two(0));
    if (x->kind == REAL_INFINITE)
        return decided(y, real_zero(false));
    return x->kind == REAL_NAN && decided(y, *x);
}

static bool special_i1e(struct real *y, const struct real *x) {
    if (x->kind == REAL_INFINITE)
        return decided(y, real_zero(x->negative));
    return x->kind != REAL_FINITE && decided(y, *x);
}

#define ANALYTIC(NAME, CALL)                                                                       \
    static void analytic_##NAME(acb_t y, const acb_t z, slong precision) {                         \
        (void)precision;                                                                           \
        CALL;                                                                                      \
    }
ANALYTIC(j0, bessel_analytic_j(y, z, 0))
ANALYTIC(j1, bessel_analytic_j(y, z, 1))
ANALYTIC(y0, bessel_analytic_y(y, z, 0, precision))
ANALYTIC(y1, bessel_analytic_y(y, z, 1, precision))
ANALYTIC(i0, bessel_analytic_i(y, z, 0))
ANALYTIC(i1, bessel_analytic_i(y, z, 1))
ANALYTIC(i0e, bessel_analytic_i_scaled(y, z, 0, precision))
ANALYTIC(i1e, bessel_analytic_i_scaled(y, z, 1, precision))

/* J_0 falls from 1 until 3.8, J_1 lies below x/2 and their distance grows while J_1' < 1/2: until
 * its first zero at least. Y_1 rises from -infinity until 3.6. */
static const struct asymptote j0_asymptotes[] = {{-3, 0, LINE(0, 1), ASYMPTOTE_BELOW},
                                                 {0, 3, LINE(0, 1), ASYMPTOTE_BELOW},
                                                 {.side = ASYMPTOTE_END}};
static const struct asymptote j1_asymptotes[] = {{-1, 1, LINE(0.5, 0), ASYMPTOTE_INWARD},
                                                 {.side = ASYMPTOTE_END}};
static const struct asymptote even_asymptotes[] = {{LEFT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                                   {RIGHT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                                   {LEFT, LINE(0, INFINITY), ASYMPTOTE_BELOW},
                                                   OVERFLOWS_RIGHT,
                                                   {.side = ASYMPTOTE_END}};

/* Odd; MPFR has +0 at -infinity. */
static bool special_j1(struct real *y, const struct real *x) {
    return x->kind == REAL_INFINITE && decided(y, real_zero(x->negative));
}

#define J_ENDS "2.404825557695773 3.8317059702075125 5.520078110286311 7.015586669815619 1"
#define Y_ENDS "0.8935769662791675 2.197141326031017 3.9576784193148575 5.429681040794135 1"
static const struct operation rows[] = {
    {
        .name = "j0",
        .formula = "Bessel's J_0(x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_EVEN,
                    .mpfr1 = mpfr_j0,
                    .arb = ARB(.analytic = analytic_j0),
                    .asymptotes = j0_asymptotes,
                    .reduction = REDUCTION_J0,
                    .partly = true,
                    .known_values = "0=1 -0=1 inf=0 -inf=0"}},
        .platform = {.symbol = "j0"},
        .landmarks = J_ENDS,
    },
    {
        .name = "j1",
        .formula = "Bessel's J_1(x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr_j1,
                    .special = special_j1,
                    .arb = ARB(.analytic = analytic_j1),
                    .asymptotes = j1_asymptotes,
                    .reduction = REDUCTION_J1,
                    .partly = true,
                    .known_values = "0=0 -0=-0 inf=0 -inf=-0"}},
        .platform = {.symbol = "j1"},
        .landmarks = J_ENDS,
    },
    {
        .name = "y0",
        .formula = "Bessel's Y_0(x)",
        .operands = 1,
        .results = 1,
        .errno_is_open = true,
        .result = {{.mpfr1 = mpfr_y0,
                    .arb = ARB(.analytic = analytic_y0),
                    .reduction = REDUCTION_Y0,
                    .asymptotes = ASYMPTOTES(NAN_BETWEEN(-INFINITY, 0)),
                    .partly = true,
                    .known_values = "0=-inf -0=-inf inf=0 -1=nan -inf=nan"}},
        .platform = {.symbol = "y0"},
        .landmarks = Y_ENDS,
    },
    {
        .name = "y1",
        .formula = "Bessel's Y_1(x)",
        .operands = 1,
        .results = 1,
        .errno_is_open = true,
        .result = {{.mpfr1 = mpfr_y1,
                    .arb = ARB(.analytic = analytic_y1),
                    .reduction = REDUCTION_Y1,
                    .asymptotes = ASYMPTOTES({0, 1, LINE(0, -INFINITY), ASYMPTOTE_ABOVE},
                                             NAN_BETWEEN(-INFINITY, 0)),
                    .partly = true,
                    .known_values = "0=-inf -0=-inf inf=0 -1=nan -inf=nan"}},
        .platform = {.symbol = "y1"},
        .landmarks = Y_ENDS,
    },
    {
        .name = "i0",
        .formula = "the modified Bessel function I_0(x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_EVEN,
                    .bracket = bracket_i0,
                    .special = special_i0,
                    .arb = ARB(.ball = ball_i0, .analytic = analytic_i0),
                    .asymptotes = even_asymptotes,
                    .known_values = "0=1 -0=1 inf=inf -inf=inf"}},
        .landmarks = "1 14.4 92 714",
    },
    {
        .name = "i1",
        .formula = "the modified Bessel function I_1(x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .bracket = bracket_i1,
                    .special = special_i1,
                    .arb = ARB(.ball = ball_i1, .analytic = analytic_i1),
                    .asymptotes =
                        ASYMPTOTES({WHOLE, LINE(0.5, 0), ASYMPTOTE_OUTWARD},
                                   {LEFT, LINE(0, -INFINITY), ASYMPTOTE_ABOVE}, OVERFLOWS_RIGHT),
                    .known_values = "0=0 -0=-0 inf=inf -inf=-inf"}},
        .landmarks = "1 14.4 92 714",
    },
    {
        .name = "i0e",
        .formula = "e^-|x| I_0(x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_EVEN,
                    .bracket = bracket_i0e,
                    .special = special_i0e,
                    .arb = ARB(.ball = ball_i0e, .analytic = analytic_i0e),
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, 1), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}),
                    .known_values = "0=1 -0=1 inf=0 -inf=0"}},
        .landmarks = "1 8",
    },
    {
        .name = "i1e",
        .formula = "e^-|x| I_1(x)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .bracket = bracket_i1e,
                    .special = special_i1e,
                    .arb = ARB(.ball = ball_i1e, .analytic = analytic_i1e),
                    .asymptotes = ASYMPTOTES({-0.125, 0.125, LINE(0.5, 0), ASYMPTOTE_INWARD}),
                    .known_values = "0=0 -0=-0 inf=0 -inf=-0"}},
        .landmarks = "1 8",
    },
};
OPERATION_FAMILY(bessel, rows);
