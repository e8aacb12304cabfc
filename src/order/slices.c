/* Slices of both factors are whole numbers, and so are totals of their products. */
#include "order/slices.h"

#include "order/bins.h"

#include <gmp.h>

enum { MOST = ORDER_MOST_BINS };

/* The least power of two above all factors; false where there is none, or not only numbers. */
static bool find_end(const struct order_node *node, const struct order_factor *factors,
                     size_t count, int *end) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct real real = format_decode(factors[i].format, factors[i].code);
        if (real.kind == REAL_INFINITE || real.kind == REAL_NAN)
            return false;
        if (real.kind == REAL_FINITE && (!any || real.exponent >= *end)) {
            *end = real.exponent + 1;
            any = true;
        }
    }
    *end += node->bin_base;
    return any;
}

/* The slices of a factor below 2^end. */
static void cut_factor(const struct order_node *node, const struct order_factor *factor, int end,
                       mpz_t *slices) {
    const struct real real = format_decode(factor->format, factor->code);
    const uint64_t words[2] = {real.significand.low, real.significand.high};
    struct order_rest rest = {.point = real.exponent - 127};
    mpz_init(rest.whole);
    if (real.kind == REAL_FINITE)
        mpz_import(rest.whole, 2, -1, sizeof *words, 0, 0, words);
    if (real.negative)
        mpz_neg(rest.whole, rest.whole);
    for (unsigned k = 0; k < node->bins; k++)
        order_rest_cut(node, &rest, end - (int)((k + 1) * node->bin_width), slices[k]);
    mpz_clear(rest.whole);
}

static bool counts(const struct order_node *node, unsigned s, unsigned t) {
    return node->all_products || s + t < node->bins;
}

/* Totals of products of slices s and t as they are added; those of the same s + t are one but of ORDER_TOTALS_BY_ROWS. */
static uint64_t add_totals(const struct order_node *node, mpz_t (*totals)[MOST], int end,
                           bool begins) {
    const int slices = (int)node->bins, levels = node->all_products ? 2 * slices - 1 : slices,
              width = (int)node->bin_width;
    uint64_t sum = 0;
    for (int s = 0; node->totals == ORDER_TOTALS_BY_ROWS && s < slices; s++)
        for (int t = 0; t < slices && counts(node, (unsigned)s, (unsigned)t); t++) {
            sum = order_total_add(node, begins, sum, totals[s][t], end - (s + t + 2) * width);
            begins = false;
        }
    if (node->totals == ORDER_TOTALS_BY_ROWS)
        return sum;
    mpz_t level, all;
    mpz_inits(level, all, NULL);
    for (int i = 0; i < levels; i++) {
        const int at = node->totals == ORDER_TOTALS_FROM_SMALLEST ? levels - 1 - i : i;
        mpz_set_ui(level, 0);
        for (int s = 0; s <= at && s < slices; s++)
            if (at - s < slices)
                mpz_add(level, level, totals[s][at - s]);
        if (node->totals == ORDER_TOTALS_ONCE) {
            mpz_mul_2exp(all, all, node->bin_width);
            mpz_add(all, all, level);
        } else {
            sum = order_total_add(node, begins, sum, level, end - (at + 2) * width);
            begins = false;
        }
    }
    if (node->totals == ORDER_TOTALS_ONCE)
        sum = order_total_add(node, true, 0, all, end - (levels + 1) * width);
    mpz_clears(level, all, NULL);
    return sum;
}

bool order_slices_add(const struct order_node *node, const struct order_factor *x,
                      const struct order_factor *y, size_t count, bool from_zero, uint64_t *sum) {
    int ends[2] = {0, 0};
    if (!node->bins || node->bins > MOST || !node->bin_width ||
        !find_end(node, x, count, &ends[0]) || !find_end(node, y, count, &ends[1]))
        return false;
    mpz_t totals[MOST][MOST], slices[2][MOST];
    for (unsigned s = 0; s < node->bins; s++) {
        mpz_inits(slices[0][s], slices[1][s], NULL);
        for (unsigned t = 0; t < node->bins; t++)
            mpz_init(totals[s][t]);
    }
    for (size_t i = 0; i < count; i++) {
        cut_factor(node, &x[i], ends[0], slices[0]);
        cut_factor(node, &y[i], ends[1], slices[1]);
        for (unsigned s = 0; s < node->bins; s++)
            for (unsigned t = 0; t < node->bins && counts(node, s, t); t++)
                mpz_addmul(totals[s][t], slices[0][s], slices[1][t]);
    }
    *sum = add_totals(node, totals, ends[0] + ends[1], !from_zero);
    for (unsigned s = 0; s < node->bins; s++) {
        mpz_clears(slices[0][s], slices[1][s], NULL);
        for (unsigned t = 0; t < node->bins; t++)
            mpz_clear(totals[s][t]);
    }
    return true;
}
