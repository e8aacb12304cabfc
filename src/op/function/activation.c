/* Activation functions that are made of pieces, and two that are not: relu, relu6, hardsigmoid,
 * hardswish, elu, selu, softsign, quick_gelu.
 *
 * hardsigmoid, hardswish and softsign are rational: the numerator and the denominator are exact, and
 * one division is rounded. A zero of hardswish has the sign of x, as the product that defines it
 * has, and at -infinity there is its limit; relu and hardsigmoid have no -0. selu has the two
 * decimals that its authors gave. Its values are no binary fractions: left of 0 they are
 * transcendental, and right of it 5^31 divides their denominator. Nor are those of quick_gelu, by
 * the theorem that gate.c names. */
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

/* Holds x + 3 and 1 + |x| for every number of fp64, and their products with x. */
enum { EXACT_BITS = 2200 };

/* (x + 3) / 6, times x where `times_x`, for |x| < 3. */
static int hard_gate(mpfr_ptr y, mpfr_srcptr x, bool times_x, mpfr_rnd_t rounding) {
    mpfr_t numerator;
    mpfr_init2(numerator, EXACT_BITS);
    mpfr_add_ui(numerator, x, 3, MPFR_RNDN);
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

static int mpfr1_softsign(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding) {
    mpfr_t denominator;
    mpfr_init2(denominator, EXACT_BITS);
    mpfr_abs(denominator, x, MPFR_RNDN);
    mpfr_add_ui(denominator, denominator, 1, MPFR_RNDN);
    int ternary = mpfr_div(y, x, denominator, rounding);
    mpfr_clear(denominator);
    return ternary;
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

static bool special_softsign(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    *y = x->kind == REAL_INFINITE ? real_power_of_two(0) : *x;
    y->negative = x->negative;
    return true;
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
    mpfr_t scale, alpha;
    mpfr_init2(scale, 120);
    mpfr_init2(alpha, 300);
    set_decimal(alpha, SELU_ALPHA, MPFR_RNDZ);
    set_decimal(scale, SELU_SCALE, MPFR_RNDZ);
    mpfr_mul(scale, scale, alpha, MPFR_RNDZ);
    mpfr_neg(scale, scale, MPFR_RNDZ);
    *y = real_from_mpfr(scale, 1);
    mpfr_clears(scale, alpha, (mpfr_ptr)0);
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

static void analytic_elu(acb_t y, const acb_t z, slong precision) {
    analytic_only_where(arb_is_negative(acb_realref(z)), acb_expm1, y, z, precision);
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
                    .analytic = analytic_hardsigmoid,
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
                    .analytic = analytic_hardswish,
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
                    .analytic = analytic_elu,
                    .asymptotes = ASYMPTOTES({RIGHT, LINE(1, 0), ASYMPTOTE_EXACT},
                                             {LEFT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, -1), ASYMPTOTE_ABOVE}),
                    .known_values = "0=0 -0=-0 -inf=-1 inf=inf 3=3"}},
        .landmarks = "-0.6931471805599453 1 -17.33 -37.43",
    },
    {
        .name = "selu",
        .formula = SELU_SCALE " * (x for x > 0, else " SELU_ALPHA " * (e^x - 1))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_selu,
                    .special = special_selu,
                    .ball = ball_selu,
                    .analytic = analytic_selu,
                    .asymptotes = ASYMPTOTES(OVERFLOWS_RIGHT),
                    .known_values = "0=0 -0=-0 inf=inf"}},
        .landmarks = "1 -1 -17.33 -37.43",
    },
    {
        .name = "softsign",
        .formula = "x / (1 + |x|)",
        .operands = 1,
        .results = 1,
        .result = {{.mpfr1 = mpfr1_softsign,
                    .special = special_softsign,
                    .analytic = analytic_softsign,
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
                    .ball = ball_quick_gelu,
                    .analytic = analytic_quick_gelu,
                    .asymptotes = gate_asymptotes,
                    .known_values = "inf=inf -inf=-0 0=0 -0=-0"}},
        .landmarks = "1 10.2 -10.2 -52 -62 -417 -438 -0.7511",
    },
};
OPERATION_FAMILY(activation, rows);
