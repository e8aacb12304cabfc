/* The tree of a length by the rows of a rule. */
#include "order/sample.h"

#include <stdlib.h>
#include <string.h>

/* A tree that is being made. */
struct maker {
    const struct order_rules *rules;
    struct order_tree *tree;
    unsigned lone; /* the node that a sum of one term has */
    size_t
        work; /* items in all lists, MOST_WORK at most: lanes of lanes may have ever more places */
};
enum { MOST_WORK = 1 << 28 };

/* Items: terms, totals, or ORDER_NONE where a place is empty. */
struct items {
    const int32_t *at;
    size_t count;
};

static int32_t apply(struct maker *maker, unsigned row, struct items items);

/* One part of a row: by the row that it names, or else from the left. */
enum row_part { INNER, OUTER, REST };
static int32_t part(struct maker *maker, const struct order_rule *row, enum row_part which,
                    struct items items);

/* What is there of them as one addition; one alone is itself. */
static int32_t join(struct maker *maker, unsigned node, const int32_t *items, size_t count) {
    int32_t few[2], *there = count <= 2 ? few : malloc(count * sizeof *there);
    size_t n = 0;
    if (!there) {
        maker->tree->out_of_memory = true;
        return ORDER_NONE;
    }
    for (size_t i = 0; i < count; i++)
        if (items[i] != ORDER_NONE)
            there[n++] = items[i];
    int32_t total = n == 0   ? ORDER_NONE
                    : n == 1 ? there[0]
                             : order_tree_add(maker->tree, there, n, node);
    if (there != few)
        free(there);
    return total;
}

static int32_t join_two(struct maker *maker, unsigned node, int32_t a, int32_t b) {
    const int32_t both[] = {a, b};
    return join(maker, node, both, 2);
}

/* A list for `count` items, or NULL. */
static int32_t *list(struct maker *maker, size_t count) {
    maker->work += count;
    int32_t *items = maker->work > MOST_WORK ? NULL : malloc((count + 1) * sizeof *items);
    if (!items)
        maker->tree->out_of_memory = true;
    return items;
}

/* What a sum begins with, before its first item. */
static int32_t beginning(enum order_start start) {
    return start == ORDER_START_ZERO ? ORDER_ZERO : start == ORDER_START_C ? ORDER_C : ORDER_NONE;
}

/* The next items at once onto what is there. */
static int32_t onto(struct maker *maker, const struct order_rule *row, int32_t total,
                    const int32_t *next, size_t n) {
    int32_t *both = n == 1 ? NULL : list(maker, n + 1);
    if (n == 1)
        return join_two(maker, row->node, total, *next);
    if (!both)
        return ORDER_NONE;
    both[0] = total;
    memcpy(both + 1, next, n * sizeof *both);
    total = join(maker, row->node, both, n + 1);
    free(both);
    return total;
}

static int32_t sequential(struct maker *maker, const struct order_rule *row, struct items items) {
    int32_t *there = list(maker, items.count), total = beginning(row->start);
    size_t n = 0, at = 0;
    for (size_t i = 0; there && i < items.count; i++)
        if (items.at[i] != ORDER_NONE)
            there[n++] = items.at[i];
    if (!there || !n) {
        free(there);
        return ORDER_NONE;
    }
    size_t step = row->size && row->size < n ? (size_t)row->size : n;
    if (row->start == ORDER_START_ALONE && order_is_term(there[0]))
        total = order_tree_add(maker->tree, &there[at++], 1, row->node);
    if (n == 1)
        maker->lone = row->node;
    for (size_t size; at < n; at += size) {
        size = n - at < step ? n - at : step;
        if (total == ORDER_NONE && size == 1 && n - at > 1)
            size = 2;
        total = onto(maker, row, total, there + at, size);
        if (row->multiple && (at + size) % row->multiple == 0)
            total = order_tree_add(maker->tree, &total, 1, row->spill);
    }
    free(there);
    return total;
}

/* The items in another sequence. */
static int32_t reordered(struct maker *maker, const struct order_rule *row, struct items items) {
    int32_t *order = list(maker, items.count), total = ORDER_NONE;
    for (size_t i = 0; order && i < items.count; i++)
        order[i] = items.at[order_item_at(row, items.count, i)];
    if (order)
        total = part(maker, row, INNER, (struct items){order, items.count});
    free(order);
    return total;
}

/* Items added two by two until one is left: neighbours, or those that lie half of the list apart. */
static int32_t by_twos(struct maker *maker, const struct order_rule *row, struct items items) {
    int32_t *there = list(maker, items.count), total = ORDER_NONE;
    bool neighbours = row->kind == ORDER_PAIRS;
    if (there)
        memcpy(there, items.at, items.count * sizeof *there);
    for (size_t count = items.count; there && count; count = count == 1 ? 0 : (count + 1) / 2) {
        size_t half = (count + 1) / 2;
        for (size_t i = 0; count > 1 && i < half; i++) {
            size_t first = neighbours ? 2 * i : i, second = neighbours ? 2 * i + 1 : i + half;
            there[i] = join_two(maker, row->node, there[first],
                                second < count ? there[second] : ORDER_NONE);
        }
        total = there[0];
    }
    free(there);
    return total;
}

/* The total of all but the tail, and the tail, together. */
static int32_t with_tail(struct maker *maker, const struct order_rule *row, int32_t total,
                         struct items tail) {
    if (row->tail == ORDER_TAIL_DROPPED || !tail.count)
        return total;
    if (row->tail == ORDER_TAIL_APART)
        return join_two(maker, row->node, total, part(maker, row, REST, tail));
    bool before = row->tail == ORDER_TAIL_BEFORE;
    int32_t *both = list(maker, tail.count + 1);
    if (!both)
        return ORDER_NONE;
    both[before ? tail.count : 0] = total;
    memcpy(both + !before, tail.at, tail.count * sizeof *both);
    total = part(maker, row, REST, (struct items){both, tail.count + 1});
    free(both);
    return total;
}

static int32_t lanes(struct maker *maker, const struct order_rule *row, struct items items) {
    size_t size = (size_t)row->size, whole = order_lanes_whole(row, items.count), ends = 0;
    bool within = row->tail == ORDER_TAIL_WITHIN;
    bool first = row->tail == ORDER_TAIL_FIRST, last = row->tail == ORDER_TAIL_LAST;
    struct items tail = {items.at + whole, within ? 0 : items.count - whole};
    struct items rows = {items.at, within ? items.count : whole};
    size_t used = size < rows.count ? size : rows.count;
    int32_t *lane = list(maker, rows.count / size + 1), *all = list(maker, size + tail.count + 1),
            total = ORDER_NONE;
    if (lane && all) {
        const int32_t empty = rows.count ? ORDER_NONE : beginning(row->start);
        if (first && empty != ORDER_NONE)
            all[ends++] = empty;
        for (size_t i = 0; first && i < tail.count; i++)
            all[ends++] = tail.at[i];
        for (size_t l = 0; l < used; l++) {
            size_t count = 0;
            for (size_t i = l; i < rows.count; i += size)
                lane[count++] = rows.at[i];
            all[ends] = part(maker, row, INNER, (struct items){lane, count});
            if (row->tail == ORDER_TAIL_LANE && l == 0)
                all[ends] = with_tail(maker, row, all[ends], tail);
            ends++;
        }
        for (size_t l = used; rows.count && l < size; l++)
            all[ends++] = ORDER_NONE;
        for (size_t i = 0; last && i < tail.count; i++)
            all[ends++] = tail.at[i];
        total = part(maker, row, OUTER, (struct items){all, ends});
        if (!rows.count && !first && !last)
            total = empty; /* what lanes without a term begin with */
        if (row->tail != ORDER_TAIL_LANE || !rows.count)
            total = first || last ? total : with_tail(maker, row, total, tail);
    }
    free(lane);
    free(all);
    return total;
}

static int32_t main_part(struct maker *maker, const struct order_rule *row, struct items items) {
    size_t whole = items.count - items.count % (size_t)row->size;
    int32_t total = part(maker, row, INNER, (struct items){items.at, whole});
    return with_tail(maker, row, total, (struct items){items.at + whole, items.count - whole});
}

static int32_t blocks(struct maker *maker, const struct order_rule *row, struct items items) {
    size_t number = 0, most = row->kind == ORDER_SPLIT ? (size_t)row->size : items.count;
    int32_t *totals = list(maker, most < items.count ? most : items.count), total = ORDER_NONE;
    if (!totals)
        return ORDER_NONE;
    for (size_t at = 0; at < items.count; number++) {
        size_t size = order_block_size(row, items.count, items.count - at, number);
        totals[number] = part(maker, row, INNER, (struct items){items.at + at, size});
        at += size;
    }
    total = part(maker, row, OUTER, (struct items){totals, number});
    free(totals);
    return total;
}

static int32_t halves(struct maker *maker, const struct order_rule *row, struct items items) {
    if (items.count <= row->size || items.count < 2)
        return part(maker, row, INNER, items);
    size_t half = items.count / 2;
    if (row->multiple && half >= row->multiple)
        half -= half % (size_t)row->multiple;
    int32_t left = halves(maker, row, (struct items){items.at, half});
    int32_t right = halves(maker, row, (struct items){items.at + half, items.count - half});
    return join_two(maker, row->node, left, right);
}

static int32_t cascade(struct maker *maker, const struct order_rule *row, struct items items) {
    unsigned levels = (unsigned)row->multiple, power = 0, log = 0;
    int32_t sums[24] = {ORDER_NONE}, start = beginning(row->start);
    while ((uint64_t)1 << power < row->size)
        power++;
    while ((uint64_t)1 << log < items.count)
        log++;
    power = log / levels > power ? log / levels : power;
    for (unsigned j = 0; j < levels; j++)
        sums[j] = ORDER_NONE;
    for (size_t i = 0; i < items.count; i++) {
        int32_t item = items.at[i];
        if (sums[0] == ORDER_NONE && row->start == ORDER_START_ALONE && order_is_term(item))
            item = order_tree_add(maker->tree, &item, 1, row->node);
        sums[0] = join_two(maker, row->node, sums[0] == ORDER_NONE ? start : sums[0], item);
        /* A whole step goes up a level, and as far up as steps of steps are whole. */
        for (unsigned j = 1;
             j < levels && power * j < 32 && (i + 1) % ((uint64_t)1 << power * j) == 0; j++) {
            sums[j] = join_two(maker, row->node, sums[j], sums[j - 1]);
            sums[j - 1] = ORDER_NONE;
        }
    }
    for (unsigned j = 1; j < levels; j++)
        sums[0] = join_two(maker, row->node, sums[0], sums[j]);
    return sums[0];
}

static int32_t one_more(struct maker *maker, const struct order_rule *row, struct items items) {
    int32_t total = part(maker, row, INNER, items), start = beginning(row->start);
    if (total == ORDER_NONE || row->start == ORDER_START_ITEMS)
        return total;
    if (row->start == ORDER_START_ALONE)
        return order_tree_add(maker->tree, &total, 1, row->node);
    return join_two(maker, row->node, start, total);
}

static int32_t part(struct maker *maker, const struct order_rule *row, enum row_part which,
                    struct items items) {
    const unsigned below = which == INNER ? row->inner : which == OUTER ? row->outer : row->rest;
    const struct order_rule plain = {
        .kind = ORDER_SEQUENTIAL,
        .node = row->node,
        .size = 1,
        .start = which == INNER && row->kind != ORDER_ONTO ? row->start : ORDER_START_ITEMS};
    return below ? apply(maker, below, items) : sequential(maker, &plain, items);
}

static int32_t apply(struct maker *maker, unsigned number, struct items items) {
    const struct order_rule *row = &maker->rules->rows[number];
    switch (row->kind) {
    case ORDER_SEQUENTIAL:
        return sequential(maker, row, items);
    case ORDER_REVERSED:
    case ORDER_SERPENTINE:
    case ORDER_DEALT:
        return reordered(maker, row, items);
    case ORDER_PAIRS:
    case ORDER_FOLD:
        return by_twos(maker, row, items);
    case ORDER_LANES:
        return lanes(maker, row, items);
    case ORDER_BLOCKS:
    case ORDER_SPLIT:
    case ORDER_CENTRED:
        return blocks(maker, row, items);
    case ORDER_HALVES:
        return halves(maker, row, items);
    case ORDER_CASCADE:
        return cascade(maker, row, items);
    case ORDER_SHORTER:
        return part(maker, row, items.count < row->size ? INNER : OUTER, items);
    case ORDER_MAIN:
        return main_part(maker, row, items);
    default:
        return one_more(maker, row, items);
    }
}

bool order_rules_tree(const struct order_rules *rules, size_t terms, struct order_tree *tree,
                      struct error *error) {
    struct maker maker = {.rules = rules, .tree = tree};
    int32_t *items = malloc((terms + 1) * sizeof *items), total = ORDER_NONE;
    order_tree_open(tree, terms);
    if (!rules->count || terms < 1 || terms > ORDER_MOST_TERMS) {
        free(items);
        return error_set(error, "the order is not known for %zu terms", terms);
    }
    for (size_t i = 0; items && i < terms; i++)
        items[i] = (int32_t)i;
    if (items)
        total = apply(&maker, 0, (struct items){items, terms});
    free(items);
    if (order_is_term(total))
        total = order_tree_add(tree, &total, 1, maker.lone);
    if (!items || tree->out_of_memory) {
        order_tree_close(tree);
        return error_set(error,
                         maker.work > MOST_WORK ? "the rule takes too many steps for %zu terms"
                                                : "out of memory for %zu terms",
                         terms);
    }
    return true;
}
