/* Trees taken apart by their additions, and put together again with other nodes. */
#include "explain/sum_mix.h"

#include <stdlib.h>
#include <string.h>

static bool has_memory(const struct order_node *node) {
    return node->kind != ORDER_SUM;
}

static const struct order_node *node_of(const struct sum_model *side, size_t at) {
    return &side->model->order.nodes[side->tree.additions[at].node];
}

/* A sum alone, which an addition only rounds. */
static bool is_spill(const struct order_tree *tree, size_t at) {
    const struct order_addition *addition = &tree->additions[at];
    return addition->children == 1 && order_is_addition(tree->children[addition->first]);
}

/* ---- Making ready ---- */

/* The children of an addition but zeros, in the numbers of the new tree. */
static size_t take_children(const struct order_tree *from, size_t at, const int32_t *renamed,
                            int32_t *children) {
    const struct order_addition *addition = &from->additions[at];
    size_t count = 0;
    for (uint32_t k = 0; k < addition->children; k++) {
        const int32_t child = from->children[addition->first + k];
        if (child != ORDER_ZERO)
            children[count++] = order_is_addition(child) ? renamed[~child] : child;
    }
    return count;
}

static size_t most_children(const struct order_tree *tree) {
    size_t most = 2;
    for (size_t v = 0; v < tree->count; v++)
        most = tree->additions[v].children > most ? tree->additions[v].children : most;
    return most;
}

/* Without zeros, and with chains that have a memory as one addition of two after the other. */
static bool make_plain(struct sum_model *side) {
    const struct order_tree *from = &side->model->tree;
    int32_t *renamed = calloc(from->count + 1, sizeof *renamed);
    int32_t *children = calloc(most_children(from) + 1, sizeof *children);
    for (size_t v = 0; renamed && children && v < from->count; v++) {
        const unsigned node = from->additions[v].node;
        const bool was_spill = is_spill(from, v);
        const size_t count = take_children(from, v, renamed, children);
        int32_t sum = ORDER_ZERO;
        if (count == 1 && order_is_addition(children[0]) && !was_spill)
            sum = children[0]; /* onto a zero */
        else if (count <= 2 || !has_memory(&side->model->order.nodes[node]))
            sum = count ? order_tree_add(&side->tree, children, count, node) : ORDER_ZERO;
        else
            for (size_t k = 1; k < count; k++) {
                const int32_t pair[2] = {k == 1 ? children[0] : sum, children[k]};
                sum = order_tree_add(&side->tree, pair, 2, node);
            }
        renamed[v] = sum;
    }
    const bool good = renamed && children && !side->tree.out_of_memory;
    free(renamed);
    free(children);
    return good;
}

static void find_usual(struct sum_model *side) {
    size_t counts[ORDER_MOST_NODES] = {0};
    for (size_t v = 0; v < side->tree.count; v++) {
        const struct order_addition *addition = &side->tree.additions[v];
        if (addition->children < 2)
            continue;
        if (++counts[addition->node] > counts[side->node])
            side->node = addition->node;
        size_t terms = 0;
        for (uint32_t k = 0; k < addition->children; k++)
            terms += order_is_term(side->tree.children[addition->first + k]);
        side->most_terms = terms > side->most_terms ? terms : side->most_terms;
    }
}

static bool open_model(struct sum_model *side, const struct model *model, struct error *error) {
    *side = (struct sum_model){.model = model, .most_terms = 2};
    order_tree_open(&side->tree, model->tree.terms);
    const bool good = make_plain(side);
    side->hashes = calloc(side->tree.count + 1, sizeof *side->hashes);
    side->there = calloc(side->tree.count + 1, sizeof *side->there);
    side->spilled = calloc(side->tree.count + 1, sizeof *side->spilled);
    if (!good || !side->hashes || !side->there || !side->spilled)
        return error_set(error, "out of memory");
    order_tree_hashes(&side->tree, false, side->hashes);
    find_usual(side);
    return true;
}

/* ---- Counterparts ---- */

/* An addition by what it adds: one that only rounds a sum comes behind the one that makes it. */
struct entry {
    uint64_t hash;
    size_t at;
    bool spill;
};

static int by_hash(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->spill - y->spill;
}

static size_t find(const struct entry *entries, size_t count, uint64_t hash, bool spill) {
    const struct entry wanted = {.hash = hash, .spill = spill};
    const struct entry *found = bsearch(&wanted, entries, count, sizeof *entries, by_hash);
    return found ? found->at : SIZE_MAX;
}

static bool find_counterparts(struct sum_model *side, const struct sum_model *other) {
    const size_t count = other->tree.count;
    struct entry *entries = calloc(count + 1, sizeof *entries);
    size_t known = 0;
    for (size_t v = 0; entries && v < count; v++)
        if (other->tree.additions[v].children > 1 || is_spill(&other->tree, v))
            entries[known++] = (struct entry){other->hashes[v], v, is_spill(&other->tree, v)};
    if (known)
        qsort(entries, known, sizeof *entries, by_hash);
    for (size_t v = 0; entries && v < side->tree.count; v++) {
        side->there[v] = find(entries, known, side->hashes[v], false);
        side->spilled[v] = find(entries, known, side->hashes[v], true);
    }
    free(entries);
    return entries;
}

static const struct order_node *node_there(const struct sum_model *side,
                                           const struct sum_model *other, size_t at) {
    const size_t there = side->there[at];
    return there == SIZE_MAX ? &other->model->order.nodes[other->node] : node_of(other, there);
}

static bool spills_alike(const struct sum_model *a, const struct sum_model *b) {
    for (size_t v = 0; v < a->tree.count; v++)
        if (is_spill(&a->tree, v) && (a->spilled[v] == SIZE_MAX ||
                                      !order_node_same(node_of(a, v), node_of(b, a->spilled[v]))))
            return false;
    return true;
}

const struct order_node *sum_node_of(const struct sum_pair *pair, int side, size_t at) {
    return node_of(&pair->sides[side], at);
}

const struct order_node *sum_node_there(const struct sum_pair *pair, int side, size_t at) {
    return node_there(&pair->sides[side], &pair->sides[!side], at);
}

struct sum_others sum_count_others(const struct sum_pair *pair, int side, size_t part) {
    const struct sum_model *own = &pair->sides[side];
    struct sum_others others = {.first = SIZE_MAX};
    for (size_t v = 0; v < own->tree.count; v++) {
        if (own->tree.additions[v].children < 2)
            continue;
        others.all++;
        if (sum_part_same(node_of(own, v), sum_node_there(pair, side, v), part))
            continue;
        others.first = others.count++ ? others.first : v;
    }
    return others;
}

static sum_part_set parts_of(const struct sum_pair *pair) {
    const struct sum_model *a = &pair->sides[0], *b = &pair->sides[1];
    const bool same_order = order_tree_shape(&a->tree, false) == order_tree_shape(&b->tree, false);
    sum_part_set parts = (sum_part_set)!same_order << SUM_PART_ORDER;
    parts |= (sum_part_set)(!spills_alike(a, b) || !spills_alike(b, a)) << SUM_PART_SPILLS;
    parts |= (sum_part_set)(a->model->order.scale != b->model->order.scale) << SUM_PART_SCALE;
    for (size_t part = SUM_PART_FIRST_OF_NODES; part < SUM_PARTS; part++)
        if (sum_count_others(pair, 0, part).count || sum_count_others(pair, 1, part).count)
            parts |= (sum_part_set)1 << part;
    return parts;
}

bool sum_pair_open(struct sum_pair *pair, const struct model *a, const struct model *b,
                   struct error *error) {
    struct sum_model *sides = pair->sides;
    memset(pair, 0, sizeof *pair);
    if (!open_model(&sides[0], a, error) || !open_model(&sides[1], b, error))
        return false;
    if (!find_counterparts(&sides[0], &sides[1]) || !find_counterparts(&sides[1], &sides[0]))
        return error_set(error, "out of memory");
    pair->parts = parts_of(pair);
    return true;
}

void sum_pair_close(struct sum_pair *pair) {
    for (int side = 0; side < 2; side++) {
        order_tree_close(&pair->sides[side].tree);
        free(pair->sides[side].hashes);
        free(pair->sides[side].there);
        free(pair->sides[side].spilled);
    }
    memset(pair, 0, sizeof *pair);
}

/* ---- Mixing ---- */

struct mixer {
    const struct sum_model *home, *other; /* home: whose order of additions it is */
    sum_part_set of_other;
    struct order *order;
    struct order_tree tree; /* before additions with a memory are joined */
    bool full;
};

static unsigned node_index(struct mixer *mixer, const struct order_node *node) {
    struct order *order = mixer->order;
    for (unsigned i = 0; i < order->node_count; i++)
        if (order_node_same(&order->nodes[i], node))
            return i;
    mixer->full = mixer->full || order->node_count == ORDER_MOST_NODES;
    if (mixer->full)
        return 0;
    order->nodes[order->node_count] = *node;
    return order->node_count++;
}

/* The node of an addition of home's, with parts of the other. */
static unsigned mixed_node(struct mixer *mixer, size_t at) {
    struct order_node node = *node_of(mixer->home, at);
    const struct order_node *there = node_there(mixer->home, mixer->other, at);
    for (size_t part = SUM_PART_FIRST_OF_NODES; part < SUM_PARTS; part++)
        if (mixer->of_other >> part & 1)
            sum_part_take(&node, there, part);
    return node_index(mixer, &node);
}

/* Home's additions, with the spills of either side. */
static bool mix_additions(struct mixer *mixer) {
    const struct order_tree *from = &mixer->home->tree;
    const bool own_spills = !(mixer->of_other >> SUM_PART_SPILLS & 1);
    int32_t *renamed = calloc(from->count + 1, sizeof *renamed);
    int32_t *children = calloc(most_children(from) + 1, sizeof *children);
    for (size_t v = 0; renamed && children && v < from->count; v++) {
        const size_t count = take_children(from, v, renamed, children);
        if (is_spill(from, v)) {
            renamed[v] = own_spills ? order_tree_add(&mixer->tree, children, 1,
                                                     node_index(mixer, node_of(mixer->home, v)))
                                    : children[0];
            continue;
        }
        renamed[v] = order_tree_add(&mixer->tree, children, count, mixed_node(mixer, v));
        const size_t spill = own_spills ? SIZE_MAX : mixer->home->spilled[v];
        if (spill != SIZE_MAX && count > 1)
            renamed[v] = order_tree_add(&mixer->tree, &renamed[v], 1,
                                        node_index(mixer, node_of(mixer->other, spill)));
    }
    const bool good = renamed && children;
    free(renamed);
    free(children);
    return good;
}

/* Whether an addition goes on with the memory of its first child, and of exact sums with that of each. */
static bool joins(const struct mixer *mixer, size_t at, uint32_t k) {
    const struct order_tree *tree = &mixer->tree;
    const struct order_addition *addition = &tree->additions[at];
    const struct order_node *node = &mixer->order->nodes[addition->node];
    const int32_t child = tree->children[addition->first + k];
    if (!has_memory(node) || addition->children < 2 || !order_is_addition(child) ||
        tree->additions[~child].node != addition->node || tree->additions[~child].children < 2)
        return false;
    if (node->kind == ORDER_EXACT || node->kind == ORDER_FIXED_POINT || node->kind == ORDER_BINS)
        return true;
    for (uint32_t i = 1; i < addition->children; i++)
        if (order_is_addition(tree->children[addition->first + i]))
            return false;
    return k == 0;
}

/* The children of an addition and of those that it goes on from; how many. */
static size_t gather(const struct mixer *mixer, size_t at, const int32_t *renamed,
                     int32_t *children) {
    const struct order_addition *addition = &mixer->tree.additions[at];
    size_t count = 0;
    for (uint32_t k = 0; k < addition->children; k++) {
        const int32_t child = mixer->tree.children[addition->first + k];
        if (joins(mixer, at, k))
            count += gather(mixer, (size_t)~child, renamed, children + count);
        else
            children[count++] = order_is_addition(child) ? renamed[~child] : child;
    }
    return count;
}

static bool join_chains(const struct mixer *mixer, struct order_tree *tree) {
    const size_t additions = mixer->tree.count;
    int32_t *renamed = calloc(additions + 1, sizeof *renamed);
    int32_t *children = calloc(mixer->tree.child_count + 1, sizeof *children);
    bool *joined = calloc(additions + 1, sizeof *joined);
    const bool good = renamed && children && joined;
    for (size_t v = 0; good && v < additions; v++)
        for (uint32_t k = 0; k < mixer->tree.additions[v].children; k++)
            if (joins(mixer, v, k))
                joined[~mixer->tree.children[mixer->tree.additions[v].first + k]] = true;
    for (size_t v = 0; good && v < additions; v++)
        if (!joined[v])
            renamed[v] = order_tree_add(tree, children, gather(mixer, v, renamed, children),
                                        mixer->tree.additions[v].node);
    free(renamed);
    free(children);
    free(joined);
    return good && !tree->out_of_memory;
}

bool sum_mix(const struct sum_pair *pair, sum_part_set of_b, struct order *order,
             struct order_tree *tree) {
    const struct sum_model *a = &pair->sides[0], *b = &pair->sides[1];
    const struct sum_model *whole = !(of_b & pair->parts) ? a : !(pair->parts & ~of_b) ? b : NULL;
    const bool at_b = of_b >> SUM_PART_ORDER & 1;
    struct mixer mixer = {.home = at_b ? b : a,
                          .other = at_b ? a : b,
                          .of_other = at_b ? ~of_b : of_b,
                          .order = order};
    struct error unused;
    *order = whole ? whole->model->order : mixer.home->model->order;
    order_tree_open(tree, a->model->tree.terms);
    if (whole)
        return order_tree_copy(&whole->model->tree, tree);
    order->node_count = 0;
    if (mixer.of_other >> SUM_PART_SCALE & 1)
        order->scale = mixer.other->model->order.scale;
    order_tree_open(&mixer.tree, a->model->tree.terms);
    const bool good = mix_additions(&mixer) && !mixer.full && !mixer.tree.out_of_memory &&
                      join_chains(&mixer, tree) &&
                      order_tree_check(tree, order->node_count, &unused);
    order_tree_close(&mixer.tree);
    return good;
}
