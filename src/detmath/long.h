/* Numbers in fixed point with as many words as a question needs: what decides the rounding of
 * log_sums.h where nothing else does, in integers alone. A unit is 2^-(32 words), the last place.
 */
#ifndef DETMATH_LONG_H
#define DETMATH_LONG_H

#include "core.h"

#include "shield.inc"

enum {
    DETMATH_LONG_INTEGER = 5, /* words above the point, for sums of any floats */
    DETMATH_LONG_FIRST = 6,   /* words below the point, at first; then twice as many, and so on */
    DETMATH_LONG_MOST = 48,
    DETMATH_LONG_ROOM = DETMATH_LONG_MOST + DETMATH_LONG_INTEGER
};

struct detmath_long {
    int words;                           /* below the point */
    detmath_u32 word[DETMATH_LONG_ROOM]; /* the lowest first; negative numbers as complements */
};

/* A number whose bits go on: significand 2^exponent has its first 62, the last of which is 1 and
 * stands for all that follow. */
struct detmath_significand {
    detmath_u64 significand;
    detmath_i32 exponent;
    detmath_u32 negative;
};

DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_of(int words, detmath_u32 integer) {
    struct detmath_long a;
    a.words = words;
    for (int i = 0; i < DETMATH_LONG_ROOM; i++)
        a.word[i] = i == words ? integer : 0;
    return a;
}

/* a += b, or a -= b where subtract is 1. */
DETMATH_WORDS_FUNCTION void detmath_long_add(struct detmath_long *a, const struct detmath_long *b,
                                             detmath_u32 subtract) {
    detmath_u64 carry = subtract;
    for (int i = 0; i < a->words + DETMATH_LONG_INTEGER; i++) {
        carry += (detmath_u64)a->word[i] + (subtract ? ~b->word[i] : b->word[i]);
        a->word[i] = (detmath_u32)carry;
        carry >>= 32;
    }
}

/* a += significand 2^exponent, or -= ; what is below a unit is cut off. significand < 2^53 and the
 * product is below 2^158. */
DETMATH_WORDS_FUNCTION void detmath_long_put(struct detmath_long *a, detmath_u64 significand,
                                             detmath_i32 exponent, detmath_u32 subtract) {
    struct detmath_long term = detmath_long_of(a->words, 0);
    detmath_i32 at = exponent + 32 * a->words;
    for (int i = 0; i < 53; i++, at++)
        if (at >= 0 && at < 32 * (a->words + DETMATH_LONG_INTEGER) && (significand >> i & 1u))
            term.word[at >> 5] |= 1u << (at & 31);
    detmath_long_add(a, &term, subtract);
}

DETMATH_WORDS_FUNCTION int detmath_long_is_negative(const struct detmath_long *a) {
    return (int)(a->word[a->words + DETMATH_LONG_INTEGER - 1] >> 31);
}

DETMATH_WORDS_FUNCTION void detmath_long_negate(struct detmath_long *a) {
    struct detmath_long zero = detmath_long_of(a->words, 0);
    detmath_long_add(&zero, a, 1);
    *a = zero;
}

/* How many words there are up to the highest that is not 0. */
DETMATH_WORDS_FUNCTION int detmath_long_length(const struct detmath_long *a) {
    int length = a->words + DETMATH_LONG_INTEGER;
    while (length > 0 && !a->word[length - 1])
        length--;
    return length;
}

/* a * b for numbers of 0 or more whose product is below 2^159; cut off. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_product(const struct detmath_long *a,
                                                                const struct detmath_long *b) {
    struct detmath_long product = detmath_long_of(a->words, 0);
    detmath_u32 all[2 * DETMATH_LONG_ROOM];
    int length = a->words + DETMATH_LONG_INTEGER;
    int a_length = detmath_long_length(a), b_length = detmath_long_length(b);
    for (int i = 0; i < 2 * length; i++)
        all[i] = 0;
    for (int i = 0; i < a_length; i++) {
        detmath_u64 carry = 0;
        for (int j = 0; j < b_length && a->word[i]; j++) {
            carry += (detmath_u64)a->word[i] * b->word[j] + all[i + j];
            all[i + j] = (detmath_u32)carry;
            carry >>= 32;
        }
        all[i + b_length] = (detmath_u32)carry;
    }
    for (int i = 0; i < length; i++)
        product.word[i] = all[i + a->words];
    return product;
}

/* a / k for a of 0 or more; cut off. */
DETMATH_WORDS_FUNCTION void detmath_long_divide(struct detmath_long *a, detmath_u32 k) {
    detmath_u64 rest = 0;
    for (int i = detmath_long_length(a) - 1; i >= 0; i--) {
        rest = rest << 32 | a->word[i];
        a->word[i] = (detmath_u32)(rest / k);
        rest %= k;
    }
}

/* The place of the highest bit, from the last; -1 of 0. */
DETMATH_WORDS_FUNCTION detmath_i32 detmath_long_top(const struct detmath_long *a) {
    detmath_i32 top = 32 * detmath_long_length(a) - 1;
    while (top >= 0 && !(a->word[top >> 5] >> (top & 31) & 1u))
        top--;
    return top;
}

/* `count` bits from place `at` down; below the last they are 0. */
DETMATH_WORDS_FUNCTION detmath_u64 detmath_long_bits(const struct detmath_long *a, detmath_i32 at,
                                                     int count) {
    detmath_u64 bits = 0;
    for (int i = 0; i < count; i++, at--)
        bits = bits << 1 | (at < 0 ? 0u : a->word[at >> 5] >> (at & 31) & 1u);
    return bits;
}

/* e^-w for w of 0 or more that is off by 2 units at most: within 2^23 units.
 *
 * Where w is beyond what a unit can hold the result is 0. Else w is halved s <= 19 times, so that
 * it is below 2^-8; the series 1 - z (1 - z/2 (1 - z/3 ...)) has truncations of 2 units a step,
 * of which each step leaves 2^-8, and its remainder is below a unit: within 5 units in all. Each of
 * s squarings doubles what is wrong, since the number is at most 1, and adds a unit: within
 * 7 2^19. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_exp(struct detmath_long w) {
    detmath_i32 top = detmath_long_top(&w) - 32 * w.words;
    detmath_u32 s = top < -8 ? 0u : (detmath_u32)(top + 9);
    struct detmath_long one = detmath_long_of(w.words, 1), h = one;
    if (top > 10 || (detmath_i32)w.word[w.words] >= 32 * w.words)
        return detmath_long_of(w.words, 0);
    for (int i = 0; i < w.words + DETMATH_LONG_INTEGER && s; i++) {
        detmath_u64 next = i + 1 < DETMATH_LONG_ROOM ? w.word[i + 1] : 0;
        w.word[i] = (detmath_u32)((next << 32 | w.word[i]) >> s);
    }
    for (detmath_u32 k = 4u * (detmath_u32)w.words; k > 0; k--) {
        struct detmath_long next = one;
        h = detmath_long_product(&w, &h);
        detmath_long_divide(&h, k);
        detmath_long_add(&next, &h, 1);
        h = next;
    }
    for (; s; s--)
        h = detmath_long_product(&h, &h);
    return h;
}

/* ln(1 + a) for 0 <= a < 2^-14 that is off by e units: within e + 4. The series a (1 - a (1/2 - a
 * (1/3 ...))) has truncations of 2 units a step, of which each step leaves 2^-14. */
DETMATH_WORDS_FUNCTION struct detmath_long detmath_long_log1p(const struct detmath_long *a) {
    struct detmath_long h = detmath_long_of(a->words, 0);
    for (detmath_u32 k = 3u * (detmath_u32)a->words; k > 0; k--) {
        struct detmath_long next = detmath_long_of(a->words, 1), term = detmath_long_product(a, &h);
        detmath_long_divide(&next, k);
        detmath_long_add(&next, &term, 1);
        h = next;
    }
    return detmath_long_product(a, &h);
}

/* The first bits of what lies between two numbers of one sign, low <= high, neither of which it is;
 * 0 where they differ. What is below 2^tiny counts as if it were just that. */
DETMATH_WORDS_FUNCTION int detmath_long_between(struct detmath_long low, struct detmath_long high,
                                                detmath_i32 tiny,
                                                struct detmath_significand *between) {
    between->negative = (detmath_u32)detmath_long_is_negative(&low);
    if (between->negative) {
        struct detmath_long swap = low;
        low = high;
        high = swap;
        detmath_long_negate(&low);
        detmath_long_negate(&high);
    }
    if (detmath_long_is_negative(&low))
        return 0;
    detmath_i32 top = detmath_long_top(&high), unit = -32 * high.words;
    if (top + unit < tiny) {
        between->significand = ((detmath_u64)1 << 61) | 1u;
        between->exponent = tiny - 61;
        return 1;
    }
    detmath_u64 bits = detmath_long_bits(&high, top, 61);
    between->significand = bits << 1 | 1u;
    between->exponent = top + unit - 61;
    return detmath_long_top(&low) == top && detmath_long_bits(&low, top, 61) == bits;
}

/* The code of that number in a format of up to 53 bits, rounded to nearest; without the sign, and
 * beyond the largest number where it overflows. */
DETMATH_WORDS_FUNCTION detmath_u64 detmath_significand_round(const struct detmath_significand *x,
                                                             detmath_i32 precision,
                                                             detmath_i32 emin) {
    detmath_i32 exponent = x->exponent + 61, below = exponent < emin ? emin - exponent : 0;
    detmath_i32 drop = 62 - precision + below;
    if (drop > 62)
        return 0;
    detmath_u64 middle = (detmath_u64)1 << (drop - 1); /* no tie: the last bit stands for more */
    detmath_u64 kept = (x->significand + middle) >> drop;
    return kept + ((detmath_u64)(below ? 0 : exponent - emin) << (precision - 1));
}

#include "shield_end.inc"

#endif
