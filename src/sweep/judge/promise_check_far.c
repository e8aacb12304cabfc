/* Far outputs of a strip (far.c) against a promise. What is wrong by many ulps is decided by the cheap value
 * where its error is clear of all the limits of the strip, and so is what is left out: only what lies near a
 * limit, what might be accepted for another reason, and what may be the worst violation is looked at by
 * itself. */
#include "oracle/fast/evaluate_arithmetic.h"
#include "sweep/judge/asymptote.h"
#include "sweep/judge/far.h"
#include "sweep/judge/promise_check.h"
#include "sweep/judge/promise_check_span.h"

static void check_one(const struct span *span, const struct strip *strip,
                      const struct far_outputs *far, size_t i) {
    const struct judge *judge = &span->worker->judge;
    const struct judgement judgement = {
        .verdict = VERDICT_INCORRECT, .in_ulps = true, .error = far->errors[i]};
    struct witness witness = span_witness(span, strip->offset + i);
    /* The right result is this number or its neighbour, and of the same binade: enough for the limit. What
     * is kept of a violation is computed again. */
    double tail;
    struct real near =
        real_from_double(span_cheap_value(span, span->code + strip->offset + i, &tail));
    witness.want = format_encode(judge->format, &near, judge->rounding, judge->overflow);
    witness.error = far->errors[i];
    worker_check_promise(span->worker, span->implementation, span->result, &judgement, &witness,
                         far_slack(far->errors[i]), true);
}

/* What all far outputs of the strip have in common: the piece that holds them, or none, and between which
 * numbers their limits lie; false where they have to be looked at one by one. Right results are normal
 * numbers, so that beside zeros only subnormal operands make a promise accept more. */
static bool find_common(const struct span *span, const struct strip *strip,
                        const struct far_outputs *far, const struct promise_piece **piece,
                        struct span_of_values *limit) {
    const struct promise *promise = span_promise(span);
    struct run_ends ends;
    bool uniform;
    run_find_ends(span, strip->offset, strip->count, &ends);
    *piece = promise_piece_between(promise, &ends.inputs[0], &ends.inputs[1], &uniform);
    if (!uniform)
        return false;
    if (!*piece || (*piece)->kind == PROMISE_ANYTHING)
        return true;
    if ((*piece)->kind == PROMISE_SAME_BITS)
        return false;
    for (int i = 0; promise->accepted && i < ends.inputs[0].operands; i++)
        for (int end = 0; end < 2; end++)
            if (format_classify(ends.inputs[0].format, ends.codes[end][i]) == CLASS_SUBNORMAL)
                return false;
    double of_kind = worker_kind_limit(span->worker, (*piece)->kind);
    *limit = (struct span_of_values){of_kind, of_kind};
    if ((*piece)->kind == PROMISE_ERROR)
        *limit = run_limits(span, *piece, &ends, far->ulp);
    return true;
}

/* A zero, or a subnormal number, may be accepted in the place of what is subnormal or near to that. */
static bool is_open_zero(const struct span *span, size_t offset) {
    return span_promise(span)->accepted &&
           format_classify(span->worker->judge.format, span_output(span, offset)) <=
               CLASS_SUBNORMAL;
}

/* Counts by errors; the largest that breaks the promise is looked at first, so that few others may be
 * worse. */
static void count(const struct span *span, const struct strip *strip, const struct far_outputs *far,
                  const struct span_of_values *limit, bool of_error) {
    struct promise_tally *tally = &span->tally->promise;
    size_t largest = strip->count;
    for (size_t i = 0; i < strip->count; i++)
        if (far->errors[i] >= 0 &&
            (largest == strip->count || far->errors[i] > far->errors[largest]) &&
            far->errors[i] - far_slack(far->errors[i]) > limit->high)
            largest = i;
    if (largest < strip->count) {
        double error = far->errors[largest];
        if (span_could_be_worst(span, error + far_slack(error), limit->low,
                                strip->offset + largest) ||
            is_open_zero(span, strip->offset + largest))
            check_one(span, strip, far, largest);
        else
            tally->violations++;
    }
    for (size_t i = 0; i < strip->count; i++) {
        double error = far->errors[i], slack = far_slack(error);
        if (error < 0 || i == largest)
            continue;
        if (of_error && error + slack <= limit->low)
            tally->kept++;
        else if (error - slack > limit->high && !is_open_zero(span, strip->offset + i) &&
                 !span_could_be_worst(span, error + slack, limit->low, strip->offset + i))
            tally->violations++;
        else
            check_one(span, strip, far, i);
    }
}

void strip_check_promise_far(const struct span *span, const struct strip *strip,
                             const struct far_outputs *far) {
    const struct promise_piece *piece;
    struct span_of_values limit;
    if (!span_promise(span) || !far->count)
        return;
    if (!find_common(span, strip, far, &piece, &limit)) {
        for (size_t i = 0; i < strip->count; i++)
            if (far->errors[i] >= 0)
                check_one(span, strip, far, i);
    } else if (!piece || piece->kind == PROMISE_ANYTHING)
        span->tally->promise.left_out += far->count;
    else
        count(span, strip, far, &limit, piece->kind == PROMISE_ERROR);
}
