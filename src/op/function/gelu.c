/* gelu and its approximation by tanh: x times a gate, as in gate.c.
 *
 * Their values are not known to be irrational; were one a binary fraction outside the special
 * values, the Ziv loop would end at its cap with an error and not with a guess. */
#include "op/function/family.h"

/* gelu(x) = x * ndtr(x) = x/2 * erfc(-x/sqrt(2)). */
static void bracket_gelu(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    bracket_ndtr(&scratch[2], x, scratch);
    interval_multiply_exact(y, &scratch[2], x[0]);
}

/* gelu_tanh(x) = x/2 * (1 + tanh u) = x / (1 + e^-2u), u = sqrt(2/pi) * (x + 0.044715 x^3), with
 * the decimal 0.044715 and the real sqrt(2/pi). So -2u = -(x + 0.044715 x^3) * sqrt(8/pi). */
static void bracket_gelu_tanh(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    struct interval *a = &scratch[0], *b = &scratch[1], *c = &scratch[2];
    /* c = 1 + 0.044715 x^2, positive */
    mpfr_sqr(a->low, x[0], MPFR_RNDD);
    mpfr_sqr(a->high, x[0], MPFR_RNDU);
    mpfr_mul_ui(b->low, a->low, 44715, MPFR_RNDD);
    mpfr_mul_ui(b->high, a->high, 44715, MPFR_RNDU);
    mpfr_div_ui(a->low, b->low, 1000000, MPFR_RNDD);
    mpfr_div_ui(a->high, b->high, 1000000, MPFR_RNDU);
    interval_add_integer(c, a, 1);
    /* b = sqrt(8/pi) */
    mpfr_const_pi(a->low, MPFR_RNDD);
    mpfr_const_pi(a->high, MPFR_RNDU);
    mpfr_ui_div(b->low, 8, a->high, MPFR_RNDD);
    mpfr_ui_div(b->high, 8, a->low, MPFR_RNDU);
    interval_increasing(a, mpfr_sqrt, b);
    interval_multiply(b, a, c);
    interval_multiply_exact(c, b, x[0]);
    bracket_gate(&scratch[3], c, scratch);
    interval_multiply_exact(y, &scratch[3], x[0]);
}

static void ball_gelu(arb_t y, const arb_t x, slong precision) {
    arb_t gate;
    arb_init(gate);
    ball_ndtr(gate, x, precision);
    arb_mul(y, gate, x, precision);
    arb_clear(gate);
}

/* x * sigmoid(v), v = (8/pi)^(1/2) * x * (1 + 0.044715 x^2). */
static void ball_gelu_tanh(arb_t y, const arb_t x, slong precision) {
    arb_t v, root;
    arb_init(v);
    arb_init(root);
    arb_mul(v, x, x, precision);
    arb_mul_ui(v, v, 44715, precision);
    arb_div_ui(v, v, 1000000, precision);
    arb_add_ui(v, v, 1, precision);
    arb_mul(v, v, x, precision);
    arb_const_pi(root, precision);
    arb_ui_div(root, 8, root, precision);
    arb_sqrt(root, root, precision);
    arb_mul(v, v, root, precision);
    ball_sigmoid(y, v, precision);
    arb_mul(y, y, x, precision);
    arb_clear(root);
    arb_clear(v);
}

/* z ndtr(z). */
static void analytic_gelu(acb_t y, const acb_t z, slong precision) {
    analytic_ndtr(y, z, precision);
    acb_mul(y, y, z, precision);
}

/* z * sigmoid(sqrt(8/pi) * z * (1 + 0.044715 z^2)). */
static void analytic_gelu_tanh(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    arb_t root;
    acb_init(w);
    arb_init(root);
    acb_sqr(w, z, precision);
    acb_mul_ui(w, w, 44715, precision);
    acb_div_ui(w, w, 1000000, precision);
    acb_add_ui(w, w, 1, precision);
    acb_mul(w, w, z, precision);
    arb_const_pi(root, precision);
    arb_ui_div(root, 8, root, precision);
    arb_sqrt(root, root, precision);
    acb_mul_arb(w, w, root, precision);
    analytic_sigmoid(y, w, precision);
    acb_mul(y, y, z, precision);
    acb_clear(w);
    arb_clear(root);
}

static const struct operation rows[] = {
    {
        .name = "gelu",
        .aliases = "gelu_erf",
        .formula = "x/2 * (1 + erf(x / 2^(1/2)))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_gelu,
                    .special = special_times_gate,
                    .arb = ARB(.ball = ball_gelu, .analytic = analytic_gelu),
                    .asymptotes = gate_asymptotes,
                    .known_values = "inf=inf -inf=-0 0=0 -0=-0"}},
        .landmarks = "1 5.3 -5.3 -13.2 -14.3 -37.5 -38.5 -0.7517915247",
    },
    {
        .name = "gelu_tanh",
        .formula = "x/2 * (1 + tanh((2/pi)^(1/2) * (x + 0.044715 x^3)))",
        .operands = 1,
        .results = 1,
        .result = {{.bracket = bracket_gelu_tanh,
                    .special = special_times_gate,
                    .arb = ARB(.ball = ball_gelu_tanh, .analytic = analytic_gelu_tanh),
                    .asymptotes = gate_asymptotes,
                    .known_values = "inf=inf -inf=-0 0=0 -0=-0"}},
        .landmarks = "1 4.7 -4.7 -9.9 -10.1 -21 -0.7524614",
    },
};
OPERATION_FAMILY(gelu, rows);
