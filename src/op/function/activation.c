/* Activation functions that are made of pieces: relu, relu6, hardsigmoid, hardswish, elu.
 *
 * hardsigmoid and hardswish are rational: the numerator is exact, and one division is rounded. A
 * zero of hardswish has the sign of x, as the product that defines it has, and at -infinity there is
 * its limit; relu and hardsigmoid have no -0. */
#include "op/function/family.h"

static struct real exact_relu(const struct real *x, const struct exact_setting *setting) {
    (void)setting;
    return x->kind == REAL_NAN || !x->negative ? *x : real_zero(false);
}

static struct real exact_relu6(const struct real *x, const struct exact_setting *setting) {
    struct real y = exact_relu(x, setting), most = real_from_double(6);
    return y.kind != REAL_NAN && real_is_smaller(&most, &y) ? most : y;
}

/* Up to the end of their sign; 6 is a number of every format. */
static struct code_pattern pattern_relu(const uint64_t *codes,
                                        const struct exact_setting *setting) {
    const struct format *format = setting->format;
    const struct real zero = real_zero(false);
    if (format_is_negative(format, *codes))
        return pattern_of_constant(format, &zero, format->sign_bit | format->max_finite);
    return pattern_of_line(0, format->max_finite);
}

static struct code_pattern pattern_relu6(const uint64_t *codes,
                                         const struct exact_setting *setting) {
    const struct format *format = setting->format;
    const struct real most = real_from_double(6);
    struct code_pattern pattern = pattern_relu(codes, setting);
    uint64_t six = format_encode(format, &most, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    if (*codes >= six && *codes < format->sign_bit)
        return pattern_of_constant(format, &most, pattern.last);
    if (*codes < six)
        pattern.last = six;
    return pattern;
}

/* (x + 3) / 6, times x where `times_x`, for |x| < 3. x + 3 and its product with x are exact: where x, of a formula, is below
 * 2^-far, it is that in x + 3, which roundings of y cannot tell. */
static int hard_gate(mpfr_ptr y, mpfr_srcptr x, bool times_x, mpfr_rnd_t rounding) {
    mpfr_t numerator;
    mpfr_exp_t far = mpfr_get_prec(x) + mpfr_get_prec(y) + 64;
    mpfr_init2(numerator, far + 2 * mpfr_get_prec(x) + 4);
    if (mpfr_regular_p(x) && mpfr_get_exp(x) < -far)
        mpfr_set_si_2exp(numerator, mpfr_sgn(x), -far, MPFR_RNDN);
    else
        mpfr_set(numerator, x, MPFR_RNDN);
    mpfr_add_ui(numerator, numerator, 3, MPFR_RNDN);
    if (times_x)
        mpfr_mul(numerator, numerator, x, MPFR_RNDN);
    int ternary = mpfr_div_ui(y, numerator, 6, rounding);
    mpfr_clear(numerator);
    return ternary;
}

static int mpfr1_hardsigmoid(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    if (mpfr_cmp_si(x, 3) >= 0)
        return mpfr_set_ui(y, 1, rounding);
    if (mpfr_cmp_si(x, -3) <= 0)
        return mpfr_set_ui(y, 0, rounding);
    return hard_gate(y, x, false, rounding);
}

static int mpfr1_hardswish(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    if (mpfr_cmp_si(x, 3) >= 0)
        return mpfr_set(y, x, rounding);
    if (mpfr_cmp_si(x, -3) <= 0) {
        mpfr_set_zero(y, -1);
        return 0;
    }
    return hard_gate(y, x, true, rounding);
}

static int mpfr1_elu(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    return mpfr_sgn(x) > 0 ? mpfr_set(y, x, rounding) : mpfr_expm1(y, x, rounding);
}

static bool special_hardsigmoid(struct real *y, const struct real *x) {
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    if (x->kind == REAL_ZERO)
        return decided(y, real_power_of_two(-1));
    return x->kind == REAL_INFINITE &&
           decided(y, x->negative ? real_zero(false) : real_power_of_two(0));
}

/* (x + 3) / 6 of every third x, for |x| < 3: x + 3 has 126 bits for |x| >= 2^-72, below which the
 * result has more. */
static bool exact_hardsigmoid(struct real *y, const struct real *x) {
    mpfr_t sum;
    if (x->exponent > 1 || x->exponent < -72)
        return false;
    mpfr_init2(sum, 128);
    real_to_mpfr(sum, x);
    mpfr_add_ui(sum, sum, 3, MPFR_RNDZ);
    bool exact =
        mpfr_sgn(sum) > 0 && mpfr_cmp_ui(sum, 6) < 0 && mpfr_div_ui(sum, sum, 6, MPFR_RNDZ) == 0;
    *y = real_from_mpfr(sum, 0);
    mpfr_clear(sum);
    return exact;
}

/* Of the pieces between -3 and 3; the others are asymptotes. */
static void hard_analytic(acb_t y, const acb_t z, bool times_z, slong precision) {
    acb_t third;
    acb_init(third);
    acb_div_ui(third, z, 3, precision);
    if (within_unit(third, precision)) {
        acb_add_ui(y, third, 1, precision);
        acb_mul_2exp_si(y, y, -1);
        if (times_z)
            acb_mul(y, y, z, precision);
    } else {
        acb_indeterminate(y);
    }
    acb_clear(third);
}

static void analytic_hardsigmoid(acb_t y, const acb_t z, slong precision) {
    hard_analytic(y, z, false, precision);
}

static void analytic_hardswish(acb_t y, const acb_t z, slong precision) {
    hard_analytic(y, z, true, precision);
}

static void analytic_elu(acb_t y, const acb_t z, slong precision) {
    analytic_only_where(arb_is_negative(acb_realref(z)), acb_expm1, y, z, precision);
}

/* The doubles next to 3 on the other side of it: what holds at 3 too. */
#define FROM_3     0x1.7ffffffffffffp+1, INFINITY
#define TO_MINUS_3 -INFINITY, -0x1.7ffffffffffffp+1

static const struct operation rows[] = {
    {
        .name = "relu",
        .formula = "max(x, 0)",
        .operands = 1,
        .results = 1,
        .result = {{.exact = exact_relu,
                    .pattern = pattern_relu,
                    .known_values = "0=0 -0=0 inf=inf -inf=0 3=3 -3=0 0x1p-1074=0x1p-1074"}},
        .landmarks = "1",
    },
    {
        .name = "relu6",
        .formula = "min(max(x, 0), 6)",
        .operands = 1,
        .results = 1,
        .result = {{.exact = exact_relu6,
                    .pattern = pattern_relu6,
                    .known_values = "0=0 -0=0 inf=6 -inf=0 3=3 -3=0 6=6 7=6"}},
        .landmarks = "6",
    },
    {
        .name = "hardsigmoid",
        .aliases = "hard_sigmoid",
        .formula = "min(max(x + 3, 0), 6) / 6",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr1_hardsigmoid,
                    .special = special_hardsigmoid,
                    .exact_case = exact_hardsigmoid,
                    .arb = ARB(.analytic = analytic_hardsigmoid),
                    .asymptotes = ASYMPTOTES({FROM_3, LINE(0, 1), ASYMPTOTE_EXACT},
                                             {TO_MINUS_3, LINE(0, 0), ASYMPTOTE_EXACT},
                                             {LEFT, LINE(0, 0.5), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(0, 0.5), ASYMPTOTE_ABOVE}),
                    .known_values = "0=0.5 -0=0.5 inf=1 -inf=0 3=1 -3=0 -4=0 1.5=0.75 -1.5=0.25"}},
        .landmarks = "3 -3",
    },
    {
        .name = "hardswish",
        .aliases = "hard_swish",
        .formula = "x * min(max(x + 3, 0), 6) / 6",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr1_hardswish,
                    .special = special_times_gate,
                    .arb = ARB(.analytic = analytic_hardswish),
                    .asymptotes = ASYMPTOTES({FROM_3, LINE(1, 0), ASYMPTOTE_EXACT},
                                             {TO_MINUS_3, LINE(0, -0.0), ASYMPTOTE_EXACT},
                                             {-0x1p-10, 0, LINE(0.5, 0), ASYMPTOTE_ABOVE},
                                             {0, 0x1p-10, LINE(0.5, 0), ASYMPTOTE_ABOVE}),
                    .known_values =
                        "0=0 -0=-0 inf=inf -inf=-0 3=3 -3=-0 -4=-0 1.5=1.125 -1.5=-0.375"}},
        .landmarks = "3 -3 -1.5",
    },
    {
        .name = "elu",
        .formula = "x for x > 0, else e^x - 1",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr1_elu,
                    .arb = ARB(.analytic = analytic_elu),
                    .asymptotes = ASYMPTOTES({RIGHT, LINE(1, 0), ASYMPTOTE_EXACT},
                                             {LEFT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE}),
                    .known_values = "0=0 -0=-0 -inf=-1 inf=inf 3=3"}},
        .landmarks = "-0.6931471805599453 1 -17.33 -37.43",
    },
};
OPERATION_FAMILY(activation, rows);
