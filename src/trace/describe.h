/* Words for what a group is made of, and for inputs that changed places. */
#ifndef DETCHECK_TRACE_DESCRIBE_H
#define DETCHECK_TRACE_DESCRIBE_H

#include "trace/verdict.h"

/* "here pow, mean, add, rsqrt, 2 mul; there cpp_fused_mean_mul"; empty of what is no group. Casts come with both formats, and
 * behind one operations with the format of what they give. */
void describe_steps(const struct verdict_judge *judge, const struct trace_match *match,
                    char text[TRACE_STEPS_TEXT]);

/* "self here is other there, other here is self there"; empty where nothing changed its place. */
void describe_swapped(const struct verdict_judge *judge, const struct trace_match *match,
                      char text[TRACE_SHAPES_TEXT]);

#endif
