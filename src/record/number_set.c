/* Sorted arrays of runs. */
#include "record/number_set.h"

#include <stdlib.h>
#include <string.h>

/* How many begin before the number, or at it. */
static size_t count_until(const struct number_set *set, uint64_t number) {
    size_t low = 0, high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->runs[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(struct number_set *set, size_t count) {
    size_t room = set->room ? set->room : 1;
    while (room < count)
        room *= 2;
    struct number_run *more =
        room == set->room ? set->runs : realloc(set->runs, room * sizeof *more);
    if (!more)
        return false;
    set->runs = more;
    set->room = room;
    return true;
}

/* A run that is next to the last becomes a part of it; there is room. */
static void join(struct number_set *set, struct number_run run) {
    struct number_run *last = set->count ? &set->runs[set->count - 1] : NULL;
    if (last && last->last + 1 == run.first)
        last->last = run.last;
    else
        set->runs[set->count++] = run;
}

bool number_set_append(struct number_set *set, uint64_t first, uint64_t last) {
    if (first > last || (set->count && set->runs[set->count - 1].last >= first) ||
        !make_room(set, set->count + 1))
        return false;
    join(set, (struct number_run){first, last});
    return true;
}

bool number_set_add(struct number_set *set, const struct number_set *more) {
    const size_t from = more->count ? count_until(set, more->runs[0].first) : set->count;
    const size_t behind = set->count - from;
    size_t at = from + more->count, end = at + behind, other = 0;
    if (!make_room(set, set->count + more->count))
        return false;
    /* What is behind the first new run waits at the end of the room that is needed. */
    memmove(set->runs + at, set->runs + from, behind * sizeof *set->runs);
    set->count = from;
    while (other < more->count) {
        bool is_new = at == end || more->runs[other].first < set->runs[at].first;
        join(set, is_new ? more->runs[other++] : set->runs[at++]);
    }
    if (at < end)
        join(set, set->runs[at++]);
    memmove(set->runs + set->count, set->runs + at, (end - at) * sizeof *set->runs);
    set->count += end - at;
    return true;
}

bool number_set_shares(const struct number_set *set, const struct number_set *more,
                       uint64_t *number) {
    for (size_t i = 0; i < more->count; i++) {
        const struct number_run *run = &more->runs[i];
        const size_t next = count_until(set, run->first);
        if (next && set->runs[next - 1].last >= run->first)
            *number = run->first;
        else if (next < set->count && set->runs[next].first <= run->last)
            *number = set->runs[next].first;
        else
            continue;
        return true;
    }
    return false;
}

uint64_t number_set_size(const struct number_set *set) {
    uint64_t size = 0;
    for (size_t i = 0; i < set->count; i++)
        size += set->runs[i].last - set->runs[i].first + 1;
    return size;
}

bool number_set_equal(const struct number_set *a, const struct number_set *b) {
    return a->count == b->count &&
           (!a->count || memcmp(a->runs, b->runs, a->count * sizeof *a->runs) == 0);
}

void number_set_free(struct number_set *set) {
    free(set->runs);
    *set = (struct number_set){.count = 0};
}
