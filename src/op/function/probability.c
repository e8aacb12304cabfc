/* The normal distribution: ndtr and log_ndtr; and the logarithm of odds, logit.
 *
 * Results are no binary fractions outside the special values: erf at algebraic x other than 0 is
 * transcendental (Siegel and Shidlovskii), and so is ln of rational odds other than 1 (Lindemann).
 * log_ndtr(x) = c would make e^c, 1 and a value of erf linearly dependent over the algebraic numbers,
 * which Beukers' theorem on E-functions excludes. */
#include "op/function/family.h"

#include <acb_hypgeom.h>
#include <arb_hypgeom.h>

/* More bits of t, because e^(t^2) is enclosed too. Right of FAR_RIGHT ndtr(-x) < e^(-x^2/2) < 2^-47000. */
enum { LOST_BITS = 20, FAR_RIGHT = 256 };

/* t = |x| / 2^(1/2), and x^2/2. */
static void ball_of_normal(arb_t t, arb_t square, const arb_t x, slong precision) {
    arb_sqrt_ui(t, 2, precision + LOST_BITS);
    arb_div(t, x, t, precision + LOST_BITS);
    arb_abs(t, t);
    arb_mul(square, x, x, ARF_PREC_EXACT);
    arb_mul_2exp_si(square, square, -1);
}

void ball_ndtr(arb_t y, const arb_t x, slong precision) {
    arb_t t, square;
    arb_init(t);
    arb_init(square);
    ball_of_normal(t, square, x, precision);
    if (arb_is_negative(x))
        arb_neg(t, t);
    arb_neg(t, t);
    arb_hypgeom_erfc(y, t, precision);
    arb_mul_2exp_si(y, y, -1);
    arb_clear(t);
    arb_clear(square);
}

/* -x^2/2 + ln(erfcx(t) / 2) left of 0, both negative; right of it ln(1 - ndtr(-x)). The sum is not
 * rounded: far left -x^2/2, of 106 bits, would swallow the logarithm, and nothing would tell on which
 * side of that number the result lies. */
static void ball_log_ndtr(arb_t y, const arb_t x, slong precision) {
    arb_t t, square;
    arb_init(t);
    arb_init(square);
    if (arb_is_negative(x)) {
        ball_of_normal(t, square, x, precision);
        ball_of_erfcx(y, t, square, precision);
        arb_mul_2exp_si(y, y, -1);
        arb_log(y, y, precision);
        arb_sub(y, y, square, ARF_PREC_EXACT);
    } else if (arf_cmp_si(arb_midref(x), FAR_RIGHT) > 0) {
        arb_set_si(y, -1);
        arb_mul_2exp_si(y, y, -2 * INTERVAL_DECIDED_BY_SIZE);
    } else {
        arb_neg(t, x);
        ball_ndtr(y, t, precision);
        arb_neg(y, y);
        arb_log1p(y, y, precision);
    }
    arb_clear(t);
    arb_clear(square);
}

/* ln(x / (1 - x)), around 1/2 as 2 artanh(2x - 1). */
static void ball_logit(arb_t y, const arb_t x, slong precision) {
    arb_t t;
    arb_init(t);
    arb_mul_2exp_si(t, x, 1);
    arb_sub_ui(t, t, 1, ARF_PREC_EXACT);
    if (arf_cmpabs_d(arb_midref(t), 0.5) <= 0) {
        arb_atanh(y, t, precision);
        arb_mul_2exp_si(y, y, 1);
    } else {
        arb_neg(t, x);
        arb_log1p(t, t, precision);
        arb_log(y, x, precision);
        arb_sub(y, y, t, precision);
    }
    arb_clear(t);
}

#define BY_BALL(NAME, BALL)                                                                        \
    static void NAME(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {         \
        (void)scratch;                                                                             \
        bracket_of_ball(y, x[0], BALL);                                                            \
    }
BY_BALL(bracket_log_ndtr, ball_log_ndtr)
BY_BALL(bracket_logit, ball_logit)

/* erfc(-x / 2^(1/2)) / 2 by MPFR, whose bounds on a number next to 1 do not touch 1. */
void bracket_ndtr(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    mpfr_set_ui(scratch[0].low, 2, MPFR_RNDD);
    mpfr_set_ui(scratch[0].high, 2, MPFR_RNDU);
    interval_decreasing(&scratch[1], mpfr_rec_sqrt, &scratch[0]);
    interval_multiply_exact(&scratch[0], &scratch[1], x[0]);
    interval_negate(&scratch[1], &scratch[0]);
    interval_decreasing(&scratch[0], mpfr_erfc, &scratch[1]);
    interval_scale(y, &scratch[0], -1);
}

/* Limits at both ends. */
static bool special_ndtr(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind == REAL_ZERO)
        return decided(y, real_power_of_two(-1));
    if (x->kind == REAL_NAN)
        return decided(y, *x);
    return decided(y, x->negative ? real_zero(false) : real_power_of_two(0));
}

static bool special_log_ndtr(struct real *y, const struct real *x) {
    if (x->kind == REAL_NAN)
        return decided(y, *x);
    return x->kind == REAL_INFINITE &&
           decided(y, x->negative ? real_infinity(true) : real_zero(true));
}

static bool special_logit(struct real *y, const struct real *x) {
    const struct real one = real_power_of_two(0), half = real_power_of_two(-1);
    if (x->kind == REAL_NAN || (x->kind != REAL_ZERO && (x->negative || real_is_smaller(&one, x))))
        return decided(y, real_nan());
    if (x->kind == REAL_ZERO)
        return decided(y, real_infinity(true));
    if (!real_is_smaller(x, &one))
        return decided(y, real_infinity(false));
    return !real_is_smaller(x, &half) && !real_is_smaller(&half, x) && decided(y, real_zero(false));
}

void analytic_ndtr(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    arb_t root;
    acb_init(w);
    arb_init(root);
    arb_sqrt_ui(root, 2, precision);
    acb_div_arb(w, z, root, precision);
    acb_neg(w, w);
    analytic_erfc(y, w, precision);
    acb_mul_2exp_si(y, y, -1);
    acb_clear(w);
    arb_clear(root);
}

/* Left of -1 as -z^2/2 + ln(erfcx(w) / 2), w = -z / sqrt 2. There Re erfcx(w) > 0 where |Im w| <
 * Re w / 2 (erfcx(w) = 1/pi times the integral over real s of w e^(-s^2) / (s^2 + w^2), whose
 * integrand is 1 / (w + s^2/w), in the right half-plane with w), and its logarithm is at most
 * |ln |erfcx(w)|| + pi/2 in magnitude; |erfcx(w)| >= Re erfcx(w) >= 1 / (4 |w| + 4), as is seen from
 * Re 1/(w + s^2/w) >= Re(w + s^2/w) / (|w| + s^2/|w|)^2. Right of 1, ln(1 - ndtr(-z)) where
 * |ndtr(-z)| < 1/2, at most twice that. Between them Arb evaluates erfc, but next to 0, where at 32
 * bits it has no finite value. */
static void analytic_log_ndtr(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    arb_t root, part;
    acb_init(w);
    arb_init(root);
    arb_init(part);
    arb_sqrt_ui(root, 2, precision);
    acb_div_arb(w, z, root, precision);
    acb_neg(w, w);
    bool left = arf_cmp_si(arb_midref(acb_realref(z)), -1) < 0;
    arb_mul_2exp_si(part, acb_imagref(w), 1);
    arb_abs(part, part);
    arb_sub(part, part, acb_realref(w), precision);
    if (left && arb_is_negative(part)) {
        mag_t bound, size;
        mag_init(bound);
        mag_init(size);
        acb_get_mag(size, w);
        mag_add_ui(bound, size, 1);
        mag_mul_2exp_si(bound, bound, 2);
        mag_log(bound, bound);
        mag_add_ui(bound, bound, 3);
        mag_mul(size, size, size);
        mag_add(bound, bound, size);
        analytic_around(y, 0, bound);
        mag_clear(bound);
        mag_clear(size);
    } else if (left) {
        acb_indeterminate(y);
    } else {
        acb_neg(w, z);
        analytic_ndtr(y, w, precision);
        mag_t bound;
        mag_init(bound);
        acb_get_mag(bound, y);
        if (mag_cmp_2exp_si(bound, -1) < 0) {
            mag_mul_2exp_si(bound, bound, 1);
            analytic_around(y, 0, bound);
        } else {
            acb_div_arb(w, z, root, precision);
            acb_neg(w, w);
            acb_get_mag(bound, w);
            if (mag_cmp_2exp_si(bound, -3) <= 0) {
                /* 1 - erf(w), where |erf(w)| <= 2/sqrt(pi) |w| e^(|w|^2) < 2 |w| */
                mag_mul_2exp_si(bound, bound, 1);
                acb_one(y);
                acb_add_error_mag(y, bound);
            } else {
                acb_hypgeom_erfc(y, w, precision);
            }
            acb_mul_2exp_si(w, y, -1);
            acb_log_analytic(y, w, 1, precision);
        }
        mag_clear(bound);
    }
    acb_clear(w);
    arb_clear(root);
    arb_clear(part);
}

/* ln z - ln(1 - z), each where it is analytic, but for 1/2: there it is 0, and an output must not be
 * judged by a fit, since its error is 0 only there. */
static void analytic_logit(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    arb_t half;
    acb_init(w);
    arb_init(half);
    arb_set_d(half, 0.5);
    if (!arb_contains(acb_realref(z), half)) {
        acb_neg(w, z);
        acb_add_ui(w, w, 1, precision);
        acb_log_analytic(y, w, 1, precision);
        acb_log_analytic(w, z, 1, precision);
        acb_sub(y, w, y, precision);
    } else {
        acb_indeterminate(y);
    }
    acb_clear(w);
    arb_clear(half);
}

static const struct operation rows[] = {
    {
        .name = "ndtr",
        .aliases = "norm_cdf",
        .formula = "erfc(-x / 2^(1/2)) / 2",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_ndtr,
                    .special = special_ndtr,
                    .arb = ARB(.ball = ball_ndtr, .analytic = analytic_ndtr),
                    /* It rises from 0 through 1/2 at 0 to 1. */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, 0.5), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(0, 0.5), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}),
                    .known_values = "0=0.5 -0=0.5 inf=1 -inf=0"}},
        .landmarks = "1 5.4 -5.4 -13 -14.2 -37.5 -38.5",
    },
    {
        .name = "log_ndtr",
        .formula = "ln(erfc(-x / 2^(1/2)) / 2)",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_log_ndtr,
                    .special = special_log_ndtr,
                    .arb = ARB(.ball = ball_log_ndtr, .analytic = analytic_log_ndtr),
                    /* Where a format of 16 bits or more can come near them: ln(1 - ndtr(-4)) is
                     * -2^-15, and ln(ndtr(-128)) -2^13. */
                    .asymptotes =
                        ASYMPTOTES({4, INFINITY, LINE(0, 0), ASYMPTOTE_BELOW},
                                   {-INFINITY, -128, LINE(0, -INFINITY), ASYMPTOTE_ABOVE}),
                    .known_values = "inf=-0 -inf=-inf nan=nan"}},
        .landmarks = "1 -1 5.4 13 14.2 37.5 38.5",
    },
    {
        .name = "logit",
        .formula = "ln(x / (1 - x))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_logit,
                    .special = special_logit,
                    .arb = ARB(.ball = ball_logit, .analytic = analytic_logit),
                    .asymptotes = ASYMPTOTES(NAN_BETWEEN(-INFINITY, 0), NAN_BETWEEN(1, INFINITY)),
                    .known_values = "0=-inf -0=-inf 1=inf 0.5=0 -1=nan 2=nan inf=nan -inf=nan"}},
        .landmarks = "0.25 0.5 0.75 1",
    },
};
OPERATION_FAMILY(probability, rows);
