/* The loops that judge a chunk of outputs. They have no branches, so that compilers turn them into
 * vector code. How wide the vectors are changes no result, because errors are summed as
 * integers. */
#include "oracle/fast/decide.h"

#include "base/vector.h"
#include "oracle/fast/doubles.h"
#include "oracle/fast/evaluate.h"

#include <math.h>
#include <string.h>

/* Errors from here on, in ulps, are never sure. */
#define LARGE_ERROR 3.5
/* got - p, times a power of two, is rounded once, and in fp64 where the tail is subtracted once
 * more: each is below 2^-51.1 for such errors. Cutting it to units adds one of those. */
#define ROUNDING_MARGIN 0x1p-50
/* The reciprocal of an ulp of fp64 is a double from this biased exponent on. */
enum { LEAST_SCALED = 53 };

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
    double units[DECISION_CHUNK];
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
    double over = rules->overflowed[0], under = rules->overflowed[1], units[DECISION_CHUNK];
    bool is_sum = fit->arithmetic.is_sum;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = bits_of(p[i]), got_bits = bits_of(got[i]);
        double magnitude = from_bits(bits & ~SIGN_BIT);
        uint64_t above = (bits & ~SIGN_BIT) >> 52, binade = (got_bits & ~SIGN_BIT) >> 52;
        above = above > least ? above : least;
        binade = binade > least ? binade : least;
        double scale = from_bits((ulp_scale - above) << 52);
        double distance = tail ? add_to_odd(got[i] - p[i], -tail[i]) : add_to_odd(got[i], -p[i]);
        double quotient = kept_from_zero(distance * scale, distance);
        double size = size_of_double(quotient);
        uint64_t below = bits_of(tail ? size_within(p[i], tail[i], 0) : magnitude) >> 52;
        below = below > least ? below : least;
        bool stays = tail ? (above == below) & (above >= LEAST_SCALED) : true;
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

INLINED int32_t size_of(int32_t error) {
    return error == DECISION_UNSURE ? 0 : error < 0 ? -error : error;
}

/* Whether a sure error may lie within the margin of an edge: all are multiples of 2^-10 ulp. */
INLINED bool may_touch_edge(const int32_t *errors, size_t count, uint32_t margin) {
    const uint32_t mask = ((uint32_t)1 << (DECISION_UNITS_LOG2 - 10)) - 1;
    uint32_t touches = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t size = (uint32_t)size_of(errors[i]);
        touches |= (uint32_t)(((size + margin) & mask) <= 2 * margin) &
                   (uint32_t)(errors[i] != DECISION_UNSURE);
    }
    return touches;
}

/* Makes errors within the margin of an edge unsure. */
INLINED void doubt_edges(const struct decision_rules *rules, int32_t *errors, size_t count,
                         uint32_t margin) {
    for (int k = rules->never_exact; k < rules->edge_count; k++) {
        uint32_t low = (uint32_t)rules->edges[k] - margin;
        for (size_t i = 0; i < count; i++) {
            bool touches = (uint32_t)size_of(errors[i]) - low <= 2 * margin;
            errors[i] = touches ? DECISION_UNSURE : errors[i];
        }
    }
}

/* Whether a code of 8 or 2 bytes is odd. */
INLINED bool is_odd(const void *codes, size_t bytes, size_t i) {
    return (bytes == 8 ? ((const uint64_t *)codes)[i] : ((const uint16_t *)codes)[i]) & 1;
}

/* Among exact errors: makes those of one ulp unsure, of a wrong output beside a right one that is
 * exact and so has no other neighbour; and to nearest those of half an ulp where the output is not
 * the one that the tie goes to. */
INLINED void doubt_ends(const struct decision_rules *rules, const double *p, const void *got,
                        size_t bytes, size_t count, int32_t *errors) {
    const int32_t one = (int32_t)1 << DECISION_UNITS_LOG2;
    bool even = rules->rounding == ROUND_NEAREST_EVEN, away = rules->rounding == ROUND_NEAREST_AWAY;
    for (size_t i = 0; i < count; i++) {
        bool inward = (errors[i] < 0) != (bits_of(p[i]) >= SIGN_BIT);
        bool lost_tie = (int)(size_of(errors[i]) == one / 2) &
                        ((even & is_odd(got, bytes, i)) | (away & inward));
        errors[i] = (lost_tie | (size_of(errors[i]) == one)) ? DECISION_UNSURE : errors[i];
    }
}

/* Six edges in a pass over the errors. */
enum { EDGES_AT_ONCE = 6 };

INLINED void count_above(const struct decision_rules *rules, const int32_t *errors, size_t count,
                         int from, int to, struct decision_sums *sums) {
    for (int k = from; k < to; k += EDGES_AT_ONCE) {
        int32_t edges[EDGES_AT_ONCE];
        uint32_t above[EDGES_AT_ONCE] = {0};
        for (int j = 0; j < EDGES_AT_ONCE; j++)
            edges[j] = k + j < to ? rules->edges[k + j] : INT32_MAX;
        for (size_t i = 0; i < count; i++) {
            int32_t size = size_of(errors[i]);
            for (int j = 0; j < EDGES_AT_ONCE; j++)
                above[j] += size > edges[j];
        }
        for (int j = 0; j < EDGES_AT_ONCE && k + j < to; j++)
            sums->above[k + j] = above[j];
    }
}

INLINED void sum_up(const struct decision_rules *rules, const int32_t *errors, size_t count,
                    struct decision_sums *sums) {
    int32_t least = rules->least, most = rules->most, largest = -1;
    uint32_t sure = 0, wrong = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t error = errors[i] == DECISION_UNSURE ? 0 : errors[i];
        int32_t size = error < 0 ? -error : error;
        int32_t ranked = errors[i] == DECISION_UNSURE ? -1 : size;
        sure += errors[i] != DECISION_UNSURE;
        wrong += (error < least) | (error > most);
        largest = ranked > largest ? ranked : largest;
        total += (uint32_t)size;
    }
    sums->sure = sure;
    sums->wrong = wrong;
    sums->error = total;
    sums->largest = largest;
    memset(sums->above, 0, sizeof sums->above);
    count_above(rules, errors, count, 0, rules->near_edges, sums);
    if (largest > rules->edges[rules->near_edges - 1])
        count_above(rules, errors, count, rules->near_edges, rules->edge_count, sums);
    if (rules->never_exact)
        sums->above[0] = sure;
}

void fit_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p,
                double *tail) {
    if (tail)
        find_wide_values(fit, log2_count, at, count, p, tail);
    else
        find_values(fit, log2_count, at, count, p);
}

/* What a chunk's errors come to, of which none is farther from the true one than the margin. */
INLINED void finish(const struct decision_rules *rules, double margin, size_t count,
                    int32_t *errors, struct decision_sums *sums) {
    /* Rounded up, and one for the cut. */
    sums->margin = (int32_t)(margin * 0x1p29) + 2;
    if (may_touch_edge(errors, count, (uint32_t)sums->margin))
        doubt_edges(rules, errors, count, (uint32_t)sums->margin);
    sum_up(rules, errors, count, sums);
}

FOR_EACH_CPU
static void decide_wide(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                        const void *got, size_t at, size_t count, int32_t *errors,
                        struct decision_sums *sums) {
    double p[DECISION_CHUNK], tail[DECISION_CHUNK], value[DECISION_CHUNK];
    widen_8(got, count, fit->shift, value);
    find_wide_values(fit, log2_count, at, count, p, tail);
    if (fit->form == FIT_ARITHMETIC) {
        sums->margin = measure_exactly(fit, rules, p, tail, value, count, errors);
        doubt_ends(rules, p, got, sizeof *value, count, errors);
        sum_up(rules, errors, count, sums);
    } else {
        finish(rules, measure(fit, rules, p, tail, value, count, errors), count, errors, sums);
    }
}

FOR_EACH_CPU
static void decide_narrow(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                          const void *got, size_t at, size_t count, int32_t *errors,
                          struct decision_sums *sums) {
    double p[DECISION_CHUNK], value[DECISION_CHUNK];
    if (rules->bytes == 4)
        widen_4(got, count, value);
    else
        widen_2(rules->precision, rules->least_exponent, got, count, value);
    find_values(fit, log2_count, at, count, p);
    if (fit->form == FIT_ARITHMETIC) {
        sums->margin = measure_exactly(fit, rules, p, NULL, value, count, errors);
        doubt_ends(rules, p, got, 2, count, errors);
        sum_up(rules, errors, count, sums);
    } else {
        finish(rules, measure(fit, rules, p, NULL, value, count, errors), count, errors, sums);
    }
}

void decide_outputs(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                    const void *got, size_t at, size_t count, int32_t *errors,
                    struct decision_sums *sums) {
    (rules->bytes == 8 ? decide_wide : decide_narrow)(fit, log2_count, rules, got, at, count,
                                                      errors, sums);
}

/* What a number beyond all of the format's becomes. */
static double overflowed(const struct format *format, bool negative, enum rounding rounding,
                         enum overflow overflow) {
    struct real huge = real_huge(negative);
    uint64_t code = format_encode(format, &huge, rounding, overflow);
    struct real value = format_decode(format, code);
    return real_to_double(&value);
}

bool decision_rules_for(const struct format *format, enum rounding rounding, enum overflow overflow,
                        const double *edges, int edge_count, struct decision_rules *rules) {
    const int32_t one = (int32_t)1 << DECISION_UNITS_LOG2;
    if (format->width != 64 && format->width != 32 && format->width != 16)
        return false;
    *rules = (struct decision_rules){
        .bytes = (int)format->width / 8,
        .precision = format->precision,
        .least_exponent = 1023 + format->emin,
        .surely_finite = (2 - power_of_two(2 - format->precision)) * power_of_two(format->emax),
        .least = -one / 2,
        .most = one / 2,
        .toward_zero = rounding == ROUND_TOWARD_ZERO,
        .rounding = rounding,
        .beyond_finite = format->emax < 1023 ? power_of_two(format->emax + 1)
                                             : INFINITY, /* no double is beyond */
        .overflowed = {overflowed(format, false, rounding, overflow),
                       overflowed(format, true, rounding, overflow)}};
    if (rounding == ROUND_UP) {
        rules->least = 0;
        rules->most = one;
    } else if (rounding == ROUND_DOWN || rounding == ROUND_TOWARD_ZERO) {
        rules->least = -one;
        rules->most = 0;
    }
    int32_t largest = rules->least + rules->most ? one : one / 2;
    while (rules->edge_count < edge_count && edges[rules->edge_count] < LARGE_ERROR) {
        rules->edges[rules->edge_count] = (int32_t)(edges[rules->edge_count] * one);
        rules->near_edges += rules->edges[rules->edge_count] <= largest;
        rules->edge_count++;
    }
    return true;
}
