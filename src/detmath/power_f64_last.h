/* The last phase of pow, powr, pown, rootn and compoundn in fp64, in integers: x^y for an x above 0 and a y that is not 0, both
 * finite; and x^(1/y) and (1 + x)^y, for an x above -1, with a whole y.
 *
 * Where rounding changes lie numbers of at most 54 bits, times powers of two. x = m 2^e and |y| = n 2^f with odd m and n. x^y is
 * such a number only if m is 1 and e y is whole; or y is above 0, m^(2^f) is whole, for which x must be a square, f times one
 * after another where f is negative, and its n-th power has 54 bits, which 3^35 has not (C. Lauter and V. Lefevre, An efficient
 * rounding boundary test for pow(x, y) in double precision, 2009). These are computed exactly. (1 + x)^y is the same of 1 + x,
 * whose m may have more than 54 bits: then no power but the 0th is such a number. x^(1/y) is one only if x is its y-th power; then
 * it has no more bits than x, and is what det has found, whose power is formed.
 *
 * All others lie between two of them, and fixed point of 320 bits (long.h) says between which, or of twice as many. From 2^123
 * pairs one within 2^-177 of itself is to be expected, and one within 2^-197 with a probability of 2^-20; 320 bits know powers
 * to 2^-214, 1280 bits to 2^-1174, and no pair is known that needs more than the first. */
#ifndef DETMATH_POWER_F64_LAST_H
#define DETMATH_POWER_F64_LAST_H

#include "core_f64.h"
#include "long_real.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

enum { DETMATH_LAST_WORDS = 10, DETMATH_LAST_MOST = 40 };

/* odd 2^exponent of a number that is not 0 and finite; without its sign. */
struct detmath_odd {
    detmath_u64 odd;
    detmath_i32 exponent;
};

DETMATH_FUNCTION struct detmath_odd detmath_odd_of(double x) {
    struct detmath_odd parts;
    detmath_u32 negative;
    parts.odd = detmath_real_parts(x, &parts.exponent, &negative);
    for (; !(parts.odd & 1u); parts.exponent++)
        parts.odd >>= 1;
    return parts;
}

/* odd 2^exponent, for an odd below 2^63, rounded to nearest-even. */
DETMATH_FUNCTION double detmath_odd_round(struct detmath_odd x) {
    detmath_i32 drop = -1074 - x.exponent, top = 0;
    while (x.odd >> top > 1u)
        top++;
    drop = drop > top - 52 ? drop : top - 52;
    if (drop > 63)
        return 0.0;
    detmath_u64 kept = drop < 0 ? x.odd << -drop : x.odd >> drop;
    if (drop > 0) {
        detmath_u64 middle = (detmath_u64)1 << (drop - 1);
        detmath_u64 cut = x.odd & (middle | (middle - 1u));
        kept += cut > middle || (cut == middle && (kept & 1u));
    }
    detmath_i32 place = x.exponent + drop + 1074;
    detmath_u64 bits = kept + ((detmath_u64)place << 52);
    return detmath_from_bits_f64(
        place > 2046 || bits > DETMATH_INFINITY_BITS_F64 ? DETMATH_INFINITY_BITS_F64 : bits);
}

/* The root where x is a square; 0 of others. */
DETMATH_FUNCTION detmath_u64 detmath_whole_root(detmath_u64 x) {
    detmath_u64 root = 0;
    for (detmath_u64 bit = (detmath_u64)1 << 31; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= x)
            root |= bit;
    return root * root == x ? root : 0;
}

/* Whether base^y, of a magnitude from 2^-1100 to 2^1100, is a number of at most 63 bits times a power of two. */
DETMATH_FUNCTION int detmath_pow_is_exact(struct detmath_odd base, double y,
                                          struct detmath_odd *power) {
    struct detmath_odd by = detmath_odd_of(y);
    if (base.odd > 1u && (y < 0.0 || by.exponent > 5 || by.exponent < -5))
        return 0;
    for (; by.exponent < 0 && base.exponent; by.exponent++) {
        base.odd = detmath_whole_root(base.odd);
        if (!base.odd || base.exponent % 2 != 0)
            return 0;
        base.exponent /= 2;
    }
    for (; by.exponent < 0; by.exponent++) {
        base.odd = detmath_whole_root(base.odd);
        if (!base.odd)
            return 0;
    }
    if (base.odd > 1u && by.odd << by.exponent > 40u)
        return 0;
    power->odd = 1;
    power->exponent = base.exponent * (detmath_i32)(by.odd << by.exponent);
    if (y < 0.0)
        power->exponent = -power->exponent;
    if (base.odd == 1u)
        return 1;
    for (detmath_u64 i = by.odd << by.exponent; i; i--) {
        struct detmath_wide product = detmath_wide_product(power->odd, base.odd);
        if (product.high || product.low >> 63)
            return 0;
        power->odd = product.low;
    }
    return 1;
}

/* 1 + x as such, or 0 where it has more than 62 bits; x is above -1 and not 0. */
DETMATH_FUNCTION struct detmath_odd detmath_odd_next(double x) {
    struct detmath_odd parts = detmath_odd_of(x), none = {0, 0};
    detmath_i32 up = parts.exponent > 0 ? parts.exponent : 0, down = up - parts.exponent;
    if (down > 61 || up > 61 || parts.odd >> (62 - up))
        return none;
    detmath_u64 one = (detmath_u64)1 << down, part = parts.odd << up;
    parts.odd = x < 0.0 ? one - part : one + part;
    parts.exponent = -down;
    for (; !(parts.odd & 1u); parts.exponent++)
        parts.odd >>= 1;
    return parts;
}

/* Whether x = z^|y|, or 1 over that for a y below 0; x and z are above 0, and 1 over z is z^-1. */
DETMATH_FUNCTION int detmath_root_is_exact(double x, double y, double z) {
    struct detmath_odd base = detmath_odd_of(z), of = detmath_odd_of(x), power;
    double wanted = detmath_product((double)base.exponent, y);
    if (of.odd == 1u || y < 0.0)
        return of.odd == 1u && base.odd == 1u && wanted == (double)of.exponent;
    return wanted == (double)of.exponent && base.odd > 1u && y < 54.0 &&
           detmath_pow_is_exact(base, y, &power) && power.odd == of.odd;
}

DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_times(const struct detmath_long *a,
                                                              detmath_i32 whole) {
    struct detmath_long factor = detmath_long_of(a->words, (detmath_u32)whole);
    return detmath_long_product(a, &factor);
}

enum detmath_pow_kind { DETMATH_POW, DETMATH_ROOT, DETMATH_COMPOUND };

/* |ln x|, or of 1 + x where next is 1, within 2^37 units; *negative is 1 below 1. */
DETMATH_WORDS_FUNCTION struct detmath_long
detmath_last_ln_of(double x, int next, const struct detmath_long *ln2, detmath_u32 *negative) {
    detmath_i32 exponent;
    detmath_u32 below;
    detmath_u64 significand = detmath_real_parts(x, &exponent, &below);
    double sum = next ? 1.0 + x : x, part = sum - x;
    double lost = next ? (x - (sum - part)) + (1.0 - part) : 0.0;
    detmath_i32 k, top = 0;
    detmath_u64 first = detmath_real_parts(sum, &k, negative);
    while (first >> top > 1u)
        top++;
    k += top;
    if (lost < 0.0 && first == (detmath_u64)1 << top)
        k--; /* 1 + x was rounded up */
    struct detmath_long s = detmath_long_of(ln2->words, 0);
    if (next)
        detmath_long_put(&s, 1, -k, 0);
    detmath_long_put(&s, significand, exponent - k, below);
    struct detmath_long rest = detmath_long_ln(&s);
    struct detmath_long all = detmath_long_times(ln2, k < 0 ? -k : k);
    *negative = k < 0;
    detmath_long_add(&all, &rest, *negative);
    return all;
}

/* |y|, or 1 over that, a unit less at most, for a whole y of less than 2^64. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_last_factor(double y, enum detmath_pow_kind kind,
                                                               int words) {
    struct detmath_long factor = detmath_long_of(words, 0);
    detmath_i32 exponent;
    detmath_u32 negative;
    detmath_u64 significand = detmath_real_parts(y, &exponent, &negative), rest = 1;
    if (kind != DETMATH_ROOT) {
        detmath_long_put(&factor, significand, exponent, 0);
        return factor;
    }
    detmath_u64 divisor = exponent < 0 ? significand >> -exponent : significand << exponent;
    if (divisor == 1u)
        return detmath_long_of(words, 1);
    for (int i = 32 * words - 1; i >= 0; i--) { /* rest is below the divisor, and so below 2^63 */
        rest <<= 1;
        factor.word[i >> 5] |= (detmath_u32)(rest >= divisor) << (i & 31);
        rest -= rest >= divisor ? divisor : 0;
    }
    return factor;
}

/* The power as 2^*n times something from 1/16 to 1, which is within 2^102 units: the logarithm times |y| is below 2^10 ln 2, and
 * |y| below 2^64. `near` is the exponent of 2, nearly. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_last_pow_in(double x, double y, double near,
                                                               enum detmath_pow_kind kind,
                                                               int words, detmath_i32 *n) {
    struct detmath_long two = detmath_long_of(words, 2), ln2 = detmath_long_ln(&two);
    struct detmath_long factor = detmath_last_factor(y, kind, words);
    detmath_u32 negative;
    struct detmath_long w = detmath_last_ln_of(x, kind == DETMATH_COMPOUND, &ln2, &negative);
    w = detmath_long_product(&w, &factor);
    if (negative != (y < 0.0 ? 1u : 0u)) { /* e^-w = 2^-n e^-(w - n ln 2) */
        detmath_i32 whole = near < -1.0 ? (detmath_i32)-near - 1 : 0;
        struct detmath_long part = detmath_long_times(&ln2, whole);
        detmath_long_add(&w, &part, 1);
        *n = -whole;
        return detmath_long_exp(w);
    }
    struct detmath_long part = detmath_long_times(&ln2, (detmath_i32)near + 2);
    detmath_long_add(&part, &w, 1);
    *n = (detmath_i32)near + 2;
    return detmath_long_exp(part);
}

/* Whether that power is a number of at most 63 bits times a power of two; `root` is what a root is if it is one. */
DETMATH_FUNCTION int detmath_last_is_exact(double x, double y, double root,
                                           enum detmath_pow_kind kind, struct detmath_odd *power) {
    if (kind == DETMATH_ROOT) {
        *power = detmath_odd_of(root);
        return detmath_root_is_exact(x, y, root);
    }
    struct detmath_odd base = kind == DETMATH_COMPOUND ? detmath_odd_next(x) : detmath_odd_of(x);
    return base.odd && detmath_pow_is_exact(base, y, power);
}

/* x^y, x^(1/y) or (1 + x)^y, correctly rounded. `near` is its logarithm to base 2 within 2^-40 of itself. */
DETMATH_SELDOM_FUNCTION double detmath_last_pow_of(double x, double y, double near, double root,
                                                   enum detmath_pow_kind kind) {
    struct detmath_odd exact;
    struct detmath_significand between = {0, 0, 0};
    if (!(detmath_magnitude_f64(near) >= 0x1p-55))
        return 1.0;
    if (near > 1030.0)
        return detmath_from_bits_f64(DETMATH_INFINITY_BITS_F64);
    if (near < -1080.0)
        return 0.0;
    if (detmath_last_is_exact(x, y, root, kind, &exact))
        return detmath_odd_round(exact);
    for (int words = DETMATH_LAST_WORDS, known = 0; words <= DETMATH_LAST_MOST && !known;
         words *= 2) {
        detmath_i32 n;
        struct detmath_long low = detmath_last_pow_in(x, y, near, kind, words, &n), high = low;
        detmath_long_put(&low, 1, 103 - 32 * words, 1);
        detmath_long_put(&high, 1, 103 - 32 * words, 0);
        known = detmath_long_between(low, high, -64, &between);
        between.exponent += n;
    }
    detmath_u64 bits = detmath_significand_round(&between, 53, -1022);
    return detmath_from_bits_f64(bits > DETMATH_INFINITY_BITS_F64 ? DETMATH_INFINITY_BITS_F64
                                                                  : bits);
}

#endif

#include "shield_end.inc"

#endif
