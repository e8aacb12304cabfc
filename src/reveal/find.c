/* The tree of one length, and what its additions do. */
#include "reveal/find.h"

#include "reveal/foretell.h"
#include "reveal/refine.h"
#include "reveal/swallow.h"

#include <stdlib.h>

enum { PERMUTED = 30 };

/* ---- Terms that count otherwise than once ---- */

static void count_weights(struct revealed *revealed, const struct pairs *pairs) {
    free(revealed->weight);
    revealed->weight = malloc(revealed->terms);
    revealed->dropped = revealed->doubled = revealed->odd = 0;
    for (size_t i = 0; i < revealed->terms; i++) {
        if (revealed->weight)
            revealed->weight[i] = pairs->weight[i];
        revealed->dropped += pairs->weight[i] == 0;
        revealed->doubled += pairs->weight[i] == 2;
        revealed->odd += pairs->weight[i] == 3;
    }
}

/* ---- Finding ---- */

void finding_close(struct finding *finding) {
    aim_close(&finding->aim);
    grown_close(&finding->grown);
    pairs_close(&finding->pairs);
    twice_close(&finding->twice);
}

/* Where pairs say what no tree says, terms are weighed one by one. */
static bool grow_tree(struct finding *finding, bool asks_all, struct revealed *revealed,
                      struct error *error) {
    bool good = tree_grow(&finding->pairs, asks_all, &finding->grown, error);
    if (good && finding->grown.misfits && !finding->pairs.is_weighed) {
        good = pairs_weigh(&finding->pairs, error);
        if (good && finding->pairs.count < revealed->terms) {
            grown_close(&finding->grown);
            good = tree_grow(&finding->pairs, true, &finding->grown, error);
        }
    }
    if (good)
        count_weights(revealed, &finding->pairs);
    return good;
}

bool find_tree(struct finding *finding, struct revealed *revealed, struct error *error) {
    const uint64_t before = finding->subject->calls;
    const bool good = pairs_open(&finding->pairs, finding->subject, error) &&
                      grow_tree(finding, false, revealed, error);
    revealed->tree_calls = finding->subject->calls - before;
    return good;
}

bool find_tree_again(struct finding *finding, struct revealed *revealed, bool *found,
                     struct error *error) {
    const uint64_t before = finding->subject->calls;
    bool holds = true, good = !finding->grown.foretold ||
                              foretell_ask(&finding->pairs, &finding->grown, &holds, error);
    *found = !holds;
    if (good && !holds) {
        aim_close(&finding->aim);
        twice_close(&finding->twice);
        grown_close(&finding->grown);
        good = grow_tree(finding, true, revealed, error);
    }
    revealed->tree_calls += finding->subject->calls - before;
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
        if (good && (finding->aim.has_many || grown->misfits))
            good = swallow_weigh(&finding->pairs, error);
        count_weights(revealed, &finding->pairs);
        revealed->node_calls += subject->calls - before;
        return good;
    }
    good = aim_take(&finding->aim, subject, &grown->tree, grown->keeps, error);
    good =
        good && twice_find(&finding->twice, &finding->pairs, &grown->tree, finding->aim.one, error);
    if (good && (finding->grown.misfits || finding->grown.keeps || finding->aim.has_many))
        good = replay_permutes(subject, 7, PERMUTED, &finding->is_symmetric, error);
    subject->extremes = good && subject->products && refine_provides(finding);
    revealed->node_calls += subject->calls - before;
    return good;
}
