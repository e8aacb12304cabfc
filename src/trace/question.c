/* Which operation is asked for what a row has. */
#include "trace/question.h"

#include "trace/names.h"

#include <stdlib.h>

/* A group that moves elements and then computes once is that one operation, of what moved: a transposed weight, and a product. */
static void take_last(const struct trace *trace, const size_t **members, size_t *count) {
    bool moves = *count > 1;
    for (size_t i = 0; i + 1 < *count && moves; i++) {
        const struct trace_name *name = trace_name_find(trace, &trace->operations[(*members)[i]]);
        moves = name && name->how == TRACE_EXACT;
    }
    *members += moves ? *count - 1 : 0;
    *count = moves ? 1 : *count;
}

/* A group's operations one behind the other; NULL: no memory. */
static struct trace_operation *copy_of(const struct trace *trace, const size_t *members,
                                       size_t count) {
    struct trace_operation *copies = malloc((count + 1) * sizeof *copies);
    for (size_t i = 0; copies && i < count; i++)
        copies[i] = trace->operations[members[i]];
    return copies;
}

/* What gives the outputs that are judged: the last operation, with these alone. */
static struct trace_operation giver_of(const struct trace_operation *last,
                                       const struct trace_tensor *judged) {
    struct trace_operation giver = *last;
    if (judged) {
        giver.outputs = (struct trace_tensor *)(uintptr_t)judged;
        giver.output_count = 1;
    }
    return giver;
}

static bool is_known(const struct trace *trace, const struct trace_operation *operation) {
    const struct trace_name *name = trace_name_find(trace, operation);
    return name && name->operation;
}

/* By whose operation both sides are judged: of the side that is one known operation, or else of one that is one in several
 * steps; -1: each by its own. */
static int whose_operation(const struct trace *const traces[2], struct trace_asked *asked,
                           const size_t counts[2]) {
    bool known[2];
    for (int side = 0; side < 2; side++)
        known[side] = counts[side] == 1 && is_known(traces[side], asked->copies[side]);
    if (known[0] || known[1])
        return known[0] && known[1] ? -1 : known[1];
    for (int side = 0; side < 2; side++)
        if (counts[side] > 1 &&
            trace_steps_find(&asked->steps[side], traces[side], asked->copies[side], counts[side],
                             asked->givers[side].outputs))
            return side;
    return -1;
}

bool trace_ask(struct trace_asked *asked, const struct trace *here, const struct trace *there,
               const struct trace_row *row) {
    const struct trace *const traces[2] = {here, there};
    const size_t *members[2] = {row->members[0], row->members[1]};
    size_t count[2] = {(size_t)row->here_count, (size_t)row->there_count};
    *asked = (struct trace_asked){.question = {.reveals = NULL}};
    for (int side = 0; side < 2; side++) {
        take_last(traces[side], &members[side], &count[side]);
        asked->copies[side] = copy_of(traces[side], members[side], count[side]);
        if (!asked->copies[side])
            return false;
        asked->givers[side] = giver_of(&asked->copies[side][count[side] - 1], row->judged[side]);
    }
    struct trace_question *question = &asked->question;
    question->swapped = row->swapped;
    int one = whose_operation(traces, asked, count);
    if (one < 0 && (count[0] > 1) != (count[1] > 1))
        one = count[0] > 1; /* not known: the one says so */
    for (int side = 0; side < 2; side++) {
        const int by = one < 0 ? side : one;
        question->numbers[side] = members[side][count[side] - 1];
        question->traces[side] = traces[by];
        question->operations[side] =
            one >= 0 && count[by] > 1 ? &asked->steps[by].operation : asked->copies[by];
        if (count[0] == 1 && count[1] == 1 && one < 0)
            continue;
        question->givers[side] = &asked->givers[side];
        question->giver_traces[side] = traces[side];
        if (one < 0 && count[0] > 1 && count[1] > 1)
            question->groups[side] =
                (struct trace_group){traces[side], asked->copies[side], count[side]};
    }
    return true;
}

void trace_asked_close(struct trace_asked *asked) {
    for (int side = 0; side < 2; side++) {
        free(asked->copies[side]);
        trace_steps_close(&asked->steps[side]);
    }
}
