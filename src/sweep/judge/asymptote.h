/* Judging single outputs of an ASYMPTOTE block, whose right results lie next to a line. */
#ifndef DETCHECK_SWEEP_JUDGE_ASYMPTOTE_H
#define DETCHECK_SWEEP_JUDGE_ASYMPTOTE_H

#include "sweep/judge/strip.h"

/* An error in an ASYMPTOTE block is known to this (filter.h). */
#define ASYMPTOTE_SLACK 0x1p-23

static inline bool asymptote_is_exact(const struct span *span) {
    return span->block->kind == BLOCK_ASYMPTOTE && span->block->asymptote->side == ASYMPTOTE_EXACT;
}

/* Near the exact result: of a FIT block the cheap value, of an ASYMPTOTE block that of the line. In fp64 the value of a
 * FIT block has a tail, 0 elsewhere. */
double span_cheap_value(const struct span *span, uint64_t code, double *tail);

/* Output `offset` of the span as it is, or `other` in its place. */
struct judgement asymptote_judge_output(const struct span *span, size_t offset, uint64_t other,
                                        struct witness *witness);

/* Whether an error above 1 may lie on the other side of an edge of the histogram: nothing but the
 * exact result can tell then. Those of right results and their neighbours are told by the side. */
bool asymptote_is_at_edge(double error);

/* Judges and counts one output. */
bool asymptote_judge_singly(const struct span *span, size_t offset, struct error *error);

/* Outputs of a span that are judged singly, where they are not so far off that their number is enough to
 * be counted together (far.c). */
struct marked_outputs {
    const struct span *span;
    struct strip strip;
};

/* Says of the outputs of a span, one after the other from the first, which ones are; begins with
 * {.span = span}. */
bool asymptote_mark(struct marked_outputs *marked, size_t offset, bool is_marked,
                    struct error *error);

/* Judges those that were marked and have not been judged. */
bool asymptote_judge_marked(struct marked_outputs *marked, struct error *error);

/* All of a span from `from` to before `to`. */
bool asymptote_judge_each(const struct span *span, size_t from, size_t to, struct error *error);

#endif
