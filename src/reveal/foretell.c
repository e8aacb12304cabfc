/* From the left, the pair of terms 0 and k has k + 1 terms in its subtree; from the right, the last term and its others do. */
#include "reveal/foretell.h"

#include <stdlib.h>

/* The rank of the term that is so far from the end at which the sum begins. */
static size_t term_at(const struct pairs *pairs, bool from_right, size_t distance) {
    return from_right ? pairs->count - 1 - distance : distance;
}

/* Whether that pair is left out. Those lie apart, and the two ends are asked. */
static bool is_left_out(const struct pairs *pairs, size_t distance) {
    const size_t left_out = pairs->other_calls;
    for (size_t i = 0; i < left_out; i++)
        if (distance == (i + 1) * (pairs->count - 1) / (left_out + 1))
            return true;
    return pairs->count == 2;
}

/* Asks pairs of an end, those that are left out or all others, as far as they say what is foretold. */
static bool ask(struct pairs *pairs, bool from_right, bool left_out, bool *holds,
                struct error *error) {
    const size_t all = pairs->count;
    size_t *others = calloc(3 * all, sizeof *others), count = 0;
    if (!others)
        return error_set(error, "out of memory");
    size_t *distances = others + all, *within = distances + all;
    bool good = true;
    for (size_t distance = 1; distance < all; distance++)
        if (is_left_out(pairs, distance) == left_out) {
            distances[count] = distance;
            others[count++] = term_at(pairs, from_right, distance);
        }
    *holds = true;
    for (size_t at = 0, next; good && *holds && at < count; at = next) {
        next = at + pairs->subject->probed < count ? at + pairs->subject->probed : count;
        good = pairs_recall(pairs, term_at(pairs, from_right, 0), others + at, next - at,
                            within + at, error);
        for (size_t i = at; good && i < next; i++)
            *holds &= within[i] == distances[i] + 1;
    }
    free(others);
    return good;
}

/* The children of each addition in the sequence in which growing meets them. */
static void make_chain(const struct pairs *pairs, bool from_right, struct order_tree *tree) {
    const size_t all = pairs->count;
    int32_t sum = (int32_t)term_at(pairs, from_right, 0);
    for (size_t i = 1; i < all; i++) {
        const int32_t term = (int32_t)term_at(pairs, from_right, i);
        const bool term_first = from_right && i + 1 == all;
        const int32_t pair[2] = {term_first ? term : sum, term_first ? sum : term};
        sum = order_tree_add(tree, pair, 2, 0);
    }
}

bool foretell_tree(struct pairs *pairs, struct grown *grown, struct error *error) {
    const size_t all = pairs->count;
    if (pairs->is_weighed || pairs->swallow || pairs->capacity < all || all < 2)
        return true;
    for (int from_right = 0; from_right < 2 && all / 2 >= pairs->other_calls; from_right++) {
        const uint64_t before = pairs->subject->calls;
        bool holds;
        if (!ask(pairs, from_right, false, &holds, error))
            return false;
        if (!holds) { /* what was asked of that end is beside those of the other one */
            pairs->other_calls += (size_t)(pairs->subject->calls - before);
            continue;
        }
        make_chain(pairs, from_right, &grown->tree);
        grown->from_right = from_right;
        grown->foretold = pairs->other_calls;
        return true;
    }
    return true;
}

bool foretell_ask(struct pairs *pairs, const struct grown *grown, bool *holds,
                  struct error *error) {
    return ask(pairs, grown->from_right, true, holds, error);
}
