/* tgamma, and lgamma with its poles taken away: what the fast oracle needs of a function is its
 * magnitude, which Euler's integral, Stirling's formula and the reflection bound in a few steps. */
#include "op/function/family.h"

#include <arb_hypgeom.h>

#define POLES "1 2 3 4 12 34 35.04 170.6 -0.5 -1 -2 -3 -4 -10 -42 -177 -184 1.4616321449683623"

static int mpfr1_lgamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    int sign;
    return mpfr_lgamma(y, &sign, x, rounding);
}

/* From 2^12 on, gamma(x) >= 4095! > (4095/e)^4095 > 2^43000: a quarter of fp32's positive numbers.
 */
static void ball_tgamma(arb_t y, const arb_t x, slong precision) {
    if (arf_cmp_2exp_si(arb_midref(x), 12) >= 0)
        arb_pos_inf(y);
    else if (arb_is_nonpositive(x) && arb_is_int(x))
        arb_indeterminate(y);
    else
        arb_hypgeom_gamma(y, x, precision);
}

/* Left of 0 as the logarithm of |gamma|, which loses bits around the zeros and no rigour. */
static void ball_lgamma(arb_t y, const arb_t x, slong precision) {
    if (arb_is_positive(x)) {
        arb_hypgeom_lgamma(y, x, precision);
        return;
    }
    ball_tgamma(y, x, precision);
    arb_abs(y, y);
    arb_log(y, y, precision);
}

/* A bound on gamma over a real interval right of 0, where gamma is convex: its value at an end. */
static void gamma_at_ends(mag_t bound, const arb_t x, slong precision) {
    arb_t end;
    mag_t other;
    arb_init(end);
    mag_init(other);
    arb_get_lbound_arf(arb_midref(end), x, precision);
    arb_gamma(end, end, precision);
    arb_get_mag(bound, end);
    arb_get_ubound_arf(arb_midref(end), x, precision);
    mag_zero(arb_radref(end));
    arb_gamma(end, end, precision);
    arb_get_mag(other, end);
    mag_max(bound, bound, other);
    arb_clear(end);
    mag_clear(other);
}

enum { MOST_STEPS = 64 };

/* How many steps to the right bring all of the ball beyond 1/2; MOST_STEPS + 1 if more than that.
 */
static int steps_to_right(const acb_t z) {
    arf_t least;
    arf_init(least);
    arb_get_lbound_arf(least, acb_realref(z), 32);
    double x = arf_get_d(least, ARF_RND_DOWN);
    arf_clear(least);
    if (x >= 0.5)
        return 0;
    return x > 0.5 - (double)MOST_STEPS ? (int)(1.5 - x) : MOST_STEPS + 1;
}

enum { NO_STEP = -1 };

/* |gamma(z)| <= gamma(Re z) right of 0, by Euler's integral, and gamma(z) = gamma(z + n) / (z (z +
 * 1) ... (z + n - 1)). A divisor that may be zero makes the bound infinite. One that is left out
 * leaves gamma times z + that number, which is analytic around its zero too. */
static void bound_gamma(acb_t y, const acb_t z, slong left_out, slong precision) {
    int steps = steps_to_right(z);
    mag_t bound, divisor;
    acb_t w;
    mag_init(bound);
    mag_init(divisor);
    acb_init(w);
    acb_add_ui(w, z, (ulong)steps, precision);
    if (steps > MOST_STEPS || left_out >= steps) {
        if (left_out == NO_STEP)
            acb_gamma(y, z, precision);
        else
            acb_indeterminate(y);
    } else {
        gamma_at_ends(bound, acb_realref(w), precision);
        for (int i = 0; i < steps; i++) {
            if (i == left_out)
                continue;
            acb_add_ui(w, z, (ulong)i, precision);
            acb_get_mag_lower(divisor, w);
            mag_div(bound, bound, divisor);
        }
        analytic_around(y, 0, bound);
    }
    acb_clear(w);
    mag_clear(bound);
    mag_clear(divisor);
}

static void analytic_tgamma(acb_t y, const acb_t z, slong precision) {
    bound_gamma(y, z, NO_STEP, precision);
}

/* n of the integer -n nearest to the ball's centre; NO_STEP right of -1/2. Inlined, gcc 12 takes
 * the ball for its first member, and warns of reading beyond that. */
__attribute__((noinline)) static slong nearest_pole(const acb_t z) {
    double centre = arf_get_d(arb_midref(acb_realref(z)), ARF_RND_NEAR);
    return centre < -0.5 && centre > -0x1p52 ? (slong)(0.5 - centre) : NO_STEP;
}

/* left_out >= steps only where the ball lies right of the pole by 1/2 and more. */
static void tgamma_without_pole(acb_t y, const acb_t z, slong precision) {
    slong pole = nearest_pole(z);
    if (pole == NO_STEP)
        acb_indeterminate(y);
    else
        bound_gamma(y, z, pole, precision);
}

/* y -= ln|x| continued: of z or -z, whichever lies right. */
static void subtract_log(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    acb_init(w);
    acb_set(w, z);
    if (arf_sgn(arb_midref(acb_realref(z))) < 0)
        acb_neg(w, w);
    acb_log_analytic(w, w, 1, precision);
    acb_sub(y, y, w, precision);
    acb_clear(w);
}

/* ln|gamma(x)| = -ln|x| + ln gamma(1 + x), and for |x| <= 1/4 the last term is, by its power
 * series, at most 0.58 |x| + 0.83 |x|^2 / (1 - |x|) < |x|. */
static void lgamma_near_zero(acb_t y, const acb_t z, const mag_t size, slong precision) {
    acb_zero(y);
    subtract_log(y, z, precision);
    acb_add_error_mag(y, size);
}

/* Stirling: (z - 1/2) ln z - z + ln(2 pi)/2 and a remainder below 1/6 for Re z >= 1; in all at most
 * (|z| + 1) (|ln z| + 2). */
static void lgamma_far_right(acb_t y, const acb_t z, const mag_t size, slong precision) {
    mag_t bound, factor;
    mag_init(bound);
    mag_init(factor);
    acb_log_analytic(y, z, 1, precision);
    acb_get_mag(bound, y);
    mag_add_ui(bound, bound, 2);
    mag_add_ui(factor, size, 1);
    mag_mul(bound, bound, factor);
    analytic_around(y, 0, bound);
    mag_clear(bound);
    mag_clear(factor);
}

/* ln|gamma(x)| = ln gamma(x + n) - ln|x| - ... - ln|x + n - 1|. */
static void lgamma_by_steps(acb_t y, const acb_t z, int steps, slong precision) {
    acb_t w;
    acb_init(w);
    acb_add_ui(w, z, (ulong)steps, precision);
    acb_lgamma(y, w, precision);
    for (int i = 0; i < steps; i++) {
        acb_add_ui(w, z, (ulong)i, precision);
        subtract_log(y, w, precision);
    }
    acb_clear(w);
}

static void analytic_lgamma(acb_t y, const acb_t z, slong precision) {
    mag_t size;
    arb_t four;
    mag_init(size);
    arb_init(four);
    arb_set_ui(four, 4);
    acb_get_mag(size, z);
    if (acb_contains_zero(z))
        acb_indeterminate(y);
    else if (!arb_contains_zero(acb_realref(z)) && mag_cmp_2exp_si(size, -2) <= 0)
        lgamma_near_zero(y, z, size, precision);
    else if (arb_ge(acb_realref(z), four))
        lgamma_far_right(y, z, size, precision);
    else if (steps_to_right(z) <= MOST_STEPS)
        lgamma_by_steps(y, z, steps_to_right(z), precision);
    else
        acb_indeterminate(y);
    mag_clear(size);
    arb_clear(four);
}

/* Left of 0, ln|gamma(x)| = ln(pi / |sin(pi x)|) - lgamma(1 - x). These are the two parts; the sign of
 * the sine is that at the centre, and the logarithm tells when the ball reaches a zero of it. */
static void lgamma_periodic(acb_t y, const acb_t z, slong precision) {
    acb_t sine;
    acb_init(sine);
    acb_sin_pi(sine, z, precision);
    arb_const_pi(acb_realref(y), precision);
    arb_zero(acb_imagref(y));
    acb_log_analytic(y, y, 1, precision);
    subtract_log(y, sine, precision);
    acb_clear(sine);
}

static void lgamma_mirrored(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    acb_init(w);
    acb_neg(w, z);
    acb_add_ui(w, w, 1, precision);
    analytic_lgamma(y, w, precision);
    acb_clear(w);
}

/* Without the pole, ln(w / |sin(pi w) / pi|) with w = z + n: the quotient, 1 / sinc(pi w), has no pole
 * and no zero for |Re w| < 1. */
static void lgamma_periodic_without_pole(acb_t y, const acb_t z, slong precision) {
    slong pole = nearest_pole(z);
    if (pole == NO_STEP) {
        acb_indeterminate(y);
        return;
    }
    acb_add_ui(y, z, (ulong)pole, precision);
    acb_sinc_pi(y, y, precision);
    acb_log_analytic(y, y, 1, precision);
}

/* gamma rises right of 1.47, falls from 0 to 1, and falls from -1/2 to 0; at negative integers,
 * which all fp32 numbers below -2^23 are, it is NaN. Elsewhere left of -47 it is pi / (sin(pi x)
 * gamma(1 - x)): with the distance of x to the next integer at least an ulp, 2^-18 for |x| < 64,
 * |sin(pi x)| >= 2^-17, and gamma(48) > 2^197, so that |gamma(x)| < 2^-178, and 2^-173 is 2^-24 of
 * the smallest subnormal; for larger |x| the ulp doubles with the binade while gamma(1 - x) grows
 * by far more. The sign is that of sin(pi x):
 * minus for -49 < x < -48, where floor(x) is odd. In fp64 the integers begin at -2^52. Left of -200
 * an ulp is 2^-45 at least, |sin(pi x)| >= 2^-44 there, and gamma(201) > 2^1245: so |gamma(x)| <
 * 2^-1199, far below 2^-24 of the smallest subnormal, 2^-1098. */
static const struct asymptote tgamma_asymptotes[] = {
    {2, INFINITY, LINE(0, INFINITY), ASYMPTOTE_BELOW},
    {0, 1, LINE(0, INFINITY), ASYMPTOTE_BELOW},
    {-0.5, 0, LINE(0, -INFINITY), ASYMPTOTE_ABOVE},
    {-INFINITY, -0x1p23, LINE(0, NAN), ASYMPTOTE_EXACT, .most_precision = 24},
    {-INFINITY, -0x1p52, LINE(0, NAN), ASYMPTOTE_EXACT},
    {-0x1p23, -47, LINE(0, 0), ASYMPTOTE_ALTERNATING, .most_precision = 24},
    {-0x1p52, -200, LINE(0, 0), ASYMPTOTE_ALTERNATING},
    {.side = ASYMPTOTE_END}};

static bool special_digamma(struct real *y, const struct real *x) {
    if (x->kind == REAL_ZERO)
        return decided(y, real_infinity(!x->negative));
    if (x->kind == REAL_NAN || (x->kind == REAL_INFINITE && x->negative))
        return decided(y, real_nan());
    return x->kind == REAL_INFINITE && decided(y, *x);
}

/* Arb's balls left of 0 are not finite for wide arguments: psi(z) = psi(z + n) - 1/z - ... - 1/(z + n - 1). */
static void analytic_digamma(acb_t y, const acb_t z, slong precision) {
    enum { LEFT_MOST = -64 };
    arf_srcptr middle = arb_midref(acb_realref(z));
    acb_digamma(y, z, precision);
    if (acb_is_finite(y) || !acb_is_finite(z) || arf_cmp_si(middle, 1) > 0 ||
        arf_cmp_si(middle, LEFT_MOST) < 0)
        return;
    ulong shifts = (ulong)(2 - arf_get_si(middle, ARF_RND_FLOOR));
    acb_t at, part;
    acb_init(at);
    acb_init(part);
    acb_add_ui(at, z, shifts, precision);
    acb_digamma(y, at, precision);
    for (ulong i = 0; i < shifts; i++) {
        acb_add_ui(at, z, i, precision);
        acb_inv(part, at, precision);
        acb_sub(y, y, part, precision);
    }
    acb_clear(at);
    acb_clear(part);
}

static const struct operation rows[] = {
    {
        .name = "tgamma",
        .formula = "gamma(x)",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_gamma,
                    .arb = ARB(.ball = ball_tgamma, .analytic = analytic_tgamma),
                    .asymptotes = tgamma_asymptotes,
                    .poles = &(const struct pole_rule){.without_pole = {tgamma_without_pole}},
                    .known_values = "0=inf -0=-inf -1=nan -2=nan -0x1p1000=nan -inf=nan inf=inf "
                                    "1=1 2=1 5=24 18=355687428096000"}},
        .platform = {.symbol = "tgamma"},
        .landmarks = POLES,
    },
    {
        .name = "lgamma",
        .formula = "ln|gamma(x)|",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr1_lgamma,
                    .arb = ARB(.ball = ball_lgamma, .analytic = analytic_lgamma),
                    .asymptotes =
                        ASYMPTOTES({2, INFINITY, LINE(0, INFINITY), ASYMPTOTE_BELOW},
                                   {-INFINITY, -0x1p23, LINE(0, INFINITY), ASYMPTOTE_EXACT,
                                    .most_precision = 24},
                                   {-INFINITY, -0x1p52, LINE(0, INFINITY), ASYMPTOTE_EXACT}),
                    .reduction = REDUCTION_REFLECTION,
                    .poles =
                        &(const struct pole_rule){
                            .logarithmic = true,
                            .without_pole = {lgamma_periodic_without_pole, lgamma_mirrored},
                            .left = {lgamma_periodic, lgamma_mirrored}},
                    .known_values = "1=0 2=0 0=inf -0=inf -1=inf -2=inf -0x1p1000=inf inf=inf "
                                    "-inf=inf"}},
        .platform = {.symbol = "lgamma"},
        .landmarks = POLES " -2.4570247382208006",
    },
    {
        .name = "digamma",
        .aliases = "psi",
        .formula = "the derivative of ln|gamma(x)|",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr_digamma,
                    .special = special_digamma,
                    .arb = ARB(.ball = arb_digamma, .analytic = analytic_digamma),
                    .reduction = REDUCTION_COTANGENT,
                    .asymptotes = ASYMPTOTES(
                        {-INFINITY, -0x1p23, LINE(0, NAN), ASYMPTOTE_EXACT, .most_precision = 24},
                        {-INFINITY, -0x1p52, LINE(0, NAN), ASYMPTOTE_EXACT}),
                    .partly = true,
                    .known_values = "0=-inf -0=inf -1=nan -2=nan -0x1p1000=nan inf=inf -inf=nan"}},
        .landmarks = "1 2 1.4616321449683623 -0.5040830082644554 -1 -2 -3",
    },
};
OPERATION_FAMILY(gamma, rows);
