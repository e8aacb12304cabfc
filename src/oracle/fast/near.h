/* The errors of a strip from a polynomial of few terms around a place near to it. A part of decide.c.
 *
 * A block has cells of DECISION_STRIP inputs, and in a cell few terms of the block's polynomial matter. Cells lie
 * where they lie in the block, whichever inputs are asked for, so that an output has one error in a sweep and in its
 * shards. Let
 *     p = b_0 + b_1 (t - m) + ... + b_D (t - m)^D + (t - m)^(D+1) q(t)
 * around the middle m of the cell, |t - m| <= r. Synthetic division by t - m gives b_0, b_1, ... in turn and
 * leaves the coefficients of q in powers of t; |t| <= 1, so their sizes bound |q|. Let u = 2^-53, and
 * V = |b_1| r + ... + |b_D| r^D. Against the values of Horner's rule (fit.h) these are the differences:
 *
 * - What division rounds. A coefficient a_k reaches b_j in at most 2 (k - j) + j + 1 <= 2k + 1 roundings, and one
 *   more made it a double, so b_j is off by 1.001 u sum (2k + 2) binomial(k, j) |a_k| |m|^(k-j). Times r^j, summed
 *   over all j, that is 1.001 u sum (2k + 2) |a_k| (|m| + r)^k. The block holds the cell: |m| + r <= 1. So it is no
 *   more than the third part of the bound in fit.h, which is what Horner's rule would be off by.
 * - Terms that are left out: r^(D+1) |q|.
 * - Rounding: u (2D + 2) V in the sum of the terms from b_1 on; u (V + 4 ulps) where b_0 is subtracted from the
 *   output, in fp64 after A, which leaves no error there; and u times 3.5 ulps where that sum is subtracted. Those
 *   without V are ROUNDING_MARGIN at most. */
#ifndef DETCHECK_ORACLE_FAST_NEAR_H
#define DETCHECK_ORACLE_FAST_NEAR_H

#include "oracle/fast/measure.h"

enum {
    NEAR_LEAST_TERMS = 3,
    NEAR_MOST_TERMS = 6 /* with more there is no time to win */
};
/* What the last two differences may add to the margin, in ulps: next to nothing. */
#define NEAR_MOST_EXTRA 0x1p-33

/* The polynomial around m. */
struct near_terms {
    int terms;                /* D + 1 */
    int32_t from;             /* the strip's first input, counted from the middle of the cell */
    double b[FIT_MOST_NODES]; /* b_0 .. b_D, and then the coefficients of q */
    double variation, extra;  /* V and what is left out; what is left out and what is rounded */
};

/* Divides what is left of the polynomial by t - m, which gives b_j. */
INLINED void divide_once(double *b, int terms, int j, double m) {
    for (int k = terms - 2; k >= j; k--)
        b[k] = b[k] + m * b[k + 1];
}

/* Takes as few terms as do for inputs within r of m, from b_0 on, which is there already; false where too many are
 * needed. */
INLINED bool find_near_terms(int terms, double m, double r, double most_extra,
                             struct near_terms *near) {
    double power = 1;
    near->variation = 0;
    for (int j = 1; j < NEAR_MOST_TERMS && j < terms; j++) {
        divide_once(near->b, terms, j, m);
        power *= r;
        near->variation += size_of_double(near->b[j]) * power;
        if (j + 1 < NEAR_LEAST_TERMS && j + 1 < terms)
            continue;
        double rest = 0;
        for (int k = j + 1; k < terms; k++)
            rest += size_of_double(near->b[k]);
        rest *= 1.01 * power * r;
        near->extra = rest + 0x1p-53 * 1.01 * (2 * j + 3) * near->variation;
        near->terms = j + 1 < NEAR_LEAST_TERMS ? NEAR_LEAST_TERMS : j + 1;
        if (near->extra <= most_extra) {
            near->variation = 1.01 * near->variation + rest;
            return true;
        }
    }
    return false;
}

/* Output i of fp32 (4 bytes) as a double, or of fp64 (8) times the scale. */
INLINED double output_at(const void *got, int bytes, double scale, size_t i) {
    double value;
    float narrow;
    if (bytes == 4) {
        memcpy(&narrow, (const char *)got + i * sizeof narrow, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&value, (const char *)got + i * sizeof value, sizeof value);
    return value * scale;
}

/* The errors by so many terms, a constant at each call; b_1 and on are in units for a distance in inputs. */
INLINED void measure_by_terms(const double *b, int terms, double base, double units, double scale,
                              const void *got, int bytes, int32_t from, size_t count,
                              int32_t *errors) {
    for (int32_t i = 0; i < (int32_t)count; i++) {
        double d = (double)(from + i), sum = b[terms - 1] * d;
        for (int j = terms - 2; j >= 1; j--)
            sum = (sum + b[j]) * d;
        double value = output_at(got, bytes, scale, (size_t)i);
        double distance = bytes == 8 ? (value - base) - b[0] : value - b[0];
        errors[i] = sure_error(distance * units - sum);
    }
}

/* The terms of a strip in a cell whose values all lie in one binade and 4 ulps inside of it, of a polynomial, and that
 * binade, whose margin grows by what they are off; b_1 and on are in units for a distance in inputs. False elsewhere. */
INLINED bool open_near(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                       size_t at, size_t count, struct near_terms *near, struct binade *binade) {
    const struct polynomial *polynomial = &fit->polynomial;
    if (fit->form != FIT_POLYNOMIAL || polynomial->terms < 2)
        return false;
    size_t cell = at / DECISION_STRIP * DECISION_STRIP, block = (size_t)1 << log2_count;
    size_t radius = (block < DECISION_STRIP ? block : DECISION_STRIP) / 2, middle = cell + radius;
    if (at + count > cell + 2 * radius)
        return false;
    double half = power_of_two(log2_count - 1), step = polynomial->direction / half;
    double m = ((double)middle - half) * step, r = (double)radius / half;
    near->from = (int32_t)at - (int32_t)middle;
    memcpy(near->b, polynomial->coefficients, sizeof near->b);
    divide_once(near->b, polynomial->terms, 0, m);
    double value = polynomial->base + near->b[0];
    if (!find_binade(fit, rules, rules->bytes == 8, value, binade) ||
        !find_near_terms(polynomial->terms, m, r, NEAR_MOST_EXTRA * binade->ulp, near))
        return false;
    /* The sum of A and b_0 is off by an ulp at most. */
    double size = size_of_double(value), reach = near->variation + binade->ulp;
    if (!(size - reach >= binade->least && size + reach <= binade->most))
        return false;
    binade->margin += near->extra * binade->scale;
    double unit = binade->units;
    for (int j = 1; j < NEAR_MOST_TERMS; j++)
        near->b[j] = j < near->terms && j < polynomial->terms ? near->b[j] * (unit *= step) : 0;
    return binade->margin <= DECISION_MOST_MARGIN;
}

/* What measure() does, where open_near knows terms. `bytes` is 8 or 4, a constant at each call. */
INLINED bool measure_near(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                          const void *got, int bytes, size_t at, size_t count, int32_t *errors,
                          double *margin) {
    struct near_terms near;
    struct binade binade;
    if (!open_near(fit, log2_count, rules, at, count, &near, &binade))
        return false;
    *margin = binade.margin;
    double base = fit->polynomial.base, scale = power_of_two(bytes == 8 ? fit->shift : 0);
    switch (near.terms) {
    case 3:
        measure_by_terms(near.b, 3, base, binade.units, scale, got, bytes, near.from, count,
                         errors);
        break;
    case 4:
        measure_by_terms(near.b, 4, base, binade.units, scale, got, bytes, near.from, count,
                         errors);
        break;
    case 5:
        measure_by_terms(near.b, 5, base, binade.units, scale, got, bytes, near.from, count,
                         errors);
        break;
    default:
        measure_by_terms(near.b, NEAR_MOST_TERMS, base, binade.units, scale, got, bytes, near.from,
                         count, errors);
    }
    return true;
}

/* The least distance from a boundary, which is `middle` from a number, both in units: of the sum of the terms from b_1
 * on and `start`, in units from a number. */
INLINED double least_by_terms(const double *b, int terms, double start, double middle, int32_t from,
                              size_t count) {
    /* Adding it rounds to a multiple of an ulp, 2^29 units. */
    const double rounder = 0x1.8p81;
    int64_t least = INT64_MAX; /* as integers, positive doubles are in their order */
    for (int32_t i = 0; i < (int32_t)count; i++) {
        double d = (double)(from + i), sum = b[terms - 1] * d;
        for (int j = terms - 2; j >= 1; j--)
            sum = (sum + b[j]) * d;
        sum += start;
        double distance = middle - size_of_double(sum - ((sum + rounder) - rounder));
        int64_t order = (int64_t)bits_of(size_of_double(distance));
        least = order < least ? order : least;
    }
    return from_bits((uint64_t)least);
}

/* At most the distance of any value of the strip from a boundary that lies `middle` ulps from a number; 0 where
 * open_near knows no terms. Not for fp64. */
INLINED double least_distance(const struct fit *fit, int log2_count,
                              const struct decision_rules *rules, double middle, size_t at,
                              size_t count) {
    struct near_terms near;
    struct binade binade;
    if (!open_near(fit, log2_count, rules, at, count, &near, &binade))
        return 0;
    double ulps = near.b[0] * binade.scale, least;
    double start = (ulps - ((ulps + 0x1.8p52) - 0x1.8p52)) * (binade.units * binade.ulp);
    middle *= 0x1p29;
    switch (near.terms) {
    case 3:
        least = least_by_terms(near.b, 3, start, middle, near.from, count);
        break;
    case 4:
        least = least_by_terms(near.b, 4, start, middle, near.from, count);
        break;
    default:
        least = least_by_terms(near.b, NEAR_MOST_TERMS, start, middle, near.from, count);
    }
    return least * 0x1p-29 - 2 * binade.margin;
}

#endif
