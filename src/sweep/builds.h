/* Which build of each implementation a run began with, and whether it ended with the same: outputs of two builds are
 * those of no implementation. */
#ifndef DETCHECK_SWEEP_BUILDS_H
#define DETCHECK_SWEEP_BUILDS_H

#include "impl/implementation.h"

#include <stddef.h>

struct builds {
    size_t count;
    char (*texts)[BUILD_TEXT]; /* by implementation; empty where it is not provided or not known */
};

/* Of bindings, of which those are open that `provided` names. False when memory is out. To be freed in any case. */
bool builds_note(struct builds *builds, const struct binding *bindings, const bool *provided,
                 size_t count, struct error *error);

/* That the bindings' builds are still the same, and files of inputs (base/file_state.h); else an error, which names the
 * file, or the implementation and both builds. */
bool builds_keep(const struct builds *builds, const struct binding *bindings, const bool *provided,
                 struct error *error);

void builds_free(struct builds *builds);

#endif
