/* What a thread counts, copied and merged. */
#include "sweep/checkpoint/counted.h"

#include "sweep/judge/flags.h"
#include "sweep/tally_record.h"

#include <stdlib.h>
#include <string.h>

bool view_has(const struct sweep_view *view, size_t output) {
    return view->workers[0].provided[output / MAX_RESULTS] &&
           (int)(output % MAX_RESULTS) < view->request->computed.operation->results;
}

struct counted counted_by(struct worker *worker) {
    return (struct counted){worker->tallies, worker->pairs,
                            worker->flags ? worker->flags->tallies : NULL, worker->counts};
}

void counted_copy(const struct sweep_view *view, struct counted *into, const struct counted *from) {
    for (size_t i = 0; i < view->output_count; i++)
        if (view_has(view, i)) {
            struct tally *mine = &into->tallies[i];
            struct binade_tally *binades = mine->binades;
            struct envelope_step *steps = mine->envelope.steps;
            *mine = from->tallies[i];
            mine->binades = binades;
            mine->envelope.steps = steps;
            if (steps)
                memcpy(steps, from->tallies[i].envelope.steps,
                       mine->envelope.step_count * sizeof *steps);
            memcpy(binades, from->tallies[i].binades, (size_t)mine->binade_count * sizeof *binades);
        }
    memcpy(into->pairs, from->pairs, view->workers[0].pair_count * sizeof *into->pairs);
    memcpy(into->oracle, from->oracle, MAX_RESULTS * sizeof *into->oracle);
    if (from->effects)
        memcpy(into->effects, from->effects,
               view->request->implementation_count * sizeof *into->effects);
}

void counted_close(const struct sweep_view *view, struct counted *counted) {
    for (size_t i = 0; counted->tallies && i < view->output_count; i++)
        tally_close(&counted->tallies[i]);
    free(counted->tallies);
    free(counted->pairs);
    free(counted->effects);
    free(counted->oracle);
}

bool counted_open(const struct sweep_view *view, struct counted *counted,
                  const struct counted *from) {
    *counted = (struct counted){
        .tallies = calloc(view->output_count + 1, sizeof *counted->tallies),
        .pairs = calloc(view->workers[0].pair_count + 1, sizeof *counted->pairs),
        .effects = calloc(view->request->implementation_count + 1, sizeof *counted->effects),
        .oracle = calloc(MAX_RESULTS, sizeof *counted->oracle)};
    bool room = counted->tallies && counted->pairs && counted->effects && counted->oracle;
    for (size_t i = 0; room && i < view->output_count; i++)
        if (view_has(view, i)) {
            size_t binades = (size_t)from->tallies[i].binade_count + 1;
            counted->tallies[i].binades = calloc(binades, sizeof *counted->tallies[i].binades);
            const struct envelope *envelope = &from->tallies[i].envelope;
            if (envelope->steps)
                counted->tallies[i].envelope.steps =
                    calloc(envelope->step_count, sizeof *envelope->steps);
            room = counted->tallies[i].binades != NULL &&
                   (!envelope->steps || counted->tallies[i].envelope.steps);
        }
    if (room)
        counted_copy(view, counted, from);
    return room;
}

void counted_merge(const struct sweep_view *view, struct counted *into,
                   const struct counted *from) {
    for (size_t i = 0; i < view->output_count; i++)
        if (view_has(view, i))
            tally_merge(&into->tallies[i], &from->tallies[i]);
    for (size_t pair = 0; pair < view->workers[0].pair_count; pair++)
        for (int j = 0; j < MAX_RESULTS; j++)
            difference_merge(&into->pairs[pair].results[j], &from->pairs[pair].results[j]);
    for (size_t i = 0; i < view->request->implementation_count; i++)
        effect_tally_merge(&into->effects[i], &from->effects[i]);
    for (int j = 0; j < MAX_RESULTS; j++)
        record_merge(&oracle_record, &into->oracle[j], &from->oracle[j]);
}
