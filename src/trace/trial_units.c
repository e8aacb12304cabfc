/* Which units of a trial are looked at first: those that differ, drawn from all of them. */
#include "trace/trial.h"

#include <stdlib.h>
#include <string.h>

static bool unit_differs(const struct trace_trial *trial, uint64_t unit) {
    bool differs = false;
    for (uint64_t i = 0; i < trial->units.results && !differs; i++)
        differs = trace_outputs_differ(trial->outputs, trace_unit_result(trial->call, unit, i));
    return differs;
}

/* Queries of attention by how many bits the number of keys has that they see, most first: those of one key every way gives
 * alike. Other units are all alike. */
enum { RANKS = 65 };

static int rank_of(const struct trace_trial *trial, uint64_t unit) {
    int bits = 0;
    for (uint64_t keys = trace_unit_keys(trial->call, unit); keys; keys >>= 1)
        bits++;
    return RANKS - 1 - bits;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Puts up to DRAWN of some units in front, which lie all over them, as kernels compute edges otherwise than the middle; the others
 * stay as they are, since neighbours are quicker to compute together. */
enum { DRAWN = 1 << 12 };
#define GOLDEN 0.6180339887498949 /* whose multiples lie evenly, however many are taken */

static bool draw(uint64_t *units, uint64_t count) {
    const uint64_t drawn = count < DRAWN ? count : DRAWN;
    uint64_t *all = malloc((size_t)(count + 1) * sizeof *all),
             step = (uint64_t)((double)count * GOLDEN) + 1, at;
    bool *is_drawn = calloc((size_t)count + 1, sizeof *is_drawn);
    const bool good = all && is_drawn;
    while (good && common_divisor(step, count) > 1)
        step++;
    if (good)
        memcpy(all, units, (size_t)count * sizeof *all);
    for (at = 0; good && at < drawn; at++) {
        const uint64_t place = at * step % count;
        units[at] = all[place];
        is_drawn[place] = true;
    }
    for (uint64_t i = 0; good && i < count; i++)
        if (!is_drawn[i])
            units[at++] = all[i];
    free(is_drawn);
    free(all);
    return good;
}

/* Some units by their ranks, and of each rank those that are drawn first. */
static bool rank_units(const struct trace_trial *trial, uint64_t *units, uint64_t count) {
    uint64_t counts[RANKS] = {0}, next[RANKS] = {0};
    uint64_t *all = malloc((size_t)(count + 1) * sizeof *all);
    bool good = all;
    if (good)
        memcpy(all, units, (size_t)count * sizeof *all);
    for (uint64_t i = 0; good && i < count; i++)
        counts[rank_of(trial, all[i])]++;
    for (int rank = 1; rank < RANKS; rank++)
        next[rank] = next[rank - 1] + counts[rank - 1];
    for (uint64_t i = 0; good && i < count; i++)
        units[next[rank_of(trial, all[i])]++] = all[i];
    for (int rank = 0; good && rank < RANKS; rank++)
        good = !counts[rank] || draw(units + next[rank] - counts[rank], counts[rank]);
    free(all);
    return good;
}

bool trial_order_units(struct trace_trial *trial) {
    const uint64_t count = trial->units.count;
    uint64_t differ = 0, same = 0, at = 0;
    uint64_t *sorted = malloc((size_t)(count + 1) * sizeof *sorted);
    trial->order = malloc((size_t)(count + 1) * sizeof *trial->order);
    bool good = sorted && trial->order;
    for (uint64_t u = 0; good && u < count; u++)
        differ += unit_differs(trial, u);
    for (uint64_t u = 0, d = 0; good && u < count; u++)
        sorted[unit_differs(trial, u) ? d++ : differ + same++] = u;
    good = good && rank_units(trial, sorted, differ) && rank_units(trial, sorted + differ, same);
    for (uint64_t d = 0, s = differ; good && at < count;) {
        if (d < differ)
            trial->order[at++] = sorted[d++];
        if (s < count && at < count)
            trial->order[at++] = sorted[s++];
    }
    trial->count = good ? (size_t)count : 0;
    free(sorted);
    return good;
}
