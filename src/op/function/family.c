/* Steps that several families take. Functions made of +, *, / and entire functions need no check of
 * branch cuts: where Arb's result is finite no divisor contains zero, so the function is analytic
 * there. */
#include "op/function/family.h"

void ball_of_multiple(arb_t y, const arb_t x, ball_function *f, constant_function *c,
                      slong precision) {
    arb_t multiple;
    arb_init(multiple);
    c(multiple, precision);
    arb_mul(multiple, multiple, x, precision);
    f(y, multiple, precision);
    arb_clear(multiple);
}

void ball_over_constant(arb_t y, const arb_t x, ball_function *f, constant_function *c,
                        slong precision) {
    arb_t divisor;
    arb_init(divisor);
    c(divisor, precision);
    f(y, x, precision);
    arb_div(y, y, divisor, precision);
    arb_clear(divisor);
}

void analytic_of_multiple(acb_t y, const acb_t z, analytic_function *f, constant_function *c,
                          slong precision) {
    acb_t multiple;
    arb_t factor;
    acb_init(multiple);
    arb_init(factor);
    c(factor, precision);
    acb_mul_arb(multiple, z, factor, precision);
    f(y, multiple, precision);
    acb_clear(multiple);
    arb_clear(factor);
}

void analytic_over_constant(acb_t y, const acb_t z, analytic_function *f, constant_function *c,
                            slong precision) {
    arb_t divisor;
    arb_init(divisor);
    c(divisor, precision);
    f(y, z, precision);
    acb_div_arb(y, y, divisor, precision);
    arb_clear(divisor);
}

void analytic_only_where(bool off_cuts, analytic_function *f, acb_t y, const acb_t z,
                         slong precision) {
    if (off_cuts)
        f(y, z, precision);
    else
        acb_indeterminate(y);
}

bool within_unit(const acb_t z, slong precision) {
    arb_t below, above;
    arb_init(below);
    arb_init(above);
    arb_add_ui(below, acb_realref(z), 1, precision);
    arb_sub_ui(above, acb_realref(z), 1, precision);
    bool within = arb_is_positive(below) && arb_is_negative(above);
    arb_clear(below);
    arb_clear(above);
    return within;
}

bool off_imaginary_cuts(const acb_t z, slong precision) {
    if (!arb_contains_zero(acb_realref(z)))
        return true;
    arb_t above;
    arb_init(above);
    arb_abs(above, acb_imagref(z));
    arb_sub_ui(above, above, 1, precision);
    bool off = arb_is_negative(above);
    arb_clear(above);
    return off;
}

void analytic_around(acb_t y, slong centre, const mag_t radius) {
    acb_set_si(y, centre);
    mag_set(arb_radref(acb_realref(y)), radius);
    mag_set(arb_radref(acb_imagref(y)), radius);
}

/* As the ball has it; (-1, 1) is nothing known. */
static void set_bracket(struct interval *y, const arb_t enclosure) {
    mpfr_set_si(y->low, -1, MPFR_RNDD);
    mpfr_set_si(y->high, 1, MPFR_RNDU);
    if (arf_is_pos_inf(arb_midref(enclosure)) && arb_is_exact(enclosure)) {
        mpfr_set_inf(y->low, 1);
        mpfr_set_inf(y->high, 1);
    } else if (arb_is_finite(enclosure)) {
        arb_get_interval_mpfr(y->low, y->high, enclosure);
    }
}

void bracket_of_ball(struct interval *y, mpfr_srcptr x, ball_function *ball) {
    arb_t operand, enclosure;
    arb_init(operand);
    arb_init(enclosure);
    arf_set_mpfr(arb_midref(operand), x);
    ball(enclosure, operand, (slong)mpfr_get_prec(y->low));
    set_bracket(y, enclosure);
    arb_clear(operand);
    arb_clear(enclosure);
}

void bracket_of_ball2(struct interval *y, mpfr_srcptr const *x, ball_function_2 *ball) {
    arb_t operands[2], enclosure;
    arb_init(enclosure);
    for (int i = 0; i < 2; i++) {
        arb_init(operands[i]);
        arf_set_mpfr(arb_midref(operands[i]), x[i]);
    }
    ball(enclosure, operands[0], operands[1], (slong)mpfr_get_prec(y->low));
    set_bracket(y, enclosure);
    for (int i = 0; i < 2; i++)
        arb_clear(operands[i]);
    arb_clear(enclosure);
}

void section_set_asymptotes(struct section *section, const struct asymptote *asymptotes,
                            int count) {
    section->least = 0;
    section->nan_off_integers = false;
    for (int i = 0; i < count; i++)
        section->asymptotes[i] = asymptotes[i];
    section->asymptotes[count] = (struct asymptote){.side = ASYMPTOTE_END};
}
