/* Asking, holding what is known against the answers, and concluding. */
#include "explain/arrays.h"

#include "explain/forms.h"
#include "explain/quantised.h"
#include "explain/requantised.h"
#include "explain/sum_mix.h"
#include "explain/sum_models.h"
#include "explain/sum_ways.h"
#include "explain/texts_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Fewer differences conclude nothing: several orders give the same few results by chance. */
enum { LEAST_DIFFERENCES = 16 };

struct hypothesis sums_hypothesis(size_t index) {
    size_t own = 0;
    while (sum_ways_hypothesis(own).name)
        own++;
    const struct hypothesis part = index < own ? sum_ways_hypothesis(index) : sum_part(index - own);
    const bool after_parts = index > own && !part.name && sum_part(index - own - 1).name;
    return after_parts ? forms_hypothesis : part;
}

/* Operations whose causes are rows that predict results; the rows of each end with one that has no name. */
static const struct explained {
    const char *operation;
    struct hypothesis (*row_at)(size_t index);
    bool (*explain)(const struct sum_results *results, struct explain_outcome *outcome,
                    struct error *error);
    const char *family; /* the inputs, where the options name none, and how many calls of a shape */
    unsigned calls;
} explained[] = {
    /* Most products do not end near a half, where all that round to nearest are the same. */
    {"requantise", requantised_hypothesis, requantised_explain, "ties", 16},
    {"packed.quantise", quantised_hypothesis, quantised_explain, "mixed", 4},
    {"from_decimal", texts_read_hypothesis, texts_read_explain, "mixed", 4},
};
enum { EXPLAINED = sizeof explained / sizeof *explained };

static const struct explained *explained_of(const struct operation *operation) {
    for (size_t i = 0; i < EXPLAINED; i++)
        if (strcmp(explained[i].operation, operation->name) == 0)
            return &explained[i];
    return NULL;
}

struct hypothesis arrays_hypothesis(size_t index) {
    struct hypothesis row = sums_hypothesis(index);
    size_t before = 0;
    for (size_t i = 0; !row.name && i < EXPLAINED; i++) {
        struct hypothesis (*const last)(size_t) = i ? explained[i - 1].row_at : sums_hypothesis;
        for (size_t own = 0; last(own).name; own++)
            before++;
        if (index >= before)
            row = explained[i].row_at(index - before);
    }
    return row;
}

bool arrays_are_known(const struct operation *operation) {
    static const char *const sums[] = {"sum", "mean", "dot", "matmul"};
    bool found = forms_are_known(operation) || explained_of(operation);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        found = found || strcmp(operation->name, sums[i]) == 0;
    return found;
}

const char *arrays_family(const struct operation *operation, unsigned *calls) {
    const struct explained *row = explained_of(operation);
    *calls = row ? row->calls : 0;
    return row ? row->family : NULL;
}

/* ---- The note ---- */

static void say(char note[ARRAYS_TEXT], const char *format, ...) PRINTF_LIKE(2, 3);

static void say(char note[ARRAYS_TEXT], const char *format, ...) {
    const size_t length = strlen(note);
    va_list list;
    va_start(list, format);
    vsnprintf(note + length, ARRAYS_TEXT - length, format, list);
    va_end(list);
}

/* ---- Concluding ---- */

/* Ways that give every result: the first is the cause, the others are as good. */
static void take_ways(struct explain_outcome *outcome, size_t from) {
    for (size_t i = from; i < outcome->count; i++) {
        struct explanation *one = &outcome->explanations[i];
        one->cause = i == from;
        one->same_as = i > from;
        one->adds = i == from ? one->explains : 0;
    }
}

/* Parts: causes one after the other, or parts of the unit that is named. */
static void take_parts(struct explain_outcome *outcome, size_t from, bool of_unit) {
    for (size_t i = from; i < outcome->count; i++) {
        struct explanation *one = &outcome->explanations[i];
        one->cause = of_unit ? 0 : (int)(i - from) + 1;
        one->part_of = of_unit;
    }
}

/* How a side adds, by its name or a row of it. */
static bool is_known(const struct sum_results *results, const struct explain_outcome *outcome,
                     int side) {
    const char *name = results->request->sides[side]->kind->name;
    bool found = strcmp(name, "det") == 0 || strcmp(name, "cr") == 0;
    for (size_t i = 0; i < outcome->count; i++)
        found = found || outcome->explanations[i].side == side;
    return found;
}

/* How one side adds is no cause where nothing is known of the other, which may be anything. */
static void hold_to_both_sides(const struct sum_results *results, struct explain_outcome *outcome) {
    outcome->unexplained = outcome->count ? 0 : outcome->differ;
    if (is_known(results, outcome, 0) && is_known(results, outcome, 1))
        return;
    outcome->unexplained = outcome->differ;
    for (size_t i = 0; i < outcome->count; i++) {
        struct explanation *one = &outcome->explanations[i];
        one->cause = one->same_as = 0;
        one->adds = 0;
        one->no_cause = NO_CAUSE_ONE_SIDE;
    }
}

static bool find_causes(const struct sum_results *results, struct explain_outcome *outcome,
                        char note[ARRAYS_TEXT], struct error *error) {
    struct sum_judged judged;
    if (!sum_ways_try(results, SUM_UNITS, outcome, error))
        return false;
    const size_t units = outcome->count;
    take_ways(outcome, 0);
    if (!sum_models_explain(results, outcome, &judged, error))
        return false;
    outcome->unexplained = units ? 0
                           : judged.revealed && outcome->count == units
                               ? outcome->differ
                               : outcome->differ - judged.differ;
    take_parts(outcome, units, units > 0);
    if (judged.revealed && judged.differ < outcome->differ)
        say(note,
            "; judged are %" PRIu64 " of %" PRIu64 " differences, where both orders are known",
            judged.differ, outcome->differ);
    if (judged.revealed && !judged.parts)
        say(note, "; both orders were revealed, and are the same");
    if (judged.revealed)
        return true;
    say(note, "; %s", judged.why);
    if (!units || judged.untried) {
        say(note, ", so that a few orders were tried alone");
        if (!sum_ways_try(results, SUM_ORDERS, outcome, error))
            return false;
        take_ways(outcome, 0);
    }
    hold_to_both_sides(results, outcome);
    return true;
}

bool arrays_explain(const struct explain_request *request, struct explain_outcome *outcome,
                    char note[ARRAYS_TEXT], struct error *error) {
    struct sum_results results;
    const struct explained *row = explained_of(request->computed.operation);
    if (forms_are_known(request->computed.operation))
        return forms_explain(request, outcome, note, error);
    *outcome = (struct explain_outcome){0};
    *note = '\0';
    bool good = sum_results_open(&results, request, outcome, error);
    if (good && outcome->differ) {
        sum_results_first(&results, note, ARRAYS_TEXT);
        outcome->unexplained = outcome->differ;
        if (outcome->differ < LEAST_DIFFERENCES)
            say(note, "; of fewer than %d differences no cause is named: -n draws more calls",
                LEAST_DIFFERENCES);
        else if (row)
            good = row->explain(&results, outcome, error);
        else
            good = find_causes(&results, outcome, note, error);
        explain_sort(outcome);
    }
    sum_results_close(&results);
    return good;
}
