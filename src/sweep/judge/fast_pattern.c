/* Judging the outputs of a PATTERN block, whose right results are known to the bit: the runs that the
 * pattern holds for are compared at once, and outputs are looked at one by one where a strip of them
 * has another. */
#include "sweep/judge/promise_check.h"
#include "sweep/judge/scan.h"
#include "sweep/judge/span.h"

enum { STRIP = 256 };

struct real span_pattern_value(const struct span *span, size_t offset) {
    const struct format *format = span->worker->judge.format;
    uint64_t code = span->code + offset;
    struct code_pattern pattern = filter_pattern(span->worker->filters[span->result], code);
    return format_decode(format, code_pattern_at(&pattern, format, code));
}

/* A result that is right has no error. */
static void add_right(const struct span *span, size_t offset, struct bulk_outputs *bulk,
                      bool is_nan, size_t count) {
    if (!is_nan && span->tally->envelope.steps)
        envelope_step_add(envelope_step_of(&span->tally->envelope, span->code + offset),
                          span->code + offset, 0);
    bulk->count += count;
    bulk->faithful += count;
    bulk->in_ulps += is_nan ? 0 : count;
    bulk->histogram[0] += is_nan ? 0 : count;
}

static void judge_singly(const struct span *span, size_t offset, const struct real *y,
                         uint64_t want) {
    struct witness witness = span_witness(span, offset);
    witness.want = want;
    struct judgement judgement = judge_output(&span->worker->judge, y, want, witness.got);
    witness.error = judgement.error;
    worker_count(span->worker, span->implementation, span->result, &judgement, &witness, 0);
}

/* One output, counted in bulk where it is right and no maximum. */
static void judge_one(const struct span *span, const struct code_pattern *pattern, size_t offset,
                      struct bulk_outputs *bulk) {
    const struct format *format = span->worker->judge.format;
    uint64_t want = code_pattern_at(pattern, format, span->code + offset);
    bool is_nan = format_is_nan(format, want);
    if (span_output(span, offset) == want &&
        (is_nan ||
         !tally_could_change(span->tally, 0, span->index + offset, span->exponent, false))) {
        add_right(span, offset, bulk, is_nan, 1);
        span_count_right(span, offset, 1);
        return;
    }
    struct real y = format_decode(format, want);
    judge_singly(span, offset, &y, want);
}

/* `count` outputs from `offset` on. NaN follows from NaN alone, or is all that there is. */
static void judge_strip(const struct span *span, const struct code_pattern *pattern, size_t offset,
                        size_t count, struct bulk_outputs *bulk) {
    const struct format *format = span->worker->judge.format;
    uint64_t code = span->code + offset;
    const char *got = (const char *)span->got + offset * format_bytes(format);
    bool all = scan_matches(got, format, pattern, code, count);
    size_t singly = 0;
    /* The first one may be the largest error so far, 0, and none after it is. */
    while (singly < count && (!all || singly == 0))
        judge_one(span, pattern, offset + singly++, bulk);
    if (singly < count) {
        add_right(span, offset + singly, bulk,
                  format_is_nan(format, code_pattern_at(pattern, format, code)), count - singly);
        span_count_right(span, offset + singly, count - singly);
    }
}

bool span_judge_pattern(const struct span *span, struct error *error) {
    struct bulk_outputs bulk = {0};
    (void)error;
    for (size_t at = 0, end; at < span->count; at = end) {
        uint64_t code = span->code + at;
        struct code_pattern pattern = filter_pattern(span->worker->filters[span->result], code);
        size_t room = span->count - at;
        end = pattern.last - code < room ? at + (size_t)(pattern.last - code) + 1 : span->count;
        for (size_t count; at < end; at += count) {
            count = end - at < STRIP ? end - at : STRIP;
            judge_strip(span, &pattern, at, count, &bulk);
        }
    }
    tally_add_bulk(span->tally, &bulk, span->exponent, span->code);
    return true;
}
