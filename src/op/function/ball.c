/* Functions that Arb encloses; every step keeps the rigour of its balls. */
#include "op/function/ball.h"

#include <arb_hypgeom.h>

/* A constant that Arb keeps. */
typedef void constant_function(arb_t y, slong precision);

/* y = f(c x). */
static void of_multiple(arb_t y, const arb_t x, ball_function *function,
                        constant_function *constant, slong precision) {
    arb_t multiple;
    arb_init(multiple);
    constant(multiple, precision);
    arb_mul(multiple, multiple, x, precision);
    function(y, multiple, precision);
    arb_clear(multiple);
}

/* y = f(x) / c. */
static void over_constant(arb_t y, const arb_t x, ball_function *function,
                          constant_function *constant, slong precision) {
    arb_t divisor;
    arb_init(divisor);
    constant(divisor, precision);
    function(y, x, precision);
    arb_div(y, y, divisor, precision);
    arb_clear(divisor);
}

#define BALL_OF_MULTIPLE(NAME, FUNCTION, CONSTANT)                                                 \
    void ball_##NAME(arb_t y, const arb_t x, slong precision) {                                    \
        of_multiple(y, x, FUNCTION, CONSTANT, precision);                                          \
    }
#define BALL_OVER_CONSTANT(NAME, FUNCTION, CONSTANT)                                               \
    void ball_##NAME(arb_t y, const arb_t x, slong precision) {                                    \
        over_constant(y, x, FUNCTION, CONSTANT, precision);                                        \
    }

BALL_OF_MULTIPLE(exp2, arb_exp, arb_const_log2)
BALL_OF_MULTIPLE(exp10, arb_exp, arb_const_log10)
BALL_OF_MULTIPLE(exp2m1, arb_expm1, arb_const_log2)
BALL_OF_MULTIPLE(exp10m1, arb_expm1, arb_const_log10)
BALL_OVER_CONSTANT(log2p1, arb_log1p, arb_const_log2)
BALL_OVER_CONSTANT(log10p1, arb_log1p, arb_const_log10)
BALL_OVER_CONSTANT(asinpi, arb_asin, arb_const_pi)
BALL_OVER_CONSTANT(acospi, arb_acos, arb_const_pi)
BALL_OVER_CONSTANT(atanpi, arb_atan, arb_const_pi)

void ball_log2(arb_t y, const arb_t x, slong precision) {
    arb_log_base_ui(y, x, 2, precision);
}

void ball_log10(arb_t y, const arb_t x, slong precision) {
    arb_log_base_ui(y, x, 10, precision);
}

void ball_erf(arb_t y, const arb_t x, slong precision) {
    arb_hypgeom_erf(y, x, precision);
}

void ball_erfc(arb_t y, const arb_t x, slong precision) {
    arb_hypgeom_erfc(y, x, precision);
}

/* From 2^12 on, gamma(x) >= 4095! > (4095/e)^4095 > 2^43000: a quarter of fp32's positive numbers.
 */
void ball_tgamma(arb_t y, const arb_t x, slong precision) {
    if (arf_cmp_2exp_si(arb_midref(x), 12) >= 0)
        arb_pos_inf(y);
    else if (arb_is_nonpositive(x) && arb_is_int(x))
        arb_indeterminate(y);
    else
        arb_hypgeom_gamma(y, x, precision);
}

/* Left of 0 as the logarithm of |gamma|, which loses bits around the zeros and no rigour. */
void ball_lgamma(arb_t y, const arb_t x, slong precision) {
    if (arb_is_positive(x)) {
        arb_hypgeom_lgamma(y, x, precision);
        return;
    }
    ball_tgamma(y, x, precision);
    arb_abs(y, y);
    arb_log(y, y, precision);
}

/* y = e^-|x|, in (0, 1]. */
static void exp_minus_magnitude(arb_t y, const arb_t x, slong precision) {
    arb_abs(y, x);
    arb_neg(y, y);
    arb_exp(y, y, precision);
}

/* 1 / (1 + e^-x), which is t / (1 + t) with t = e^x left of 0. */
void ball_sigmoid(arb_t y, const arb_t x, slong precision) {
    arb_t t;
    arb_init(t);
    exp_minus_magnitude(t, x, precision);
    arb_add_ui(y, t, 1, precision);
    if (arb_is_positive(x))
        arb_inv(y, y, precision);
    else
        arb_div(y, t, y, precision);
    arb_clear(t);
}

void ball_silu(arb_t y, const arb_t x, slong precision) {
    ball_sigmoid(y, x, precision);
    arb_mul(y, y, x, precision);
}

/* max(x, 0) + ln(1 + e^-|x|). */
void ball_softplus(arb_t y, const arb_t x, slong precision) {
    exp_minus_magnitude(y, x, precision);
    arb_log1p(y, y, precision);
    if (arb_is_positive(x))
        arb_add(y, y, x, precision);
}

/* -softplus(-x). */
void ball_logsigmoid(arb_t y, const arb_t x, slong precision) {
    arb_t t;
    arb_init(t);
    arb_neg(t, x);
    ball_softplus(y, t, precision);
    arb_neg(y, y);
    arb_clear(t);
}

/* x/2 * erfc(-x / 2^(1/2)). */
void ball_gelu(arb_t y, const arb_t x, slong precision) {
    arb_t u;
    arb_init(u);
    arb_sqrt_ui(u, 2, precision);
    arb_div(u, x, u, precision);
    arb_neg(u, u);
    arb_hypgeom_erfc(u, u, precision);
    arb_mul(y, u, x, precision);
    arb_mul_2exp_si(y, y, -1);
    arb_clear(u);
}

/* x * sigmoid(v), v = (8/pi)^(1/2) * x * (1 + 0.044715 x^2). */
void ball_gelu_tanh(arb_t y, const arb_t x, slong precision) {
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

/* x n / (n + 2) left of 0, with t = e^x and n = t (t + 2); x (1 + 2 t) / (1 + 2 t + 2 t^2) right of
 * it, with t = e^-x. */
void ball_mish(arb_t y, const arb_t x, slong precision) {
    arb_t t, n;
    arb_init(t);
    arb_init(n);
    exp_minus_magnitude(t, x, precision);
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
