/* Sums of powers of e in fixed point of 192 bits below the point, by words of 64 bits and tables
 * that are made when they are first needed: some 200 times as fast as long.h, whose numbers of six
 * words they agree with. A unit is 2^-192. */
#ifndef DETMATH_LONG_FIXED_H
#define DETMATH_LONG_FIXED_H

#include "fma.h"
#include "long_real.h"

#include "shield.inc"

enum { DETMATH_FIXED_WHOLE = 134 }; /* e^-134 is below a unit */

/* Below the point, the lowest first; 1 is all ones, a unit less. */
struct detmath_fraction {
    detmath_u64 word[3];
};

/* The same with 64 bits above the point; negative numbers as complements. */
struct detmath_long_fixed {
    detmath_u64 word[4];
};

/* e^-i, e^-(i 2^-6), e^-(i 2^-12), e^-(i 2^-18). */
struct detmath_long_fixed_table {
    int is_there;
    struct detmath_fraction whole[DETMATH_FIXED_WHOLE], part[3][64];
};

/* a += x, with what is carried into the word above. */
DETMATH_FUNCTION void detmath_carry_into(detmath_u64 *a, detmath_u64 x, detmath_u64 *above) {
    *a += x;
    *above += *a < x;
}

/* a * b less than 6 units cut off: of the nine products of words the lowest three, and the lower
 * halves of the next three, are left out. */
DETMATH_FUNCTION struct detmath_fraction
detmath_fraction_product(const struct detmath_fraction *a, const struct detmath_fraction *b) {
    struct detmath_wide top = detmath_wide_product(a->word[2], b->word[2]);
    struct detmath_wide one = detmath_wide_product(a->word[2], b->word[1]);
    struct detmath_wide two = detmath_wide_product(a->word[1], b->word[2]);
    struct detmath_fraction y = {{0, top.low, top.high}};
    detmath_u64 carry = 0, middle = 0;
    y.word[0] = one.low;
    detmath_carry_into(&y.word[0], two.low, &middle);
    detmath_carry_into(&y.word[0], detmath_wide_product(a->word[2], b->word[0]).high, &middle);
    detmath_carry_into(&y.word[0], detmath_wide_product(a->word[1], b->word[1]).high, &middle);
    detmath_carry_into(&y.word[0], detmath_wide_product(a->word[0], b->word[2]).high, &middle);
    detmath_carry_into(&y.word[1], middle, &carry);
    detmath_carry_into(&y.word[1], one.high, &carry);
    detmath_carry_into(&y.word[1], two.high, &carry);
    y.word[2] += carry;
    return y;
}

/* c - r a 2^-18, where c has so much. */
DETMATH_FUNCTION struct detmath_fraction detmath_fraction_step(struct detmath_fraction c,
                                                               const struct detmath_fraction *r,
                                                               const struct detmath_fraction *a) {
    struct detmath_fraction p = detmath_fraction_product(r, a);
    detmath_u64 low = p.word[1] << 46 | p.word[0] >> 18, middle = p.word[2] << 46 | p.word[1] >> 18;
    detmath_u64 borrow = c.word[0] < low, next = c.word[1] < middle;
    c.word[0] -= low;
    next += c.word[1] - middle < borrow && c.word[1] >= middle;
    c.word[1] -= middle + borrow;
    c.word[2] -= (p.word[2] >> 18) + next;
    return c;
}

/* The same with what is below the first two words left out. */
DETMATH_FUNCTION struct detmath_wide
detmath_wide_step(struct detmath_wide c, const struct detmath_fraction *r, struct detmath_wide a) {
    struct detmath_wide p = detmath_wide_product(r->word[2], a.high);
    detmath_u64 carry = 0;
    detmath_carry_into(&p.low, detmath_wide_product(r->word[2], a.low).high, &carry);
    detmath_carry_into(&p.low, detmath_wide_product(r->word[1], a.high).high, &carry);
    p.high += carry;
    detmath_u64 low = p.high << 46 | p.low >> 18, borrow = c.low < low;
    c.low -= low;
    c.high -= (p.high >> 18) + borrow;
    return c;
}

/* e^-(r 2^-18) for r below 1, within 4 units. The series goes on to the ninth power, and a tenth is
 * below a unit; what each step adds is divided by 2^18 in all that follow. The first terms need one
 * word, those of the fourth to the seventh power two, which lose 2^-125 of 2^-72; the last three
 * lose 6 units 2^-18 each, and two for 1. */
DETMATH_FUNCTION struct detmath_fraction detmath_fraction_series(const struct detmath_fraction *r) {
    const detmath_u64 ones = ~(detmath_u64)0;
    const detmath_u64 third = 0xaaaaaaaaaaaaaaaau;
    detmath_u64 last = detmath_wide_product(r->word[2], ones / 362880u).high;
    struct detmath_wide a = {ones / 40320u - (last >> 18), 0};
    struct detmath_wide seventh = {0x000d00d00d00d00du, 0x00d00d00d00d00d0u};
    struct detmath_wide sixth = {0x005b05b05b05b05bu, 0x05b05b05b05b05b0u};
    struct detmath_wide fifth = {0x0222222222222222u, 0x2222222222222222u};
    struct detmath_wide fourth = {0x0aaaaaaaaaaaaaaau, third};
    a = detmath_wide_step(seventh, r, a);
    a = detmath_wide_step(sixth, r, a);
    a = detmath_wide_step(fifth, r, a);
    a = detmath_wide_step(fourth, r, a);
    struct detmath_fraction b = {{0, a.low, a.high}}, cubed = {{third, third, third >> 2}};
    struct detmath_fraction one_half = {{0, 0, (detmath_u64)1 << 63}}, one = {{ones, ones, ones}};
    b = detmath_fraction_step(cubed, r, &b);
    b = detmath_fraction_step(one_half, r, &b);
    b = detmath_fraction_step(one, r, &b);
    return detmath_fraction_step(one, r, &b);
}

/* Each row is a product of the one before and the first: off by e for the first, e + 6 more for
 * each that follows. The first of the finest is the square of e^-(2^-19), off by 4: 14. The first
 * of the next is the 64th: 20 * 64, 1286 * 64 and 82310 * 64, which is below 2^22.4; so is all of
 * whole[], since each of it is below half of the one before. */
DETMATH_SELDOM_FUNCTION void detmath_long_fixed_make(struct detmath_long_fixed_table *table) {
    struct detmath_fraction one_half = {{0, 0, (detmath_u64)1 << 63}}, one = {{0, 0, 0}}, first;
    for (int i = 0; i < 3; i++)
        one.word[i] = ~(detmath_u64)0;
    first = detmath_fraction_series(&one_half);
    first = detmath_fraction_product(&first, &first);
    for (int kind = 3; kind >= 0; kind--) {
        struct detmath_fraction *row = kind ? table->part[kind - 1] : table->whole;
        row[0] = one;
        row[1] = first;
        for (int i = 2; i < (kind ? 64 : DETMATH_FIXED_WHOLE); i++)
            row[i] = detmath_fraction_product(&row[i - 1], &first);
        first = detmath_fraction_product(&row[63], &first);
    }
    table->is_there = 1;
}

/* e^-w for w of 0 or more that is off by 2 units at most, within 2^23 units: rows are off by
 * 2^22.4, 0.37 63 82310 (or all of that where w is below 1), 63 1286 and 63 20, the series by 4,
 * the products by 24. */
DETMATH_FUNCTION struct detmath_fraction
detmath_long_fixed_exp(const struct detmath_long_fixed_table *table,
                       const struct detmath_long_fixed *w) {
    struct detmath_fraction y = {{0, 0, 0}}, r;
    if (w->word[3] >= DETMATH_FIXED_WHOLE)
        return y;
    r.word[2] = w->word[2] << 18 | w->word[1] >> 46;
    r.word[1] = w->word[1] << 18 | w->word[0] >> 46;
    r.word[0] = w->word[0] << 18;
    /* The products of rows do not wait for the series, nor two of them for each other. */
    struct detmath_fraction fine = detmath_fraction_product(
        &table->part[2][w->word[2] >> 46 & 63u], &table->part[1][w->word[2] >> 52 & 63u]);
    struct detmath_fraction coarse =
        detmath_fraction_product(&table->part[0][w->word[2] >> 58], &table->whole[w->word[3]]);
    struct detmath_fraction rows = detmath_fraction_product(&fine, &coarse);
    y = detmath_fraction_series(&r);
    return detmath_fraction_product(&y, &rows);
}

/* a += b, or a -= b where subtract is 1. */
DETMATH_FUNCTION void detmath_long_fixed_add(struct detmath_long_fixed *a,
                                             const struct detmath_long_fixed *b,
                                             detmath_u64 subtract) {
    detmath_u64 carry = subtract;
    for (int i = 0; i < 4; i++) {
        detmath_u64 term = subtract ? ~b->word[i] : b->word[i], next = 0;
        detmath_carry_into(&a->word[i], term, &next);
        detmath_carry_into(&a->word[i], carry, &next);
        carry = next;
    }
}

/* x with what is below a unit cut off, for |x| < 2^63. */
DETMATH_FUNCTION struct detmath_long_fixed detmath_long_fixed_of(detmath_real x) {
    struct detmath_long_fixed y = {{0, 0, 0, 0}}, zero = y;
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 significand = detmath_real_parts(x, &exponent, &negative);
    detmath_i32 at = exponent + 192;
    if (at < 0) {
        significand = at > -64 ? significand >> -at : 0;
        at = 0;
    }
    y.word[at >> 6] = significand << (at & 63);
    if ((at & 63) && at < 192)
        y.word[(at >> 6) + 1] = significand >> (64 - (at & 63));
    if (negative) {
        detmath_long_fixed_add(&zero, &y, 1);
        return zero;
    }
    return y;
}

/* a * b, off by b's error times a, and less than 7 units. */
DETMATH_FUNCTION struct detmath_long_fixed
detmath_long_fixed_product(const struct detmath_long_fixed *a, const struct detmath_fraction *b) {
    struct detmath_fraction low = {{a->word[0], a->word[1], a->word[2]}};
    low = detmath_fraction_product(&low, b);
    struct detmath_long_fixed y = {{low.word[0], low.word[1], low.word[2], 0}};
    for (int i = 0; i < 3; i++) {
        struct detmath_wide p = detmath_wide_product(a->word[3], b->word[i]);
        struct detmath_long_fixed term = {{0, 0, 0, 0}};
        term.word[i] = p.low;
        term.word[i + 1] = p.high;
        detmath_long_fixed_add(&y, &term, 0);
    }
    return y;
}

#include "shield_end.inc"

#endif
