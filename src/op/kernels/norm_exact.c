/* Norms, exactly.
 *
 * Every element is b + w u / Q^(1/2), where u and Q are numbers of finitely many bits: with the sums S of the elements
 * and T of their squares, n elements and epsilon e
 *   rms_norm    u = x n^(1/2)   Q = T + n e
 *   layer_norm  u = n x - S     Q = n T - S^2 + n^2 e
 *   l2_norm     u = x           Q = max(T, e^2)
 * So the square of the second term is a quotient of such numbers. Truncated to twice the bits that has the same
 * root, truncated, for a number of half as many bits has a square that it holds. To this root b is added: where the
 * root is exact the sum is, and otherwise the root is found to more bits, until they decide the truncated sum. */
#include "op/kernels/norms.h"

#include "op/array/slices.h"
#include "op/enclose.h"

#include <stdlib.h>

enum { FIRST_GUARD = 40 };

struct norm_line {
    const struct array_call *call;
    const struct norm_facts *facts;
    struct norm_layout layout;
    struct real *x; /* of a line */
    int precision;
    bool nan, infinite;
    struct real epsilon;
    arf_t sum, squares, quotient; /* S, T, Q */
    arf_t value, term, numerator, root, low, high;
};

/* Elements of a channel of a sample: the product of the extents but the first two. */
static uint64_t spots_of(const struct shape *shape) {
    return shape_elements(shape) / (shape->extents[0] * shape->extents[1]);
}

struct norm_layout norm_layout_of(const struct array_call *call) {
    const struct norm_facts *facts = call->rule->data;
    const struct shape *shape = &call->operands[0].shape;
    const enum norm_lines lines = facts->lines;
    if (lines == NORM_ALONG) {
        const struct slices slices = slices_of(call);
        return (struct norm_layout){.count = slices.count,
                                    .length = slices.length,
                                    .block = slices.stride,
                                    .starts = slices.stride * slices.length,
                                    .inner = slices.length,
                                    .unit = slices.stride,
                                    .groups = 1,
                                    .per = 1};
    }
    const uint64_t channels = shape->extents[1], spots = spots_of(shape);
    const bool by_channel = lines == NORM_CHANNELS;
    const uint64_t groups = by_channel ? channels : norm_groups(call), each = channels / groups;
    const uint64_t length = by_channel ? shape->extents[0] * spots : each * spots;
    return (struct norm_layout){.count = by_channel ? channels : shape->extents[0] * groups,
                                .length = length,
                                .block = 1,
                                .starts = by_channel ? spots : length,
                                .inner = by_channel ? spots : length,
                                .step = channels * spots,
                                .unit = 1,
                                .groups = groups,
                                .each = each,
                                .per = by_channel ? length : spots};
}

static struct real number_at(const struct array_call *call, int operand, uint64_t index) {
    const struct format *format = call->results[0].format;
    return format_decode(format, element_load(&call->operands[operand], format, index));
}

/* S, T and what is among the elements. */
static void sum_up(struct norm_line *line, uint64_t number) {
    line->nan = line->infinite = false;
    arf_zero(line->sum);
    arf_zero(line->squares);
    for (uint64_t i = 0; i < line->layout.length; i++) {
        const struct real x = number_at(line->call, NORM_X, norm_place(&line->layout, number, i));
        line->x[i] = x;
        line->nan |= x.kind == REAL_NAN;
        line->infinite |= x.kind == REAL_INFINITE;
        if (x.kind != REAL_FINITE)
            continue;
        arf_set_real(line->value, &x);
        arf_add(line->sum, line->sum, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_addmul(line->squares, line->value, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

/* Q. */
static void find_quotient(struct norm_line *line) {
    const uint64_t n = line->layout.length;
    arf_zero(line->value);
    if (line->epsilon.kind == REAL_FINITE)
        arf_set_real(line->value, &line->epsilon);
    arf_set(line->quotient, line->squares);
    if (line->facts->which == DETMATH_L2_NORM) {
        arf_mul(line->value, line->value, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (arf_cmp(line->value, line->quotient) > 0)
            arf_set(line->quotient, line->value);
        return;
    }
    arf_mul_ui(line->value, line->value, n, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (line->facts->which == DETMATH_LAYER_NORM) {
        arf_mul_ui(line->value, line->value, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(line->quotient, line->quotient, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_submul(line->quotient, line->sum, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
    arf_add(line->quotient, line->quotient, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
}

/* What an element is before its weight where that is no finite number but 0. False where it is one: term = u, but
 * for n^(1/2) of the root mean square norm. */
static bool decide_normed(struct norm_line *line, const struct real *x, struct real *normed) {
    const bool centred = line->facts->which == DETMATH_LAYER_NORM;
    const bool none = line->nan || (line->infinite && (centred || x->kind == REAL_INFINITE)) ||
                      (!line->infinite && arf_is_zero(line->quotient));
    *normed = none ? real_nan() : real_zero(x->negative);
    if (none || line->infinite || (!centred && x->kind == REAL_ZERO))
        return true;
    arf_zero(line->term);
    if (x->kind == REAL_FINITE)
        arf_set_real(line->term, x);
    if (!centred)
        return false;
    arf_mul_ui(line->term, line->term, line->layout.length, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_sub(line->term, line->term, line->sum, ARF_PREC_EXACT, ARF_RND_DOWN);
    *normed = real_zero(line->call->rounding == ROUND_DOWN);
    return arf_is_zero(line->term);
}

/* a + b of which one is no finite number but 0. */
static struct real sum_of_special(const struct real *a, const struct real *b) {
    struct real sum = a->kind == REAL_ZERO ? *b : *a;
    if (a->kind == REAL_NAN || b->kind == REAL_NAN ||
        (a->kind == REAL_INFINITE && b->kind == REAL_INFINITE && a->negative != b->negative))
        return real_nan();
    if (b->kind == REAL_INFINITE)
        return *b;
    if (a->kind == REAL_ZERO && b->kind == REAL_ZERO && a->negative != b->negative) {
        sum = real_zero(false);
        sum.cancelled = true;
    }
    return sum;
}

/* The product of an element and its weight, where one of them is a zero or NaN, or the weight is infinite. */
static struct real special_product(const struct real *normed, bool negative,
                                   const struct real *weight) {
    if (normed->kind == REAL_NAN || weight->kind == REAL_NAN ||
        (normed->kind == REAL_ZERO && weight->kind == REAL_INFINITE))
        return real_nan();
    if (weight->kind == REAL_INFINITE)
        return real_infinity(negative != weight->negative);
    return real_zero(negative != weight->negative);
}

/* The number of an arf, truncated; `more` of it lies beyond. */
static struct real truncated(const arf_t x, int precision, bool more) {
    mpfr_t value;
    mpfr_init2(value, precision);
    const int lost = arf_get_mpfr(value, x, MPFR_RNDZ);
    struct real y = real_from_mpfr(value, lost || more);
    mpfr_clear(value);
    return y;
}

/* root = (u w)^2 n / Q, its root truncated to that many bits; whether nothing is lost. */
static bool find_root(struct norm_line *line, slong bits) {
    const int lost =
        arf_div(line->root, line->numerator, line->quotient, 2 * bits + 2, ARF_RND_DOWN);
    return arf_sqrt(line->root, line->root, bits, ARF_RND_DOWN) == 0 && !lost;
}

/* The truncated sum of b and the root, of the sign of u w: it lies between two ends, and is neither. */
static bool add_root(struct norm_line *line, const struct real *bias, bool negative,
                     struct real *y) {
    arf_set_real(line->value, bias);
    for (slong bits = line->precision + FIRST_GUARD; bits <= ENCLOSE_MOST_BITS; bits *= 2) {
        const bool exact = find_root(line, bits);
        const slong above = arf_abs_bound_lt_2exp_si(line->root);
        arf_set_si_2exp_si(line->high, exact ? 0 : 1, above - bits);
        arf_add(line->high, line->high, line->root, ARF_PREC_EXACT, ARF_RND_DOWN);
        if (negative) {
            arf_neg(line->root, line->root);
            arf_neg(line->high, line->high);
        }
        arf_add(line->low, line->value, line->root, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_add(line->high, line->value, line->high, ARF_PREC_EXACT, ARF_RND_DOWN);
        *y = truncated(line->low, line->precision, !exact);
        y->cancelled = arf_is_zero(line->low) && exact;
        const bool one_sign = arf_sgn(line->low) * arf_sgn(line->high) > 0;
        if (arf_cmpabs(line->low, line->high) > 0)
            *y = truncated(line->high, line->precision, !exact);
        arf_set_round(line->low, line->low, line->precision, ARF_RND_DOWN);
        arf_set_round(line->high, line->high, line->precision, ARF_RND_DOWN);
        if (exact || (one_sign && arf_equal(line->low, line->high)))
            return true;
    }
    return false;
}

/* One element. */
static bool find_element(struct norm_line *line, const struct real *x, const struct real *weight,
                         const struct real *bias, struct real *y) {
    struct real normed;
    const bool is_special = decide_normed(line, x, &normed);
    if (is_special || weight->kind != REAL_FINITE) {
        const bool negative = is_special ? normed.negative : arf_sgn(line->term) < 0;
        if (!is_special)
            normed.kind = REAL_FINITE;
        const struct real product = special_product(&normed, negative, weight);
        *y = bias ? sum_of_special(&product, bias) : product;
        return true;
    }
    if (bias && (bias->kind == REAL_NAN || bias->kind == REAL_INFINITE)) {
        *y = *bias;
        return true;
    }
    arf_set_real(line->value, weight);
    arf_mul(line->term, line->term, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    const bool negative = arf_sgn(line->term) < 0;
    arf_mul(line->numerator, line->term, line->term, ARF_PREC_EXACT, ARF_RND_DOWN);
    if (line->facts->which == DETMATH_RMS_NORM)
        arf_mul_ui(line->numerator, line->numerator, line->layout.length, ARF_PREC_EXACT,
                   ARF_RND_DOWN);
    if (bias && bias->kind == REAL_FINITE)
        return add_root(line, bias, negative, y);
    const bool exact = find_root(line, line->precision);
    *y = truncated(line->root, line->precision, !exact);
    y->negative = negative;
    return true;
}

static bool open_line(struct norm_line *line, const struct array_call *call, int precision,
                      struct error *error) {
    *line = (struct norm_line){.call = call,
                               .facts = call->rule->data,
                               .layout = norm_layout_of(call),
                               .precision = precision,
                               .epsilon = array_epsilon(call)};
    line->x = calloc(line->layout.length, sizeof *line->x);
    arf_ptr numbers[] = {line->sum,       line->squares, line->quotient, line->value, line->term,
                         line->numerator, line->root,    line->low,      line->high};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    return line->x || error_set(error, "out of memory");
}

static void close_line(struct norm_line *line) {
    arf_ptr numbers[] = {line->sum,       line->squares, line->quotient, line->value, line->term,
                         line->numerator, line->root,    line->low,      line->high};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    free(line->x);
}

bool norm_exact(const struct array_call *call, int result, int precision, struct real *y,
                struct error *error) {
    const int operands = rule_operands(call->rule, call->parameters);
    struct norm_line line;
    bool done = open_line(&line, call, precision, error);
    (void)result;
    for (uint64_t l = 0; done && l < line.layout.count; l++) {
        sum_up(&line, l);
        find_quotient(&line);
        for (uint64_t i = 0; done && i < line.layout.length; i++) {
            if (!array_wants(call, norm_place(&line.layout, l, i)))
                continue;
            const uint64_t at = norm_weight_place(&line.layout, l, i);
            const struct real weight =
                operands > NORM_WEIGHT ? number_at(call, NORM_WEIGHT, at) : real_from_double(1);
            const struct real bias =
                operands > NORM_BIAS ? number_at(call, NORM_BIAS, at) : real_zero(true);
            done = find_element(&line, &line.x[i], &weight, operands > NORM_BIAS ? &bias : NULL,
                                &y[norm_place(&line.layout, l, i)]) ||
                   error_set(error,
                             "the oracle cannot decide an element of this norm within %d bits; "
                             "please report it",
                             ENCLOSE_MOST_BITS);
        }
    }
    close_line(&line);
    return done;
}
