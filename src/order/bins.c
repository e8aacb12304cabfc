/* Slices and totals, as whole numbers of any length. */
#include "order/bins.h"

#include <mpfr.h>

static struct order_term term_at(const struct order_node *node, const struct order_term *terms,
                                 size_t count, const uint64_t *c, size_t i) {
    return i < count ? terms[i] : order_term_accumulator(node, *c);
}

/* The power of two at which the highest bin ends: above `most`, the largest exponent of a term. */
static int end_of(const struct order_node *node, int most) {
    const int width = (int)node->bin_width, above = most + 1;
    if (node->bin_ends == ORDER_BINS_FROM_LARGEST)
        return above + node->bin_base;
    const int over = (above - node->bin_base) % width;
    return above + (over > 0 ? width - over : -over);
}

/* slice = rest / 2^bits as a whole number, rounded. */
static void cut(const struct order_node *node, mpz_t slice, const mpz_t rest, mp_bitcnt_t bits) {
    const bool is_negative = mpz_sgn(rest) < 0;
    mpz_tdiv_q_2exp(slice, rest, bits);
    if (node->alignment == ORDER_TOWARD_ZERO || !bits)
        return;
    /* What is cut off, in halves of 2^bits. */
    mpz_t magnitude;
    mpz_init(magnitude);
    mpz_abs(magnitude, rest);
    const bool half = mpz_tstbit(magnitude, bits - 1), more = mpz_scan1(magnitude, 0) < bits - 1,
               some = half || more;
    mpz_clear(magnitude);
    const bool up = node->alignment == ORDER_NEAREST_EVEN   ? half && (more || mpz_odd_p(slice))
                    : node->alignment == ORDER_NEAREST_AWAY ? half
                    : node->alignment == ORDER_UP           ? some && !is_negative
                    : node->alignment == ORDER_DOWN         ? some && is_negative
                                                            : some && !mpz_odd_p(slice);
    if (up)
        (is_negative ? mpz_sub_ui : mpz_add_ui)(slice, slice, 1);
}

void order_rest_cut(const struct order_node *node, struct order_rest *rest, int unit, mpz_t slice) {
    if (rest->point >= unit) { /* all of it is whole */
        mpz_mul_2exp(slice, rest->whole, (mp_bitcnt_t)(rest->point - unit));
        mpz_set_ui(rest->whole, 0);
        return;
    }
    const mp_bitcnt_t bits = (mp_bitcnt_t)(unit - rest->point);
    mpz_t back;
    cut(node, slice, rest->whole, bits);
    mpz_init(back);
    mpz_mul_2exp(back, slice, bits);
    mpz_sub(rest->whole, rest->whole, back);
    mpz_clear(back);
}

/* Adds a term to the totals of bins, the highest first, of which the first ends at 2^end. Of bare ones totals count
 * halves. */
static void add_term(const struct order_node *node, mpz_t *totals, int end,
                     const struct order_term *term) {
    const uint64_t words[2] = {term->significand.low, term->significand.high};
    struct order_rest rest = {.point = term->exponent - ORDER_TERM_POINT};
    mpz_t slice;
    mpz_inits(rest.whole, slice, NULL);
    mpz_import(rest.whole, 2, -1, sizeof *words, 0, 0, words);
    if (term->negative)
        mpz_neg(rest.whole, rest.whole);
    for (unsigned k = 0; k < node->bins && mpz_sgn(rest.whole); k++) {
        const bool half = node->bin_bare && mpz_sgn(rest.whole) < 0;
        order_rest_cut(node, &rest, end - (int)((k + 1) * node->bin_width) - half, slice);
        if (node->bin_bare && !half)
            mpz_mul_2exp(slice, slice, 1);
        mpz_add(totals[k], totals[k], slice);
    }
    mpz_clears(rest.whole, slice, NULL);
}

/* The code of a whole number of 2^unit. */
static uint64_t rounded(const struct order_node *node, const mpz_t total, int unit) {
    mpfr_t value;
    const size_t bits = mpz_sgn(total) ? mpz_sizeinbase(total, 2) : 2;
    mpfr_init2(value, (mpfr_prec_t)(bits < 2 ? 2 : bits < 120 ? bits : 120));
    const int ternary = mpfr_set_z_2exp(value, total, unit, MPFR_RNDZ);
    const struct real real = real_from_mpfr(value, ternary);
    mpfr_clear(value);
    return order_node_rounded(node, &real);
}

uint64_t order_total_add(const struct order_node *node, bool begins, uint64_t sum,
                         const mpz_t total, int unit) {
    const uint64_t code = rounded(node, total, unit);
    const struct order_term term = order_term_accumulator(node, code);
    return begins ? code : order_node_add(node, &term, 1, &sum);
}

static uint64_t add_totals(const struct order_node *node, mpz_t *totals, int end) {
    const int last = (int)node->bins - 1, width = (int)node->bin_width;
    end -= node->bin_bare;
    if (node->totals == ORDER_TOTALS_ONCE) {
        for (int k = 0; k < last; k++) {
            mpz_mul_2exp(totals[k], totals[k], node->bin_width);
            mpz_add(totals[k + 1], totals[k + 1], totals[k]);
        }
        return rounded(node, totals[last], end - (last + 1) * width);
    }
    uint64_t sum = 0;
    for (int i = 0; i <= last; i++) {
        const int k = node->totals == ORDER_TOTALS_FROM_SMALLEST ? last - i : i;
        sum = order_total_add(node, !i, sum, totals[k], end - (k + 1) * width);
    }
    return sum;
}

uint64_t order_bins_add(const struct order_node *node, const struct order_term *terms, size_t count,
                        const uint64_t *c) {
    const size_t all = count + (c != NULL);
    int most = INT_MIN;
    for (size_t i = 0; i < all; i++) {
        const struct order_term term = term_at(node, terms, count, c, i);
        const int exponent = term.kind == REAL_FINITE ? order_term_exponent(&term) : INT_MIN;
        most = exponent > most ? exponent : most;
    }
    if (most == INT_MIN || !node->bins || !node->bin_width)
        return order_node_add(node, terms, count, c);
    const int end = end_of(node, most);
    mpz_t totals[ORDER_MOST_BINS];
    for (unsigned k = 0; k < node->bins; k++)
        mpz_init(totals[k]);
    for (size_t i = 0; i < all; i++) {
        const struct order_term term = term_at(node, terms, count, c, i);
        if (term.kind == REAL_FINITE)
            add_term(node, totals, end, &term);
    }
    const uint64_t sum = add_totals(node, totals, end);
    for (unsigned k = 0; k < node->bins; k++)
        mpz_clear(totals[k]);
    return sum;
}
