/* Choosing a unit and a large number, and counting units. */
#include "reveal/pairs.h"
#include "reveal/swallow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double minimum(double a, double b) {
    return a < b ? a : b;
}

static double maximum(double a, double b) {
    return a > b ? a : b;
}

/* Exponents of the large number and of the unit, from the widest apart to those that an accumulator in fp16 holds. */
enum { LEVELS = 6, WIDE = 100, WIDER = 600 };
enum { SINGLY = 128 }; /* terms that are counted one by one where they cannot be counted together */
struct level {
    int large, unit;
};

static int least_exponent(const struct format *format) {
    return format->emin - format->precision + 1;
}

static size_t find_levels(const struct subject *subject, struct level levels[LEVELS]) {
    const struct format *format = subject->request.format,
                        *result = subject->call.results[0].format;
    int factors = subject_sets_both(subject) ? 2 : 1;
    int most = factors * (format->emax - 1) + 1;
    int top = (int)minimum(most, format->width == 64 ? WIDER : WIDE);
    int low = (int)maximum(factors * least_exponent(format), least_exponent(result));
    bool is_wide = format->emin < -WIDE && result->emin < -WIDE;
    if (!is_wide && top > low + 52) /* fp64 keeps all of it, and fp32 none */
        top = low + 52;
    size_t count = 0;
    levels[count++] = (struct level){top, is_wide ? 0 : low};
    if (!is_wide) /* subnormal units may be flushed */
        levels[count++] = (struct level){top, (int)maximum(factors * format->emin, result->emin)};
    if (top >
        15) { /* products that sums in fp16 do not hold; units that 25 bits below these lose */
        levels[count++] = (struct level){15, low};
        levels[count++] = (struct level){15, (int)maximum(-14, low)};
    }
    levels[count++] = (struct level){(int)minimum(top, 15), (int)maximum(-10, low)};
    levels[count++] = (struct level){(int)minimum(top, 15), (int)maximum(-14, low)};
    return count;
}

/* The result in units of a call in which some terms of the first line are units. */
static bool count_units(struct pairs *pairs, const size_t *terms, size_t count, double *units,
                        struct error *error) {
    struct subject *subject = pairs->subject;
    subject_set_all(subject, 0);
    for (size_t i = 0; i < count; i++)
        subject_set(subject, 0, terms[i], pairs->unit);
    bool good = subject_call(subject, error);
    *units = subject_result(subject, 0) / pairs->unit * pairs->scale;
    return good;
}

static bool is_near(double value, double wanted) {
    return fabs(value - wanted) < 0.25;
}

/* Each term alone. A term that counts a little is not dropped. */
static bool weigh(struct pairs *pairs, struct error *error) {
    static const double NOTHING = 0x1p-13;
    struct subject *subject = pairs->subject;
    subject_set_all(subject, 0);
    for (size_t from = 0; from < subject->terms; from += subject->probed) {
        for (size_t line = 0; line < subject->probed && from + line < subject->terms; line++)
            subject_set(subject, line, from + line, pairs->unit);
        if (!subject_call(subject, error))
            return false;
        for (size_t line = 0; line < subject->probed && from + line < subject->terms; line++) {
            double units = subject_result(subject, line) / pairs->unit * pairs->scale;
            uint8_t weight = fabs(units) < NOTHING ? 0 : 3;
            for (uint8_t w = 1; w < 3; w++)
                if (is_near(units, w))
                    weight = w;
            pairs->weight[from + line] = weight;
            subject_set(subject, line, from + line, 0);
        }
    }
    return true;
}

/* Where that cannot be told of a sum: what all ones give, and all zeros, if that is no sum's; and which terms are in it,
 * if few are. */
static bool say_no_sum(struct pairs *pairs, const char *otherwise, struct error *error) {
    struct subject *subject = pairs->subject;
    const struct real most =
        format_decode(subject->call.results[0].format, subject->call.results[0].format->max_finite);
    const double terms = (double)subject->terms;
    double gave[2];
    char dropped[128] = "";
    size_t left = 0, first = 0;
    for (int one = 0; one < 2; one++) {
        subject_set_all(subject, one);
        if (!subject_call(subject, error))
            return false;
        gave[one] = subject_result(subject, 0);
    }
    const double ones = gave[1] * pairs->scale;
    subject_set_all(subject, 0);
    const struct real zero =
        format_decode(subject->request.format, array_code(&subject->call.operands[0], 0));
    if (real_to_double(&zero) != 0) /* the format has none */
        return error_set(error, "%s", otherwise);
    if (gave[0] == 0 && (terms > real_to_double(&most) || fabs(ones - terms) <= terms / 4))
        return error_set(error, "%s", otherwise);
    pairs->unit = 1;
    if (!weigh(pairs, error))
        return false;
    for (size_t i = subject->terms; i-- > 0;)
        if (pairs->weight[i]) {
            left++;
            first = i;
        }
    if (left == 0)
        snprintf(dropped, sizeof dropped, "; all of them are dropped");
    else if (left < subject->terms)
        snprintf(dropped, sizeof dropped,
                 "; %zu of them are dropped, and term %zu is the first that is not",
                 subject->terms - left, first);
    char texts[2][32];
    for (int one = 0; one < 2; one++)
        snprintf(texts[one], sizeof *texts, isnan(gave[one]) ? "NaN" : "%g", gave[one]);
    return error_set(
        error, "%zu terms of 1 give %s, and terms of 0 give %s: this is not a %s of %zu terms%s",
        subject->terms, texts[1], texts[0], pairs->scale > 1 ? "mean" : "sum", subject->terms,
        gave[0] == 0 && gave[1] == 1 && !*dropped ? ", but may be a mean" : dropped);
}

/* Notes what the pair of the first and the last term says, whose call has units between. */
static void note_ends(struct pairs *pairs) {
    const size_t last = pairs->subject->terms - 1;
    const double units = subject_result(pairs->subject, 0) / pairs->unit * pairs->scale,
                 whole = nearbyint(units);
    if (!is_near(units, whole) || whole < 0 || whole >= (double)last)
        return;
    pairs->known[0][last] = pairs->known[1][0] = last + 1 - (size_t)whole;
}

/* Whether the large number and its negative leave no infinity, and units are there: a unit that is 1 where all of them are
 * counted, else one alone. */
static bool try_level(struct pairs *pairs, const struct level *level, bool *fits,
                      struct error *error) {
    struct subject *subject = pairs->subject;
    const size_t terms = subject->terms;
    const bool is_wide = !level->unit && subject->request.format->emin < -WIDE && terms > 1;
    pairs->large = ldexp(1, level->large);
    pairs->unit = ldexp(1, level->unit);
    *fits = false;
    subject_set_all(subject, is_wide ? pairs->unit : 0);
    subject_set(subject, 0, 0, pairs->large);
    if (terms > 1)
        subject_set(subject, 0, terms - 1, -pairs->large);
    if (terms > 2 || !is_wide) { /* two terms have one tree */
        if (!subject_call(subject, error))
            return false;
        if (!isfinite(subject_result(subject, 0)))
            return true;
        if (is_wide)
            note_ends(pairs);
    }
    size_t term = terms / 2;
    double units = 0;
    *fits = true;
    if (is_wide && !count_units(pairs, pairs->terms, terms, &units, error))
        return false;
    pairs->counts_all = is_wide && is_near(units, (double)terms);
    if (pairs->counts_all)
        return true;
    if (!count_units(pairs, &term, 1, &units, error))
        return false;
    *fits = units != 0 && isfinite(units);
    return true;
}

/* So few units that they are lost beside the large number, or kept, one and all, in each format of accumulators; 1 at
 * least. */
static size_t lost_at_once(const struct pairs *pairs) {
    static const int precisions[] = {8,  11, 14,
                                     24, 53, 64}; /* 14: of products of 8 bits in matrix units */
    double ratio = pairs->large / pairs->unit, most = (double)pairs->count;
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        double lost = ldexp(ratio, -precisions[i] - 1);
        bool are_kept = ratio <= ldexp(1, precisions[i] - 1);
        if (!are_kept && lost < most)
            most = lost;
    }
    return most < 1 ? 1 : (size_t)most;
}

/* Whether so many units are counted, and one less: without the first one, and without the last one where a narrow format
 * between blocks, such as bf16, does not hold all numbers up to that many. It may hold all that blocks end with. */
static bool does_count(struct pairs *pairs, size_t count, bool *counts, struct error *error) {
    enum { NARROWEST_HOLDS = 256, ALL_HOLD = 8 };
    const double all = (double)count;
    const bool is_known = pairs->counts_all && count == pairs->count;
    double units = all, fewer = all - 1, others = all - 1;
    if ((!is_known && !count_units(pairs, pairs->terms, count, &units, error)) ||
        (count > ALL_HOLD && !count_units(pairs, pairs->terms + 1, count - 1, &fewer, error)) ||
        (count > NARROWEST_HOLDS && !count_units(pairs, pairs->terms, count - 1, &others, error)))
        return false;
    *counts = is_near(units, all) && is_near(fewer, all - 1) && is_near(others, all - 1);
    return true;
}

/* The largest share of the terms that a result can count: all, a half, … */
static bool find_capacity(struct pairs *pairs, struct error *error) {
    const struct format *result = pairs->subject->call.results[0].format;
    size_t most = lost_at_once(pairs);
    bool counts = false;
    if (result->precision < 24 && most > (size_t)1 << result->precision)
        most = (size_t)1 << result->precision;
    for (pairs->capacity = most; pairs->capacity > 1; pairs->capacity /= 2)
        if (!does_count(pairs, pairs->capacity, &counts, error) || counts)
            break;
    return pairs->capacity <= 1 || counts;
}

static void forget(struct pairs *pairs) {
    memset(pairs->known[0], 0, 2 * pairs->subject->terms * sizeof *pairs->known[0]);
}

bool pairs_weigh(struct pairs *pairs, struct error *error) {
    const struct subject *subject = pairs->subject;
    if (!weigh(pairs, error))
        return false;
    pairs->is_weighed = true;
    pairs->counts_all = false;
    forget(pairs);
    pairs->count = 0;
    for (size_t i = 0; i < subject->terms; i++)
        if (pairs->weight[i] == 1)
            pairs->terms[pairs->count++] = i;
    return find_capacity(pairs, error);
}

static bool open_counts(struct pairs *pairs, struct error *error) {
    struct subject *subject = pairs->subject;
    double units;
    if (!pairs->counts_all) {
        if (!count_units(pairs, pairs->terms, pairs->count, &units, error))
            return false;
        pairs->counts_all = is_near(units, (double)subject->terms);
    }
    if (pairs->counts_all)
        return find_capacity(pairs, error);
    if (!count_units(pairs, pairs->terms, 0, &units, error))
        return false;
    if (units != 0)
        return say_no_sum(pairs, "", error);
    if (!pairs_weigh(pairs, error))
        return false;
    size_t odd = 0;
    for (size_t i = 0; i < subject->terms; i++)
        odd += pairs->weight[i] == 3;
    return odd < subject->terms ||
           say_no_sum(pairs, "each term is added with a weight other than 0, 1 and 2", error);
}

bool pairs_open(struct pairs *pairs, struct subject *subject, struct error *error) {
    struct level levels[LEVELS];
    size_t count = find_levels(subject, levels);
    bool fits = false, good = true;
    *pairs = (struct pairs){.subject = subject,
                            .scale = subject_is_mean(subject) ? (double)subject->terms : 1,
                            .count = subject->terms,
                            .terms = calloc(subject->terms, sizeof *pairs->terms),
                            .weight = calloc(subject->terms, 1)};
    pairs->known[0] = calloc(2 * subject->terms, sizeof *pairs->known[0]);
    if (!pairs->terms || !pairs->weight || !pairs->known[0])
        return error_set(error, "out of memory");
    pairs->known[1] = pairs->known[0] + subject->terms;
    memset(pairs->weight, 1, subject->terms);
    for (size_t i = 0; i < subject->terms; i++)
        pairs->terms[i] = i;
    const uint64_t before = subject->calls;
    if (subject->through)
        return swallow_open(pairs, error);
    for (size_t i = 0; good && !fits && i < count; i++)
        good = try_level(pairs, &levels[i], &fits, error);
    if (good && !fits) {
        char otherwise[256];
        snprintf(otherwise, sizeof otherwise,
                 "no pair of numbers in %s distinguishes two orders of %.160s",
                 subject->request.format->name, subject->implementation->name);
        good = say_no_sum(pairs, otherwise, error);
    }
    good = good && open_counts(pairs, error);
    if (pairs->capacity < pairs->count) /* what the two ends have said was no count */
        forget(pairs);
    pairs->other_calls = (size_t)(subject->calls - before) - (pairs->known[1][0] > 0);
    return good;
}

void pairs_close(struct pairs *pairs) {
    swallow_close(pairs->swallow);
    free(pairs->terms);
    free(pairs->weight);
    free(pairs->known[0]);
}

/* Terms `from` to `to` of those that count are units, in the first lines. */
static void lay_units(struct pairs *pairs, size_t lines, size_t from, size_t to) {
    struct subject *subject = pairs->subject;
    for (size_t line = 0; line < lines; line++) {
        for (size_t term = 0; term < subject->terms; term++)
            subject_set(subject, line, term, 0);
        for (size_t i = from; i < to; i++)
            subject_set(subject, line, pairs->terms[i], pairs->unit);
    }
}

static size_t rank_of(const struct pairs *pairs, size_t term) {
    size_t low = 0, high = pairs->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(pairs->terms[middle] <= term ? &low : &high) = middle;
    }
    return low;
}

static double unit_at(const struct pairs *pairs, size_t term, size_t from, size_t to) {
    size_t rank = rank_of(pairs, term);
    return rank >= from && rank < to ? pairs->unit : 0;
}

/* Adds to `kept` the units that remain of those from `from` to `to`; NaN where that is no count. */
static bool count_slice(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                        size_t from, size_t to, double *kept, struct error *error) {
    struct subject *subject = pairs->subject;
    const size_t lines = subject->through || subject->probed < count ? subject->probed : count;
    lay_units(pairs, lines, from, to);
    for (size_t line = 0; line < lines; line++)
        subject_set(subject, line, first, pairs->large);
    for (size_t at = 0; at < count; at += subject->probed) {
        for (size_t line = 0; line < subject->probed && at + line < count; line++)
            subject_set(subject, line, others[at + line], -pairs->large);
        if (!subject_call(subject, error))
            return false;
        for (size_t line = 0; line < subject->probed && at + line < count; line++) {
            double units = subject_result(subject, line) / pairs->unit * pairs->scale;
            double whole = nearbyint(units);
            kept[at + line] += is_near(units, whole) && whole >= 0 ? whole : NAN;
            subject_set(subject, line, others[at + line],
                        unit_at(pairs, others[at + line], from, to));
        }
    }
    return true;
}

/* Unit by unit: one that is outside of the subtree is there alone. Where additions round to odd, those within are not
 * lost but more than they were. */
bool pairs_within_singly(struct pairs *pairs, size_t first, size_t second, size_t *within,
                         struct error *error) {
    struct subject *subject = pairs->subject;
    *within = 2;
    for (size_t i = 0; i < pairs->count; i++) {
        size_t term = pairs->terms[i];
        if (term == first || term == second)
            continue;
        subject_set_all(subject, 0);
        subject_set(subject, 0, first, pairs->large);
        subject_set(subject, 0, second, -pairs->large);
        subject_set(subject, 0, term, pairs->unit);
        if (!subject_call(subject, error))
            return false;
        *within += !is_near(subject_result(subject, 0) / pairs->unit * pairs->scale, 1);
    }
    return true;
}

bool pairs_within(struct pairs *pairs, size_t first, const size_t *others, size_t count,
                  size_t *within, struct error *error) {
    if (pairs->swallow)
        return swallow_within(pairs, first, others, count, within, error);
    double *kept = calloc(count + 1, sizeof *kept);
    bool good = kept || error_set(error, "out of memory");
    for (size_t from = 0; good && from < pairs->count; from += pairs->capacity) {
        size_t to = from + pairs->capacity < pairs->count ? from + pairs->capacity : pairs->count;
        good = count_slice(pairs, first, others, count, from, to, kept, error);
    }
    for (size_t k = 0; good && k < count; k++)
        within[k] = kept[k] >= 0 && kept[k] <= (double)pairs->count - 2
                        ? pairs->count - (size_t)kept[k]
                        : 0;
    for (size_t k = 0; good && k < count && pairs->count <= SINGLY; k++)
        if (!within[k])
            good = pairs_within_singly(pairs, first, others[k], &within[k], error);
    free(kept);
    return good;
}
