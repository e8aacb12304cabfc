/* What the rows of a comparison come to. */
#ifndef DETCHECK_TRACE_SUMMARY_H
#define DETCHECK_TRACE_SUMMARY_H

#include "trace/compare.h"

/* Kinds of operations, stretches of the run, counts of verdicts, from the rows. False with an error. */
bool summary_make(struct trace_comparison *comparison, struct error *error);

/* What is not the same in both environments. False with an error. */
bool summary_settings(const struct trace *here, const struct trace *there,
                      struct trace_comparison *comparison, struct error *error);

#endif
