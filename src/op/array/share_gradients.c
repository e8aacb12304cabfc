/* The gradient of log_softmax, enclosed in intervals whose precision is raised until every result
 * truncates.
 *
 * With m the largest operand, n the count of those that are m, t the sum of e^(x - m) over all the
 * others, G the sum of g, and p[i] = e^(x[i] - m) / (n + t), a result is g[i] - G p[i]; where x[i] is m,
 * it is ((n g[i] - G) + G t / (n + t)) / n, which cancels nothing where p[i] is near 1 / n. Each is an
 * exact number and one that has a sign and any precision that is asked for: however small t is, the sum
 * lies on one side of the exact number.
 *
 * A result r that is a binary fraction makes (g[i] - r) (e^x[0] + ... + e^x[n-1]) = G e^x[i]. By the
 * theorem of Lindemann and Weierstrass that holds only where G is 0, and r is g[i], or where all
 * finite operands are equal, and r is g[i] - G over their count. */
#include "op/array/gradients.h"

#include "op/array/slices.h"
#include "op/function/interval.h"

#include <stdlib.h>

/* Numbers of fp64 have 2,098 places, and 2^28 of them 28 more, and a product by a count 28 again. */
enum { EXACT_BITS = 2304, FIRST_GUARD_BITS = 48, PRECISION_CAP = 1 << 16 };

struct shares {
    const struct array_call *call;
    struct slices slices;
    uint64_t *codes;
    struct real *x, *g;
    mpfr_t largest, value;       /* m; any operand */
    mpfr_t total, base, product; /* G; exact ones */
    mpfr_t truncated, scratch;
    struct interval t, sum, power, term, other;
    uint64_t peers, finite; /* n; how many operands are finite */
    bool nan, equal;        /* no share is a number; all finite operands are equal */
    bool g_nan, infinite[2];
};

static bool is_finite(const struct real *x) {
    return x->kind == REAL_ZERO || x->kind == REAL_FINITE;
}

/* Reads a slice, and finds what needs no precision: m, n, G. */
static void load(struct shares *shares, uint64_t slice) {
    const struct format *format = shares->call->results[0].format;
    slice_load(shares->call, 0, &shares->slices, slice, shares->codes);
    shares->finite = shares->peers = 0;
    shares->nan = shares->g_nan = shares->infinite[0] = shares->infinite[1] = false;
    shares->equal = true;
    for (uint64_t i = 0; i < shares->slices.length; i++) {
        struct real *x = &shares->x[i];
        *x = format_decode(format, shares->codes[i]);
        shares->nan |= x->kind == REAL_NAN || (x->kind == REAL_INFINITE && !x->negative);
        if (!is_finite(x))
            continue;
        real_to_mpfr(shares->value, x);
        int order = shares->finite++ ? mpfr_cmp(shares->value, shares->largest) : 1;
        shares->equal = shares->equal && (shares->finite == 1 || order == 0);
        if (order > 0) {
            mpfr_set(shares->largest, shares->value, MPFR_RNDN);
            shares->peers = 0;
        }
        shares->peers += order >= 0;
    }
    shares->nan |= shares->finite == 0;
    slice_load(shares->call, 1, &shares->slices, slice, shares->codes);
    mpfr_set_zero(shares->total, 1);
    for (uint64_t i = 0; i < shares->slices.length; i++) {
        struct real *g = &shares->g[i];
        *g = format_decode(format, shares->codes[i]);
        shares->g_nan |= g->kind == REAL_NAN;
        shares->infinite[g->negative] |= g->kind == REAL_INFINITE;
        if (!is_finite(g))
            continue;
        real_to_mpfr(shares->value, g);
        mpfr_add(shares->total, shares->total, shares->value, MPFR_RNDN);
    }
}

/* Whether operand i is m; value = x[i]. */
static bool is_largest(struct shares *shares, uint64_t i) {
    real_to_mpfr(shares->value, &shares->x[i]);
    return mpfr_equal_p(shares->value, shares->largest) != 0;
}

/* t and n + t, at a precision. */
static void find_sums(struct shares *shares, mpfr_prec_t bits) {
    struct interval *all[] = {&shares->t, &shares->sum, &shares->power, &shares->term,
                              &shares->other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        mpfr_set_prec(all[i]->low, bits);
        mpfr_set_prec(all[i]->high, bits);
    }
    mpfr_set_zero(shares->t.low, 1);
    mpfr_set_zero(shares->t.high, 1);
    for (uint64_t i = 0; i < shares->slices.length; i++) {
        if (!is_finite(&shares->x[i]) || is_largest(shares, i))
            continue;
        interval_power(&shares->power, &shares->other, shares->value, shares->largest);
        mpfr_add(shares->t.low, shares->t.low, shares->power.low, MPFR_RNDD);
        mpfr_add(shares->t.high, shares->t.high, shares->power.high, MPFR_RNDU);
    }
    interval_add_integer(&shares->sum, &shares->t, (long)shares->peers);
}

/* A result where it needs no enclosure. */
static bool decide(struct shares *shares, uint64_t i, struct real *y) {
    const struct real *g = &shares->g[i];
    bool is_infinite = shares->infinite[0] || shares->infinite[1];
    if (shares->nan)
        *y = real_nan();
    else if (!is_finite(&shares->x[i]))
        *y = *g;
    else if (shares->g_nan || (shares->infinite[0] && shares->infinite[1]) ||
             g->kind == REAL_INFINITE)
        *y = real_nan();
    else if (is_infinite)
        *y = real_infinity(shares->infinite[0]);
    else if (shares->equal || mpfr_zero_p(shares->total)) {
        real_to_mpfr(shares->value, g);
        mpfr_mul_ui(shares->product, shares->value, shares->finite, MPFR_RNDN);
        mpfr_sub(shares->base, shares->product, shares->total, MPFR_RNDN);
        if (!shares->equal)
            mpfr_set(shares->base, shares->product, MPFR_RNDN);
        int inexact = mpfr_div_ui(shares->truncated, shares->base, shares->finite, MPFR_RNDZ);
        *y = mpfr_zero_p(shares->base) ? (struct real){.kind = REAL_ZERO, .cancelled = true}
                                       : real_from_mpfr(shares->truncated, inexact);
    } else
        return false;
    return true;
}

/* The exact number and the other one, at the precision of the sums. */
static bool enclose(struct shares *shares, uint64_t i, struct real *y) {
    bool of_largest = is_largest(shares, i);
    bool is_below = (mpfr_sgn(shares->total) > 0) != of_largest; /* the other one is subtracted */
    struct interval *part = &shares->term, *value = &shares->other;
    if (!of_largest)
        interval_power(&shares->power, &shares->other, shares->value, shares->largest);
    real_to_mpfr(shares->value, &shares->g[i]);
    mpfr_mul_ui(shares->base, shares->value, of_largest ? shares->peers : 1, MPFR_RNDN);
    if (of_largest)
        mpfr_sub(shares->base, shares->base, shares->total, MPFR_RNDN);
    mpfr_abs(shares->product, shares->total, MPFR_RNDN);
    interval_set(value, shares->product);
    interval_multiply(part, value, of_largest ? &shares->t : &shares->power);
    interval_divide(value, part, &shares->sum);
    if (is_below) {
        mpfr_sub(part->low, shares->base, value->high, MPFR_RNDD);
        mpfr_sub(part->high, shares->base, value->low, MPFR_RNDU);
    } else {
        mpfr_add(part->low, shares->base, value->low, MPFR_RNDD);
        mpfr_add(part->high, shares->base, value->high, MPFR_RNDU);
    }
    if (of_largest) {
        mpfr_div_ui(part->low, part->low, shares->peers, MPFR_RNDD);
        mpfr_div_ui(part->high, part->high, shares->peers, MPFR_RNDU);
    }
    if (!interval_truncate(part, shares->truncated, shares->scratch))
        return false;
    *y = real_from_mpfr(shares->truncated, 1);
    return true;
}

static bool results(struct shares *shares, uint64_t slice, mpfr_prec_t bits, struct real *y) {
    bool has_sums = false;
    for (uint64_t i = 0; i < shares->slices.length; i++) {
        struct real *result = &y[slice_start(&shares->slices, slice) + i * shares->slices.stride];
        if (decide(shares, i, result))
            continue;
        if (!has_sums)
            find_sums(shares, bits);
        has_sums = true;
        if (!enclose(shares, i, result))
            return false;
    }
    return true;
}

static bool open_shares(struct shares *shares, const struct array_call *call, int precision,
                        struct error *error) {
    struct interval *all[] = {&shares->t, &shares->sum, &shares->power, &shares->term,
                              &shares->other};
    *shares = (struct shares){.call = call, .slices = slices_of(call, true)};
    shares->codes = calloc(shares->slices.length, sizeof *shares->codes);
    shares->x = calloc(shares->slices.length, sizeof *shares->x);
    shares->g = calloc(shares->slices.length, sizeof *shares->g);
    mpfr_inits2(128, shares->largest, shares->value, (mpfr_ptr)0);
    mpfr_inits2(EXACT_BITS, shares->total, shares->base, shares->product, (mpfr_ptr)0);
    mpfr_inits2(precision, shares->truncated, shares->scratch, (mpfr_ptr)0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpfr_inits2(64, all[i]->low, all[i]->high, (mpfr_ptr)0);
    return (shares->codes && shares->x && shares->g) || error_set(error, "out of memory");
}

static void close_shares(struct shares *shares) {
    struct interval *all[] = {&shares->t, &shares->sum, &shares->power, &shares->term,
                              &shares->other};
    free(shares->codes);
    free(shares->x);
    free(shares->g);
    mpfr_clears(shares->largest, shares->value, shares->total, shares->base, shares->product,
                shares->truncated, shares->scratch, (mpfr_ptr)0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mpfr_clears(all[i]->low, all[i]->high, (mpfr_ptr)0);
}

bool exact_share_gradient(const struct array_call *call, int result, int precision, struct real *y,
                          struct error *error) {
    struct shares shares;
    bool done = open_shares(&shares, call, precision, error);
    (void)result;
    for (uint64_t slice = 0; done && slice < shares.slices.count; slice++) {
        mpfr_prec_t bits = precision + FIRST_GUARD_BITS;
        load(&shares, slice);
        while (bits <= PRECISION_CAP && !results(&shares, slice, bits, y))
            bits *= 2;
        if (bits > PRECISION_CAP)
            done = error_set(error,
                             "the oracle cannot decide slice %llu of this array within %d bits; "
                             "please report it",
                             (unsigned long long)slice, PRECISION_CAP);
    }
    close_shares(&shares);
    return done;
}
