/* Continuations of the real functions. Functions made of +, *, / and entire functions need no
 * check: where Arb's result is finite no divisor contains zero, so the function is analytic there.
 */
#include "op/function/analytic.h"

static void times_log(acb_t y, const acb_t z, ulong base, slong precision) {
    arb_t factor;
    arb_init(factor);
    arb_log_ui(factor, base, precision);
    acb_mul_arb(y, z, factor, precision);
    arb_clear(factor);
}

static void over_log(acb_t y, ulong base, slong precision) {
    arb_t factor;
    arb_init(factor);
    arb_log_ui(factor, base, precision);
    acb_div_arb(y, y, factor, precision);
    arb_clear(factor);
}

static void over_pi(acb_t y, slong precision) {
    arb_t pi;
    arb_init(pi);
    arb_const_pi(pi, precision);
    acb_div_arb(y, y, pi, precision);
    arb_clear(pi);
}

/* f(z ln base) for f = e^z or e^z - 1. */
static void power_of(acb_t y, analytic_function *f, const acb_t z, ulong base, slong precision) {
    acb_t w;
    acb_init(w);
    times_log(w, z, base, precision);
    f(y, w, precision);
    acb_clear(w);
}

void analytic_exp2(acb_t y, const acb_t z, slong precision) {
    power_of(y, acb_exp, z, 2, precision);
}

void analytic_exp10(acb_t y, const acb_t z, slong precision) {
    power_of(y, acb_exp, z, 10, precision);
}

void analytic_exp2m1(acb_t y, const acb_t z, slong precision) {
    power_of(y, acb_expm1, z, 2, precision);
}

void analytic_exp10m1(acb_t y, const acb_t z, slong precision) {
    power_of(y, acb_expm1, z, 10, precision);
}

void analytic_log(acb_t y, const acb_t z, slong precision) {
    acb_log_analytic(y, z, 1, precision);
}

void analytic_log2(acb_t y, const acb_t z, slong precision) {
    analytic_log(y, z, precision);
    over_log(y, 2, precision);
}

void analytic_log10(acb_t y, const acb_t z, slong precision) {
    analytic_log(y, z, precision);
    over_log(y, 10, precision);
}

/* acb_log1p is accurate near 0 but knows no cut: left of -1 lies the domain's end. */
void analytic_log1p(acb_t y, const acb_t z, slong precision) {
    arb_t w;
    arb_init(w);
    arb_add_ui(w, acb_realref(z), 1, precision);
    if (arb_is_positive(w))
        acb_log1p(y, z, precision);
    else
        acb_indeterminate(y);
    arb_clear(w);
}

void analytic_log2p1(acb_t y, const acb_t z, slong precision) {
    analytic_log1p(y, z, precision);
    over_log(y, 2, precision);
}

void analytic_log10p1(acb_t y, const acb_t z, slong precision) {
    analytic_log1p(y, z, precision);
    over_log(y, 10, precision);
}

/* Whether |Re z| < 1 on all of the ball: the cuts of asin, acos and atanh begin at -1 and 1. */
static int within_unit(const acb_t z, slong precision) {
    arb_t below, above;
    arb_init(below);
    arb_init(above);
    arb_add_ui(below, acb_realref(z), 1, precision);
    arb_sub_ui(above, acb_realref(z), 1, precision);
    int within = arb_is_positive(below) && arb_is_negative(above);
    arb_clear(below);
    arb_clear(above);
    return within;
}

/* Whether the ball keeps off the cuts of atan and asinh, on the imaginary axis beyond -i and i. */
static int off_imaginary_cuts(const acb_t z, slong precision) {
    if (!arb_contains_zero(acb_realref(z)))
        return 1;
    arb_t above;
    arb_init(above);
    arb_abs(above, acb_imagref(z));
    arb_sub_ui(above, above, 1, precision);
    int off = arb_is_negative(above);
    arb_clear(above);
    return off;
}

/* f where the ball keeps off its cuts. */
static void only_where(int off_cuts, analytic_function *f, acb_t y, const acb_t z,
                       slong precision) {
    if (off_cuts)
        f(y, z, precision);
    else
        acb_indeterminate(y);
}

void analytic_asin(acb_t y, const acb_t z, slong precision) {
    only_where(within_unit(z, precision), acb_asin, y, z, precision);
}

void analytic_acos(acb_t y, const acb_t z, slong precision) {
    only_where(within_unit(z, precision), acb_acos, y, z, precision);
}

void analytic_atanh(acb_t y, const acb_t z, slong precision) {
    only_where(within_unit(z, precision), acb_atanh, y, z, precision);
}

void analytic_atan(acb_t y, const acb_t z, slong precision) {
    only_where(off_imaginary_cuts(z, precision), acb_atan, y, z, precision);
}

/* Odd, and log(z + sqrt(z^2 + 1)) where that does not cancel: right of the imaginary axis. */
void analytic_asinh(acb_t y, const acb_t z, slong precision) {
    int left = arb_is_negative(acb_realref(z));
    if (!left && !arb_is_positive(acb_realref(z))) {
        only_where(off_imaginary_cuts(z, precision), acb_asinh, y, z, precision);
        return;
    }
    acb_t w;
    acb_init(w);
    acb_sqr(w, z, precision);
    acb_add_ui(w, w, 1, precision);
    acb_sqrt_analytic(w, w, 1, precision);
    if (left)
        acb_sub(w, w, z, precision);
    else
        acb_add(w, w, z, precision);
    acb_log_analytic(y, w, 1, precision);
    if (left)
        acb_neg(y, y);
    acb_clear(w);
}

/* The cut of acosh lies left of 1. */
void analytic_acosh(acb_t y, const acb_t z, slong precision) {
    arb_t w;
    arb_init(w);
    arb_sub_ui(w, acb_realref(z), 1, precision);
    only_where(arb_is_positive(w), acb_acosh, y, z, precision);
    arb_clear(w);
}

void analytic_asinpi(acb_t y, const acb_t z, slong precision) {
    analytic_asin(y, z, precision);
    over_pi(y, precision);
}

void analytic_acospi(acb_t y, const acb_t z, slong precision) {
    analytic_acos(y, z, precision);
    over_pi(y, precision);
}

void analytic_atanpi(acb_t y, const acb_t z, slong precision) {
    analytic_atan(y, z, precision);
    over_pi(y, precision);
}

void analytic_sqrt(acb_t y, const acb_t z, slong precision) {
    acb_sqrt_analytic(y, z, 1, precision);
}

void analytic_rsqrt(acb_t y, const acb_t z, slong precision) {
    acb_rsqrt_analytic(y, z, 1, precision);
}

void analytic_recip(acb_t y, const acb_t z, slong precision) {
    acb_inv(y, z, precision);
}

/* Odd: the left half-plane is the right one's mirror. */
void analytic_cbrt(acb_t y, const acb_t z, slong precision) {
    if (arb_is_positive(acb_realref(z))) {
        acb_root_ui(y, z, 3, precision);
    } else if (arb_is_negative(acb_realref(z))) {
        acb_t w;
        acb_init(w);
        acb_neg(w, z);
        acb_root_ui(y, w, 3, precision);
        acb_neg(y, y);
        acb_clear(w);
    } else {
        acb_indeterminate(y);
    }
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

void analytic_silu(acb_t y, const acb_t z, slong precision) {
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

void analytic_logsigmoid(acb_t y, const acb_t z, slong precision) {
    acb_t w;
    acb_init(w);
    acb_neg(w, z);
    analytic_softplus(y, w, precision);
    acb_neg(y, y);
    acb_clear(w);
}

/* z * sigmoid(sqrt(8/pi) * z * (1 + 0.044715 z^2)). */
void analytic_gelu_tanh(acb_t y, const acb_t z, slong precision) {
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

/* z * n / (n + 2) with n = e^z (e^z + 2); for the right half-plane 1 / (1 + 2 s^2 / (1 + 2 s)) with
 * s = e^-z, as in composites.c. */
void analytic_mish(acb_t y, const acb_t z, slong precision) {
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
