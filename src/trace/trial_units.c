/* Which units of a trial are looked at first. */
#include "trace/trial.h"

#include <stdlib.h>

static bool unit_differs(const struct trace_trial *trial, uint64_t unit) {
    bool differs = false;
    for (uint64_t i = 0; i < trial->units.results && !differs; i++)
        differs = trace_outputs_differ(trial->outputs, trace_unit_result(trial->call, unit, i));
    return differs;
}

/* Queries of attention by the keys that they see, most first: those of one key every way gives alike. Other units as they are. */
struct seen {
    uint64_t keys, unit;
};

static int compare_seen(const void *one, const void *other) {
    const struct seen *a = one, *b = other;
    return a->keys != b->keys ? (a->keys < b->keys) - (a->keys > b->keys)
                              : (a->unit > b->unit) - (a->unit < b->unit);
}

static bool rank_units(const struct trace_trial *trial, uint64_t *units, uint64_t count) {
    for (uint64_t u = 0; u < count; u++)
        units[u] = u;
    if (trial->call->row->how != TRACE_ATTENTION)
        return true;
    struct seen *seen = malloc((size_t)count * sizeof *seen);
    for (uint64_t u = 0; seen && u < count; u++)
        seen[u] = (struct seen){trace_unit_keys(trial->call, u), u};
    if (seen)
        qsort(seen, (size_t)count, sizeof *seen, compare_seen);
    for (uint64_t u = 0; seen && u < count; u++)
        units[u] = seen[u].unit;
    const bool is_made = seen;
    free(seen);
    return is_made;
}

bool trial_order_units(struct trace_trial *trial) {
    const uint64_t count = trial->units.count;
    uint64_t differ = 0, same = 0, at = 0;
    uint64_t *sorted = malloc((size_t)(count + 1) * sizeof *sorted);
    trial->order = malloc((size_t)(count + 1) * sizeof *trial->order);
    if (!sorted || !trial->order || !rank_units(trial, trial->order, count)) {
        free(sorted);
        return false;
    }
    for (uint64_t u = 0; u < count; u++) {
        if (unit_differs(trial, trial->order[u]))
            sorted[differ++] = trial->order[u];
        else
            sorted[count - ++same] = trial->order[u];
    }
    for (uint64_t d = 0, s = 0; at < count;) {
        if (d < differ)
            trial->order[at++] = sorted[d++];
        if (s < same && at < count)
            trial->order[at++] = sorted[count - ++s];
    }
    trial->count = (size_t)count;
    free(sorted);
    return true;
}
