/* Two orders side by side. */
#include "order/order.h"

#include <stdlib.h>
#include <string.h>

/* Every length as far as SHORT is compared, and lengths around powers of two as far as LONG. */
enum { SHORT = 300, LONG = 4097 };

static void compare_nodes(const struct order *a, const struct order *b, FILE *stream) {
    char mine[512], theirs[512];
    for (unsigned i = 0; i < a->node_count || i < b->node_count; i++) {
        strcpy(mine, "is not there");
        strcpy(theirs, "is not there");
        if (i < a->node_count)
            order_node_words(&a->nodes[i], mine, sizeof mine);
        if (i < b->node_count)
            order_node_words(&b->nodes[i], theirs, sizeof theirs);
        if (strcmp(mine, theirs) != 0)
            fprintf(stream, "node %u: A %s; B %s\n", i, mine, theirs);
        else if (a->nodes[i].nan != b->nodes[i].nan)
            fprintf(stream, "node %u: other codes of NaN\n", i);
        else if (memcmp(&a->nodes[i], &b->nodes[i], sizeof a->nodes[i]) != 0)
            fprintf(stream, "node %u: other members of the document\n", i);
    }
}

static void compare_whole(const struct order *a, const struct order *b, FILE *stream) {
    if (a->format != b->format || a->result != b->result)
        fprintf(stream, "formats: A from %s to %s; B from %s to %s\n", a->format->name,
                a->result->name, b->format->name, b->result->name);
    if (a->scale != b->scale)
        fprintf(stream, "scaling: A %s; B %s\n", order_scale_names[a->scale],
                order_scale_names[b->scale]);
    compare_nodes(a, b, stream);
}

/* Terms below a child: how many, the first and the last. */
struct below {
    size_t count;
    int32_t first, last;
};

static struct below below_child(const struct below *additions, int32_t child) {
    if (order_is_addition(child))
        return additions[~child];
    return order_is_term(child) ? (struct below){1, child, child}
                                : (struct below){0, INT32_MAX, -1};
}

static void measure(const struct order_tree *tree, struct below *additions) {
    for (size_t i = 0; i < tree->count; i++) {
        additions[i] = (struct below){0, INT32_MAX, -1};
        for (size_t k = 0; k < tree->additions[i].children; k++) {
            struct below one = below_child(additions, tree->children[tree->additions[i].first + k]);
            additions[i].count += one.count;
            additions[i].first = one.first < additions[i].first ? one.first : additions[i].first;
            additions[i].last = one.last > additions[i].last ? one.last : additions[i].last;
        }
    }
}

/* "0 + 8", "(0 to 7) + 8": totals by their terms. */
static void say_addition(const struct order_tree *tree, const struct below *additions, size_t at,
                         FILE *stream) {
    for (size_t k = 0; k < tree->additions[at].children; k++) {
        int32_t child = tree->children[tree->additions[at].first + k];
        struct below one = below_child(additions, child);
        fputs(k ? " + " : "", stream);
        if (one.count == 1)
            fprintf(stream, "%d", (int)one.first);
        else if (!order_is_addition(child))
            fprintf(stream,
                    child == ORDER_C      ? "c"
                    : child == ORDER_ZERO ? "zero"
                                          : "%d",
                    (int)child);
        else if (one.count == (size_t)(one.last - one.first) + 1)
            fprintf(stream, "(%d to %d)", (int)one.first, (int)one.last);
        else
            fprintf(stream, "(%zu terms of %d to %d)", one.count, (int)one.first, (int)one.last);
    }
    fprintf(stream, " by node %u", tree->additions[at].node);
}

/* A tree with what is known of its additions. */
struct side {
    struct order_tree tree;
    uint64_t *hashes;
    struct below *below;
};

static bool open_side(struct side *side, const struct order *order, size_t terms,
                      struct error *error) {
    if (!order_tree_of(order, terms, &side->tree, error))
        return false;
    side->hashes = calloc(side->tree.count + 1, sizeof *side->hashes);
    side->below = calloc(side->tree.count + 1, sizeof *side->below);
    if (!side->hashes || !side->below)
        return error_set(error, "out of memory");
    order_tree_hashes(&side->tree, true, side->hashes);
    measure(&side->tree, side->below);
    return true;
}

static void close_side(struct side *side) {
    order_tree_close(&side->tree);
    free(side->hashes);
    free(side->below);
}

static bool has_hash(const struct side *side, uint64_t hash) {
    for (size_t i = 0; i < side->tree.count; i++)
        if (side->hashes[i] == hash)
            return true;
    return false;
}

/* Whether it adds two or more that are no zeros. */
static bool is_addition_of_some(const struct order_tree *tree, size_t at) {
    size_t there = 0;
    for (size_t k = 0; k < tree->additions[at].children; k++)
        there += tree->children[tree->additions[at].first + k] != ORDER_ZERO;
    return there > 1;
}

/* The first addition that the other side has not; `count`: it has all. */
static size_t first_own(const struct side *side, const struct side *other) {
    for (size_t i = 0; i < side->tree.count; i++)
        if (is_addition_of_some(&side->tree, i) && !has_hash(other, side->hashes[i]))
            return i;
    return side->tree.count;
}

/* Additions that the hash passes over: of one child, and of zeros. */
static size_t unseen(const struct order_tree *tree) {
    size_t count = 0;
    for (size_t i = 0; i < tree->count; i++)
        for (size_t k = 0; k < tree->additions[i].children; k++)
            count += tree->additions[i].children == 1 ||
                     tree->children[tree->additions[i].first + k] == ORDER_ZERO;
    return count;
}

enum { SAME, BEGIN_OTHERWISE, DIFFER };

static int compare_side(const struct side *a, const struct side *b, size_t terms, bool says,
                        FILE *stream) {
    const struct side *const sides[] = {a, b};
    if (order_tree_hash(&a->tree) == order_tree_hash(&b->tree)) {
        if (unseen(&a->tree) == unseen(&b->tree))
            return SAME;
        if (says)
            fprintf(stream,
                    "%zu terms: the same additions, but A has %zu that only round or begin with "
                    "+0, B %zu\n",
                    terms, unseen(&a->tree), unseen(&b->tree));
        return BEGIN_OTHERWISE;
    }
    for (int which = 0; says && which < 2; which++) {
        const struct side *side = sides[which];
        size_t own = first_own(side, sides[!which]);
        fprintf(stream, which ? "; B " : "%zu terms: A ", terms);
        if (own < side->tree.count)
            fprintf(stream, "adds ");
        if (own < side->tree.count)
            say_addition(&side->tree, side->below, own, stream);
        else
            fprintf(stream, "has no addition that the other has not");
    }
    if (says)
        fprintf(stream, "\n");
    return DIFFER;
}

/* The next length that is compared. */
static size_t next_length(size_t terms) {
    if (terms < SHORT)
        return terms + 1;
    size_t power = 1;
    while (power < terms)
        power *= 2;
    return terms == power       ? power + 1
           : terms + 1 == power ? power
           : terms > power - 1  ? power + 1
                                : power - 1;
}

static bool knows(const struct order *order, size_t terms) {
    bool known = order->rules.count && terms >= order->least && terms <= order->most;
    for (size_t i = 0; i < order->tree_count; i++)
        known = known || order->trees[i].terms == terms;
    return known;
}

bool order_compare(const struct order *a, const struct order *b, FILE *stream,
                   struct error *error) {
    size_t compared = 0, differ = 0;
    bool good = true, told[3] = {false};
    compare_whole(a, b, stream);
    for (size_t terms = 1; good && terms <= LONG; terms = next_length(terms)) {
        struct side sides[2] = {{.hashes = NULL}, {.hashes = NULL}};
        if (!knows(a, terms) || !knows(b, terms))
            continue;
        good = open_side(&sides[0], a, terms, error) && open_side(&sides[1], b, terms, error);
        if (good) {
            int found = compare_side(&sides[0], &sides[1], terms, false, stream);
            if (found != SAME && !told[found])
                compare_side(&sides[0], &sides[1], terms, true, stream);
            told[found] = true;
            differ += found != SAME;
            compared++;
        }
        close_side(&sides[0]);
        close_side(&sides[1]);
    }
    if (good && !compared)
        return error_set(error, "there is no length that both orders know");
    if (differ)
        fprintf(stream, "of %zu lengths %zu differ\n", compared, differ);
    return good;
}
