/* Trees as samples: finding sets of terms in them, and taking parts out. */
#include "order/sample.h"

#include "order/mix.h"

#include <stdlib.h>
#include <string.h>

static uint64_t term_hash(int32_t term) {
    return order_mix((uint64_t)term + UINT64_C(0x9e3779b97f4a7c15));
}

/* The tree without what probes cannot see. The last addition may be a term then: of no additions, it is term 0. */
static bool plain_tree(const struct order_tree *from, struct order_tree *tree) {
    int32_t *as = calloc(from->count + 1, sizeof *as),
            *children = calloc(from->child_count + 1, sizeof *children);
    order_tree_open(tree, from->terms);
    for (size_t i = 0; as && children && i < from->count; i++) {
        size_t count = 0;
        for (size_t k = 0; k < from->additions[i].children; k++) {
            int32_t child = from->children[from->additions[i].first + k];
            child = order_is_addition(child) ? as[~child] : child;
            if (child != ORDER_ZERO && child != ORDER_C)
                children[count++] = child;
        }
        as[i] = count == 0   ? ORDER_ZERO
                : count == 1 ? children[0]
                             : order_tree_add(tree, children, count, from->additions[i].node);
    }
    bool good = as && children && !tree->out_of_memory;
    free(as);
    free(children);
    if (!good)
        order_tree_close(tree);
    return good;
}

static bool measure(struct sample *sample) {
    const struct order_tree *tree = &sample->tree;
    for (size_t i = 0; i < tree->terms; i++)
        sample->term_parent[i] = -1;
    for (size_t i = 0; i < tree->count; i++) {
        sample->parent[i] = -1;
        for (size_t k = 0; k < tree->additions[i].children; k++) {
            int32_t child = tree->children[tree->additions[i].first + k];
            int32_t *parent =
                order_is_term(child) ? &sample->term_parent[child] : &sample->parent[~child];
            if (*parent >= 0)
                return false;
            *parent = (int32_t)i;
            sample->count[i] += order_is_term(child) ? 1 : sample->count[~child];
            sample->sum[i] += order_is_term(child) ? term_hash(child) : sample->sum[~child];
        }
    }
    return true;
}

/* Takes the next part of a block of memory. */
static void *part_of(char **block, size_t count, size_t size) {
    void *part = *block;
    *block += count * size;
    return part;
}

/* Makes a sample of a plain tree, which is the sample's from then on. */
static bool sample_open(struct sample *sample, struct order_tree *tree, uint64_t hash) {
    const size_t terms = tree->terms + 1, additions = tree->count + 1, list = tree->child_count + 2;
    *sample = (struct sample){.tree = *tree, .hash = hash};
    char *block = calloc(1, (terms + additions) * (sizeof *sample->sum + 2 * sizeof *sample->as) +
                                additions * sizeof *sample->count + list * sizeof *sample->list);
    if (!block)
        return false;
    sample->sum = part_of(&block, additions, sizeof *sample->sum);
    sample->before = part_of(&block, terms, sizeof *sample->before);
    sample->term_parent = part_of(&block, terms, sizeof *sample->term_parent);
    sample->parent = part_of(&block, additions, sizeof *sample->parent);
    sample->as = part_of(&block, additions, sizeof *sample->as);
    sample->term_as = part_of(&block, terms, sizeof *sample->term_as);
    sample->count = part_of(&block, additions, sizeof *sample->count);
    sample->list = part_of(&block, list, sizeof *sample->list);
    for (size_t i = 0; i < tree->terms; i++)
        sample->before[i + 1] = sample->before[i] + term_hash((int32_t)i);
    for (size_t i = 0; i < tree->count; i++)
        sample->as[i] = ORDER_NONE;
    for (size_t i = 0; i < tree->terms; i++)
        sample->term_as[i] = ORDER_NONE;
    return measure(sample);
}

static void sample_close(struct sample *sample) {
    order_tree_close(&sample->tree);
    free(sample->sum);
}

int32_t sample_root(const struct sample *sample) {
    return sample->tree.count ? ~(int32_t)(sample->tree.count - 1) : 0;
}

/* The child that has so many terms below it, their hash being `sum`, of which `term` is one. */
static int32_t find_from(const struct sample *sample, size_t term, size_t count, uint64_t sum) {
    int32_t at = sample->term_parent[term];
    while (at >= 0 && sample->count[at] < count)
        at = sample->parent[at];
    return at >= 0 && sample->count[at] == count && sample->sum[at] == sum ? ~at : ORDER_NONE;
}

bool sample_has_range(const struct sample *sample, size_t from, size_t count) {
    return count == 1 ||
           find_from(sample, from, count, sample->before[from + count] - sample->before[from]) !=
               ORDER_NONE;
}

int32_t sample_find(const struct sample *sample, const int32_t *terms, size_t count) {
    uint64_t sum = 0;
    if (count == 1)
        return terms[0];
    for (size_t i = 0; i < count; i++)
        sum += term_hash(terms[i]);
    return count ? find_from(sample, (size_t)terms[0], count, sum) : ORDER_NONE;
}

/* What a child is in the part that is being taken out. */
static int32_t *as_of(const struct sample *sample, int32_t child) {
    return order_is_term(child) ? &sample->term_as[child] : &sample->as[~child];
}

/* Lists the additions of the part, those further up first; false where a term is below that is none of its. */
static bool list_additions(const struct sample *sample, int32_t child, size_t *count) {
    const struct order_tree *from = &sample->tree;
    bool good = true;
    sample->list[(*count)++] = ~child;
    for (size_t next = 0; next < *count; next++) {
        const struct order_addition *addition = &from->additions[sample->list[next]];
        for (size_t k = 0; k < addition->children; k++) {
            int32_t below = from->children[addition->first + k];
            if (*as_of(sample, below) != ORDER_NONE)
                continue;
            good = good && order_is_addition(below);
            if (order_is_addition(below))
                sample->list[(*count)++] = ~below;
        }
    }
    return good;
}

bool sample_extract(const struct sample *sample, int32_t child, const int32_t *groups, size_t count,
                    struct order_tree *tree) {
    const struct order_tree *from = &sample->tree;
    size_t listed = 0;
    order_tree_open(tree, count);
    if (!order_is_addition(child) || (count == 1 && groups[0] == child))
        return count == 1 && groups[0] == child;
    for (size_t i = 0; i < count; i++)
        *as_of(sample, groups[i]) = (int32_t)i;
    bool good = *as_of(sample, child) == ORDER_NONE && list_additions(sample, child, &listed);
    int32_t *children = good ? malloc((from->child_count + 1) * sizeof *children) : NULL;
    for (size_t i = listed; children && i-- > 0;) {
        const struct order_addition *addition = &from->additions[sample->list[i]];
        for (size_t k = 0; k < addition->children; k++)
            children[k] = *as_of(sample, from->children[addition->first + k]);
        sample->as[sample->list[i]] =
            order_tree_add(tree, children, addition->children, addition->node);
    }
    for (size_t i = 0; i < listed; i++)
        sample->as[sample->list[i]] = ORDER_NONE;
    for (size_t i = 0; i < count; i++)
        *as_of(sample, groups[i]) = ORDER_NONE;
    good = children && !tree->out_of_memory;
    free(children);
    if (!good)
        order_tree_close(tree);
    return good;
}

void samples_close(struct samples *samples) {
    for (size_t i = 0; i < samples->count; i++)
        sample_close(&samples->at[i]);
    free(samples->at);
    *samples = (struct samples){.count = 0};
}

/* Takes the plain tree over. */
static void add_plain(struct samples *samples, struct order_tree *plain) {
    struct sample sample;
    const uint64_t hash = order_tree_hash(plain);
    for (size_t i = 0; i < samples->count; i++)
        if (samples->at[i].tree.terms == plain->terms) {
            samples->conflict = samples->at[i].hash != hash;
            order_tree_close(plain);
            return;
        }
    if (!samples->at)
        samples->at = calloc(MOST_SAMPLES, sizeof *samples->at);
    samples->conflict = !sample_open(&sample, plain, hash) || !samples->at;
    if (!samples->conflict && samples->count < MOST_SAMPLES)
        samples->at[samples->count++] = sample;
    else
        sample_close(&sample);
}

void samples_add(struct samples *samples, const struct order_tree *tree) {
    struct order_tree plain;
    if (samples->conflict || tree->terms < 2)
        return;
    if (plain_tree(tree, &plain))
        add_plain(samples, &plain);
    else
        samples->conflict = true;
}

bool samples_add_part(struct samples *samples, const struct sample *sample, int32_t child,
                      const int32_t *groups, size_t count) {
    struct order_tree tree;
    if (samples->conflict || !sample_extract(sample, child, groups, count, &tree))
        return false;
    if (tree.terms < 2)
        order_tree_close(&tree);
    else
        add_plain(samples, &tree);
    return !samples->conflict;
}
