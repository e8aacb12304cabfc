/* Which assumption of a model the arrays refute that an implementation computes otherwise: each assumption is varied alone,
 * and the first of these arrays is looked at again. */
#ifndef DETCHECK_REVEAL_REFUTE_H
#define DETCHECK_REVEAL_REFUTE_H

#include "reveal/models.h"

enum { REFUTED_SHOWN = 3, REFUTED_TEXT = 192 };

/* An assumption, and what lets the first array come out right in place of it: "the tree", "from the right". */
struct refutation {
    char assumption[REFUTED_TEXT], otherwise[REFUTED_TEXT];
    uint64_t right;       /* arrays that come out right then, less those that no longer do */
    bool depends_on_data; /* another order does that */
};

struct refuted {
    struct refutation of[REFUTED_SHOWN]; /* those that let most come out right first */
    unsigned count;
    uint64_t arrays; /* that differ and were looked at, the first one among them */
    size_t varied;   /* models that were tried; 0: nothing was looked at */
    /* Whether a call that is made again returns the same: else its number, and one result of each. */
    bool repeats;
    uint64_t call, before, again;
};

/* `replay` is what came of the model, by replay_run or else of the samples. */
bool refute(const struct finding *finding, const struct choice *choice, const struct model *model,
            struct replay_samples *samples, const struct replay *replay, struct refuted *refuted,
            struct error *error);

#endif
