/* Sums of powers e^x, and quotients of such.
 *
 * By the theorem of Lindemann and Weierstrass a sum of powers with fractions as exponents and as coefficients is nothing only where it is so power
 * by power. So a sum of quotients is a fraction y if, over one divisor, its N - y D is nothing, and it is no fraction if not.
 * One divisor is the product of all, but for those that divide it: queries that have a part of the keys of others, or the same scores several times,
 * have divisors that divide theirs, and so most products stay short. */
#include "op/kernels/attention_terms.h"

#include <stdlib.h>

/* A product of divisors may have so many, before equal powers are added. */
enum { MOST_TERMS = 1 << 20 };

void attention_push(struct terms *terms, const arf_t a, const arf_t b, slong factor,
                    const arf_t coefficient) {
    if (terms->is_lost || arf_is_zero(coefficient))
        return;
    if (terms->count == terms->room) {
        const size_t room = terms->room ? 2 * terms->room : 16;
        struct term *each = realloc(terms->each, room * sizeof *each);
        terms->is_lost = !each;
        if (!each)
            return;
        for (size_t i = terms->room; i < room; i++) {
            arf_init(each[i].exponent);
            arf_init(each[i].coefficient);
        }
        terms->each = each;
        terms->room = room;
    }
    struct term *term = &terms->each[terms->count++];
    arf_add(term->exponent, a, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set(term->coefficient, coefficient);
    term->factor = factor;
}

void attention_close_terms(struct terms *terms) {
    for (size_t i = 0; i < terms->room; i++) {
        arf_clear(terms->each[i].exponent);
        arf_clear(terms->each[i].coefficient);
    }
    free(terms->each);
    *terms = (struct terms){0};
}

/* from the largest down */
static int by_exponent(const void *a, const void *b) {
    const struct term *x = a, *y = b;
    const int order = arf_cmp(y->exponent, x->exponent);
    return order ? order : (x->factor > y->factor) - (x->factor < y->factor);
}

/* Adds equal powers, and sorts from the largest down. */
static void collect(struct terms *terms) {
    size_t count = 0;
    if (terms->count)
        qsort(terms->each, terms->count, sizeof *terms->each, by_exponent);
    for (size_t i = 0; i < terms->count; i++) {
        struct term *last = count ? &terms->each[count - 1] : NULL, *own = &terms->each[i];
        if (last && !by_exponent(last, own)) {
            arf_add(last->coefficient, last->coefficient, own->coefficient, ARF_PREC_EXACT,
                    ARF_RND_DOWN);
            continue;
        }
        if (last && arf_is_zero(last->coefficient))
            count--;
        arf_swap(terms->each[count].exponent, own->exponent);
        arf_swap(terms->each[count].coefficient, own->coefficient);
        terms->each[count++].factor = own->factor;
    }
    if (count && arf_is_zero(terms->each[count - 1].coefficient))
        count--;
    terms->count = count;
}

bool attention_is_nothing(struct terms *terms) {
    collect(terms);
    return !terms->is_lost && !terms->count;
}

static void push_all(struct terms *terms, const struct terms *a) {
    arf_t zero;
    arf_init(zero);
    terms->is_lost |= a->is_lost;
    for (size_t i = 0; i < a->count; i++)
        attention_push(terms, a->each[i].exponent, zero, a->each[i].factor, a->each[i].coefficient);
    arf_clear(zero);
}

/* terms += by e^x a */
static void push_times(struct terms *terms, const struct terms *a, const arf_t x, const arf_t by) {
    arf_t coefficient;
    arf_init(coefficient);
    terms->is_lost |= a->is_lost;
    for (size_t i = 0; i < a->count; i++) {
        arf_mul(coefficient, a->each[i].coefficient, by, ARF_PREC_EXACT, ARF_RND_DOWN);
        attention_push(terms, a->each[i].exponent, x, a->each[i].factor, coefficient);
    }
    arf_clear(coefficient);
}

struct terms attention_multiply(const struct terms *a, const struct terms *b) {
    struct terms product = {.is_lost = a->is_lost || b->is_lost};
    for (size_t i = 0; i < b->count && !product.is_lost; i++)
        push_times(&product, a, b->each[i].exponent, b->each[i].coefficient);
    collect(&product);
    return product;
}

bool attention_is_quotient(const struct terms *above, const struct terms *below, const arf_t first,
                           const arf_t n) {
    struct terms rest = {0};
    arf_t by, zero;
    arf_init(zero);
    arf_init(by);
    arf_neg(by, first);
    push_times(&rest, above, zero, n);
    if (!arf_is_zero(first))
        push_times(&rest, below, zero, by);
    const bool is_quotient = attention_is_nothing(&rest);
    attention_close_terms(&rest);
    arf_clear(zero);
    arf_clear(by);
    return is_quotient;
}

/* *by = a / b, if that is a binary fraction. */
static bool divide_number(arf_t by, const arf_t a, const arf_t b) {
    arf_t product;
    arf_init(product);
    arf_div(by, a, b, arf_bits(a) + 2, ARF_RND_DOWN);
    arf_mul(product, by, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    const bool is_exact = arf_equal(product, a);
    arf_clear(product);
    return is_exact;
}

/* *quotient = a / b, if b divides a, with coefficients that are binary fractions. Both are collected, and without factors. */
static bool divide(struct terms *quotient, const struct terms *a, const struct terms *b) {
    struct terms rest = {0};
    arf_t x, by, least, zero;
    bool divides = b->count <= a->count;
    arf_init(x);
    arf_init(by);
    arf_init(zero);
    arf_init(least);
    push_all(&rest, a);
    if (divides) /* the least exponent of the quotient */
        arf_sub(least, a->each[a->count - 1].exponent, b->each[b->count - 1].exponent,
                ARF_PREC_EXACT, ARF_RND_DOWN);
    while (divides && rest.count) {
        arf_sub(x, rest.each[0].exponent, b->each[0].exponent, ARF_PREC_EXACT, ARF_RND_DOWN);
        divides = quotient->count < 4 * a->count + 64 && arf_cmp(x, least) >= 0 &&
                  divide_number(by, rest.each[0].coefficient, b->each[0].coefficient);
        if (!divides)
            break;
        attention_push(quotient, x, zero, -1, by);
        arf_neg(by, by);
        push_times(&rest, b, x, by);
        collect(&rest);
        divides = !rest.is_lost && !quotient->is_lost;
    }
    attention_close_terms(&rest);
    arf_clear(x);
    arf_clear(by);
    arf_clear(zero);
    arf_clear(least);
    return divides;
}

/* a b, if that is no longer than is allowed. */
static struct terms short_product(const struct terms *a, const struct terms *b) {
    return a->count * b->count > MOST_TERMS ? (struct terms){.is_lost = true}
                                            : attention_multiply(a, b);
}

/* above += a b */
static void add_product(struct terms *above, const struct terms *a, const struct terms *b) {
    struct terms product = short_product(a, b);
    push_all(above, &product);
    collect(above);
    attention_close_terms(&product);
}

/* a becomes a b. */
static void multiply_by(struct terms *a, const struct terms *b) {
    struct terms product = short_product(a, b);
    attention_close_terms(a);
    *a = product;
}

bool attention_add_quotient(struct terms *above, struct terms *below, const struct terms *a,
                            const struct terms *b) {
    struct terms quotient = {0}, divisor = {0};
    push_all(&divisor, b);
    collect(&divisor);
    if (!below->count) {
        push_all(above, a);
        push_all(below, &divisor);
    } else if (divide(&quotient, below, &divisor))
        add_product(above, a, &quotient);
    else {
        attention_close_terms(&quotient);
        if (divide(&quotient, &divisor, below)) {
            multiply_by(above, &quotient);
            push_all(above, a);
        } else {
            multiply_by(above, &divisor);
            add_product(above, a, below);
            attention_close_terms(&quotient);
            push_all(&quotient, &divisor);
        }
        multiply_by(below, &quotient);
    }
    collect(above);
    attention_close_terms(&quotient);
    attention_close_terms(&divisor);
    return !above->is_lost && !below->is_lost;
}
