/* Exact sums of products of scaled numbers, whose terms may have scales of their own. */
#include "op/scaled/exact.h"

/* Holds a sum of products of fp32 data and fp32 scales. Terms whose exponents are further apart than
 * that cannot touch. */
enum { TERM_BITS = 4096 };

static struct scaled_scale second_scale(const struct scaled_sum *sum, size_t i) {
    return sum->b ? sum->b[i] : (struct scaled_scale){1, 0, sum->a[i].is_power};
}

static bool is_number(struct scaled_scale scale) {
    return scale.m - scale.m == 0;
}

static bool is_zero_at(const struct scaled_sum *sum, size_t i) {
    return sum->a[i].m == 0 || second_scale(sum, i).m == 0;
}

struct scaled_scale scaled_exact_sum_scale(struct scaled_exact *exact,
                                           const struct scaled_sum *sum) {
    static const struct scaled_facts product = {.operation = SCALED_MATMUL, .two = true},
                                     moved = {.operation = SCALED_REBALANCE};
    struct scaled_scale largest = {1, 0, sum->a[0].is_power};
    struct real whole = exact->whole = scaled_scale_number(largest);
    bool found = false;
    for (size_t i = 0; i < (sum->varies ? sum->count - sum->plain : 1); i++) {
        if (!is_number(sum->a[i]) || !is_number(second_scale(sum, i)))
            return (struct scaled_scale){1, 0, largest.is_power};
        if (is_zero_at(sum, i))
            continue;
        struct scaled_scale c =
            scaled_exact_scale(exact, &product, sum->a[i], second_scale(sum, i), sum->divisor, 0);
        bool larger = c.e > largest.e || (c.e == largest.e && c.m > largest.m);
        if (!found || larger) {
            largest = c;
            whole = exact->whole;
        }
        found = true;
    }
    if (sum->by) {
        largest = scaled_exact_scale(exact, &moved, largest, largest, 1, sum->by);
        if (largest.is_power)
            return largest;
        whole.exponent += sum->by;
    }
    exact->whole = whole;
    return largest;
}

/* Term i as exact->v, over 2^e of its scales, and that e. */
static int64_t term(struct scaled_exact *exact, const struct scaled_sum *sum, size_t i) {
    struct scaled_scale a = sum->a[i], b = second_scale(sum, i);
    real_to_mpfr(exact->x[0], &sum->x[i]);
    mpfr_set_ui(exact->x[1], 1, MPFR_RNDN);
    if (sum->w)
        real_to_mpfr(exact->x[1], &sum->w[i]);
    if (a.m == 0)
        mpfr_set_zero(exact->x[0], 1);
    if (b.m == 0)
        mpfr_set_zero(exact->x[1], 1);
    mpfr_mul(exact->v, exact->x[0], exact->x[1], MPFR_RNDN);
    if (a.m == 0 || b.m == 0)
        return 0;
    mpfr_mul_d(exact->v, exact->v, (double)a.m, MPFR_RNDN);
    mpfr_mul_d(exact->v, exact->v, (double)b.m, MPFR_RNDN);
    return (int64_t)a.e + b.e;
}

/* The exponents of the largest terms that are less than 2^limit, and of those that may touch them;
 * false where there are none. */
static bool next_cluster(struct scaled_exact *exact, const struct scaled_sum *sum, int64_t limit,
                         int64_t *most, int64_t *least) {
    bool found = false, grows = true;
    *most = *least = 0;
    if (!sum->a[0].is_power) /* all are near each other */
        return limit > 0;
    for (size_t i = 0; i < sum->count; i++) {
        int64_t e = term(exact, sum, i);
        if (mpfr_zero_p(exact->v) || e >= limit || (found && e <= *most))
            continue;
        *most = e;
        found = true;
    }
    for (*least = *most; found && grows;) {
        grows = false;
        for (size_t i = 0; i < sum->count; i++) {
            int64_t e = term(exact, sum, i);
            grows = grows || (!mpfr_zero_p(exact->v) && e < *least && e >= *least - TERM_BITS);
            if (!mpfr_zero_p(exact->v) && e < *least && e >= *least - TERM_BITS)
                *least = e;
        }
    }
    return found;
}

/* exact->u: the sum, over 2^*base. What lies too far below to touch leaves its sign. */
static void add_up(struct scaled_exact *exact, const struct scaled_sum *sum, int64_t *base) {
    int64_t limit = INT64_MAX, most, least;
    int sign = 0;
    mpfr_t whole, part;
    mpfr_inits2(TERM_BITS, whole, part, (mpfr_ptr)0);
    mpfr_set_zero(whole, 1);
    *base = 0;
    while (!sign && next_cluster(exact, sum, limit, &most, &least)) {
        mpfr_set_prec(part, (mpfr_prec_t)(most - least) + TERM_BITS);
        mpfr_set_zero(part, 1);
        for (size_t i = 0; i < sum->count; i++) {
            int64_t e = term(exact, sum, i);
            if (mpfr_zero_p(exact->v) || e > most || e < least)
                continue;
            mpfr_mul_2si(exact->v, exact->v, (long)(e - least), MPFR_RNDN);
            mpfr_add(part, part, exact->v, MPFR_RNDN);
        }
        limit = least;
        if (!mpfr_zero_p(whole))
            sign = mpfr_zero_p(part) ? 0 : mpfr_sgn(part);
        else {
            *base = least;
            mpfr_swap(whole, part);
        }
    }
    mpfr_set_prec(exact->u, mpfr_get_prec(whole) + TERM_BITS);
    mpfr_set_si_2exp(exact->u, sign, -TERM_BITS, MPFR_RNDN);
    mpfr_add(exact->u, whole, exact->u, MPFR_RNDN);
    mpfr_clears(whole, part, (mpfr_ptr)0);
}

/* The sum of what is infinite or no number; false where all is finite. */
static bool add_specials(struct scaled_exact *exact, const struct scaled_sum *sum,
                         struct real *total) {
    mpfr_t y;
    mpfr_init2(y, 2);
    mpfr_set_zero(y, 1);
    for (size_t i = 0; i < sum->count; i++) {
        if (!is_number(sum->a[i]) || !is_number(second_scale(sum, i)))
            mpfr_set_nan(y);
        term(exact, sum, i);
        if (!mpfr_number_p(exact->v))
            mpfr_add(y, y, exact->v, MPFR_RNDN);
    }
    bool found = !mpfr_zero_p(y);
    if (found)
        *total = real_from_mpfr(y, 0);
    mpfr_clear(y);
    return found;
}

/* Whether it is made of nothing but zeros of that sign. */
static bool is_of_negative_zeros(struct scaled_exact *exact, const struct scaled_sum *sum) {
    bool all = true;
    for (size_t i = 0; i < sum->count; i++) {
        term(exact, sum, i);
        all = all && mpfr_zero_p(exact->v) && mpfr_signbit(exact->v);
    }
    return all;
}

/* A sum that is 0 is +0; where all of its terms have one place for their scales, and so one sign, it
 * has that sign. */
static bool zero_is_negative(const struct scaled_sum *sum) {
    struct scaled_scale a = sum->a[0], b = second_scale(sum, 0);
    return !sum->varies && a.m != 0 && b.m != 0 && (a.m < 0) != (b.m < 0);
}

struct real scaled_exact_sum(struct scaled_exact *exact, const struct scaled_sum *sum,
                             int precision) {
    struct scaled_scale c = scaled_exact_sum_scale(exact, sum);
    struct real y;
    int64_t base;
    if (!add_specials(exact, sum, &y)) {
        mpfr_prec_t before = mpfr_get_prec(exact->u);
        add_up(exact, sum, &base);
        mpfr_set_prec(exact->y, precision);
        mpfr_set_flt(exact->v, c.m, MPFR_RNDN);
        if (sum->mean)
            mpfr_mul_ui(exact->v, exact->v, sum->count, MPFR_RNDN);
        int ternary = mpfr_div(exact->y, exact->u, exact->v, MPFR_RNDZ);
        if (mpfr_regular_p(exact->y))
            mpfr_mul_2si(exact->y, exact->y, (long)(base - c.e), MPFR_RNDZ);
        const bool is_zero = mpfr_zero_p(exact->y);
        y = !is_zero
                ? real_from_mpfr(exact->y, ternary)
                : real_zero(sum->plain ? is_of_negative_zeros(exact, sum) : zero_is_negative(sum));
        mpfr_set_prec(exact->u, before);
    }
    return y;
}

struct scaled_scale scaled_exact_largest(struct scaled_exact *exact, const struct real *x,
                                         const struct scaled_scale *a, size_t count, int precision,
                                         struct real *y) {
    const struct scaled_sum terms = {.count = count, .x = x, .a = a, .divisor = 1};
    struct scaled_scale c = {1, 0, a[0].is_power};
    bool nan = false, live = false;
    mpfr_set_inf(exact->u, -1);
    for (size_t i = 0; i < count; i++) {
        struct scaled_scale each = {a[i].m < 0 ? -a[i].m : a[i].m, a[i].e, a[i].is_power};
        bool larger = each.e > c.e || (each.e == c.e && each.m > c.m);
        if (each.m > 0 && (!live || larger))
            c = each;
        live = live || each.m > 0;
        int64_t e = term(exact, &terms, i);
        mpfr_mul_2si(exact->v, exact->v, (long)e, MPFR_RNDN);
        nan = nan || !is_number(a[i]) || mpfr_nan_p(exact->v);
        bool zeros = mpfr_zero_p(exact->v) && mpfr_zero_p(exact->u) && mpfr_signbit(exact->u);
        if (i == 0 || zeros || mpfr_greater_p(exact->v, exact->u))
            mpfr_set(exact->u, exact->v, MPFR_RNDN);
    }
    if (nan)
        for (size_t i = 0; i < count; i++)
            if (!is_number(a[i]))
                c = (struct scaled_scale){1, 0, a[0].is_power};
    exact->whole = scaled_scale_number(c);
    if (y) {
        mpfr_set_prec(exact->y, precision);
        mpfr_set_flt(exact->mc, c.m, MPFR_RNDN);
        int ternary = mpfr_div(exact->y, exact->u, exact->mc, MPFR_RNDZ);
        if (mpfr_regular_p(exact->y))
            mpfr_mul_2si(exact->y, exact->y, -(long)c.e, MPFR_RNDN);
        *y = nan ? real_nan() : real_from_mpfr(exact->y, ternary);
    }
    return c;
}
