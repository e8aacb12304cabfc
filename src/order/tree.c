/* Trees of additions: making, checking and telling them apart. */
#include "order/order.h"

#include "order/mix.h"

#include <stdlib.h>
#include <string.h>

void order_tree_open(struct order_tree *tree, size_t terms) {
    *tree = (struct order_tree){.terms = terms};
}

void order_tree_close(struct order_tree *tree) {
    free(tree->additions);
    free(tree->children);
    order_tree_open(tree, 0);
}

/* Room for `count` elements of `size` bytes; false: no memory, and what was there stays. */
static bool grow(void *array, size_t *room, size_t count, size_t size) {
    void **memory = array;
    if (count <= *room)
        return true;
    size_t wanted = count < 16 ? 16 : count + count / 2;
    void *larger = realloc(*memory, wanted * size);
    if (!larger)
        return false;
    *memory = larger;
    *room = wanted;
    return true;
}

int32_t order_tree_add(struct order_tree *tree, const int32_t *children, size_t count,
                       unsigned node) {
    if (!grow(&tree->additions, &tree->room, tree->count + 1, sizeof *tree->additions) ||
        !grow(&tree->children, &tree->child_room, tree->child_count + count,
              sizeof *tree->children)) {
        tree->out_of_memory = true;
        return ORDER_ZERO;
    }
    memcpy(tree->children + tree->child_count, children, count * sizeof *children);
    tree->additions[tree->count] =
        (struct order_addition){tree->child_count, (uint32_t)count, (uint16_t)node};
    tree->child_count += count;
    return ~(int32_t)tree->count++;
}

bool order_tree_copy(const struct order_tree *from, struct order_tree *tree) {
    order_tree_open(tree, from->terms);
    for (size_t i = 0; i < from->count && !tree->out_of_memory; i++)
        order_tree_add(tree, from->children + from->additions[i].first, from->additions[i].children,
                       from->additions[i].node);
    if (!tree->out_of_memory)
        return true;
    order_tree_close(tree);
    return false;
}

/* That a child of addition number `at` may be one; `used` counts how often additions are children. */
static bool check_child(const struct order_tree *tree, size_t at, int32_t child, uint8_t *used,
                        struct error *error) {
    if (child == ORDER_C || child == ORDER_ZERO)
        return true;
    if (order_is_term(child))
        return (size_t)child < tree->terms ||
               error_set(error, "addition %zu has term %d, of terms 0 to %zu", at, (int)child,
                         tree->terms - 1);
    if (child == ORDER_NONE || (size_t)~child >= at)
        return error_set(error, "addition %zu has addition %d, which is not an earlier one", at,
                         (int)~child);
    if (used[~child])
        return error_set(error, "addition %d is an operand of two additions", (int)~child);
    used[~child] = 1;
    return true;
}

bool order_tree_check(const struct order_tree *tree, unsigned nodes, struct error *error) {
    uint8_t *used = calloc(tree->count + 1, 1);
    bool good = used || error_set(error, "out of memory");
    for (size_t i = 0; good && i < tree->count; i++) {
        const struct order_addition *addition = &tree->additions[i];
        if (!addition->children)
            good = error_set(error, "addition %zu has nothing to add", i);
        if (addition->node >= nodes)
            good = error_set(error, "addition %zu has node %u, of nodes 0 to %u", i, addition->node,
                             nodes - 1);
        for (size_t k = 0; good && k < addition->children; k++)
            good = check_child(tree, i, tree->children[addition->first + k], used, error);
    }
    for (size_t i = 0; good && i + 1 < tree->count; i++)
        if (!used[i])
            good = error_set(
                error, "addition %zu is an operand of no addition, and is not the last one", i);
    free(used);
    return good;
}

static uint64_t hash_of(const uint64_t *hashes, int32_t child) {
    if (order_is_addition(child))
        return hashes[~child];
    return child == ORDER_C ? 3 : order_mix((uint64_t)child + 17);
}

void order_tree_hashes(const struct order_tree *tree, bool nodes, uint64_t *hashes) {
    for (size_t i = 0; i < tree->count; i++) {
        const struct order_addition *addition = &tree->additions[i];
        uint64_t sum = 0, alone = 0, there = 0;
        for (size_t k = 0; k < addition->children; k++) {
            int32_t child = tree->children[addition->first + k];
            if (child == ORDER_ZERO)
                continue;
            alone = hash_of(hashes, child);
            sum += order_mix(alone);
            there++;
        }
        hashes[i] = there == 1
                        ? alone
                        : order_mix(sum + there + (nodes ? (uint64_t)addition->node << 40 : 0));
    }
}

uint64_t order_tree_shape(const struct order_tree *tree, bool nodes) {
    uint64_t *hashes = calloc(tree->count + 1, sizeof *hashes), root = 0;
    if (hashes && tree->count) {
        order_tree_hashes(tree, nodes, hashes);
        root = hashes[tree->count - 1];
    }
    free(hashes);
    return order_mix(root + tree->terms);
}

uint64_t order_tree_hash(const struct order_tree *tree) {
    return order_tree_shape(tree, true);
}

/* The addition that an addition of one child rounds; -1 where it rounds a term, or adds. */
static int32_t rounds_total(const struct order_tree *tree, size_t at) {
    const struct order_addition *addition = &tree->additions[at];
    const int32_t child = tree->children[addition->first];
    return addition->children == 1 && order_is_addition(child) ? ~child : -1;
}

uint64_t order_tree_roundings(const struct order_tree *tree) {
    uint64_t *hashes = calloc(tree->count + 1, sizeof *hashes), sum = 0;
    if (hashes)
        order_tree_hashes(tree, true, hashes);
    for (size_t i = 0; hashes && i < tree->count; i++) {
        const int32_t below = rounds_total(tree, i);
        const uint16_t node = tree->additions[i].node;
        /* Rounding by the same node again changes nothing. */
        if (below >= 0 &&
            !(rounds_total(tree, (size_t)below) >= 0 && tree->additions[below].node == node))
            sum += order_mix(hashes[i] + node);
    }
    free(hashes);
    return sum;
}

void order_tree_uses(const struct order_tree *tree, unsigned *counts) {
    memset(counts, 0, tree->terms * sizeof *counts);
    for (size_t i = 0; i < tree->child_count; i++)
        if (order_is_term(tree->children[i]))
            counts[tree->children[i]]++;
}

size_t order_tree_depth(const struct order_tree *tree) {
    size_t *depths = calloc(tree->count + 1, sizeof *depths), root = 0;
    for (size_t i = 0; depths && i < tree->count; i++) {
        for (size_t k = 0; k < tree->additions[i].children; k++) {
            int32_t child = tree->children[tree->additions[i].first + k];
            size_t depth = order_is_addition(child) ? depths[~child] : 0;
            depths[i] = depth > depths[i] ? depth : depths[i];
        }
        root = ++depths[i];
    }
    free(depths);
    return root;
}
