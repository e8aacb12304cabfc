/* Judging slices of consecutive codes with the fast oracle: divided into spans, each judged by the
 * block that it lies in. */
#include "sweep/judge/slice.h"
#include "sweep/judge/span.h"

#include "base/fault.h"
#include "sweep/generator.h"

#include <string.h>

/* The outputs of one implementation, all of which are there. */
static bool judge_answered(struct span *span, void *const *outputs, struct error *error) {
    struct worker *worker = span->worker;
    size_t array = span->implementation * MAX_RESULTS + (size_t)span->result;
    span->got = (const char *)outputs[array] + span->at * format_bytes(worker->judge.format);
    span->tally = &worker->tallies[array];
    if (span->block->kind == BLOCK_FIT)
        return span_judge_fit(span, error);
    if (span->block->kind == BLOCK_PATTERN)
        return span_judge_pattern(span, error);
    if (span->block->kind != BLOCK_EXACT)
        return span_judge_asymptote(span, error);
    for (size_t i = 0; i < span->count; i++)
        if (!span_judge_exactly(span, i, error))
            return false;
    return true;
}

static bool judge_span(struct span *span, void *const *outputs, struct error *error) {
    const struct worker *worker = span->worker;
    if (!worker->unanswered_count[span->implementation])
        return judge_answered(span, outputs, error);
    const uint8_t *unanswered = worker->unanswered[span->implementation] + span->at;
    for (size_t at = 0, end; at < span->count; at = end + 1) {
        for (end = at; end < span->count && !unanswered[end];)
            end++;
        struct span part = *span;
        part.at += at;
        part.index += at;
        part.code += at;
        part.count = end - at;
        if (part.count && !judge_answered(&part, outputs, error))
            return false;
    }
    return true;
}

/* Subnormals change their binade within a block: where the binade of this one ends. */
static uint64_t end_of_binade(const struct format *format, uint64_t code) {
    uint64_t magnitude = format_magnitude(format, code);
    uint64_t next = magnitude ? (uint64_t)2 << (63 - leading_zeros(magnitude)) : 1;
    return code - magnitude + next;
}

/* The envelope is told of a span as of one step. */
static uint64_t end_of_step(const struct worker *worker, uint64_t code) {
    for (size_t i = 0; i < worker->request->implementation_count; i++) {
        const struct envelope *envelope = &worker_tally(worker, i, 0)->envelope;
        if (worker->provided[i] && envelope->steps)
            return ((code >> envelope->log2_codes) + 1) << envelope->log2_codes;
    }
    return UINT64_MAX;
}

/* Whether `count` inputs from `at` on have one first operand and consecutive last ones. Inputs
 * ascend, first operand major (domain.h), so what holds of both ends holds between. */
static bool are_consecutive(const struct worker *worker, const struct span *span, size_t count) {
    int operands = worker->request->computed.operation->operands;
    size_t bytes = format_bytes(worker->judge.format), last = span->at + count - 1;
    bool same = true;
    for (int i = 0; i + 1 < operands && !FAULT(any_first_operand); i++)
        same = same && code_load(worker->inputs[i], bytes, last) == span->fixed[i];
    return same && code_load(worker->inputs[operands - 1], bytes, last) == span->code + count - 1;
}

struct span span_next(struct worker *worker, int result, uint64_t first, size_t at, size_t count) {
    const struct format *format = worker->judge.format;
    int operands = worker->request->computed.operation->operands;
    const void *codes = worker->inputs[operands - 1];
    size_t bytes = format_bytes(format);
    struct span span = {.worker = worker,
                        .result = result,
                        .index = first + at,
                        .at = at,
                        .code = code_load(codes, bytes, at)};
    for (int i = 0; i + 1 < operands; i++)
        span.fixed[i] = code_load(worker->inputs[i], bytes, at);
    span.block = filter_block(worker->filters[result], span.fixed, span.code);
    uint64_t end = span.block->first + ((uint64_t)1 << span.block->log2_count);
    span.exponent = worker_exponent(worker, operands > 1 ? span.fixed[0] : span.code);
    if (operands == 1 && format_classify(format, span.code) <= CLASS_SUBNORMAL &&
        end_of_binade(format, span.code) < end)
        end = end_of_binade(format, span.code);
    if (worker->request->envelope && end_of_step(worker, span.code) < end)
        end = end_of_step(worker, span.code);
    /* Infinity is no NaN, and shares no block with one. */
    size_t room = count - at, wanted = (size_t)(end - span.code);
    span.count = wanted < room ? wanted : room;
    /* Integers of the first operand ascend, and what is drawn beside them need not. */
    if (worker->request->domain->integers.operation) {
        uint64_t run = worker->request->domain->run_length, left = run - span.index % run;
        span.count = left < span.count ? (size_t)left : span.count;
    }
    while (span.count > 1 && !are_consecutive(worker, &span, span.count))
        span.count /= 2;
    return span;
}

/* Whether no earlier input of the sweep lies in the block: it is rechecked then, once, whichever
 * thread comes to it and however little of it is swept. */
static bool is_first_of_block(const struct worker *worker, const struct span *span) {
    const struct domain *domain = worker->request->domain;
    uint64_t before[MAX_OPERANDS];
    if (span->code == span->block->first || span->index == 0)
        return true;
    domain_codes_at(domain, span->index - 1, before);
    size_t leading = (size_t)domain->operands - 1;
    return before[leading] != span->code - 1 ||
           memcmp(before, span->fixed, leading * sizeof *before) != 0;
}

/* The fast oracle's word against MPFR's, at seeded inputs of the block. */
static bool recheck(struct worker *worker, const struct span *span, struct error *error) {
    const struct block *block = span->block;
    if (block->kind == BLOCK_EXACT || block->kind == BLOCK_NAN || !is_first_of_block(worker, span))
        return true;
    for (unsigned i = 0; i < worker->request->recheck; i++) {
        uint64_t size = (uint64_t)1 << block->log2_count;
        uint64_t name = block->first + (span->fixed[0] << 32);
        uint64_t code = block->first + generator_below(RECHECK_SEED, name, i, size);
        worker->counts[span->result].rechecked++;
        if (!filter_recheck(worker->filters[span->result], span->fixed, code, error))
            return false;
    }
    return true;
}

bool worker_judge_fast(struct worker *worker, int result, uint64_t first, size_t *count,
                       void *const *outputs, struct error *error) {
    memset(worker->asked, 0, *count);
    worker->asked_count = 0;
    for (size_t at = 0; at < *count;) {
        if (worker_should_stop(worker, result)) {
            *count = at;
            break;
        }
        struct span span = span_next(worker, result, first, at, *count);
        if (!recheck(worker, &span, error))
            return false;
        for (size_t i = 0; i < worker->request->implementation_count; i++) {
            span.implementation = i;
            if (worker->provided[i] && !judge_span(&span, outputs, error))
                return false;
        }
        at += span.count;
    }
    worker->counts[result].fast += *count - worker->asked_count;
    return true;
}
