/* Outputs of a library that are one number over hundreds of inputs, and so far off that their errors are
 * one double: infinity, where it overflows long before the function does. */
#include "base/bits.h"
#include "base/vector.h"
#include "sweep/judge/promise_check.h"
#include "sweep/judge/scan.h"
#include "sweep/judge/strip.h"

/* Right neighbours are never so far off, and doubles from here on are whole multiples of what sums of
 * errors count. */
#define LEAST_ALIKE 16.0

/* The ends between which all that an enclosure of an output of the strip can say lies: the function is
 * monotone, each p is off by the bound, and an enclosure reaches farther than that (filter.h), but no
 * farther than `reach`. */
static bool find_ends(const struct span *span, const struct strip *strip, const double *p,
                      double reach, struct real ends[2]) {
    const struct format *format = span->worker->judge.format;
    double a = p[0], b = p[strip->count - 1], least, most;
    if (!block_slopes(span->block, &least, &most) || !(least > 0 || most < 0))
        return false;
    ends[0] = real_from_double((a < b ? a : b) - 4 * reach);
    ends[1] = real_from_double((a < b ? b : a) + 4 * reach);
    ends[0].inexact = ends[1].inexact = true;
    return ends[0].kind == REAL_FINITE && ends[1].kind == REAL_FINITE &&
           ends[0].negative == ends[1].negative && ends[0].exponent == ends[1].exponent &&
           ends[0].exponent >= format->emin && ends[0].exponent < format->emax;
}

/* The judgement that all outputs of the strip have; false where they may differ. The error falls or
 * rises with the result, so where both ends have the same all between have. */
static bool find_judgement(const struct span *span, const struct strip *strip, const double *p,
                           double reach, struct judgement *judgement) {
    const struct judge *judge = &span->worker->judge;
    uint64_t got = span_output(span, strip->offset);
    struct real ends[2];
    if (!find_ends(span, strip, p, reach, ends))
        return false;
    double error = ulp_error(judge->format, &ends[0], got);
    double other = ulp_error(judge->format, &ends[1], got);
    uint64_t want = format_encode(judge->format, &ends[0], judge->rounding, judge->overflow);
    *judgement = judge_output(judge, &ends[0], want, got);
    return !(error < other) && !(error > other) && error >= LEAST_ALIKE &&
           judgement->verdict == VERDICT_INCORRECT && judgement->in_ulps;
}

/* Whether a number of the format, or the middle of two, lies between p - reach and p + reach: then the
 * right result is in doubt. */
INLINED bool is_open(double p, double reach, int precision) {
    return (bits_of(p - reach) ^ bits_of(p + reach)) >> (52 - precision);
}

FOR_EACH_CPU
static bool is_any_open(const double *p, size_t count, double reach, int precision) {
    bool open = false;
    for (size_t i = 0; i < count; i++)
        open |= is_open(p[i], reach, precision);
    return open;
}

/* All outputs are one number, and enclosures would say what it is. */
static bool is_constant(const struct span *span, const struct strip *strip) {
    const struct worker *worker = span->worker;
    size_t bytes = format_bytes(worker->judge.format);
    uint64_t got = span_output(span, strip->offset);
    return bytes < 8 && !format_is_nan(worker->judge.format, got) &&
           !worker->request->computed.operation->result[span->result].supporting_line &&
           scan_follows((const char *)span->got + strip->offset * bytes, bytes, got, 0, 0,
                        strip->count);
}

bool strip_count_alike(const struct span *span, const struct strip *strip, double *counted,
                       uint16_t *doubtful, size_t *doubts) {
    const struct block *block = span->block;
    size_t at = (size_t)(span->code - block->first) + strip->offset, count = strip->count;
    int precision = span->worker->judge.format->precision;
    double p[DECISION_STRIP];
    struct judgement judgement;
    if (strip->sums.sure || count < 8 * TALLY_WORST || !is_constant(span, strip))
        return false;
    fit_values(&block->fit, block->log2_count, at, count, p, NULL);
    /* find_judgement sees that all values lie in one binade: none reaches twice as far as another. */
    double reach = 2 * block_reach(block, p[0]);
    if (!find_judgement(span, strip, p, reach, &judgement) ||
        !span_keeps_promise(span, strip->offset, count, judgement.error, false))
        return false;
    bool repeats = !(judgement.error < *counted) && !(judgement.error > *counted);
    bool any_open = is_any_open(p, count, reach, precision);
    size_t first = repeats ? 0 : TALLY_WORST, before = *doubts;
    for (size_t i = 0; i < (any_open ? count : first); i++)
        if (i < first || is_open(p[i], reach, precision))
            doubtful[(*doubts)++] = (uint16_t)(strip->offset + i);
    tally_add_alike(span->tally, &judgement, count - (*doubts - before), span->exponent,
                    span->code);
    span_count_kept(span, strip->offset, count - (*doubts - before));
    *counted = judgement.error;
    return true;
}
