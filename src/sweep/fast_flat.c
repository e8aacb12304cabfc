/* Judging the outputs of a FLAT block, whose right results follow a pattern, and of a NAN block. */
#include "sweep/scan.h"
#include "sweep/span.h"

/* An error in a FLAT block is known to this (filter.h). */
#define FLAT_SLACK 0x1p-23

/* Output `offset` of the span as it is, or `other` in its place. */
static struct judgement judge_flat_output(const struct span *span, size_t offset, uint64_t other,
                                          struct sighting *sighting) {
    const struct judge *judge = &span->worker->judge;
    struct real y = block_flat_value(span->block, judge->format, span->code + offset);
    *sighting = span_sighting(span, offset);
    sighting->got = other;
    sighting->want = format_encode(judge->format, &y, judge->rounding, judge->overflow);
    struct judgement judgement = judge_output(judge, &y, sighting->want, other);
    sighting->error = judgement.error;
    return judgement;
}

static bool is_exact_flat(const struct span *span) {
    return span->block->kind == BLOCK_FLAT && span->block->flat->side == FLAT_EXACT;
}

/* The function is NaN on all of the span. */
static bool is_nan(const struct span *span) {
    return span->block->kind == BLOCK_NAN ||
           (is_exact_flat(span) && !(span->block->flat->constant >= 0) &&
            !(span->block->flat->constant < 0));
}

/* What is wanted: `want` + i * step for all of the span, with the errors in one bucket. */
struct pattern {
    uint32_t want, step;
    double error;
};

static bool find_pattern(const struct span *span, struct pattern *pattern) {
    const struct format *format = span->worker->judge.format;
    const struct flat *flat = span->block->flat;
    struct sighting first, last;
    size_t end = span->count - 1;
    if (flat->side == FLAT_ALTERNATING)
        return false;
    judge_flat_output(span, 0, 0, &first);
    judge_flat_output(span, end, 0, &last);
    pattern->want = (uint32_t)first.want;
    pattern->step = flat->slope > 0 || flat->slope < 0;
    if (first.want + pattern->step * end != last.want ||
        format_classify(format, first.want) >= CLASS_NAN)
        return false;
    /* Half of a subnormal is not always a number of the format: no pattern there. */
    if (pattern->step && format_classify(format, first.want) != CLASS_NORMAL && flat->slope > 0 &&
        flat->slope < 1)
        return false;
    struct judgement right = judge_flat_output(span, 0, first.want, &first);
    struct judgement other = judge_flat_output(span, end, last.want, &last);
    pattern->error = right.error;
    return right.in_ulps && other.in_ulps && (right.error < 0.5) == (other.error < 0.5);
}

static void judge_singly(const struct span *span, size_t offset) {
    struct sighting sighting;
    struct judgement judgement =
        judge_flat_output(span, offset, span_output(span, offset), &sighting);
    bool known = is_exact_flat(span) || (judgement.in_ulps && judgement.error <= 0);
    worker_count(span->worker, span->implementation, span->result, &judgement, &sighting,
                 known ? 0 : FLAT_SLACK);
}

static bool all_follow(const struct span *span, const struct pattern *pattern) {
    return scan_follows(span->got, (size_t)span->worker->rules.bytes, pattern->want, pattern->step,
                        span->count);
}

static bool is_regular(const struct span *span, const struct pattern *pattern, size_t offset) {
    return span_output(span, offset) == pattern->want + pattern->step * (uint32_t)offset;
}

static void judge_line(const struct span *span) {
    struct pattern pattern = {0};
    struct bulk_outputs bulk = {0};
    bool known = find_pattern(span, &pattern);
    bool all = known && span->count > 2 && all_follow(span, &pattern);
    /* Errors are monotone along the pattern: the first and the last that follow it stand for all.
     */
    size_t first = 0, last = span->count - 1;
    while (known && first < last && !is_regular(span, &pattern, first))
        first++;
    while (known && first < last && !is_regular(span, &pattern, last))
        last--;
    for (size_t i = 0; i < span->count; i++) {
        if (all && i == 1) {
            bulk.count = span->count - 2;
            i = span->count - 2;
        } else if (known && i > first && i < last && is_regular(span, &pattern, i)) {
            bulk.count++;
        } else {
            judge_singly(span, i);
        }
    }
    if (!bulk.count)
        return;
    unsigned bucket = 0;
    while (bucket < HISTOGRAM_EDGES && pattern.error > histogram_edges[bucket])
        bucket++;
    bulk.in_ulps = bulk.faithful = bulk.count;
    bulk.histogram[bucket] = bulk.count;
    bulk.error_sum = pattern.error < 0.5 ? 0 : bulk.count << BULK_UNITS_LOG2;
    tally_add_bulk(span->tally, &bulk, span->exponent);
}

static void count_nans(const struct span *span, struct bulk_outputs *bulk) {
    const struct format *format = span->worker->judge.format;
    uint64_t largest = format->has_infinity ? format->max_finite + 1 : format->max_finite;
    size_t same,
        nans = scan_count_above(span->got, (size_t)span->worker->rules.bytes, (uint32_t)largest,
                                (uint32_t)format->nan, span->count, &same);
    bulk->count = bulk->faithful = nans;
    bulk->nan_bits_differ = nans - same;
}

static void judge_nan(const struct span *span) {
    const struct judge *judge = &span->worker->judge;
    struct bulk_outputs bulk = {0};
    struct real y = real_nan();
    count_nans(span, &bulk);
    bool all = bulk.count == span->count && !(bulk.nan_bits_differ && judge->strict_nan);
    for (size_t i = 0; !all && i < span->count; i++) {
        struct sighting sighting = span_sighting(span, i);
        sighting.want = judge->format->nan;
        struct judgement judgement = judge_output(judge, &y, sighting.want, sighting.got);
        worker_count(span->worker, span->implementation, span->result, &judgement, &sighting, 0);
    }
    if (all)
        tally_add_bulk(span->tally, &bulk, span->exponent);
}

void span_judge_flat(const struct span *span) {
    if (is_nan(span))
        judge_nan(span);
    else
        judge_line(span);
}
