/* What is asked of a row of a comparison, so that it can be judged: operations, or groups as the operation that they are. */
#ifndef DETCHECK_TRACE_QUESTION_H
#define DETCHECK_TRACE_QUESTION_H

#include "trace/judge.h"
#include "trace/steps.h"

/* A question, and what it points to. */
struct trace_asked {
    struct trace_question question;
    struct trace_operation *copies[2]; /* of a group's operations, one behind the other */
    struct trace_operation givers[2];  /* with the outputs that are judged */
    struct trace_steps steps[2];       /* the operation that a group is */
};

/* False without memory; trace_asked_close in any case. */
bool trace_ask(struct trace_asked *asked, const struct trace *here, const struct trace *there,
               const struct trace_row *row);
void trace_asked_close(struct trace_asked *asked);

#endif
