/* How many bits the terms of a case have. */
#include "reveal/lossless.h"

#include <stdlib.h>

enum { UNKNOWN, RIGHT, WRONG };
enum { CARRIES = 7 }; /* bits that a sum of UNIT_CASES_MOST_PRODUCTS and c grows by */
enum { KINDS = (GRID_C_UNUSED + 1) * ORDER_ROUNDINGS * 2 };

/* The exponents of the first and the last bit of some terms. */
struct span {
    int first, last;
};

static void widen(struct span *span, const struct order_term *term) {
    if (term->kind != REAL_FINITE)
        return;
    int normalised = order_term_exponent(term);
    int first = normalised > term->exponent ? normalised : term->exponent;
    struct wide lowest = term->significand, below = wide_subtract(lowest, (struct wide){0, 1});
    lowest.high &= ~below.high;
    lowest.low &= ~below.low;
    int last = term->exponent - ORDER_TERM_POINT + 127 - (int)order_leading_zeros(lowest);
    span->first = first > span->first ? first : span->first;
    span->last = last < span->last ? last : span->last;
}

static void note(struct lossless_case *of, int which, const struct format *result,
                 const struct span *span) {
    of->bits[which] = span->first < span->last ? 0 : span->first - span->last;
    of->chains[which] = of->bits[which] + CARRIES < result->precision &&
                        span->first + CARRIES < result->emax &&
                        span->last >= result->emin - result->precision + 1;
}

bool lossless_open(struct lossless *lossless, struct fit_terms *terms) {
    const struct unit_cases *cases = terms->cases;
    const struct grid_model plain = {.node = order_node_plain(cases->result, ROUND_NEAREST_EVEN),
                                     .together = 1};
    *lossless = (struct lossless){.cases = cases,
                                  .terms = fit_terms_of(terms, &plain),
                                  .of = calloc(cases->count, sizeof *lossless->of),
                                  .known = calloc(cases->count, KINDS)};
    if (!lossless->terms || !lossless->of || !lossless->known)
        return false;
    for (size_t i = 0; i < cases->count; i++) {
        struct span span = {INT_MIN / 4, INT_MAX / 4};
        for (size_t k = 0; k < cases->products; k++)
            widen(&span, &lossless->terms[i * cases->products + k]);
        note(&lossless->of[i], 0, cases->result, &span);
        if (cases->has_c) {
            struct order_term c = order_term_accumulator(&plain.node, cases->c[i]);
            widen(&span, &c);
        }
        note(&lossless->of[i], 1, cases->result, &span);
    }
    return true;
}

void lossless_close(struct lossless *lossless) {
    free(lossless->of);
    free(lossless->known);
    lossless->of = NULL;
    lossless->known = NULL;
}

bool lossless_fits(struct lossless *lossless, const struct grid_model *model, size_t index) {
    const struct unit_cases *cases = lossless->cases;
    const struct order_node *node = &model->node;
    const struct lossless_case *of = &lossless->of[index];
    const int with_c = model->c <= GRID_C_AFTER_SUM;
    bool at_once = model->call >= cases->products;
    /* What one call hands to the next may have a larger exponent than any term. */
    const int wanted = of->bits[with_c] + (at_once ? 0 : CARRIES);
    if (node->flush_operands || node->result_precision || (node->flush_results && !at_once) ||
        node->aligned_bits < wanted || (!at_once && !of->chains[with_c]) ||
        format_is_zero(cases->result, cases->d[index]))
        return false;
    size_t kind = ((size_t)model->c * ORDER_ROUNDINGS + node->rounding) * 2 + node->flush_results;
    uint8_t *known = &lossless->known[kind * cases->count + index];
    if (*known == UNKNOWN) {
        struct grid_model exact = *model;
        exact.node.aligned_bits = ORDER_ALL_BITS;
        exact.node.c = ORDER_C_WITH_TERMS;
        exact.call = (unsigned)cases->products;
        uint64_t result = fit_result(&exact, lossless->terms, cases, index);
        *known = fit_same(cases->result, result, cases->d[index]) ? RIGHT : WRONG;
    }
    return *known == RIGHT;
}
