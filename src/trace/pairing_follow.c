/* From which values groups are followed back: inputs that pairs have in one place, and values that both sides have. */
#include "trace/pairing_flow.h"

#include "trace/names.h"

#include <string.h>

/* Whether a group is one operation of each side, of one name. */
static bool is_plain(const struct flow *flow, size_t group) {
    const struct flow_group *one = &flow->groups[group];
    return one->count[0] == 1 && one->count[1] == 1 &&
           trace_same_name(&flow->sides[0].trace->operations[one->members[0][0]],
                           &flow->sides[1].trace->operations[one->members[1][0]]);
}

/* The place of the first input from `place` on that is not overwritten. */
static size_t next_input(const struct trace_operation *operation, size_t place) {
    while (place < operation->input_count && trace_is_overwritten(&operation->inputs[place]))
        place++;
    return place;
}

static bool is_alone(const struct flow *flow, int side, size_t operation) {
    return operation != ALONE && flow->sides[side].group[operation] == ALONE;
}

/* A new group that ends with what gives a value of each side; true where it closes. */
static bool start_pair(struct flow *flow, const size_t givers[2],
                       const struct trace_tensor *const values[2]) {
    struct flow_growth growth;
    flow_start(flow, &growth, ALONE);
    growth.is_sure = true;
    for (int side = 0; side < 2; side++)
        flow_join(&growth, side, givers[side]);
    if (!flow_grow(flow, &growth, 0))
        return false;
    const size_t group = flow_put(flow, &growth);
    flow_add_pair(flow, group, values[0], values[1]);
    return true;
}

/* Whether an operation moves elements, or changes their format. */
static bool is_light(const struct flow *flow, int side, size_t operation) {
    const struct trace *trace = flow->sides[side].trace;
    const struct trace_name *name = trace_name_find(trace, &trace->operations[operation]);
    return name && (name->how == TRACE_CAST || trace_only_moves(name));
}

/* Whether no output of a plain pair is elsewhere on the other side, which would show that the two are no pair. */
static bool may_be_pair(const struct flow *flow, size_t group) {
    const struct trace_operation
        *a = &flow->sides[0].trace->operations[flow->groups[group].members[0][0]],
        *b = &flow->sides[1].trace->operations[flow->groups[group].members[1][0]];
    bool may = true;
    for (size_t i = 0; i < a->output_count && i < b->output_count && may; i++)
        may = !flow_counts(&a->outputs[i]) || !flow_counts(&b->outputs[i]) ||
              a->outputs[i].count == 1 || flow_may_match(flow, &a->outputs[i], &b->outputs[i]);
    return may;
}

/* Casts and moves that one side has alone belong to what takes their result. */
static bool take_casts(struct flow *flow, size_t group) {
    const size_t before[2] = {flow->groups[group].count[0], flow->groups[group].count[1]};
    struct flow_growth growth;
    bool light = may_be_pair(flow, group) && flow_start(flow, &growth, group) &&
                 flow_grow(flow, &growth, 0) &&
                 growth.count[0] + growth.count[1] > before[0] + before[1];
    for (int side = 0; side < 2 && light; side++)
        for (size_t i = before[side]; i < growth.count[side] && light; i++)
            light = is_light(flow, side, growth.members[side][i]);
    if (light)
        flow_put(flow, &growth);
    return light;
}

/* Whether a group gives the same values on both sides. */
static bool gives_the_same(const struct flow *flow, size_t group) {
    const struct trace_operation
        *a = &flow->sides[0].trace->operations[flow->groups[group].members[0][0]],
        *b = &flow->sides[1].trace->operations[flow->groups[group].members[1][0]];
    bool same = is_plain(flow, group) && a->output_count == b->output_count;
    for (size_t i = 0; i < a->output_count && same; i++)
        same = a->outputs[i].has_digest && b->outputs[i].has_digest &&
               trace_same_digest(&a->outputs[i].canonical, &b->outputs[i].canonical);
    return same;
}

/* What has no partner and gives one value, to the group that gives the other value. */
static void add_to_group(struct flow *flow, const size_t givers[2],
                         const struct trace_tensor *const values[2]) {
    const int side = is_alone(flow, 0, givers[0]) ? 0 : 1;
    const size_t group = flow->sides[!side].group[givers[!side]];
    struct flow_growth growth;
    if (gives_the_same(flow, group) || !flow_start(flow, &growth, group) ||
        !flow_join(&growth, side, givers[side]))
        return;
    growth.is_sure = true;
    if (!flow_grow(flow, &growth, 0))
        return;
    flow_put(flow, &growth);
    flow_add_pair(flow, group, values[0], values[1]);
}

/* The inputs that a plain pair has in one place, one after the other. */
struct slot {
    const struct trace_tensor *values[2];
    size_t givers[2], place[2];
};

static bool next_slot(const struct flow *flow, size_t group, struct slot *slot) {
    for (int side = 0; side < 2; side++) {
        const size_t number = flow->groups[group].members[side][0];
        const struct trace_operation *operation = &flow->sides[side].trace->operations[number];
        const size_t place = next_input(operation, slot->place[side]);
        if (place >= operation->input_count)
            return false;
        slot->values[side] = &operation->inputs[place];
        slot->givers[side] = flow_counts(slot->values[side])
                                 ? flow_giver(&flow->sides[side], slot->values[side], number)
                                 : ALONE;
        slot->place[side] = place + 1;
    }
    return true;
}

/* The last operation without a partner before `before` that gives a value that others gave before it, and takes something
 * besides, such as a product by ones; or the first giver. */
static size_t last_giver(const struct flow *flow, int side, const struct trace_tensor *value,
                         size_t first, size_t before) {
    enum { NEAR = 16 };
    const struct trace *trace = flow->sides[side].trace;
    for (size_t i = before; i-- > first + 1 && i + NEAR > before;) {
        const struct trace_operation *operation = &trace->operations[i];
        if (is_alone(flow, side, i) && operation->input_count > 1 && operation->output_count &&
            operation->outputs[0].has_digest &&
            trace_same_digest(&operation->outputs[0].canonical, &value->canonical))
            return i;
    }
    return first;
}

/* What gives an input of a pair on both sides, where neither has a partner. */
static void follow_slot(struct flow *flow, size_t group, const struct slot *slot) {
    size_t givers[2];
    if (!is_alone(flow, 0, slot->givers[0]) || !is_alone(flow, 1, slot->givers[1]) ||
        !flow_may_match(flow, slot->values[0], slot->values[1]))
        return;
    for (int side = 0; side < 2; side++)
        givers[side] = last_giver(flow, side, slot->values[side], slot->givers[side],
                                  flow->groups[group].members[side][0]);
    if (!start_pair(flow, givers, slot->values) &&
        (givers[0] != slot->givers[0] || givers[1] != slot->givers[1]))
        start_pair(flow, slot->givers, slot->values);
}

static void follow_pair(struct flow *flow, size_t group) {
    struct slot slot = {.place = {0, 0}};
    while (is_plain(flow, group) && next_slot(flow, group, &slot))
        follow_slot(flow, group, &slot);
    slot = (struct slot){.place = {0, 0}};
    if (!is_plain(flow, group) || take_casts(flow, group))
        return;
    while (next_slot(flow, group, &slot))
        if (slot.givers[0] != ALONE && slot.givers[1] != ALONE &&
            is_alone(flow, 0, slot.givers[0]) != is_alone(flow, 1, slot.givers[1]) &&
            flow_may_match(flow, slot.values[0], slot.values[1]))
            add_to_group(flow, slot.givers, slot.values);
}

/* Values that both sides give by operations without a partner, the last ones first. */
static void follow_shared(struct flow *flow) {
    const struct trace *here = flow->sides[0].trace;
    for (size_t i = here->count; i-- > 0 && !flow->has_failed;)
        for (size_t k = 0; k < here->operations[i].output_count; k++) {
            const struct trace_tensor *value = &here->operations[i].outputs[k];
            if (!is_alone(flow, 0, i) || !flow_counts(value) || value->count <= PAIRING_FEW ||
                flow_giver(&flow->sides[0], value, i + 1) != i)
                continue;
            const size_t giver = flow_giver(&flow->sides[1], value, ALONE);
            const struct trace_operation *other =
                is_alone(flow, 1, giver) ? &flow->sides[1].trace->operations[giver] : NULL;
            for (size_t at = 0; other && at < other->output_count; at++)
                if (other->outputs[at].has_digest &&
                    trace_same_digest(&other->outputs[at].canonical, &value->canonical)) {
                    start_pair(flow, (size_t[]){i, giver},
                               (const struct trace_tensor *[]){value, &other->outputs[at]});
                    break;
                }
        }
}

void flow_follow(struct flow *flow) {
    if (!flow->sides[0].alone && !flow->sides[1].alone)
        return;
    for (size_t i = 0; i < flow->count && !flow->has_failed; i++)
        if (flow->groups[i].count[0] && is_plain(flow, i))
            follow_pair(flow, i);
    follow_shared(flow);
}
