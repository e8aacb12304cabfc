/* Walking the tree with balls of real numbers. */
#include "op/formula/ball.h"

#include "op/formula/functions.h"
#include "op/function/arb_rule.h"

#include <acb.h>
#include <stdlib.h>
#include <string.h>

struct formula_balls {
    const struct formula *formula;
    arb_ptr operands, values; /* of each node */
    bool *constant;           /* what has no operand below it holds as long as the precision */
    const struct function_rule **rules; /* of functions */
    unsigned *known;                    /* the turn in which a node was looked at, 0 for none */
    unsigned turn;
    slong precision;
    struct formula_balls **inner; /* of nodes with a rewriting, once wanted */
    acb_t z, image;
    arf_t ends[2];
    arb_t spare;
};

static void clear_inner(struct formula_balls *balls) {
    for (int i = 0; balls->inner && i < balls->formula->count; i++)
        formula_balls_close(balls->inner[i]);
}

void formula_balls_close(struct formula_balls *balls) {
    if (!balls)
        return;
    clear_inner(balls);
    _arb_vec_clear(balls->operands, MAX_OPERANDS);
    _arb_vec_clear(balls->values, balls->formula->count);
    acb_clear(balls->z);
    acb_clear(balls->image);
    arb_clear(balls->spare);
    for (int i = 0; i < 2; i++)
        arf_clear(balls->ends[i]);
    free(balls->constant);
    free(balls->known);
    free(balls->rules);
    free(balls->inner);
    free(balls);
}

static bool is_constant(const struct formula_balls *balls, const struct formula_node *node) {
    bool constant = node->kind != FORMULA_OPERAND;
    for (int i = 0; i < node->count; i++)
        constant = constant && balls->constant[node->arguments[i]];
    return constant;
}

struct formula_balls *formula_balls_open(const struct formula *formula) {
    struct formula_balls *balls = calloc(1, sizeof *balls);
    size_t count = (size_t)formula->count;
    if (!balls)
        return NULL;
    balls->formula = formula;
    balls->constant = calloc(count, sizeof *balls->constant);
    balls->known = calloc(count, sizeof *balls->known);
    balls->rules = calloc(count, sizeof *balls->rules);
    balls->inner = calloc(count, sizeof *balls->inner);
    balls->operands = _arb_vec_init(MAX_OPERANDS);
    balls->values = _arb_vec_init(formula->count);
    acb_init(balls->z);
    acb_init(balls->image);
    arb_init(balls->spare);
    for (int i = 0; i < 2; i++)
        arf_init(balls->ends[i]);
    if (!balls->constant || !balls->known || !balls->rules || !balls->inner) {
        formula_balls_close(balls);
        return NULL;
    }
    for (int i = 0; i < formula->count; i++) {
        balls->constant[i] = is_constant(balls, &formula->nodes[i]);
        if (formula->nodes[i].kind == FORMULA_FUNCTION)
            balls->rules[i] = function_rule(formula->nodes[i].operation);
    }
    return balls;
}

static arb_srcptr ball_of(struct formula_balls *balls, int number);

static void set_number(arb_t y, mpq_srcptr number, slong precision) {
    fmpq_t fraction;
    fmpq_init(fraction);
    fmpq_set_mpq(fraction, number);
    arb_set_fmpq(y, fraction, precision);
    fmpq_clear(fraction);
}

/* Whether the relation holds of all pairs of numbers; -1 where it does of some only. */
static int holds(enum formula_relation relation, arb_srcptr a, arb_srcptr b) {
    switch (relation) {
    case RELATION_LESS:
        return arb_lt(a, b) ? 1 : arb_ge(a, b) ? 0 : -1;
    case RELATION_NOT_GREATER:
        return arb_le(a, b) ? 1 : arb_gt(a, b) ? 0 : -1;
    case RELATION_GREATER:
        return arb_gt(a, b) ? 1 : arb_le(a, b) ? 0 : -1;
    case RELATION_NOT_LESS:
        return arb_ge(a, b) ? 1 : arb_lt(a, b) ? 0 : -1;
    case RELATION_EQUAL:
        return arb_eq(a, b) ? 1 : arb_ne(a, b) ? 0 : -1;
    default:
        return arb_ne(a, b) ? 1 : arb_eq(a, b) ? 0 : -1;
    }
}

static void choose(struct formula_balls *balls, const struct formula_node *node, arb_t y) {
    const int *arguments = node->arguments;
    arb_srcptr a = ball_of(balls, arguments[0]), b = ball_of(balls, arguments[1]);
    int which = -1;
    if (arguments[0] == arguments[1])
        which = arb_is_finite(a) ? formula_holds(node->relation, 0) : -1;
    else if (!arf_is_nan(arb_midref(a)) && !arf_is_nan(arb_midref(b)))
        which = holds(node->relation, a, b);
    if (which < 0)
        arb_indeterminate(y);
    else
        arb_set(y, ball_of(balls, arguments[which ? 2 : 3]));
}

static void raise_power(struct formula_balls *balls, arb_srcptr a, arb_srcptr b, arb_t y) {
    bool whole = arb_is_exact(b) && arb_is_int(b) && arf_cmpabs_2exp_si(arb_midref(b), 30) < 0;
    slong n = whole ? arf_get_si(arb_midref(b), ARF_RND_DOWN) : 0;
    if (whole) {
        arb_pow_ui(y, a, (ulong)(n < 0 ? -n : n), balls->precision);
        if (n < 0)
            arb_inv(y, y, balls->precision);
    } else if (arb_is_positive(a))
        arb_pow(y, a, b, balls->precision);
    else
        arb_indeterminate(y);
}

/* An end as numbers of formats are rounded: outwards, to more bits than any has. */
static bool round_end(const struct format *format, const arf_t end, bool up, uint64_t *code) {
    enum { END_BITS = 120, MOST_EXPONENT = 1 << 14 };
    mpfr_t at;
    if (arf_cmpabs_2exp_si(end, MOST_EXPONENT) >= 0)
        return false;
    mpfr_init2(at, END_BITS);
    arf_get_mpfr(at, end, up ? MPFR_RNDU : MPFR_RNDD);
    struct real real = real_from_mpfr(at, 0);
    *code = format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    mpfr_clear(at);
    return true;
}

/* The one number of the format to which all of the ball rounds. */
static void round_all(struct formula_balls *balls, const struct format *format, arb_srcptr x,
                      arb_t y) {
    enum { BALL_END_BITS = 1 << 12 };
    uint64_t low, high;
    arb_get_lbound_arf(balls->ends[0], x, BALL_END_BITS);
    arb_get_ubound_arf(balls->ends[1], x, BALL_END_BITS);
    arb_indeterminate(y);
    if (!round_end(format, balls->ends[0], false, &low) ||
        !round_end(format, balls->ends[1], true, &high) || low != high)
        return;
    enum number_class class = format_classify(format, low);
    if (class == CLASS_ZERO)
        arb_zero(y);
    else if (class <= CLASS_NORMAL) {
        struct real real = format_decode(format, low);
        mpfr_t at;
        mpfr_init2(at, 128);
        real_to_mpfr(at, &real);
        arf_set_mpfr(arb_midref(y), at);
        mag_zero(arb_radref(y));
        mpfr_clear(at);
    }
}

static void round_end_to_integer(fmpz_t y, arf_t end, enum rounding rounding) {
    /* An exact sum of a tiny number and a half would be as long as the number is small. */
    if (rounding == ROUND_NEAREST_AWAY && arf_cmpabs_2exp_si(end, -2) < 0) {
        fmpz_zero(y);
        return;
    }
    if (rounding == ROUND_NEAREST_AWAY) {
        arf_t half;
        arf_init(half);
        arf_set_d(half, arf_sgn(end) < 0 ? -0.5 : 0.5);
        arf_add(end, end, half, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_clear(half);
    }
    arf_get_fmpz(y, end,
                 rounding == ROUND_DOWN           ? ARF_RND_FLOOR
                 : rounding == ROUND_UP           ? ARF_RND_CEIL
                 : rounding == ROUND_NEAREST_EVEN ? ARF_RND_NEAR
                                                  : ARF_RND_DOWN);
}

static void round_to_integer(struct formula_balls *balls, enum rounding rounding, arb_srcptr x,
                             arb_t y) {
    enum { MOST_EXPONENT = 256 };
    fmpz_t integers[2];
    arb_get_lbound_arf(balls->ends[0], x, 2 * MOST_EXPONENT);
    arb_get_ubound_arf(balls->ends[1], x, 2 * MOST_EXPONENT);
    arb_indeterminate(y);
    if (arf_cmpabs_2exp_si(balls->ends[0], MOST_EXPONENT) >= 0 ||
        arf_cmpabs_2exp_si(balls->ends[1], MOST_EXPONENT) >= 0)
        return;
    for (int i = 0; i < 2; i++) {
        fmpz_init(integers[i]);
        round_end_to_integer(integers[i], balls->ends[i], rounding);
    }
    if (fmpz_equal(integers[0], integers[1]))
        arb_set_fmpz(y, integers[0]);
    for (int i = 0; i < 2; i++)
        fmpz_clear(integers[i]);
}

/* A function by what it is in terms of others, of numbers other than 0. */
static void rewrite(struct formula_balls *balls, const struct formula_node *node, int number,
                    arb_t y) {
    struct formula_balls *inner = balls->inner[number];
    bool known = node->rewriting != NULL;
    for (int i = 0; i < node->count; i++)
        known = known && !arb_contains_zero(ball_of(balls, node->arguments[i]));
    if (known && !inner)
        inner = balls->inner[number] = formula_balls_open(node->rewriting);
    if (!known || !inner) {
        arb_indeterminate(y);
        return;
    }
    for (int i = 0; i < node->count; i++)
        arb_set(formula_balls_operand(inner, i), ball_of(balls, node->arguments[i]));
    arb_set(y, formula_ball(inner, balls->precision));
}

static void call(struct formula_balls *balls, const struct formula_node *node, int number,
                 arb_t y) {
    const struct function_rule *rule = balls->rules[number];
    const struct arb_rule *arb = node->operation->result[0].arb;
    arb_srcptr x = ball_of(balls, node->arguments[0]);
    bool finite = true;
    for (int i = 0; i < node->count; i++)
        finite = arb_is_finite(ball_of(balls, node->arguments[i])) && finite;
    arb_indeterminate(y);
    if (!finite)
        return;
    if (rule && rule->shape == SHAPE_STEPS)
        round_to_integer(balls, rule->rounding, x, y);
    else if (node->count == 1 && arb && arb->analytic) {
        arb_set(acb_realref(balls->z), x);
        arb->analytic(balls->image, balls->z, balls->precision);
        if (acb_is_finite(balls->image))
            arb_swap(y, acb_realref(balls->image));
    } else
        rewrite(balls, node, number, y);
}

static void combine(struct formula_balls *balls, const struct formula_node *node, arb_t y) {
    const slong precision = balls->precision;
    arb_srcptr a = ball_of(balls, node->arguments[0]);
    arb_srcptr b = node->count > 1 ? ball_of(balls, node->arguments[1]) : NULL;
    arb_srcptr c = node->count > 2 ? ball_of(balls, node->arguments[2]) : NULL;
    bool finite = arb_is_finite(a) && (!b || arb_is_finite(b)) && (!c || arb_is_finite(c));
    if (node->kind == FORMULA_NEGATE)
        arb_neg(y, a);
    else if (!finite)
        arb_indeterminate(y);
    else if (node->kind == FORMULA_MAGNITUDE)
        arb_abs(y, a);
    else if (node->kind == FORMULA_ADD)
        arb_add(y, a, b, precision);
    else if (node->kind == FORMULA_SUBTRACT)
        arb_sub(y, a, b, precision);
    else if (node->kind == FORMULA_MULTIPLY)
        arb_mul(y, a, b, precision);
    else if (node->kind == FORMULA_DIVIDE)
        arb_div(y, a, b, precision);
    else if (node->kind == FORMULA_LESSER)
        arb_min(y, a, b, precision);
    else if (node->kind == FORMULA_GREATER)
        arb_max(y, a, b, precision);
    else if (node->kind == FORMULA_FUSED) {
        arb_mul(balls->spare, a, b, precision);
        arb_add(y, balls->spare, c, precision);
    } else
        round_all(balls, node->format, a, y);
}

static void evaluate(struct formula_balls *balls, int number, arb_t y) {
    const struct formula_node *node = &balls->formula->nodes[number];
    switch (node->kind) {
    case FORMULA_NUMBER:
        set_number(y, node->number, balls->precision);
        break;
    case FORMULA_PI:
        arb_const_pi(y, balls->precision);
        break;
    case FORMULA_E:
        arb_const_e(y, balls->precision);
        break;
    case FORMULA_INFINITY:
        arb_pos_inf(y);
        break;
    case FORMULA_NAN:
        arb_indeterminate(y);
        break;
    case FORMULA_POWER: {
        arb_srcptr a = ball_of(balls, node->arguments[0]), b = ball_of(balls, node->arguments[1]);
        if (arb_is_finite(a) && arb_is_finite(b))
            raise_power(balls, a, b, y);
        else
            arb_indeterminate(y);
        break;
    }
    case FORMULA_SELECT:
        choose(balls, node, y);
        break;
    case FORMULA_FUNCTION:
        call(balls, node, number, y);
        break;
    default:
        combine(balls, node, y);
        break;
    }
}

static arb_srcptr ball_of(struct formula_balls *balls, int number) {
    const struct formula_node *node = &balls->formula->nodes[number];
    if (node->kind == FORMULA_OPERAND)
        return balls->operands + node->arguments[0];
    if (balls->known[number] != balls->turn && !(balls->known[number] && balls->constant[number])) {
        evaluate(balls, number, balls->values + number);
        balls->known[number] = balls->turn;
    }
    return balls->values + number;
}

arb_ptr formula_balls_operand(struct formula_balls *balls, int operand) {
    return balls->operands + operand;
}

arb_srcptr formula_ball(struct formula_balls *balls, slong precision) {
    balls->turn++;
    if (balls->precision != precision || !balls->turn) {
        memset(balls->known, 0, (size_t)balls->formula->count * sizeof *balls->known);
        balls->precision = precision;
        balls->turn = 1;
    }
    return ball_of(balls, balls->formula->count - 1);
}
