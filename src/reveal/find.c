/* The tree of one length, and what its additions do. */
#include "reveal/find.h"

#include "reveal/refine.h"
#include "reveal/swallow.h"

#include <stdlib.h>

enum { PERMUTED = 30 };

/* ---- Terms that count otherwise than once ---- */

static void count_weights(struct revealed *revealed, const struct pairs *pairs) {
    revealed->weight = malloc(revealed->terms);
    for (size_t i = 0; i < revealed->terms; i++) {
        if (revealed->weight)
            revealed->weight[i] = pairs->weight[i];
        revealed->dropped += pairs->weight[i] == 0;
        revealed->doubled += pairs->weight[i] == 2;
        revealed->odd += pairs->weight[i] == 3;
    }
}

/* Of the term that counts twice: in which additions its two places are. */
static bool find_twice(struct finding *finding, struct error *error) {
    const struct order_tree *tree = &finding->grown.tree;
    unsigned *within = calloc(tree->count + 1, sizeof *within);
    finding->twice = calloc(tree->count + 1, 1);
    bool good = (within && finding->twice) || error_set(error, "out of memory");
    for (size_t v = 0; good && v < tree->count; v++) {
        const struct order_addition *addition = &tree->additions[v];
        const int32_t *children = tree->children + addition->first;
        unsigned below = 0;
        size_t terms[2] = {0, 0};
        for (uint32_t k = 0; k < addition->children; k++) {
            size_t u = (size_t)~children[k];
            below += order_is_addition(children[k]) ? within[u] : 0;
            if (k < 2)
                terms[k] =
                    order_is_addition(children[k]) ? finding->aim.one[u] : (size_t)children[k];
        }
        good = pairs_twice(&finding->pairs, terms[0], terms[1], finding->twice_term, &within[v],
                           error);
        finding->twice[v] = (uint8_t)(within[v] > below ? within[v] - below : 0);
    }
    free(within);
    return good;
}

/* ---- Finding ---- */

void finding_close(struct finding *finding) {
    aim_close(&finding->aim);
    grown_close(&finding->grown);
    pairs_close(&finding->pairs);
    free(finding->twice);
}

bool find_tree(struct finding *finding, struct revealed *revealed, struct error *error) {
    struct subject *subject = finding->subject;
    uint64_t before = subject->calls;
    bool good = pairs_open(&finding->pairs, subject, error) &&
                tree_grow(&finding->pairs, &finding->grown, error);
    if (good && finding->grown.misfits && !finding->pairs.is_weighed) {
        good = pairs_weigh(&finding->pairs, error);
        if (good && finding->pairs.count < revealed->terms) {
            grown_close(&finding->grown);
            good = tree_grow(&finding->pairs, &finding->grown, error);
        }
    }
    if (good)
        count_weights(revealed, &finding->pairs);
    for (size_t i = 0; good && i < revealed->terms; i++)
        if (finding->pairs.weight[i] == 2)
            finding->twice_term = i;
    revealed->tree_calls = subject->calls - before;
    return good;
}

bool find_nodes(struct finding *finding, struct revealed *revealed, struct error *error) {
    struct subject *subject = finding->subject;
    uint64_t before = subject->calls;
    struct grown *grown = &finding->grown;
    bool good;
    if (subject->through) { /* exact and compensated sums look like one addition */
        grown->keeps = grown->tree.count == 1 && subject->terms > 2;
        good = aim_open(&finding->aim, subject, &grown->tree, error) &&
               swallow_aim(&finding->pairs, &finding->aim, error);
        revealed->node_calls = subject->calls - before;
        return good;
    }
    good = aim_take(&finding->aim, subject, &grown->tree, grown->keeps, error);
    if (good && finding->twice_term != SIZE_MAX)
        good = find_twice(finding, error);
    if (good && (finding->grown.misfits || finding->grown.keeps || finding->aim.has_many))
        good = replay_permutes(subject, 7, PERMUTED, &finding->is_symmetric, error);
    subject->extremes = good && subject->products && refine_provides(finding);
    revealed->node_calls = subject->calls - before;
    return good;
}
