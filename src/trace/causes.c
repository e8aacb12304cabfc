/* Which causes there are to look for, the surest first; and of ways of computing those that give all outputs of a side. */
#include "trace/causes.h"

#include "base/clock.h"
#include "base/json.h"
#include "trace/causes_words.h"
#include "trace/settings.h"
#include "trace/ways_revealed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether each way of a cover is needed: without it, each other one leaves more outputs than chance gives. */
static bool are_needed(const struct trace_trial *trial, int side, const struct trace_cover *cover) {
    bool needed = true;
    for (size_t i = 0; needed && i < cover->count; i++) {
        struct trace_trial rest;
        needed = trial_open_rest(&rest, trial, cover->ways[i], side) && trial_has_enough(&rest);
        trial_close(&rest);
    }
    return needed;
}

/* Whether a cover takes the exact result in more than one rounding: by two of them whatever is off by less than an ulp is
 * covered, so that they say nothing of how it was computed. */
static bool takes_two_roundings(const struct trace_trial *trial, const struct trace_cover *cover) {
    size_t exact = 0;
    for (size_t i = 0; i < cover->count; i++)
        exact += trial->ways->items[cover->ways[i]].kind == TRACE_WAY_EXACT;
    return exact > 1;
}

/* Of the outputs that a way does not give those that another one does, and so on: kernels compute the edges of a matrix
 * otherwise than its middle. False where nothing comes of it. */
static bool find_cover(const struct trace_trial *trial, int side, struct trace_cover *cover) {
    struct trace_trial rests[TRACE_MOST_COVER];
    const struct trace_trial *at = trial;
    bool found = false;
    size_t opened = 0;
    *cover = (struct trace_cover){.count = 0};
    while (!found && cover->count + 1 < TRACE_MOST_COVER) {
        struct trace_trial *rest = &rests[opened];
        const size_t best = trial_nearest(at, side);
        if (best == SIZE_MAX || at->held[best].wrong[side] == at->looked ||
            at->looked < at->count * at->units.results)
            break;
        opened++;
        if (!trial_open_rest(rest, at, best, side) || !trial_has_enough(rest) || !trial_run(rest))
            break;
        cover->ways[cover->count] = best;
        cover->outputs[cover->count++] = at->looked - at->held[best].wrong[side];
        found = trial_fits(rest, side) > 0 && rest->looked == rest->count * rest->units.results;
        at = rest;
    }
    struct trace_alike alike = {NULL, 0};
    found = found && trace_alike_open(&alike, at);
    if (found) {
        cover->others = trace_alike_fits(&alike, at, side) - 1;
        cover->ways[cover->count] = 0;
        while (!trial_stands(at, cover->ways[cover->count], side))
            cover->ways[cover->count]++;
        cover->outputs[cover->count++] = at->looked;
    }
    found = found && !takes_two_roundings(trial, cover) && are_needed(trial, side, cover);
    trace_alike_close(&alike);
    for (size_t i = 0; i < opened; i++)
        trial_close(&rests[i]);
    return found;
}

static void search(struct trace_trial *trial, struct trace_finding *finding) {
    struct trace_cover covers[2] = {{.count = 0}, {.count = 0}};
    struct trace_alike alike = {NULL, 0};
    if (!trial_run(trial) || !trace_alike_open(&alike, trial)) {
        trace_alike_close(&alike);
        snprintf(finding->says, sizeof finding->says, "out of memory for a cause");
        return;
    }
    for (int side = 0; side < 2; side++)
        if (!trial_fits(trial, side) && !find_cover(trial, side, &covers[side]))
            covers[side].count = 0;
    trace_tell_causes(trial, &alike, covers, finding);
    trace_alike_close(&alike);
}

/* Of which implementations at hand the order is not known. */
static void say_not_revealed(const struct trace_reveals *reveals, const struct trace_call *call,
                             struct trace_finding *finding) {
    char words[TRACE_CAUSE];
    const size_t used = strlen(finding->says);
    trace_reveals_words(reveals, call, words, sizeof words);
    if (*words)
        snprintf(finding->says + used, TRACE_CAUSE - used, "; %s", words);
}

static void find(const struct trace_question *request, const struct trace_call *calls,
                 const struct trace_outputs *outputs, double until, struct trace_finding *finding) {
    const bool alike = calls && trace_same_question(&calls[0], &calls[1]);
    if (trace_find_attributes(request, alike, finding->says, TRACE_CAUSE) ||
        (calls && !alike &&
         (trace_find_swapped(request, calls, finding->says, TRACE_CAUSE) ||
          trace_find_operations(request, calls, finding->says, TRACE_CAUSE)))) {
        finding->cause = TRACE_CAUSE_ATTRIBUTES;
        return;
    }
    if (request->operations[0] != request->operations[1] &&
        trace_find_repeats(request, finding->says, TRACE_CAUSE)) {
        finding->cause = TRACE_CAUSE_REPEATS;
        return;
    }
    bool is_enough = false;
    const bool related =
        outputs->count && trace_find_relation(outputs, &is_enough, finding->says, TRACE_CAUSE);
    if (related && (is_enough || !calls)) {
        finding->cause = is_enough ? TRACE_CAUSE_RELATION : TRACE_CAUSE_FEW;
        return;
    }
    *finding->says = '\0';
    if (!calls) {
        snprintf(finding->says, sizeof finding->says, "no way of computing it is known");
        return;
    }
    struct trace_ways ways;
    struct trace_trial trial;
    const double before = clock_process_seconds();
    trace_ways_open(&ways, calls, request->reveals); /* revealing has time of its own */
    if (trial_open(&trial, calls, outputs, &ways, until + clock_process_seconds() - before))
        search(&trial, finding);
    say_not_revealed(request->reveals, calls, finding);
    trial_close(&trial);
    trace_ways_close(&ways);
}

/* Settings that a program changed while it ran, and that were not the same at the two operations. */
static void say_settings(const struct trace_question *request, struct trace_finding *finding) {
    const struct trace *traces[2];
    for (int side = 0; side < 2; side++)
        traces[side] =
            request->giver_traces[side] ? request->giver_traces[side] : request->traces[side];
    for (int side = 0; side < 2; side++)
        for (const cJSON *item = traces[side]->settings ? traces[side]->settings->child : NULL;
             item; item = item->next) {
            const char *here = trace_setting_at(traces[0], item->string, request->numbers[0]),
                       *there = trace_setting_at(traces[1], item->string, request->numbers[1]);
            const size_t used = strlen(finding->says);
            if (strcmp(here, there) != 0 &&
                !(side && traces[0]->settings && json_get(traces[0]->settings, item->string)))
                snprintf(finding->says + used, TRACE_CAUSE - used,
                         "%s%.60s was %.60s here and %.60s there, as a program changed it",
                         used ? "; " : "", item->string, *here ? here : "not recorded",
                         *there ? there : "not recorded");
        }
}

void trace_find_causes(const struct trace_question *request, const struct trace_call *calls,
                       const struct trace_outputs *outputs, double until,
                       struct trace_finding *finding) {
    find(request, calls, outputs, until, finding);
    say_settings(request, finding);
}
