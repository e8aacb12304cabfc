/* Groups of tests that all pass, told in one line for each operation, format and rounding: arrays have hundreds of groups. */
#ifndef DETCHECK_CMD_VERIFY_FOLDS_H
#define DETCHECK_CMD_VERIFY_FOLDS_H

#include "vector/verify.h"

enum { VERIFY_MOST_FOLDS = 64 };

/* Groups in a row that differ in their parameters alone, by implementation and by what they expect. */
struct verify_folds {
    bool verbose; /* a line for each group */
    const char *path;
    struct verify_fold {
        const struct vector_group *first;
        const struct implementation *implementation;
        struct verify_outcome sum;
        size_t groups;
    } folds[VERIFY_MOST_FOLDS];
    size_t count;
};

/* Prints an outcome, or adds it to those that are printed when the next operation, format or rounding begins. Groups that
 * fail are always printed at once. */
void verify_fold(struct verify_folds *folds, const char *path, const struct vector_group *group,
                 const struct implementation *implementation, const struct verify_outcome *outcome);

/* Prints what was added. */
void verify_unfold(struct verify_folds *folds);

#endif
