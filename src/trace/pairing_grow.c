/* How a group grows: what one side takes and the other does not is followed back. */
#include "trace/pairing_flow.h"

#include "trace/names.h"

#include <string.h>
#include <xxhash.h>

enum {
    DEEPEST = 6 /* groups that wait for another one */
};

/* Whether an operation makes a constant, or, where `follows_own` is false, something that the other side knows nothing of. */
static bool makes_constant(const struct flow *flow, int side, size_t operation, bool follows_own) {
    return trace_makes_constant(flow->sides[side].values,
                                follows_own ? NULL : flow->sides[!side].values, operation);
}

static bool same_value(const struct trace_tensor *a, const struct trace_tensor *b) {
    return a->count == b->count && trace_same_digest(&a->canonical, &b->canonical);
}

static bool has_value(const struct flow_value *values, size_t count,
                      const struct trace_tensor *tensor) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = same_value(values[i].tensor, tensor);
    return found;
}

static bool has_tensor(const struct trace_tensor *tensors, size_t count,
                       const struct trace_tensor *tensor) {
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = tensors[i].has_digest && same_value(&tensors[i], tensor);
    return found;
}

/* Whether an operation makes a value of something else, which a view of it does not. */
static bool makes(const struct trace_operation *operation, const struct trace_tensor *value) {
    return has_tensor(operation->outputs, operation->output_count, value) &&
           !has_tensor(operation->inputs, operation->input_count, value);
}

/* Whether a member makes a value, be it that another operation gave it before. */
static bool is_inner(const struct flow *flow, const struct flow_growth *growth, int side,
                     const struct trace_tensor *value, size_t giver) {
    bool inner = flow_has(growth, side, giver);
    for (size_t i = 0; i < growth->count[side] && !inner; i++)
        inner = makes(&flow->sides[side].trace->operations[growth->members[side][i]], value);
    return inner;
}

/* What the members of a side take from outside of them; SIZE_MAX: too much. */
static size_t list_values(const struct flow *flow, const struct flow_growth *growth, int side,
                          struct flow_value values[FLOW_VALUES]) {
    const struct flow_side *own = &flow->sides[side];
    size_t count = 0;
    for (size_t i = 0; i < growth->count[side]; i++) {
        const size_t number = growth->members[side][i];
        const struct trace_operation *operation = &own->trace->operations[number];
        if (operation->input_count > FLOW_INPUTS)
            return SIZE_MAX;
        for (size_t k = 0; k < operation->input_count; k++) {
            const struct trace_tensor *input = &operation->inputs[k];
            if (!flow_counts(input) || has_value(values, count, input))
                continue;
            const size_t giver = flow_giver(own, input, number);
            if (giver == ALONE ? trace_may_be_code(input)
                               : is_inner(flow, growth, side, input, giver))
                continue;
            if (count == FLOW_VALUES)
                return SIZE_MAX;
            values[count++] = (struct flow_value){input, giver};
        }
    }
    return count;
}

static void drop(struct flow_growth *growth, int side, size_t place) {
    growth->open[side][place] = growth->open[side][--growth->open_count[side]];
}

/* Values that one pair or group before gives on both sides stand beside one another. */
static void drop_common(const struct flow *flow, struct flow_growth *growth) {
    for (size_t i = 0; i < growth->open_count[0]; i++) {
        const struct flow_value *a = &growth->open[0][i];
        const size_t group = a->giver == ALONE ? ALONE : flow->sides[0].group[a->giver];
        for (size_t k = 0; group != ALONE && group != growth->own && k < growth->open_count[1];
             k++) {
            const struct flow_value *b = &growth->open[1][k];
            if (b->giver == ALONE || flow->sides[1].group[b->giver] != group ||
                a->tensor->count != b->tensor->count)
                continue;
            drop(growth, 0, i--);
            drop(growth, 1, k);
            break;
        }
    }
}

/* Fills what is open; false where that is too much. */
static bool find_open(const struct flow *flow, struct flow_growth *growth) {
    struct flow_value values[2][FLOW_VALUES];
    size_t counts[2];
    for (int side = 0; side < 2; side++)
        if ((counts[side] = list_values(flow, growth, side, values[side])) == SIZE_MAX)
            return false;
    for (int side = 0; side < 2; side++) {
        growth->open_count[side] = 0;
        for (size_t i = 0; i < counts[side]; i++) {
            const struct flow_value *value = &values[side][i];
            if (!has_value(values[!side], counts[!side], value->tensor) &&
                !(value->giver != ALONE &&
                  makes_constant(flow, side, value->giver, growth->follows_own)))
                growth->open[side][growth->open_count[side]++] = *value;
        }
    }
    drop_common(flow, growth);
    return true;
}

/* Whether all that is open of a side is memory that a kernel may only write to. */
static bool is_scratch(const struct flow_growth *growth, int side) {
    bool scratch = true;
    for (size_t i = 0; i < growth->open_count[side] && scratch; i++)
        scratch = trace_may_be_scratch(growth->open[side][i].tensor);
    return scratch;
}

/* Whether all that is open of a side are weights: from outside, and the other side has none of them. */
static bool are_weights(const struct flow *flow, const struct flow_growth *growth, int side) {
    bool weights = growth->open_count[side];
    for (size_t i = 0; i < growth->open_count[side] && weights; i++)
        weights = growth->open[side][i].giver == ALONE &&
                  !trace_values_know(flow->sides[!side].values, growth->open[side][i].tensor);
    return weights;
}

/* Whether all that is open of a side is what the other side has, too, and takes elsewhere. */
static bool are_known(const struct flow *flow, const struct flow_growth *growth, int side) {
    bool known = growth->open_count[side];
    for (size_t i = 0; i < growth->open_count[side] && known; i++) {
        const struct flow_value *value = &growth->open[side][i];
        known = (value->giver == ALONE || flow->sides[side].group[value->giver] != ALONE) &&
                trace_values_know(flow->sides[!side].values, value->tensor);
    }
    return known;
}

static bool is_closed(const struct flow_growth *growth) {
    return (!growth->open_count[0] || is_scratch(growth, 0)) &&
           (!growth->open_count[1] || is_scratch(growth, 1)) &&
           (!growth->open_count[0] || !growth->open_count[1]);
}

/* Whether it is computed again in one step, as compilers do rather than read it. */
static bool is_light(const struct flow_side *side, size_t operation) {
    const struct trace_name *name =
        trace_name_find(side->trace, &side->trace->operations[operation]);
    return name && (name->how == TRACE_ELEMENTS || name->how == TRACE_EXACT ||
                    name->how == TRACE_CAST || name->how == TRACE_ALIKE);
}

/* The last operation of a side that gave what is open and has no partner, or, where `is_again`, has one and is light. */
static size_t last_giver(const struct flow *flow, const struct flow_growth *growth, int side,
                         bool is_again) {
    size_t last = ALONE;
    for (size_t i = 0; i < growth->open_count[side]; i++) {
        const size_t giver = growth->open[side][i].giver;
        if (giver == ALONE || (last != ALONE && giver < last) || flow_has(growth, side, giver))
            continue;
        if (is_again ? is_light(&flow->sides[side], giver)
                     : flow->sides[side].group[giver] == ALONE)
            last = giver;
    }
    return last;
}

/* Whether something open of a side is from outside, or from a group. */
static bool is_anchored(const struct flow *flow, const struct flow_growth *growth, int side) {
    bool anchored = false;
    for (size_t i = 0; i < growth->open_count[side] && !anchored; i++)
        anchored = growth->open[side][i].giver == ALONE ||
                   flow->sides[side].group[growth->open[side][i].giver] != ALONE;
    return anchored;
}

/* Whether a side has an operation of no known name: a kernel, in which anything may be. */
static bool has_kernel(const struct flow *flow, const struct flow_growth *growth, int side) {
    const struct trace *trace = flow->sides[side].trace;
    bool found = false;
    for (size_t i = 0; i < growth->count[side] && !found; i++)
        found = !trace_name_find(trace, &trace->operations[growth->members[side][i]]);
    return found;
}

/* Whether an operation that belongs to another group may be in this one, too: a kernel may compute anything again, and who takes a
 * cast casts for himself. */
static bool may_share(const struct flow *flow, const struct flow_growth *growth, int side,
                      size_t operation) {
    const struct trace *trace = flow->sides[side].trace;
    const struct trace_name *name = trace_name_find(trace, &trace->operations[operation]);
    return (name && name->how == TRACE_CAST) || has_kernel(flow, growth, !side);
}

/* An operation near the end of a side that has no partner and does the same again, in the place of one that belongs elsewhere. */
static size_t own_instead(const struct flow *flow, const struct flow_growth *growth, int side,
                          size_t operation) {
    enum { NEAR = 8 };
    const struct trace *trace = flow->sides[side].trace;
    const struct trace_operation *first = &trace->operations[operation];
    const size_t end = growth->members[side][0];
    for (size_t i = end; i-- > operation + 1 && i + NEAR >= end;)
        if (flow->sides[side].group[i] == ALONE && first->output_count &&
            makes(&trace->operations[i], first->outputs) &&
            trace_same_name(&trace->operations[i], first))
            return i;
    return operation;
}

/* Whether a side has a product. */
static bool has_product(const struct flow *flow, const struct flow_growth *growth, int side) {
    bool found = false;
    for (size_t i = 0; i < growth->count[side] && !found; i++)
        found = flow_is_product(flow, side, growth->members[side][i]);
    return found;
}

/* Which operation of which side comes next. A product comes first where the other side has one: what both sides multiply may stand
 * beside one another. */
static size_t next_of(const struct flow *flow, const struct flow_growth *growth, int *side) {
    const size_t last[2] = {last_giver(flow, growth, 0, false), last_giver(flow, growth, 1, false)};
    const int finer = flow->sides[0].alone >= flow->sides[1].alone ? 0 : 1;
    for (int i = 0; i < 2; i++)
        if (last[i] != ALONE && flow_is_product(flow, i, last[i]) &&
            has_product(flow, growth, !i) && !has_product(flow, growth, i))
            return (*side = i, last[i]);
    for (int i = 0; i < 2; i++)
        if (is_anchored(flow, growth, !i) && !is_anchored(flow, growth, i) && last[i] != ALONE)
            return (*side = i, last[i]);
    *side = last[finer] != ALONE ? finer : !finer;
    if (last[*side] != ALONE)
        return last[*side];
    for (int i = 0; i < 2; i++) {
        *side = i;
        const size_t again = last_giver(flow, growth, i, true);
        if (again != ALONE && growth->open_count[!i] && may_share(flow, growth, i, again))
            return own_instead(flow, growth, i, again);
    }
    return ALONE;
}

/* ---- Values that stand beside one another by what gave them ---- */

static struct trace_digest mark_of(size_t here, size_t there) {
    const uint64_t both[2] = {here, there};
    const XXH128_hash_t hash = XXH3_128bits(both, sizeof both);
    return (struct trace_digest){hash.high64, hash.low64};
}

/* Whether a group shares none of its operations with those that wait for it. */
static bool is_apart(const struct flow_growth *growth) {
    bool apart = true;
    for (const struct flow_growth *parent = growth->parent; parent; parent = parent->parent)
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < growth->count[side] && apart; i++)
                apart = !flow_has(parent, side, growth->members[side][i]);
    return apart;
}

/* Whether what two operations without a partner give stands beside one another: a group that ends with them closes, and they are of
 * one kind, or both sides multiply what they give by the same matrix. */
static bool match_values(struct flow *flow, const struct flow_value *a, const struct flow_value *b,
                         const struct flow_growth *parent, int depth) {
    const struct trace_digest mark = mark_of(a->giver, b->giver);
    struct flow_growth growth;
    if (depth >= DEEPEST || digest_map_first(&flow->refused, &mark) != ALONE)
        return false;
    flow_start(flow, &growth, ALONE);
    growth.parent = parent;
    flow_join(&growth, 0, a->giver);
    flow_join(&growth, 1, b->giver);
    if (!flow_grow(flow, &growth, depth + 1) || !is_apart(&growth) ||
        (!flow_is_akin(flow, &growth) && !flow_are_factors(flow, parent, a->tensor, b->tensor))) {
        flow->has_failed = !digest_map_add(&flow->refused, &mark, 0) || flow->has_failed;
        return false;
    }
    const size_t group = flow_put(flow, &growth);
    flow_add_pair(flow, group, a->tensor, b->tensor);
    return !flow->has_failed;
}

/* Looks for two that are open and stand beside one another so; true where there were such. */
static bool match_open(struct flow *flow, struct flow_growth *growth, int depth) {
    for (size_t i = 0; i < growth->open_count[0]; i++)
        for (size_t k = 0; k < growth->open_count[1]; k++) {
            const struct flow_value a = growth->open[0][i], b = growth->open[1][k];
            if (a.giver != ALONE && b.giver != ALONE && flow_may_match(flow, a.tensor, b.tensor) &&
                strcmp(a.tensor->type_name, b.tensor->type_name) == 0 &&
                flow->sides[0].group[a.giver] == ALONE && flow->sides[1].group[b.giver] == ALONE &&
                !flow_has(growth, 0, a.giver) && !flow_has(growth, 1, b.giver) &&
                match_values(flow, &a, &b, growth, depth))
                return true;
        }
    return false;
}

/* Whether what ends one thing for sure is a group though its sides take other things: one has weights of its own, as where a
 * normalisation is folded into those of a convolution, or cuts what it takes unseen; or one side takes more of what both have. */
static bool is_near(const struct flow *flow, const struct flow_growth *growth) {
    const bool both = growth->open_count[0] && growth->open_count[1];
    return flow_is_akin(flow, growth) &&
           (both ? are_weights(flow, growth, 0) || are_weights(flow, growth, 1)
                 : are_known(flow, growth, growth->open_count[0] ? 0 : 1));
}

/* What makes constants that a group takes, such as a mask, belongs to it. */
static void take_constants(const struct flow *flow, struct flow_growth *growth) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < growth->count[side]; i++) { /* more come behind */
            const size_t number = growth->members[side][i];
            const struct trace_operation *one = &flow->sides[side].trace->operations[number];
            for (size_t k = 0; k < one->input_count; k++) {
                const size_t giver = flow_counts(&one->inputs[k])
                                         ? flow_giver(&flow->sides[side], &one->inputs[k], number)
                                         : ALONE;
                if (giver != ALONE && flow->sides[side].group[giver] == ALONE &&
                    makes_constant(flow, side, giver, false))
                    flow_join(growth, side, giver);
            }
        }
}

bool flow_grow(struct flow *flow, struct flow_growth *growth, int depth) {
    while (!flow->has_failed && find_open(flow, growth)) {
        int side = 0;
        if (is_closed(growth)) {
            take_constants(flow, growth);
            return true;
        }
        if (match_open(flow, growth, depth))
            continue;
        const size_t next = next_of(flow, growth, &side);
        if (next == ALONE && !growth->follows_own) {
            growth->follows_own = true;
            continue;
        }
        if (next == ALONE)
            return growth->is_sure && is_near(flow, growth);
        if (!flow_join(growth, side, next))
            return false;
    }
    return false;
}
