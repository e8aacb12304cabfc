/* What the envelope is told of a strip. Most strips have nothing for it, and their largest error, or both
 * ends of their errors, say so; only of the others each output is looked at. */
#include "sweep/judge/asymptote.h"

#include <math.h>

static double ulps(int32_t units) {
    return (double)units * 0x1p-29;
}

static int32_t size_of(int32_t error) {
    return error < 0 ? -error : error;
}

static void offer(const struct span *span, const struct strip *strip, size_t i) {
    const struct decision_rules *rules = &span->worker->rules;
    int32_t error = strip->errors[i];
    bool right = error >= rules->least && error <= rules->most;
    struct error_knowledge knowledge =
        worker_knowledge(span->worker, span->result, ulps(strip->sums.margin), right);
    struct witness witness = span_witness(span, strip->offset + i);
    witness.want = witness.got;
    witness.error = ulps(size_of(error));
    bool turned = rules->toward_zero && format_is_negative(span->worker->judge.format, witness.got);
    tally_offer_step(span->tally, &witness, (error < 0) != turned, &knowledge);
}

/* Errors below this are less than the step's worst. */
static int32_t worst_floor(const struct envelope_step *step, int32_t margin) {
    double worst = step->has_error ? fmax(-step->least, step->largest) : 0;
    double units = (worst - ENVELOPE_UNIT) * 0x1p29 - margin - 1;
    return units < INT32_MAX ? (int32_t)fmax(units, 0) : INT32_MAX;
}

/* First what may be an end: an error that is within the margin of it may be beyond it. Then what may be the
 * worst, if it is not that end: it comes before the step's, and is the same once rounded. */
static void offer_each(const struct span *span, const struct strip *strip,
                       const struct envelope_step *step) {
    int32_t margin = strip->sums.margin;
    int32_t high = strip->sums.most - 2 * margin, low = strip->sums.least + 2 * margin;
    for (size_t i = 0; i < strip->count; i++)
        if (strip->errors[i] != DECISION_UNSURE &&
            (strip->errors[i] >= high || strip->errors[i] <= low))
            offer(span, strip, i);
    uint64_t code = span->code + strip->offset;
    for (size_t i = 0; i < strip->count && code + i < step->worst; i++)
        if (strip->errors[i] != DECISION_UNSURE &&
            size_of(strip->errors[i]) >= worst_floor(step, margin))
            offer(span, strip, i);
}

void strip_offer_step(const struct span *span, const struct strip *strip) {
    const struct envelope *envelope = &span->tally->envelope;
    const struct decision_sums *sums = &strip->sums;
    if (!envelope->steps || !sums->sure)
        return;
    uint64_t code = span->code + strip->offset;
    const struct envelope_step *step = envelope_step_of(envelope, code);
    double margin = ulps(sums->margin);
    double cap = worker_knowledge(span->worker, span->result, 0, sums->wrong == 0).most;
    double most = fmin(ulps(sums->largest) + margin, cap);
    if (!envelope_step_could_change(step, code, -most, most))
        return;
    double low = fmax(ulps(sums->least) - margin, -cap),
           high = fmin(ulps(sums->most) + margin, cap);
    if (span->worker->rules.toward_zero || envelope_step_could_change(step, code, low, high))
        offer_each(span, strip, step);
}

void strip_note_far(const struct span *span, const struct strip *strip, size_t i, double error,
                    double slack) {
    const struct envelope *envelope = &span->tally->envelope;
    uint64_t code = span->code + strip->offset + i;
    if (!envelope->steps || !envelope_step_could_change(envelope_step_of(envelope, code), code,
                                                        -error - slack, error + slack))
        return;
    struct error_knowledge knowledge = worker_knowledge(span->worker, span->result, slack, false);
    struct witness witness = span_witness(span, strip->offset + i);
    witness.error = error;
    struct real got = format_decode(span->worker->judge.format, witness.got);
    double tail;
    struct real y = real_from_double(span_cheap_value(span, code, &tail));
    /* y is a normal number, and farther from the output than is in doubt. */
    bool smaller = real_is_smaller(&got, &y);
    bool below =
        got.negative != y.negative && got.kind != REAL_ZERO ? got.negative : smaller != y.negative;
    tally_offer_step(span->tally, &witness, below, &knowledge);
}
