/* Sums of exponentials, exactly.
 *
 * With m the largest operand, n how many operands are m, and t the sum of e^(x - m) over all the others:
 *   logsumexp    m + ln(n + t)
 *   log_softmax  (x - m) - ln(n + t)
 *   softmax      p = e^(x - m) / (n + t), of m (1 - t / (n + t)) / n
 *   log_softmax's gradient, G being the sum of g: g[i] - G p, of m ((n g[i] - G) + G t / (n + t)) / n
 * Each is an exact number, and beside it one that has a sign: however small that is, the sum lies on one
 * side of the exact number.
 *
 * By the theorem of Lindemann and Weierstrass none of these is a binary fraction but where
 *   - one operand alone is finite (and the others -inf), of logarithms;
 *   - all finite operands are equal, of a softmax and its gradient;
 *   - G is 0, of the gradient, which then is g[i]. */
#include "op/array/exponentials.h"

#include "op/array/slices.h"
#include "op/enclose.h"

#include <stdlib.h>

struct line {
    struct slices slices;
    struct real *x, *g;
    uint64_t *codes;
    uint64_t at; /* of the result that is asked for */
    int precision;
    bool exclusive;
    /* What is known of the first `count` operands: how many are finite, which one is the largest and how many equal
     * it; their t, with at least `bits`; whether there is a NaN or +inf among them. */
    uint64_t count, finite, peers, best;
    slong bits;
    bool nan, infinite;
    arf_t largest;
    arb_t t;
    arf_t total; /* G, exactly; NaN or an infinity was met among g */
    bool g_nan, g_infinite[2];
    arf_t value, base, divisor;
    arb_t power, rest;
};

static bool is_finite(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

/* power = e^(a - b). */
static void find_power(struct line *line, const arf_t a, const arf_t b) {
    arb_zero(line->power);
    arf_sub(arb_midref(line->power), a, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    arb_exp(line->power, line->power, line->bits);
}

/* The next operand. */
static void add_operand(struct line *line) {
    const struct real *x = &line->x[line->count++];
    line->nan = line->nan || x->kind == REAL_NAN;
    line->infinite = line->infinite || (x->kind == REAL_INFINITE && !x->negative);
    if (!is_finite(x))
        return;
    arf_set_real(line->value, x);
    const int order = line->finite++ ? arf_cmp(line->value, line->largest) : 1;
    if (order < 0) {
        find_power(line, line->value, line->largest);
        arb_add(line->t, line->t, line->power, line->bits);
        return;
    }
    if (order > 0) {
        if (line->peers) {
            find_power(line, line->largest, line->value);
            arb_add_ui(line->t, line->t, line->peers, line->bits);
            arb_mul(line->t, line->t, line->power, line->bits);
        }
        arf_set(line->largest, line->value);
        line->best = line->count - 1;
        line->peers = 0;
    }
    line->peers++;
}

/* The sums of the first operands, to so many bits at least. */
static void sum_up(struct line *line, uint64_t count, slong bits) {
    if (line->bits < bits || line->count > count) {
        line->count = line->finite = line->peers = 0;
        line->nan = line->infinite = false;
        line->bits = bits > line->bits ? bits : line->bits;
        arb_zero(line->t);
    }
    while (line->count < count)
        add_operand(line);
}

/* rest = ln(n + t). */
static void find_logarithm(struct line *line) {
    arb_add_ui(line->rest, line->t, line->peers - 1, line->bits);
    arb_log1p(line->rest, line->rest, line->bits);
}

/* Whether x[at] is m; value = x[at]. */
static bool is_largest(struct line *line) {
    arf_set_real(line->value, &line->x[line->at]);
    return arf_equal(line->value, line->largest) != 0;
}

/* How many operands a result is of. */
static uint64_t count_of(const struct line *line) {
    return line->exclusive ? line->at : line->at + 1;
}

static bool decide_prefix(struct line *line, uint64_t count, struct real *y) {
    sum_up(line, count, 0);
    if (line->nan)
        *y = real_nan();
    else if (line->infinite || line->finite == 0)
        *y = real_infinity(!line->infinite);
    else if (line->finite == 1) /* ln(e^-0) = ln 1 */
        *y = line->x[line->best].kind == REAL_ZERO ? real_zero(false) : line->x[line->best];
    else
        return false;
    return true;
}

static void enclose_prefix(struct line *line, uint64_t count, struct interval *y) {
    sum_up(line, count, (slong)mpfr_get_prec(y->low));
    find_logarithm(line);
    enclose_beside(y, line->largest, line->rest, 1, line->divisor);
}

static bool decide_sum(struct line *line, struct real *y) {
    return decide_prefix(line, line->slices.length, y);
}

static void enclose_log_of_sum(void *asked, struct interval *y) {
    struct line *line = asked;
    enclose_prefix(line, line->slices.length, y);
}

static bool decide_scan(struct line *line, struct real *y) {
    return decide_prefix(line, count_of(line), y);
}

static void enclose_log_of_scan(void *asked, struct interval *y) {
    struct line *line = asked;
    enclose_prefix(line, count_of(line), y);
}

/* Whether no share of the line is a number. */
static bool has_no_shares(struct line *line) {
    sum_up(line, line->slices.length, 0);
    return line->nan || line->infinite || line->finite == 0;
}

static bool decide_share(struct line *line, struct real *y) {
    const bool none = has_no_shares(line);
    arf_one(line->base);
    arf_set_ui(line->value, line->peers);
    if (none)
        *y = real_nan();
    else if (line->x[line->at].kind == REAL_INFINITE)
        *y = real_zero(false);
    else if (line->peers == line->finite)
        *y = quotient_of(line->base, line->value, line->precision);
    else
        return false;
    return true;
}

/* rest = p, or of m t / (n + t); whether it is m. */
static bool find_share(struct line *line, struct interval *y) {
    sum_up(line, line->slices.length, (slong)mpfr_get_prec(y->low));
    const bool of_largest = is_largest(line);
    if (!of_largest)
        find_power(line, line->value, line->largest);
    arb_add_ui(line->rest, line->t, line->peers, line->bits);
    arb_div(line->rest, of_largest ? line->t : line->power, line->rest, line->bits);
    arf_set_ui(line->divisor, of_largest ? line->peers : 1);
    return of_largest;
}

static void enclose_share(void *asked, struct interval *y) {
    struct line *line = asked;
    const bool of_largest = find_share(line, y);
    arf_set_ui(line->base, of_largest);
    if (of_largest)
        arb_neg(line->rest, line->rest);
    enclose_beside(y, line->base, line->rest, of_largest ? -1 : 1, line->divisor);
}

static bool decide_log_of_share(struct line *line, struct real *y) {
    if (has_no_shares(line))
        *y = real_nan();
    else if (line->x[line->at].kind == REAL_INFINITE)
        *y = real_infinity(true);
    else if (line->finite == 1)
        *y = real_zero(false);
    else
        return false;
    return true;
}

static void enclose_log_of_share(void *asked, struct interval *y) {
    struct line *line = asked;
    sum_up(line, line->slices.length, (slong)mpfr_get_prec(y->low));
    find_logarithm(line);
    arb_neg(line->rest, line->rest);
    is_largest(line);
    arf_sub(line->base, line->value, line->largest, ARF_PREC_EXACT, ARF_RND_DOWN);
    enclose_beside(y, line->base, line->rest, -1, line->divisor);
}

/* base = g[at] times how many. */
static void set_base(struct line *line, uint64_t count) {
    arf_set_real(line->base, &line->g[line->at]);
    arf_mul_ui(line->base, line->base, count, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static bool decide_gradient(struct line *line, struct real *y) {
    const struct real *g = &line->g[line->at];
    const bool *infinite = line->g_infinite;
    if (has_no_shares(line))
        *y = real_nan();
    else if (!is_finite(&line->x[line->at]))
        *y = *g;
    else if (line->g_nan || (infinite[0] && infinite[1]) || g->kind == REAL_INFINITE)
        *y = real_nan();
    else if (infinite[0] || infinite[1])
        *y = real_infinity(infinite[0]);
    else if (line->peers == line->finite || arf_is_zero(line->total)) {
        set_base(line, line->finite);
        if (line->peers == line->finite)
            arf_sub(line->base, line->base, line->total, ARF_PREC_EXACT, ARF_RND_DOWN);
        arf_set_ui(line->value, line->finite);
        *y = arf_is_zero(line->base) ? (struct real){.kind = REAL_ZERO, .cancelled = true}
                                     : quotient_of(line->base, line->value, line->precision);
    } else
        return false;
    return true;
}

static void enclose_gradient(void *asked, struct interval *y) {
    struct line *line = asked;
    const bool of_largest = find_share(line, y);
    set_base(line, of_largest ? line->peers : 1);
    if (of_largest)
        arf_sub(line->base, line->base, line->total, ARF_PREC_EXACT, ARF_RND_DOWN);
    else
        arb_neg(line->rest, line->rest);
    arb_mul_arf(line->rest, line->rest, line->total, line->bits);
    enclose_beside(y, line->base, line->rest,
                   of_largest ? arf_sgn(line->total) : -arf_sgn(line->total), line->divisor);
}

struct exponential_rule {
    bool (*decide)(struct line *line, struct real *y); /* a result that needs no enclosure */
    enclose_function *enclose;
};
const struct exponential_rule exponential_sum = {decide_sum, enclose_log_of_sum},
                              exponential_scan = {decide_scan, enclose_log_of_scan},
                              exponential_share = {decide_share, enclose_share},
                              exponential_log_share = {decide_log_of_share, enclose_log_of_share},
                              exponential_share_gradient = {decide_gradient, enclose_gradient};

static void load(struct line *line, const struct array_call *call, uint64_t slice) {
    const struct format *format = call->results[0].format;
    slice_load(call, 0, &line->slices, slice, line->codes);
    for (uint64_t i = 0; i < line->slices.length; i++)
        line->x[i] = format_decode(format, line->codes[i]);
    line->count = line->slices.length + 1; /* of another slice */
    line->bits = line->precision;
    if (!call->rule->operand_names[1])
        return;
    slice_load(call, 1, &line->slices, slice, line->codes);
    arf_zero(line->total);
    line->g_nan = line->g_infinite[0] = line->g_infinite[1] = false;
    for (uint64_t i = 0; i < line->slices.length; i++) {
        struct real *g = &line->g[i];
        *g = format_decode(format, line->codes[i]);
        line->g_nan |= g->kind == REAL_NAN;
        line->g_infinite[g->negative] |= g->kind == REAL_INFINITE;
        if (!is_finite(g))
            continue;
        arf_set_real(line->value, g);
        arf_add(line->total, line->total, line->value, ARF_PREC_EXACT, ARF_RND_DOWN);
    }
}

static bool open_line(struct line *line, const struct array_call *call, int precision,
                      struct error *error) {
    *line = (struct line){.slices = slices_of(call),
                          .precision = precision,
                          .exclusive = parameter_flag(call->parameters, PARAMETER_EXCLUSIVE)};
    line->codes = calloc(line->slices.length, sizeof *line->codes);
    line->x = calloc(line->slices.length, sizeof *line->x);
    line->g = calloc(line->slices.length, sizeof *line->g);
    arf_ptr numbers[] = {line->largest, line->total, line->value, line->base, line->divisor};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_init(numbers[i]);
    arf_one(line->divisor);
    arb_init(line->t);
    arb_init(line->power);
    arb_init(line->rest);
    return (line->codes && line->x && line->g) || error_set(error, "out of memory");
}

static void close_line(struct line *line) {
    arf_ptr numbers[] = {line->largest, line->total, line->value, line->base, line->divisor};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        arf_clear(numbers[i]);
    arb_clear(line->t);
    arb_clear(line->power);
    arb_clear(line->rest);
    free(line->codes);
    free(line->x);
    free(line->g);
}

bool exact_exponentials(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    const struct exponential_rule *rule = call->rule->data;
    const bool reduces = call->rule->lines == LINES_REDUCED;
    struct line line;
    bool done = open_line(&line, call, precision, error);
    (void)result;
    for (uint64_t slice = 0; done && slice < line.slices.count; slice++) {
        load(&line, call, slice);
        for (uint64_t i = 0; done && i < (reduces ? 1 : line.slices.length); i++) {
            struct real *value = &y[reduces ? slice : slice_place(&line.slices, slice, i)];
            line.at = i;
            done = rule->decide(&line, value) ||
                   enclose(rule->enclose, &line, precision, INTERVAL_DECIDED_BY_SIZE,
                           "an element of this array", value, error);
        }
    }
    close_line(&line);
    return done;
}
