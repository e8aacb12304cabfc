/* Runs of outputs that are held against a promise at once. */
#include "sweep/judge/promise_check_span.h"

#include "sweep/judge/output.h"
#include "sweep/judge/promise_check.h"
#include "sweep/promise/inherit.h"

#include <string.h>

void run_find_ends(const struct span *span, size_t offset, size_t count, struct run_ends *ends) {
    const struct binding_request *computed = &span->worker->request->computed;
    size_t places[2] = {span->at + offset, span->at + offset + count - 1};
    for (int i = 0; i < 2; i++) {
        worker_load_inputs(span->worker, places[i], ends->codes[i]);
        ends->inputs[i] =
            promise_input_of(computed->format, computed->operation->operands, ends->codes[i]);
    }
}

const struct promise *span_promise(const struct span *span) {
    return worker_promise(span->worker, span->implementation, span->result);
}

void run_magnitudes(const struct span *span, size_t offset, size_t count, uint64_t ends[2]) {
    const struct format *format = span->worker->judge.format;
    ends[0] = UINT64_MAX;
    ends[1] = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t magnitude = format_magnitude(format, span_output(span, offset + i));
        ends[0] = magnitude < ends[0] ? magnitude : ends[0];
        ends[1] = magnitude > ends[1] ? magnitude : ends[1];
    }
}

struct span_of_values run_limits(const struct span *span, const struct promise_piece *piece,
                                 const struct run_ends *ends, struct ulp_exponents ulp) {
    struct span_of_values operands[MAX_OPERANDS];
    for (int i = 0; i < ends->inputs[0].operands; i++) {
        double a = ends->inputs[0].values[i].low, b = ends->inputs[1].values[i].low;
        operands[i] = (struct span_of_values){a < b ? a : b, a < b ? b : a};
    }
    return inherited_limits(span_promise(span), piece, span->worker->judge.format, operands, ulp);
}

/* Four ulps are eight numbers at most. */
#define LEAST_FAR_OFF 3.5

/* The least limit of the inputs between the ends. */
static double least_limit(const struct span *span, const struct promise_piece *piece,
                          const struct run_ends *ends, size_t offset, size_t count, double most) {
    struct promise_piece in_ulps = *piece;
    uint64_t magnitudes[2];
    in_ulps.has_absolute = in_ulps.has_relative = false;
    in_ulps.inherited = NULL;
    double limit = run_limits(span, &in_ulps, ends, (struct ulp_exponents){0}).low;
    bool more = piece->has_absolute || piece->has_relative || piece->inherited;
    if (most <= limit || !more || most > LEAST_FAR_OFF)
        return limit;
    run_magnitudes(span, offset, count, magnitudes);
    struct ulp_exponents ulp =
        promise_ulp_between(span->worker->judge.format, magnitudes[0], magnitudes[1], FAR_NUMBERS);
    return run_limits(span, piece, ends, ulp).low;
}

bool span_has_bits(const struct span *span, const struct promise_piece *piece, size_t offset,
                   size_t count) {
    const struct judge *judge = &span->worker->judge;
    size_t bytes = format_bytes(judge->format), at = span->at + offset;
    const void *promised =
        span->worker->outputs[piece->reference_at * MAX_RESULTS + (size_t)span->result];
    if (span->worker->unanswered_count[piece->reference_at])
        return false;
    if (memcmp((const char *)span->got + offset * bytes, (const char *)promised + at * bytes,
               count * bytes) == 0)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!bits_are_same(judge, span_output(span, offset + i),
                           code_load(promised, bytes, at + i)))
            return false;
    return true;
}

bool span_keeps_promise(const struct span *span, size_t offset, size_t count, double most,
                        bool right) {
    const struct promise *promise = span_promise(span);
    struct run_ends ends;
    bool uniform;
    if (!promise || !count)
        return true;
    run_find_ends(span, offset, count, &ends);
    const struct promise_piece *piece =
        promise_piece_between(promise, &ends.inputs[0], &ends.inputs[1], &uniform);
    if (!uniform)
        return false;
    if (!piece || piece->kind == PROMISE_ANYTHING)
        return true;
    if (piece->kind == PROMISE_SAME_BITS)
        return span_has_bits(span, piece, offset, count);
    return piece->kind == PROMISE_ERROR
               ? most <= least_limit(span, piece, &ends, offset, count, most)
               : right;
}

void span_count_kept(const struct span *span, size_t offset, uint64_t count) {
    const struct promise *promise = span_promise(span);
    struct run_ends ends;
    if (!promise || !count)
        return;
    run_find_ends(span, offset, 1, &ends);
    const struct promise_piece *piece = promise_piece_of(promise, &ends.inputs[0]);
    bool out = !piece || piece->kind == PROMISE_ANYTHING;
    span->tally->promise.kept += out ? 0 : count;
    span->tally->promise.left_out += out ? count : 0;
}

void span_count_right(const struct span *span, size_t offset, size_t count) {
    if (span_keeps_promise(span, offset, count, 0, true)) {
        span_count_kept(span, offset, count);
        return;
    }
    static const struct judgement right = {
        .verdict = VERDICT_CORRECT, .in_ulps = true, .faithful = true};
    for (size_t i = 0; i < count; i++) {
        struct witness witness = span_witness(span, offset + i);
        witness.want = witness.got;
        worker_check_promise(span->worker, span->implementation, span->result, &right, &witness, 0,
                             true);
    }
}

bool span_could_be_worst(const struct span *span, double error, double limit, size_t offset) {
    const struct promise_tally *tally = &span->tally->promise;
    double most = promise_excess(error, limit), worst = tally->worst.excess;
    return !tally->has_worst || most > worst ||
           (!(most < worst) && span->index + offset < tally->worst.witness.index);
}
