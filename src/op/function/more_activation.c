/* Activation functions that are made of decimals or of a quotient: selu, softsign, quick_gelu.
 *
 * softsign is rational: the numerator and the denominator are exact, and one division is rounded.
 * selu has the two decimals that its authors gave. Its values are no binary fractions: left of 0
 * they are transcendental, and right of it 5^31 divides their denominator. Nor are those of
 * quick_gelu, by the theorem that gate.c names. */
#include "op/function/family.h"

/* x of a formula may be of any size. Beyond 2^far it is taken for 2^far: both results lie below 1 by less than roundings
 * of y see. Below 2^-far it is that in the denominator: both results lie as close within x. So the denominator is exact. */
static int mpfr1_softsign(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    mpfr_t numerator, denominator;
    mpfr_exp_t far = mpfr_get_prec(x) + mpfr_get_prec(y) + 64, exponent = mpfr_get_exp(x);
    mpfr_init2(numerator, mpfr_get_prec(x));
    mpfr_init2(denominator, 2 * far + mpfr_get_prec(x));
    if (exponent > far)
        mpfr_set_si_2exp(numerator, mpfr_sgn(x), far, MPFR_RNDN);
    else
        mpfr_set(numerator, x, MPFR_RNDN);
    if (exponent < -far)
        mpfr_set_ui_2exp(denominator, 1, -far, MPFR_RNDN);
    else
        mpfr_abs(denominator, numerator, MPFR_RNDN);
    mpfr_add_ui(denominator, denominator, 1, MPFR_RNDN);
    int ternary = mpfr_div(y, numerator, denominator, rounding);
    mpfr_clear(numerator);
    mpfr_clear(denominator);
    return ternary;
}

static bool special_softsign(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    *y = x->kind == REAL_INFINITE ? real_power_of_two(0) : *x;
    y->negative = x->negative;
    return true;
}

static void analytic_softsign(acb_t y, const acb_t z, slong precision) {
    if (arb_contains_zero(acb_realref(z))) {
        acb_indeterminate(y);
        return;
    }
    acb_t denominator;
    acb_init(denominator);
    if (arb_is_negative(acb_realref(z)))
        acb_neg(denominator, z);
    else
        acb_set(denominator, z);
    acb_add_ui(denominator, denominator, 1, precision);
    acb_div(y, z, denominator, precision);
    acb_clear(denominator);
}

/* Where selu has two decimals, of 32 digits, and their product. */
#define SELU_SCALE "1.0507009873554804934193349852946"
#define SELU_ALPHA "1.6732632423543772848170429916717"
#define QUICK_GELU 851, 500 /* 1.702 */

enum { DIGITS = 32, HALF = DIGITS / 2 };
#define HALF_UNIT UINT64_C(10000000000000000) /* 10^HALF */

/* Its digits as two integers: MPFR and Arb read text slowly. */
static void read_decimal(const char *text, uint64_t halves[2]) {
    halves[0] = halves[1] = 0;
    for (int digit = 0; *text; text++)
        if (*text != '.') {
            uint64_t *half = &halves[digit++ / HALF];
            *half = *half * 10 + (uint64_t)(*text - '0');
        }
}

static void set_decimal(mpfr_ptr y, const char *text, mpfr_rnd_t rounding) {
    uint64_t halves[2];
    read_decimal(text, halves);
    mpfr_set_ui(y, halves[0], rounding);
    mpfr_mul_ui(y, y, HALF_UNIT, rounding);
    mpfr_add_ui(y, y, halves[1], rounding);
    mpfr_div_ui(y, y, HALF_UNIT, rounding);
    mpfr_div_ui(y, y, HALF_UNIT / 10, rounding);
}

static void set_interval(struct interval *y, const char *text) {
    set_decimal(y->low, text, MPFR_RNDD);
    set_decimal(y->high, text, MPFR_RNDU);
}

static void set_ball(arb_t y, const char *text, slong precision) {
    uint64_t halves[2];
    read_decimal(text, halves);
    arb_set_ui(y, halves[0]);
    arb_mul_ui(y, y, HALF_UNIT, precision);
    arb_add_ui(y, y, halves[1], precision);
    arb_div_ui(y, y, HALF_UNIT, precision);
    arb_div_ui(y, y, HALF_UNIT / 10, precision);
}

/* scale, times alpha where x < 0. */
static void selu_factor(struct interval *factor, bool below, struct interval *scratch) {
    if (!below) {
        set_interval(factor, SELU_SCALE);
        return;
    }
    set_interval(&scratch[0], SELU_SCALE);
    set_interval(&scratch[1], SELU_ALPHA);
    interval_multiply(factor, &scratch[0], &scratch[1]);
}

static void ball_of_selu_factor(arb_t factor, bool below, slong precision) {
    set_ball(factor, SELU_SCALE, precision);
    if (below) {
        arb_t alpha;
        arb_init(alpha);
        set_ball(alpha, SELU_ALPHA, precision);
        arb_mul(factor, factor, alpha, precision);
        arb_clear(alpha);
    }
}

static void ball_selu(arb_t y, const arb_t x, slong precision) {
    bool below = arb_is_negative(x);
    arb_t factor;
    arb_init(factor);
    ball_of_selu_factor(factor, below, precision);
    if (below)
        arb_expm1(y, x, precision);
    else
        arb_set(y, x);
    arb_mul(y, y, factor, precision);
    arb_clear(factor);
}

static void bracket_selu(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    bool below = mpfr_sgn(x[0]) < 0;
    selu_factor(&scratch[3], below, scratch);
    if (!below) {
        interval_multiply_exact(y, &scratch[3], x[0]);
        return;
    }
    interval_set(&scratch[0], x[0]);
    interval_increasing(&scratch[1], mpfr_expm1, &scratch[0]);
    interval_negate(&scratch[0], &scratch[1]);
    interval_multiply(&scratch[1], &scratch[0], &scratch[3]);
    interval_negate(y, &scratch[1]);
}

/* At -infinity the product of the two, which is no binary fraction. */
static bool special_selu(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind != REAL_INFINITE || !x->negative)
        return decided(y, *x);
    mpfr_t scale, alpha, product;
    mpfr_inits2(300, scale, alpha, (mpfr_ptr)0);
    mpfr_init2(product, 128);
    set_decimal(alpha, SELU_ALPHA, MPFR_RNDZ);
    set_decimal(scale, SELU_SCALE, MPFR_RNDZ);
    mpfr_mul(product, scale, alpha, MPFR_RNDZ);
    mpfr_neg(product, product, MPFR_RNDZ);
    *y = real_from_mpfr(product, 1);
    mpfr_clears(scale, alpha, product, (mpfr_ptr)0);
    return true;
}

/* x * sigmoid(1.702 x). */
static void bracket_quick_gelu(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    const unsigned long ratio[] = {QUICK_GELU};
    struct interval *u = &scratch[2];
    mpfr_mul_ui(u->low, x[0], ratio[0], MPFR_RNDD);
    mpfr_mul_ui(u->high, x[0], ratio[0], MPFR_RNDU);
    mpfr_div_ui(u->low, u->low, ratio[1], MPFR_RNDD);
    mpfr_div_ui(u->high, u->high, ratio[1], MPFR_RNDU);
    bracket_gate(&scratch[3], u, scratch);
    interval_multiply_exact(y, &scratch[3], x[0]);
}

static void ball_quick_gelu(arb_t y, const arb_t x, slong precision) {
    const unsigned long ratio[] = {QUICK_GELU};
    arb_t u;
    arb_init(u);
    arb_mul_ui(u, x, ratio[0], precision);
    arb_div_ui(u, u, ratio[1], precision);
    ball_sigmoid(y, u, precision);
    arb_mul(y, y, x, precision);
    arb_clear(u);
}

static void analytic_quick_gelu(acb_t y, const acb_t z, slong precision) {
    const unsigned long ratio[] = {QUICK_GELU};
    acb_t u;
    acb_init(u);
    acb_mul_ui(u, z, ratio[0], precision);
    acb_div_ui(u, u, ratio[1], precision);
    analytic_sigmoid(y, u, precision);
    acb_mul(y, y, z, precision);
    acb_clear(u);
}

static void analytic_selu(acb_t y, const acb_t z, slong precision) {
    bool below = arb_is_negative(acb_realref(z));
    arb_t factor;
    arb_init(factor);
    ball_of_selu_factor(factor, below, precision);
    if (below)
        acb_expm1(y, z, precision);
    else
        acb_set(y, z);
    acb_mul_arb(y, y, factor, precision);
    if (!below && !arb_is_positive(acb_realref(z)))
        acb_indeterminate(y);
    arb_clear(factor);
}

static const struct operation rows[] = {
    {
        .name = "selu",
        .formula = SELU_SCALE " * (x for x > 0, else " SELU_ALPHA " * (e^x - 1))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_selu,
                    .special = special_selu,
                    .arb = ARB(.ball = ball_selu, .analytic = analytic_selu),
                    .asymptotes = ASYMPTOTES(OVERFLOWS_RIGHT),
                    .known_values = "0=0 -0=-0 inf=inf"}},
        .landmarks = "1 -1 -17.33 -37.43",
    },
    {
        .name = "softsign",
        .formula = "x / (1 + |x|)",
        .operands = 1,
        .results = 1,
        .result = {{.parity = PARITY_ODD,
                    .mpfr1 = mpfr1_softsign,
                    .special = special_softsign,
                    .arb = ARB(.analytic = analytic_softsign),
                    /* x - f(x) is x^2 / (1 + |x|) in magnitude, and 1 - |f(x)| is 1 / (1 + |x|). */
                    .asymptotes = ASYMPTOTES({WHOLE, LINE(1, 0), ASYMPTOTE_INWARD},
                                             {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}),
                    .known_values = "0=0 -0=-0 inf=1 -inf=-1 1=0.5 -3=-0.75"}},
        .landmarks = "1",
    },
    {
        .name = "quick_gelu",
        .formula = "x / (1 + e^(-1.702 x))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_quick_gelu,
                    .special = special_times_gate,
                    .arb = ARB(.ball = ball_quick_gelu, .analytic = analytic_quick_gelu),
                    .asymptotes = gate_asymptotes,
                    .known_values = "inf=inf -inf=-0 0=0 -0=-0"}},
        .landmarks = "1 10.2 -10.2 -52 -62 -417 -438 -0.7511",
    },
};
OPERATION_FAMILY(more_activation, rows);
