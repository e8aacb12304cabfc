/* Casts belong to what computes with their result. */
#include "trace/pairing_flow.h"

#include "trace/names.h"

/* Whether a group only moves elements and changes their format, and does change it. */
static bool casts(const struct flow *flow, size_t group) {
    bool light = true, any = false;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < flow->groups[group].count[side] && light; i++) {
            const struct trace *trace = flow->sides[side].trace;
            const struct trace_name *name =
                trace_name_find(trace, &trace->operations[flow->groups[group].members[side][i]]);
            light = name && (name->how == TRACE_CAST || trace_only_moves(name));
            any = any || (light && name->how == TRACE_CAST);
        }
    return light && any && flow->groups[group].count[0] + flow->groups[group].count[1] > 2;
}

static bool gives(const struct trace_operation *operation, const struct trace_tensor *tensor) {
    bool found = false;
    for (size_t i = 0; i < operation->output_count && !found; i++)
        found = operation->outputs[i].has_digest && tensor->has_digest &&
                trace_same_digest(&operation->outputs[i].canonical, &tensor->canonical);
    return found;
}

/* The first group behind an operation that takes what it gives; ALONE: none. */
static size_t taker_of(const struct flow *flow, int side, size_t operation, size_t group) {
    enum { NEAR = 64 };
    const struct trace *trace = flow->sides[side].trace;
    size_t taker = ALONE;
    for (size_t i = operation + 1; i < trace->count && i <= operation + NEAR && taker == ALONE; i++)
        for (size_t k = 0; k < trace->operations[i].input_count && taker == ALONE; k++)
            if (flow->sides[side].group[i] != group &&
                gives(&trace->operations[operation], &trace->operations[i].inputs[k]))
                taker = flow->sides[side].group[i];
    return taker;
}

void flow_give_casts(struct flow *flow) {
    for (size_t i = flow->count; i-- > 0 && !flow->has_failed;) {
        size_t takers[2];
        if (!flow->groups[i].count[0] || !flow->groups[i].count[1] || !casts(flow, i))
            continue;
        for (int side = 0; side < 2; side++)
            takers[side] = taker_of(
                flow, side, flow->groups[i].members[side][flow->groups[i].count[side] - 1], i);
        if (takers[0] != ALONE && takers[0] == takers[1] && takers[0] != i)
            flow_merge(flow, i, takers[0]);
    }
}
