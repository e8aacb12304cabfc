/* What a call of attention says: its extents, the scale and the cap of its scores, and the keys of a query. */
#include "format/format.h"
#include "op/kernels/attention.h"

#include <math.h>

struct attention_extents attention_extents(const struct array_call *call) {
    const struct shape *q = &call->operands[ATTENTION_Q].shape,
                       *k = &call->operands[ATTENTION_K].shape;
    return (struct attention_extents){
        .batches = q->extents[0],
        .heads = q->extents[1],
        .groups = k->extents[1],
        .queries = q->extents[2],
        .keys = k->extents[2],
        .width = q->extents[3],
        .page = (uint64_t)parameter_integer(call->parameters, PARAMETER_PAGE, 0),
        .split = (uint64_t)parameter_integer(call->parameters, PARAMETER_SPLIT, 0)};
}

bool attention_is_gradient(const struct array_call *call) {
    return call->rule->which == 1;
}

int attention_operand(const struct array_call *call, int role) {
    return !attention_is_gradient(call) || role < ATTENTION_BIAS ? role
           : role == ATTENTION_G                                 ? 3
                                                                 : 4;
}

/* The number of fp32 that is nearest to width^(-1/2). A root in double and a quotient err by less than 2^-52 of it,
 * which no tie of two numbers of fp32 is near for widths below 2^20. */
float attention_scale(uint64_t width) {
    return (float)(1 / sqrt((double)width));
}

void attention_keys(const struct array_call *call, uint64_t query, uint64_t *first,
                    uint64_t *last) {
    const struct attention_extents extents = attention_extents(call);
    const int64_t keys = (int64_t)extents.keys,
                  at = (int64_t)query + keys - (int64_t)extents.queries,
                  all = keys + (int64_t)extents.queries,
                  window = parameter_integer(call->parameters, PARAMETER_WINDOW, all);
    int64_t from = at - window + 1,
            to = parameter_flag(call->parameters, PARAMETER_CAUSAL) ? at + 1 : at + window;
    from = from < 0 ? 0 : from;
    to = to > keys ? keys : to;
    *first = (uint64_t)from;
    *last = (uint64_t)(to < from ? from : to);
}

struct real attention_soft_cap(const struct array_call *call) {
    return format_decode(&formats[FORMAT_FP32],
                         (uint64_t)parameter_integer(call->parameters, PARAMETER_SOFT_CAP, 0));
}
