/* Builds at the start and at the end of a run. */
#include "sweep/builds.h"

#include "base/file_state.h"

#include <stdlib.h>

bool builds_note(struct builds *builds, const struct binding *bindings, const bool *provided,
                 size_t count, struct error *error) {
    *builds = (struct builds){.count = count, .texts = calloc(count + 1, sizeof *builds->texts)};
    if (!builds->texts)
        return error_set(error, "out of memory");
    for (size_t i = 0; i < count; i++)
        if (provided[i])
            binding_build(&bindings[i], builds->texts[i]);
    return true;
}

bool builds_keep(const struct builds *builds, const struct binding *bindings, const bool *provided,
                 struct error *error) {
    bool kept = files_stay(error);
    for (size_t i = 0; i < builds->count && kept; i++)
        kept = !provided[i] || binding_keeps_build(&bindings[i], builds->texts[i], error);
    return kept;
}

void builds_free(struct builds *builds) {
    free(builds->texts);
    *builds = (struct builds){0};
}
