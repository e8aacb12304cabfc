/* Single outputs of an ASYMPTOTE block. */
#include "sweep/judge/asymptote.h"

struct judgement asymptote_judge_output(const struct span *span, size_t offset, uint64_t other,
                                        struct witness *witness) {
    const struct judge *judge = &span->worker->judge;
    struct real y = block_asymptote_value(span->block, judge->format, span->code + offset);
    *witness = span_witness(span, offset);
    witness->got = other;
    witness->want = format_encode(judge->format, &y, judge->rounding, judge->overflow);
    struct judgement judgement = judge_output(judge, &y, witness->want, other);
    witness->error = judgement.error;
    return judgement;
}

/* The slopes are powers of two. */
static double line_value(const struct span *span, uint64_t code) {
    const struct asymptote *line = span->block->asymptote;
    return line->slope > 0 || line->slope < 0
               ? line->slope * fit_input(span->worker->judge.format, code)
               : line->constant;
}

double span_cheap_value(const struct span *span, uint64_t code, double *tail) {
    bool wide = span->worker->rules.bytes == 8;
    *tail = 0;
    return span->block->kind == BLOCK_FIT ? block_value(span->block, code, wide ? tail : NULL)
                                          : line_value(span, code);
}

bool asymptote_is_at_edge(double error) {
    double slack = ASYMPTOTE_SLACK + 0x1p-50 * error;
    for (int i = 0; i < HISTOGRAM_EDGES; i++)
        if (histogram_edges[i] > 1 && error - histogram_edges[i] <= slack &&
            histogram_edges[i] - error <= slack)
            return true;
    return false;
}

bool asymptote_judge_singly(const struct span *span, size_t offset, struct error *error) {
    struct witness witness;
    struct judgement judgement =
        asymptote_judge_output(span, offset, span_output(span, offset), &witness);
    if (!asymptote_is_exact(span) && judgement.in_ulps && asymptote_is_at_edge(judgement.error))
        return span_judge_exactly(span, offset, error);
    bool known = asymptote_is_exact(span) || (judgement.in_ulps && judgement.error <= 0);
    worker_count(span->worker, span->implementation, span->result, &judgement, &witness,
                 known ? 0 : ASYMPTOTE_SLACK);
    return true;
}
