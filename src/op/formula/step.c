/* Rows at exact operands, functions that rise or fall by their ends, and others by a bound on their slope. */
#include "op/formula/step.h"

#include <math.h>
#include <string.h>

/* At larger numbers no function that has no shape is called, since its argument would have to be reduced, and at
 * smaller ones none, since a double would not hold the exponent of a bound to a bit. */
enum { MOST_POINT_EXPONENT = 1 << 13, LEAST_POINT_EXPONENT = -(1 << 30), BOUND_PRECISION = 64 };

static bool is_far(mpfr_srcptr point) {
    return mpfr_get_exp(point) > MOST_POINT_EXPONENT || mpfr_get_exp(point) < LEAST_POINT_EXPONENT;
}

void stepper_open(struct stepper *stepper, mpfr_prec_t precision) {
    stepper->precision = precision;
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_init2(stepper->points[i], 64);
    mpfr_init2(stepper->result, precision);
    mpfr_init2(stepper->cut, 128);
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++) {
        mpfr_init2(stepper->intervals[i].low, precision);
        mpfr_init2(stepper->intervals[i].high, precision);
    }
    for (int i = 0; i < 2; i++)
        value_init(&stepper->ends[i], precision);
    value_init(&stepper->magnitude, precision);
    acb_init(stepper->ball);
    acb_init(stepper->image);
    mag_init(stepper->bound);
}

void stepper_close(struct stepper *stepper) {
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_clear(stepper->points[i]);
    mpfr_clear(stepper->result);
    mpfr_clear(stepper->cut);
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++) {
        mpfr_clear(stepper->intervals[i].low);
        mpfr_clear(stepper->intervals[i].high);
    }
    for (int i = 0; i < 2; i++)
        value_clear(&stepper->ends[i]);
    value_clear(&stepper->magnitude);
    acb_clear(stepper->ball);
    acb_clear(stepper->image);
    mag_clear(stepper->bound);
}

void stepper_set_precision(struct stepper *stepper, mpfr_prec_t precision) {
    if (stepper->precision == precision)
        return;
    stepper->precision = precision;
    mpfr_set_prec(stepper->result, precision);
    for (int i = 0; i < 1 + BRACKET_SCRATCH; i++) {
        mpfr_set_prec(stepper->intervals[i].low, precision);
        mpfr_set_prec(stepper->intervals[i].high, precision);
    }
    for (int i = 0; i < 2; i++)
        value_set_precision(&stepper->ends[i], precision);
    value_set_precision(&stepper->magnitude, precision);
}

/* The operand as an MPFR number without rounding; false where it is none. */
static bool take_point(mpfr_ptr point, const struct value *x) {
    int sign = x->negative ? -1 : 1;
    switch (x->kind) {
    case VALUE_NAN:
        mpfr_set_nan(point);
        return true;
    case VALUE_INFINITE:
        mpfr_set_inf(point, sign);
        return true;
    case VALUE_ZERO:
        mpfr_set_zero(point, sign);
        return true;
    case VALUE_RATIONAL: {
        mpz_srcptr denominator = mpq_denref(x->rational);
        size_t bits = mpz_sizeinbase(mpq_numref(x->rational), 2);
        if (mpz_scan1(denominator, 0) + 1 != mpz_sizeinbase(denominator, 2))
            return false;
        mpfr_set_prec(point, bits < 64 ? 64 : (mpfr_prec_t)bits);
        mpfr_set_q(point, x->rational, MPFR_RNDN);
        return true;
    }
    case VALUE_ENCLOSED: /* in a number that is too large or small for a fraction */
        mpfr_set_prec(point, mpfr_get_prec(x->low.at));
        mpfr_set(point, x->low.at, MPFR_RNDN);
        return mpfr_number_p(point) && mpfr_equal_p(x->low.at, x->high.at);
    default:
        return false;
    }
}

/* As rows take operands. What is cut off is marked in the last bit, so that no number of few bits comes out. */
static struct real real_of(struct stepper *stepper, mpfr_srcptr x) {
    int ternary = mpfr_set(stepper->cut, x, MPFR_RNDZ);
    struct real real = real_from_mpfr(stepper->cut, 0);
    if (ternary)
        real.significand.low |= 1;
    return real;
}

static int call_mpfr(mpfr_ptr y, const struct result_rule *rule, mpfr_t *x) {
    if (rule->mpfr1)
        return rule->mpfr1(y, x[0], MPFR_RNDZ);
    if (rule->mpfr2)
        return rule->mpfr2(y, x[0], x[1], MPFR_RNDZ);
    return rule->mpfr3(y, x[0], x[1], x[2], MPFR_RNDZ);
}

/* A bracket that is one number says that the value is beyond what is decided by size (op/function/ball.h); no such row has a
 * binary fraction. */
static void take_size(const struct interval *bracket, struct value *y) {
    bool large = mpfr_inf_p(bracket->low) || mpfr_get_exp(bracket->low) > 0;
    bool negative = mpfr_signbit(bracket->low) != 0;
    mpfr_ptr inner = negative ? y->high.at : y->low.at, outer = negative ? y->low.at : y->high.at;
    int sign = negative ? -1 : 1;
    mpfr_set_si_2exp(large ? inner : outer, sign,
                     large ? INTERVAL_DECIDED_BY_SIZE : -INTERVAL_DECIDED_BY_SIZE, MPFR_RNDN);
    if (large)
        mpfr_set_inf(outer, sign);
    else
        mpfr_set_zero(inner, sign);
}

/* The row at stepper->points. */
static void call_row(struct stepper *stepper, const struct operation *operation, struct value *y) {
    const struct result_rule *rule = &operation->result[0];
    const struct exact_setting setting = {NULL, ROUND_NEAREST_EVEN};
    mpfr_srcptr operands[MAX_OPERANDS];
    struct real reals[MAX_OPERANDS] = {{0}}, real;
    for (int i = 0; i < MAX_OPERANDS; i++)
        operands[i] = stepper->points[i];
    for (int i = 0; i < operation->operands; i++)
        reals[i] = real_of(stepper, stepper->points[i]);
    if (rule->exact || (rule->special && rule->special(&real, reals))) {
        if (rule->exact)
            real = rule->exact(reals, &setting);
        value_set_real(y, &real);
        return;
    }
    if (!rule->bracket) {
        int ternary = call_mpfr(stepper->result, rule, stepper->points);
        value_set_truncated(y, stepper->result, ternary);
        return;
    }
    rule->bracket(&stepper->intervals[0], operands, &stepper->intervals[1]);
    mpfr_set(y->low.at, stepper->intervals[0].low, MPFR_RNDD);
    mpfr_set(y->high.at, stepper->intervals[0].high, MPFR_RNDU);
    y->low.open = y->high.open = true; /* such a row has no binary fraction there */
    if (mpfr_equal_p(stepper->intervals[0].low, stepper->intervals[0].high))
        take_size(&stepper->intervals[0], y);
    value_is_enclosed(y);
}

static void call_at_end(struct stepper *stepper, const struct operation *operation,
                        const struct value_end *end, bool high, struct value *y) {
    mpfr_set_prec(stepper->points[0], mpfr_get_prec(end->at));
    mpfr_set(stepper->points[0], end->at, MPFR_RNDN);
    if (mpfr_zero_p(end->at))
        mpfr_set_zero(stepper->points[0], high ? -1 : 1);
    call_row(stepper, operation, y);
}

/* One end of the result, from an end of the operand. */
static bool take_end(struct value_end *end, struct value *at, const struct value_end *from,
                     bool high) {
    if (at->kind == VALUE_INFINITE) {
        mpfr_set_inf(end->at, at->negative ? -1 : 1);
        end->open = true;
        return from->open;
    }
    if (!value_enclose(at))
        return false;
    const struct value_end *own = high ? &at->high : &at->low;
    mpfr_set(end->at, own->at, high ? MPFR_RNDU : MPFR_RNDD);
    end->open = own->open || from->open;
    return true;
}

/* -1 or 1 where all of x lies below or above the domain; 0 within it; VALUE_OPEN where that is open. */
static int outside(const struct function_rule *rule, const struct value *x) {
    int low = mpfr_cmp_d(x->low.at, rule->low), high = mpfr_cmp_d(x->high.at, rule->high);
    if (low >= 0 && high <= 0)
        return 0;
    int below = mpfr_cmp_d(x->high.at, rule->low), above = mpfr_cmp_d(x->low.at, rule->high);
    if (below < 0 || (below == 0 && x->high.open))
        return -1;
    return above > 0 || (above == 0 && x->low.open) ? 1 : VALUE_OPEN;
}

static void run_along(struct stepper *stepper, const struct operation *operation, bool falls,
                      const struct value *x, struct value *y) {
    struct value *ends = stepper->ends;
    const struct value_end *low = falls ? &x->high : &x->low, *high = falls ? &x->low : &x->high;
    call_at_end(stepper, operation, low, falls, &ends[0]);
    call_at_end(stepper, operation, high, !falls, &ends[1]);
    if (take_end(&y->low, &ends[0], low, false) && take_end(&y->high, &ends[1], high, true))
        value_is_enclosed(y);
    else
        value_set_kind(y, VALUE_UNKNOWN, false);
}

/* |f| around the point m within R: log2 of a bound, or more than any that helps. */
static double log2_bound(struct stepper *stepper, const struct operation *operation, mpfr_srcptr m,
                         long log2_radius) {
    const struct arb_rule *arb = operation->result[0].arb;
    arf_set_mpfr(arb_midref(acb_realref(stepper->ball)), m);
    arb_zero(acb_imagref(stepper->ball));
    mag_set_ui_2exp_si(arb_radref(acb_realref(stepper->ball)), 1, log2_radius);
    mag_set(arb_radref(acb_imagref(stepper->ball)), arb_radref(acb_realref(stepper->ball)));
    arb->analytic(stepper->image, stepper->ball, BOUND_PRECISION);
    if (!acb_is_finite(stepper->image))
        return INFINITY;
    acb_get_mag(stepper->bound, stepper->image);
    return mag_get_d_log2_approx(stepper->bound) + 1;
}

/* Between x / 2 and 4 x, where x is so near to 0 that no point of it is called. */
static bool run_near_zero(const struct operation *operation, const struct value *x,
                          struct value *y) {
    static const char *const names[] = {"sin", "tan", "sinpi", "tanpi"};
    const int sign = value_sign(x);
    mpfr_srcptr inner = sign > 0 ? x->low.at : x->high.at,
                outer = sign > 0 ? x->high.at : x->low.at;
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        known = known || strcmp(operation->name, names[i]) == 0;
    if (!known || !sign || !mpfr_regular_p(outer) || mpfr_get_exp(outer) > -10 ||
        !(mpfr_zero_p(inner) || is_far(inner)))
        return false;
    mpfr_div_2ui(y->low.at, x->low.at, sign > 0, MPFR_RNDD);
    mpfr_mul_2ui(y->low.at, y->low.at, sign > 0 ? 0 : 2, MPFR_RNDD);
    mpfr_div_2ui(y->high.at, x->high.at, sign < 0, MPFR_RNDU);
    mpfr_mul_2ui(y->high.at, y->high.at, sign < 0 ? 0 : 2, MPFR_RNDU);
    y->low.open = y->high.open = true;
    value_is_enclosed(y);
    return true;
}

/* f(m) and r M / (R - r), where r is as far as x reaches from m, and M bounds |f| on the square of half-width R
 * around m: Cauchy's estimate of f' on the disc of radius R - r around each number of x. R is twice r at least, so
 * 2 r M / R will do. */
static void run_by_slope(struct stepper *stepper, const struct operation *operation,
                         struct value *x, struct value *y) {
    mpfr_ptr m = stepper->points[0], r = stepper->intervals[0].low;
    if (run_near_zero(operation, x, y))
        return;
    value_set_kind(y, VALUE_UNKNOWN, false);
    mpfr_set_prec(m, stepper->precision);
    mpfr_add(m, x->low.at, x->high.at, MPFR_RNDN);
    mpfr_div_2ui(m, m, 1, MPFR_RNDN);
    if (!mpfr_regular_p(m) || is_far(m))
        return;
    mpfr_sub(stepper->intervals[0].high, x->high.at, m, MPFR_RNDU);
    mpfr_sub(r, m, x->low.at, MPFR_RNDU);
    mpfr_max(r, r, stepper->intervals[0].high, MPFR_RNDU);
    if (!mpfr_regular_p(r))
        return;
    long size = mpfr_get_exp(m), reach = mpfr_get_exp(r); /* r < 2^reach */
    /* The last ones are for the neighbourhood of poles. */
    const long radii[] = {size - 2, size - 5, size - 9, 0, -3, -7, -12, -18, -26, -36, -50};
    enum { USUAL = 6 };
    double best = INFINITY;
    for (int i = 0; i < (int)(sizeof radii / sizeof *radii); i++) {
        if (radii[i] < reach + 1 || (i >= USUAL && best < 1 << 20))
            continue;
        double error = 1 + (double)(reach - radii[i]) + log2_bound(stepper, operation, m, radii[i]);
        best = error < best ? error : best;
    }
    if (!(best < 1 << 20))
        return;
    call_row(stepper, operation, y);
    if (!value_enclose(y)) {
        value_set_kind(y, VALUE_UNKNOWN, false);
        return;
    }
    mpfr_set_ui_2exp(r, 1, (mpfr_exp_t)floor(best) + 2, MPFR_RNDU);
    mpfr_sub(y->low.at, y->low.at, r, MPFR_RNDD);
    mpfr_add(y->high.at, y->high.at, r, MPFR_RNDU);
    y->low.open = y->high.open = false;
    value_is_enclosed(y);
}

/* Roots of fractions that have them. */
static bool take_root(const struct operation *operation, const struct value *x, struct value *y) {
    int root = operation->result[0].root;
    bool inverted = strcmp(operation->name, "rsqrt") == 0;
    if (x->kind != VALUE_RATIONAL || !(root || inverted) || (root != 3 && mpq_sgn(x->rational) < 0))
        return false;
    if (!value_root(y, x, root == 3 ? 3 : 2))
        return false;
    if (inverted)
        mpq_inv(y->rational, y->rational);
    value_is_rational(y);
    return true;
}

static void run_function(struct stepper *stepper, const struct operation *operation,
                         struct value *x, struct value *y) {
    const struct function_rule *rule = function_rule(operation);
    enum function_shape shape = rule ? rule->shape : SHAPE_OTHER;
    if (take_root(operation, x, y))
        return;
    value_enclose(x);
    int place = rule ? outside(rule, x) : 0;
    if (place == VALUE_OPEN)
        value_set_kind(y, VALUE_UNKNOWN, false);
    else if (place)
        value_set_kind(y, VALUE_NAN, false);
    else if (shape == SHAPE_OTHER)
        run_by_slope(stepper, operation, x, y);
    else if (shape == SHAPE_EVEN_RISES || shape == SHAPE_EVEN_FALLS) {
        value_magnitude(&stepper->magnitude, x);
        value_enclose(&stepper->magnitude);
        run_along(stepper, operation, shape == SHAPE_EVEN_FALLS, &stepper->magnitude, y);
    } else
        run_along(stepper, operation, shape == SHAPE_FALLS, x, y);
}

/* Where one of two operands is NaN and the other any number: fmin(NaN, u) is u. */
static bool pass_nan(const struct operation *operation, struct value *const *operands,
                     struct value *y) {
    const struct exact_setting setting = {NULL, ROUND_NEAREST_EVEN};
    bool any = false;
    struct real reals[MAX_OPERANDS] = {{0}};
    for (int i = 0; i < operation->operands; i++) {
        bool nan = operands[i]->kind == VALUE_NAN;
        reals[i] = nan ? real_nan() : real_power_of_two(0);
        any = any || nan;
    }
    if (!any)
        return false;
    bool number = operation->operands == 2 && operation->result[0].exact &&
                  operation->result[0].exact(reals, &setting).kind != REAL_NAN;
    if (number)
        value_set(y, operands[operands[0]->kind == VALUE_NAN]);
    else
        value_set_kind(y, VALUE_NAN, false);
    return true;
}

bool step_function(struct stepper *stepper, const struct operation *operation,
                   struct value *const *operands, struct value *y) {
    const struct function_rule *rule = function_rule(operation);
    bool exact = true, numbers = true, far = false;
    for (int i = 0; i < operation->operands; i++) {
        if (operands[i]->kind == VALUE_UNKNOWN) {
            value_set_kind(y, VALUE_UNKNOWN, false);
            return true;
        }
        exact = exact && take_point(stepper->points[i], operands[i]);
        numbers = numbers && exact && mpfr_regular_p(stepper->points[i]);
        far = far || (exact && mpfr_regular_p(stepper->points[i]) && is_far(stepper->points[i]));
    }
    far = far && numbers; /* beside a zero or an infinity nothing is reduced */
    if (rule && rule->shape == SHAPE_STEPS) {
        step_to_integer(operands[0], rule->rounding, y);
        return true;
    }
    bool long_operands = false;
    for (int i = 0; i < operation->operands && exact; i++)
        long_operands =
            long_operands || (operation->result[0].exact && mpfr_regular_p(stepper->points[i]) &&
                              mpfr_min_prec(stepper->points[i]) > STEP_REAL_BITS);
    if (exact && !far && !long_operands) {
        call_row(stepper, operation, y);
        return !(y->kind == VALUE_ENCLOSED && rule && rule->may_be_fraction);
    }
    if (pass_nan(operation, operands, y))
        return true;
    if (operation->operands > 1 || (rule && rule->rewriting))
        return false;
    run_function(stepper, operation, operands[0], y);
    return true;
}
