/* Adding up groups that pass. */
#include "verify_folds.h"

#include "verify_output.h"

#include <string.h>

void verify_unfold(struct verify_folds *folds) {
    for (size_t i = 0; i < folds->count; i++) {
        const struct verify_fold *fold = &folds->folds[i];
        verify_print_outcome(folds->path, fold->first, fold->implementation, &fold->sum,
                             fold->groups);
    }
    folds->count = 0;
}

static bool is_same_head(const struct binding_request *a, const struct binding_request *b) {
    return a->operation == b->operation && a->format == b->format && a->rounding == b->rounding;
}

/* Whether one line can say both. */
static bool takes(const struct verify_fold *fold, const struct implementation *implementation,
                  const struct verify_outcome *outcome) {
    const struct verify_outcome *sum = &fold->sum;
    return fold->implementation == implementation && sum->whose == outcome->whose &&
           sum->provided == outcome->provided &&
           (sum->provided || strcmp(sum->reason.text, outcome->reason.text) == 0) &&
           (sum->flags_reported && sum->promises_no_flags) ==
               (outcome->flags_reported && outcome->promises_no_flags);
}

void verify_fold(struct verify_folds *folds, const char *path, const struct vector_group *group,
                 const struct implementation *implementation,
                 const struct verify_outcome *outcome) {
    size_t at = 0;
    if (folds->count &&
        (folds->path != path || !is_same_head(&folds->folds[0].first->computed, &group->computed)))
        verify_unfold(folds);
    if (folds->verbose || outcome->mismatches) {
        verify_print_outcome(path, group, implementation, outcome, 1);
        return;
    }
    while (at < folds->count && !takes(&folds->folds[at], implementation, outcome))
        at++;
    if (at == VERIFY_MOST_FOLDS) {
        verify_unfold(folds);
        at = 0;
    }
    struct verify_fold *fold = &folds->folds[at];
    folds->path = path;
    if (at == folds->count) {
        *fold = (struct verify_fold){group, implementation, *outcome, 1};
        fold->sum.shown = NULL;
        fold->sum.shown_count = 0;
        folds->count++;
        return;
    }
    fold->groups++;
    fold->sum.tests += outcome->tests;
    fold->sum.within += outcome->within;
    fold->sum.nan_bits_differ += outcome->nan_bits_differ;
}
