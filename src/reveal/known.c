/* A row for each: its rule, and the length from which it is no other. */
#include "reveal/known.h"

static const struct known {
    const char *name;
    size_t least; /* terms that at least one tree must have */
    struct order_rules rules;
} known[] = {
    {"numpy's pairwise sum",
     16,
     {4,
      {{.kind = ORDER_SHORTER, .size = 8, .outer = 1},
       {.kind = ORDER_HALVES, .size = 128, .multiple = 8, .inner = 2},
       {.kind = ORDER_LANES, .size = 8, .outer = 3, .tail = ORDER_TAIL_AFTER},
       {.kind = ORDER_PAIRS}}}},
    {"det's sum of 64 lanes",
     65,
     {2,
      {{.kind = ORDER_LANES, .size = 64, .outer = 1, .tail = ORDER_TAIL_WITHIN},
       {.kind = ORDER_FOLD}}}},
    {"halves down to 8 terms, as --impl pairwise",
     17,
     {1, {{.kind = ORDER_HALVES, .size = 8, .multiple = 1}}}},
};

static bool has_tree(const struct known *row, const struct order_tree *tree) {
    struct order_tree own;
    struct error unused;
    if (!order_rules_tree(&row->rules, tree->terms, &own, &unused))
        return false;
    bool same = order_tree_shape(&own, false) == order_tree_shape(tree, false);
    order_tree_close(&own);
    return same;
}

const char *known_order(const struct order_tree *const *trees, size_t count) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool same = true, tells = false;
        for (size_t k = 0; k < count && same; k++) {
            tells |= trees[k]->terms >= known[i].least;
            same = has_tree(&known[i], trees[k]);
        }
        if (same && tells)
            return known[i].name;
    }
    return NULL;
}
