/* How far a long computation is that has several stages, for a bar of progress. */
#ifndef DETCHECK_BASE_STAGE_H
#define DETCHECK_BASE_STAGE_H

#include <stdint.h>

/* Takes the share of the whole that is done, 0 to 1. Where it is less than the one before, another computation has
 * begun. `doing` names the stage, if there is more than one and nobody knows how many; or NULL. */
typedef void stage_function(void *context, const char *doing, double share);

struct stage {
    stage_function *tell; /* NULL: nobody wants to know */
    void *context;
    uint64_t number, of; /* this stage, from 0, and how many there are */
};

/* By one thread at a time: `done` of `total` in this stage. `stage` may be NULL. */
static inline void stage_tell(const struct stage *stage, const char *doing, uint64_t done,
                              uint64_t total) {
    if (stage && stage->tell && total)
        stage->tell(stage->context, doing,
                    ((double)stage->number + (double)done / (double)total) / (double)stage->of);
}

#endif
