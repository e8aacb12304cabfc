/* Exact functions of scaled numbers, and their derivatives times what comes back, over the scale of the
 * result.
 *
 * But at 0, and log at 1, they are transcendental where their argument is a binary fraction (Lindemann; for
 * the derivative of gelu, which is made of e^z and erf, Siegel and Shidlovskii; gelu itself is not known to
 * be), so enclosures close. */
#include "op/enclose.h"
#include "op/function/family.h"
#include "op/scaled/exact.h"

#include <arb_hypgeom.h>

/* e^u is beyond every format where u is at least 2^FAR, or at most -2^FAR. */
enum { FAR = 30 };

/* f(u) = base + rest, u finite and not 0; `sign` as enclose_beside has it. */
struct sum {
    arf_t base;
    arb_t rest;
    int sign;
};

struct scaled_function {
    void (*find)(struct sum *sum, const arb_t u, slong bits);
    double at_0; /* NaN: u itself */
    double ends[2];
    double least; /* NaN below */
};

static bool is_small(const arb_t u, slong exponent) {
    return arf_cmpabs_2exp_si(arb_midref(u), exponent) < 0;
}

static int sign_of(const arb_t u) {
    return arf_sgn(arb_midref(u));
}

static void find_exp(struct sum *sum, const arb_t u, slong bits) {
    const bool small = is_small(u, 0);
    arf_set_ui(sum->base, small);
    (small ? arb_expm1 : arb_exp)(sum->rest, u, bits);
    sum->sign = small ? sign_of(u) : 1;
}

static void find_log(struct sum *sum, const arb_t u, slong bits) {
    arb_log(sum->rest, u, bits);
}

/* rest = f(-|u|) times 2^k. */
static void find_left(struct sum *sum, ball_function *f, const arb_t u, slong k, slong bits) {
    arb_t left;
    arb_init(left);
    arb_abs(left, u);
    arb_neg(left, left);
    f(sum->rest, left, bits);
    arb_mul_2exp_si(sum->rest, sum->rest, k);
    arb_clear(left);
}

/* rest = 2 / (1 + e^(2 |u|)). */
static void find_tail(struct sum *sum, const arb_t u, slong bits) {
    arb_t twice;
    arb_init(twice);
    arb_mul_2exp_si(twice, u, 1);
    find_left(sum, ball_sigmoid, twice, 1, bits);
    arb_clear(twice);
}

/* Just beside u, which u - u^3 / 3 and u enclose; just beside 1 or -1. */
static void find_tanh(struct sum *sum, const arb_t u, slong bits) {
    sum->sign = -sign_of(u);
    if (is_small(u, -bits)) {
        arf_set(sum->base, arb_midref(u));
        arb_pow_ui(sum->rest, u, 3, bits);
        arb_div_si(sum->rest, sum->rest, -6, bits);
        arb_get_mag(arb_radref(sum->rest), sum->rest);
    } else if (is_small(u, 0)) {
        arb_tanh(sum->rest, u, bits);
        sum->sign = sign_of(u);
    } else {
        arf_set_si(sum->base, sign_of(u));
        find_tail(sum, u, bits);
        if (sum->sign < 0)
            arb_neg(sum->rest, sum->rest);
    }
}

/* 1/2 + tanh(u/2) / 2, 1 - sigmoid(-u). */
static void find_sigmoid(struct sum *sum, const arb_t u, slong bits) {
    sum->sign = sign_of(u);
    if (is_small(u, -1)) {
        arf_set_d(sum->base, 0.5);
        arb_mul_2exp_si(sum->rest, u, -1);
        arb_tanh(sum->rest, sum->rest, bits);
        arb_mul_2exp_si(sum->rest, sum->rest, -1);
        return;
    }
    const bool right = sum->sign > 0;
    arf_set_ui(sum->base, right);
    find_left(sum, ball_sigmoid, u, 0, bits);
    if (right)
        arb_neg(sum->rest, sum->rest);
    sum->sign = right ? -1 : 1;
}

/* rest = erf(u / 2^(1/2)) / 2. */
static void find_half_erf(struct sum *sum, const arb_t u, slong bits) {
    arb_sqrt_ui(sum->rest, 2, bits);
    arb_div(sum->rest, u, sum->rest, bits);
    arb_hypgeom_erf(sum->rest, sum->rest, bits);
    arb_mul_2exp_si(sum->rest, sum->rest, -1);
}

/* u ndtr(u) beside u/2, beside u, or left of 0. */
static void find_gelu(struct sum *sum, const arb_t u, slong bits) {
    const bool small = is_small(u, 0), right = sign_of(u) > 0;
    if (small) {
        arf_mul_2exp_si(sum->base, arb_midref(u), -1);
        find_half_erf(sum, u, bits);
    } else {
        if (right)
            arf_set(sum->base, arb_midref(u));
        find_left(sum, ball_ndtr, u, 0, bits);
    }
    arb_mul(sum->rest, sum->rest, u, bits);
    if (right && !small)
        arb_neg(sum->rest, sum->rest);
    sum->sign = small ? 1 : -1;
}

/* 1 - tanh^2 u, or tail (2 - tail). */
static void find_tanh_slope(struct sum *sum, const arb_t u, slong bits) {
    if (is_small(u, 0)) {
        arf_one(sum->base);
        arb_tanh(sum->rest, u, bits);
        arb_mul(sum->rest, sum->rest, sum->rest, bits);
        arb_neg(sum->rest, sum->rest);
        sum->sign = -1;
        return;
    }
    arb_t other;
    arb_init(other);
    find_tail(sum, u, bits);
    arb_sub_ui(other, sum->rest, 2, bits);
    arb_mul(sum->rest, sum->rest, other, bits);
    arb_neg(sum->rest, sum->rest);
    sum->sign = 1;
    arb_clear(other);
}

/* A quarter of that at u/2. */
static void find_sigmoid_slope(struct sum *sum, const arb_t u, slong bits) {
    arb_t half;
    arb_init(half);
    arb_mul_2exp_si(half, u, -1);
    find_tanh_slope(sum, half, bits);
    arf_mul_2exp_si(sum->base, sum->base, -2);
    arb_mul_2exp_si(sum->rest, sum->rest, -2);
    arb_clear(half);
}

/* ndtr(u) + u e^(-u^2/2) / (2 pi)^(1/2) beside 1/2, beside 1, or left of 0, where it is negative. */
static void find_gelu_slope(struct sum *sum, const arb_t u, slong bits) {
    const bool small = is_small(u, 0), right = sign_of(u) > 0;
    arb_t density, root;
    arb_init(density);
    arb_init(root);
    arf_set_d(sum->base, small ? 0.5 : right);
    if (small) {
        find_half_erf(sum, u, bits);
    } else {
        find_left(sum, ball_ndtr, u, 0, bits);
        if (right)
            arb_neg(sum->rest, sum->rest);
    }
    arb_mul(density, u, u, bits);
    arb_mul_2exp_si(density, density, -1);
    arb_neg(density, density);
    arb_exp(density, density, bits);
    arb_const_pi(root, bits);
    arb_mul_2exp_si(root, root, 1);
    arb_rsqrt(root, root, bits);
    arb_mul(density, density, root, bits);
    arb_addmul(sum->rest, density, u, bits);
    sum->sign = sign_of(u);
    arb_clear(root);
    arb_clear(density);
}

const struct scaled_function scaled_exp_function = {find_exp, 1, {0, INFINITY}, -INFINITY},
                             scaled_log_function = {find_log, -INFINITY, {NAN, INFINITY}, 0},
                             scaled_sigmoid_function = {find_sigmoid, 0.5, {0, 1}, -INFINITY},
                             scaled_tanh_function = {find_tanh, NAN, {-1, 1}, -INFINITY},
                             scaled_gelu_function = {find_gelu, NAN, {-0.0, INFINITY}, -INFINITY},
                             scaled_sigmoid_slope = {find_sigmoid_slope, 0.25, {0, 0}, -INFINITY},
                             scaled_tanh_slope = {find_tanh_slope, 1, {0, 0}, -INFINITY},
                             scaled_gelu_slope = {find_gelu_slope, 0.5, {0, 1}, -INFINITY};

struct scaled_scale scaled_function_scale(const struct scaled_function *function,
                                          struct scaled_scale a) {
    struct scaled_scale one = {1, 0, a.is_power};
    float m = a.m < 0 ? -a.m : a.m;
    if (m == 0 || !isfinite(m))
        return one;
    if (function == &scaled_gelu_function)
        return (struct scaled_scale){m, a.e, a.is_power};
    if (function == &scaled_tanh_function && (a.is_power ? a.e <= 0 : m <= 1))
        return (struct scaled_scale){m, a.e, a.is_power};
    if (function == &scaled_log_function)
        for (int64_t far = a.e < 0 ? -(int64_t)a.e : a.e; far > 127; far /= 2)
            one.e++;
    return one;
}

struct asked {
    const struct scaled_function *function;
    arb_t u;
    arf_t v, c;
    struct sum sum;
};

static void enclose_function_of(void *context, struct interval *y) {
    struct asked *asked = context;
    struct sum *sum = &asked->sum;
    const slong bits = (slong)mpfr_get_prec(y->low);
    arf_zero(sum->base);
    sum->sign = 0;
    asked->function->find(sum, asked->u, bits);
    arf_mul(sum->base, sum->base, asked->v, ARF_PREC_EXACT, ARF_RND_DOWN);
    arb_mul_arf(sum->rest, sum->rest, asked->v, bits);
    enclose_beside(y, sum->base, sum->rest, sum->sign * arf_sgn(asked->v), asked->c);
}

/* Of finite u, not 0, and v. */
static bool enclosed(const struct scaled_exact *exact, const struct scaled_function *function,
                     struct scaled_scale c, int precision, struct real *y, struct error *error) {
    struct asked asked = {.function = function};
    arb_init(asked.u);
    arf_init(asked.v);
    arf_init(asked.c);
    arf_init(asked.sum.base);
    arb_init(asked.sum.rest);
    arf_set_mpfr(arb_midref(asked.u), exact->u);
    arf_set_mpfr(asked.v, exact->v);
    arf_set_d(asked.c, (double)c.m);
    arf_mul_2exp_si(asked.c, asked.c, c.e);
    bool found = enclose(enclose_function_of, &asked, precision, REAL_HUGE_EXPONENT,
                         "a function of a scaled number", y, error);
    arb_clear(asked.u);
    arf_clear(asked.v);
    arf_clear(asked.c);
    arf_clear(asked.sum.base);
    arb_clear(asked.sum.rest);
    return found;
}

/* Of infinite u, and of 0: f(u) v over the scale. */
static struct real at_limit(struct scaled_exact *exact, const struct scaled_function *function,
                            struct scaled_scale c) {
    const bool right = mpfr_sgn(exact->u) > 0;
    const double limit = mpfr_inf_p(exact->u) ? function->ends[right] : function->at_0;
    if (mpfr_zero_p(exact->u) && isnan(limit))
        mpfr_mul(exact->u, exact->u, exact->v, MPFR_RNDN);
    else
        mpfr_mul_d(exact->u, exact->v, limit, MPFR_RNDN);
    mpfr_set_flt(exact->mc, c.m, MPFR_RNDN);
    int ternary = mpfr_div(exact->y, exact->u, exact->mc, MPFR_RNDZ);
    if (mpfr_regular_p(exact->y))
        mpfr_div_2si(exact->y, exact->y, c.e, MPFR_RNDZ);
    return real_from_mpfr(exact->y, ternary);
}

bool scaled_exact_function(struct scaled_exact *exact, const struct scaled_function *function,
                           struct scaled_scale c, int precision, struct real *y,
                           struct error *error) {
    mpfr_ptr u = exact->u, v = exact->v;
    const bool negative = mpfr_signbit(v) != 0, left = mpfr_sgn(u) < 0;
    if (mpfr_nan_p(u) || mpfr_nan_p(v) || mpfr_cmp_d(u, function->least) < 0)
        *y = real_nan();
    else if (!mpfr_regular_p(u))
        *y = at_limit(exact, function, c);
    else if (!mpfr_regular_p(v)) { /* what is to the right or the left of 0 is never 0 */
        const bool infinite = mpfr_inf_p(v);
        mpfr_set_si(v, negative ? -1 : 1, MPFR_RNDN);
        if (!scaled_exact_function(exact, function, c, precision, y, error))
            return false;
        *y = infinite ? real_infinity(y->negative) : real_zero(y->negative);
    } else if (function == &scaled_exp_function && mpfr_get_exp(u) > FAR)
        *y = left ? real_tiny(negative) : real_huge(negative);
    else if (function == &scaled_log_function && mpfr_cmp_ui(u, 1) == 0)
        *y = real_zero(false);
    else
        return enclosed(exact, function, c, precision, y, error);
    return true;
}
