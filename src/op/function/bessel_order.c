/* Bessel functions of any integer order: jn and yn of POSIX, whose first operand is an int
 * (op/operation.h, enum c_signature).
 *
 * MPFR takes minutes where order and argument are large. Arb's series and asymptotic expansions serve
 * for small orders, and for arguments far beyond the square of the order; integrals serve for the
 * rest (op/function/bessel_integral.h). J_n and Y_n at algebraic numbers other than 0 are
 * transcendental (Siegel), so no binary fractions. */
#include "op/function/bessel_bound.h"
#include "op/function/bessel_integral.h"
#include "op/function/family.h"
#include "op/function/integer.h"

#include <arb_hypgeom.h>
#include <limits.h>
#include <stdlib.h>

/* From that order on, integrals; unless x has so many bits more than n^2. */
enum { LEAST_INTEGRATED = 512, ASYMPTOTIC_BITS = 8 };

/* The fast oracle takes orders up to this. */
enum { MOST_FITTED = 1024 };

/* J_-n(x) = J_n(-x) = (-1)^n J_n(x), and Y_-n(x) = (-1)^n Y_n(x). */
static bool changes_sign(long long order, bool negative) {
    return order % 2 != 0 && negative;
}

static slong integer_bits(const arb_t x) {
    return FLINT_MAX(arf_abs_bound_lt_2exp_si(arb_midref(x)), 0);
}

/* J_n(x), or Y_n(x) where `second`, for n >= 0 and x > 0. */
static void ball_of_order(arb_t y, bool second, ulong order, const arb_t x, slong precision) {
    arb_t n;
    arb_init(n);
    arb_set_ui(n, order);
    slong bits = integer_bits(x);
    if (order < LEAST_INTEGRATED || bits > 2 * integer_bits(n) + ASYMPTOTIC_BITS)
        (second ? arb_hypgeom_bessel_y : arb_hypgeom_bessel_j)(y, n, x, precision + bits);
    else
        bessel_integral(second ? NULL : y, second ? y : NULL, order, x, precision);
    arb_clear(n);
}

static void ball_jn(arb_t y, const arb_t n, const arb_t x, slong precision) {
    long long order = arf_get_si(arb_midref(n), ARF_RND_DOWN);
    ulong size = (ulong)llabs(order);
    arb_t magnitude;
    arb_init(magnitude);
    arb_abs(magnitude, x);
    if (size > 0 && bessel_j_is_tiny(size, magnitude)) {
        arb_one(y);
        arb_mul_2exp_si(y, y, -2 * INTERVAL_DECIDED_BY_SIZE);
    } else {
        ball_of_order(y, false, size, magnitude, precision);
    }
    if (changes_sign(order, order < 0) != changes_sign(order, arb_is_negative(x)))
        arb_neg(y, y);
    arb_clear(magnitude);
}

/* Where x < n - 1, |Y_n| > 2 / (pi x J_(n-1)(x)), since J_n Y_(n-1) - J_(n-1) Y_n = 2/(pi x) and the
 * first product is negative. */
static void ball_yn(arb_t y, const arb_t n, const arb_t x, slong precision) {
    long long order = arf_get_si(arb_midref(n), ARF_RND_DOWN);
    ulong size = (ulong)llabs(order);
    if (size > 1 && bessel_j_is_tiny(size - 1, x)) {
        arb_set_si(y, -1);
        arb_mul_2exp_si(y, y, 2 * INTERVAL_DECIDED_BY_SIZE);
    } else {
        ball_of_order(y, true, size, x, precision);
    }
    if (changes_sign(order, order < 0))
        arb_neg(y, y);
}

static void bracket_jn(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    (void)scratch;
    bracket_of_ball2(y, x, ball_jn);
}

static void bracket_yn(struct interval *y, mpfr_srcptr const *x, struct interval *scratch) {
    (void)scratch;
    bracket_of_ball2(y, x, ball_yn);
}

static bool special_jn(struct real *y, const struct real *x) {
    long long order;
    if (!integer_operand(&x[0], INT_MIN, INT_MAX, &order) || x[1].kind == REAL_NAN)
        return decided(y, real_nan());
    if (x[1].kind == REAL_FINITE)
        return false;
    *y = x[1].kind == REAL_ZERO && order == 0 ? real_power_of_two(0) : real_zero(false);
    y->negative = changes_sign(order, order < 0) != changes_sign(order, x[1].negative);
    return true;
}

static bool special_yn(struct real *y, const struct real *x) {
    long long order;
    if (!integer_operand(&x[0], INT_MIN, INT_MAX, &order) || x[1].kind == REAL_NAN ||
        (x[1].kind != REAL_ZERO && x[1].negative))
        return decided(y, real_nan());
    if (x[1].kind == REAL_ZERO)
        return decided(y, real_infinity(!changes_sign(order, order < 0)));
    return x[1].kind == REAL_INFINITE && decided(y, real_zero(false));
}

/* Whether the fast oracle takes that order. */
static bool is_fitted(double fixed, long long *order) {
    *order = fabs(fixed) <= (double)MOST_FITTED ? (long long)fixed : LLONG_MAX;
    return (double)*order == fixed;
}

/* |J_n| rises from 0 to x = n and beyond; J_0 falls from 1. */
static bool open_jn(struct section *section) {
    double size = fabs(section->fixed);
    long long n;
    if (!is_fitted(section->fixed, &n))
        return false;
    const enum asymptote_side sides[] = {ASYMPTOTE_ABOVE, ASYMPTOTE_BELOW};
    bool right = changes_sign(n, n < 0), left = right != changes_sign(n, true);
    const struct asymptote zero[] = {{-3, 0, LINE(0, 1), ASYMPTOTE_BELOW},
                                     {0, 3, LINE(0, 1), ASYMPTOTE_BELOW}};
    const struct asymptote others[] = {{-size, 0, LINE(0, 0), sides[left]},
                                       {0, size, LINE(0, 0), sides[right]}};
    section_set_asymptotes(section, n ? others : zero, 2);
    return true;
}

/* |Y_n| falls from infinity to x = n and beyond. */
static bool open_yn(struct section *section) {
    long long n;
    if (!is_fitted(section->fixed, &n))
        return false;
    struct asymptote end = {0, fabs(section->fixed), LINE(0, -INFINITY), ASYMPTOTE_ABOVE};
    if (changes_sign(n, n < 0))
        end = (struct asymptote){0, end.high, LINE(0, INFINITY), ASYMPTOTE_BELOW};
    const struct asymptote asymptotes[] = {NAN_BETWEEN(-INFINITY, 0), end};
    section_set_asymptotes(section, asymptotes, 2);
    return true;
}

/* The order as a magnitude: the sign is the function's alone. */
static ulong order_of(const arb_t fixed) {
    return (ulong)llabs(arf_get_si(arb_midref(fixed), ARF_RND_DOWN));
}

static void analytic_jn(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    (void)precision;
    bessel_analytic_j(y, z, order_of(fixed));
}

static void analytic_yn(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    bessel_analytic_y(y, z, order_of(fixed), precision);
}

#define USUAL "-1024:1024"
#define ENDS  "0 1 -1 2 3 10 100 2.404825557695773 0.8935769662791675"
static const struct operation rows[] = {
    {
        .name = "jn",
        .formula = "Bessel's J_x(y) with an int x",
        .operands = 2,
        .results = 1,
        .result = {{.bracket = bracket_jn,
                    .special = special_jn,
                    .arb = ARB(.ball2 = ball_jn),
                    .section =
                        &(const struct section_rule){.open = open_jn, .analytic = analytic_jn},
                    .partly = true,
                    .known_values = "0,0=1 0,-0=1 1,0=0 1,-0=-0 -1,0=-0 -1,-0=0 2,-0=0 0,inf=0 "
                                    "1,-inf=-0 -3,inf=-0 2,-inf=0 0.5,1=nan nan,1=nan 1,nan=nan "
                                    "inf,1=nan 0x1p31,1=nan"}},
        .platform = {.symbol = "jn", .signature = C_INT_FIRST},
        .ranges = {USUAL},
        .landmarks = ENDS,
    },
    {
        .name = "yn",
        .formula = "Bessel's Y_x(y) with an int x",
        .operands = 2,
        .results = 1,
        .errno_is_open = true,
        .result = {{.bracket = bracket_yn,
                    .special = special_yn,
                    .arb = ARB(.ball2 = ball_yn),
                    .section =
                        &(const struct section_rule){.open = open_yn, .analytic = analytic_yn},
                    .partly = true,
                    .known_values = "0,0=-inf 0,-0=-inf 1,0=-inf -1,0=inf -2,0=-inf -1,-0=inf "
                                    "0,inf=0 3,inf=0 -3,inf=0 1,-1=nan 2,-inf=nan 0.5,1=nan "
                                    "nan,1=nan 1,nan=nan -inf,1=nan 0x1p31,1=nan"}},
        .platform = {.symbol = "yn", .signature = C_INT_FIRST},
        .ranges = {USUAL},
        .landmarks = ENDS,
    },
};
OPERATION_FAMILY(bessel_order, rows);
