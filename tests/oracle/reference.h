/* Second opinions on MPFR's functions: each computed by another route than the function under test
 * (sinpi as sin(pi x), exp10m1 as 10^x - 1, sin from cos, lgamma by duplication ...) at a precision
 * that what cancels cannot exhaust. */
#ifndef DETCHECK_TESTS_ORACLE_REFERENCE_H
#define DETCHECK_TESTS_ORACLE_REFERENCE_H

#define N MPFR_RNDN

#include <mpfr.h>

/* y has the working precision; x is finite and holds a number of the format. */
typedef void reference_function(mpfr_ptr y, mpfr_srcptr x);

/* For steps that need a second variable of the same precision. */
#define WITH_TEMPORARY(y, t, ...)                                                                  \
    do {                                                                                           \
        mpfr_t t;                                                                                  \
        mpfr_init2(t, mpfr_get_prec(y));                                                           \
        __VA_ARGS__;                                                                               \
        mpfr_clear(t);                                                                             \
    } while (0)

/* base^x as 2^(x log2 base): another exponential than mpfr_exp and mpfr_exp10 themselves. */
static inline void reference_power(mpfr_ptr y, mpfr_srcptr x, unsigned long base) {
    if (base == 0)
        mpfr_set_ui(y, 1, N), mpfr_exp(y, y, N);
    else
        mpfr_set_ui(y, base, N);
    mpfr_log2(y, y, N);
    mpfr_mul(y, y, x, N);
    mpfr_exp2(y, y, N);
}

static inline void reference_exp(mpfr_ptr y, mpfr_srcptr x) {
    reference_power(y, x, 0);
}

static inline void reference_exp2(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_const_log2(y, N);
    mpfr_mul(y, y, x, N);
    mpfr_exp(y, y, N);
}

static inline void reference_exp10(mpfr_ptr y, mpfr_srcptr x) {
    reference_power(y, x, 10);
}

static inline void reference_expm1(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_exp(y, x, N);
    mpfr_sub_ui(y, y, 1, N);
}

static inline void reference_exp2m1(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_exp2(y, x, N);
    mpfr_sub_ui(y, y, 1, N);
}

static inline void reference_exp10m1(mpfr_ptr y, mpfr_srcptr x) {
    reference_power(y, x, 10);
    mpfr_sub_ui(y, y, 1, N);
}

static inline void reference_log(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_log2(y, x, N);
    WITH_TEMPORARY(y, t, mpfr_const_log2(t, N), mpfr_mul(y, y, t, N));
}

static inline void reference_log2(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_log(y, x, N);
    WITH_TEMPORARY(y, t, mpfr_const_log2(t, N), mpfr_div(y, y, t, N));
}

static inline void reference_log10(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_log2(y, x, N);
    WITH_TEMPORARY(y, t, mpfr_set_ui(t, 10, N), mpfr_log2(t, t, N), mpfr_div(y, y, t, N));
}

/* The working precision holds 1 + x exactly. */
static inline void reference_log1p(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_add_ui(t, x, 1, N), mpfr_log(y, t, N));
}

static inline void reference_log2p1(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_add_ui(t, x, 1, N), mpfr_log2(y, t, N));
}

static inline void reference_log10p1(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_add_ui(t, x, 1, N), mpfr_log10(y, t, N));
}

/* sin x = cos(x - pi/2), cos x = 1 - 2 sin^2(x/2). */
static inline void reference_sin(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_const_pi(y, N);
    mpfr_div_2ui(y, y, 1, N);
    mpfr_sub(y, x, y, N);
    mpfr_cos(y, y, N);
}

static inline void reference_cos(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_div_2ui(y, x, 1, N);
    mpfr_sin(y, y, N);
    mpfr_sqr(y, y, N);
    mpfr_mul_2ui(y, y, 1, N);
    mpfr_ui_sub(y, 1, y, N);
}

static inline void reference_tan(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_sin_cos(y, t, x, N), mpfr_div(y, y, t, N));
}

/* asin x = atan(x / sqrt((1 - x)(1 + x))), acos x = 2 atan(sqrt((1 - x)/(1 + x))). */
static inline void reference_asin(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_ui_sub(t, 1, x, N), mpfr_add_ui(y, x, 1, N), mpfr_mul(t, t, y, N),
                   mpfr_sqrt(t, t, N), mpfr_div(t, x, t, N), mpfr_atan(y, t, N));
}

static inline void reference_acos(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_ui_sub(t, 1, x, N), mpfr_add_ui(y, x, 1, N), mpfr_div(t, t, y, N),
                   mpfr_sqrt(t, t, N), mpfr_atan(y, t, N), mpfr_mul_2ui(y, y, 1, N));
}

/* atan x = asin(x / sqrt(1 + x^2)) */
static inline void reference_atan(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_sqr(t, x, N), mpfr_add_ui(t, t, 1, N), mpfr_sqrt(t, t, N),
                   mpfr_div(t, x, t, N), mpfr_asin(y, t, N));
}

static inline void times_pi(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_const_pi(y, N);
    mpfr_mul(y, y, x, N);
}

static inline void over_pi(mpfr_ptr y) {
    WITH_TEMPORARY(y, t, mpfr_const_pi(t, N), mpfr_div(y, y, t, N));
}

static inline void reference_sinpi(mpfr_ptr y, mpfr_srcptr x) {
    times_pi(y, x);
    mpfr_sin(y, y, N);
}

static inline void reference_cospi(mpfr_ptr y, mpfr_srcptr x) {
    times_pi(y, x);
    mpfr_cos(y, y, N);
}

static inline void reference_tanpi(mpfr_ptr y, mpfr_srcptr x) {
    times_pi(y, x);
    mpfr_tan(y, y, N);
}

static inline void reference_asinpi(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_asin(y, x, N);
    over_pi(y);
}

static inline void reference_acospi(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_acos(y, x, N);
    over_pi(y);
}

static inline void reference_atanpi(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_atan(y, x, N);
    over_pi(y);
}

/* (e^x - e^-x)/2, (e^x + e^-x)/2, (e^2x - 1)/(e^2x + 1) */
static inline void reference_sinh(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_exp(t, x, N), mpfr_ui_div(y, 1, t, N), mpfr_sub(y, t, y, N),
                   mpfr_div_2ui(y, y, 1, N));
}

static inline void reference_cosh(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_exp(t, x, N), mpfr_ui_div(y, 1, t, N), mpfr_add(y, t, y, N),
                   mpfr_div_2ui(y, y, 1, N));
}

static inline void reference_tanh(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_mul_2ui(t, x, 1, N), mpfr_exp(t, t, N), mpfr_sub_ui(y, t, 1, N),
                   mpfr_add_ui(t, t, 1, N), mpfr_div(y, y, t, N));
}

/* log(|x| + sqrt(x^2 + 1)) with the sign of x, log(x + sqrt(x^2 - 1)), log((1 + x)/(1 - x))/2 */
static inline void reference_asinh(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_sqr(y, x, N), mpfr_add_ui(y, y, 1, N), mpfr_sqrt(y, y, N),
                   mpfr_abs(t, x, N), mpfr_add(y, y, t, N), mpfr_log(y, y, N),
                   mpfr_copysign(y, y, x, N));
}

static inline void reference_acosh(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_sqr(t, x, N), mpfr_sub_ui(t, t, 1, N), mpfr_sqrt(t, t, N),
                   mpfr_add(t, t, x, N), mpfr_log(y, t, N));
    if (mpfr_sgn(x) < 0)
        mpfr_set_nan(y);
}

static inline void reference_atanh(mpfr_ptr y, mpfr_srcptr x) {
    WITH_TEMPORARY(y, t, mpfr_ui_sub(t, 1, x, N), mpfr_add_ui(y, x, 1, N), mpfr_div(y, y, t, N),
                   mpfr_log(y, y, N), mpfr_div_2ui(y, y, 1, N));
}

static inline void reference_cbrt(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_abs(y, x, N);
    mpfr_log(y, y, N);
    mpfr_div_ui(y, y, 3, N);
    mpfr_exp(y, y, N);
    mpfr_copysign(y, y, x, N);
}

static inline void reference_rsqrt(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_sqrt(y, x, N);
    mpfr_ui_div(y, 1, y, N);
}

static inline void reference_erf(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_erfc(y, x, N);
    mpfr_ui_sub(y, 1, y, N);
}

static inline void reference_erfc(mpfr_ptr y, mpfr_srcptr x) {
    mpfr_erf(y, x, N);
    mpfr_ui_sub(y, 1, y, N);
}

/* Legendre's duplication: gamma(x) = gamma(x/2) gamma(x/2 + 1/2) 2^(x-1) / sqrt(pi). */
static inline void reference_lgamma(mpfr_ptr y, mpfr_srcptr x) {
    int sign;
    mpfr_t t;
    mpfr_init2(t, mpfr_get_prec(y));
    mpfr_div_2ui(t, x, 1, N);
    mpfr_lgamma(y, &sign, t, N);
    mpfr_add_d(t, t, 0.5, N);
    mpfr_lgamma(t, &sign, t, N);
    mpfr_add(y, y, t, N);
    mpfr_const_pi(t, N);
    mpfr_log(t, t, N);
    mpfr_div_2ui(t, t, 1, N);
    mpfr_sub(y, y, t, N);
    mpfr_const_log2(t, N);
    mpfr_mul(t, t, x, N);
    mpfr_add(y, y, t, N);
    mpfr_const_log2(t, N);
    mpfr_sub(y, y, t, N);
    mpfr_clear(t);
}

/* e^lgamma, negative between -1 and 0, positive between -2 and -1, and so on. */
static inline void reference_tgamma(mpfr_ptr y, mpfr_srcptr x) {
    int sign;
    mpfr_lgamma(y, &sign, x, N);
    mpfr_exp(y, y, N);
    if (mpfr_sgn(x) < 0 && (mpfr_get_si(x, MPFR_RNDD) & 1))
        mpfr_neg(y, y, N);
}

#endif
