/* Runs of outputs that are held against a promise at once. */
#include "sweep/judge/hold.h"

#include "sweep/judge/output.h"
#include "sweep/promise/promise.h"

/* The inputs at both ends of a part of a span. */
struct run_ends {
    uint64_t codes[2][MAX_OPERANDS];
    struct promise_input inputs[2];
};

static void find_ends(const struct span *span, size_t offset, size_t count, struct run_ends *ends) {
    const struct binding_request *computed = &span->worker->request->computed;
    size_t places[2] = {span->at + offset, span->at + offset + count - 1};
    for (int i = 0; i < 2; i++) {
        worker_load_inputs(span->worker, places[i], ends->codes[i]);
        ends->inputs[i] =
            promise_input_of(computed->format, computed->operation->operands, ends->codes[i]);
    }
}

static const struct promise *promise_of(const struct span *span) {
    return worker_promise(span->worker, span->implementation, span->result);
}

/* The exponent of the largest ulp(y), where no output is off by more than 3.5 ulps: the exact results
 * then reach one binade farther than the outputs, at most. */
static int largest_ulp(const struct span *span, size_t offset, size_t count) {
    const struct format *format = span->worker->judge.format;
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = format_magnitude(format, span_output(span, offset + i));
        largest = magnitude > largest ? magnitude : largest;
    }
    struct real value = format_decode(format, largest);
    return value.kind == REAL_NAN ? format->emax - format->precision + 1
                                  : format_ulp_exponent(format, &value) + 1;
}

#define LEAST_FAR_OFF 3.5

/* The least limit of the inputs between the ends. */
static double least_limit(const struct span *span, const struct promise_piece *piece,
                          const struct run_ends *ends, size_t offset, size_t count, double most) {
    struct span_of_values operands[MAX_OPERANDS];
    for (int i = 0; i < ends->inputs[0].operands; i++) {
        double a = ends->inputs[0].values[i].low, b = ends->inputs[1].values[i].low;
        operands[i] = (struct span_of_values){a < b ? a : b, a < b ? b : a};
    }
    struct promise_piece in_ulps = *piece;
    in_ulps.has_absolute = false;
    double limit = promise_limit(&in_ulps, operands, (struct ulp_exponents){0, 0}).low;
    if (most <= limit || !piece->has_absolute || most > LEAST_FAR_OFF)
        return limit;
    int exponent = largest_ulp(span, offset, count);
    return promise_limit(piece, operands, (struct ulp_exponents){exponent, exponent}).low;
}

bool span_holds(const struct span *span, size_t offset, size_t count, double most, bool right) {
    const struct promise *promise = promise_of(span);
    struct run_ends ends;
    bool uniform;
    if (!promise || !count)
        return true;
    find_ends(span, offset, count, &ends);
    const struct promise_piece *piece =
        promise_piece_between(promise, &ends.inputs[0], &ends.inputs[1], &uniform);
    if (!uniform)
        return false;
    if (!piece || piece->kind == PROMISE_ANYTHING)
        return true;
    return piece->kind == PROMISE_ERROR
               ? most <= least_limit(span, piece, &ends, offset, count, most)
               : right;
}

void span_count_held(const struct span *span, size_t offset, uint64_t count) {
    const struct promise *promise = promise_of(span);
    struct run_ends ends;
    if (!promise || !count)
        return;
    find_ends(span, offset, 1, &ends);
    const struct promise_piece *piece = promise_piece_of(promise, &ends.inputs[0]);
    bool out = !piece || piece->kind == PROMISE_ANYTHING;
    span->tally->promise.kept += out ? 0 : count;
    span->tally->promise.left_out += out ? count : 0;
}

void span_hold_right(const struct span *span, size_t offset, size_t count) {
    if (span_holds(span, offset, count, 0, true)) {
        span_count_held(span, offset, count);
        return;
    }
    for (size_t i = 0; i < count; i++) /* no error is above any limit */
        span_count_held(span, offset + i, 1);
}

static double ulps(int32_t units) {
    return (double)units * 0x1p-29;
}

static void hold_one(const struct span *span, const struct chunk *chunk, size_t i) {
    const struct decision_rules *rules = &span->worker->rules;
    int32_t error = chunk->errors[i], size = error < 0 ? -error : error;
    bool wrong = error < rules->least || error > rules->most;
    struct sighting sighting = span_sighting(span, chunk->offset + i);
    sighting.error = ulps(size);
    struct judgement judgement = {.verdict = wrong ? VERDICT_INCORRECT : VERDICT_CORRECT,
                                  .in_ulps = true,
                                  .faithful = size <= (int32_t)1 << DECISION_UNITS_LOG2,
                                  .error = sighting.error};
    worker_hold(span->worker, span->implementation, span->result, &judgement, &sighting,
                ulps(chunk->sums.margin), false);
}

void chunk_hold(const struct span *span, const struct chunk *chunk) {
    const struct decision_sums *sums = &chunk->sums;
    if (!promise_of(span) || !sums->sure)
        return;
    bool right = !sums->wrong;
    double most = ulps(sums->largest) + ulps(sums->margin);
    double cap = worker_most_error(span->worker, right);
    if (span_holds(span, chunk->offset, chunk->count, most < cap ? most : cap, right)) {
        span_count_held(span, chunk->offset, sums->sure);
        return;
    }
    for (size_t i = 0; i < chunk->count; i++)
        if (chunk->errors[i] != DECISION_UNSURE)
            hold_one(span, chunk, i);
}
