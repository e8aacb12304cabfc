/* A pair of terms so large that units beside them are lost leaves the copies of a unit that their subtree does not have. */
#include "reveal/twice.h"

#include <stdlib.h>

enum { MOST_TERMS_TWICE = 16 }; /* each takes a call for each addition that has it */

/* Of a term that counts twice: how many of its two places are in the subtree of the pair. */
static bool count_places(struct pairs *pairs, size_t first, size_t second, size_t twice,
                         unsigned *places, struct error *error) {
    struct subject *subject = pairs->subject;
    subject_set_all(subject, 0);
    subject_set(subject, 0, first, pairs->large);
    subject_set(subject, 0, second, -pairs->large);
    subject_set(subject, 0, twice, pairs->unit);
    if (!subject_call(subject, error))
        return false;
    double units = subject_result(subject, 0) / pairs->unit * pairs->scale;
    *places = units < 0.5 ? 2 : units < 1.5 ? 1 : 0;
    return true;
}

/* A term in a child. */
static size_t term_of(const size_t *one, int32_t child) {
    return order_is_addition(child) ? one[~child] : (size_t)child;
}

enum { COPIES = 2 }; /* of a term; each has one place */

/* Copies that are in no place yet; more than there are are in none. */
static void add_place(struct twice *twice, size_t v, size_t term, unsigned copies, unsigned *left) {
    if (!copies || copies > *left)
        return;
    twice->places[twice->count++] = (struct twice_place){v, term, copies};
    *left -= copies;
}

/* From the last addition down, as far as there are copies. A function that is no tree may have more of them: each of two
 * parts may claim those of their sum. */
static bool find_places(struct twice *twice, struct pairs *pairs, const struct order_tree *tree,
                        const size_t *one, size_t term, unsigned *within, struct error *error) {
    unsigned above = COPIES, left = COPIES;
    for (size_t v = 0; v < tree->count; v++)
        within[v] = 0;
    if (tree->count)
        within[tree->count - 1] = above;
    for (size_t v = tree->count; v-- > 0;) {
        const struct order_addition *addition = &tree->additions[v];
        const int32_t *children = tree->children + addition->first;
        if (!within[v])
            continue;
        const unsigned most = within[v]; /* that what is above it has */
        if (addition->children < 2)
            within[v] = 0;
        else if (!count_places(pairs, term_of(one, children[0]), term_of(one, children[1]), term,
                               &within[v], error))
            return false;
        within[v] = within[v] < most ? within[v] : most;
        for (uint32_t k = 0; k < addition->children; k++)
            if (order_is_addition(children[k]))
                within[~children[k]] = within[v];
    }
    /* within[v] is now what v has; what its children have is not its own. */
    for (size_t v = 0; v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        unsigned below = 0;
        for (uint32_t k = 0; k < addition->children; k++) {
            const int32_t child = tree->children[addition->first + k];
            below += order_is_addition(child) ? within[~child] : 0;
        }
        add_place(twice, v, term, within[v] > below ? within[v] - below : 0, &left);
    }
    above -= tree->count ? within[tree->count - 1] : 0;
    add_place(twice, tree->count, term, above, &left);
    return true;
}

bool twice_find(struct twice *twice, struct pairs *pairs, const struct order_tree *tree,
                const size_t *one, struct error *error) {
    size_t count = 0;
    for (size_t i = 0; i < pairs->subject->terms; i++)
        count += pairs->weight[i] == 2;
    if (!count || count > MOST_TERMS_TWICE)
        return true;
    unsigned *within = calloc(tree->count + 1, sizeof *within);
    twice->places = calloc(COPIES * count, sizeof *twice->places);
    bool good = (within && twice->places) || error_set(error, "out of memory");
    for (size_t i = 0; good && i < pairs->subject->terms; i++)
        if (pairs->weight[i] == 2)
            good = find_places(twice, pairs, tree, one, i, within, error);
    free(within);
    return good;
}

void twice_close(struct twice *twice) {
    free(twice->places);
    *twice = (struct twice){0};
}

/* A sum that is being made, or ORDER_NONE. */
struct chain {
    int32_t sum;
    unsigned node;
    bool starts; /* a term alone is added to 0 first */
    struct order_tree *tree;
};

static void add_next(struct chain *chain, int32_t child) {
    const int32_t from_zero[2] = {ORDER_ZERO, chain->sum};
    if (chain->sum == ORDER_NONE) {
        chain->sum = child;
        return;
    }
    const bool starts = chain->starts && order_is_term(chain->sum);
    const int32_t first =
        starts ? order_tree_add(chain->tree, from_zero, 2, chain->node) : chain->sum;
    const int32_t pair[2] = {first, child};
    chain->sum = order_tree_add(chain->tree, pair, 2, chain->node);
}

/* Adds those copies of a part whose terms have numbers from `from` on, and below `to`. */
static void add_copies(const struct twice *twice, enum twice_row row, size_t v, unsigned part,
                       int64_t from, int64_t to, struct chain *chain) {
    const bool is_second = row == TWICE_SECOND || row == TWICE_SECOND_OWN;
    unsigned number = 0;
    for (size_t i = 0; i < twice->count; i++) {
        const struct twice_place *place = &twice->places[i];
        for (unsigned k = 0; place->v == v && k < place->copies; k++) {
            const bool is_its_own = part == (row == TWICE_BOTH ? number++ % 2 : is_second);
            if (is_its_own && (int64_t)place->term >= from && (int64_t)place->term < to)
                add_next(chain, (int32_t)place->term);
        }
    }
}

int32_t twice_onto(const struct twice *twice, enum twice_row row, size_t v, unsigned part,
                   int32_t child, unsigned node, bool starts, struct order_tree *tree) {
    struct chain chain = {ORDER_NONE, node, starts, tree}, own = {ORDER_NONE, node, false, tree};
    const int64_t middle = order_is_term(child) ? child : 0;
    if (row == TWICE_JOINED)
        return child;
    if (row == TWICE_FIRST_OWN || row == TWICE_SECOND_OWN) {
        add_copies(twice, row, v, part, 0, INT64_MAX, &own);
        add_next(&chain, child);
        if (own.sum != ORDER_NONE)
            add_next(&chain, own.sum);
        return chain.sum;
    }
    add_copies(twice, row, v, part, 0, middle, &chain);
    add_next(&chain, child);
    add_copies(twice, row, v, part, middle, INT64_MAX, &chain);
    return chain.sum;
}

int32_t twice_above(const struct twice *twice, enum twice_row row, size_t additions, int32_t child,
                    unsigned node, bool starts, struct order_tree *tree) {
    const bool is_own = row == TWICE_FIRST_OWN || row == TWICE_SECOND_OWN;
    return twice_onto(twice, is_own ? TWICE_FIRST_OWN : TWICE_FIRST, additions, 0, child, node,
                      starts, tree);
}

size_t twice_joined(const struct twice *twice, enum twice_row row, size_t v, int32_t *children) {
    size_t count = 0;
    for (size_t i = 0; row == TWICE_JOINED && i < twice->count; i++)
        for (unsigned k = 0; twice->places[i].v == v && k < twice->places[i].copies; k++)
            children[count++] = (int32_t)twice->places[i].term;
    return count;
}
