/* What is right for the flags of each call of a slice.
 *
 * The exact oracle could say so for each input. But what is required and permitted changes at a few
 * places only: at the thresholds of overflow and underflow, and where an operand is special. So the
 * blocks of the fast oracle are used where they can tell that there is no such place in a run:
 *   FIT        where all cheap values of the run, with their bounds, lie among the normal numbers,
 *              any of its inputs stands for all. Where it matters whether results are exact, those
 *              whose cheap value lies near a number of the format are asked for one by one.
 *   ASYMPTOTE  results and their distance from the line are monotone there, so what is the same at
 *              both ends of a run is the same between
 *   PATTERN    each input by what the pattern has for it
 *   NAN        operands of one class, and no result
 * Elsewhere inputs are asked for one by one: by the ends between which the cheap value encloses the
 * result, where these agree and no number of the format lies between them, else by the exact
 * oracle. */
#include "sweep/judge/expect.h"

#include "base/bits.h"

#include <float.h>
#include <math.h>

static void set_rules(const struct worker *worker, size_t at, size_t count,
                      struct effect_rule rule) {
    for (size_t i = at; i < at + count; i++)
        worker->flags->rules[i] = rule;
}

/* Between what the sizes of all results of a run in a FIT block lie, times 2^shift as the fit has
 * them; how far off the cheap values may be, and one of them. */
struct range {
    double least, most, bound, sample;
};

static void set_bound(struct range *range, const struct fit *fit) {
    range->bound = fit->bound + fit->relative * range->most;
}

/* Whether all of them lie among the normal numbers, safely. */
static bool is_inside(const struct joint_span *run, int result, const struct range *range) {
    const struct format *format = run->worker->judge.format;
    int shift = run->spans[result].block->fit.shift;
    double least = ldexp(1, format->emin + shift), most = ldexp(1, format->emax + shift);
    return range->least * 0.5 > least && range->most < most && range->bound < range->least * 0.25;
}

/* Of the whole block, where its values are those of a polynomial: |t| <= 1. */
static bool find_range(const struct joint_span *run, int result, struct range *range) {
    const struct block *block = run->spans[result].block;
    const struct polynomial *polynomial = &block->fit.polynomial;
    if (block->kind != BLOCK_FIT || block->fit.form != FIT_POLYNOMIAL)
        return false;
    double centre = polynomial->base + polynomial->coefficients[0], spread = 0;
    for (int i = 1; i < polynomial->terms; i++)
        spread += fabs(polynomial->coefficients[i]);
    *range = (struct range){.least = fabs(centre) - 1.01 * spread,
                            .most = fabs(centre) + 1.01 * spread,
                            .sample = centre};
    set_bound(range, &block->fit);
    return is_inside(run, result, range);
}

/* The cheap values of a strip. */
struct values {
    double p[DECISION_STRIP], tail[DECISION_STRIP];
};

static bool find_values(const struct joint_span *run, int result, size_t at, size_t count,
                        struct values *values, struct range *range) {
    const struct span *span = &run->spans[result];
    const struct block *block = span->block;
    bool wide = run->worker->judge.format->width == 64, sure = true;
    if (block->kind != BLOCK_FIT)
        return false;
    fit_values(&block->fit, block->log2_count,
               (size_t)(span->code - block->first) + (at - span->at), count, values->p,
               wide ? values->tail : NULL);
    *range = (struct range){.least = INFINITY, .sample = values->p[0]};
    for (size_t i = 0; i < count; i++) {
        double size = fabs(values->p[i]);
        range->least = size < range->least ? size : range->least;
        range->most = size > range->most ? size : range->most;
        sure = sure && size <= DBL_MAX;
    }
    set_bound(range, &block->fit);
    return sure && is_inside(run, result, range);
}

/* The rule for results in these ranges that are exact, or that are not. */
static struct effect_rule rule_inside(const struct joint_span *run, size_t at,
                                      const struct range *ranges, bool inexact) {
    struct real y[MAX_RESULTS];
    uint64_t codes[MAX_OPERANDS];
    for (int i = 0; i < run->worker->request->computed.operation->results; i++) {
        y[i] = real_from_double(ranges[i].sample);
        y[i].exponent -= run->spans[i].block->fit.shift;
        y[i].significand = (struct wide){(uint64_t)1 << 63, 0};
        y[i].inexact = inexact;
    }
    worker_load_inputs(run->worker, at, codes);
    return expect_rule(run->worker, codes, y);
}

/* A whole run at once, where it makes no difference whether results are exact. */
static bool expect_whole(const struct joint_span *run) {
    int results = run->worker->request->computed.operation->results;
    struct range ranges[MAX_RESULTS];
    for (int i = 0; i < results; i++)
        if (!find_range(run, i, &ranges[i]))
            return false;
    struct effect_rule rule = rule_inside(run, run->at, ranges, true);
    if (!effect_rule_is_same(rule, rule_inside(run, run->at, ranges, false)))
        return false;
    set_rules(run->worker, run->at, run->count, rule);
    return true;
}

/* Whether result `i` of a strip is no number of the format, for certain. */
static bool is_surely_inexact(const struct joint_span *run, const struct values *values,
                              const struct range *range, size_t i) {
    const struct format *format = run->worker->judge.format;
    uint64_t unit = (uint64_t)1 << (53 - format->precision);
    if (format->width == 64)
        return fabs(values->tail[i]) > range->bound * 1.01;
    uint64_t beyond = bits_of(values->p[i]) & (unit - 1);
    uint64_t away = beyond < unit - beyond ? beyond : unit - beyond;
    /* Bits of p are worth at least this much. */
    return (double)away * (range->least * 0x1p-53) > range->bound * 1.01;
}

/* A strip; `*known` is false where its values leave a doubt. */
static bool expect_strip(const struct joint_span *run, size_t at, size_t count, bool *known,
                         struct error *error) {
    int results = run->worker->request->computed.operation->results;
    struct values values[MAX_RESULTS];
    struct range ranges[MAX_RESULTS];
    *known = true;
    for (int i = 0; i < results && *known; i++)
        *known = find_values(run, i, at, count, &values[i], &ranges[i]);
    if (!*known)
        return true;
    struct effect_rule rule = rule_inside(run, at, ranges, true);
    set_rules(run->worker, at, count, rule);
    if (effect_rule_is_same(rule, rule_inside(run, at, ranges, false)))
        return true;
    for (size_t i = 0; i < count; i++) {
        bool sure = true;
        for (int k = 0; k < results; k++)
            sure = sure && is_surely_inexact(run, &values[k], &ranges[k], i);
        if (!sure && !expect_one(run, at + i, error))
            return false;
    }
    return true;
}

/* Whether integers and others may follow each other from this operand on, where C has no call for others.
 * (A run lies in one binade.) */
static bool mixes_integers(const struct operation *operation, const struct format *format,
                           uint64_t code) {
    enum c_signature signature = operation->platform.signature;
    struct real x = format_decode(format, code);
    return (signature == C_INT_SECOND || signature == C_LONG_LONG_SECOND) &&
           x.kind == REAL_FINITE && x.exponent >= 0 && x.exponent < format->precision - 1;
}

/* Whether what is the same at both ends of part of a run is the same between them. */
static bool is_monotone(const struct joint_span *run, size_t at, size_t count) {
    const struct worker *worker = run->worker;
    const struct binding_request *computed = &worker->request->computed;
    const struct format *format = computed->format;
    const void *codes = worker->inputs[computed->operation->operands - 1];
    uint64_t first = code_load(codes, format_bytes(format), at);
    uint64_t last = first + count - 1;
    if (format_classify(format, first) != format_classify(format, last) ||
        format_is_signalling(format, first) != format_is_signalling(format, last) ||
        mixes_integers(computed->operation, format, first))
        return false;
    for (int i = 0; i < computed->operation->results; i++) {
        const struct block *block = run->spans[i].block;
        if (block->kind != BLOCK_NAN && !(block->kind == BLOCK_ASYMPTOTE && !block->at_integers &&
                                          block->asymptote->side != ASYMPTOTE_ALTERNATING))
            return false;
    }
    return true;
}

static bool expect_each(const struct joint_span *run, size_t at, size_t count,
                        struct error *error) {
    for (size_t i = at; i < at + count; i++)
        if (!expect_one(run, i, error))
            return false;
    return true;
}

/* Part of a run along lines, halved until both ends agree. */
static bool expect_line(const struct joint_span *run, size_t at, size_t count,
                        struct error *error) {
    struct effect_rule first, last;
    if (count < 4)
        return expect_each(run, at, count, error);
    if (is_monotone(run, at, count) && expect_cheaply(run, at, &first) &&
        expect_cheaply(run, at + count - 1, &last) && effect_rule_is_same(first, last)) {
        set_rules(run->worker, at, count, first);
        return true;
    }
    size_t half = count / 2;
    return expect_line(run, at, half, error) && expect_line(run, at + half, count - half, error);
}

/* All that the flags of a function of one operand depend on where its results are numbers of the format:
 * of which class they and the operand are, and which results are the operand. */
static uint32_t kinds_at(const struct joint_span *run, struct code_pattern *patterns, size_t at) {
    const struct format *format = run->worker->judge.format;
    uint64_t code = run->spans[0].code + (at - run->spans[0].at);
    uint32_t kinds =
        (uint32_t)format_classify(format, code) << 1 | format_is_signalling(format, code);
    for (int i = 0; i < run->worker->request->computed.operation->results; i++) {
        if (patterns[i].last < code || at == run->at)
            patterns[i] = filter_pattern(run->worker->filters[i], code);
        uint64_t y = code_pattern_at(&patterns[i], format, code);
        kinds = kinds << 8 | (uint32_t)format_classify(format, y) << 1 | (y == code);
    }
    return kinds;
}

/* A run of patterns: what is expected of an input is expected of those that follow and are of its kind. */
static bool expect_patterns(const struct joint_span *run, struct error *error) {
    const struct operation *operation = run->worker->request->computed.operation;
    struct effect_rule *rules = run->worker->flags->rules;
    struct code_pattern patterns[MAX_RESULTS];
    bool alike = !operation->open_flags && operation->operands == 1;
    uint32_t before = 0;
    for (size_t at = run->at; at < run->at + run->count; at++) {
        uint32_t kinds = kinds_at(run, patterns, at);
        if (alike && at > run->at && kinds == before)
            rules[at] = rules[at - 1];
        else if (!expect_one(run, at, error))
            return false;
        before = kinds;
    }
    return true;
}

static bool expect_run(const struct joint_span *run, struct error *error) {
    bool line = true, pattern = true;
    for (int i = 0; i < run->worker->request->computed.operation->results; i++)
        line = line && run->spans[i].block->kind != BLOCK_FIT &&
               run->spans[i].block->kind != BLOCK_PATTERN &&
               run->spans[i].block->kind != BLOCK_EXACT;
    for (int i = 0; i < run->worker->request->computed.operation->results; i++)
        pattern = pattern && run->spans[i].block->kind == BLOCK_PATTERN;
    if (pattern)
        return expect_patterns(run, error);
    if (line)
        return expect_line(run, run->at, run->count, error);
    if (expect_whole(run))
        return true;
    for (size_t at = run->at, count; at < run->at + run->count; at += count) {
        size_t left = run->at + run->count - at;
        bool known;
        count = left < DECISION_STRIP ? left : DECISION_STRIP;
        if (!expect_strip(run, at, count, &known, error) ||
            (!known && !expect_each(run, at, count, error)))
            return false;
    }
    return true;
}

static bool expect_all_exactly(struct worker *worker, size_t count, struct error *error) {
    for (size_t at = 0; at < count; at++)
        if (!expect_exactly(worker, at, error))
            return false;
    return true;
}

bool worker_expect_flags(struct worker *worker, uint64_t first, size_t count, struct error *error) {
    int results = worker->request->computed.operation->results;
    bool fast = true;
    for (int i = 0; i < results; i++)
        fast = fast && worker->filters[i];
    if (!fast)
        return expect_all_exactly(worker, count, error);
    for (size_t at = 0; at < count;) {
        struct joint_span run = {.worker = worker, .at = at, .count = count - at};
        for (int i = 0; i < results; i++) {
            run.spans[i] = span_next(worker, i, first, at, count);
            run.count = run.spans[i].count < run.count ? run.spans[i].count : run.count;
        }
        if (!expect_run(&run, error))
            return false;
        at += run.count;
    }
    return true;
}
