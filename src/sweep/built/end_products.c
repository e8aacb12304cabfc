/* Products next to a power of two: a b = 2^n + end + rest, where the end is next to which rounding changes, and the rest is small.
 *
 * No algebra gives two such factors, but each integer has a divisor in a given binade two times in three. So all integers near an
 * end are sieved by small primes. Where these make up a divisor whose cofactor is as short as a significand, both are operands.
 * In fp64 that is so for about one integer in a hundred. */
#include "sweep/built/solver.h"

#include <gmp.h>
#include <stdlib.h>

enum { REACH = 1 << 13, MOST_PRIMES = 24, PRIMES_BELOW = 1 << 16, MOST_PAIRS = 1 << 9 };

/* In quarters of an ulp of the binade above the power, or of the one below: the numbers and midpoints next to it. */
static const struct {
    int quarters;
    bool is_below;
} ends[PRODUCT_ENDS] = {{-2, true}, {2, false}, {-4, true}, {4, false}, {-6, true}, {6, false}};

struct sieved {
    unsigned count;
    uint16_t primes[MOST_PRIMES];
};

/* The k-th of 0, 1, -1, 2, -2, ... */
static long rest_at(long k) {
    return k & 1 ? (k + 1) / 2 : -(k / 2);
}

/* Puts each prime, as often as it divides them, to the integers from `first` on. */
static void sieve(struct sieved *numbers, unsigned long count, mpz_srcptr first) {
    for (unsigned long prime = 2; prime < PRIMES_BELOW; prime++) {
        bool is_prime = prime % 2 || prime == 2;
        for (unsigned long factor = 3; is_prime && factor * factor <= prime; factor += 2)
            is_prime = prime % factor != 0;
        for (unsigned long power = prime; is_prime && power < PRIMES_BELOW; power *= prime) {
            const unsigned long past = mpz_fdiv_ui(first, power);
            for (unsigned long at = past ? power - past : 0; at < count; at += power)
                if (numbers[at].count < MOST_PRIMES)
                    numbers[at].primes[numbers[at].count++] = (uint16_t)prime;
        }
    }
}

/* A divisor in [least, most] that is `divisor` times some of the primes before `count`; 0 where none is found in so many steps. */
static uint64_t divisor_within(const struct sieved *number, unsigned count, uint64_t divisor,
                               uint64_t least, uint64_t most, int *steps) {
    if (divisor >= least)
        return divisor;
    for (unsigned at = count; at > 0 && --*steps > 0; at--) {
        const uint64_t prime = number->primes[at - 1];
        if (divisor > most / prime)
            continue;
        const uint64_t found = divisor_within(number, at - 1, divisor * prime, least, most, steps);
        if (found)
            return found;
    }
    return 0;
}

/* The factors of 2 bits - 1 bits next to one end, from the nearest on. */
static void find_pairs(struct end_products *end, struct sieved *numbers, mpz_srcptr first,
                       long reach, int bits) {
    mpz_t number, other;
    mpz_inits(number, other, NULL);
    for (long k = 0; k <= 2 * reach && end->count < MOST_PAIRS; k++) {
        const long at = reach + rest_at(k);
        int steps = 1 << 12;
        mpz_add_ui(number, first, (unsigned long)at);
        mpz_tdiv_q_2exp(other, number, (mp_bitcnt_t)bits);
        const uint64_t a = divisor_within(&numbers[at], numbers[at].count, 1, mpz_get_ui(other) + 1,
                                          low_bits(bits), &steps);
        if (!a)
            continue;
        mpz_divexact_ui(other, number, a);
        end->pairs[end->count][0] = a;
        end->pairs[end->count++][1] = mpz_get_ui(other);
    }
    mpz_clears(number, other, NULL);
}

/* Fills one end: operands of `bits` bits each, results of `kept`. */
static void find_end(struct end_products *end, int which, int bits, int kept) {
    const int power = 2 * bits - 1, quarter = power - kept + !ends[which].is_below - 2;
    const long reach = quarter < 1 ? 0 : quarter < 14 ? (1L << quarter) / 2 : REACH;
    struct sieved *numbers = calloc((size_t)(2 * reach + 1), sizeof *numbers);
    mpz_t first, distance;
    end->is_sought = true;
    end->pairs = calloc(MOST_PAIRS, sizeof *end->pairs);
    if (numbers && end->pairs && quarter >= 0) {
        mpz_inits(first, distance, NULL);
        mpz_setbit(first, (mp_bitcnt_t)power);
        mpz_set_si(distance, ends[which].quarters);
        mpz_mul_2exp(distance, distance, (mp_bitcnt_t)quarter);
        mpz_add(first, first, distance);
        mpz_sub_ui(first, first, (unsigned long)reach);
        sieve(numbers, (unsigned long)(2 * reach + 1), first);
        find_pairs(end, numbers, first, reach, bits);
        mpz_clears(first, distance, NULL);
    }
    free(numbers);
}

/* Factors whose product lies next to an end, a midpoint or a number; NULL where what was drawn has none. */
static const uint64_t *draw_sieved_product(struct builder *builder, bool midpoint) {
    const int which = (int)draw_under(builder, PRODUCT_ENDS);
    struct end_products *end = &builder->end_products[which];
    if ((ends[which].quarters % 4 != 0) != midpoint)
        return NULL;
    if (!end->is_sought)
        find_end(end, which, builder->request.format->precision,
                 builder->request.results->precision);
    if (!end->count)
        return NULL;
    /* As many of any order of magnitude: the nearest come first. */
    const uint64_t among = UINT64_C(1) << draw_between(builder, 0, bit_length(end->count));
    return end->pairs[draw_under(builder, among < end->count ? among : end->count)];
}

bool set_end_product(struct builder *builder, bool midpoint) {
    const struct format *format = builder->request.results;
    const uint64_t *pair = draw_one_of(builder, 2) ? draw_hardest_product(builder, midpoint) : NULL;
    pair = pair ? pair : draw_sieved_product(builder, midpoint);
    if (!pair)
        return false;
    const struct wide product = wide_product(pair[0], pair[1]);
    const int length = wide_bit_length(product);
    /* Below a power of two the first bits are ones. */
    const bool below = wide_shift_right(product, (unsigned)length - 2).low & 1;
    const int exponent = draw_one_of(builder, 2) ? (below ? format->emax : format->emin)
                                                 : draw_exponent(builder, format);
    int exponents[2];
    if (exponent < format->emin ||
        !draw_exponents(builder, exponent - length + 1,
                        (int[]){bit_length(pair[0]), bit_length(pair[1])}, exponents))
        return false;
    const int swapped = draw_one_of(builder, 2);
    return set_operand(builder, swapped, draw_sign(builder), pair[0], exponents[0]) &&
           set_operand(builder, !swapped, draw_sign(builder), pair[1], exponents[1]);
}

bool solve_end_product(struct builder *builder) {
    const bool midpoint = draw_is_midpoint(builder);
    return set_end_product(builder, midpoint) && aim_at_result(builder, midpoint);
}
