/* Counting rows by verdict, by name and by their place in the run. */
#include "trace/summary.h"
#include "trace/settings.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

enum { STRETCHES = 12 };

static int by_name(const void *a, const void *b) {
    const struct trace_row *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Those that parted most first; then those that are most. */
static int by_weight(const void *a, const void *b) {
    const struct trace_kind *x = a, *y = b;
    if (x->parted != y->parted)
        return x->parted > y->parted ? -1 : 1;
    if (x->followed != y->followed)
        return x->followed > y->followed ? -1 : 1;
    if (x->calls != y->calls)
        return x->calls > y->calls ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void count_row(struct trace_kind *kind, const struct trace_row *row) {
    const struct trace_judgement *judgement = row->judgement;
    kind->calls++;
    kind->parted += row->verdict == TRACE_PARTED;
    kind->followed += row->verdict == TRACE_FOLLOWED;
    kind->other_inputs += row->verdict == TRACE_OTHER_INPUTS;
    kind->unclear += row->verdict == TRACE_UNCLEAR;
    kind->not_compared += row->verdict == TRACE_NOT_COMPARED;
    kind->no_values += row->has_no_values;
    kind->unmeasured += row->verdict == TRACE_PARTED && !row->elements;
    kind->alone += row->verdict == TRACE_HERE_ALONE || row->verdict == TRACE_THERE_ALONE;
    if (row->verdict == TRACE_PARTED && row->largest > kind->largest)
        kind->largest = row->largest;
    if (!judgement || !judgement->outputs || judgement->operation_there)
        return;
    const uint64_t here = judgement->wrong_here, there = judgement->wrong_there;
    const bool decided = here != there;
    kind->nearer_here += decided ? here < there : judgement->nearer_here > judgement->nearer_there;
    kind->nearer_there += decided ? there < here : judgement->nearer_there > judgement->nearer_here;
}

static bool make_kinds(struct trace_comparison *comparison) {
    const size_t room = comparison->row_count + 1;
    const struct trace_row **rows = malloc(room * sizeof *rows);
    comparison->kinds = calloc(room, sizeof *comparison->kinds);
    if (rows && comparison->kinds) {
        for (unsigned i = 0; i < comparison->row_count; i++)
            rows[i] = &comparison->rows[i];
        qsort(rows, comparison->row_count, sizeof *rows, by_name);
        for (unsigned i = 0; i < comparison->row_count; i++) {
            if (!i || strcmp(rows[i]->name, rows[i - 1]->name) != 0)
                comparison->kinds[comparison->kind_count++].name = rows[i]->name;
            count_row(&comparison->kinds[comparison->kind_count - 1], rows[i]);
        }
        qsort(comparison->kinds, comparison->kind_count, sizeof *comparison->kinds, by_weight);
    }
    free(rows);
    return rows && comparison->kinds;
}

static void add_to_stretch(struct trace_stretch *stretch, const struct trace_row *row) {
    const bool differs = row->verdict >= TRACE_PARTED && row->verdict <= TRACE_UNCLEAR;
    stretch->compared += differs || row->verdict == TRACE_EQUAL;
    stretch->differ += differs;
    stretch->elements += row->elements;
    stretch->elements_differ += row->differ;
    if (row->largest > stretch->largest)
        stretch->largest = row->largest;
    if (row->middle > stretch->middle)
        stretch->middle = row->middle;
}

static bool make_stretches(struct trace_comparison *comparison) {
    const uint64_t operations = comparison->here.operations;
    const unsigned count = operations < STRETCHES ? (unsigned)operations : STRETCHES;
    comparison->stretches = calloc(count + 1, sizeof *comparison->stretches);
    comparison->stretch_count = comparison->stretches ? count : 0;
    for (unsigned i = 0; i < comparison->stretch_count; i++) {
        comparison->stretches[i].first = operations * i / count;
        comparison->stretches[i].last = operations * (i + 1) / count - 1;
    }
    unsigned at = 0; /* rows come in the order of this side's operations */
    for (unsigned i = 0; i < comparison->row_count && comparison->stretch_count; i++) {
        const struct trace_row *row = &comparison->rows[i];
        while (at + 1 < count && row->here > comparison->stretches[at].last)
            at++;
        add_to_stretch(&comparison->stretches[at], row);
    }
    return comparison->stretches;
}

bool summary_make(struct trace_comparison *comparison, struct error *error) {
    for (unsigned i = 0; i < comparison->row_count; i++) {
        const struct trace_row *row = &comparison->rows[i];
        comparison->counts[row->verdict]++;
        comparison->pairs += row->here_count && row->there_count;
        comparison->moved += row->is_moved;
        comparison->fused += row->here_count && row->there_count &&
                             (row->here_count > 1 || row->there_count > 1 || *row->name_there);
    }
    return (make_kinds(comparison) && make_stretches(comparison)) ||
           error_set(error, "out of memory");
}

static void add_setting(struct trace_comparison *comparison, const struct trace *here,
                        const struct trace *there, const char *name) {
    if (!trace_setting_equal(here, there, name))
        comparison->settings[comparison->setting_count++] = (struct trace_setting){
            name, trace_setting_words(here, name), trace_setting_words(there, name)};
}

bool summary_settings(const struct trace *here, const struct trace *there,
                      struct trace_comparison *comparison, struct error *error) {
    const int room = cJSON_GetArraySize(here->environment) + cJSON_GetArraySize(there->environment);
    comparison->settings = calloc((size_t)room + 1, sizeof *comparison->settings);
    if (!comparison->settings)
        return error_set(error, "out of memory");
    for (const cJSON *item = here->environment ? here->environment->child : NULL; item;
         item = item->next)
        add_setting(comparison, here, there, item->string);
    for (const cJSON *item = there->environment ? there->environment->child : NULL; item;
         item = item->next)
        if (!json_get(here->environment, item->string))
            add_setting(comparison, here, there, item->string);
    return true;
}
