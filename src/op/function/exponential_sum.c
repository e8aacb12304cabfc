/* Sums of c e^a, their first terms. */
#include "op/function/exponential_sum.h"

#include <stdlib.h>

enum {
    FIRST_BITS = 128,
    MOST_BITS = 1 << 17,
    FIRST_TERMS = 4,
    MOST_PRODUCTS = 1 << 22, /* of two terms */
    FARTHEST = 1 << 20,      /* e^-FARTHEST bounds what is further away */
};

bool exponentials_open(struct exponentials *powers, struct exponential_residues *residues) {
    *powers = (struct exponentials){.residues = residues,
                                    .exponents = calloc(residues->count, sizeof(arf_t)),
                                    .bits = FIRST_BITS,
                                    .terms = FIRST_TERMS};
    for (size_t i = 0; powers->exponents && i < residues->count; i++)
        arf_init(powers->exponents[i]);
    return powers->exponents != NULL;
}

void exponentials_close(struct exponentials *powers) {
    for (size_t i = 0; powers->exponents && i < powers->residues->count; i++)
        arf_clear(powers->exponents[i]);
    free(powers->exponents);
}

void exponentials_set(struct exponentials *powers, size_t i, mpfr_srcptr x) {
    arf_set_mpfr(powers->exponents[i], x);
}

void exponential_sum_open(struct exponential_sum *sum, struct exponentials *powers) {
    *sum = (struct exponential_sum){.powers = powers};
    mag_init(sum->rest);
    arf_init(sum->below);
}

static void clear_terms(struct exponential_sum *sum, size_t from) {
    for (size_t k = from; k < sum->count; k++) {
        arf_clear(sum->terms[k].exponent);
        arb_clear(sum->terms[k].factor);
        mpz_clear(sum->terms[k].residue);
    }
    sum->count = from;
}

void exponential_sum_close(struct exponential_sum *sum) {
    clear_terms(sum, 0);
    free(sum->terms);
    mag_clear(sum->rest);
    arf_clear(sum->below);
}

void exponential_sum_take(struct exponential_sum *to, struct exponential_sum *from) {
    exponential_sum_close(to);
    *to = *from;
    exponential_sum_open(from, to->powers);
}

/* A new term, 0; NULL where there is no memory. */
static struct exponential_term *append(struct exponential_sum *sum) {
    if (sum->count == sum->room) {
        size_t room = sum->room ? 2 * sum->room : 8;
        struct exponential_term *terms = realloc(sum->terms, room * sizeof *terms);
        if (!terms)
            return NULL;
        sum->terms = terms;
        sum->room = room;
    }
    struct exponential_term *term = &sum->terms[sum->count++];
    arf_init(term->exponent);
    arb_init(term->factor);
    mpz_init(term->residue);
    return term;
}

static int falling(const void *a, const void *b) {
    const struct exponential_term *one = a, *other = b;
    return arf_cmp(other->exponent, one->exponent);
}

/* power = e^(a - b) for a <= b; false where that is more than `most` below 0. */
static bool power_of(arb_t power, const arf_t a, const arf_t b, slong most, slong bits) {
    arf_sub(arb_midref(power), a, b, ARF_PREC_EXACT, ARF_RND_DOWN);
    mag_zero(arb_radref(power));
    if (arf_cmp_si(arb_midref(power), -most) < 0)
        return false;
    arb_exp(power, power, bits);
    return true;
}

/* Makes one of terms that are at most `far` apart, and leaves out those that are 0. */
static void join(struct exponential_sum *sum, slong far) {
    const slong bits = sum->powers->bits;
    struct exponential_term *terms = sum->terms, swap;
    size_t count = 0;
    arb_t power;
    arb_init(power);
    for (size_t k = 0; k < sum->count; k++) {
        struct exponential_term *last = count ? &terms[count - 1] : NULL;
        if (last && power_of(power, terms[k].exponent, last->exponent, far, bits)) {
            arb_addmul(last->factor, terms[k].factor, power, bits);
            mpz_add(last->residue, last->residue, terms[k].residue);
            mpz_mod(last->residue, last->residue, sum->powers->residues->prime);
            continue;
        }
        if (last && mpz_sgn(last->residue) == 0)
            count--;
        swap = terms[count];
        terms[count++] = terms[k];
        terms[k] = swap;
    }
    if (count && mpz_sgn(terms[count - 1].residue) == 0)
        count--;
    clear_terms(sum, count);
    arb_clear(power);
}

static void add_rest(struct exponential_sum *sum, const mag_t rest, const arf_t below) {
    if (!sum->has_rest || arf_cmp(below, sum->below) > 0)
        arf_set(sum->below, below);
    mag_add(sum->rest, sum->rest, rest);
    sum->has_rest = true;
}

/* Puts the terms in order again. */
static void settle(struct exponential_sum *sum) {
    mag_t size;
    qsort(sum->terms, sum->count, sizeof *sum->terms, falling);
    join(sum, 0);
    join(sum, sum->powers->bits);
    mag_init(size);
    while (sum->count > sum->powers->terms ||
           (sum->count && sum->has_rest &&
            arf_cmp(sum->terms[sum->count - 1].exponent, sum->below) <= 0)) {
        const struct exponential_term *last = &sum->terms[sum->count - 1];
        arb_get_mag(size, last->factor);
        add_rest(sum, size, last->exponent);
        clear_terms(sum, sum->count - 1);
    }
    mag_clear(size);
}

bool exponential_sum_add(struct exponential_sum *sum, size_t i, mpfr_srcptr factor) {
    struct exponential_residues *residues = sum->powers->residues;
    struct exponential_term *term = append(sum);
    if (!term)
        return false;
    arf_set_mpfr(arb_midref(term->factor), factor);
    residue_of(residues, term->residue, factor);
    if (i != EXPONENTIAL_OF_0) {
        arf_set(term->exponent, sum->powers->exponents[i]);
        mpz_mul(term->residue, term->residue, residues->powers[i]);
        mpz_mod(term->residue, term->residue, residues->prime);
    }
    settle(sum);
    return true;
}

bool exponential_sum_add_sum(struct exponential_sum *sum, const struct exponential_sum *other) {
    for (size_t k = 0; k < other->count; k++) {
        struct exponential_term *term = append(sum);
        if (!term)
            return false;
        arf_set(term->exponent, other->terms[k].exponent);
        arb_set(term->factor, other->terms[k].factor);
        mpz_set(term->residue, other->terms[k].residue);
    }
    if (other->has_rest)
        add_rest(sum, other->rest, other->below);
    settle(sum);
    return true;
}

/* size e^first is more than the magnitude of a sum; false where that is nothing. */
static bool bound(mag_t size, arf_t first, const struct exponential_sum *sum) {
    mag_t one;
    mag_init(one);
    mag_zero(size);
    if (sum->has_rest)
        mag_set(size, sum->rest);
    arf_set(first, sum->count ? sum->terms[0].exponent : sum->below);
    for (size_t k = 0; k < sum->count; k++) {
        arb_get_mag(one, sum->terms[k].factor);
        mag_add(size, size, one);
    }
    mag_clear(one);
    return sum->count || sum->has_rest;
}

/* Adds what a's rest times b can be. */
static void add_product_with_rest(struct exponential_sum *sum, const struct exponential_sum *a,
                                  const struct exponential_sum *b) {
    mag_t size;
    arf_t first;
    mag_init(size);
    arf_init(first);
    if (a->has_rest && bound(size, first, b)) {
        mag_mul(size, size, a->rest);
        arf_add(first, first, a->below, ARF_PREC_EXACT, ARF_RND_DOWN);
        add_rest(sum, size, first);
    }
    mag_clear(size);
    arf_clear(first);
}

bool exponential_sum_add_product(struct exponential_sum *sum, const struct exponential_sum *a,
                                 const struct exponential_sum *b) {
    struct exponentials *powers = sum->powers;
    powers->products += a->count * b->count;
    if (powers->products > MOST_PRODUCTS)
        return false;
    for (size_t k = 0; k < a->count * b->count; k++) {
        const struct exponential_term *one = &a->terms[k / b->count];
        const struct exponential_term *other = &b->terms[k % b->count];
        struct exponential_term *term = append(sum);
        if (!term)
            return false;
        arf_add(term->exponent, one->exponent, other->exponent, ARF_PREC_EXACT, ARF_RND_DOWN);
        arb_mul(term->factor, one->factor, other->factor, powers->bits);
        mpz_mul(term->residue, one->residue, other->residue);
        mpz_mod(term->residue, term->residue, powers->residues->prime);
    }
    add_product_with_rest(sum, a, b);
    add_product_with_rest(sum, b, a);
    settle(sum);
    return true;
}

/* e^(exponent - first), or an enclosure of it where that is tiny. */
static void relative_power(arb_t power, const arf_t exponent, const arf_t first, slong bits) {
    if (power_of(power, exponent, first, FARTHEST, bits))
        return;
    arb_set_si(power, -FARTHEST);
    arb_exp(power, power, bits);
    arb_get_mag(arb_radref(power), power);
    arf_zero(arb_midref(power));
}

/* The sum over the power of its first term, without its rest, and what that is at most. */
static void evaluate(arb_t value, mag_t rest, const struct exponential_sum *sum) {
    const slong bits = sum->powers->bits;
    arb_t power;
    arb_init(power);
    arb_zero(value);
    for (size_t k = 0; k < sum->count; k++) {
        relative_power(power, sum->terms[k].exponent, sum->terms[0].exponent, bits);
        arb_addmul(value, sum->terms[k].factor, power, bits);
    }
    mag_zero(rest);
    if (sum->has_rest) {
        relative_power(power, sum->below, sum->terms[0].exponent, bits);
        arb_get_mag(rest, power);
        mag_mul(rest, rest, sum->rest);
    }
    arb_clear(power);
}

enum lack { LACKS_NOTHING, LACKS_BITS, LACKS_TERMS };

static enum lack find_sign(const struct exponential_sum *sum, int *sign) {
    enum lack lack = LACKS_TERMS;
    arb_t value;
    mag_t rest;
    if (!sum->count)
        return lack;
    arb_init(value);
    mag_init(rest);
    evaluate(value, rest, sum);
    if (arb_contains_zero(value))
        lack = LACKS_BITS;
    arb_add_error_mag(value, rest);
    if (!arb_contains_zero(value)) {
        *sign = arb_is_positive(value) ? 1 : -1;
        lack = LACKS_NOTHING;
    }
    arb_clear(value);
    mag_clear(rest);
    return lack;
}

bool exponential_sign(struct exponentials *powers, exponential_sum_make *make, const void *data,
                      int *sign, struct error *error) {
    enum lack lack = LACKS_BITS;
    while (lack != LACKS_NOTHING) {
        struct exponential_sum sum;
        exponential_sum_open(&sum, powers);
        powers->products = 0;
        bool done = make(powers, data, &sum);
        lack = done ? find_sign(&sum, sign) : lack;
        exponential_sum_close(&sum);
        if (!done && powers->products <= MOST_PRODUCTS)
            return error_set(error, "out of memory");
        powers->bits *= lack == LACKS_BITS ? 2 : 1;
        powers->terms *= lack == LACKS_TERMS ? 2 : 1;
        if (!done || powers->bits > MOST_BITS)
            return error_set(error,
                             "the oracle cannot tell on which side of a number a result lies "
                             "within %d %s; please report it",
                             done ? MOST_BITS : MOST_PRODUCTS,
                             done ? "bits" : "products of powers of e");
    }
    return true;
}
