/* The list of measures. */
#include "report/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* malloc'd, with the parts between which a point stands; NULL when memory is out. */
static char *name_of(const char *first, const char *second, const char *third) {
    size_t size = strlen(first) + strlen(second) + strlen(third) + 3;
    char *name = malloc(size);
    if (name)
        snprintf(name, size, "%s%s%s%s%s", first, *second ? "." : "", second, *third ? "." : "",
                 third);
    return name;
}

/* Takes the name over. */
static bool add(struct measures *measures, char *name, const struct measure *measure) {
    if (name && measures->count == measures->room) {
        size_t room = measures->room ? 2 * measures->room : 32;
        struct measure *more = realloc(measures->items, room * sizeof *more);
        if (more) {
            measures->items = more;
            measures->room = room;
        }
    }
    if (!name || measures->count == measures->room) {
        free(name);
        return false;
    }
    measures->items[measures->count] = *measure;
    measures->items[measures->count++].name = name;
    return true;
}

static const cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number_of(const cJSON *object, const char *name) {
    const cJSON *number = get(object, name);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

static const char *text_of(const cJSON *object, const char *name) {
    const cJSON *text = get(object, name);
    return cJSON_IsString(text) ? text->valuestring : "";
}

static bool add_rows(struct measures *measures, const struct read_implementation *one) {
    bool good = true;
    for (int i = 0; i < LIMIT_COUNT && good; i++) {
        const struct limit_row *row = &limit_rows[i];
        if (row->measure == MEASURED && limit_is_of(row, one) && limit_is_told(row, one))
            good = add(measures, name_of(row->name, "", ""),
                       &(struct measure){.what = row->what,
                                         .value = row->found(one),
                                         .kind = row->kind,
                                         .slack = row->slack,
                                         .where = row->where});
    }
    return good;
}

/* How much was tried, by which a report may fall behind without a single error. */
static bool add_tried(struct measures *measures, const struct read_implementation *one) {
    const cJSON *flags = get(one->json, "flags"), *errnos = get(one->json, "errno");
    const struct {
        const char *name, *what;
        bool told;
        double value;
    } rows[] = {
        {"tested", "outputs tested", true, (double)one->tested},
        {"flags", "calls whose exception flags were judged", one->flags.told,
         number_of(flags, "calls")},
        {"errno", "calls whose errno was judged", one->errnos.told, number_of(errnos, "calls")},
        {"promise", "outputs held against a promise", one->tells_promise, (double)one->held},
        {"envelope", "envelope of the error", get(one->json, "envelope"), 1},
        {"explanation", "inputs compared with another implementation's",
         one->kind == READ_EXPLANATION && one->explanation.is_of_two,
         number_of(one->explanation.json, "tested")},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; i++)
        if (rows[i].told)
            good = add(measures, name_of(rows[i].name, "", ""),
                       &(struct measure){.what = rows[i].what,
                                         .value = rows[i].value,
                                         .kind = LIMIT_OF_COUNT,
                                         .more_is_better = true});
    return good;
}

static bool add_events(struct measures *measures, const struct read_implementation *one) {
    const cJSON *count;
    cJSON_ArrayForEach(count, get(one->json, "event_counts")) {
        if (!add(measures, name_of("events", count->string, ""),
                 &(struct measure){.what = "events of this kind",
                                   .value = count->valuedouble,
                                   .kind = LIMIT_OF_COUNT,
                                   .counted_in = "tested",
                                   .where = "events"}))
            return false;
    }
    return true;
}

/* "flags.missing.overflow"; the table of limits has which faults there are. */
static bool add_faults(struct measures *measures, const cJSON *implementation, const char *part,
                       const char *item, const char *where) {
    const cJSON *row;
    cJSON_ArrayForEach(row, get(get(implementation, part), "faults")) {
        if (!add(measures, name_of(part, text_of(row, "fault"), text_of(row, item)),
                 &(struct measure){.what = "calls with this fault",
                                   .value = number_of(row, "count"),
                                   .kind = LIMIT_OF_COUNT,
                                   .counted_in = part,
                                   .where = where}))
            return false;
    }
    return true;
}

static bool add_variants(struct measures *measures, const struct read_property *property) {
    const cJSON *row;
    char *name = name_of("invariance", property->name, "");
    bool good = name;
    cJSON_ArrayForEach(row, get(property->json, "variants")) {
        if (good && cJSON_IsTrue(get(row, "tested")))
            good = add(measures, name_of(name, text_of(row, "variant"), ""),
                       &(struct measure){.what = "inputs whose bits change by this",
                                         .value = number_of(row, "changed"),
                                         .kind = LIMIT_OF_COUNT,
                                         .command = property->command});
    }
    free(name);
    return good;
}

static bool add_properties(struct measures *measures, const struct read_implementation *one) {
    bool good = true;
    for (size_t i = 0; i < one->property_count && good; i++) {
        const struct read_property *property = &one->properties[i];
        const struct {
            const char *part, *what;
            uint64_t value;
            bool more_is_better;
        } rows[] = {
            {"", "inputs whose bits change by this property", property->changed, false},
            {"inputs", "inputs compared", property->inputs, true},
            {"unanswered", "inputs without an answer", property->unanswered, false},
        };
        for (size_t j = 0; property->tested && j < sizeof rows / sizeof *rows && good; j++)
            good = add(measures, name_of("invariance", property->name, rows[j].part),
                       &(struct measure){.what = rows[j].what,
                                         .value = (double)rows[j].value,
                                         .kind = LIMIT_OF_COUNT,
                                         .more_is_better = rows[j].more_is_better,
                                         .command = property->command});
        good = good && add_variants(measures, property);
    }
    return good;
}

static bool add_causes(struct measures *measures, const struct read_implementation *one) {
    bool good = true;
    for (size_t i = 0; i < one->explanation.count && good; i++) {
        const struct read_hypothesis *cause = &one->explanation.hypotheses[i];
        if (cause->cause)
            good = add(measures, name_of("explanation", cause->name, ""),
                       &(struct measure){.what = "differences by this cause",
                                         .value = (double)cause->adds,
                                         .kind = LIMIT_OF_COUNT,
                                         .counted_in = "explanation",
                                         .command = cause->command});
    }
    return good;
}

/* From the result's other implementations, which are of both: the first one of each pair has them. */
static bool add_differences(struct measures *measures, const struct read_result *result,
                            const struct read_implementation *one) {
    const cJSON *row;
    cJSON_ArrayForEach(row, get(result->json, "differences")) {
        if (strcmp(text_of(row, "a"), one->name) == 0 &&
            !add(measures, name_of("differences", text_of(row, "b"), ""),
                 &(struct measure){.what = "inputs with other bits than this one's",
                                   .value = number_of(row, "count"),
                                   .kind = LIMIT_OF_COUNT}))
            return false;
    }
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const struct measure *const *)a)->name,
                  (*(const struct measure *const *)b)->name);
}

static bool sort(struct measures *measures) {
    measures->sorted = malloc((measures->count + 1) * sizeof *measures->sorted);
    for (size_t i = 0; measures->sorted && i < measures->count; i++)
        measures->sorted[i] = &measures->items[i];
    if (measures->sorted)
        qsort(measures->sorted, measures->count, sizeof *measures->sorted, by_name);
    return measures->sorted;
}

bool measures_read(struct measures *measures, const struct read_result *result,
                   const struct read_implementation *one) {
    *measures = (struct measures){0};
    return add_rows(measures, one) && add_tried(measures, one) && add_events(measures, one) &&
           add_faults(measures, one->json, "flags", "flag", "flags/") &&
           add_faults(measures, one->json, "errno", "errno", "errno/") &&
           add_properties(measures, one) && add_causes(measures, one) &&
           add_differences(measures, result, one) && sort(measures);
}

void measures_free(struct measures *measures) {
    for (size_t i = 0; i < measures->count; i++)
        free(measures->items[i].name);
    free(measures->items);
    free(measures->sorted);
    *measures = (struct measures){0};
}

const struct measure *measures_find(const struct measures *measures, const char *name) {
    size_t from = 0, end = measures->count;
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        int order = strcmp(measures->sorted[middle]->name, name);
        if (order == 0)
            return measures->sorted[middle];
        if (order < 0)
            from = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

const double *measures_value(const struct measures *measures, const struct measure *measure) {
    static const double zero = 0;
    const struct measure *found = measures_find(measures, measure->name);
    bool counted = measure->counted_in && measures_find(measures, measure->counted_in);
    return found ? &found->value : counted ? &zero : NULL;
}

enum measure_change measure_compare(const struct measure *measure, double was, double is) {
    double more = measure->more_is_better ? was - is : is - was;
    return more > measure->slack    ? MEASURE_WORSE
           : more < -measure->slack ? MEASURE_BETTER
                                    : MEASURE_SAME;
}
