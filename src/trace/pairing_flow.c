/* The groups: making, merging, and taking them over from pairs of runs. */
#include "trace/pairing_flow.h"

#include <stdlib.h>
#include <string.h>

bool flow_counts(const struct trace_tensor *tensor) {
    return tensor->has_digest && tensor->count && !trace_is_overwritten(tensor);
}

size_t flow_giver(const struct flow_side *side, const struct trace_tensor *tensor, size_t before) {
    const size_t giver = digest_map_first(&side->values->given, &tensor->canonical);
    return giver != ALONE && giver < before ? giver : ALONE;
}

bool flow_may_match(const struct flow *flow, const struct trace_tensor *here,
                    const struct trace_tensor *there) {
    return here->count > 1 &&
           trace_values_may_match(flow->sides[0].values, here, flow->sides[1].values, there);
}

static bool open_side(struct flow_side *side, const struct side *own) {
    const size_t count = own->trace->count;
    *side = (struct flow_side){.trace = own->trace,
                               .values = &own->values,
                               .group = malloc((count + 1) * sizeof *side->group),
                               .alone = count};
    for (size_t i = 0; side->group && i < count; i++)
        side->group[i] = ALONE;
    return side->group;
}

bool flow_open(struct flow *flow, const struct pairer *pairer) {
    *flow = (struct flow){.count = 0};
    const bool here = open_side(&flow->sides[0], &pairer->sides[0]),
               there = open_side(&flow->sides[1], &pairer->sides[1]);
    flow->has_failed = !here || !there;
    return !flow->has_failed;
}

void flow_close(struct flow *flow) {
    for (int side = 0; side < 2; side++)
        free(flow->sides[side].group);
    for (size_t i = 0; i < flow->count; i++)
        for (int side = 0; side < 2; side++)
            free(flow->groups[i].members[side]);
    free(flow->groups);
    free(flow->pairs);
    digest_map_free(&flow->refused);
}

/* Room for one more. */
static bool has_room(void **items, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return true;
    const size_t more = *room ? 2 * *room : 64;
    void *grown = realloc(*items, more * size);
    if (!grown)
        return false;
    *items = grown;
    *room = more;
    return true;
}

void flow_add_pair(struct flow *flow, size_t group, const struct trace_tensor *here,
                   const struct trace_tensor *there) {
    if (flow->has_failed ||
        !has_room((void **)&flow->pairs, flow->pair_count, &flow->pair_room, sizeof *flow->pairs)) {
        flow->has_failed = true;
        return;
    }
    flow->groups[group].pairs++;
    flow->pairs[flow->pair_count++] = (struct flow_pair){group, {here, there}};
}

static int ascending(const void *a, const void *b) {
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Sets what a group has of a side. */
static void set_members(struct flow *flow, size_t group, int side, const size_t *members,
                        size_t count) {
    struct flow_group *own = &flow->groups[group];
    size_t *copy = malloc((count + 1) * sizeof *copy);
    if (!copy) {
        flow->has_failed = true;
        return;
    }
    memcpy(copy, members, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, ascending);
    free(own->members[side]);
    own->members[side] = copy;
    own->count[side] = count;
    for (size_t i = 0; i < count; i++)
        if (flow->sides[side].group[copy[i]] == ALONE) { /* else it is shared */
            flow->sides[side].group[copy[i]] = group;
            flow->sides[side].alone--;
        }
}

static size_t new_group(struct flow *flow) {
    if (!has_room((void **)&flow->groups, flow->count, &flow->room, sizeof *flow->groups)) {
        flow->has_failed = true;
        return ALONE;
    }
    flow->groups[flow->count] = (struct flow_group){.is_moved = false};
    return flow->count++;
}

size_t flow_put_members(struct flow *flow, const size_t *const members[2], const size_t counts[2]) {
    const size_t group = new_group(flow);
    for (int side = 0; side < 2 && group != ALONE; side++)
        set_members(flow, group, side, members[side], counts[side]);
    return group;
}

size_t flow_put(struct flow *flow, const struct flow_growth *growth) {
    const size_t group = growth->own == ALONE ? new_group(flow) : growth->own;
    for (int side = 0; side < 2 && group != ALONE; side++)
        set_members(flow, group, side, growth->members[side], growth->count[side]);
    return group;
}

bool flow_has(const struct flow_growth *growth, int side, size_t operation) {
    bool found = false;
    for (size_t i = 0; i < growth->count[side] && !found; i++)
        found = growth->members[side][i] == operation;
    return found;
}

bool flow_join(struct flow_growth *growth, int side, size_t operation) {
    if (flow_has(growth, side, operation))
        return true;
    if (growth->count[side] == FLOW_MEMBERS)
        return false;
    growth->members[side][growth->count[side]++] = operation;
    return true;
}

bool flow_start(const struct flow *flow, struct flow_growth *growth, size_t group) {
    growth->count[0] = growth->count[1] = 0;
    growth->open_count[0] = growth->open_count[1] = 0;
    growth->own = group;
    growth->parent = NULL;
    growth->is_sure = growth->follows_own = false;
    bool good = true;
    for (int side = 0; side < 2 && group != ALONE; side++)
        for (size_t i = 0; i < flow->groups[group].count[side] && good; i++)
            good = flow_join(growth, side, flow->groups[group].members[side][i]);
    return good;
}

void flow_merge(struct flow *flow, size_t group, size_t into) {
    struct flow_growth both;
    if (!flow_start(flow, &both, into))
        return;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < flow->groups[group].count[side]; i++)
            if (!flow_join(&both, side, flow->groups[group].members[side][i]))
                return;
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < flow->groups[group].count[side]; i++)
            if (flow->sides[side].group[flow->groups[group].members[side][i]] == group)
                flow->sides[side].group[flow->groups[group].members[side][i]] = into;
        flow->groups[group].count[side] = 0;
    }
    for (size_t i = 0; i < flow->pair_count; i++) /* what it gives is taken within the other one */
        if (flow->pairs[i].group == group)
            flow->pairs[i].group = ALONE;
    flow->groups[group].pairs = 0;
    flow_put(flow, &both);
}

void flow_take(struct flow *flow, const struct pairer *pairer) {
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    for (size_t i = 0; i < here->trace->count && !flow->has_failed; i++) {
        const size_t partner = here->partner[i];
        const size_t first[2] = {i, partner};
        if (partner == ALONE || !here->length[i] || flow->sides[0].group[i] != ALONE)
            continue;
        const size_t group = new_group(flow);
        for (int side = 0; side < 2 && group != ALONE; side++) {
            size_t members[512];
            const size_t count = side ? there->length[partner] : here->length[i];
            for (size_t k = 0; k < count && k < 512; k++)
                members[k] = first[side] + k;
            set_members(flow, group, side, members, count < 512 ? count : 512);
        }
        if (group != ALONE)
            flow->groups[group].is_moved = here->is_moved[i];
    }
}

void flow_mark(const struct flow *flow, struct pairer *pairer) {
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < pairer->sides[side].trace->count; i++)
            if (flow->sides[side].group[i] != ALONE && pairer->sides[side].partner[i] == ALONE) {
                pairer->sides[side].partner[i] = 0;
                pairer->sides[side].length[i] = 0;
            }
}
