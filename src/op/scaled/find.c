/* The scale to rebalance to, by trying every candidate in exact numbers. */
#include "op/scaled/rows.h"

/* Holds sums of squares of fp32 numbers and of their multiples. */
enum { EXACT_BITS = 4096, BELOW = 24 };

struct scale_search {
    const struct real *data;
    uint64_t count;
    const struct format *to;
};

/* The sum of squares of what is lost by data / 2^n, saturated. */
static void squares_lost(const struct scale_search *search, int n, mpfr_ptr sum) {
    mpfr_t kept, lost;
    mpfr_inits2(EXACT_BITS, kept, lost, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (uint64_t i = 0; i < search->count; i++) {
        struct real x = search->data[i];
        if (x.kind != REAL_FINITE)
            continue;
        real_to_mpfr(lost, &x);
        x.exponent -= n;
        x = format_decode(search->to,
                          format_encode(search->to, &x, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE));
        real_to_mpfr(kept, &x);
        mpfr_mul_2si(kept, kept, n, MPFR_RNDN);
        mpfr_sub(lost, lost, kept, MPFR_RNDN);
        mpfr_fma(sum, lost, lost, sum, MPFR_RNDN);
    }
    mpfr_clears(kept, lost, (mpfr_ptr)0);
}

/* The largest magnitude; zero where no element is a number but 0. */
static struct real largest(const struct scale_search *search) {
    struct real best = real_zero(false);
    for (uint64_t i = 0; i < search->count; i++) {
        struct real x = search->data[i];
        bool more =
            x.exponent > best.exponent ||
            (x.exponent == best.exponent &&
             wide_compare(x.significand, best.significand) + (x.inexact && !best.inexact) > 0);
        if (x.kind == REAL_FINITE && (best.kind == REAL_ZERO || more))
            best = x;
    }
    return best;
}

static int least_squares(const struct scale_search *search, int first) {
    mpfr_t sum, least;
    int found = first;
    mpfr_inits2(EXACT_BITS, sum, least, (mpfr_ptr)0);
    for (int n = first; n >= first - BELOW; n--) {
        squares_lost(search, n, sum);
        if (n == first || mpfr_less_p(sum, least)) {
            mpfr_set(least, sum, MPFR_RNDN);
            found = n;
        }
    }
    mpfr_clears(sum, least, (mpfr_ptr)0);
    return found;
}

int32_t scaled_exact_find(const struct real *data, uint64_t count, const struct format *to,
                          bool squares, int32_t margin) {
    const struct scale_search search = {data, count, to};
    const struct real most = format_decode(to, to->max_finite), best = largest(&search);
    if (best.kind == REAL_ZERO)
        return 0;
    int n = best.exponent - most.exponent +
            (wide_compare(best.significand, most.significand) + best.inexact > 0);
    return margin + (squares ? least_squares(&search, n) : n);
}
