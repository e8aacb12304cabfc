/* What the errors of a strip come to, in units (decide.h). */
#ifndef DETCHECK_ORACLE_FAST_SUM_ERRORS_H
#define DETCHECK_ORACLE_FAST_SUM_ERRORS_H

#include "base/vector.h"
#include "oracle/fast/decide.h"

/* DECISION_UNSURE stays itself. */
INLINED int32_t size_of(int32_t error) {
    return error < 0 ? -error : error;
}

/* Sets everything of `sums` but the margin. Returns whether a sure error may lie within `margin` of
 * an edge. */
bool sum_errors(const struct decision_rules *rules, const int32_t *errors, size_t count,
                uint32_t margin, struct decision_sums *sums);

/* Makes errors within the margin of an edge unsure; returns whether there were any. */
bool doubt_edges(const struct decision_rules *rules, int32_t *errors, size_t count,
                 uint32_t margin);

#endif
