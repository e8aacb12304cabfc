/* Exact softmax of a scaled row: e^(s (x - best)) over 1 / sum of them.
 *
 * e^t is 1 for t = 0, and no binary fraction for any other t of these (Lindemann); a sum of such
 * powers with distinct exponents none either, so enclosures close, or the sum is the integer count
 * of the elements that are the best. */
#include "op/enclose.h"
#include "op/scaled/exact.h"

/* What the row comes to before any exponential. */
struct row {
    bool nan;
    size_t best;   /* index of the largest s x */
    size_t ties;   /* how many there are of it */
    size_t others; /* how many are finite and less */
};

static int sign_of(struct scaled_scale a) {
    return a.m < 0 ? -1 : 1;
}

static struct row survey(struct scaled_exact *exact, const struct real *x, size_t count,
                         struct scaled_scale a) {
    struct row row = {.nan = a.m - a.m != 0};
    for (size_t i = 0; i < count && !row.nan && a.m != 0; i++) {
        real_to_mpfr(exact->x[0], &x[i]);
        real_to_mpfr(exact->x[1], &x[row.best]);
        int order = sign_of(a) * mpfr_cmp(exact->x[0], exact->x[1]);
        row.nan = x[i].kind == REAL_NAN;
        if (order > 0)
            row.best = i;
    }
    for (size_t i = 0; i < count && !row.nan; i++) {
        real_to_mpfr(exact->x[0], &x[i]);
        real_to_mpfr(exact->x[1], &x[row.best]);
        bool tie = a.m == 0 || mpfr_equal_p(exact->x[0], exact->x[1]);
        row.ties += tie;
        row.others += !tie && x[i].kind != REAL_INFINITE;
    }
    /* inf - inf */
    row.nan = row.nan || (a.m != 0 && x[row.best].kind == REAL_INFINITE);
    return row;
}

/* s (x - best), exactly, which is at most 0. */
static void distance_of(struct scaled_exact *exact, const struct real *x, const struct real *best,
                        struct scaled_scale a) {
    real_to_mpfr(exact->x[0], x);
    real_to_mpfr(exact->x[1], best);
    mpfr_sub(exact->u, exact->x[0], exact->x[1], MPFR_RNDN);
    mpfr_mul_d(exact->u, exact->u, a.m == 0 ? 0 : (double)a.m, MPFR_RNDN);
    mpfr_mul_2si(exact->u, exact->u, a.m == 0 ? 0 : a.e, MPFR_RNDN);
}

struct line {
    struct scaled_exact *exact;
    const struct real *x;
    size_t count;
    struct scaled_scale a;
    const struct row *row;
};

/* 1 / (n + t) = (1 - t / (n + t)) / n, n being how many are the best, and t the sum of powers of others. */
static void enclose_scale(void *asked, struct interval *y) {
    const struct line *line = asked;
    const slong bits = (slong)mpfr_get_prec(y->low);
    arb_t t, power;
    arf_t one, ties;
    arb_init(t);
    arb_init(power);
    arf_init(one);
    arf_init_set_ui(ties, line->row->ties);
    arf_one(one);
    for (size_t i = 0; i < line->count; i++) {
        distance_of(line->exact, &line->x[i], &line->x[line->row->best], line->a);
        if (!mpfr_regular_p(line->exact->u)) /* a tie, or -inf */
            continue;
        arb_zero(power);
        arf_set_mpfr(arb_midref(power), line->exact->u);
        arb_exp(power, power, bits);
        arb_add(t, t, power, bits);
    }
    arb_add_ui(power, t, line->row->ties, bits);
    arb_div(t, t, power, bits);
    arb_neg(t, t);
    enclose_beside(y, one, t, -1, ties);
    arb_clear(t);
    arb_clear(power);
    arf_clear(one);
    arf_clear(ties);
}

/* 1 / sum. */
static bool find_scale(struct line *line, int precision, struct real *scale, struct error *error) {
    struct scaled_exact *exact = line->exact;
    if (line->row->others)
        return enclose(enclose_scale, line, precision, REAL_HUGE_EXPONENT, "the scale of a softmax",
                       scale, error);
    mpfr_set_ui(exact->u, line->row->ties, MPFR_RNDN);
    int ternary = mpfr_ui_div(exact->y, 1, exact->u, MPFR_RNDZ);
    *scale = real_from_mpfr(exact->y, ternary);
    return true;
}

/* e^(s (x - best)). */
static bool find_datum(struct line *line, size_t i, int precision, struct real *datum,
                       struct error *error) {
    distance_of(line->exact, &line->x[i], &line->x[line->row->best], line->a);
    if (mpfr_nan_p(line->exact->u)) /* infinite, times 0 */
        mpfr_set_zero(line->exact->u, 1);
    mpfr_set_ui(line->exact->v, 1, MPFR_RNDN);
    return scaled_exact_function(line->exact, &scaled_exp_function,
                                 (struct scaled_scale){1, 0, line->a.is_power}, precision, datum,
                                 error);
}

bool scaled_exact_softmax(struct scaled_exact *exact, const struct real *x, size_t count,
                          struct scaled_scale a, int precision, struct real *data,
                          struct real *scale, struct error *error) {
    struct row row = survey(exact, x, count, a);
    struct line line = {exact, x, count, a, &row};
    bool found = true;
    mpfr_set_prec(exact->y, precision);
    if (scale && row.nan)
        *scale = real_from_double(1);
    else if (scale)
        found = find_scale(&line, precision, scale, error);
    for (size_t i = 0; data && found && i < count; i++)
        if (row.nan)
            data[i] = real_nan();
        else
            found = find_datum(&line, i, precision, &data[i], error);
    return found;
}
