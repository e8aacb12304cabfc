/* A row for each: its rule, and the length from which it is no other. */
#include "reveal/known.h"

static int32_t add_two(struct order_tree *tree, int32_t a, int32_t b) {
    const int32_t pair[2] = {a, b};
    return order_tree_add(tree, pair, 2, 0);
}

/* Element `at` after so many steps: what it was before, and the element 2^(steps - 1) before it, if there is one. */
static int32_t after_steps(struct order_tree *tree, size_t at, unsigned steps) {
    if (!steps)
        return (int32_t)at;
    const int32_t own = after_steps(tree, at, steps - 1);
    const size_t distance = (size_t)1 << (steps - 1);
    return at < distance ? own : add_two(tree, own, after_steps(tree, at - distance, steps - 1));
}

static int32_t double_distances(struct order_tree *tree, size_t terms) {
    unsigned steps = 0;
    while ((size_t)1 << steps < terms)
        steps++;
    return after_steps(tree, terms - 1, steps);
}

static int32_t block_of(struct order_tree *tree, size_t first, size_t size) {
    return size == 1 ? (int32_t)first
                     : add_two(tree, block_of(tree, first, size / 2),
                               block_of(tree, first + size / 2, size / 2));
}

/* The blocks of 2^k elements that the binary digits of a place have, the largest first, and the element itself. */
static int32_t add_blocks(struct order_tree *tree, size_t terms) {
    size_t at = 0;
    int32_t sum = ORDER_NONE;
    for (size_t size = (size_t)1 << 23; size; size /= 2) {
        if (!((terms - 1) & size))
            continue;
        const int32_t block = block_of(tree, at, size);
        sum = at ? add_two(tree, sum, block) : block;
        at += size;
    }
    return at ? add_two(tree, sum, (int32_t)at) : (int32_t)at;
}

static const struct known {
    const char *name;
    size_t least; /* terms that at least one tree must have */
    struct order_rules rules;
    /* In place of rules, of a scan: what its element behind so many terms adds. */
    int32_t (*prefix)(struct order_tree *tree, size_t terms);
} known[] = {
    {"numpy's pairwise sum", 16,
     .rules = {4,
               {{.kind = ORDER_SHORTER, .size = 8, .outer = 1},
                {.kind = ORDER_HALVES, .size = 128, .multiple = 8, .inner = 2},
                {.kind = ORDER_LANES, .size = 8, .outer = 3, .tail = ORDER_TAIL_AFTER},
                {.kind = ORDER_PAIRS}}}},
    {"det's sum of 64 lanes", 65,
     .rules = {2,
               {{.kind = ORDER_LANES, .size = 64, .outer = 1, .tail = ORDER_TAIL_WITHIN},
                {.kind = ORDER_FOLD}}}},
    {"torch.sum on the CPU, by vectors of 8", 16,
     .rules = {5,
               {{.kind = ORDER_SHORTER, .size = 8, .inner = 1, .outer = 2},
                {.kind = ORDER_LANES, .size = 4, .tail = ORDER_TAIL_LANE},
                {.kind = ORDER_LANES, .size = 8, .inner = 3, .tail = ORDER_TAIL_FIRST},
                {.kind = ORDER_LANES, .size = 4, .inner = 4, .tail = ORDER_TAIL_LANE},
                {.kind = ORDER_CASCADE, .size = 16, .multiple = 4}}}},
    {"XLA's sum on the CPU, in windows of 32", 33,
     .rules = {3,
               {{.kind = ORDER_CENTRED, .size = 32, .outer = 1},
                {.kind = ORDER_CENTRED, .size = 32, .outer = 2},
                {.kind = ORDER_CENTRED, .size = 32}}}},
    {"Eigen's sum by vectors of 4", 12,
     .rules = {3,
               {{.kind = ORDER_LANES, .size = 4, .inner = 1, .outer = 2, .tail = ORDER_TAIL_AFTER},
                {.kind = ORDER_LANES, .size = 2, .tail = ORDER_TAIL_AFTER},
                {.kind = ORDER_FOLD}}}},
    {"Eigen's sum by vectors of 8", 24,
     .rules = {3,
               {{.kind = ORDER_LANES, .size = 8, .inner = 1, .outer = 2, .tail = ORDER_TAIL_AFTER},
                {.kind = ORDER_LANES, .size = 2, .tail = ORDER_TAIL_AFTER},
                {.kind = ORDER_FOLD}}}},
    {"numpy.einsum by vectors of 4", 16,
     .rules = {3,
               {{.kind = ORDER_SERPENTINE, .size = 16, .multiple = 4, .inner = 1},
                {.kind = ORDER_LANES, .size = 4, .outer = 2},
                {.kind = ORDER_PAIRS}}}},
    {"OpenBLAS's sdot for AVX2", 33,
     .rules = {5,
               {{.kind = ORDER_LANES, .size = 32, .outer = 1, .tail = ORDER_TAIL_BEFORE},
                {.kind = ORDER_LANES, .size = 8, .inner = 2, .outer = 3},
                {.kind = ORDER_PAIRS},
                {.kind = ORDER_LANES, .size = 4, .outer = 4},
                {.kind = ORDER_PAIRS}}}},
    {"OpenBLAS's sdot for AVX-512", 33,
     .rules =
         {6,
          {{.kind = ORDER_DEALT, .size = 64, .multiple = 8, .inner = 1},
           {.kind = ORDER_LANES, .size = 32, .inner = 2, .outer = 3, .tail = ORDER_TAIL_BEFORE},
           {.kind = ORDER_LANES, .size = 2, .tail = ORDER_TAIL_AFTER},
           {.kind = ORDER_LANES, .size = 8, .outer = 4},
           {.kind = ORDER_LANES, .size = 4, .outer = 5},
           {.kind = ORDER_PAIRS}}}},
    {"halves down to 8 terms, as --impl pairwise", 17,
     .rules = {1, {{.kind = ORDER_HALVES, .size = 8, .multiple = 1}}}},
    {"Hillis and Steele's scan", 4, .prefix = double_distances},
    {"Blelloch's scan", 4, .prefix = add_blocks},
};

const struct order_rules *known_order_at(size_t index, const char **name) {
    const bool is_row = index < sizeof known / sizeof *known;
    *name = is_row ? known[index].name : NULL;
    return is_row && !known[index].prefix ? &known[index].rules : NULL;
}

static bool has_tree(const struct known *row, const struct order_tree *tree) {
    struct order_tree own;
    struct error unused;
    order_tree_open(&own, tree->terms);
    if (row->prefix && order_is_term(row->prefix(&own, tree->terms)))
        order_tree_add(&own, &(int32_t){0}, 1, 0);
    if (row->prefix && own.out_of_memory) {
        order_tree_close(&own);
        return false;
    }
    if (!row->prefix && !order_rules_tree(&row->rules, tree->terms, &own, &unused))
        return false;
    bool same = order_tree_shape(&own, false) == order_tree_shape(tree, false);
    order_tree_close(&own);
    return same;
}

const char *known_order(const struct order_tree *const *trees, size_t count, bool prefixes) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool same = prefixes || !known[i].prefix, tells = false;
        for (size_t k = 0; k < count && same; k++) {
            tells |= trees[k]->terms >= known[i].least;
            same = has_tree(&known[i], trees[k]);
        }
        if (same && tells)
            return known[i].name;
    }
    return NULL;
}
