/* Sums with a memory, in the arithmetic of their node. */
#include "order/chain.h"

#include "order/bins.h"

/* Codes of the node's result, added and subtracted by it. */
static uint64_t add(const struct order_node *node, uint64_t a, uint64_t b) {
    const struct order_term term = order_term_accumulator(node, b);
    return order_node_add(node, &term, 1, &a);
}

static uint64_t minus(const struct order_node *node, uint64_t a) {
    const struct format *format = node->result;
    return format_is_nan(format, a) ? a
                                    : format_with_sign(format, format_magnitude(format, a),
                                                       !format_is_negative(format, a));
}

static uint64_t subtract(const struct order_node *node, uint64_t a, uint64_t b) {
    return add(node, a, minus(node, b));
}

/* The error of t = a + b, by Knuth's six additions. */
static uint64_t lost(const struct order_node *node, uint64_t a, uint64_t b, uint64_t t) {
    uint64_t part = subtract(node, t, a);
    return add(node, subtract(node, a, subtract(node, t, part)), subtract(node, b, part));
}

struct chain {
    uint64_t sum, rest;
};

static void kahan(const struct order_node *node, struct chain *chain, const struct order_term *x) {
    uint64_t rest = minus(node, chain->rest), y = order_node_add(node, x, 1, &rest);
    uint64_t t = add(node, chain->sum, y);
    chain->rest = subtract(node, subtract(node, t, chain->sum), y);
    chain->sum = t;
}

static void neumaier(const struct order_node *node, struct chain *chain, uint64_t x) {
    uint64_t t = add(node, chain->sum, x);
    bool larger = format_magnitude(node->result, chain->sum) >= format_magnitude(node->result, x);
    uint64_t a = larger ? chain->sum : x, b = larger ? x : chain->sum;
    chain->rest = add(node, chain->rest, add(node, subtract(node, a, t), b));
    chain->sum = t;
}

static void double_double(const struct order_node *node, struct chain *chain, uint64_t x) {
    uint64_t s = add(node, chain->sum, x),
             rest = add(node, lost(node, chain->sum, x, s), chain->rest);
    chain->sum = add(node, s, rest);
    chain->rest = subtract(node, rest, subtract(node, chain->sum, s));
}

/* Each term rounded to a multiple of 2^fixed_exponent, to nearest even. */
static uint64_t fixed_point(const struct order_node *node, const struct order_term *terms,
                            size_t count, const uint64_t *c) {
    mpfr_t value;
    mpz_t total, multiple;
    mpfr_init2(value, 128);
    mpz_inits(total, multiple, NULL);
    for (size_t i = 0; i <= count; i++) {
        struct order_term term = {.kind = REAL_ZERO};
        if (i < count)
            term = terms[i];
        else if (c)
            term = order_term_accumulator(node, *c);
        if (term.kind != REAL_FINITE)
            continue;
        const uint64_t words[2] = {term.significand.low, term.significand.high};
        mpz_import(multiple, 2, -1, sizeof *words, 0, 0, words);
        mpfr_set_z_2exp(value, multiple, term.exponent - ORDER_TERM_POINT - node->fixed_exponent,
                        MPFR_RNDN);
        mpfr_rint(value, value, MPFR_RNDN);
        mpfr_get_z(multiple, value, MPFR_RNDN);
        (term.negative ? mpz_sub : mpz_add)(total, total, multiple);
    }
    int ternary = mpfr_set_z_2exp(value, total, node->fixed_exponent, MPFR_RNDZ);
    struct real real = real_from_mpfr(value, ternary);
    mpz_clears(total, multiple, NULL);
    mpfr_clear(value);
    return order_node_rounded(node, &real);
}

static bool is_finite(const struct order_term *term) {
    return term->kind != REAL_INFINITE && term->kind != REAL_NAN;
}

static bool all_finite(const struct order_node *node, const struct order_term *terms, size_t count,
                       const uint64_t *c) {
    for (size_t i = 0; i < count; i++)
        if (!is_finite(&terms[i]))
            return false;
    const struct order_term last = c ? order_term_accumulator(node, *c) : (struct order_term){0};
    return !c || is_finite(&last);
}

uint64_t order_chain_add(const struct order_node *node, const struct order_term *terms,
                         size_t count, const uint64_t *c) {
    if (node->kind == ORDER_FIXED_POINT && all_finite(node, terms, count, c))
        return fixed_point(node, terms, count, c);
    if (node->kind == ORDER_BINS && all_finite(node, terms, count, c))
        return order_bins_add(node, terms, count, c);
    if (node->kind == ORDER_SUM || node->kind == ORDER_EXACT || node->kind == ORDER_FIXED_POINT ||
        node->kind == ORDER_BINS || node->kind == ORDER_SLICES || !count)
        return order_node_add(node, terms, count, c);
    struct chain chain = {.sum = c ? *c : order_node_add(node, terms, 1, NULL)};
    for (size_t i = !c; i < count; i++) {
        if (node->kind == ORDER_KAHAN) {
            kahan(node, &chain, &terms[i]);
            continue;
        }
        uint64_t x = order_node_add(node, &terms[i], 1, NULL);
        (node->kind == ORDER_NEUMAIER ? neumaier : double_double)(node, &chain, x);
    }
    return node->kind == ORDER_NEUMAIER ? add(node, chain.sum, chain.rest) : chain.sum;
}
