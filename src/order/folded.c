/* Folding a tree into a few lines. */
#include "order/folded.h"

#include "order/mix.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 4, MOST_DEPTH = 2000 };

/* What is below a child. */
struct below {
    size_t count;        /* terms */
    int32_t first, last; /* the least term, and the largest */
    uint64_t shape;      /* a hash of what is added to what, whatever the least term is */
    bool is_row;         /* terms one after the other, `step` apart */
    int32_t begin, end, step;
};

struct folder {
    const struct order_tree *tree;
    struct below *below; /* of each addition */
    struct order_folded *folded;
    uint64_t seen[2 * FOLDED_LINES]; /* shapes of parts that are not folded */
    size_t seen_count, depth;
    bool is_too_large;
};

static struct below below_of(const struct below *below, int32_t child) {
    if (order_is_addition(child))
        return below[~child];
    return order_is_term(child)
               ? (struct below){.count = 1, .first = child, .last = child, .shape = 2}
               : (struct below){.first = INT32_MAX, .last = -1, .shape = 3};
}

/* Takes the next term of a row; false where it is at another distance. */
static bool row_take(struct below *row, int32_t term, size_t terms) {
    if (terms == 0)
        row->begin = term;
    else if (terms == 1)
        row->step = term - row->begin;
    else if (term - row->end != row->step)
        return false;
    row->end = term;
    return true;
}

/* Terms, or terms onto a row by the same node. */
static void find_row(const struct order_tree *tree, const struct below *below, size_t v,
                     struct below *one) {
    const struct order_addition *addition = &tree->additions[v];
    const int32_t *children = tree->children + addition->first;
    size_t terms = 0;
    one->is_row = true;
    for (size_t k = 0; k < addition->children && one->is_row; k++) {
        const int32_t child = children[k];
        if (order_is_term(child)) {
            one->is_row = row_take(one, child, terms++);
        } else if (k == 0 && order_is_addition(child) && below[~child].is_row &&
                   tree->additions[~child].node == addition->node) {
            const struct below *row = &below[~child];
            one->begin = row->begin;
            one->end = row->end;
            one->step = row->step;
            terms = row->count;
        } else {
            one->is_row = k == 0 && !order_is_addition(child);
        }
    }
}

static void measure(const struct order_tree *tree, struct below *below) {
    for (size_t v = 0; v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        const int32_t *children = tree->children + addition->first;
        struct below one = {.first = INT32_MAX, .last = -1, .shape = addition->node};
        for (size_t k = 0; k < addition->children; k++) {
            const struct below child = below_of(below, children[k]);
            one.count += child.count;
            one.first = child.first < one.first ? child.first : one.first;
            one.last = child.last > one.last ? child.last : one.last;
        }
        for (size_t k = 0; k < addition->children; k++) {
            const struct below child = below_of(below, children[k]);
            const uint32_t from = child.count ? (uint32_t)(child.first - one.first) : 0;
            one.shape = order_mix(order_mix(one.shape + child.shape) + from);
        }
        find_row(tree, below, v, &one);
        below[v] = one;
    }
}

/* ---- Lines ---- */

PRINTF_LIKE(2, 3)
static int32_t add_line(struct folder *folder, const char *format, ...) {
    struct order_folded *folded = folder->folded;
    va_list list;
    if (folded->lines == FOLDED_LINES) {
        folder->is_too_large = true;
        return ORDER_ZERO;
    }
    va_start(list, format);
    vsnprintf(folded->labels[folded->lines], FOLDED_TEXT, format, list);
    va_end(list);
    return (int32_t)folded->lines++;
}

static int32_t add_row(struct folder *folder, const struct below *row) {
    if (row->step == 1)
        return add_line(folder, "%d … %d in turn", (int)row->begin, (int)row->end);
    return add_line(folder, "%d, %d … %d in turn", (int)row->begin, (int)(row->begin + row->step),
                    (int)row->end);
}

static bool is_seen(const struct folder *folder, uint64_t shape) {
    for (size_t i = 0; i < folder->seen_count; i++)
        if (folder->seen[i] == shape)
            return true;
    return false;
}

static int32_t fold_child(struct folder *folder, int32_t child);

static int32_t add_pair(struct folder *folder, int32_t a, int32_t b, unsigned node) {
    const int32_t pair[2] = {a, b};
    return order_tree_add(&folder->folded->tree, pair, 2, node);
}

/* How many additions from this one down add a part of one shape to what is there; `below` is what that is. */
static size_t parts_in_turn(const struct folder *folder, size_t v, int32_t *below) {
    const struct order_tree *tree = folder->tree;
    const struct order_addition *top = &tree->additions[v], *addition = top;
    const uint64_t shape = below_of(folder->below, tree->children[top->first + 1]).shape;
    size_t length = 0;
    *below = ~(int32_t)v;
    while (order_is_addition(*below) && tree->children[top->first + 1] > ORDER_NONE) {
        addition = &tree->additions[~*below];
        const int32_t *children = tree->children + addition->first;
        if (addition->children != 2 || addition->node != top->node ||
            below_of(folder->below, children[1]).shape != shape)
            break;
        length++;
        *below = children[0];
    }
    return length;
}

/* A line of the terms below `all`, which may be some of those between the least and the largest. */
static int32_t add_part(struct folder *folder, const struct below *all, const char *how) {
    const bool is_whole = all->count > (size_t)(all->last - all->first);
    return add_line(folder, "%d … %d%s%s", (int)all->first, (int)all->last,
                    is_whole ? " " : ", some of them, ", how);
}

static void join(struct below *all, struct below part) {
    all->count += part.count;
    all->first = part.first < all->first ? part.first : all->first;
    all->last = part.last > all->last ? part.last : all->last;
}

/* Parts in turn: what they are added to, the first one where none like it was there, and a line for the others. Terms in
 * turn are a line with what they are added to, where that is a term. */
static int32_t fold_parts(struct folder *folder, size_t v, size_t length, int32_t below) {
    const struct order_tree *tree = folder->tree;
    const unsigned node = tree->additions[v].node;
    const int32_t top = tree->children[tree->additions[v].first + 1];
    struct below all = {.first = INT32_MAX, .last = -1};
    int32_t at = ~(int32_t)v, first = top, total = ORDER_NONE;
    const bool terms = order_is_term(top);
    if (terms && order_is_term(below))
        join(&all, below_of(folder->below, below));
    else
        total = fold_child(folder, below);
    const bool opens = !terms && !is_seen(folder, below_of(folder->below, top).shape);
    for (size_t i = 0; i < length; i++) {
        first = tree->children[tree->additions[~at].first + 1];
        at = tree->children[tree->additions[~at].first];
        if (i + 1 < length || !opens)
            join(&all, below_of(folder->below, first));
    }
    if (opens && !folder->is_too_large)
        total = add_pair(folder, total, fold_child(folder, first), node);
    const int32_t rest = add_part(folder, &all, terms ? "in turn" : "in parts likewise, in turn");
    if (total == ORDER_NONE || folder->is_too_large)
        return rest;
    return add_pair(folder, total, rest, node);
}

static int32_t fold_addition(struct folder *folder, size_t v) {
    const struct order_addition *addition = &folder->tree->additions[v];
    int32_t children[2 * FOLDED_LINES], below;
    const size_t length = addition->children == 2 ? parts_in_turn(folder, v, &below) : 0;
    if (length >= FEW)
        return fold_parts(folder, v, length, below);
    if (addition->children > 2 * FOLDED_LINES)
        folder->is_too_large = true;
    for (size_t k = 0; k < addition->children && !folder->is_too_large; k++)
        children[k] = fold_child(folder, folder->tree->children[addition->first + k]);
    if (folder->is_too_large)
        return ORDER_ZERO;
    return order_tree_add(&folder->folded->tree, children, addition->children, addition->node);
}

static int32_t fold_child(struct folder *folder, int32_t child) {
    if (!order_is_term(child) && !order_is_addition(child))
        return child;
    const struct below one = below_of(folder->below, child);
    if (folder->is_too_large || folder->depth == MOST_DEPTH)
        folder->is_too_large = true;
    if (folder->is_too_large)
        return ORDER_ZERO;
    if (order_is_term(child))
        return add_line(folder, "%d", (int)child);
    if (one.count >= FEW && is_seen(folder, one.shape))
        return add_part(folder, &one, "likewise");
    folder->depth++;
    const int32_t made = one.is_row && one.count >= FEW ? add_row(folder, &one)
                                                        : fold_addition(folder, (size_t)~child);
    folder->depth--;
    if (folder->seen_count < 2 * FOLDED_LINES && !one.is_row)
        folder->seen[folder->seen_count++] = one.shape;
    return made;
}

bool order_fold_lines(const struct order_tree *tree, struct order_folded *folded) {
    struct folder folder = {.tree = tree, .folded = folded};
    *folded = (struct order_folded){.lines = 0};
    folder.below = calloc(tree->count + 1, sizeof *folder.below);
    if (!folder.below || !tree->count) {
        free(folder.below);
        return false;
    }
    order_tree_open(&folded->tree, tree->terms);
    measure(tree, folder.below);
    const int32_t root = fold_child(&folder, ~(int32_t)(tree->count - 1));
    if (order_is_term(root)) /* all of it one row */
        order_tree_add(&folded->tree, &root, 1, tree->additions[tree->count - 1].node);
    free(folder.below);
    folded->tree.terms = folded->lines;
    if (!folder.is_too_large && !folded->tree.out_of_memory)
        return true;
    order_tree_close(&folded->tree);
    return false;
}
