/* The rule that the trees of one length after the other share: where it is made and held to them. */
#include "reveal/lengths_fold.h"

#include "reveal/lengths_nodes.h"

#include <stdlib.h>
#include <string.h>

bool lengths_adds_all_once(const struct order_tree *tree) {
    uint8_t *is_there = calloc(tree->terms + 1, 1);
    size_t places = 0, terms = 0;
    for (size_t i = 0; is_there && i < tree->child_count; i++)
        if (order_is_term(tree->children[i])) {
            places++;
            terms += !is_there[tree->children[i]];
            is_there[tree->children[i]] = 1;
        }
    free(is_there);
    return places == tree->terms && terms == tree->terms;
}

/* A shallow copy of the trees of what is revealed; their places in the list of lengths in `places`. */
static size_t gather(const struct lengths *lengths, struct order_tree *trees, size_t *places) {
    size_t count = 0;
    for (size_t i = 0; i < lengths->count; i++) {
        if (!lengths_have(lengths, i))
            continue;
        places[count] = i;
        trees[count++] = lengths->revealed[i].model.tree;
    }
    return count;
}

bool lengths_gives(const struct lengths *lengths, const struct revealed *own,
                   uint64_t (*hash)(const struct order_tree *)) {
    struct order_tree tree;
    struct error why;
    const bool same = order_rules_tree(&lengths->order.rules, own->terms, &tree, &why) &&
                      order_tree_check(&tree, ORDER_MOST_NODES, &why) &&
                      hash(&tree) == hash(&own->model.tree);
    order_tree_close(&tree);
    return same;
}

/* Of trees that add each term once; the others break it. */
static size_t fold_usual(const struct order_tree *trees, size_t count, struct order_rules *rules,
                         bool *breaks) {
    struct order_tree *usual = calloc(count + 1, sizeof *usual);
    bool *own = calloc(count + 1, sizeof *own);
    size_t there = 0, broken = SIZE_MAX;
    rules->count = 0;
    for (size_t i = 0; usual && own && i < count; i++) {
        breaks[i] = !lengths_adds_all_once(&trees[i]);
        if (!breaks[i])
            usual[there++] = trees[i];
    }
    if (there)
        broken = order_fold(usual, there, rules, own);
    for (size_t i = 0, k = 0; broken != SIZE_MAX && i < count; i++)
        breaks[i] = breaks[i] || own[k++];
    free(usual);
    free(own);
    return broken == SIZE_MAX ? broken : broken + count - there;
}

/* Where few lengths drop a term or add one twice, a rule that has these too is one of chance. */
static size_t fold_most(const struct order_tree *trees, size_t count, struct order_rules *rules,
                        bool *breaks) {
    enum { FEW = 4 }; /* one of so many */
    size_t odd = 0;
    for (size_t i = 0; i < count; i++)
        odd += !lengths_adds_all_once(&trees[i]);
    if (odd && FEW * odd <= count) {
        const size_t broken = fold_usual(trees, count, rules, breaks);
        if (broken != SIZE_MAX)
            return broken;
    }
    rules->count = 0;
    memset(breaks, 0, count * sizeof *breaks);
    return count ? order_fold(trees, count, rules, breaks) : SIZE_MAX;
}

bool lengths_fold(struct lengths *lengths, const struct reveal_request *request,
                  struct error *error) {
    if (!lengths->is_extended && !lengths_take_nodes(lengths, request, error))
        return false;
    lengths->is_folded = true;
    struct order_tree *trees = calloc(lengths->count + 1, sizeof *trees);
    size_t *places = calloc(lengths->count + 1, sizeof *places), count = 0;
    bool *breaks = calloc(lengths->count + 1, sizeof *breaks);
    bool good = (trees && places && breaks) || error_set(error, "out of memory");
    if (good) {
        count = gather(lengths, trees, places);
        lengths->order.rules.count = 0;
        size_t broken = fold_most(trees, count, &lengths->order.rules, breaks);
        lengths->has_rule = broken != SIZE_MAX;
        lengths->broken = lengths->has_rule ? broken : 0;
        if (!lengths->has_rule)
            lengths->order.rules.count = 0;
        memset(lengths->breaks, 0, lengths->count * sizeof *lengths->breaks);
        for (size_t i = 0; i < count; i++)
            lengths->breaks[places[i]] = breaks[i] |=
                !lengths->has_rule ||
                !lengths_gives(lengths, &lengths->revealed[places[i]], order_tree_roundings);
        lengths->proven = 0;
        for (size_t i = 0; i < lengths->count; i++)
            lengths->proven += lengths->revealed[i].state == REVEALED;
        lengths->given = 0;
        while (lengths->given < count && !breaks[count - 1 - lengths->given])
            lengths->given++;
    }
    free(trees);
    free(places);
    free(breaks);
    return good;
}
