/* An operation on lists of tensors, as optimisers have them, beside the operations that do the same of each element. */
#include "trace/pairing_flow.h"

#include <stdlib.h>
#include <string.h>

/* Which value of the side with the single operations stands beside one of the lists. */
struct beside {
    struct digest_map map; /* its place in `to` */
    struct trace_digest *to;
    size_t count, room;
};

struct lists {
    struct flow *flow;
    int one; /* the side of the lists */
    struct beside beside;
    size_t *found, *names; /* single operations; and the numbers of those that have no partner */
    size_t name_count;
};

/* "lerp" of "aten._foreach_lerp_.Scalar" and "aten.lerp_.Scalar". */
static const char *word_of(const char *name, const char *prefix, size_t *length) {
    const size_t before = strlen(prefix);
    if (strncmp(name, prefix, before) != 0)
        return NULL;
    *length = strcspn(name + before, ".");
    if (*length > 1 && name[before + *length - 1] == '_')
        (*length)--;
    return name + before;
}

static bool is_same_kind(const char *list, const char *single) {
    size_t a = 0, b = 0;
    const char *one = word_of(list, "aten._foreach_", &a), *other = word_of(single, "aten.", &b);
    return one && other && a == b && memcmp(one, other, a) == 0;
}

/* The place of an input in its list: 3 of "self[3]"; -1: it is in none. */
static long place_in_list(const struct trace_tensor *tensor) {
    const char *bracket = tensor->name ? strchr(tensor->name, '[') : NULL;
    return bracket ? strtol(bracket + 1, NULL, 10) : -1;
}

static bool stands_beside(const struct lists *lists, const struct trace_tensor *of_list,
                          const struct trace_tensor *single) {
    if (!trace_same_shape(of_list, single))
        return false;
    if (!of_list->has_digest || !single->has_digest)
        return of_list->has_digest == single->has_digest;
    const size_t place = digest_map_first(&lists->beside.map, &of_list->canonical);
    return trace_same_digest(&of_list->canonical, &single->canonical) ||
           (place != SIZE_MAX && trace_same_digest(&lists->beside.to[place], &single->canonical));
}

/* Whether a single operation takes what stands at one place of the lists. */
static bool takes_place(const struct lists *lists, const struct trace_operation *list, long place,
                        const struct trace_operation *single) {
    size_t at = 0;
    for (size_t i = 0; i < list->input_count; i++) {
        if (place_in_list(&list->inputs[i]) != place)
            continue;
        if (at >= single->input_count ||
            !stands_beside(lists, &list->inputs[i], &single->inputs[at++]))
            return false;
    }
    return at > 0 && single->output_count == 1;
}

/* Notes what an output of a single operation stands beside. */
static bool note_beside(struct beside *beside, const struct trace_tensor *of_list,
                        const struct trace_tensor *single) {
    if (!of_list->has_digest || !single->has_digest ||
        trace_same_digest(&of_list->canonical, &single->canonical))
        return true;
    if (beside->count == beside->room) {
        const size_t more = beside->room ? 2 * beside->room : 64;
        struct trace_digest *grown = realloc(beside->to, more * sizeof *grown);
        if (!grown)
            return false;
        beside->to = grown;
        beside->room = more;
    }
    beside->to[beside->count] = single->canonical;
    return digest_map_add(&beside->map, &of_list->canonical, beside->count++);
}

/* For each element the first single operation that does the same and has no partner; false where one has none. */
static bool find_singles(struct lists *lists, const struct trace_operation *list) {
    const struct flow_side *other = &lists->flow->sides[!lists->one];
    for (size_t i = 0; i < list->output_count; i++) {
        lists->found[i] = ALONE;
        for (size_t k = 0; k < lists->name_count && lists->found[i] == ALONE; k++) {
            const size_t number = lists->names[k];
            bool taken = other->group[number] != ALONE;
            for (size_t before = 0; before < i && !taken; before++)
                taken = lists->found[before] == number;
            if (!taken && is_same_kind(list->name, other->trace->operations[number].name) &&
                takes_place(lists, list, (long)i, &other->trace->operations[number]))
                lists->found[i] = number;
        }
        if (lists->found[i] == ALONE)
            return false;
    }
    return list->output_count > 0;
}

static void join_list(struct lists *lists, size_t number) {
    struct flow *flow = lists->flow;
    const struct trace *trace = flow->sides[lists->one].trace,
                       *others = flow->sides[!lists->one].trace;
    const struct trace_operation *list = &trace->operations[number];
    const size_t *members[2] = {&number, &number};
    size_t counts[2] = {1, 1};
    if (!find_singles(lists, list))
        return;
    members[!lists->one] = lists->found;
    counts[!lists->one] = list->output_count;
    const size_t group = flow_put_members(flow, members, counts);
    for (size_t i = 0; group != ALONE && i < list->output_count; i++) {
        const struct trace_tensor *pair[2];
        pair[lists->one] = &list->outputs[i];
        pair[!lists->one] = others->operations[lists->found[i]].outputs;
        flow_add_pair(flow, group, pair[0], pair[1]);
        flow->has_failed =
            !note_beside(&lists->beside, pair[lists->one], pair[!lists->one]) || flow->has_failed;
    }
}

/* How many outputs the longest list has that has no partner; 0: there is none. */
static size_t longest_of(const struct flow_side *side) {
    size_t longest = 0;
    for (size_t i = 0; i < side->trace->count; i++) {
        const struct trace_operation *operation = &side->trace->operations[i];
        if (side->group[i] == ALONE && pairing_is_list(operation) &&
            operation->output_count > longest)
            longest = operation->output_count;
    }
    return longest;
}

static void join_lists(struct flow *flow, int one) {
    const struct flow_side *own = &flow->sides[one], *other = &flow->sides[!one];
    const size_t longest = longest_of(own);
    struct lists lists = {.flow = flow, .one = one};
    if (!longest || !other->alone)
        return;
    lists.found = malloc(longest * sizeof *lists.found);
    lists.names = malloc(other->alone * sizeof *lists.names);
    flow->has_failed = flow->has_failed || !lists.found || !lists.names;
    for (size_t i = 0; !flow->has_failed && i < other->trace->count; i++)
        if (other->group[i] == ALONE)
            lists.names[lists.name_count++] = i;
    for (size_t i = 0; i < own->trace->count && !flow->has_failed; i++)
        if (own->group[i] == ALONE && pairing_is_list(&own->trace->operations[i]))
            join_list(&lists, i);
    digest_map_free(&lists.beside.map);
    free(lists.beside.to);
    free(lists.found);
    free(lists.names);
}

void flow_lists(struct flow *flow) {
    for (int side = 0; side < 2; side++)
        join_lists(flow, side);
}
