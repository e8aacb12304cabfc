/* The gradient of a softmax, exactly, and by det.
 *
 * With m the largest operand, n of them, the powers e^(x - m) of the others with their sum t, and u the sum of g times them, G
 * that of g over the largest, A = n g[i] - G and w = g[i] t - u, which is the sum of (g[i] - g[j]) e^(x[j] - m), it is
 *   e^(x[i] - m) (A + w) / (n + t)^2,
 * and of the largest A / n^2, exactly, and beside it (n^2 w - 2 n A t - A t^2) / (n^2 (n + t)^2). By the theorem of
 * Lindemann and Weierstrass it is no binary fraction but where all finite operands are equal, or the g of equal
 * operands have a mean of g[i], whatever these are: then it is 0. Powers of equal operands are counted together, so that
 * what cancels exactly does. */
#include "detmath/transformer.h"
#include "op/array/algorithms.h"
#include "op/array/exponential_line.h"
#include "op/array/families.h"
#include "op/families.h"
#include "op/kernels/widened.h"

#include <stdlib.h>

/* From so many bits on differences are counted power by power. */
enum { BITS_BY_POWER = 1 << 10 };

struct element {
    struct real x, g;
};

/* Equal operands: how many, the sum of their g, and e^(x - m). */
struct power {
    struct real x;
    uint64_t count;
    arf_t slopes;
    arb_t value;
};

struct slope {
    struct exponential_line line;
    struct element *elements; /* the finite ones, from the largest down */
    struct power *powers;
    uint64_t finite, kept; /* how many of these there are */
    bool is_level;         /* the g of equal operands have one mean, whatever these are */
    slong bits;            /* of the powers, t and u; 0: none yet */
    arb_t t, u, rest, term;
    arf_t above, value; /* A; scratch */
    uint64_t own;       /* the power of the element that is asked for */
    struct real g;
};

static int order(const struct real *a, const struct real *b) {
    const bool a_zero = a->kind == REAL_ZERO, b_zero = b->kind == REAL_ZERO;
    const int a_sign = a_zero        ? 0
                       : a->negative ? -1
                                     : 1,
              b_sign = b_zero        ? 0
                       : b->negative ? -1
                                     : 1;
    if (a_sign != b_sign || a_sign == 0)
        return a_sign - b_sign;
    return real_is_smaller(a, b) ? -a_sign : real_is_smaller(b, a) ? a_sign : 0;
}

static int by_size(const void *a, const void *b) {
    return order(&((const struct element *)b)->x, &((const struct element *)a)->x);
}

/* The finite operands of the line that was loaded, and which of them are equal. */
static void find_powers(struct slope *slope) {
    const struct exponential_line *line = &slope->line;
    slope->finite = slope->kept = 0;
    slope->bits = 0;
    for (uint64_t i = 0; i < line->slices.length; i++)
        if (real_is_number(&line->x[i]))
            slope->elements[slope->finite++] = (struct element){line->x[i], line->g[i]};
    qsort(slope->elements, slope->finite, sizeof *slope->elements, by_size);
    for (uint64_t i = 0; i < slope->finite; i++) {
        const struct element *element = &slope->elements[i];
        struct power *power = &slope->powers[slope->kept];
        if (i && order(&element->x, &power[-1].x) == 0)
            power--;
        else {
            slope->kept++;
            power->x = element->x;
            power->count = 0;
            arf_zero(power->slopes);
        }
        power->count++;
        arf_zero(slope->value);
        if (element->g.kind == REAL_FINITE)
            arf_set_real(slope->value, &element->g);
        arf_add(power->slopes, power->slopes, slope->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

/* is_level; the first power's g against those of the others. */
static void find_level(struct slope *slope) {
    const struct power *first = &slope->powers[0];
    arf_t other;
    arf_init(other);
    slope->is_level = true;
    for (uint64_t k = 1; slope->is_level && k < slope->kept; k++) {
        const struct power *power = &slope->powers[k];
        arf_mul_ui(slope->value, first->slopes, (ulong)power->count, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(other, power->slopes, (ulong)first->count, ARF_PREC_EXACT, ARF_RND_DOWN);
        slope->is_level = arf_equal(slope->value, other) != 0;
    }
    arf_clear(other);
}

/* The powers, t and u to so many bits. */
static void sum_up(struct slope *slope, slong bits) {
    if (slope->bits >= bits)
        return;
    slope->bits = bits;
    arb_zero(slope->t);
    arb_zero(slope->u);
    arf_zero(slope->above);
    arf_zero(slope->value);
    for (uint64_t k = 0; k < slope->kept; k++) {
        struct power *power = &slope->powers[k];
        arb_zero(power->value);
        if (power->x.kind == REAL_FINITE)
            arf_set_real(arb_midref(power->value), &power->x);
        if (k)
            arf_sub(arb_midref(power->value), arb_midref(power->value), slope->value,
                    ARF_PREC_EXACT, ARF_RND_DOWN);
        else
            arf_set(slope->value, arb_midref(power->value));
        if (!k)
            continue;
        arb_exp(power->value, power->value, bits);
        arb_addmul_ui(slope->t, power->value, (ulong)power->count, bits);
        arb_mul_arf(slope->term, power->value, power->slopes, bits);
        arb_add(slope->u, slope->u, slope->term, bits);
    }
    arb_one(slope->powers[0].value);
}

/* value = count g - the sum of the g of a power. */
static void find_difference(struct slope *slope, const struct power *power) {
    arf_zero(slope->value);
    if (slope->g.kind == REAL_FINITE)
        arf_set_real(slope->value, &slope->g);
    arf_mul_ui(slope->value, slope->value, (ulong)power->count, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_sub(slope->value, slope->value, power->slopes, ARF_PREC_EXACT, ARF_RND_DOWN);
}

/* rest = scale w - times t, above being A. */
static void find_rest(struct slope *slope, const arf_t scale, const arf_t times) {
    arb_zero(slope->rest);
    if (slope->bits < BITS_BY_POWER) {
        arf_zero(slope->value);
        if (slope->g.kind == REAL_FINITE)
            arf_set_real(slope->value, &slope->g);
        arf_mul(slope->value, slope->value, scale, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(slope->value, slope->value, times, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_mul_arf(slope->rest, slope->t, slope->value, slope->bits);
        arb_mul_arf(slope->term, slope->u, scale, slope->bits);
        arb_sub(slope->rest, slope->rest, slope->term, slope->bits);
        return;
    }
    arf_t share;
    arf_init(share);
    for (uint64_t k = 1; k < slope->kept; k++) {
        const struct power *power = &slope->powers[k];
        find_difference(slope, power);
        arf_mul(slope->value, slope->value, scale, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(share, times, (ulong)power->count, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_sub(slope->value, slope->value, share, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_mul_arf(slope->term, power->value, slope->value, slope->bits);
        arb_add(slope->rest, slope->rest, slope->term, slope->bits);
    }
    arf_clear(share);
}

static void enclose_slope(void *asked, struct interval *y) {
    struct slope *slope = asked;
    const ulong n = (ulong)slope->powers[0].count;
    arf_t scale, times, divisor;
    arf_init(scale);
    arf_init(times);
    arf_init(divisor);
    arf_one(scale);
    arf_one(divisor);
    sum_up(slope, (slong)mpfr_get_prec(y->low) + 16);
    find_difference(slope, &slope->powers[0]);
    arf_set(slope->above, slope->value);
    if (slope->own == 0) {
        arf_mul_ui(scale, scale, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(times, slope->above, 2 * n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_mul_ui(scale, scale, n, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_set(divisor, scale);
    }
    find_rest(slope, scale, times);
    arb_mul(slope->term, slope->t, slope->t, slope->bits);
    arb_mul_arf(slope->term, slope->term, slope->above, slope->bits);
    if (slope->own == 0)
        arb_sub(slope->rest, slope->rest, slope->term, slope->bits);
    else {
        arb_add_arf(slope->rest, slope->rest, slope->above, slope->bits);
        arb_mul(slope->rest, slope->rest, slope->powers[slope->own].value, slope->bits);
        arf_zero(slope->above);
    }
    arb_add_ui(slope->term, slope->t, n, slope->bits);
    arb_mul(slope->term, slope->term, slope->term, slope->bits);
    arb_div(slope->rest, slope->rest, slope->term, slope->bits);
    enclose_beside(y, slope->above, slope->rest, 0, divisor);
    arf_clear(scale);
    arf_clear(times);
    arf_clear(divisor);
}

/* Whether it is a binary fraction, or a quotient of two. */
static bool is_quotient(struct slope *slope, int precision, struct real *y) {
    arf_t divisor;
    find_difference(slope, &slope->powers[0]);
    const bool is_zero = slope->is_level && arf_is_zero(slope->value);
    *y = (struct real){.kind = REAL_ZERO, .cancelled = true};
    if (is_zero || slope->kept > 1)
        return is_zero;
    arf_init(divisor);
    arf_set_ui(divisor, (ulong)slope->finite);
    arf_mul(divisor, divisor, divisor, ARF_PREC_EXACT, ARF_RND_DOWN);
    *y = quotient_of(slope->value, divisor, precision);
    arf_clear(divisor);
    return true;
}

static void find_own(struct slope *slope, const struct real *x) {
    uint64_t from = 0, to = slope->kept;
    while (from + 1 < to) {
        const uint64_t middle = (from + to) / 2;
        *(order(x, &slope->powers[middle].x) <= 0 ? &from : &to) = middle;
    }
    slope->own = from;
}

static bool open_slope(struct slope *slope, const struct array_call *call, int precision,
                       struct error *error) {
    const bool good = exponential_line_open(&slope->line, call, precision, error);
    const uint64_t n = slope->line.slices.length;
    arb_ptr balls[] = {slope->t, slope->u, slope->rest, slope->term};
    slope->elements = calloc(n, sizeof *slope->elements);
    slope->powers = calloc(n, sizeof *slope->powers);
    for (uint64_t i = 0; slope->powers && i < n; i++) {
        arf_init(slope->powers[i].slopes);
        arb_init(slope->powers[i].value);
    }
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++)
        arb_init(balls[i]);
    arf_init(slope->above);
    arf_init(slope->value);
    return good && ((slope->elements && slope->powers) || error_set(error, "out of memory"));
}

static void close_slope(struct slope *slope) {
    arb_ptr balls[] = {slope->t, slope->u, slope->rest, slope->term};
    for (uint64_t i = 0; slope->powers && i < slope->line.slices.length; i++) {
        arf_clear(slope->powers[i].slopes);
        arb_clear(slope->powers[i].value);
    }
    for (size_t i = 0; i < sizeof balls / sizeof *balls; i++)
        arb_clear(balls[i]);
    arf_clear(slope->above);
    arf_clear(slope->value);
    free(slope->elements);
    free(slope->powers);
    exponential_line_close(&slope->line);
}

static bool exact_gradient(const struct array_call *call, int result, int precision, struct real *y,
                           struct error *error) {
    struct slope slope;
    struct exponential_line *line = &slope.line;
    bool good = open_slope(&slope, call, precision, error);
    (void)result;
    for (uint64_t l = 0; good && l < line->slices.count; l++) {
        exponential_line_load(line, call, l);
        const bool none = exponential_has_no_shares(line) || line->g_nan || line->g_infinite[0] ||
                          line->g_infinite[1];
        if (!none) {
            find_powers(&slope);
            find_level(&slope);
        }
        for (uint64_t i = 0; good && i < line->slices.length; i++) {
            struct real *value = &y[slice_place(&line->slices, l, i)];
            *value = none ? real_nan() : real_zero(false);
            if (none || !real_is_number(&line->x[i]))
                continue;
            slope.g = line->g[i];
            find_own(&slope, &line->x[i]);
            good = is_quotient(&slope, precision, value) ||
                   enclose(enclose_slope, &slope, precision, INTERVAL_DECIDED_BY_SIZE,
                           "an element of this array", value, error);
        }
    }
    close_slope(&slope);
    return good;
}

static int call_detmath(const struct array_call *call, struct detmath_strided *const *y,
                        struct detmath_strided *const *x) {
    const struct parameter_value *axis = &call->parameters->values[PARAMETER_AXIS];
    return detmath_softmax_gradient_along(y[0], x[0], x[1],
                                          axis->present ? (int)axis->integer : -1);
}

static WIDENED_RUN(run_det, call_detmath)

    static const struct array_algorithm algorithms[] = {
        {"det", "in pairs of fp32, blocks of 1024 in 64 lanes, then a binary tree",
         provides_widened, run_det, NULL, NULL},
        {"cr", "what the oracle finds, rounded once", provides_nearest, run_exact, NULL, NULL},
        {0}};

static const struct operation rows[] = {
    {.name = "softmax_gradient",
     .formula = "y[i] = p[i] (g[i] - (g[0] p[0] + ... + g[n-1] p[n-1])), p the softmax of x",
     .operands = 2,
     .results = 1,
     .parameters = PARAMETER_BIT(DTYPE) | PARAMETER_BIT(SHAPE_OF) | PARAMETER_BIT(DISTRIBUTION) |
                   PARAMETER_BIT(AXIS),
     .group = "kernels",
     .array = &(const struct array_rule){.operand_names = {"x", "g"},
                                         .lines = LINES_MAPPED,
                                         .last_axis = true,
                                         .operand_shapes = shapes_equal,
                                         .result_shapes = shapes_same,
                                         .exact = exact_gradient,
                                         .algorithms = algorithms,
                                         .families = exponential_families,
                                         .shapes = slice_shapes}},
};
OPERATION_FAMILY(softmax_gradient, rows);
