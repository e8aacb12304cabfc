/* What terms that are too small for any precision make of a sum of fractions of exponentials.
 *
 * With the largest x up to the first term, m, s[j] e^-m = n[j] + f[j], of what is near m and what is
 * far below it, and far terms j, whose s[j] is far above e^m, the sum less the one over n[j] is
 *   - sum of g[j] f[j] / (n[j] (n[j] + f[j])) over the others + sum of g[j] e^m / s[j] over far terms.
 * Its sign is all that is asked for: few bits do, over the largest power of e in it, e^d. */
#include "op/array/identity.h"

#include "op/function/interval.h"

#include <stdlib.h>

enum { EXACT_BITS = 4400, BITS = 128, FAR = 1000 };
enum { NEAR, BELOW, ABOVE };

struct side {
    const struct real *x, *g;
    uint64_t base;
    mpfr_t a, b, d;                                                 /* exact */
    struct interval power, near, far, top, term, product, parts[2]; /* parts: above 0, below 0 */
};

static bool is_finite(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

/* a = x[i] - x[k]. */
static void difference(struct side *side, uint64_t i, uint64_t k) {
    real_to_mpfr(side->a, &side->x[i]);
    real_to_mpfr(side->b, &side->x[k]);
    mpfr_sub(side->a, side->a, side->b, MPFR_RNDN);
}

static int place(struct side *side, uint64_t i) {
    difference(side, i, side->base);
    return mpfr_cmp_si(side->a, -FAR) < 0 ? BELOW : mpfr_cmp_si(side->a, FAR) > 0 ? ABOVE : NEAR;
}

/* power = e^a. */
static void raise(struct side *side) {
    mpfr_exp(side->power.low, side->a, MPFR_RNDD);
    mpfr_exp(side->power.high, side->a, MPFR_RNDU);
}

static void add(struct side *side, struct interval *sum, const struct interval *term) {
    interval_add(&side->product, sum, term);
    mpfr_swap(sum->low, side->product.low);
    mpfr_swap(sum->high, side->product.high);
}

static void times_power(struct side *side, struct interval *sum) {
    interval_multiply(&side->product, sum, &side->power);
    mpfr_swap(sum->low, side->product.low);
    mpfr_swap(sum->high, side->product.high);
}

/* d: the largest of the powers that terms from i on have. */
static void find_largest_power(struct side *side, uint64_t count, uint64_t i) {
    uint64_t top = 0, below = count;
    bool is_above = false;
    mpfr_set_inf(side->d, -1);
    for (uint64_t j = 0; j < count; j++) {
        if (is_finite(&side->x[j])) {
            int where = place(side, j);
            difference(side, j, is_above ? top : j);
            if (where == ABOVE && mpfr_sgn(side->a) >= 0)
                top = j;
            is_above = is_above || where == ABOVE;
            difference(side, j, below < count ? below : j);
            if (where == BELOW && mpfr_sgn(side->a) >= 0)
                below = j;
        }
        if (j < i || side->g[j].kind != REAL_FINITE || (!is_above && below == count))
            continue;
        difference(side, is_above ? side->base : below, is_above ? top : side->base);
        mpfr_max(side->d, side->d, side->a, MPFR_RNDN);
    }
}

/* Takes in x[j], finite; *top is the largest far above, or `base`. */
static void take(struct side *side, uint64_t j, uint64_t *top) {
    int where = place(side, j);
    if (where == BELOW)
        mpfr_sub(side->a, side->a, side->d, MPFR_RNDN);
    raise(side);
    if (where != ABOVE)
        add(side, where == NEAR ? &side->near : &side->far, &side->power);
    if (where == BELOW && *top == side->base)
        return; /* far.high is more than what it adds to the others */
    difference(side, *top, j);
    if (where == ABOVE && mpfr_sgn(side->a) < 0) {
        raise(side);
        times_power(side, &side->top);
        *top = j;
    }
    difference(side, j, *top);
    raise(side);
    add(side, &side->top, &side->power);
}

/* The term of g[j]: |g[j]| f / (n (n + f)), or |g[j]| e^m / s. */
static void find_term(struct side *side, uint64_t j, uint64_t top) {
    real_to_mpfr(side->a, &side->g[j]);
    mpfr_abs(side->a, side->a, MPFR_RNDN);
    interval_set(&side->product, side->a);
    if (top != side->base) {
        interval_divide(&side->term, &side->product, &side->top);
        difference(side, side->base, top);
        mpfr_sub(side->a, side->a, side->d, MPFR_RNDN);
        raise(side);
        times_power(side, &side->term);
        return;
    }
    interval_divide(&side->term, &side->product, &side->near);
    interval_multiply(&side->product, &side->term, &side->far);
    interval_divide(&side->term, &side->product, &side->near);
    mpfr_nextbelow(side->term.low);
    mpfr_nextabove(side->term.high);
    if (mpfr_sgn(side->term.low) < 0)
        mpfr_set_zero(side->term.low, 1);
}

static int sign_of(const struct side *side) {
    const struct interval *parts = side->parts;
    if (mpfr_cmp(parts[0].low, parts[1].high) > 0)
        return 1;
    return mpfr_cmp(parts[1].low, parts[0].high) > 0 ? -1 : 0;
}

/* The sign, and in x and g the problem without what is far. */
static int find_side(struct side *side, uint64_t count, uint64_t i, struct real *x,
                     struct real *g) {
    uint64_t top = side->base;
    find_largest_power(side, count, i);
    for (uint64_t j = 0; mpfr_number_p(side->d) && j < count; j++) {
        if (is_finite(&side->x[j]))
            take(side, j, &top);
        x[j] = side->x[j];
        g[j] = top != side->base || j < i ? real_zero(false) : side->g[j];
        if (!is_finite(&x[j]) || top != side->base || place(side, j) != NEAR)
            x[j] = real_infinity(true);
        if (j < i || side->g[j].kind != REAL_FINITE)
            continue;
        find_term(side, j, top);
        add(side, &side->parts[side->g[j].negative == (top != side->base)], &side->term);
    }
    return mpfr_number_p(side->d) ? sign_of(side) : 0;
}

bool identity_side(const struct real *x, const struct real *g, uint64_t count, uint64_t i,
                   uint64_t base, mpfr_srcptr value, int *side, struct error *error) {
    struct side work = {.x = x, .g = g, .base = base};
    struct interval *all[] = {&work.power, &work.near,    &work.far,      &work.top,
                              &work.term,  &work.product, &work.parts[0], &work.parts[1]};
    struct real *reals = calloc(2 * count, sizeof *reals);
    struct identity identity;
    *side = 0;
    if (!reals)
        return error_set(error, "out of memory");
    mpfr_inits2(EXACT_BITS, work.a, work.b, work.d, (mpfr_ptr)0);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        mpfr_inits2(BITS, all[k]->low, all[k]->high, (mpfr_ptr)0);
        mpfr_set_zero(all[k]->low, 1);
        mpfr_set_zero(all[k]->high, 1);
    }
    identity_open(&identity);
    int sign = find_side(&work, count, i, reals, reals + count);
    /* A sum that is 0 is so whatever it is multiplied by, which may be one of those left out. */
    uint64_t of = mpfr_zero_p(value) ? base : i;
    bool holds = false, done = true;
    if (sign)
        done = identity_holds(&identity, reals, reals + count, count, of, value, &holds, error);
    *side = holds ? sign : 0;
    identity_close(&identity);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mpfr_clears(all[k]->low, all[k]->high, (mpfr_ptr)0);
    mpfr_clears(work.a, work.b, work.d, (mpfr_ptr)0);
    free(reals);
    return done;
}
