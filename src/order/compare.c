/* Two orders side by side. */
#include "order/order.h"

#include "order/mix.h"
#include "order/plan.h"

#include <stdlib.h>
#include <string.h>

/* Every length as far as SHORT is compared, and lengths around powers of two as far as LONG. */
enum { SHORT = 300, LONG = 4097 };

static void node_words(const struct order *order, unsigned index, char *text, size_t room) {
    snprintf(text, room, "none");
    if (index < order->node_count)
        order_node_words(&order->nodes[index], text, room);
}

/* Kinds of additions have numbers where an order has several. */
static bool has_several(const struct order *a, const struct order *b) {
    return a->node_count > 1 || b->node_count > 1;
}

static void compare_nodes(const struct order *a, const struct order *b, FILE *stream) {
    char mine[512], theirs[512], which[32] = "additions";
    for (unsigned i = 0; i < a->node_count || i < b->node_count; i++) {
        node_words(a, i, mine, sizeof mine);
        node_words(b, i, theirs, sizeof theirs);
        if (has_several(a, b))
            snprintf(which, sizeof which, "addition %u", i);
        if (strcmp(mine, theirs) != 0)
            fprintf(stream, "%s: A %s; B %s\n", which, mine, theirs);
        else if (a->nodes[i].nan != b->nodes[i].nan)
            fprintf(stream, "%s: other codes of NaN\n", which);
        else if (!order_node_same(&a->nodes[i], &b->nodes[i]))
            fprintf(stream, "%s: A and B differ in members that only their documents show\n",
                    which);
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

/* "x[3]", or "x[3]*y[3]" where terms are products; with what stands before and behind it. */
static void say_term(const char *before, int32_t term, bool products, const char *behind,
                     FILE *stream) {
    fprintf(stream, "%sx[%d]", before, (int)term);
    if (products)
        fprintf(stream, "*y[%d]", (int)term);
    fputs(behind, stream);
}

/* "x[3]", "the sum of x[0] to x[7]", "c": what is added, totals by their terms. */
static void say_child(struct below one, int32_t child, bool products, FILE *stream) {
    if (child == ORDER_C || child == ORDER_ZERO) {
        fprintf(stream, child == ORDER_C ? "c" : "+0");
    } else if (one.count == 1) {
        say_term("", one.first, products, "", stream);
    } else if (one.count == 2) {
        say_term("(", one.first, products, " + ", stream);
        say_term("", one.last, products, ")", stream);
    } else {
        fprintf(stream, "the sum of ");
        if (one.count != (size_t)(one.last - one.first) + 1)
            fprintf(stream, "%zu terms of ", one.count);
        say_term("", one.first, products, " to ", stream);
        say_term("", one.last, products, "", stream);
    }
}

/* "adds x[0] and x[8]"; terms that follow each other as "x[0] to x[7]". */
static void say_addition(const struct order_tree *tree, const struct below *additions, size_t at,
                         bool products, FILE *stream) {
    const struct order_addition *addition = &tree->additions[at];
    const int32_t *children = tree->children + addition->first;
    fputs(addition->children > 1 ? "adds " : "rounds ", stream);
    for (size_t k = 0, end; k < addition->children; k = end + 1) {
        for (end = k; end + 1 < addition->children && order_is_term(children[k]) &&
                      children[end + 1] == children[end] + 1;
             end++)
            ;
        end = end < k + 2 ? k : end;
        fputs(!k ? "" : end + 1 == addition->children ? " and " : ", ", stream);
        say_child(below_child(additions, children[k]), children[k], products, stream);
        if (end > k)
            say_term(" to ", children[end], products, "", stream);
    }
}

/* What a hash of an addition, and of all additions below it, covers. */
enum detail {
    SEEN,  /* what is added to what by which node */
    EXACT, /* and what only rounds, zeros, and the sequence of children where the node goes by it: with the same nodes all
              of the sum's bits */
    DETAILS
};

/* A tree with what is known of its additions. */
struct side {
    struct order_tree tree;
    uint64_t *hashes[DETAILS], *sorted[DETAILS];
    struct below *below;
    bool has_several; /* kinds of additions, this order or the other one */
    bool products;    /* terms are */
};

/* Whether sums of a node may have other bits where the children are in another sequence. The first one may be c. */
static bool goes_by_sequence(const struct order_node *node, size_t children) {
    bool chain = node->kind == ORDER_KAHAN || node->kind == ORDER_NEUMAIER ||
                 node->kind == ORDER_DOUBLE_DOUBLE;
    return (chain && children > 2) || node->groups > 1 || node->c != ORDER_C_WITH_TERMS ||
           node->flush_c != node->flush_operands;
}

static void hash_exactly(const struct order *order, const struct order_tree *tree,
                         uint64_t *hashes) {
    for (size_t i = 0; i < tree->count; i++) {
        const struct order_addition *addition = &tree->additions[i];
        bool sequence = goes_by_sequence(&order->nodes[addition->node], addition->children);
        uint64_t sum = addition->children;
        for (size_t k = 0; k < addition->children; k++) {
            int32_t child = tree->children[addition->first + k];
            uint64_t one =
                order_is_addition(child) ? hashes[~child] : order_mix((uint64_t)child + 17);
            sum = sequence ? order_mix(sum + one) : sum + order_mix(one);
        }
        hashes[i] = order_mix(sum + ((uint64_t)addition->node << 40));
    }
}

static int by_size(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static bool open_side(struct side *side, const struct order *order, size_t terms,
                      struct error *error) {
    if (!order_tree_of(order, terms, &side->tree, error))
        return false;
    const size_t count = side->tree.count;
    side->products = order_is_product(order->operation);
    bool good = (side->below = calloc(count + 1, sizeof *side->below)) != NULL;
    for (int detail = 0; detail < DETAILS; detail++) {
        side->hashes[detail] = calloc(count + 1, sizeof **side->hashes);
        side->sorted[detail] = calloc(count + 1, sizeof **side->sorted);
        good = good && side->hashes[detail] && side->sorted[detail];
    }
    if (!good)
        return error_set(error, "out of memory");
    order_tree_hashes(&side->tree, true, side->hashes[SEEN]);
    hash_exactly(order, &side->tree, side->hashes[EXACT]);
    for (int detail = 0; detail < DETAILS; detail++) {
        memcpy(side->sorted[detail], side->hashes[detail], count * sizeof **side->sorted);
        qsort(side->sorted[detail], count, sizeof **side->sorted, by_size);
    }
    measure(&side->tree, side->below);
    return true;
}

static void close_side(struct side *side) {
    order_tree_close(&side->tree);
    for (int detail = 0; detail < DETAILS; detail++) {
        free(side->hashes[detail]);
        free(side->sorted[detail]);
    }
    free(side->below);
}

/* Whether it adds two or more that are no zeros. */
static bool is_addition_of_some(const struct order_tree *tree, size_t at) {
    size_t there = 0;
    for (size_t k = 0; k < tree->additions[at].children; k++)
        there += tree->children[tree->additions[at].first + k] != ORDER_ZERO;
    return there > 1;
}

/* The first addition that the other side has not; `count`: it has all. */
static size_t first_own(const struct side *side, const struct side *other, enum detail detail) {
    for (size_t i = 0; i < side->tree.count; i++)
        if ((detail == EXACT || is_addition_of_some(&side->tree, i)) &&
            !bsearch(&side->hashes[detail][i], other->sorted[detail], other->tree.count,
                     sizeof **other->sorted, by_size))
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

/* "A adds x[0] and x[64]; B adds x[0] and x[1]", and by which of several kinds of additions. */
static void say_own(const struct side *a, const struct side *b, enum detail detail, FILE *stream) {
    const struct side *const sides[] = {a, b};
    for (int which = 0; which < 2; which++) {
        const struct side *side = sides[which];
        size_t own = first_own(side, sides[!which], detail);
        fprintf(stream, which ? "; B " : "A ");
        if (own < side->tree.count)
            say_addition(&side->tree, side->below, own, side->products, stream);
        else
            fprintf(stream, "has no addition that %s has not", which ? "A" : "B");
        if (own < side->tree.count && side->has_several)
            fprintf(stream, " by addition %u", side->tree.additions[own].node);
    }
    fprintf(stream, "\n");
}

enum { SAME, BEGIN_OTHERWISE, DIFFER };

static int compare_side(const struct side *a, const struct side *b) {
    const size_t count = a->tree.count;
    if (order_tree_hash(&a->tree) != order_tree_hash(&b->tree))
        return DIFFER;
    if (count != b->tree.count ||
        (count && a->hashes[EXACT][count - 1] != b->hashes[EXACT][count - 1]))
        return BEGIN_OTHERWISE;
    return SAME;
}

static void say_difference(const struct side *a, const struct side *b, int found, size_t terms,
                           FILE *stream) {
    fprintf(stream, "%zu terms: ", terms);
    if (found == DIFFER) {
        say_own(a, b, SEEN, stream);
    } else if (unseen(&a->tree) != unseen(&b->tree)) {
        fprintf(stream,
                "the same additions, but A has %zu that only round or begin with +0, B %zu\n",
                unseen(&a->tree), unseen(&b->tree));
    } else {
        fprintf(stream, "the same additions, but not the same rounding, zeros or sequence: ");
        say_own(a, b, EXACT, stream);
    }
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

/* The least of `next` and the lengths beyond `terms` that a tree of the order has, or its rule in steps. */
static size_t next_tree(const struct order *order, size_t terms, size_t next) {
    const size_t step = order->rules.count ? order->step : 0;
    const size_t known = !step                  ? SIZE_MAX
                         : terms < order->least ? order->least
                                                : terms + step - (terms - order->least) % step;
    next = step && known <= order->most && known < next ? known : next;
    for (size_t i = 0; i < order->tree_count; i++)
        if (order->trees[i].terms > terms && order->trees[i].terms < next)
            next = order->trees[i].terms;
    return next;
}

/* Whether two orders that no length told apart are the same at all lengths that both know: trees are all looked at. */
static bool are_proven(const struct order *a, const struct order *b) {
    const size_t least = a->least > b->least ? a->least : b->least,
                 most = a->most < b->most ? a->most : b->most;
    return !a->rules.count || !b->rules.count || least > most || most <= SHORT ||
           order_rules_same(&a->rules, &b->rules);
}

bool order_compare(const struct order *a, const struct order *b, FILE *stream,
                   struct order_compared *compared, struct error *error) {
    size_t differ = 0;
    bool good = true, told[3] = {false};
    *compared = (struct order_compared){.all = are_proven(a, b)};
    compare_whole(a, b, stream);
    for (size_t terms = 1; good && terms < SIZE_MAX;) {
        const bool several = has_several(a, b);
        struct side sides[2] = {{.has_several = several}, {.has_several = several}};
        if (order_knows(a, terms) && order_knows(b, terms)) {
            good = open_side(&sides[0], a, terms, error) && open_side(&sides[1], b, terms, error);
            int found = good ? compare_side(&sides[0], &sides[1]) : SAME;
            if (found != SAME && !told[found])
                say_difference(&sides[0], &sides[1], found, terms, stream);
            told[found] = true;
            differ += found != SAME;
            compared->lengths++;
            compared->longest = terms;
            close_side(&sides[0]);
            close_side(&sides[1]);
        }
        size_t next = next_length(terms);
        terms = next_tree(a, terms, next_tree(b, terms, next <= LONG ? next : SIZE_MAX));
    }
    if (good && !compared->lengths)
        return error_set(error, "the orders have no length in common");
    if (differ)
        fprintf(stream, "%zu of %zu lengths differ\n", differ, compared->lengths);
    return good;
}
