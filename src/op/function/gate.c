/* The logistic gate, its logarithms, and gates times x, which MPFR does not have: sigmoid, softplus,
 * logsigmoid, silu, mish. gelu.c has two more.
 *
 * Why no result here is a binary fraction outside the special values: one would make a linear
 * relation between exponentials of distinct algebraic numbers with algebraic coefficients, which the
 * Lindemann-Weierstrass theorem excludes (for softplus(x) = c: e^0 + e^x = e^c).
 *
 * Tails need no extra case: where e^-|x| underflows even MPFR, its enclosure is [0, tiny], the sum
 * or product with it is enclosed by two neighbours, and that decides the truncation. */
#include "op/function/family.h"

/* y = e^-|x|, in (0, 1]. */
static void exp_minus_magnitude(struct interval *y, mpfr_srcptr x, struct interval *scratch) {
    interval_set(scratch, x);
    if (mpfr_sgn(x) > 0) {
        mpfr_neg(scratch->low, x, MPFR_RNDD);
        mpfr_neg(scratch->high, x, MPFR_RNDU);
    }
    interval_increasing(y, mpfr_exp, scratch);
}

/* y = 1 / (1 + e^-u) for an enclosed u: increasing. e^-u may overflow, and then y is tiny. */
void bracket_gate(struct interval *y, const struct interval *u, struct interval *scratch) {
    interval_negate(&scratch[0], u);
    interval_increasing(&scratch[1], mpfr_exp, &scratch[0]);
    interval_add_integer(&scratch[0], &scratch[1], 1);
    mpfr_ui_div(y->low, 1, scratch[0].high, MPFR_RNDD);
    mpfr_ui_div(y->high, 1, scratch[0].low, MPFR_RNDU);
}

static void bracket_sigmoid(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    interval_set(&scratch[2], x[0]);
    bracket_gate(y, &scratch[2], scratch);
}

static void bracket_silu(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    bracket_sigmoid(&scratch[3], x, scratch);
    interval_multiply_exact(y, &scratch[3], x[0]);
}

/* softplus(x) = max(x, 0) + log(1 + e^-|x|). */
static void bracket_softplus(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    exp_minus_magnitude(&scratch[0], x[0], &scratch[1]);
    if (mpfr_sgn(x[0]) <= 0) {
        interval_increasing(y, mpfr_log1p, &scratch[0]);
        return;
    }
    interval_increasing(&scratch[1], mpfr_log1p, &scratch[0]);
    interval_set(&scratch[2], x[0]);
    interval_add(y, &scratch[2], &scratch[1]);
}

/* logsigmoid(x) = min(x, 0) - log(1 + e^-|x|). */
static void bracket_logsigmoid(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    exp_minus_magnitude(&scratch[0], x[0], &scratch[1]);
    interval_increasing(&scratch[1], mpfr_log1p, &scratch[0]);
    if (mpfr_sgn(x[0]) >= 0) {
        interval_negate(y, &scratch[1]);
        return;
    }
    interval_negate(&scratch[0], &scratch[1]);
    interval_set(&scratch[2], x[0]);
    interval_add(y, &scratch[2], &scratch[0]);
}

/* mish(x) = x * tanh(softplus(x)). With t = e^x, tanh(log(1 + t)) = n / (n + 2) for n = t (t + 2);
 * with s = e^-x, it is 1 / (1 + 2 s^2 / (1 + 2 s)). The one whose exponential is small is taken. */
static void bracket_mish(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    struct interval *a = &scratch[0], *b = &scratch[1], *c = &scratch[2], *d = &scratch[3];
    exp_minus_magnitude(a, x[0], b);
    if (mpfr_sgn(x[0]) < 0) {
        interval_add_integer(b, a, 2);
        interval_multiply(c, a, b);
        interval_add_integer(b, c, 2);
        interval_divide(d, c, b);
    } else {
        interval_multiply(b, a, a);
        interval_scale(b, b, 1);
        interval_scale(a, a, 1);
        interval_add_integer(c, a, 1);
        interval_divide(a, b, c);
        interval_add_integer(b, a, 1);
        mpfr_ui_div(d->low, 1, b->high, MPFR_RNDD);
        mpfr_ui_div(d->high, 1, b->low, MPFR_RNDU);
    }
    interval_multiply_exact(y, d, x[0]);
}

static bool special_sigmoid(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    if (x->kind == REAL_ZERO)
        return decided(y, real_power_of_two(-1));
    return decided(y, x->negative ? real_zero(false) : real_power_of_two(0));
}

static bool special_softplus(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE || x->kind == REAL_ZERO)
        return false;
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    return decided(y, x->negative ? real_zero(false) : real_infinity(false));
}

static bool special_logsigmoid(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE || x->kind == REAL_ZERO)
        return false;
    if (x->kind == REAL_NAN)
        return decided(y, real_nan());
    return decided(y, x->negative ? real_infinity(true) : real_zero(true));
}

/* silu, gelu, gelu_tanh, mish: x times a gate that goes from 0 to 1. At -infinity the limit, -0. */
bool special_times_gate(struct real *y, const struct real *x) {
    if (x->kind == REAL_FINITE)
        return false;
    if (x->kind == REAL_INFINITE && x->negative)
        return decided(y, real_zero(true));
    return decided(y, *x);
}

/* y = e^-|x|, in (0, 1]. */
static void ball_exp_minus_magnitude(arb_t y, const arb_t x, slong precision) {
    arb_abs(y, x);
    arb_neg(y, y);
    arb_exp(y, y, precision);
}

/* 1 / (1 + e^-x), which is t / (1 + t) with t = e^x left of 0. */
void ball_sigmoid(arb_t y, const arb_t x, slong precision) {
    arb_t t;
    arb_init(t);
    ball_exp_minus_magnitude(t, x, precision);
    arb_add_ui(y, t, 1, precision);
    if (arb_is_positive(x))
        arb_inv(y, y, precision);
    else
        arb_div(y, t, y, precision);
    arb_clear(t);
}

static void ball_silu(arb_t y, const arb_t x, slong precision) {
    ball_sigmoid(y, x, precision);
    arb_mul(y, y, x, precision);
}

/* max(x, 0) + ln(1 + e^-|x|). */
static void ball_softplus(arb_t y, const arb_t x, slong precision) {
    ball_exp_minus_magnitude(y, x, precision);
    arb_log1p(y, y, precision);
    if (arb_is_positive(x))
        arb_add(y, y, x, precision);
}

/* -softplus(-x). */
static void ball_logsigmoid(arb_t y, const arb_t x, slong precision) {
    arb_t t;
    arb_init(t);
    arb_neg(t, x);
    ball_softplus(y, t, precision);
    arb_neg(y, y);
    arb_clear(t);
}

/* x n / (n + 2) left of 0, with t = e^x and n = t (t + 2); x (1 + 2 t) / (1 + 2 t + 2 t^2) right of
 * it, with t = e^-x. */
static void ball_mish(arb_t y, const arb_t x, slong precision) {
    arb_t t, n;
    arb_init(t);
    arb_init(n);
    ball_exp_minus_magnitude(t, x, precision);
    if (arb_is_positive(x)) {
        arb_mul_2exp_si(n, t, 1);
        arb_mul(t, t, n, precision);
        arb_add_ui(n, n, 1, precision);
        arb_add(t, t, n, precision);
    } else {
        arb_add_ui(n, t, 2, precision);
        arb_mul(n, n, t, precision);
        arb_add_ui(t, n, 2, precision);
    }
    arb_div(y, n, t, precision);
    arb_mul(y, y, x, precision);
    arb_clear(n);
    arb_clear(t);
}

/* 1 / (1 + e^-z). */
void analytic_sigmoid(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    acb_init(w);
    acb_neg(w, z);
    acb_exp(y, w, precision);
    acb_add_ui(w, y, 1, precision);
    acb_inv(y, w, precision);
    acb_clear(w);
}

static void analytic_silu(acb_t y, const acb_t z, slong precision) {
    analytic_sigmoid(y, z, precision);
    acb_mul(y, y, z, precision);
}

/* log(1 + e^z), for the right half-plane as z + log(1 + e^-z). */
void analytic_softplus(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    int right = arf_sgn(arb_midref(acb_realref(z))) > 0;
    acb_init(w);
    if (right)
        acb_neg(w, z);
    else
        acb_set(w, z);
    acb_exp(y, w, precision);
    analytic_log1p(w, y, precision);
    if (right)
        acb_add(y, w, z, precision);
    else
        acb_swap(y, w);
    acb_clear(w);
}

static void analytic_logsigmoid(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    acb_init(w);
    acb_neg(w, z);
    analytic_softplus(y, w, precision);
    acb_neg(y, y);
    acb_clear(w);
}

/* z * n / (n + 2) with n = e^z (e^z + 2); for the right half-plane 1 / (1 + 2 s^2 / (1 + 2 s)) with
 * s = e^-z, as in bracket_mish. */
static void analytic_mish(acb_t y, const acb_t z, slong precision) {
    acb_t a, b;
    acb_init(a);
    acb_init(b);
    if (arf_sgn(arb_midref(acb_realref(z))) < 0) {
        acb_exp(a, z, precision);
        acb_add_ui(b, a, 2, precision);
        acb_mul(a, a, b, precision);
        acb_add_ui(b, a, 2, precision);
        acb_div(a, a, b, precision);
    } else {
        acb_neg(b, z);
        acb_exp(a, b, precision);
        acb_mul_2exp_si(a, a, 1);
        acb_add_ui(b, a, 1, precision);
        acb_sqr(a, a, precision);
        acb_mul_2exp_si(a, a, -1);
        acb_div(a, a, b, precision);
        acb_add_ui(a, a, 1, precision);
        acb_inv(a, a, precision);
    }
    acb_mul(y, a, z, precision);
    acb_clear(a);
    acb_clear(b);
}

/* A gate g rises from 0 through 1/2 at 0 to 1. Near 0 the distance of x g(x) to x/2 is
 * x (g(x) - 1/2), which rises with |x|. The tails: x (1 - g(x)) falls where x g'(x) > 1 - g(x), and
 * |x g(x)| where |x| g'(x) > g(x); both hold for |x| > 2. */
#define GATE_TAILS                                                                                 \
    {2, INFINITY, LINE(1, 0), ASYMPTOTE_BELOW}, {                                                  \
        -INFINITY, -2, LINE(0, 0), ASYMPTOTE_BELOW                                                 \
    }
const struct asymptote gate_asymptotes[] = {{-0x1p-10, 0, LINE(0.5, 0), ASYMPTOTE_ABOVE},
                                            {0, 0x1p-10, LINE(0.5, 0), ASYMPTOTE_ABOVE},
                                            GATE_TAILS,
                                            {.side = ASYMPTOTE_END}};

static const struct operation rows[] = {
    {
        .name = "sigmoid",
        .aliases = "logistic expit",
        .formula = "1 / (1 + e^-x)",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_sigmoid,
                    .special = special_sigmoid,
                    .arb = ARB(.ball = ball_sigmoid, .analytic = analytic_sigmoid),
                    /* It rises from 0 through 1/2 at 0 to 1. */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(0, 0.5), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(0, 0.5), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE},
                                             {RIGHT, LINE(0, 1), ASYMPTOTE_BELOW}),
                    .known_values = "-inf=0 inf=1 0=0.5 -0=0.5"}},
        .landmarks = EXP_ENDS " 17.33",
    },
    {
        .name = "softplus",
        .formula = "ln(1 + e^x)",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_softplus,
                    .special = special_softplus,
                    .arb = ARB(.ball = ball_softplus, .analytic = analytic_softplus),
                    /* softplus(x) - x = log(1 + e^-x) falls to 0. */
                    .asymptotes = ASYMPTOTES({RIGHT, LINE(1, 0), ASYMPTOTE_ABOVE},
                                             {LEFT, LINE(0, 0), ASYMPTOTE_ABOVE}),
                    .known_values = "-inf=0 inf=inf"}},
        .landmarks = EXP_ENDS " 17.33",
    },
    {
        .name = "silu",
        .aliases = "swish",
        .formula = "x / (1 + e^-x)",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_silu,
                    .special = special_times_gate,
                    .arb = ARB(.ball = ball_silu, .analytic = analytic_silu),
                    .asymptotes = gate_asymptotes,
                    .known_values = "inf=inf -inf=-0 0=0 -0=-0"}},
        .landmarks = EXP_ENDS " 17.33 -1.2784645",
    },
};
OPERATION_FAMILY(gate, rows);

static const struct operation more_rows[] = {
    {
        .name = "logsigmoid",
        .aliases = "log_sigmoid",
        .formula = "-ln(1 + e^-x)",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_logsigmoid,
                    .special = special_logsigmoid,
                    .arb = ARB(.ball = ball_logsigmoid, .analytic = analytic_logsigmoid),
                    /* logsigmoid(x) - x = -log(1 + e^x). */
                    .asymptotes = ASYMPTOTES({LEFT, LINE(1, 0), ASYMPTOTE_BELOW},
                                             {RIGHT, LINE(0, 0), ASYMPTOTE_BELOW}),
                    .known_values = "inf=-0 -inf=-inf"}},
        .landmarks = EXP_ENDS " 17.33",
    },
    {
        .name = "mish",
        .formula = "x * tanh(ln(1 + e^x))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_mish,
                    .special = special_times_gate,
                    .arb = ARB(.ball = ball_mish, .analytic = analytic_mish),
                    .asymptotes = ASYMPTOTES(GATE_TAILS),
                    /* x g(x) with g(0) = tanh(ln 2) = 3/5, and g rising: g > 3/5 right of 0, and
                     * less left of it. */
                    .supporting_line = &(const struct supporting_line){3, 5},
                    .known_values = "inf=inf -inf=-0 0=0 -0=-0"}},
        .landmarks = EXP_ENDS " -1.1924",
    },
};
OPERATION_FAMILY(more_gate, more_rows);
