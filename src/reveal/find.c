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
