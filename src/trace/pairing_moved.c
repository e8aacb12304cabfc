/* What one side computes in another place of the run. */
#include "trace/pairing_parts.h"

#include <stdlib.h>

struct keyed {
    uint64_t key;
    size_t index;
};

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Whether an operation takes something that the other side has, too: its key is odd then. */
static bool is_known(const struct side *side, size_t index) {
    return side->keys[BY_KNOWN][index] & 1;
}

/* Those without a partner, by their keys; from malloc. */
static struct keyed *alone_of(const struct side *side, int level, size_t *count) {
    struct keyed *list = malloc((side->trace->count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < side->trace->count; i++)
        if (side->partner[i] == ALONE &&
            (level != BY_INPUTS || side->trace->operations[i].input_count) &&
            (level != BY_KNOWN || is_known(side, i)))
            list[(*count)++] = (struct keyed){side->keys[level][i], i};
    if (list)
        qsort(list, *count, sizeof *list, by_key);
    return list;
}

void pairing_moved(struct pairer *pairer, int level) {
    size_t counts[2], at[2] = {0, 0};
    struct keyed *lists[2];
    for (int i = 0; i < 2; i++)
        lists[i] = alone_of(&pairer->sides[i], level, &counts[i]);
    pairer->has_failed = pairer->has_failed || !lists[0] || !lists[1];
    while (!pairer->has_failed && at[0] < counts[0] && at[1] < counts[1]) {
        const struct keyed *a = &lists[0][at[0]], *b = &lists[1][at[1]];
        if (a->key == b->key) {
            pairing_join(pairer, (size_t[]){a->index, b->index}, (size_t[]){1, 1});
            pairer->sides[0].is_moved[a->index] = pairer->sides[1].is_moved[b->index] = true;
        }
        at[0] += a->key <= b->key;
        at[1] += b->key <= a->key;
    }
    free(lists[0]);
    free(lists[1]);
}

enum {
    NEAR = 32, /* operations between two that took each other's place */
    ROUND = 8  /* at most so many change places at once */
};

/* Whether an operation here stands alone beside one there that has another key. */
static bool is_mismatched(const struct pairer *pairer, int key, size_t index) {
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    const size_t partner = here->partner[index];
    return partner != ALONE && here->length[index] == 1 && there->length[partner] == 1 &&
           (key == BY_KNOWN ? is_known(here, index) && is_known(there, partner) &&
                                  here->keys[BY_SHAPES][index] == there->keys[BY_SHAPES][partner]
                            : here->keys[BY_PLACE][index] == there->keys[BY_PLACE][partner]) &&
           here->keys[key][index] != there->keys[key][partner];
}

/* The operation here, near `index`, whose partner has the key of `index`; or ALONE. */
static size_t whose_partner_is(const struct pairer *pairer, int key, size_t index) {
    const struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    const size_t first = index < NEAR ? 0 : index - NEAR;
    for (size_t i = first; i < here->trace->count && i <= index + NEAR; i++)
        if (i != index && is_mismatched(pairer, key, i) &&
            there->keys[key][here->partner[i]] == here->keys[key][index])
            return i;
    return ALONE;
}

/* Operations of one place whose partners are each other's, going round: each gets the one that is the same. Where one of
 * them has no other, they may differ for another reason, and stay. */
static void exchange(struct pairer *pairer, int key, size_t index) {
    struct side *here = &pairer->sides[0], *there = &pairer->sides[1];
    size_t round[ROUND], partners[ROUND], count = 0;
    for (size_t at = index; count < ROUND; at = round[count - 1]) {
        const size_t next = whose_partner_is(pairer, key, at);
        if (next == ALONE)
            return;
        round[count] = next;
        partners[count++] = here->partner[next];
        if (next == index)
            break;
    }
    if (round[count - 1] != index)
        return;
    for (size_t i = 0; i < count; i++) {
        const size_t to = i ? round[i - 1] : index;
        pairing_join(pairer, (size_t[]){to, partners[i]}, (size_t[]){1, 1});
        here->is_moved[to] = there->is_moved[partners[i]] = true;
    }
}

void pairing_exchange(struct pairer *pairer) {
    static const int keys[] = {ALL_SAME, SAME_ATTRIBUTES, BY_KNOWN};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t i = 0; i < pairer->sides[0].trace->count; i++)
            if (is_mismatched(pairer, keys[k], i))
                exchange(pairer, keys[k], i);
}

/* Where the list of those without a partner has a key; `count`: nowhere. */
static size_t find_keyed(const struct keyed *list, size_t count, uint64_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && list[low].key == key ? low : count;
}

/* Whether an operation without a partner would get one before or behind those of its neighbours. */
static bool is_out_of_order(const struct side *own, size_t index, size_t partner) {
    size_t before = index, behind = index + 1;
    while (before && (own->partner[before - 1] == ALONE || own->is_moved[before - 1]))
        before--;
    while (behind < own->trace->count && (own->partner[behind] == ALONE || own->is_moved[behind]))
        behind++;
    return (before && own->partner[before - 1] > partner) ||
           (behind < own->trace->count && own->partner[behind] < partner);
}

/* Whether a pair may be parted for one that takes the same, or that takes the weights which this one does not take. */
static bool may_correct(const struct side *own, size_t index, const struct side *other,
                        size_t partner, int level) {
    return own->keys[level][index] != other->keys[level][partner] &&
           (level != BY_KNOWN || (!is_known(own, index) && is_known(other, partner)));
}

/* Of one side: pairs whose operation of the other side has one here without a partner that takes the same, or what both sides
 * have of it. */
static void correct(struct pairer *pairer, int side, int level) {
    struct side *own = &pairer->sides[side], *other = &pairer->sides[!side];
    size_t count;
    struct keyed *list = alone_of(own, level, &count);
    pairer->has_failed = pairer->has_failed || !list;
    for (size_t i = 0; count && !pairer->has_failed && i < own->trace->count; i++) {
        const size_t partner = own->partner[i];
        if (partner == ALONE || own->length[i] != 1 || other->length[partner] != 1 ||
            !may_correct(own, i, other, partner, level))
            continue;
        const size_t at = find_keyed(list, count, other->keys[level][partner]);
        if (at == count || own->partner[list[at].index] != ALONE)
            continue;
        size_t first[2];
        first[side] = list[at].index;
        first[!side] = partner;
        own->partner[i] = ALONE;
        own->is_moved[i] = false;
        pairing_join(pairer, first, (size_t[]){1, 1});
        own->is_moved[first[side]] = other->is_moved[partner] =
            is_out_of_order(own, first[side], partner);
    }
    free(list);
}

void pairing_correct(struct pairer *pairer) {
    static const int levels[] = {BY_INPUTS, BY_KNOWN};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        for (int side = 0; side < 2; side++)
            correct(pairer, side, levels[k]);
}
