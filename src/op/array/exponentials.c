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

#include "op/array/exponential_line.h"

/* How many operands a result is of. */
static uint64_t count_of(const struct exponential_line *line) {
    return line->exclusive ? line->at : line->at + 1;
}

static bool decide_prefix(struct exponential_line *line, uint64_t count, struct real *y) {
    exponential_sum_up(line, count, 0);
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

static void enclose_prefix(struct exponential_line *line, uint64_t count, struct interval *y) {
    exponential_sum_up(line, count, (slong)mpfr_get_prec(y->low));
    exponential_find_logarithm(line);
    enclose_beside(y, line->largest, line->rest, 1, line->divisor);
}

static bool decide_sum(struct exponential_line *line, struct real *y) {
    return decide_prefix(line, line->slices.length, y);
}

static void enclose_log_of_sum(void *asked, struct interval *y) {
    struct exponential_line *line = asked;
    enclose_prefix(line, line->slices.length, y);
}

static bool decide_scan(struct exponential_line *line, struct real *y) {
    return decide_prefix(line, count_of(line), y);
}

static void enclose_log_of_scan(void *asked, struct interval *y) {
    struct exponential_line *line = asked;
    enclose_prefix(line, count_of(line), y);
}

static bool decide_share(struct exponential_line *line, struct real *y) {
    const bool none = exponential_has_no_shares(line);
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

static void enclose_share(void *asked, struct interval *y) {
    struct exponential_line *line = asked;
    const bool of_largest = exponential_find_share(line, y);
    arf_set_ui(line->base, of_largest);
    if (of_largest)
        arb_neg(line->rest, line->rest);
    enclose_beside(y, line->base, line->rest, of_largest ? -1 : 1, line->divisor);
}

static bool decide_log_of_share(struct exponential_line *line, struct real *y) {
    if (exponential_has_no_shares(line))
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
    struct exponential_line *line = asked;
    exponential_sum_up(line, line->slices.length, (slong)mpfr_get_prec(y->low));
    exponential_find_logarithm(line);
    arb_neg(line->rest, line->rest);
    exponential_is_largest(line);
    arf_sub(line->base, line->value, line->largest, ARF_PREC_EXACT, ARF_RND_DOWN);
    enclose_beside(y, line->base, line->rest, -1, line->divisor);
}

/* base = g[at] times how many. */
static void set_base(struct exponential_line *line, uint64_t count) {
    arf_set_real(line->base, &line->g[line->at]);
    arf_mul_ui(line->base, line->base, count, ARF_PREC_EXACT, ARF_RND_DOWN);
}

static bool decide_gradient(struct exponential_line *line, struct real *y) {
    const struct real *g = &line->g[line->at];
    const bool *infinite = line->g_infinite;
    if (exponential_has_no_shares(line))
        *y = real_nan();
    else if (!real_is_number(&line->x[line->at]))
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
    struct exponential_line *line = asked;
    const bool of_largest = exponential_find_share(line, y);
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
    bool (*decide)(struct exponential_line *line,
                   struct real *y); /* a result that needs no enclosure */
    enclose_function *enclose;
};
const struct exponential_rule exponential_sum = {decide_sum, enclose_log_of_sum},
                              exponential_scan = {decide_scan, enclose_log_of_scan},
                              exponential_share = {decide_share, enclose_share},
                              exponential_log_share = {decide_log_of_share, enclose_log_of_share},
                              exponential_share_gradient = {decide_gradient, enclose_gradient};

bool exact_exponentials(const struct array_call *call, int result, int precision, struct real *y,
                        struct error *error) {
    const struct exponential_rule *rule = call->rule->data;
    const bool reduces = call->rule->lines == LINES_REDUCED;
    struct exponential_line line;
    bool done = exponential_line_open(&line, call, precision, error);
    (void)result;
    for (uint64_t slice = 0; done && slice < line.slices.count; slice++) {
        exponential_line_load(&line, call, slice);
        for (uint64_t i = 0; done && i < (reduces ? 1 : line.slices.length); i++) {
            const uint64_t element = reduces ? slice : slice_place(&line.slices, slice, i);
            struct real *value = &y[element];
            line.at = i;
            done = !array_wants(call, element) || rule->decide(&line, value) ||
                   enclose(rule->enclose, &line, precision, INTERVAL_DECIDED_BY_SIZE,
                           "an element of this array", value, error);
        }
    }
    exponential_line_close(&line);
    return done;
}
