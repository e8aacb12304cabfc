/* Runs of consecutive inputs that one block of the fast oracle answers for, and how the outputs of
 * one implementation on them are judged, by kind of block. */
#ifndef DETCHECK_SWEEP_JUDGE_SPAN_H
#define DETCHECK_SWEEP_JUDGE_SPAN_H

#include "sweep/judge/output.h"

struct span {
    struct worker *worker;
    const struct block *block;
    int result;
    uint64_t index;   /* of its first input in the domain */
    size_t at, count; /* in the slice */
    uint64_t fixed
        [MAX_OPERANDS]; /* the operands before the last, which are the same for all of a span */
    uint64_t code;      /* of its first input: the last operand, the one that runs */
    int exponent;       /* of the first operand, for all of the span */
    /* Of one implementation: */
    size_t implementation;
    const void *got; /* its outputs for the span */
    struct tally *tally;
};

/* The span of a result that begins at input `at` of a slice of `count`, whose first input has number
 * `first` in the domain. Of no implementation yet. */
struct span span_next(struct worker *worker, int result, uint64_t first, size_t at, size_t count);

static inline uint64_t span_output(const struct span *span, size_t offset) {
    return code_load(span->got, format_bytes(span->worker->judge.format), offset);
}

/* The input and its output, nothing yet said of them. */
static inline struct witness span_witness(const struct span *span, size_t offset) {
    struct witness witness = {.index = span->index + offset, .got = span_output(span, offset)};
    worker_load_inputs(span->worker, span->at + offset, witness.input);
    return witness;
}

/* Judges an output whose exact result is known for a reason, in a FIT block or where the function
 * has period 2; false elsewhere. */
bool span_judge_known(const struct span *span, size_t offset);

/* In a PATTERN block: the result, which is exact. */
struct real span_pattern_value(const struct span *span, size_t offset);

/* By MPFR, which is counted. */
static inline bool span_judge_exactly(const struct span *span, size_t offset, struct error *error) {
    struct witness witness = span_witness(span, offset);
    return worker_judge_exactly(span->worker, span->implementation, span->result, span->at + offset,
                                &witness, error);
}

/* By the polynomial of a FIT block, and MPFR where that leaves a doubt. */
bool span_judge_fit(const struct span *span, struct error *error);

/* By the pattern of a PATTERN block. */
bool span_judge_pattern(const struct span *span, struct error *error);

/* By the inequality of an ASYMPTOTE block, or as NaN in a NAN block. */
bool span_judge_asymptote(const struct span *span, struct error *error);

#endif
