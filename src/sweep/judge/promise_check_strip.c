/* The outputs of a strip of a FIT block against a promise. Where the limits of all its inputs lie close
 * to one another, an error alone says whether an output keeps the promise: only what lies near a limit,
 * and what may be the worst violation, is looked at by itself. */
#include "sweep/judge/promise_check.h"

#include "sweep/judge/output.h"
#include "sweep/judge/promise_check_span.h"
#include "sweep/judge/strip.h"

#include <math.h>

static double ulps(int32_t units) {
    return (double)units * 0x1p-29;
}

static int32_t size_of(int32_t error) {
    return error < 0 ? -error : error;
}

static void check_one(const struct span *span, const struct strip *strip, size_t i) {
    const struct decision_rules *rules = &span->worker->rules;
    int32_t error = strip->errors[i], size = size_of(error);
    bool wrong = error < rules->least || error > rules->most;
    struct witness witness = span_witness(span, strip->offset + i);
    witness.error = ulps(size);
    struct judgement judgement = {.verdict = wrong ? VERDICT_INCORRECT : VERDICT_CORRECT,
                                  .in_ulps = true,
                                  .faithful = size <= (int32_t)1 << DECISION_UNITS_LOG2,
                                  .error = witness.error};
    worker_check_promise(span->worker, span->implementation, span->result, &judgement, &witness,
                         ulps(strip->sums.margin), false);
}

/* What errors alone say: those from `kept.least` to `kept.most` are kept, and those that are not
 * between the ends of `open` break the promise. */
struct error_range {
    int32_t least, most;
};
struct thresholds {
    struct error_range kept, open;
    double limit; /* the least */
};

static bool is_within(const struct error_range *range, int32_t error) {
    return range->least <= error && error <= range->most;
}

/* The largest whole number of units that is no more than so many ulps; -1 for none. */
static int32_t units_within(double limit) {
    double units = floor(limit * 0x1p29);
    return units < 0 ? -1 : units < DECISION_UNSURE - 1 ? (int32_t)units : DECISION_UNSURE - 1;
}

static struct error_range both_signs(int64_t most) {
    int32_t cut = most < DECISION_UNSURE ? (int32_t)most : DECISION_UNSURE - 1;
    return (struct error_range){-cut, cut};
}

static void find_thresholds(const struct span *span, const struct strip *strip,
                            enum promise_kind kind, struct span_of_values limit,
                            struct thresholds *thresholds) {
    const struct error_range right = {span->worker->rules.least, span->worker->rules.most};
    int32_t margin = strip->sums.margin;
    thresholds->limit = limit.low;
    if (kind == PROMISE_CORRECTLY_ROUNDED)
        thresholds->kept = thresholds->open = right;
    else if (kind == PROMISE_FAITHFUL)
        thresholds->kept = thresholds->open = both_signs((int64_t)1 << DECISION_UNITS_LOG2);
    else {
        thresholds->kept = both_signs((int64_t)units_within(limit.low) - margin);
        thresholds->open = both_signs((int64_t)units_within(limit.high) + margin + 1);
        /* What is right is off by no more than it can be, whatever the margin. */
        if (limit.low >= worker_most_error(span->worker, true)) {
            struct error_range *kept = &thresholds->kept;
            kept->least = right.least < kept->least ? right.least : kept->least;
            kept->most = right.most > kept->most ? right.most : kept->most;
        }
    }
}

/* Whether no output of the strip could be accepted for another reason: all operands and outputs are
 * normal numbers, and not so large that a result could overflow. */
static bool is_plain(const struct span *span, const struct run_ends *ends,
                     const uint64_t magnitudes[2]) {
    const struct format *format = span->worker->judge.format;
    int fraction = format->precision - 1;
    for (int i = 0; i < ends->inputs[0].operands; i++) {
        enum number_class a = format_classify(ends->inputs[0].format, ends->codes[0][i]);
        enum number_class b = format_classify(ends->inputs[0].format, ends->codes[1][i]);
        if (a != b || (a != CLASS_NORMAL && a != CLASS_ZERO))
            return false;
    }
    return magnitudes[0] >> fraction > 1 &&
           magnitudes[1] >> fraction < format->max_finite >> fraction;
}

/* Finds what errors alone say of the strip's outputs; false where that is nothing. */
static bool judge_by_errors(const struct span *span, const struct strip *strip,
                            struct thresholds *thresholds) {
    const struct promise *promise = span_promise(span);
    const struct format *format = span->worker->judge.format;
    struct run_ends ends;
    uint64_t magnitudes[2];
    bool uniform;
    run_find_ends(span, strip->offset, strip->count, &ends);
    const struct promise_piece *piece =
        promise_piece_between(promise, &ends.inputs[0], &ends.inputs[1], &uniform);
    if (!uniform || !piece || piece->kind == PROMISE_ANYTHING || piece->kind == PROMISE_SAME_BITS)
        return false;
    run_magnitudes(span, strip->offset, strip->count, magnitudes);
    if (promise->accepted && !is_plain(span, &ends, magnitudes))
        return false;
    struct ulp_exponents ulp =
        promise_ulp_between(format, magnitudes[0], magnitudes[1], FAR_NUMBERS);
    double of_kind = worker_kind_limit(span->worker, piece->kind);
    struct span_of_values limit = {of_kind, of_kind};
    if (piece->kind == PROMISE_ERROR)
        limit = run_limits(span, piece, &ends, ulp);
    find_thresholds(span, strip, piece->kind, limit, thresholds);
    return true;
}

/* Counts, and looks at what is open or may be the worst: first at the largest error. */
static void count_by_errors(const struct span *span, const struct strip *strip,
                            const struct thresholds *thresholds) {
    double margin = ulps(strip->sums.margin);
    uint64_t kept = 0, broken = 0;
    int32_t largest = -1;
    size_t first = strip->count;
    for (size_t i = 0; i < strip->count; i++) {
        int32_t error = strip->errors[i];
        bool sure = error != DECISION_UNSURE, breaks = sure && !is_within(&thresholds->open, error);
        kept += sure && is_within(&thresholds->kept, error);
        broken += breaks;
        largest = breaks && size_of(error) > largest ? size_of(error) : largest;
    }
    bool may = largest >= 0 &&
               span_could_be_worst(span, ulps(largest) + margin, thresholds->limit, strip->offset);
    for (size_t i = 0; may && first == strip->count; i++)
        if (size_of(strip->errors[i]) == largest)
            first = i;
    if (may)
        check_one(span, strip, first);
    for (size_t i = 0; i < strip->count && (may || kept + broken < strip->sums.sure); i++) {
        int32_t error = strip->errors[i];
        if (error == DECISION_UNSURE || is_within(&thresholds->kept, error) || i == first)
            continue;
        bool open = is_within(&thresholds->open, error);
        if (open || (may && span_could_be_worst(span, ulps(size_of(error)) + margin,
                                                thresholds->limit, strip->offset + i))) {
            check_one(span, strip, i);
            broken -= !open;
        }
    }
    span->tally->promise.kept += kept;
    span->tally->promise.violations += broken - may;
}

/* Counts the outputs of a strip of which bits are promised, and looks at the first that has others; false
 * where outputs have to be looked at one by one. */
static bool count_by_bits(const struct span *span, const struct strip *strip) {
    const struct promise_tally *tally = &span->tally->promise;
    struct run_ends ends;
    bool uniform;
    run_find_ends(span, strip->offset, strip->count, &ends);
    const struct promise_piece *piece =
        promise_piece_between(span_promise(span), &ends.inputs[0], &ends.inputs[1], &uniform);
    if (!uniform || !piece || piece->kind != PROMISE_SAME_BITS || span_promise(span)->accepted ||
        span->worker->unanswered_count[piece->reference_at])
        return false;
    uint64_t kept = 0, broken = 0;
    for (size_t i = 0; i < strip->count; i++) {
        if (strip->errors[i] == DECISION_UNSURE)
            continue;
        if (span_has_bits(span, piece, strip->offset + i, 1))
            kept++;
        else if (tally->has_worst && tally->worst.excess >= INFINITY &&
                 span->index + strip->offset + i > tally->worst.witness.index)
            broken++;
        else
            check_one(span, strip, i);
    }
    span->tally->promise.kept += kept;
    span->tally->promise.violations += broken;
    return true;
}

void strip_check_promise(const struct span *span, const struct strip *strip) {
    const struct decision_sums *sums = &strip->sums;
    struct thresholds thresholds;
    if (!span_promise(span) || !sums->sure)
        return;
    bool right = !sums->wrong;
    double most = ulps(sums->largest) + ulps(sums->margin);
    double cap = worker_most_error(span->worker, right);
    if (span_keeps_promise(span, strip->offset, strip->count, most < cap ? most : cap, right))
        span_count_kept(span, strip->offset, sums->sure);
    else if (count_by_bits(span, strip))
        return;
    else if (judge_by_errors(span, strip, &thresholds))
        count_by_errors(span, strip, &thresholds);
    else
        for (size_t i = 0; i < strip->count; i++)
            if (strip->errors[i] != DECISION_UNSURE)
                check_one(span, strip, i);
}
