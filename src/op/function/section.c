/* The sections of functions of two operands, with their reasons. */
#include "op/function/section.h"

#include "op/function/analytic.h"

#include <math.h>

#define LEFT  -INFINITY, 0
#define RIGHT 0, INFINITY

static void set_asymptotes(struct section *section, const struct asymptote *asymptotes, int count) {
    section->least = 0;
    for (int i = 0; i < count; i++)
        section->asymptotes[i] = asymptotes[i];
    section->asymptotes[count] = (struct asymptote){.side = ASYMPTOTE_END};
}

/* x/z is monotone on either side of its pole, where it grows beyond all bounds, and falls to 0. */
static bool open_div(struct section *section) {
    double far = section->fixed < 0 ? -INFINITY : INFINITY;
    const struct asymptote asymptotes[] = {{RIGHT, 0, far, ASYMPTOTE_INWARD},
                                           {LEFT, 0, -far, ASYMPTOTE_INWARD}};
    set_asymptotes(section, asymptotes, 2);
    return section->fixed < 0 || section->fixed > 0;
}

static void analytic_div(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    acb_inv(y, z, precision);
    acb_mul_arb(y, y, fixed, precision);
}

/* |x|^z: from 0 through 1 at z = 0 to infinity, or the other way for |x| < 1. For x < 0 the power
 * is a number for integers z only, and positive for even ones: all numbers of p bits from 2^p on
 * are.
 */
static bool open_pow(struct section *section) {
    double base = fabs(section->fixed);
    bool rises = base > 1;
    const struct asymptote asymptotes[] = {{LEFT, 0, 1, rises ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE},
                                           {RIGHT, 0, 1, rises ? ASYMPTOTE_ABOVE : ASYMPTOTE_BELOW},
                                           {LEFT, 0, 0, ASYMPTOTE_ABOVE},
                                           {RIGHT, 0, 0, ASYMPTOTE_ABOVE},
                                           {LEFT, 0, INFINITY, ASYMPTOTE_BELOW},
                                           {RIGHT, 0, INFINITY, ASYMPTOTE_BELOW}};
    /* One of each pair of tails is not there. */
    struct asymptote kept[] = {asymptotes[0], asymptotes[1], asymptotes[rises ? 2 : 3],
                               asymptotes[rises ? 5 : 4]};
    set_asymptotes(section, kept, 4);
    section->least = section->fixed < 0 ? ldexp(1, section->precision) : 0;
    return base > 0 && (base < 1 || base > 1);
}

static void analytic_pow(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t logarithm;
    arb_init(logarithm);
    arb_abs(logarithm, fixed);
    arb_log(logarithm, logarithm, precision);
    acb_mul_arb(y, z, logarithm, precision);
    acb_exp(y, y, precision);
    arb_clear(logarithm);
}

static bool open_atan2(struct section *section) {
    set_asymptotes(section, NULL, 0);
    return section->fixed < 0 || section->fixed > 0;
}

/* The angle of (z, y), y > 0: arctan(y/z) right of 0, pi more left of it, and pi/2 - arctan(z/y)
 * around it; odd in y. */
static void analytic_atan2(acb_t result, const acb_t z, const arb_t fixed, slong precision) {
    acb_t quotient;
    arb_t constant;
    acb_init(quotient);
    arb_init(constant);
    if (arb_contains_zero(acb_realref(z))) {
        acb_div_arb(quotient, z, fixed, precision);
        acb_neg(quotient, quotient);
        arb_const_pi(constant, precision);
        arb_mul_2exp_si(constant, constant, -1);
    } else {
        acb_inv(quotient, z, precision);
        acb_mul_arb(quotient, quotient, fixed, precision);
        if (arb_is_negative(acb_realref(z)))
            arb_const_pi(constant, precision);
    }
    analytic_atan(result, quotient, precision);
    if (arb_is_negative(fixed))
        acb_sub_arb(result, result, constant, precision);
    else
        acb_add_arb(result, result, constant, precision);
    acb_clear(quotient);
    arb_clear(constant);
}

/* sqrt(x^2 + z^2) > |x|, |z|; both distances are monotone in |z|. */
static bool open_hypot(struct section *section) {
    double fixed = fabs(section->fixed);
    const struct asymptote asymptotes[] = {{LEFT, 0, fixed, ASYMPTOTE_ABOVE},
                                           {RIGHT, 0, fixed, ASYMPTOTE_ABOVE},
                                           {LEFT, -1, 0, ASYMPTOTE_ABOVE},
                                           {RIGHT, 1, 0, ASYMPTOTE_ABOVE}};
    set_asymptotes(section, asymptotes, 4);
    return fixed > 0;
}

static void analytic_hypot(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    arb_t square;
    acb_t sum;
    arb_init(square);
    acb_init(sum);
    arb_sqr(square, fixed, precision);
    acb_sqr(sum, z, precision);
    acb_add_arb(sum, sum, square, precision);
    acb_sqrt_analytic(y, sum, 1, precision);
    arb_clear(square);
    acb_clear(sum);
}

/* ln(e^x + e^z) > x, z; the distance to x grows with z, that to z falls. */
static bool open_logaddexp(struct section *section) {
    const struct asymptote asymptotes[] = {
        {-INFINITY, INFINITY, 0, section->fixed, ASYMPTOTE_ABOVE},
        {-INFINITY, INFINITY, 1, 0, ASYMPTOTE_ABOVE}};
    set_asymptotes(section, asymptotes, 2);
    return true;
}

static void analytic_logaddexp(acb_t y, const acb_t z, const arb_t fixed, slong precision) {
    acb_t difference;
    acb_init(difference);
    acb_sub_arb(difference, z, fixed, precision);
    analytic_softplus(y, difference, precision);
    acb_add_arb(y, y, fixed, precision);
    acb_clear(difference);
}

const struct section_rule section_pow = {.open = open_pow, .analytic = analytic_pow};
const struct section_rule section_atan2 = {.open = open_atan2, .analytic = analytic_atan2};
const struct section_rule section_hypot = {.open = open_hypot, .analytic = analytic_hypot};
const struct section_rule section_logaddexp = {.open = open_logaddexp,
                                               .analytic = analytic_logaddexp};
const struct section_rule section_add = {.arithmetic = ARITHMETIC_ADD};
const struct section_rule section_sub = {.arithmetic = ARITHMETIC_SUB};
const struct section_rule section_mul = {.arithmetic = ARITHMETIC_MUL};
const struct section_rule section_div = {
    .arithmetic = ARITHMETIC_DIV, .open = open_div, .analytic = analytic_div};
const struct section_rule section_fmod = {.arithmetic = ARITHMETIC_FMOD};
const struct section_rule section_remainder = {.arithmetic = ARITHMETIC_REMAINDER};
const struct section_rule section_fdim = {.arithmetic = ARITHMETIC_DIM};
