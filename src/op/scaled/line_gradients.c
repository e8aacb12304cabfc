/* Exact backward rules along a line.
 *
 * softmax: p_i times the sum of p_j (g_i - g_j), with p_j = e^x_j / sum of e^x. With two different x
 * or more it is 0 or no binary fraction: e^x_i times the sum of e^x_j (g_i - g_j), less q times the
 * square of the sum of e^x_j, has a term in e^(2 least x) or e^(2 largest x) that only q = 0 takes
 * away, and then each g_i - g_j adds up to 0 over all elements of one x (Lindemann). */
#include "op/enclose.h"
#include "op/function/exponential_sum.h"
#include "op/scaled/exact.h"

/* x s as exact->u. */
static void value_of(struct scaled_exact *exact, const struct real *x, struct scaled_scale a) {
    real_to_mpfr(exact->x[0], x);
    if (a.m == 0)
        mpfr_set_zero(exact->x[0], 1);
    mpfr_mul_d(exact->u, exact->x[0], a.m == 0 ? 1 : (double)a.m, MPFR_RNDN);
    mpfr_mul_2si(exact->u, exact->u, a.m == 0 ? 0 : a.e, MPFR_RNDN);
}

static void spread(struct scaled_exact *exact, const struct real *x, const struct scaled_scale *a,
                   mpfr_srcptr g, size_t count, int precision, struct real *data) {
    unsigned long ties = 0;
    bool nan = false;
    for (size_t i = 0; i < count; i++) {
        value_of(exact, &x[i], a[i]);
        nan = nan || a[i].m - a[i].m != 0 || mpfr_nan_p(exact->u);
        if (i == 0 || mpfr_greater_p(exact->u, exact->v)) {
            mpfr_set(exact->v, exact->u, MPFR_RNDN);
            ties = 0;
        }
        ties += mpfr_equal_p(exact->u, exact->v) != 0;
    }
    mpfr_set_prec(exact->y, precision);
    for (size_t i = 0; i < count; i++) {
        value_of(exact, &x[i], a[i]);
        if (mpfr_equal_p(exact->u, exact->v)) {
            int ternary = mpfr_div_ui(exact->y, g, ties, MPFR_RNDZ);
            data[i] = real_from_mpfr(exact->y, ternary);
        } else
            data[i] = mpfr_number_p(g) ? real_zero(mpfr_signbit(g) != 0) : real_nan();
        if (nan)
            data[i] = real_nan();
    }
}

/* A line of softmax, all of one scale each. */
struct line {
    const struct real *x, *g;
    struct scaled_scale a;
    size_t count, best;
    size_t next; /* the largest x whose differences do not add up to 0 */
};

/* Of s x. */
static bool is_larger(struct scaled_exact *exact, const struct line *line, size_t i, size_t j) {
    real_to_mpfr(exact->x[0], &line->x[i]);
    real_to_mpfr(exact->x[1], &line->x[j]);
    int order = mpfr_cmp(exact->x[0], exact->x[1]);
    return line->a.m < 0 ? order < 0 : line->a.m > 0 && order > 0;
}

static bool is_lost(const struct line *line, size_t i) { /* e^x is 0 */
    return line->a.m != 0 && line->x[i].kind == REAL_INFINITE;
}

static bool are_equal(struct scaled_exact *exact, const struct line *line, size_t i, size_t j) {
    real_to_mpfr(exact->x[0], &line->x[i]);
    real_to_mpfr(exact->x[1], &line->x[j]);
    return line->a.m == 0 || mpfr_equal_p(exact->x[0], exact->x[1]);
}

/* exact->v = g_i - g_j. */
static void difference_of(struct scaled_exact *exact, const struct line *line, size_t i, size_t j) {
    real_to_mpfr(exact->x[0], &line->g[i]);
    real_to_mpfr(exact->x[1], &line->g[j]);
    mpfr_sub(exact->v, exact->x[0], exact->x[1], MPFR_RNDN);
}

/* Whether the g_i - g_j add up to 0 over the elements of each x; exact->u is the last sum, and *only
 * whether there is but one x. */
static bool adds_up_to_0(struct scaled_exact *exact, struct line *line, size_t i, bool *only) {
    bool zero = true;
    *only = true;
    for (size_t k = 0; k < line->count; k++) {
        bool seen = is_lost(line, k);
        for (size_t j = 0; !seen && j < k; j++)
            seen = !is_lost(line, j) && are_equal(exact, line, j, k);
        if (seen)
            continue;
        *only = *only && (k == line->best || are_equal(exact, line, k, line->best));
        mpfr_set_zero(exact->u, 1);
        for (size_t j = k; j < line->count; j++)
            if (!is_lost(line, j) && are_equal(exact, line, j, k)) {
                difference_of(exact, line, i, j);
                mpfr_add(exact->u, exact->u, exact->v, MPFR_RNDN);
            }
        if (!mpfr_zero_p(exact->u) && (zero || is_larger(exact, line, k, line->next)))
            line->next = k;
        zero = zero && mpfr_zero_p(exact->u);
    }
    return zero;
}

/* exact->u += s (x_j - x_k). */
static void add_distance(struct scaled_exact *exact, const struct line *line, size_t j, size_t k) {
    real_to_mpfr(exact->x[0], &line->x[j]);
    real_to_mpfr(exact->x[1], &line->x[k]);
    mpfr_sub(exact->v, exact->x[0], exact->x[1], MPFR_RNDN);
    mpfr_mul_d(exact->v, exact->v, (double)line->a.m, MPFR_RNDN);
    mpfr_mul_2si(exact->v, exact->v, line->a.m == 0 ? 0 : line->a.e, MPFR_RNDN);
    mpfr_add(exact->u, exact->u, exact->v, MPFR_RNDN);
}

/* An element i whose result is asked for. */
struct weighing {
    struct scaled_exact *exact;
    const struct line *line;
    size_t i;
    int sign;
};

/* part = e^(s (x_j - x_k)). */
static void power_of(const struct weighing *asked, size_t j, size_t k, slong bits, arb_t part) {
    mpfr_set_zero(asked->exact->u, 1);
    add_distance(asked->exact, asked->line, j, k);
    arb_zero(part);
    arf_set_mpfr(arb_midref(part), asked->exact->u);
    arb_exp(part, part, bits);
}

/* The sum of e^(s (x_j - next)) (g_i - g_j), over those that are not larger: all others add up to 0. Then
 * times what makes it the result; where e^x_i is 0, the sum alone, whose sign tells. */
static void enclose_weighed(void *context, struct interval *y) {
    struct weighing *asked = context;
    struct scaled_exact *exact = asked->exact;
    const struct line *line = asked->line;
    const slong bits = (slong)mpfr_get_prec(y->low);
    arb_t sum, weighed, part;
    arf_t zero, one;
    arb_init(sum);
    arb_init(weighed);
    arb_init(part);
    arf_init(zero);
    arf_init(one);
    arf_one(one);
    for (size_t j = 0; j < line->count; j++) {
        if (is_lost(line, j))
            continue;
        power_of(asked, j, line->best, bits, part);
        arb_add(sum, sum, part, bits);
        if (is_larger(exact, line, j, line->next))
            continue;
        power_of(asked, j, line->next, bits, part);
        difference_of(exact, line, asked->i, j);
        arf_set_mpfr(zero, exact->v);
        arb_mul_arf(part, part, zero, bits);
        arb_add(weighed, weighed, part, bits);
    }
    arf_zero(zero);
    asked->sign = arb_is_positive(weighed) - arb_is_negative(weighed);
    if (!is_lost(line, asked->i)) {
        power_of(asked, asked->i, line->best, bits, part);
        arb_mul(weighed, weighed, part, bits);
        power_of(asked, line->next, line->best, bits, part);
        arb_mul(weighed, weighed, part, bits);
        arb_mul(sum, sum, sum, bits);
        arb_div(weighed, weighed, sum, bits);
    } else
        arb_mul_2exp_si(weighed, weighed, -4L * REAL_HUGE_EXPONENT); /* decided by its size */
    enclose_beside(y, zero, weighed, asked->sign, one);
    arb_clear(sum);
    arb_clear(weighed);
    arb_clear(part);
    arf_clear(zero);
    arf_clear(one);
}

/* Whether all elements of another x are too far below element i for any precision; how many there are
 * of its own. */
static bool is_alone(struct scaled_exact *exact, const struct line *line, size_t i,
                     unsigned long *peers) {
    enum { FAR = -20000 };
    *peers = 0;
    if (is_lost(line, i) || !are_equal(exact, line, i, line->best))
        return false;
    for (size_t j = 0; j < line->count; j++) {
        if (is_lost(line, j))
            continue;
        mpfr_set_zero(exact->u, 1);
        add_distance(exact, line, j, line->best);
        if (mpfr_zero_p(exact->u))
            ++*peers;
        else if (mpfr_cmp_si(exact->u, FAR) > 0)
            return false;
    }
    return true;
}

struct beside {
    struct scaled_exact *exact; /* y: the number beside which the result is */
    const struct line *line;
    size_t i;
};

/* e^x_i times the sum of e^x_j (g_i - g_j), less y times the square of the sum of e^x_j. */
static bool multiply_out(struct exponentials *powers, const void *data,
                         struct exponential_sum *difference) {
    enum { OWN, WEIGHED, ALL, SCALED, PARTS };
    const struct beside *beside = data;
    const struct line *line = beside->line;
    struct scaled_exact *exact = beside->exact;
    struct exponential_sum parts[PARTS];
    mpfr_t factor;
    mpfr_init2(factor, mpfr_get_prec(exact->y));
    for (int k = 0; k < PARTS; k++)
        exponential_sum_open(&parts[k], powers);
    mpfr_neg(factor, exact->y, MPFR_RNDN);
    bool done = exponential_sum_add(&parts[SCALED], EXPONENTIAL_OF_0, factor);
    mpfr_set_ui(factor, 1, MPFR_RNDN);
    done = done && exponential_sum_add(&parts[OWN], beside->i, factor);
    for (size_t j = 0; done && j < line->count; j++) {
        if (is_lost(line, j))
            continue;
        difference_of(exact, line, beside->i, j);
        done = exponential_sum_add(&parts[ALL], j, factor) &&
               exponential_sum_add(&parts[WEIGHED], j, exact->v);
    }
    done = done && exponential_sum_add_product(difference, &parts[OWN], &parts[WEIGHED]);
    exponential_sum_take(&parts[OWN], &parts[SCALED]);
    done = done && exponential_sum_add_product(&parts[SCALED], &parts[OWN], &parts[ALL]) &&
           exponential_sum_add_product(difference, &parts[SCALED], &parts[ALL]);
    for (int k = 0; k < PARTS; k++)
        exponential_sum_close(&parts[k]);
    mpfr_clear(factor);
    return done;
}

/* On which side of y the result of element i is. */
static bool find_side(struct scaled_exact *exact, const struct line *line, size_t i, int *side,
                      struct error *error) {
    const struct beside beside = {exact, line, i};
    struct exponential_residues residues;
    struct exponentials powers = {0};
    bool done = residues_open(&residues, line->count) && exponentials_open(&powers, &residues);
    for (size_t j = 0; done && j < line->count; j++) {
        value_of(exact, &line->x[j], line->a);
        residues_set(&residues, j, exact->u);
        exponentials_set(&powers, j, exact->u);
    }
    if (done)
        residues_raise(&residues);
    done = done ? exponential_sign(&powers, multiply_out, &beside, side, error)
                : error_set(error, "out of memory");
    exponentials_close(&powers);
    residues_close(&residues);
    return done;
}

/* near / n^2, beside which the result of element i is, whose near is not 0. */
static bool beside_limit(struct scaled_exact *exact, const struct line *line, size_t i,
                         unsigned long peers, struct real *y, struct error *error) {
    int side = 0;
    mpfr_set_zero(exact->u, 1);
    for (size_t j = 0; j < line->count; j++)
        if (!is_lost(line, j) && are_equal(exact, line, j, line->best)) {
            difference_of(exact, line, i, j);
            mpfr_add(exact->u, exact->u, exact->v, MPFR_RNDN);
        }
    mpfr_set_ui(exact->v, peers, MPFR_RNDN);
    mpfr_sqr(exact->v, exact->v, MPFR_RNDN);
    if (mpfr_div(exact->y, exact->u, exact->v, MPFR_RNDZ) == 0) {
        if (!find_side(exact, line, i, &side, error))
            return false;
        mpfr_set_zero(exact->x[0], 1);
        if (side != mpfr_sgn(exact->y))
            mpfr_nexttoward(exact->y, exact->x[0]);
    }
    *y = real_from_mpfr(exact->y, 1);
    return true;
}

static bool weigh(struct scaled_exact *exact, struct line *line, size_t i, bool negative,
                  int precision, struct real *y, struct error *error) {
    bool only;
    unsigned long peers;
    mpfr_set_prec(exact->y, precision);
    if (adds_up_to_0(exact, line, i, &only)) {
        *y = real_zero(false);
        return true;
    }
    if (only && !is_lost(line, i)) { /* the one sum over the square of how many there are */
        unsigned long n = 0;
        for (size_t j = 0; j < line->count; j++)
            n += !is_lost(line, j);
        mpfr_set_ui(exact->v, n, MPFR_RNDN);
        mpfr_sqr(exact->v, exact->v, MPFR_RNDN);
        int ternary = mpfr_div(exact->y, exact->u, exact->v, MPFR_RNDZ);
        *y = real_from_mpfr(exact->y, ternary);
    } else if (are_equal(exact, line, line->next, line->best) && is_alone(exact, line, i, &peers)) {
        if (!beside_limit(exact, line, i, peers, y, error))
            return false;
    } else {
        struct weighing asked = {exact, line, i, 0};
        if (!enclose(enclose_weighed, &asked, precision, REAL_HUGE_EXPONENT,
                     "the gradient of a softmax", y, error))
            return false;
        if (is_lost(line, i))
            *y = real_zero(asked.sign < 0);
    }
    y->negative = y->negative != negative;
    return true;
}

static bool weigh_line(struct scaled_exact *exact, struct line *line, struct scaled_scale b,
                       int precision, struct real *data, struct error *error) {
    bool nan = line->a.m - line->a.m != 0 || b.m - b.m != 0, found = true;
    const int sign = line->a.m < 0 ? -1 : 1;
    for (size_t i = 0; i < line->count && !nan; i++) {
        nan = (line->a.m != 0 && line->x[i].kind == REAL_NAN) ||
              (b.m != 0 && (line->g[i].kind == REAL_NAN || line->g[i].kind == REAL_INFINITE));
        real_to_mpfr(exact->x[0], &line->x[i]);
        real_to_mpfr(exact->x[1], &line->x[line->best]);
        if (!nan && line->a.m != 0 && sign * mpfr_cmp(exact->x[0], exact->x[1]) > 0)
            line->best = i;
    }
    nan = nan || (line->a.m != 0 && line->x[line->best].kind == REAL_INFINITE);
    for (size_t i = 0; found && i < line->count; i++) {
        data[i] = nan ? real_nan() : real_zero(false);
        if (!nan && b.m != 0)
            found = weigh(exact, line, i, b.m < 0, precision, &data[i], error);
    }
    return found;
}

bool scaled_exact_line_gradient(struct scaled_exact *exact, enum scaled_operation operation,
                                const struct real *x, const struct scaled_scale *a,
                                const struct real *g, struct scaled_scale b, size_t count,
                                int precision, struct real *data, struct error *error) {
    struct line line = {.x = x, .g = g, .a = a[0], .count = count};
    bool found = true;
    if (operation == SCALED_SOFTMAX_GRADIENT)
        found = weigh_line(exact, &line, b, precision, data, error);
    else {
        mpfr_t back;
        mpfr_init2(back, 128);
        real_to_mpfr(back, g);
        if (b.m == 0)
            mpfr_set_zero(back, 1);
        if (b.m - b.m != 0)
            mpfr_set_nan(back);
        if (b.m < 0)
            mpfr_neg(back, back, MPFR_RNDN);
        spread(exact, x, a, back, count, precision, data);
        mpfr_clear(back);
    }
    return found;
}
