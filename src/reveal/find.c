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

/* ---- What is known of additions ---- */

/* Of what no probe has seen: as the widest of the additions that it adds, or what most operations do. */
struct aimed finding_known_below(const struct finding *finding, size_t v) {
    const struct order_tree *tree = &finding->grown.tree;
    for (;;) {
        if (finding->aim.found[v].kept != KEPT_UNKNOWN)
            return finding->aim.found[v];
        size_t below = v;
        for (uint32_t k = 0; k < tree->additions[v].children; k++) {
            int32_t child = tree->children[tree->additions[v].first + k];
            if (order_is_addition(child) &&
                (below == v || finding->aim.found[~child].kept > finding->aim.found[below].kept))
                below = (size_t)~child;
        }
        if (below == v)
            break;
        v = below;
    }
    for (size_t i = 0; i < tree->count; i++)
        if (finding->aim.found[i].kept != KEPT_UNKNOWN)
            return finding->aim.found[i];
    int precision = finding->subject->request.format->precision;
    return (struct aimed){precision > 24 ? KEPT_FP64 : KEPT_FP32, false};
}

/* Whether all additions that were measured keep the same. */
bool finding_is_uniform(const struct finding *finding) {
    enum kept_class first = KEPT_UNKNOWN;
    for (size_t v = 0; v < finding->grown.tree.count; v++) {
        enum kept_class kept = finding->aim.found[v].kept;
        if (kept && first && kept != first)
            return false;
        first = kept ? kept : first;
    }
    return true;
}

/* ---- Finding ---- */

void finding_close(struct finding *finding) {
    aim_close(&finding->aim);
    grown_close(&finding->grown);
    pairs_close(&finding->pairs);
    twice_close(&finding->twice);
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
    good =
        good && twice_find(&finding->twice, &finding->pairs, &grown->tree, finding->aim.one, error);
    if (good && (finding->grown.misfits || finding->grown.keeps || finding->aim.has_many))
        good = replay_permutes(subject, 7, PERMUTED, &finding->is_symmetric, error);
    subject->extremes = good && subject->products && refine_provides(finding);
    revealed->node_calls = subject->calls - before;
    return good;
}
