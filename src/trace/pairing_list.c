/* From groups to the matches that others read. */
#include "trace/pairing_flow.h"

#include <stdlib.h>
#include <string.h>

/* A match, and where in the run it stands: by its last operation here. */
struct listed {
    struct trace_match match;
    size_t place, order;
};

static int by_place(const void *a, const void *b) {
    const struct listed *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

struct list {
    struct listed *items;
    size_t count, numbers, pairs;
};

static void add_numbers(struct trace_pairing *pairing, struct list *list, struct trace_match *match,
                        int side, const size_t *numbers, size_t count) {
    memcpy(pairing->numbers + list->numbers, numbers, count * sizeof *numbers);
    match->members[side] = pairing->numbers + list->numbers;
    match->first[side] = count ? numbers[0] : match->first[side];
    match->count[side] = count;
    list->numbers += count;
}

static void add_group(const struct flow *flow, struct trace_pairing *pairing, struct list *list,
                      size_t group) {
    const struct flow_group *own = &flow->groups[group];
    struct trace_match match = {.is_moved = own->is_moved, .pairs = pairing->pairs + list->pairs};
    for (int side = 0; side < 2; side++)
        add_numbers(pairing, list, &match, side, own->members[side], own->count[side]);
    for (size_t i = 0; i < flow->pair_count && match.pair_count < own->pairs; i++)
        if (flow->pairs[i].group == group) {
            struct trace_output_pair *pair = &pairing->pairs[list->pairs++];
            memcpy(pair->one, flow->pairs[i].one, sizeof pair->one);
            match.pair_count++;
        }
    const size_t last = own->members[0][own->count[0] - 1];
    list->items[list->count++] = (struct listed){match, 2 * last + 1, own->members[1][0]};
}

/* Those without a partner: of there, in front of the next one here that stands in order. */
static void add_alone(const struct flow *flow, struct trace_pairing *pairing, struct list *list,
                      int side, const size_t *places) {
    for (size_t i = 0; i < flow->sides[side].trace->count; i++) {
        struct trace_match match = {.first = {side ? places[i] : i, side ? i : places[i]}};
        if (flow->sides[side].group[i] != ALONE)
            continue;
        add_numbers(pairing, list, &match, side, &i, 1);
        list->items[list->count++] = (struct listed){match, 2 * match.first[0] + !side, i};
    }
}

/* For each operation of a side where it would be on the other side: of there in front of the next one that stands in order, and of
 * here behind the last one before it. */
static size_t *places_of(const struct flow *flow, int side) {
    const size_t count = flow->sides[side].trace->count;
    size_t *places = malloc((count + 1) * sizeof *places);
    size_t next = side ? flow->sides[0].trace->count : 0;
    for (size_t k = 0; places && k < count; k++) {
        const size_t i = side ? count - 1 - k : k, group = flow->sides[side].group[i];
        places[i] = next;
        if (group == ALONE || flow->groups[group].is_moved || !flow->groups[group].count[!side])
            continue;
        const struct flow_group *own = &flow->groups[group];
        const size_t last = own->members[!side][own->count[!side] - 1];
        if (side)
            next = last < next ? last : next;
        else
            next = last + 1 > next ? last + 1 : next;
    }
    return places;
}

bool flow_list(const struct flow *flow, struct trace_pairing *pairing) {
    size_t numbers = flow->sides[0].alone + flow->sides[1].alone, count = numbers;
    for (size_t i = 0; i < flow->count; i++) {
        numbers += flow->groups[i].count[0] + flow->groups[i].count[1];
        count += flow->groups[i].count[0] > 0;
    }
    struct list list = {malloc((count + 1) * sizeof *list.items), 0, 0, 0};
    size_t *places[2] = {places_of(flow, 0), places_of(flow, 1)};
    pairing->matches = malloc((count + 1) * sizeof *pairing->matches);
    pairing->numbers = malloc((numbers + 1) * sizeof *pairing->numbers);
    pairing->pairs = malloc((flow->pair_count + 1) * sizeof *pairing->pairs);
    const bool good = list.items && places[0] && places[1] && pairing->matches &&
                      pairing->numbers && pairing->pairs;
    for (size_t i = 0; good && i < flow->count; i++)
        if (flow->groups[i].count[0])
            add_group(flow, pairing, &list, i);
    for (int side = 0; good && side < 2; side++)
        add_alone(flow, pairing, &list, side, places[side]);
    if (good)
        qsort(list.items, list.count, sizeof *list.items, by_place);
    for (size_t i = 0; good && i < list.count; i++)
        pairing->matches[pairing->count++] = list.items[i].match;
    free(list.items);
    free(places[0]);
    free(places[1]);
    return good;
}
