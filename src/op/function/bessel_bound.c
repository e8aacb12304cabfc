/* The bounds on Bessel functions. */
#include "op/function/bessel_bound.h"

#include "op/function/family.h"

/* |z/2|^n / n!, which with e^|Im z| bounds J_n, and with e^|Re z| I_n: both are integrals of
 * exponentials against a measure of that mass (Poisson). Bessel's integral has the mass 1. */
static void bound_power(mag_t bound, const acb_t z, ulong order) {
    mag_t factor;
    mag_init(factor);
    acb_get_mag(factor, z);
    mag_mul_2exp_si(factor, factor, -1);
    mag_pow_ui(bound, factor, order);
    mag_rfac_ui(factor, order);
    mag_mul(bound, bound, factor);
    mag_one(factor);
    mag_min(bound, bound, factor);
    mag_clear(factor);
}

static void times_exp_of(mag_t bound, const arb_t part) {
    mag_t size;
    mag_init(size);
    arb_get_mag(size, part);
    mag_exp(size, size);
    mag_mul(bound, bound, size);
    mag_clear(size);
}

void bessel_analytic_j(acb_t y, const acb_t z, ulong order) {
    mag_t bound;
    mag_init(bound);
    bound_power(bound, z, order);
    times_exp_of(bound, acb_imagref(z));
    analytic_around(y, 0, bound);
    mag_clear(bound);
}

/* Y_n(z) is for Re z > 0 (1/pi times) an integral of sin(z sin t - n t) from 0 to pi, at most
 * pi e^|Im z|, less one of (e^nt +- e^-nt) e^(-z sinh t) over t > 0. Let u = sinh t, x <= Re z and n > 0.
 * cosh nt <= e^(n-1)t cosh t by the theorem of addition, dt = du / cosh t and e^t <= 2u + 1. So the latter
 * is at most 2 I_(n-1) for I_m the integral of (2u + 1)^m e^(-xu), which is 1/x + 2m/x I_(m-1). For n = 0
 * it is at most 2 ln(1 + 2/x) + 2. 2/pi < 1. */
void bessel_analytic_y(acb_t y, const acb_t z, ulong order, slong precision) {
    mag_t bound, inverse, step;
    arf_t least;
    mag_init(bound);
    mag_init(inverse);
    mag_init(step);
    arf_init(least);
    arb_get_lbound_arf(least, acb_realref(z), precision);
    if (arf_sgn(least) > 0) {
        arf_get_mag_lower(inverse, least);
        mag_inv(inverse, inverse);
        if (order == 0) {
            mag_mul_2exp_si(bound, inverse, 1);
            mag_log1p(bound, bound);
            mag_add_ui(bound, bound, 1);
        } else {
            mag_set(bound, inverse);
            for (ulong m = 1; m < order; m++) {
                mag_mul_ui(step, inverse, 2 * m);
                mag_mul(bound, bound, step);
                mag_add(bound, bound, inverse);
            }
        }
        mag_one(step);
        times_exp_of(step, acb_imagref(z));
        mag_add(bound, bound, step);
        analytic_around(y, 0, bound);
    } else {
        acb_indeterminate(y);
    }
    mag_clear(bound);
    mag_clear(inverse);
    mag_clear(step);
    arf_clear(least);
}

/* e^-z I_n(z) right of the imaginary axis is 1/pi times the integral of e^(z (cos t - 1)) cos nt
 * from 0 to pi, and 1 - cos t >= 2 t^2 / pi^2: at most 2/3 / sqrt(Re z), and as I_n at most
 * |z/2|^n / n!. Left of the
 * axis the functions are even or odd. */
void bessel_analytic_i_scaled(acb_t y, const acb_t z, ulong order, slong precision) {
    mag_t bound, other;
    arf_t least;
    arb_t right;
    mag_init(bound);
    mag_init(other);
    arf_init(least);
    arb_init(right);
    arb_set(right, acb_realref(z));
    if (arf_sgn(arb_midref(right)) < 0)
        arb_neg(right, right);
    arb_get_lbound_arf(least, right, precision);
    if (arf_sgn(least) > 0) {
        arf_get_mag_lower(other, least);
        mag_inv(other, other);
        mag_sqrt(other, other);
        bound_power(bound, z, order);
        mag_min(bound, bound, other);
        analytic_around(y, 0, bound);
    } else {
        acb_indeterminate(y);
    }
    mag_clear(bound);
    mag_clear(other);
    arf_clear(least);
    arb_clear(right);
}

void bessel_analytic_i(acb_t y, const acb_t z, ulong order) {
    mag_t bound;
    mag_init(bound);
    bound_power(bound, z, order);
    times_exp_of(bound, acb_realref(z));
    analytic_around(y, 0, bound);
    mag_clear(bound);
}
