/* erfcx, e^(x^2) erfc x, and erfinv, where erf takes a value.
 *
 * Results are no binary fractions outside the special values: erf and e^(x^2) erfc(x) at algebraic x
 * other than 0 are transcendental (Siegel and Shidlovskii). */
#include "op/function/family.h"

#include <arb_hypgeom.h>

/* e^(t^2) loses LOST_BITS at most. Left of MOST_LEFT the function exceeds 2^23000. */
enum { LOST_BITS = 20, MOST_LEFT = -128 };

/* For t > 0, 1/(t sqrt(pi)) times the sum of (-1)^k (2k-1)!! / (2 t^2)^k, which is off by less than the
 * first term left out (DLMF 7.12(i)). Terms fall until they are below e^(-t^2). */
static void sum_erfcx(arb_t y, const arb_t t, const arb_t square, slong precision) {
    arb_t term, ratio;
    mag_t size;
    arb_init(term);
    arb_init(ratio);
    mag_init(size);
    arb_mul_2exp_si(ratio, square, 1);
    arb_inv(ratio, ratio, precision);
    arb_neg(ratio, ratio);
    arb_zero(y);
    arb_one(term);
    arb_get_mag(size, term);
    for (ulong k = 1; mag_cmp_2exp_si(size, -precision) > 0; k++) {
        arb_add(y, y, term, precision);
        arb_mul(term, term, ratio, precision);
        arb_mul_ui(term, term, 2 * k - 1, precision);
        arb_get_mag(size, term);
    }
    arb_add_error_mag(y, size);
    arb_const_sqrt_pi(term, precision);
    arb_mul(term, term, t, precision);
    arb_div(y, y, term, precision);
    arb_clear(term);
    arb_clear(ratio);
    mag_clear(size);
}

void ball_of_erfcx(arb_t y, const arb_t t, const arb_t square, slong precision) {
    if (arb_is_positive(t) && arf_cmp_si(arb_midref(square), precision) > 0) {
        sum_erfcx(y, t, square, precision);
        return;
    }
    arb_t factor;
    arb_init(factor);
    arb_exp(factor, square, precision + LOST_BITS);
    arb_hypgeom_erfc(y, t, precision + LOST_BITS);
    arb_mul(y, y, factor, precision);
    arb_clear(factor);
}

static void ball_erfcx(arb_t y, const arb_t x, slong precision) {
    arb_t square;
    arb_init(square);
    arb_mul(square, x, x, ARF_PREC_EXACT);
    if (arf_cmp_si(arb_midref(x), MOST_LEFT) < 0) {
        arb_pos_inf(y);
    } else {
        ball_of_erfcx(y, x, square, precision);
    }
    arb_clear(square);
}

static void bracket_erfcx(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    (void)scratch;
    bracket_of_ball(y, x[0], ball_erfcx);
}

static void bracket_erfinv(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    (void)scratch;
    bracket_of_ball(y, x[0], arb_hypgeom_erfinv);
}

static bool special_erfcx(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind == REAL_ZERO)
        return decided(y, real_power_of_two(0));
    if (x->kind == REAL_NAN)
        return decided(y, *x);
    return decided(y, x->negative ? real_infinity(false) : real_zero(false));
}

static bool special_erfinv(struct real *y, const struct real *x) {
    const struct real one = real_power_of_two(0);
    struct real magnitude = *x;
    magnitude.negative = false;
    if (x->kind == REAL_ZERO || x->kind == REAL_NAN)
        return decided(y, *x);
    if (real_is_smaller(&magnitude, &one))
        return false;
    return decided(y, real_is_smaller(&one, &magnitude) ? real_nan() : real_infinity(x->negative));
}

/* The continuation is bounded as erfc's is (error_function.c): e^(z^2) erfc(z) is 2/sqrt(pi) times
 * the integral over t > 0 of e^(-t^2 - 2zt), at most 1, and at most 1/(sqrt(pi) Re z), right of the
 * imaginary axis; left of it 2 e^(z^2) less the same of -z. */
static void analytic_erfcx(acb_t y, const acb_t z, slong precision) {
    mag_t bound, other;
    arf_t least;
    mag_init(bound);
    mag_init(other);
    arf_init(least);
    arb_get_lbound_arf(least, acb_realref(z), precision);
    mag_one(bound);
    if (arf_sgn(least) > 0) {
        arf_get_mag_lower(other, least);
        mag_inv(other, other);
        mag_min(bound, bound, other);
    } else {
        acb_sqr(y, z, precision);
        acb_exp(y, y, precision);
        acb_get_mag(other, y);
        mag_mul_2exp_si(other, other, 1);
        mag_add(bound, bound, other);
    }
    analytic_around(y, 0, bound);
    mag_clear(bound);
    mag_clear(other);
    arf_clear(least);
}

/* Let v = erfinv(x) at the centre x, and r > 0 with q = r (|v| + r) e^(2 |v| r + r^2) < 1. erf'' =
 * -2 w erf', and |erf'(w)| <= erf'(v) e^(2 |v| r + r^2) where |w - v| <= r; so on that circle
 * |erf(w) - x - erf'(v) (w - v)| <= q r erf'(v). By Rouche's theorem erf takes each value within
 * (1 - q) r erf'(v) of x just once in the circle: erfinv is analytic there, and at most |v| + r.
 * r is what the ball needs with q < 1/2. */
static void analytic_erfinv(acb_t y, const acb_t z, slong precision) {
    arb_t centre, slope, radius, q, t;
    arb_init(centre);
    arb_init(slope);
    arb_init(radius);
    arb_init(q);
    arb_init(t);
    arb_set_arf(t, arb_midref(acb_realref(z)));
    arb_hypgeom_erfinv(centre, t, precision);
    arb_abs(centre, centre);
    arb_sqr(slope, centre, precision); /* 2/sqrt(pi) e^(-v^2) */
    arb_neg(slope, slope);
    arb_exp(slope, slope, precision);
    arb_const_sqrt_pi(t, precision);
    arb_div(slope, slope, t, precision);
    arb_mul_2exp_si(slope, slope, 1);
    /* The corners of the square are within 3/2 of its half-width; r = 3 half-widths / slope. */
    arf_set_mag(arb_midref(radius), arb_radref(acb_realref(z)));
    mag_zero(arb_radref(radius));
    arb_mul_ui(radius, radius, 3, precision);
    arb_div(radius, radius, slope, precision);
    arb_mul_2exp_si(t, centre, 1);
    arb_add(t, t, radius, precision);
    arb_mul(t, t, radius, precision);
    arb_exp(t, t, precision);
    arb_add(q, centre, radius, precision);
    arb_mul(t, t, q, precision);
    arb_mul(t, t, radius, precision);
    arb_mul_2exp_si(t, t, 1);
    arb_sub_ui(t, t, 1, precision);
    if (arb_is_negative(t)) {
        mag_t bound;
        mag_init(bound);
        arb_get_mag(bound, q);
        analytic_around(y, 0, bound);
        mag_clear(bound);
    } else {
        acb_indeterminate(y);
    }
    arb_clear(centre);
    arb_clear(slope);
    arb_clear(radius);
    arb_clear(q);
    arb_clear(t);
}

static const struct operation rows[] = {
    {
        .name = "erfcx",
        .formula = "e^(x^2) * erfc x",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_erfcx,
                    .special = special_erfcx,
                    .arb = ARB(.ball = ball_erfcx, .analytic = analytic_erfcx),
                    /* It falls from infinity through 1 at 0 to 0. */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, 1), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW},
                                             {LEFT, LINE(0, INFINITY), ASYMPTOTE_BELOW}),
                    .known_values = "0=1 -0=1 inf=0 -inf=inf"}},
        .landmarks = "1 -3.2 -9.38 -26.64",
    },
    {
        .name = "erfinv",
        .formula = "the y with erf y = x",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .bracket = bracket_erfinv,
                    .special = special_erfinv,
                    .arb = ARB(.ball = arb_hypgeom_erfinv, .analytic = analytic_erfinv),
                    .asymptotes = ASYMPTOTES(NAN_OUTSIDE_UNIT),
                    .known_values = "0=0 -0=-0 1=inf -1=-inf 2=nan -inf=nan"}},
        .landmarks = "0.5 1 -1 0.8427007929497149",
    },
};
OPERATION_FAMILY(erfcx, rows);
