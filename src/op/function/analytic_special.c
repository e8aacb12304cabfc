/* Continuations of the error and gamma functions. What the fast oracle needs of them is their
 * magnitude; where an inequality bounds it in a few steps, a ball of that radius is the enclosure.
 */
#include "op/function/pole_rule.h"

/* y = the square of that half-width around an integer. */
static void around(acb_t y, slong centre, const mag_t radius) {
    acb_set_si(y, centre);
    mag_set(arb_radref(acb_realref(y)), radius);
    mag_set(arb_radref(acb_imagref(y)), radius);
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
        around(y, 0, bound);
    } else if (arb_is_nonpositive(acb_realref(z))) {
        around(y, 2, bound);
    } else {
        mag_add_ui(bound, bound, 1);
        around(y, 1, bound);
    }
    mag_clear(bound);
}

/* Near 0 the integral of 2/sqrt(pi) e^(-t^2) from 0 to z: at most 1.13 e |z| for |z| <= 1.
 * Elsewhere 1 - erfc(z), or erfc(-z) - 1. */
void analytic_erf(acb_t y, const acb_t z, slong precision) {
    mag_t bound;
    mag_init(bound);
    acb_get_mag(bound, z);
    if (mag_cmp_2exp_si(bound, 0) <= 0) {
        mag_mul_2exp_si(bound, bound, 2);
        around(y, 0, bound);
    } else {
        gaussian(bound, z, precision);
        int right = arb_is_nonnegative(acb_realref(z)), left = arb_is_nonpositive(acb_realref(z));
        if (!right && !left)
            mag_add_ui(bound, bound, 1);
        around(y, right - left, bound);
    }
    mag_clear(bound);
}

/* z/2 * erfc(-z / sqrt(2)). */
void analytic_gelu(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    arb_t root;
    acb_init(w);
    arb_init(root);
    arb_sqrt_ui(root, 2, precision);
    acb_div_arb(w, z, root, precision);
    acb_neg(w, w);
    analytic_erfc(y, w, precision);
    acb_mul(y, y, z, precision);
    acb_mul_2exp_si(y, y, -1);
    acb_clear(w);
    arb_clear(root);
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
    return x > 0.5 - MOST_STEPS ? (int)(1.5 - x) : MOST_STEPS + 1;
}

enum { NO_STEP = -1 };

/* |gamma(z)| <= gamma(Re z) right of 0, by Euler's integral, and gamma(z) = gamma(z + n) / (z (z +
 * 1) ... (z + n - 1)). A divisor that may be zero makes the bound infinite. One that is left out
 * leaves gamma times z + that number, which is analytic around its zero too. */
static void bound_gamma(acb_t y, const acb_t z, int left_out, slong precision) {
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
        around(y, 0, bound);
    }
    acb_clear(w);
    mag_clear(bound);
    mag_clear(divisor);
}

void analytic_tgamma(acb_t y, const acb_t z, slong precision) {
    bound_gamma(y, z, NO_STEP, precision);
}

/* n of the integer -n nearest to the ball's centre; NO_STEP right of -1/2. Inlined, gcc 12 takes
 * the ball for its first member, and warns of reading beyond that. */
__attribute__((noinline)) static int nearest_pole(const acb_t z) {
    double centre = arf_get_d(arb_midref(acb_realref(z)), ARF_RND_NEAR);
    return centre < -0.5 && centre > -0x1p20 ? (int)(0.5 - centre) : NO_STEP;
}

/* left_out >= steps only where the ball lies right of the pole by 1/2 and more. */
static void tgamma_without_pole(acb_t y, const acb_t z, slong precision) {
    int pole = nearest_pole(z);
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
    around(y, 0, bound);
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

/* ln|gamma(x)| left of 0 is ln(pi / |sin(pi x)|) - lgamma(1 - x); the sign of the sine is that at
 * the centre, and the logarithm tells when the ball reaches a zero of it. */
static void lgamma_reflected(acb_t y, const acb_t z, slong precision) {
    acb_t sine, rest;
    acb_init(sine);
    acb_init(rest);
    acb_sin_pi(sine, z, precision);
    acb_neg(y, z);
    acb_add_ui(y, y, 1, precision);
    analytic_lgamma(rest, y, precision);
    arb_const_pi(acb_realref(y), precision);
    arb_zero(acb_imagref(y));
    acb_log_analytic(y, y, 1, precision);
    subtract_log(y, sine, precision);
    acb_sub(y, y, rest, precision);
    acb_clear(sine);
    acb_clear(rest);
}

void analytic_lgamma(acb_t y, const acb_t z, slong precision) {
    mag_t size;
    arb_t four;
    mag_init(size);
    arb_init(four);
    arb_set_ui(four, 4);
    acb_get_mag(size, z);
    if (!arb_contains_zero(acb_realref(z)) && mag_cmp_2exp_si(size, -2) <= 0)
        lgamma_near_zero(y, z, size, precision);
    else if (arb_ge(acb_realref(z), four))
        lgamma_far_right(y, z, size, precision);
    else if (steps_to_right(z) <= MOST_STEPS)
        lgamma_by_steps(y, z, steps_to_right(z), precision);
    else if (arb_is_negative(acb_realref(z)))
        lgamma_reflected(y, z, precision);
    else
        acb_indeterminate(y);
    mag_clear(size);
    arb_clear(four);
}

/* ln|(z + n) gamma(z)| = ln(w / |sin(pi w) / pi|) - lgamma(1 - z) with w = z + n, by reflection;
 * the quotient, 1 / sinc(pi w), has no pole and no zero for |Re w| < 1. */
static void lgamma_without_pole(acb_t y, const acb_t z, slong precision) {
    int pole = nearest_pole(z);
    if (pole == NO_STEP) {
        acb_indeterminate(y);
        return;
    }
    acb_t sinc, rest;
    acb_init(sinc);
    acb_init(rest);
    acb_add_ui(sinc, z, (ulong)pole, precision);
    acb_sinc_pi(sinc, sinc, precision);
    acb_neg(y, z);
    acb_add_ui(y, y, 1, precision);
    analytic_lgamma(rest, y, precision);
    acb_log_analytic(y, sinc, 1, precision);
    acb_add(y, y, rest, precision);
    acb_neg(y, y);
    acb_clear(sinc);
    acb_clear(rest);
}

const struct pole_rule poles_tgamma = {tgamma_without_pole, false};
const struct pole_rule poles_lgamma = {lgamma_without_pole, true};
