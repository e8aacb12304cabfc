/* How far the outputs of a pair are apart, from the tensors that both sides kept, and what its row says of it. */
#ifndef DETCHECK_TRACE_MEASURE_H
#define DETCHECK_TRACE_MEASURE_H

#include "trace/verdict.h"

/* Fills what the row says of the operations. */
void measure_describe(const struct verdict_judge *judge, const struct trace_match *match,
                      struct trace_row *row);

/* Fills which input, here and there, is another one; where it is a single number that both sides kept, with both values. */
void measure_describe_input(const struct verdict_judge *judge,
                            const struct trace_tensor *const inputs[2], struct trace_row *row);

/* Compares the tensors of outputs that differ, where both sides kept them. False with an error. */
bool measure_outputs(const struct verdict_judge *judge, const struct trace_match *match,
                     const volatile sig_atomic_t *stop, struct trace_row *row, struct error *error);

#endif
