/* A word about outputs that are badly wrong, long before a long sweep is over.
 *
 * Such outputs take much longer to judge than others, and what is wrong with them is most often
 * something that nobody wants a whole report on. */
#ifndef DETCHECK_SWEEP_EARLY_H
#define DETCHECK_SWEEP_EARLY_H

#include "sweep/worker.h"

struct early {
    double last; /* look, in seconds of omp_get_wtime */
    struct {
        bool reported;
        uint64_t tested, bad; /* then */
    } implementations[MAX_IMPLEMENTATIONS];
};

void early_begin(struct early *early);

/* Called by one thread, with its worker, after each slice. */
void early_look(struct early *early, const struct worker *worker);

#endif
