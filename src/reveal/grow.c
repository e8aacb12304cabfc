/* For one term of a set, the pairs with all others say in which sequence these join it. Those that join it at once are
 * a subtree, of which the same is asked. Subtrees of an addition of many terms are no subtrees: what joins them has
 * the same count as what they join. */
#include "reveal/foretell.h"

#include <stdlib.h>
#include <string.h>

/* Children that are, or will be, those of one addition. */
struct part {
    int32_t *children;
    size_t count, room;
    size_t within; /* the count of a pair whose terms meet there; 0 of a single term */
    size_t terms;
};

struct grower {
    struct pairs *pairs;
    struct grown *grown;
    struct error *error;
    uint64_t state;
};

static bool part_add(struct grower *grower, struct part *part, int32_t child) {
    if (part->count == part->room) {
        size_t room = part->room ? 2 * part->room : 4;
        int32_t *children = realloc(part->children, room * sizeof *children);
        if (!children)
            return error_set(grower->error, "out of memory");
        part->children = children;
        part->room = room;
    }
    part->children[part->count++] = child;
    return true;
}

/* The part as one child of another. */
static int32_t part_finish(struct grower *grower, struct part *part) {
    if (part->count == 1)
        return part->children[0];
    int32_t child = order_tree_add(&grower->grown->tree, part->children, part->count, 0);
    part->children[0] = child;
    part->count = 1;
    return child;
}

struct met {
    size_t within, term;
};

static int by_count(const void *a, const void *b) {
    const struct met *x = a, *y = b;
    if (x->within != y->within)
        return x->within < y->within ? -1 : 1;
    return x->term < y->term ? -1 : x->term > y->term;
}

static void note_misfit(struct grower *grower, size_t first, const struct met *met) {
    struct grown *grown = grower->grown;
    if (!grown->misfits++) {
        grown->first = first;
        grown->second = met->term;
        grown->within = met->within;
    }
}

/* Whether pairs drawn from the set all have that count. */
static bool all_alike(struct grower *grower, const size_t *terms, size_t count, size_t within,
                      bool *alike) {
    enum { FEW = 16 }; /* where each pair takes many calls */
    const size_t drawn = grower->pairs->swallow && count > FEW ? FEW : count;
    *alike = true;
    for (size_t i = 0; i < drawn && *alike; i++) {
        size_t found;
        grower->state = grower->state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        size_t a = (size_t)(grower->state >> 33) % count;
        size_t b = (a + 1 + (size_t)(grower->state >> 12 & 0xfffff) % (count - 1)) % count;
        if (!pairs_recall(grower->pairs, terms[a], &terms[b], 1, &found, grower->error))
            return false;
        *alike = found == within;
    }
    return true;
}

static bool grow(struct grower *grower, const size_t *terms, size_t count, bool from_end,
                 bool stars, size_t above, struct part *part);

/* Joins the terms of one count to what there is. */
static bool join(struct grower *grower, size_t pivot, const struct met *met, size_t count,
                 bool is_bad, bool stars, size_t above, struct part *part) {
    struct part sub = {0};
    size_t within = met[0].within;
    size_t *terms = malloc(count * sizeof *terms);
    if (!terms)
        return error_set(grower->error, "out of memory");
    for (size_t i = 0; i < count; i++)
        terms[i] = met[i].term;
    bool good = grow(grower, terms, count, is_bad, stars, within, &sub);
    free(terms);
    bool keeps = within == part->terms + 1 && count > 1;
    bool merges = good && (sub.within == within || keeps);
    /* A set all of whose pairs lose nothing is one addition, and what stands there already is a term of it. */
    if (within != part->terms + count && within != above && !keeps)
        note_misfit(grower, pivot, &met[0]);
    grower->grown->keeps |= keeps;
    struct part whole = {.within = within, .terms = part->terms + count};
    good = good && part_add(grower, &whole, part_finish(grower, part));
    if (good && !merges)
        good = part_add(grower, &whole, part_finish(grower, &sub));
    for (size_t i = 0; good && merges && i < sub.count; i++)
        good = part_add(grower, &whole, sub.children[i]);
    free(sub.children);
    free(part->children);
    *part = whole;
    return good;
}

/* All in one addition. */
static bool make_star(struct grower *grower, const size_t *terms, size_t count, size_t within,
                      struct part *part) {
    bool good = true;
    *part = (struct part){.within = within, .terms = count};
    for (size_t i = 0; i < count && good; i++)
        good = part_add(grower, part, (int32_t)terms[i]);
    grower->grown->keeps |= within == 2 && count > 2;
    return good;
}

/* The sequence in which others join the term `pivot`. */
static bool find_met(struct grower *grower, size_t pivot, const size_t *terms, size_t count,
                     struct met *met) {
    size_t *others = calloc(count, sizeof *others), *within = malloc(count * sizeof *within), k = 0;
    bool good = (others && within) || error_set(grower->error, "out of memory");
    for (size_t i = 0; good && i < count; i++)
        if (terms[i] != pivot)
            others[k++] = terms[i];
    good = good && pairs_recall(grower->pairs, pivot, others, k, within, grower->error);
    for (size_t i = 0; good && i < k; i++)
        met[i] = (struct met){within[i], others[i]};
    free(others);
    free(within);
    return good;
}

static bool grow(struct grower *grower, const size_t *terms, size_t count, bool from_end,
                 bool stars, size_t above, struct part *part) {
    size_t pivot = terms[from_end ? count - 1 : 0], others = count - 1;
    bool alike = false, good = true;
    *part = (struct part){.terms = 1};
    if (count == 1)
        return part_add(grower, part, (int32_t)pivot);
    struct met *met = malloc(count * sizeof *met);
    if (!met)
        return error_set(grower->error, "out of memory");
    if (!find_met(grower, pivot, terms, count, met)) {
        free(met);
        return false;
    }
    qsort(met, others, sizeof *met, by_count);
    bool is_star = others > 2 && met[0].within == met[others - 1].within;
    if (is_star && stars)
        good = all_alike(grower, terms, count, met[0].within, &alike);
    if (good && alike) {
        good = make_star(grower, terms, count, met[0].within, part);
        free(met);
        return good;
    }
    good = good && part_add(grower, part, (int32_t)pivot);
    for (size_t at = 0, next; good && at < others; at = next) {
        for (next = at; next < others && met[next].within == met[at].within; next++)
            ;
        bool is_bad = !from_end && 4 * (next - at) > 3 * count;
        good = join(grower, pivot, met + at, next - at, is_bad, is_star, above, part);
    }
    free(met);
    return good;
}

bool tree_grow(struct pairs *pairs, bool asks_all, struct grown *grown, struct error *error) {
    struct grower grower = {pairs, grown, error, 1};
    struct part part = {0};
    *grown = (struct grown){0};
    order_tree_open(&grown->tree, pairs->subject->terms);
    if (!pairs->count)
        return true;
    if (!asks_all && !foretell_tree(pairs, grown, error))
        return false;
    if (grown->tree.count)
        return !grown->tree.out_of_memory || error_set(error, "out of memory");
    bool good = grow(&grower, pairs->terms, pairs->count, false, false, 0, &part);
    if (good && part.count > 1)
        part_finish(&grower, &part);
    else if (good) /* a single term */
        order_tree_add(&grown->tree, part.children, 1, 0);
    free(part.children);
    return good && (!grown->tree.out_of_memory || error_set(error, "out of memory"));
}

void grown_close(struct grown *grown) {
    order_tree_close(&grown->tree);
}
