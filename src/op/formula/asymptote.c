/* Finds a straight line that a formula's values stay close to over a block of inputs. */
#include "op/formula/evaluate_parts.h"

#include <math.h>
#include <stdlib.h>

/* Bits beyond the last place of the format that no rounding sees: as for the asymptotes of rows. */
enum { ASYMPTOTE_BITS = 26 };

/* Whether all of an enclosure lies on one side of a number, and less than 2^exponent from it: then on which. */
static bool is_beside(struct formula_work *work, const struct value *y, double line, long exponent,
                      enum asymptote_side *side) {
    mpfr_ptr distance = work->spare.low.at;
    int low = mpfr_cmp_d(y->low.at, line), high = mpfr_cmp_d(y->high.at, line);
    bool above = low > 0 || (low == 0 && y->low.open);
    bool below = high < 0 || (high == 0 && y->high.open);
    if (!above && !below)
        return false;
    mpfr_sub_d(distance, above ? y->high.at : y->low.at, line, MPFR_RNDA);
    *side = above ? ASYMPTOTE_ABOVE : ASYMPTOTE_BELOW;
    return mpfr_zero_p(distance) ||
           (mpfr_regular_p(distance) && mpfr_get_exp(distance) <= exponent);
}

/* A line that is one number: it has one bit more than the format has there at most, so that no other boundary of
 * rounding is as near. */
static bool is_constant(struct formula_work *work, const struct value *y, double line,
                        const struct format *format, struct asymptote *asymptote) {
    struct real at = real_from_double(line);
    asymptote->constant = line;
    return is_beside(work, y, line, format_ulp_exponent(format, &at) - ASYMPTOTE_BITS,
                     &asymptote->side);
}

/* The boundary of rounding that is next to an end. */
static bool find_boundary(mpfr_srcptr end, const struct format *format, double *line) {
    long bits = mpfr_regular_p(end) ? mpfr_get_exp(end) - (format->emin - format->precision) : 0;
    mpfr_t near;
    if (bits > format->precision + 1)
        bits = format->precision + 1;
    if (bits < 1)
        return false;
    mpfr_init2(near, bits);
    mpfr_set(near, end, MPFR_RNDN);
    *line = mpfr_get_d(near, MPFR_RNDN);
    bool exact = mpfr_cmp_d(near, *line) == 0 && mpfr_get_exp(near) <= format->emax + 1;
    mpfr_clear(near);
    return exact;
}

/* The number that a whole enclosure lies next to, on one side of it. */
static bool find_line(struct formula_work *work, const struct value *y, const struct format *format,
                      struct asymptote *asymptote) {
    int sign = value_sign(y);
    const struct value_end *inner = sign > 0 ? &y->low : &y->high;
    double line;
    if (sign && mpfr_regular_p(inner->at) && mpfr_get_exp(inner->at) > format->emax + 1) {
        asymptote->constant = sign > 0 ? (double)INFINITY : -(double)INFINITY;
        asymptote->side = sign > 0 ? ASYMPTOTE_BELOW : ASYMPTOTE_ABOVE;
        return true;
    }
    return is_constant(work, y, 0, format, asymptote) ||
           (find_boundary(y->low.at, format, &line) &&
            is_constant(work, y, line, format, asymptote)) ||
           (find_boundary(y->high.at, format, &line) &&
            is_constant(work, y, line, format, asymptote));
}

/* The node of the tree that is the whole at these operands, behind choices. */
static const struct formula_node *chosen(struct formula_work *work) {
    const struct formula_node *node = &work->formula->nodes[work->formula->count - 1];
    while (node->kind == FORMULA_SELECT) {
        int order = value_compare(formula_value_of(work, node->arguments[0]),
                                  formula_value_of(work, node->arguments[1]));
        if (order == VALUE_OPEN && node->arguments[0] == node->arguments[1])
            order = 0; /* a number */
        if (order == VALUE_OPEN)
            break;
        node = &work->formula->nodes[node->arguments[formula_holds(node->relation, order) ? 2 : 3]];
    }
    return node;
}

static bool is_last_operand(const struct formula *formula, const struct formula_node *node) {
    return node->kind == FORMULA_OPERAND && node->arguments[0] == formula->operands - 1;
}

/* How many steps are looked into. */
enum { MOST_DEPTH = 6 };

/* Whether the operand is a factor of a product, or of what is divided. */
static bool has_factor(const struct formula *formula, const struct formula_node *node, int depth) {
    const struct formula_node *nodes = formula->nodes;
    if (is_last_operand(formula, node))
        return true;
    if (!depth || (node->kind != FORMULA_MULTIPLY && node->kind != FORMULA_DIVIDE))
        return false;
    return has_factor(formula, &nodes[node->arguments[0]], depth - 1) ||
           (node->kind == FORMULA_MULTIPLY &&
            has_factor(formula, &nodes[node->arguments[1]], depth - 1));
}

/* A node over the operand, without what both share: 1 for the operand, the other factors of a product with it, and of sums
 * the sum of both. */
static void take_slope(struct formula_work *work, const struct formula_node *node, struct value *x,
                       int depth, struct value *slope) {
    const struct formula *formula = work->formula;
    struct value other, one;
    value_init(&other, work->precision);
    value_init(&one, work->precision);
    mpq_set_ui(one.rational, 1, 1);
    value_is_rational(&one);
    const struct formula_node *a = &formula->nodes[node->arguments[0]],
                              *b = &formula->nodes[node->arguments[1]];
    bool second = node->count > 1 && has_factor(formula, b, MOST_DEPTH);
    if (is_last_operand(formula, node))
        value_set(slope, &one);
    else if (depth > 0 && (node->kind == FORMULA_ADD || node->kind == FORMULA_SUBTRACT)) {
        struct value share;
        value_init(&share, work->precision);
        take_slope(work, a, x, depth - 1, &share);
        take_slope(work, b, x, depth - 1, &other);
        (node->kind == FORMULA_ADD ? value_add : value_subtract)(slope, &share, &other);
        value_clear(&share);
    } else if (depth > 0 && has_factor(formula, node, 1 + MOST_DEPTH)) {
        bool divides = node->kind == FORMULA_DIVIDE, by_second = !divides && second;
        take_slope(work, by_second ? b : a, x, depth - 1, &other);
        (divides ? value_divide : value_multiply)(
            slope, &other, formula_value_of(work, node->arguments[by_second ? 0 : 1]));
    } else
        value_divide(slope, formula_value_of(work, (int)(node - formula->nodes)), x);
    value_clear(&other);
    value_clear(&one);
}

/* A line through 0, by the formula over the operand. The slopes that the judge knows are 1/2 and powers of two from 1 on.
 * An error of the slope is one of as many bits of the result. */
static bool find_slope(struct formula_work *work, const struct value *slope, int bits,
                       struct asymptote *asymptote) {
    enum { MOST_SLOPE_LOG2 = 16 };
    int sign = value_sign(slope);
    if (slope->kind != VALUE_ENCLOSED || !sign || !mpfr_regular_p(slope->low.at))
        return false;
    long exponent = mpfr_get_exp(slope->low.at);
    for (long log2 = exponent - 1; log2 <= exponent; log2++) {
        double line = log2 < -1 || log2 > MOST_SLOPE_LOG2 ? 0 : sign * ldexp(1, (int)log2);
        if (!(line >= 0.5 || line <= -1) ||
            !is_beside(work, slope, line, log2 - bits, &asymptote->side))
            continue;
        bool outward = (asymptote->side == ASYMPTOTE_ABOVE) == (line > 0);
        asymptote->side = outward ? ASYMPTOTE_OUTWARD : ASYMPTOTE_INWARD;
        asymptote->slope = line;
        asymptote->constant = 0;
        return true;
    }
    return false;
}

/* By the steps as they stand; then, near 0, by the power series. */
static bool find_enclosed(struct formula_work *work, const struct real *leading, struct value *x,
                          const struct value *y, const struct format *format,
                          struct asymptote *asymptote) {
    struct value near, slope;
    value_init(&near, work->precision);
    value_init(&slope, work->precision);
    bool found = y->kind == VALUE_ENCLOSED && find_line(work, y, format, asymptote);
    if (!found) {
        take_slope(work, chosen(work), x, MOST_DEPTH, &slope);
        found = find_slope(work, &slope, format->precision + ASYMPTOTE_BITS, asymptote);
    }
    if (!found && !work->series)
        work->series = series_open(work->formula);
    if (!found && work->series && series_enclose(work->series, leading, x, &near, &slope))
        found = (near.kind == VALUE_ENCLOSED && find_line(work, &near, format, asymptote)) ||
                find_slope(work, &slope, format->precision + ASYMPTOTE_BITS, asymptote);
    value_clear(&near);
    value_clear(&slope);
    return found;
}

/* The number, where a double holds it. */
static bool is_double(const struct value *x, double *number) {
    mpq_t held;
    *number = mpq_get_d(x->rational);
    if (!(*number - *number == 0))
        return false;
    mpq_init(held);
    mpq_set_d(held, *number);
    bool same = mpq_equal(held, x->rational);
    mpq_clear(held);
    return same;
}

bool formula_asymptote(struct formula_work *work, const struct real *leading, double low,
                       double high, const struct format *format, struct asymptote *asymptote) {
    const struct formula_exponents before = formula_widen_exponents();
    int last = work->formula->operands - 1;
    struct value *x = &work->own[last];
    for (int i = 0; i < last; i++)
        value_set_real(&work->own[i], &leading[i]);
    formula_work_begin(work, 4 * FORMULA_FIRST_BITS);
    mpfr_set_d(x->low.at, low, MPFR_RNDD);
    mpfr_set_d(x->high.at, high, MPFR_RNDU);
    x->low.open = x->high.open = false;
    value_is_enclosed(x);
    struct value *y = formula_value_of(work, work->formula->count - 1);
    *asymptote = (struct asymptote){.low = -INFINITY, .high = INFINITY, .side = ASYMPTOTE_EXACT};
    bool found = y->kind == VALUE_NAN || y->kind == VALUE_ZERO || y->kind == VALUE_INFINITE;
    if (y->kind == VALUE_NAN)
        asymptote->constant = NAN;
    else if (y->kind == VALUE_INFINITE)
        asymptote->constant = y->negative ? -INFINITY : INFINITY;
    else if (y->kind == VALUE_ZERO)
        found =
            false; /* its sign is that of the zero, and where it has cancelled of the rounding */
    else if (y->kind == VALUE_RATIONAL)
        found = is_double(y, &asymptote->constant);
    else
        found = find_enclosed(work, leading, x, y, format, asymptote);
    formula_restore_exponents(before);
    return found;
}

/* The last operand is somewhere between the two. */
static void set_between(struct formula_work *work, const struct real *leading,
                        const struct real *one, const struct real *other) {
    int last = work->formula->operands - 1;
    struct value *x = &work->own[last];
    const struct real *low = real_is_smaller(one, other) ? one : other;
    for (int i = 0; i < last; i++)
        value_set_real(&work->own[i], &leading[i]);
    real_to_mpfr(x->low.at, low);
    real_to_mpfr(x->high.at, low == one ? other : one);
    x->low.open = x->high.open = false;
    value_is_enclosed(x);
}

bool formula_stretch(struct formula_work *work, const struct real *leading, const struct real *one,
                     const struct real *other, int bits, struct formula_stretch *stretch) {
    const struct formula_exponents before = formula_widen_exponents();
    struct value *x = &work->own[work->formula->operands - 1], slope;
    struct asymptote line = {0};
    mpfr_t result;
    bool special;
    int ternary;
    mpfr_init2(result, bits);
    mpfr_set_prec(work->other, bits);
    formula_work_begin(work, 4 * FORMULA_FIRST_BITS);
    value_init(&slope, work->precision);
    set_between(work, leading, one, other);
    struct value *y = formula_value_of(work, work->formula->count - 1);
    bool found = y->kind != VALUE_ZERO && /* whose sign may be that of a rounding */
                 value_truncate(y, result, work->other, &ternary, &stretch->value, &special);
    stretch->slope = 0;
    if (found && !special)
        stretch->value = real_from_mpfr(result, ternary);
    if (!found && y->kind == VALUE_ENCLOSED) {
        take_slope(work, chosen(work), x, MOST_DEPTH, &slope);
        found = find_slope(work, &slope, bits, &line);
        stretch->slope = line.slope;
        stretch->outward = line.side == ASYMPTOTE_OUTWARD;
    }
    mpfr_clear(result);
    value_clear(&slope);
    formula_restore_exponents(before);
    return found;
}
