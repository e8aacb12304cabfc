/* The integrals, by acb_calc_integrate. Where the lines end is a matter of cost alone, since what
 * they leave out is bounded. */
#include "op/function/bessel_integral.h"

#include "op/function/interval.h"

#include <acb.h>
#include <acb_calc.h>
#include <stdbool.h>

/* n has 31 bits, and where x is 2^70 the integrand is as narrow as 2^-35. */
enum { GUARD_BITS = 72, FALL_BITS = 40 };

/* e^f(t) over e^f(point). */
struct integral {
    arb_t x, n, c;
    acb_t k, point;
    slong wanted, precision; /* bits of the integral, and of its parts */
};

/* A direction in which it falls, with the factors of -c and -n in the terms of h^2 and h^3. */
struct direction {
    double re, im, square, cube;
};
static const struct direction swinging_left = {-0.9659258, -0.2588190, 0.25, 0.117},
                              swinging_right = {0.5, 0.8660254, 0.433, 0.166},
                              steep_right = {0.5, 0.8660254, 0.25, 0.166},
                              axis_left = {-1, 0, 0.5, 0.166}, axis_right = {1, 0, 0.15, 0};

/* A line that reaches up from pi/2 by 3^(1/2)/2 of this ends below pi. */
#define LONGEST 1.8

static void integral_init(struct integral *integral, ulong n, const arb_t x, slong wanted) {
    integral->wanted = wanted;
    integral->precision = wanted + GUARD_BITS;
    /* Where x > n, the phase is as large as x. */
    if (arf_cmpabs_2exp_si(arb_midref(x), 0) > 0)
        integral->precision += arf_abs_bound_lt_2exp_si(arb_midref(x));
    arb_init(integral->x);
    arb_init(integral->n);
    arb_init(integral->c);
    acb_init(integral->k);
    acb_init(integral->point);
    arb_set(integral->x, x);
    arb_set_ui(integral->n, n);
    arb_t sum;
    arb_init(sum);
    arb_add(sum, x, integral->n, integral->precision);
    arb_sub(integral->c, x, integral->n, integral->precision);
    arb_abs(integral->c, integral->c);
    arb_mul(integral->c, integral->c, sum, integral->precision);
    arb_sqrt(integral->c, integral->c, integral->precision);
    arb_clear(sum);
}

static void integral_clear(struct integral *integral) {
    arb_clear(integral->x);
    arb_clear(integral->n);
    arb_clear(integral->c);
    acb_clear(integral->k);
    acb_clear(integral->point);
}

/* f at the distance h from the point, less f there: k (cosh h - 1) + n (sinh h - h). */
static void exponent_at(acb_t y, const acb_t h, const struct integral *integral, slong precision) {
    acb_t s;
    acb_init(s);
    acb_mul_2exp_si(s, h, -1);
    acb_sinh(s, s, precision);
    acb_sqr(s, s, precision);
    acb_mul_2exp_si(s, s, 1);
    acb_mul(s, s, integral->k, precision);
    acb_sinh(y, h, precision);
    acb_sub(y, y, h, precision);
    acb_mul_arb(y, y, integral->n, precision);
    acb_add(y, y, s, precision);
    acb_clear(s);
}

/* Its derivative: k sinh h + n (cosh h - 1). */
static void slope_at(acb_t y, const acb_t h, const struct integral *integral, slong precision) {
    acb_t s;
    acb_init(s);
    acb_sinh(s, h, precision);
    acb_mul(s, s, integral->k, precision);
    acb_mul_2exp_si(y, h, -1);
    acb_sinh(y, y, precision);
    acb_sqr(y, y, precision);
    acb_mul_2exp_si(y, y, 1);
    acb_mul_arb(y, y, integral->n, precision);
    acb_add(y, y, s, precision);
    acb_clear(s);
}

/* Of a ball by the mean value theorem: n times the difference of sinh h and h is too wide. */
static void exponent(acb_t y, const acb_t h, const struct integral *integral, slong precision) {
    acb_t middle, slope;
    acb_init(middle);
    acb_init(slope);
    acb_get_mid(middle, h);
    exponent_at(y, middle, integral, precision);
    if (!acb_is_exact(h)) {
        slope_at(slope, h, integral, precision);
        acb_sub(middle, h, middle, precision);
        acb_addmul(y, slope, middle, precision);
    }
    acb_clear(middle);
    acb_clear(slope);
}

static int integrand(acb_ptr y, const acb_t h, void *integral, slong order, slong precision) {
    (void)order; /* it is entire */
    exponent(y, h, integral, precision);
    acb_exp(y, y, precision);
    return 0;
}

/* y += the integral from the point to h; or y -= it. */
static void add_line(acb_t y, const acb_t h, bool leftward, struct integral *integral) {
    acb_t start, part;
    mag_t tolerance;
    acb_init(start);
    acb_init(part);
    mag_init(tolerance);
    mag_set_ui_2exp_si(tolerance, 1, -integral->wanted - FALL_BITS);
    acb_calc_integrate(part, integrand, integral, start, h, integral->wanted, tolerance, NULL,
                       integral->precision);
    (leftward ? acb_sub : acb_add)(y, y, part, integral->precision);
    acb_clear(start);
    acb_clear(part);
    mag_clear(tolerance);
}

/* Where either term alone has let the integrand fall far enough. */
static double find_length(const struct direction *direction, const struct integral *integral) {
    mag_t fall, length, longest;
    mag_init(fall);
    mag_init(length);
    mag_init(longest);
    mag_set_d(longest, LONGEST);
    mag_set_d(fall, 0.7 / direction->cube * (double)(integral->wanted + FALL_BITS));
    arb_get_mag_lower(length, integral->n);
    mag_div(length, fall, length);
    mag_root(length, length, 3);
    mag_min(longest, longest, length);
    mag_set_d(fall, 0.7 / direction->square * (double)(integral->wanted + FALL_BITS));
    arb_get_mag_lower(length, integral->c);
    mag_div(length, fall, length); /* infinite for c = 0 */
    mag_sqrt(length, length);
    mag_min(longest, longest, length);
    double found = mag_get_d(longest);
    mag_clear(fall);
    mag_clear(length);
    mag_clear(longest);
    return found;
}

/* What the path has beyond the end h of a line, in e^f(point): bounded as the header says. */
static void add_rest(acb_t y, const acb_t h, bool leftward, const struct integral *integral) {
    slong precision = integral->precision;
    acb_t end, fall;
    arb_t slope;
    acb_init(end);
    acb_init(fall);
    arb_init(slope);
    acb_add(end, integral->point, h, precision);
    exponent(fall, h, integral, precision);
    arb_exp(acb_realref(fall), acb_realref(fall), precision);
    if (leftward) {
        arb_cosh(slope, acb_realref(end), precision);
        arb_mul(slope, slope, integral->x, precision);
        arb_sub(slope, slope, integral->n, precision);
        arb_inv(slope, slope, precision); /* infinite unless it is known to be no 0 */
        if (arb_is_negative(slope))
            arb_indeterminate(slope);
        arb_abs(acb_imagref(end), acb_imagref(end));
        arb_add(slope, slope, acb_imagref(end), precision);
    } else {
        arb_set_ui(slope, 5);
    }
    arb_mul(slope, slope, acb_realref(fall), precision);
    arb_add_error(acb_realref(y), slope);
    arb_add_error(acb_imagref(y), slope);
    acb_clear(end);
    acb_clear(fall);
    arb_clear(slope);
}

/* y += the integral from the point in that direction on. */
static void add_branch(acb_t y, const struct direction *direction, struct integral *integral) {
    acb_t h;
    acb_init(h);
    double length = find_length(direction, integral);
    bool leftward = direction->re < 0;
    acb_set_d_d(h, length * direction->re, length * direction->im);
    add_line(y, h, leftward, integral);
    add_rest(y, h, leftward, integral);
    acb_clear(h);
}

/* pi i (J_n + i Y_n) for x >= n. */
static void swinging(acb_t y, struct integral *integral) {
    slong precision = integral->precision;
    arb_atan2(acb_imagref(integral->point), integral->c, integral->n, precision);
    arb_set(acb_imagref(integral->k), integral->c);
    acb_zero(y);
    add_branch(y, &swinging_left, integral);
    add_branch(y, &swinging_right, integral);
    acb_t turn;
    acb_init(turn);
    arb_mul(acb_realref(turn), acb_imagref(integral->point), integral->n, precision);
    arb_sub(acb_realref(turn), integral->c, acb_realref(turn), precision);
    arb_sin_cos(acb_imagref(turn), acb_realref(turn), acb_realref(turn), precision);
    acb_mul(y, y, turn, precision);
    acb_clear(turn);
}

/* For x < n: sets the point to a, and `size` to f there, c - n a. */
static void find_steep_point(arb_t size, struct integral *integral) {
    arb_ptr a = acb_realref(integral->point);
    arb_div(a, integral->c, integral->x, integral->precision);
    arb_asinh(a, a, integral->precision);
    arb_mul(size, a, integral->n, integral->precision);
    arb_sub(size, integral->c, size, integral->precision);
}

/* For x < n: pi i (J_n + i Y_n), without the part of Y_n left of a, over e^size. */
static void steep(acb_t y, struct integral *integral) {
    acb_set_arb(integral->k, integral->c);
    acb_zero(y);
    add_branch(y, &steep_right, integral);
}

/* For x < n: the integral from -infinity to a, over e^-size. Between the summit and a, f falls. */
static void summit(acb_t y, struct integral *integral) {
    acb_t h, fall;
    arb_t rest;
    acb_init(h);
    acb_init(fall);
    arb_init(rest);
    acb_zero(y);
    acb_set_arb(integral->k, integral->c);
    acb_neg(integral->k, integral->k);
    arb_mul_2exp_si(rest, acb_realref(integral->point), 1);
    acb_neg(integral->point, integral->point);
    add_branch(y, &axis_left, integral);
    arb_set_d(acb_realref(h), find_length(&axis_right, integral));
    arb_min(acb_realref(h), acb_realref(h), rest, integral->precision);
    add_line(y, h, false, integral);
    exponent(fall, h, integral, integral->precision);
    arb_exp(acb_realref(fall), acb_realref(fall), integral->precision);
    arb_sub(rest, rest, acb_realref(h), integral->precision);
    arb_mul(rest, rest, acb_realref(fall), integral->precision);
    arb_add_error(acb_realref(y), rest);
    acb_clear(h);
    acb_clear(fall);
    arb_clear(rest);
}

bool bessel_j_is_tiny(ulong n, const arb_t x) {
    arb_t size;
    arb_init(size);
    arb_set_ui(size, n);
    bool tiny = false;
    if (arb_lt(x, size)) {
        struct integral integral;
        integral_init(&integral, n, x, GUARD_BITS);
        find_steep_point(size, &integral);
        arb_add_ui(size, size, INTERVAL_DECIDED_BY_SIZE + GUARD_BITS, GUARD_BITS);
        tiny = arb_is_negative(size); /* e < 2^2 */
        integral_clear(&integral);
    }
    arb_clear(size);
    return tiny;
}

void bessel_integral(arb_t j, arb_t y, ulong n, const arb_t x, slong precision) {
    struct integral integral;
    acb_t hankel, other;
    arb_t size;
    integral_init(&integral, n, x, precision);
    acb_init(hankel);
    acb_init(other);
    arb_init(size);
    if (arb_ge(x, integral.n)) {
        swinging(hankel, &integral);
    } else {
        find_steep_point(size, &integral);
        steep(hankel, &integral);
        if (y)
            summit(other, &integral);
        arb_exp(size, size, integral.precision);
        acb_mul_arb(hankel, hankel, size, integral.precision);
        acb_div_arb(other, other, size, integral.precision);
        arb_add(acb_realref(hankel), acb_realref(hankel), acb_realref(other), integral.precision);
    }
    arb_const_pi(size, integral.precision);
    if (j)
        arb_div(j, acb_imagref(hankel), size, precision);
    if (y) {
        arb_div(y, acb_realref(hankel), size, precision);
        arb_neg(y, y);
    }
    acb_clear(hankel);
    acb_clear(other);
    arb_clear(size);
    integral_clear(&integral);
}
