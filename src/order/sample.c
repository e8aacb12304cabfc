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

bool sample_open(struct sample *sample, const struct order_tree *tree) {
    *sample = (struct sample){.hash = 0};
    if (!plain_tree(tree, &sample->tree))
        return false;
    sample->hash = order_tree_hash(&sample->tree);
    sample->term_parent = calloc(tree->terms + 1, sizeof *sample->term_parent);
    sample->parent = calloc(tree->count + 1, sizeof *sample->parent);
    sample->count = calloc(tree->count + 1, sizeof *sample->count);
    sample->sum = calloc(tree->count + 1, sizeof *sample->sum);
    sample->before = calloc(tree->terms + 1, sizeof *sample->before);
    for (size_t i = 0; sample->before && i < tree->terms; i++)
        sample->before[i + 1] = sample->before[i] + term_hash((int32_t)i);
    sample->as = calloc(tree->count + 1, sizeof *sample->as);
    sample->term_as = calloc(tree->terms + 1, sizeof *sample->term_as);
    sample->list = calloc(tree->child_count + 2, sizeof *sample->list);
    for (size_t i = 0; sample->as && i < tree->count; i++)
        sample->as[i] = ORDER_NONE;
    for (size_t i = 0; sample->term_as && i < tree->terms; i++)
        sample->term_as[i] = ORDER_NONE;
    return sample->term_parent && sample->parent && sample->count && sample->sum &&
           sample->before && sample->as && sample->term_as && sample->list && measure(sample);
}

void sample_close(struct sample *sample) {
    order_tree_close(&sample->tree);
    free(sample->term_parent);
    free(sample->parent);
    free(sample->count);
    free(sample->sum);
    free(sample->before);
    free(sample->as);
    free(sample->term_as);
    free(sample->list);
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

void samples_add(struct samples *samples, const struct order_tree *tree) {
    struct sample sample;
    if (samples->conflict || tree->terms < 2)
        return;
    if (!samples->at)
        samples->at = calloc(MOST_SAMPLES, sizeof *samples->at);
    samples->conflict = !samples->at || !sample_open(&sample, tree);
    bool known = samples->conflict;
    for (size_t i = 0; !known && i < samples->count; i++)
        if (samples->at[i].tree.terms == tree->terms) {
            known = true;
            samples->conflict = samples->at[i].hash != sample.hash;
        }
    if (!known && samples->count < MOST_SAMPLES)
        samples->at[samples->count++] = sample;
    else if (samples->at)
        sample_close(&sample);
}

bool samples_add_part(struct samples *samples, const struct sample *sample, int32_t child,
                      const int32_t *groups, size_t count) {
    struct order_tree tree;
    if (samples->conflict || !sample_extract(sample, child, groups, count, &tree))
        return false;
    samples_add(samples, &tree);
    order_tree_close(&tree);
    return !samples->conflict;
}
