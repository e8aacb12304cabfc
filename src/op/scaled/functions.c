/* Exact exp, log, sigmoid and tanh of scaled numbers, over the scale of the result, and enclosures
 * that close.
 *
 * But at 0, and log at 1, they are transcendental where their argument is a binary fraction
 * (Lindemann), so enclosures close. */
#include "op/scaled/exact.h"

/* Of |v| at least 2^FAR, e^v is too large or too small for every format. Of |v| beyond as many bits
 * as there are, tanh(v) lies between 1 and the number below, and MPFR would compute all its bits. */
enum { FAR = 30 };

void scaled_set_precisions(struct scaled_exact *exact, mpfr_prec_t precision) {
    mpfr_set_prec(exact->low, precision);
    mpfr_set_prec(exact->high, precision);
    mpfr_set_prec(exact->step_low, precision);
    mpfr_set_prec(exact->step_high, precision);
}

bool scaled_closes(struct scaled_exact *exact, struct real *y) {
    bool negative = mpfr_sgn(exact->high) <= 0;
    mpfr_ptr inner = negative ? exact->high : exact->low;
    mpfr_ptr outer = negative ? exact->low : exact->high;
    if (mpfr_zero_p(outer) || (mpfr_regular_p(outer) && mpfr_get_exp(outer) < REAL_TINY_EXPONENT)) {
        *y = real_tiny(negative);
        return true;
    }
    if (!mpfr_regular_p(inner))
        return false;
    mpfr_set(exact->y, inner, MPFR_RNDZ);
    mpfr_set_prec(exact->step_low, mpfr_get_prec(exact->y));
    if (mpfr_set(exact->step_low, outer, MPFR_RNDZ) == 0) {
        if (negative)
            mpfr_nextabove(exact->step_low);
        else
            mpfr_nextbelow(exact->step_low);
    }
    *y = real_from_mpfr(exact->y, 1);
    return mpfr_equal_p(exact->y, exact->step_low) != 0;
}

struct scaled_scale scaled_function_scale(enum scaled_operation operation, struct scaled_scale a) {
    struct scaled_scale one = {1, 0, a.is_power};
    float m = a.m < 0 ? -a.m : a.m;
    if (m == 0 || m - m != 0)
        return one;
    if (operation == SCALED_TANH && (a.is_power ? a.e <= 0 : m <= 1))
        return (struct scaled_scale){m, a.e, a.is_power};
    if (operation == SCALED_LOG)
        for (int64_t far = a.e < 0 ? -(int64_t)a.e : a.e; far > 127; far /= 2)
            one.e++;
    return one;
}

/* low and high enclose the function of u; step_low and step_high are used up. */
static void enclose(struct scaled_exact *exact, enum scaled_operation operation) {
    mpfr_ptr low = exact->low, high = exact->high, v = exact->u;
    switch (operation) {
    case SCALED_EXP:
        mpfr_exp(low, v, MPFR_RNDD);
        mpfr_exp(high, v, MPFR_RNDU);
        return;
    case SCALED_LOG:
        mpfr_log(low, v, MPFR_RNDD);
        mpfr_log(high, v, MPFR_RNDU);
        return;
    case SCALED_TANH:
        if (mpfr_cmpabs_ui(v, (unsigned long)mpfr_get_prec(low)) > 0) {
            mpfr_set_si(low, mpfr_sgn(v), MPFR_RNDN);
            mpfr_set(high, low, MPFR_RNDN);
            if (mpfr_sgn(v) > 0)
                mpfr_nextbelow(low);
            else
                mpfr_nextabove(high);
            return;
        }
        mpfr_tanh(low, v, MPFR_RNDD);
        mpfr_tanh(high, v, MPFR_RNDU);
        return;
    default: /* 1 / (1 + e^-v) */
        mpfr_neg(exact->v, v, MPFR_RNDN);
        mpfr_exp(exact->step_low, exact->v, MPFR_RNDD);
        mpfr_exp(exact->step_high, exact->v, MPFR_RNDU);
        mpfr_add_ui(exact->step_low, exact->step_low, 1, MPFR_RNDD);
        mpfr_add_ui(exact->step_high, exact->step_high, 1, MPFR_RNDU);
        mpfr_ui_div(low, 1, exact->step_high, MPFR_RNDD);
        mpfr_ui_div(high, 1, exact->step_low, MPFR_RNDU);
    }
}

/* Where no enclosure is needed. */
static bool is_simple(struct scaled_exact *exact, enum scaled_operation operation, struct real *y) {
    mpfr_ptr v = exact->u;
    bool negative = mpfr_signbit(v) != 0, far = mpfr_inf_p(v);
    far = far || (mpfr_regular_p(v) && mpfr_get_exp(v) > FAR && operation != SCALED_LOG);
    if (mpfr_nan_p(v) || (operation == SCALED_LOG && mpfr_sgn(v) < 0))
        *y = real_nan();
    else if (operation == SCALED_LOG && mpfr_zero_p(v))
        *y = real_infinity(true);
    else if (operation == SCALED_LOG && (mpfr_inf_p(v) || mpfr_cmp_ui(v, 1) == 0))
        *y = mpfr_inf_p(v) ? real_infinity(false) : real_zero(false);
    else if (operation == SCALED_TANH && mpfr_zero_p(v))
        *y = real_zero(negative);
    else if (mpfr_zero_p(v))
        *y = real_from_double(operation == SCALED_EXP ? 1 : 0.5);
    else if (mpfr_inf_p(v) && operation == SCALED_EXP)
        *y = negative ? real_zero(false) : real_infinity(false);
    else if (far && operation == SCALED_EXP && negative)
        *y = real_tiny(false);
    else if (far && operation == SCALED_EXP) { /* finite, but beyond every format */
        mpfr_set_ui_2exp(exact->y, 1, (mpfr_exp_t)1 << FAR, MPFR_RNDN);
        *y = real_from_mpfr(exact->y, -1);
    } else if (far && operation == SCALED_SIGMOID && negative)
        *y = mpfr_inf_p(v) ? real_zero(false) : real_tiny(false);
    else if (mpfr_inf_p(v) && operation == SCALED_SIGMOID)
        *y = real_from_double(1);
    else
        return false;
    return true;
}

static bool undecided(struct error *error) {
    return error_set(error,
                     "the oracle cannot decide a scaled function within %d bits; please report it",
                     SCALED_PRECISION_CAP);
}

bool scaled_exact_function(struct scaled_exact *exact, enum scaled_operation operation,
                           struct scaled_scale c, int precision, struct real *y,
                           struct error *error) {
    if (is_simple(exact, operation, y))
        return true;
    if (mpfr_inf_p(exact->u)) { /* tanh: 1 over the scale */
        mpfr_set_si(exact->u, mpfr_signbit(exact->u) ? -1 : 1, MPFR_RNDN);
        mpfr_set_flt(exact->mc, c.m, MPFR_RNDN);
        int ternary = mpfr_div(exact->y, exact->u, exact->mc, MPFR_RNDZ);
        mpfr_div_2si(exact->y, exact->y, c.e, MPFR_RNDZ);
        *y = real_from_mpfr(exact->y, ternary);
        return true;
    }
    for (int bits = precision + SCALED_GUARD_BITS; bits < SCALED_PRECISION_CAP; bits *= 2) {
        scaled_set_precisions(exact, bits);
        enclose(exact, operation);
        mpfr_div_d(exact->low, exact->low, (double)c.m, MPFR_RNDD);
        mpfr_div_d(exact->high, exact->high, (double)c.m, MPFR_RNDU);
        mpfr_div_2si(exact->low, exact->low, c.e, MPFR_RNDD);
        mpfr_div_2si(exact->high, exact->high, c.e, MPFR_RNDU);
        if (scaled_closes(exact, y))
            return true;
    }
    return undecided(error);
}
