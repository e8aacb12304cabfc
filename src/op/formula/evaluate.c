/* Walking the tree. */
#include "op/formula/evaluate.h"

#include "op/formula/affine.h"
#include "op/formula/known.h"
#include "op/formula/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MPFR's exponents: wide enough for e^(10^8), narrow enough that nobody labours. */
enum {
    EXPONENT_RANGE = 1 << 30,
    FIRST_BITS = 40,
    MOST_BITS = 1 << 16,
    MOST_BITS_OF_SLOW = 1 << 12
};

struct formula_work {
    const struct formula *formula;
    struct stepper stepper;
    struct value own[MAX_OPERANDS], *operands[MAX_OPERANDS];
    struct value *values, spare, other_spare; /* of each node, and more */
    struct affine **affine;                   /* of each node, NULL for most */
    bool *done;
    struct formula_work **inner; /* of nodes with a rewriting, once wanted */
    mpfr_prec_t precision;
    mpfr_t other;
};

struct formula_work *formula_work_open(const struct formula *formula) {
    struct formula_work *work = calloc(1, sizeof *work);
    size_t count = (size_t)formula->count;
    if (!work)
        return NULL;
    work->values = calloc(count, sizeof *work->values);
    work->done = calloc(count, sizeof *work->done);
    work->inner = calloc(count, sizeof *work->inner);
    work->affine = calloc(count, sizeof *work->affine);
    if (!work->values || !work->done || !work->inner || !work->affine) {
        free(work->affine);
        free(work->values);
        free(work->done);
        free(work->inner);
        free(work);
        return NULL;
    }
    work->formula = formula;
    work->precision = 2 * FIRST_BITS;
    stepper_open(&work->stepper, work->precision);
    for (int i = 0; i < formula->count; i++) {
        value_init(&work->values[i], work->precision);
        work->affine[i] = affine_find(formula, i);
    }
    value_init(&work->spare, work->precision);
    value_init(&work->other_spare, work->precision);
    for (int i = 0; i < MAX_OPERANDS; i++) {
        value_init(&work->own[i], work->precision);
        work->operands[i] = &work->own[i];
    }
    mpfr_init2(work->other, work->precision);
    return work;
}

void formula_work_close(struct formula_work *work) {
    if (!work)
        return;
    stepper_close(&work->stepper);
    for (int i = 0; i < work->formula->count; i++) {
        value_clear(&work->values[i]);
        formula_work_close(work->inner[i]);
        affine_free(work->affine[i]);
    }
    value_clear(&work->spare);
    value_clear(&work->other_spare);
    for (int i = 0; i < MAX_OPERANDS; i++)
        value_clear(&work->own[i]);
    mpfr_clear(work->other);
    free(work->values);
    free(work->done);
    free(work->inner);
    free(work->affine);
    free(work);
}

static void set_precision(struct formula_work *work, mpfr_prec_t precision) {
    memset(work->done, 0, (size_t)work->formula->count * sizeof *work->done);
    if (work->precision == precision)
        return;
    work->precision = precision;
    stepper_set_precision(&work->stepper, precision);
    for (int i = 0; i < work->formula->count; i++)
        value_set_precision(&work->values[i], precision);
    value_set_precision(&work->spare, precision);
    value_set_precision(&work->other_spare, precision);
}

static struct value *value_of(struct formula_work *work, int node);

/* A constant that MPFR has. */
static void set_constant(struct formula_work *work, enum formula_kind kind, struct value *y) {
    mpfr_ptr at = work->stepper.result;
    int ternary = 1;
    if (kind == FORMULA_PI)
        ternary = mpfr_const_pi(at, MPFR_RNDZ);
    else {
        mpfr_set_ui(at, 1, MPFR_RNDN);
        ternary = mpfr_exp(at, at, MPFR_RNDZ);
    }
    value_set_truncated(y, at, ternary);
}

static void choose(struct formula_work *work, const struct formula_node *node, struct value *y) {
    struct value *a = value_of(work, node->arguments[0]), *b = value_of(work, node->arguments[1]);
    int order = value_compare(a, b);
    if (order == VALUE_OPEN && node->arguments[0] == node->arguments[1] && a->kind != VALUE_UNKNOWN)
        order = 0;
    if (order == VALUE_OPEN)
        value_set_kind(y, VALUE_UNKNOWN, false);
    else
        value_set(y, value_of(work, node->arguments[formula_holds(node->relation, order) ? 2 : 3]));
}

/* The function by what it is in terms of others. */
static void rewrite(struct formula_work *work, const struct formula_node *node, int number,
                    struct value *const *arguments, struct value *y) {
    struct formula_work *inner = work->inner[number];
    value_set_kind(y, VALUE_UNKNOWN, false);
    if (!node->rewriting)
        return;
    if (!inner)
        inner = work->inner[number] = formula_work_open(node->rewriting);
    if (!inner)
        return;
    set_precision(inner, work->precision);
    for (int i = 0; i < node->count; i++)
        inner->operands[i] = arguments[i];
    value_set(y, value_of(inner, node->rewriting->count - 1));
}

static void call(struct formula_work *work, const struct formula_node *node, int number,
                 struct value *y) {
    struct value *arguments[MAX_OPERANDS] = {NULL};
    const struct formula_node *first = &work->formula->nodes[node->arguments[0]];
    for (int i = 0; i < node->count; i++)
        arguments[i] = value_of(work, node->arguments[i]);
    if (first->kind == FORMULA_FUNCTION && arguments[0]->kind == VALUE_ENCLOSED &&
        function_undoes(node->operation, first->operation))
        value_set(y, value_of(work, first->arguments[0]));
    else if (!step_function(&work->stepper, node->operation, arguments, y))
        rewrite(work, node, number, arguments, y);
}

/* The root's operand, where a power is taken of sqrt or cbrt that undoes it; else NULL. */
static struct value *under_root(struct formula_work *work, const struct formula_node *node,
                                long power) {
    const struct formula_node *base = &work->formula->nodes[node->arguments[0]];
    int root = base->kind == FORMULA_FUNCTION ? base->operation->result[0].root : 0;
    if (!root || power % root != 0)
        return NULL;
    struct value *under = value_of(work, base->arguments[0]);
    int sign = value_sign(under);
    return sign > 0 || (root == 3 && sign < 0) ? under : NULL;
}

static void raise_power(struct formula_work *work, const struct formula_node *node,
                        struct value *y) {
    struct value *exponent = value_of(work, node->arguments[1]);
    bool whole = exponent->kind == VALUE_RATIONAL &&
                 mpz_cmp_ui(mpq_denref(exponent->rational), 1) == 0 &&
                 mpz_fits_slong_p(mpq_numref(exponent->rational));
    long power = whole ? mpz_get_si(mpq_numref(exponent->rational)) : 0;
    struct value *under = whole ? under_root(work, node, power) : NULL;
    const struct formula_node *base = &work->formula->nodes[node->arguments[0]];
    if (under)
        value_power(y, under, power / base->operation->result[0].root);
    else
        step_power(&work->stepper, value_of(work, node->arguments[0]), exponent, y);
}

/* u - u, u / u and u u, which say more of u than two enclosures; false for other steps. */
static bool combine_same(struct formula_work *work, const struct formula_node *node,
                         struct value *y) {
    struct value *a = value_of(work, node->arguments[0]);
    if (node->arguments[0] != node->arguments[1] || a->kind != VALUE_ENCLOSED)
        return false;
    if (node->kind == FORMULA_SUBTRACT) {
        value_set_kind(y, VALUE_ZERO, false);
        y->cancelled = true;
    } else if (node->kind == FORMULA_DIVIDE && value_sign(a)) {
        mpq_set_ui(y->rational, 1, 1);
        value_is_rational(y);
    } else if (node->kind == FORMULA_MULTIPLY) {
        struct value *under = under_root(work, node, 2);
        if (under)
            value_set(y, under);
        else
            value_power(y, a, 2);
    } else
        return false;
    return true;
}

static void combine(struct formula_work *work, const struct formula_node *node, struct value *y) {
    struct value *a = value_of(work, node->arguments[0]);
    struct value *b = node->count > 1 ? value_of(work, node->arguments[1]) : NULL;
    if (b && combine_same(work, node, y))
        return;
    switch (node->kind) {
    case FORMULA_NEGATE:
        value_negate(y, a);
        break;
    case FORMULA_MAGNITUDE:
        value_magnitude(y, a);
        break;
    case FORMULA_ADD:
        value_add(y, a, b);
        break;
    case FORMULA_SUBTRACT:
        value_subtract(y, a, b);
        break;
    case FORMULA_MULTIPLY:
        value_multiply(y, a, b);
        break;
    case FORMULA_DIVIDE:
        value_divide(y, a, b);
        break;
    case FORMULA_LESSER:
    case FORMULA_GREATER:
        step_extremum(a, b, node->kind == FORMULA_LESSER ? -1 : 1, y);
        break;
    default:
        step_round(node->format, a, y);
        break;
    }
}

static void fuse(struct formula_work *work, const struct formula_node *node, struct value *y) {
    struct value *factors[] = {value_of(work, node->arguments[0]),
                               value_of(work, node->arguments[1])};
    struct value *term = value_of(work, node->arguments[2]);
    if (!combine_same(work,
                      &(struct formula_node){.kind = FORMULA_MULTIPLY,
                                             .arguments = {node->arguments[0], node->arguments[1]}},
                      &work->spare))
        value_multiply(&work->spare, factors[0], factors[1]);
    value_add(y, &work->spare, term);
}

static void compute(struct formula_work *work, int number, struct value *y) {
    const struct formula_node *node = &work->formula->nodes[number];
    switch (node->kind) {
    case FORMULA_NUMBER:
        mpq_set(y->rational, node->number);
        value_is_rational(y);
        break;
    case FORMULA_PI:
    case FORMULA_E:
        set_constant(work, node->kind, y);
        break;
    case FORMULA_INFINITY:
        value_set_kind(y, VALUE_INFINITE, false);
        break;
    case FORMULA_NAN:
        value_set_kind(y, VALUE_NAN, false);
        break;
    case FORMULA_OPERAND:
        value_set(y, work->operands[node->arguments[0]]);
        break;
    case FORMULA_POWER:
        raise_power(work, node, y);
        break;
    case FORMULA_SELECT:
        choose(work, node, y);
        break;
    case FORMULA_FUSED:
        fuse(work, node, y);
        break;
    case FORMULA_FUNCTION:
        call(work, node, number, y);
        break;
    default:
        combine(work, node, y);
        break;
    }
}

/* A sum or quotient rearranged around an enclosed inner node; false where the steps as they stand will do. */
static bool rearrange(struct formula_work *work, int number, struct value *y) {
    const struct affine *affine = work->affine[number];
    struct value *atom = affine ? value_of(work, affine->atom) : NULL;
    if (!affine || atom->kind != VALUE_ENCLOSED)
        return false;
    struct value *below = affine->below < 0 ? NULL : value_of(work, affine->below);
    bool large = mpfr_cmp_ui(atom->low.at, 1) >= 0 || mpfr_cmp_si(atom->high.at, -1) <= 0;
    bool by_atom = !below || (!large && affine->has_other);
    bool other = below && by_atom;
    if (below && (!value_sign(below) || (!large && !other)))
        return false;
    mpq_set(work->spare.rational, other ? affine->other_rest : affine->rest);
    value_is_rational(&work->spare);
    if (by_atom && work->spare.kind != VALUE_ZERO)
        value_multiply(&work->other_spare, &work->spare, atom);
    else
        value_set(&work->other_spare, &work->spare);
    if (below && work->spare.kind != VALUE_ZERO)
        value_divide(&work->spare, &work->other_spare, below);
    else
        value_set(&work->spare, &work->other_spare);
    mpq_set(work->other_spare.rational, other ? affine->other_whole : affine->whole);
    value_is_rational(&work->other_spare);
    bool nothing = work->spare.kind == VALUE_ZERO && work->other_spare.kind == VALUE_ZERO;
    value_add(y, &work->other_spare, &work->spare);
    y->cancelled = nothing;
    return true;
}

/* Where closed forms of the operands say what the result is, nothing is computed. */
static void evaluate(struct formula_work *work, int number, struct value *y) {
    const struct formula_node *node = &work->formula->nodes[number];
    bool one = node->kind == FORMULA_PI || node->kind == FORMULA_E;
    bool steps = node->kind >= FORMULA_NEGATE && node->kind != FORMULA_SELECT &&
                 node->kind != FORMULA_ROUND && node->count <= 2;
    struct value *a = steps ? value_of(work, node->arguments[0]) : NULL;
    struct value *b = steps && node->count > 1 ? value_of(work, node->arguments[1]) : NULL;
    if (steps && known_result(&work->stepper, node, a, b, y))
        return;
    if (!rearrange(work, number, y))
        compute(work, number, y);
    if (steps || one)
        known_form(node, a, b, y);
}

static struct value *value_of(struct formula_work *work, int node) {
    if (!work->done[node]) {
        evaluate(work, node, &work->values[node]);
        work->done[node] = true;
    }
    return &work->values[node];
}

/* Functions that MPFR has at 2^16 bits within milliseconds. */
static bool is_quick(const struct operation *operation) {
    static const char *const trigonometric[] = {"sin", "cos", "tan", "sinpi", "cospi", "tanpi"};
    const struct function_rule *rule = function_rule(operation);
    for (size_t i = 0; i < sizeof trigonometric / sizeof *trigonometric; i++)
        if (strcmp(operation->name, trigonometric[i]) == 0)
            return true;
    return rule && !rule->rewriting && strncmp(operation->name, "erf", 3) != 0 &&
           (rule->shape == SHAPE_STEPS || operation->result[0].mpfr1);
}

int formula_most_precision(const struct formula *formula) {
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        bool quick = node->kind != FORMULA_FUNCTION || is_quick(node->operation) ||
                     (node->rewriting && formula_most_precision(node->rewriting) == MOST_BITS);
        if (!quick)
            return MOST_BITS_OF_SLOW;
    }
    return MOST_BITS;
}

struct exponents {
    mpfr_exp_t least, most;
};

static struct exponents widen_exponents(void) {
    struct exponents before = {mpfr_get_emin(), mpfr_get_emax()};
    mpfr_set_emin(-EXPONENT_RANGE);
    mpfr_set_emax(EXPONENT_RANGE);
    return before;
}

static void restore_exponents(struct exponents before) {
    mpfr_set_emin(before.least);
    mpfr_set_emax(before.most);
}

bool formula_truncate(struct formula_work *work, const struct real *operands, mpfr_ptr result,
                      int *ternary, struct real *special, bool *is_special) {
    const struct exponents before = widen_exponents();
    int most = formula_most_precision(work->formula);
    bool decided = false;
    mpfr_set_prec(work->other, mpfr_get_prec(result));
    for (int i = 0; i < work->formula->operands; i++)
        value_set_real(&work->own[i], &operands[i]);
    for (mpfr_prec_t precision = mpfr_get_prec(result) + FIRST_BITS, last = 0;
         !decided && last < most; precision *= 2) {
        last = precision < most ? precision : most;
        set_precision(work, last);
        decided = value_truncate(value_of(work, work->formula->count - 1), result, work->other,
                                 ternary, special, is_special);
    }
    restore_exponents(before);
    return decided;
}

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

/* Of an enclosure: the number that all of it lies beside, on one side. */
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

/* The other factor, or 1 over it, where the formula is the operand times something; or 1 and the other term of a sum,
 * over the operand. */
static bool take_slope(struct formula_work *work, struct value *x, struct value *slope) {
    const struct formula_node *whole = &work->formula->nodes[work->formula->count - 1];
    bool sum = whole->kind == FORMULA_ADD || whole->kind == FORMULA_SUBTRACT;
    if (whole->count != 2 ||
        !(sum || whole->kind == FORMULA_MULTIPLY || whole->kind == FORMULA_DIVIDE))
        return false;
    bool first = work->formula->nodes[whole->arguments[0]].kind == FORMULA_OPERAND;
    if (!first && (work->formula->nodes[whole->arguments[1]].kind != FORMULA_OPERAND ||
                   whole->kind == FORMULA_DIVIDE || whole->kind == FORMULA_SUBTRACT))
        return false;
    struct value *other = value_of(work, whole->arguments[first ? 1 : 0]);
    struct value *one = &work->spare, *share = &work->other_spare;
    mpq_set_ui(one->rational, 1, 1);
    value_is_rational(one);
    if (whole->kind == FORMULA_MULTIPLY)
        value_set(slope, other);
    else if (whole->kind == FORMULA_DIVIDE)
        value_divide(slope, one, other);
    else {
        value_divide(share, other, x);
        (whole->kind == FORMULA_ADD ? value_add : value_subtract)(slope, one, share);
    }
    return slope->kind == VALUE_ENCLOSED && value_sign(slope);
}

/* A line through 0: the slopes that the judge knows. An error of the slope is one of as many bits of the result. */
static bool find_slope(struct formula_work *work, struct value *x, const struct format *format,
                       struct asymptote *asymptote) {
    static const double slopes[] = {1, 0.5, -1};
    struct value slope;
    bool near = false;
    value_init(&slope, work->precision);
    if (take_slope(work, x, &slope))
        for (size_t i = 0; i < sizeof slopes / sizeof *slopes && !near; i++) {
            near = is_beside(work, &slope, slopes[i], -format->precision - ASYMPTOTE_BITS,
                             &asymptote->side);
            asymptote->slope = slopes[i];
        }
    bool outward = (asymptote->side == ASYMPTOTE_ABOVE) == (asymptote->slope > 0);
    asymptote->constant = 0;
    asymptote->side = outward ? ASYMPTOTE_OUTWARD : ASYMPTOTE_INWARD;
    value_clear(&slope);
    return near;
}

bool formula_asymptote(struct formula_work *work, double low, double high,
                       const struct format *format, struct asymptote *asymptote) {
    const struct exponents before = widen_exponents();
    struct value *x = &work->own[0];
    set_precision(work, 4 * FIRST_BITS);
    mpfr_set_d(x->low.at, low, MPFR_RNDD);
    mpfr_set_d(x->high.at, high, MPFR_RNDU);
    x->low.open = x->high.open = false;
    value_is_enclosed(x);
    struct value *y = value_of(work, work->formula->count - 1);
    *asymptote = (struct asymptote){.low = -INFINITY, .high = INFINITY, .side = ASYMPTOTE_EXACT};
    bool found = y->kind == VALUE_NAN || y->kind == VALUE_ZERO || y->kind == VALUE_INFINITE;
    if (y->kind == VALUE_NAN)
        asymptote->constant = NAN;
    else if (y->kind == VALUE_INFINITE)
        asymptote->constant = y->negative ? -INFINITY : INFINITY;
    else if (y->kind == VALUE_ZERO)
        found =
            false; /* its sign is that of the zero, and where it has cancelled of the rounding */
    else if (y->kind == VALUE_ENCLOSED)
        found = find_line(work, y, format, asymptote) || find_slope(work, x, format, asymptote);
    restore_exponents(before);
    return found;
}
