/* The errors of a strip, in units. A part of decide.c. */
#ifndef DETCHECK_ORACLE_FAST_MEASURE_H
#define DETCHECK_ORACLE_FAST_MEASURE_H

#include "oracle/fast/evaluate_arithmetic.h"

/* Errors from here on, in ulps, are never sure. */
#define LARGE_ERROR 3.5
/* got - p, times a power of two, is rounded once, and in fp64 where the tail is subtracted once
 * more: each is below 2^-51.1 for such errors. Cutting it to units adds one of those. */
#define ROUNDING_MARGIN 0x1p-50
/* The reciprocal of an ulp of fp64 is a double from this biased exponent on. */
enum { LEAST_SCALED = 53 };
/* From this one to that one the reciprocal in units is one as well. */
enum { LEAST_QUICK = LEAST_SCALED + DECISION_UNITS_LOG2, MOST_QUICK = 2045 };

/* A number in the binade of |y|, if y lies by `reach` farther in than p + tail. |tail| is half a last
 * place of p at most, so only a tail that points inwards from a power of two can lead out of its
 * binade. Then the number before p is returned; from any other p the product leads to a number of
 * the same binade. With a bound for the reach it is the least that |y| can be, and with a negative
 * one the most. */
INLINED double size_within(double p, double tail, double reach) {
    double outward = from_bits(bits_of(tail) ^ (bits_of(p) & SIGN_BIT));
    return size_of_double(p) * (outward < reach ? 1 - 0x1p-53 : 1);
}

/* The signed errors in units; the largest margin among the sure ones, in ulps. `tail` as in
 * find_values. */
INLINED double measure(const struct fit *fit, const struct decision_rules *rules, const double *p,
                       const double *tail, const double *got, size_t count, int32_t *errors) {
    double fixed = fit->bound, relative = fit->relative;
    double surely_finite = rules->surely_finite * (tail ? power_of_two(fit->shift) : 1);
    /* A shift downwards brings no subnormal result: it is for large ones. */
    int shift = tail ? fit->shift : 0, lowest = rules->least_exponent + shift;
    uint64_t least = lowest > 0 ? (uint64_t)lowest : 0;
    uint64_t ulp_scale = 1023 + 1023 + (uint64_t)rules->precision - 1;
    uint64_t orient = rules->toward_zero ? SIGN_BIT : 0;
    /* The bits of positive doubles are in the order of their values. */
    int64_t widest = 0;
    double units[DECISION_STRIP];
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(p[i]), got_bits = bits_of(got[i]);
        double magnitude = from_bits(bits & ~SIGN_BIT), bound = fixed + relative * magnitude;
        double most = tail ? size_within(p[i], tail[i], -bound) : magnitude + bound;
        double smallest = tail ? size_within(p[i], tail[i], bound) : magnitude - bound;
        uint64_t above = bits_of(most) >> 52, below = bits_of(smallest) >> 52;
        above = above > least ? above : least;
        below = below > least ? below : least;
        double scale = from_bits((ulp_scale - above) << 52);
        double distance = tail ? (got[i] - p[i]) - tail[i] : got[i] - p[i];
        double quotient = distance * scale;
        double size = from_bits(bits_of(quotient) & ~SIGN_BIT);
        double margin = bound * scale + ROUNDING_MARGIN;
        /* Just above a power of two the number below the power is less than an ulp away, and no
         * neighbour: in a lower binade than y an error says less. */
        uint64_t binade = (got_bits & ~SIGN_BIT) >> 52;
        binade = binade > least ? binade : least;
        bool sure = (above == below) & (magnitude < surely_finite) & (binade >= above) &
                    ((bits ^ got_bits) < SIGN_BIT) & (size < LARGE_ERROR) &
                    (margin <= DECISION_MOST_MARGIN) & (tail ? magnitude > 2 * bound : true);
        double oriented = from_bits(bits_of(quotient) ^ (bits & orient)) * 0x1p29;
        units[i] = sure ? oriented : (double)DECISION_UNSURE;
        int64_t order = (int64_t)bits_of(margin);
        order = sure ? order : 0;
        widest = order > widest ? order : widest;
    }
    for (size_t i = 0; i < count; i++)
        errors[i] = (int32_t)units[i];
    return from_bits((uint64_t)widest);
}

/* A binade, where one ulp is that of all values, and one margin. */
struct binade {
    double ulp, scale;  /* and 1 over it */
    double least, most; /* sizes of values that lie 4 ulps inside */
    double units;       /* what a distance is multiplied by, for its error in units */
    double margin;      /* of errors, in ulps */
};

/* The binade of a value. False where measure() alone knows: the bound has to be the same for all, and the margin
 * such that errors can be sure. */
INLINED bool find_binade(const struct fit *fit, const struct decision_rules *rules, bool wide,
                         double value, struct binade *found) {
    int shift = wide ? fit->shift : 0, lowest = rules->least_exponent + shift;
    uint64_t least = lowest > 0 ? (uint64_t)lowest : 0, sign = bits_of(value) & SIGN_BIT;
    uint64_t binade = (bits_of(value) ^ sign) >> 52;
    double start = binade < least ? 0 : from_bits(binade << 52);
    binade = binade < least ? least : binade;
    if (fit->relative > 0 || binade < LEAST_QUICK || binade > MOST_QUICK ||
        !(start < rules->surely_finite * power_of_two(shift)))
        return false;
    double ulp = from_bits((binade - (uint64_t)rules->precision + 1) << 52), scale = 1 / ulp;
    *found = (struct binade){.ulp = ulp,
                             .scale = scale,
                             .least = start + 4 * ulp,
                             .most = from_bits((binade + 1) << 52) - 4 * ulp,
                             .units = (rules->toward_zero && sign ? -scale : scale) * 0x1p29,
                             .margin = fit->bound * scale + ROUNDING_MARGIN};
    return found->margin <= DECISION_MOST_MARGIN;
}

/* An error in units, if it is below LARGE_ERROR. */
INLINED int32_t sure_error(double error) {
    bool sure = size_of_double(error) < LARGE_ERROR * 0x1p29;
    return (int32_t)(sure ? error : (double)DECISION_UNSURE);
}

/* What `measure` does, in a third of the operations, for a strip whose values all lie in the binade
 * of the first and 4 ulps inside of it: false elsewhere. An output with an error below LARGE_ERROR has
 * the sign of its value, and lies in the same binade or in a higher one. What is no number has no such
 * error. */
INLINED bool measure_in_binade(const struct fit *fit, const struct decision_rules *rules,
                               const double *p, const double *tail, const double *got, size_t count,
                               int32_t *errors, double *margin) {
    struct binade binade;
    if (!find_binade(fit, rules, tail, p[0], &binade))
        return false;
    *margin = binade.margin;
    double units = binade.units;
    uint64_t sign = bits_of(p[0]) & SIGN_BIT, outside = 0;
    uint64_t low = bits_of(binade.least) ^ sign, high = bits_of(binade.most) ^ sign;
    for (size_t i = 0; i < count; i++) {
        /* From `low` to `high` alone neither difference has its first bit set. */
        outside |= (bits_of(p[i]) - low) | (high - bits_of(p[i]));
        double distance = tail ? (got[i] - p[i]) - tail[i] : got[i] - p[i];
        errors[i] = sure_error(distance * units);
    }
    return outside < SIGN_BIT;
}

/* A quotient of a distance that is not 0 is none that underflows to 0. */
INLINED double kept_from_zero(double quotient, double distance) {
    double least = from_bits(bits_of(0x1p-60) | (bits_of(distance) & SIGN_BIT));
    bool lost = (int)(size_of_double(distance) > 0) & (int)(size_of_double(quotient) < 0x1p-60);
    return lost ? least : quotient;
}

/* The same where the values are exact or rounded to odd, and so the errors: those that are no
 * multiple of a unit are cut to one and have their last bit set, which leaves them on the right
 * side of every edge. Returns whether there is such an error. An overflow by rule is right, and has
 * no error. What is left to be asked: zero sums, whose sign follows the rounding, and what
 * doubt_ends says. */
INLINED bool measure_exactly(const struct fit *fit, const struct decision_rules *rules,
                             const double *p, const double *tail, const double *got, size_t count,
                             int32_t *errors) {
    uint64_t least = (uint64_t)rules->least_exponent;
    uint64_t ulp_scale = 1023 + 1023 + (uint64_t)rules->precision - 1;
    uint64_t orient = rules->toward_zero ? SIGN_BIT : 0;
    double surely_finite = rules->surely_finite, beyond_finite = rules->beyond_finite;
    double over = rules->overflowed[0], under = rules->overflowed[1], units[DECISION_STRIP];
    bool is_sum = fit->arithmetic.is_sum;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(p[i]), got_bits = bits_of(got[i]);
        double magnitude = from_bits(bits & ~SIGN_BIT);
        uint64_t above = (bits & ~SIGN_BIT) >> 52, binade = (got_bits & ~SIGN_BIT) >> 52;
        above = above > least ? above : least;
        binade = binade > least ? binade : least;
        bool scales = tail ? above >= LEAST_SCALED : true;
        double scale = from_bits((ulp_scale - (scales ? above : LEAST_SCALED)) << 52);
        double distance = tail ? add_to_odd(got[i] - p[i], -tail[i]) : add_to_odd(got[i], -p[i]);
        double quotient = kept_from_zero(distance * scale, distance);
        double size = size_of_double(quotient);
        uint64_t below = bits_of(tail ? size_within(p[i], tail[i], 0) : magnitude) >> 52;
        below = below > least ? below : least;
        bool stays = tail ? (above == below) & (scales | !(size_of_double(distance) > 0)) : true;
        bool sure = stays & (magnitude < surely_finite) & (binade >= above) &
                    ((bits ^ got_bits) < SIGN_BIT) & (size < LARGE_ERROR) &
                    ((magnitude > 0) | !is_sum);
        bool overflows = (magnitude >= beyond_finite) & (magnitude < from_bits(EXPONENT_BITS)) &
                         (got[i] == (bits < SIGN_BIT ? over : under));
        double oriented = from_bits(bits_of(quotient) ^ (bits & orient)) * 0x1p29;
        units[i] = sure ? oriented : overflows ? 0 : (double)DECISION_UNSURE;
    }
    uint32_t inexact = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t cut = (int32_t)units[i], side = units[i] < 0 ? -1 : 1;
        bool rest = ((double)cut < units[i]) | ((double)cut > units[i]);
        errors[i] = (rest & ((cut & 1) == 0)) ? cut + side : cut;
        inexact |= rest;
    }
    return inexact;
}

#endif
