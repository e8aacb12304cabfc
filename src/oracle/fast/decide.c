/* The loops that judge a strip of outputs. They have no branches, so that compilers turn them into
 * vector code. How wide the vectors are changes no result, because errors are summed as
 * integers. */
#include "oracle/fast/decide.h"

#include "oracle/fast/evaluate.h"
#include "oracle/fast/measure.h"
#include "oracle/fast/near.h"
#include "oracle/fast/sum_errors.h"

#include <math.h>
#include <string.h>

FOR_EACH_CPU
static void fit_wide_values(const struct fit *fit, int log2_count, size_t at, size_t count,
                            double *p, double *tail) {
    find_wide_values(fit, log2_count, at, count, p, tail);
}

FOR_EACH_CPU
static void fit_narrow_values(const struct fit *fit, int log2_count, size_t at, size_t count,
                              double *p) {
    find_values(fit, log2_count, at, count, p);
}

void fit_values(const struct fit *fit, int log2_count, size_t at, size_t count, double *p,
                double *tail) {
    if (tail)
        fit_wide_values(fit, log2_count, at, count, p, tail);
    else
        fit_narrow_values(fit, log2_count, at, count, p);
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

/* The errors of a strip, and the largest margin. `tail` as in find_values. */
INLINED double find_errors(const struct fit *fit, const struct decision_rules *rules,
                           const double *p, const double *tail, const double *value,
                           const void *got, size_t count, int32_t *errors) {
    double margin;
    if (fit->form == FIT_ARITHMETIC) {
        bool inexact = measure_exactly(fit, rules, p, tail, value, count, errors);
        doubt_ends(rules, p, got, tail ? 8 : 2, count, errors);
        return inexact;
    }
    return measure_in_binade(fit, rules, p, tail, value, count, errors, &margin)
               ? margin
               : measure(fit, rules, p, tail, value, count, errors);
}

FOR_EACH_CPU
static double find_wide_errors(const struct fit *fit, int log2_count,
                               const struct decision_rules *rules, const void *got, size_t at,
                               size_t count, int32_t *errors) {
    double p[DECISION_STRIP], tail[DECISION_STRIP], value[DECISION_STRIP], margin;
    if (measure_near(fit, log2_count, rules, got, 8, at, count, errors, &margin))
        return margin;
    widen_8(got, count, fit->shift, value);
    fit_wide_values(fit, log2_count, at, count, p, tail);
    return find_errors(fit, rules, p, tail, value, got, count, errors);
}

FOR_EACH_CPU
static double find_narrow_errors(const struct fit *fit, int log2_count,
                                 const struct decision_rules *rules, const void *got, size_t at,
                                 size_t count, int32_t *errors) {
    double p[DECISION_STRIP], value[DECISION_STRIP], margin;
    if (rules->bytes == 4 &&
        measure_near(fit, log2_count, rules, got, 4, at, count, errors, &margin))
        return margin;
    if (rules->bytes == 4)
        widen_4(got, count, value);
    else
        widen_2(rules->precision, rules->least_exponent, got, count, value);
    fit_narrow_values(fit, log2_count, at, count, p);
    return find_errors(fit, rules, p, NULL, value, got, count, errors);
}

void decide_outputs(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                    const void *got, size_t at, size_t count, int32_t *errors,
                    struct decision_sums *sums) {
    bool exact = fit->form == FIT_ARITHMETIC;
    double margin = (rules->bytes == 8 ? find_wide_errors : find_narrow_errors)(
        fit, log2_count, rules, got, at, count, errors);
    /* Rounded up, and one for the cut. */
    sums->margin = exact ? margin > 0 : (int32_t)(margin * 0x1p29) + 2;
    if (sum_errors(rules, errors, count, (uint32_t)sums->margin, sums) && !exact &&
        doubt_edges(rules, errors, count, (uint32_t)sums->margin))
        sum_errors(rules, errors, count, (uint32_t)sums->margin, sums);
}

FOR_EACH_CPU
static double narrow_least_distance(const struct fit *fit, int log2_count,
                                    const struct decision_rules *rules, double middle, size_t at,
                                    size_t count) {
    return least_distance(fit, log2_count, rules, middle, at, count);
}

double fit_least_distance(const struct fit *fit, int log2_count, const struct decision_rules *rules,
                          double middle, size_t at, size_t count) {
    return rules->bytes == 8 ? 0 : narrow_least_distance(fit, log2_count, rules, middle, at, count);
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
