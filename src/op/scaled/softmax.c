/* Exact softmax of a scaled row: e^(s (x - best)) over 1 / sum of them.
 *
 * e^t is 1 for t = 0, and no binary fraction for any other t of these (Lindemann); a sum of such
 * powers with distinct exponents none either, so enclosures close, or the sum is the integer count
 * of the elements that are the best. */
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

/* low, high enclose e^(s (x_i - best)), which is less than 1. */
static void enclose_power(struct scaled_exact *exact, const struct real *x, const struct real *best,
                          struct scaled_scale a) {
    real_to_mpfr(exact->x[0], x);
    real_to_mpfr(exact->x[1], best);
    mpfr_set_flt(exact->m[0], a.m, MPFR_RNDN);
    mpfr_sub(exact->u, exact->x[0], exact->x[1], MPFR_RNDN);
    mpfr_mul(exact->u, exact->u, exact->m[0], MPFR_RNDN);
    mpfr_mul_2si(exact->u, exact->u, a.e, MPFR_RNDN);
    mpfr_exp(exact->low, exact->u, MPFR_RNDD);
    mpfr_exp(exact->high, exact->u, MPFR_RNDU);
}

/* step_low, step_high enclose the sum of powers. */
static void enclose_sum(struct scaled_exact *exact, const struct real *x, size_t count,
                        struct scaled_scale a, const struct row *row) {
    mpfr_set_ui(exact->step_low, row->ties, MPFR_RNDD);
    mpfr_set_ui(exact->step_high, row->ties, MPFR_RNDU);
    for (size_t i = 0; i < count && row->others; i++) {
        real_to_mpfr(exact->x[0], &x[i]);
        real_to_mpfr(exact->x[1], &x[row->best]);
        if (x[i].kind == REAL_INFINITE || mpfr_equal_p(exact->x[0], exact->x[1]))
            continue;
        enclose_power(exact, &x[i], &x[row->best], a);
        mpfr_add(exact->step_low, exact->step_low, exact->low, MPFR_RNDD);
        mpfr_add(exact->step_high, exact->step_high, exact->high, MPFR_RNDU);
    }
}

static bool undecided(struct error *error) {
    return error_set(error,
                     "the oracle cannot decide scaled.softmax within %d bits; please report it",
                     SCALED_PRECISION_CAP);
}

/* 1 / sum. */
static bool find_scale(struct scaled_exact *exact, const struct real *x, size_t count,
                       struct scaled_scale a, const struct row *row, int precision,
                       struct real *scale, struct error *error) {
    if (!row->others) {
        mpfr_set_ui(exact->u, row->ties, MPFR_RNDN);
        int ternary = mpfr_ui_div(exact->y, 1, exact->u, MPFR_RNDZ);
        *scale = real_from_mpfr(exact->y, ternary);
        return true;
    }
    for (int bits = precision + SCALED_GUARD_BITS; bits < SCALED_PRECISION_CAP; bits *= 2) {
        scaled_set_precisions(exact, bits);
        enclose_sum(exact, x, count, a, row);
        mpfr_ui_div(exact->low, 1, exact->step_high, MPFR_RNDD);
        mpfr_ui_div(exact->high, 1, exact->step_low, MPFR_RNDU);
        if (scaled_closes(exact, scale))
            return true;
    }
    return undecided(error);
}

/* e^(s (x - best)). */
static bool find_datum(struct scaled_exact *exact, const struct real *x, const struct real *best,
                       struct scaled_scale a, int precision, struct real *datum,
                       struct error *error) {
    real_to_mpfr(exact->x[0], x);
    real_to_mpfr(exact->x[1], best);
    if (a.m == 0 || mpfr_equal_p(exact->x[0], exact->x[1])) {
        *datum = real_from_double(1);
        return true;
    }
    if (x->kind == REAL_INFINITE) {
        *datum = real_zero(false);
        return true;
    }
    for (int bits = precision + SCALED_GUARD_BITS; bits < SCALED_PRECISION_CAP; bits *= 2) {
        scaled_set_precisions(exact, bits);
        enclose_power(exact, x, best, a);
        if (scaled_closes(exact, datum))
            return true;
    }
    return undecided(error);
}

bool scaled_exact_softmax(struct scaled_exact *exact, const struct real *x, size_t count,
                          struct scaled_scale a, int precision, struct real *data,
                          struct real *scale, struct error *error) {
    struct scaled_range range = scaled_range_widen();
    struct row row = survey(exact, x, count, a);
    bool found = true;
    mpfr_set_prec(exact->y, precision);
    if (scale && row.nan)
        *scale = real_from_double(1);
    else if (scale)
        found = find_scale(exact, x, count, a, &row, precision, scale, error);
    for (size_t i = 0; data && found && i < count; i++)
        if (row.nan)
            data[i] = real_nan();
        else
            found = find_datum(exact, &x[i], &x[row.best], a, precision, &data[i], error);
    scaled_range_restore(range);
    return found;
}
