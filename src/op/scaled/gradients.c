/* Exact derivatives of scaled functions times what comes back.
 *
 * But at 0 they are transcendental where their argument is a binary fraction (Lindemann; for gelu,
 * whose derivative is made of e^z and erf, Siegel and Shidlovskii), so enclosures close. */
#include "op/scaled/exact.h"

/* Beyond 2^FAR slopes are at their limits but for less than any format feels, gelu's beyond
 * 2^FAR_OF_GELU; below 2^NEAR, at that of 0. */
enum { FAR = 30, FAR_OF_GELU = 7, NEAR = -1000, SLACK_BITS = 30 };

/* The slope at 0, times 4. */
static unsigned long slope_at_0(enum scaled_operation operation) {
    return operation == SCALED_SIGMOID_GRADIENT ? 1 : operation == SCALED_GELU_GRADIENT ? 2 : 4;
}

/* Whether slopes to the right of 0 are above that at 0, and to the left below. */
static bool rises(enum scaled_operation operation) {
    return operation == SCALED_GELU_GRADIENT || operation == SCALED_EXP_GRADIENT;
}

/* low, high enclose e / (1 + e)^2 with e = e^-|u|; of tanh four times that at 2u; of exp e^u. */
static void enclose_powers(struct scaled_exact *exact, enum scaled_operation operation) {
    mpfr_ptr ends[2] = {exact->low, exact->high}, steps[2] = {exact->step_low, exact->step_high};
    bool tanh = operation == SCALED_TANH_GRADIENT;
    mpfr_t v;
    mpfr_init2(v, mpfr_get_prec(exact->u));
    mpfr_abs(v, exact->u, MPFR_RNDN);
    mpfr_mul_si(v, v, tanh ? -2 : -1, MPFR_RNDN);
    for (int i = 0; i < 2; i++) {
        mpfr_rnd_t out = i ? MPFR_RNDU : MPFR_RNDD, in = i ? MPFR_RNDD : MPFR_RNDU;
        mpfr_exp(ends[i], operation == SCALED_EXP_GRADIENT ? exact->u : v, out);
        if (operation == SCALED_EXP_GRADIENT)
            continue;
        mpfr_exp(steps[i], v, out);
        mpfr_add_ui(steps[i], steps[i], 1, in);
        mpfr_sqr(steps[i], steps[i], in);
        mpfr_div(ends[i], ends[i], steps[i], out);
        mpfr_mul_2ui(ends[i], ends[i], tanh ? 2 : 0, out);
    }
    mpfr_clear(v);
}

/* Phi(u) + u phi(u): each step is within 2^-bits, which erfc and e^z, of |u| below 2^FAR_OF_GELU, make
 * 2^(2 FAR_OF_GELU) times that at most. */
static void enclose_gelu(struct scaled_exact *exact, mpfr_prec_t bits) {
    mpfr_ptr density = exact->step_low, part = exact->step_high;
    mpfr_sqrt_ui(part, 2, MPFR_RNDN);
    mpfr_div(part, exact->u, part, MPFR_RNDN);
    mpfr_neg(part, part, MPFR_RNDN);
    mpfr_sqr(density, part, MPFR_RNDN);
    mpfr_neg(density, density, MPFR_RNDN);
    mpfr_exp(density, density, MPFR_RNDN);
    mpfr_erfc(part, part, MPFR_RNDN);
    mpfr_div_2ui(part, part, 1, MPFR_RNDN);
    mpfr_const_pi(exact->low, MPFR_RNDN);
    mpfr_mul_2ui(exact->low, exact->low, 1, MPFR_RNDN);
    mpfr_rec_sqrt(exact->low, exact->low, MPFR_RNDN);
    mpfr_mul(density, density, exact->low, MPFR_RNDN);
    mpfr_mul(density, density, exact->u, MPFR_RNDN);
    mpfr_add(exact->low, part, density, MPFR_RNDN);
    mpfr_abs(density, density, MPFR_RNDN);
    mpfr_add(part, part, density, MPFR_RNDU);
    mpfr_div_2ui(part, part, (unsigned long)bits - SLACK_BITS, MPFR_RNDU);
    mpfr_add(exact->high, exact->low, part, MPFR_RNDU);
    mpfr_sub(exact->low, exact->low, part, MPFR_RNDD);
}

/* Slopes at infinity and far from 0 times v, which is a number; false where they must be enclosed. */
static bool is_limit(struct scaled_exact *exact, enum scaled_operation operation, struct real *y) {
    mpfr_ptr u = exact->u, v = exact->v;
    const bool right = mpfr_sgn(u) > 0, negative = mpfr_signbit(v) != 0;
    const bool gelu = operation == SCALED_GELU_GRADIENT, power = operation == SCALED_EXP_GRADIENT;
    if (!mpfr_inf_p(u) && !(mpfr_regular_p(u) && mpfr_get_exp(u) > (gelu ? FAR_OF_GELU : FAR)))
        return false;
    if (mpfr_zero_p(v))
        *y = mpfr_inf_p(u) && right && power
                 ? real_nan()
                 : real_zero(negative != (gelu && !right && !mpfr_inf_p(u)));
    else if (gelu && right) { /* 1, or just above it */
        mpfr_set(exact->y, v, MPFR_RNDZ);
        *y = real_from_mpfr(exact->y, mpfr_inf_p(u) ? 0 : negative ? 1 : -1);
    } else if (power && right)
        *y = mpfr_inf_p(u) ? real_infinity(negative) : real_huge(negative);
    else
        *y = mpfr_inf_p(u) ? real_zero(negative) : real_tiny(negative != gelu);
    return true;
}

static bool enclosed(struct scaled_exact *exact, enum scaled_operation operation, int precision,
                     struct real *y, struct error *error) {
    const bool negative = mpfr_signbit(exact->v) != 0;
    for (int bits = precision + SCALED_GUARD_BITS; bits < SCALED_PRECISION_CAP; bits *= 2) {
        scaled_set_precisions(exact, bits);
        if (operation == SCALED_GELU_GRADIENT)
            enclose_gelu(exact, bits);
        else
            enclose_powers(exact, operation);
        mpfr_mul(exact->low, exact->low, exact->v, negative ? MPFR_RNDU : MPFR_RNDD);
        mpfr_mul(exact->high, exact->high, exact->v, negative ? MPFR_RNDD : MPFR_RNDU);
        if (negative)
            mpfr_swap(exact->low, exact->high);
        if (mpfr_sgn(exact->low) * mpfr_sgn(exact->high) > 0 && scaled_closes(exact, y))
            return true;
    }
    return error_set(error,
                     "the oracle cannot decide a scaled gradient within %d bits; please report it",
                     SCALED_PRECISION_CAP);
}

bool scaled_exact_gradient(struct scaled_exact *exact, enum scaled_operation operation,
                           int precision, struct real *y, struct error *error) {
    mpfr_ptr u = exact->u, v = exact->v;
    if (mpfr_nan_p(u) || mpfr_nan_p(v)) {
        *y = real_nan();
        return true;
    }
    if (mpfr_inf_p(v)) { /* the sign of the slope counts, and whether it is 0 */
        mpfr_set_si(v, mpfr_signbit(v) ? -1 : 1, MPFR_RNDN);
        bool found = scaled_exact_gradient(exact, operation, precision, y, error);
        *y = y->kind == REAL_ZERO || y->kind == REAL_NAN ? real_nan() : real_infinity(y->negative);
        return found;
    }
    if (is_limit(exact, operation, y))
        return true;
    if (mpfr_zero_p(v)) { /* the slope is a number, and positive but for gelu's */
        bool found = true;
        if (operation == SCALED_GELU_GRADIENT && mpfr_sgn(u) < 0) {
            mpfr_set_si(v, mpfr_signbit(v) ? -1 : 1, MPFR_RNDN);
            found = scaled_exact_gradient(exact, operation, precision, y, error);
            *y = real_zero(y->negative);
        } else
            *y = real_zero(mpfr_signbit(v) != 0);
        return found;
    }
    if (mpfr_zero_p(u) || mpfr_get_exp(u) < NEAR) { /* the slope at 0, or just beside it */
        mpfr_mul_ui(v, v, slope_at_0(operation), MPFR_RNDN);
        mpfr_div_2ui(v, v, 2, MPFR_RNDN);
        mpfr_set(exact->y, v, MPFR_RNDZ);
        bool beside = mpfr_regular_p(u), above = rises(operation) && mpfr_sgn(u) > 0;
        mpfr_set_zero(exact->low, 1);
        if (beside && !above)
            mpfr_nexttoward(exact->y, exact->low);
        *y = real_from_mpfr(exact->y, beside);
        return true;
    }
    return enclosed(exact, operation, precision, y, error);
}
