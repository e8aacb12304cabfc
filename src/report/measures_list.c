/* The list of measures: adding to it, and holding two against each other. */
#include "report/measure_parts.h"
#include "report/measures.h"

#include <stdlib.h>
#include <string.h>

bool measures_add(struct measures *measures, char *name, const struct measure *measure) {
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
        free(measure->parts);
        return false;
    }
    measures->items[measures->count] = *measure;
    measures->items[measures->count++].name = name;
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const struct measure *const *)a)->name,
                  (*(const struct measure *const *)b)->name);
}

bool measures_sort(struct measures *measures) {
    measures->sorted = malloc((measures->count + 1) * sizeof *measures->sorted);
    for (size_t i = 0; measures->sorted && i < measures->count; i++)
        measures->sorted[i] = &measures->items[i];
    if (measures->sorted)
        qsort(measures->sorted, measures->count, sizeof *measures->sorted, by_name);
    return measures->sorted;
}

void measures_free(struct measures *measures) {
    for (size_t i = 0; i < measures->count; i++) {
        free(measures->items[i].name);
        free(measures->items[i].parts);
    }
    free(measures->items);
    free(measures->sorted);
    *measures = (struct measures){0};
}

/* NULL where there is none of that name. */
static const struct measure *find(const struct measures *measures, const char *name) {
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

/* Either may be NULL: the report counted none, or does not tell. */
static struct measure_difference compare(const struct measure *was, const struct measure *is) {
    struct measure_difference difference = {
        .reported = is, .was = was ? was->value : 0, .is = is ? is->value : 0};
    if (was && is && was->place != MEASURE_WHOLE)
        measure_compare_parts(was, is, &difference);
    else
        difference.change = measure_compare(was ? was : is, difference.was, difference.is);
    return difference;
}

static bool is_worse(const struct measures *was, const struct measures *is, const char *name) {
    const struct measure *mine = find(was, name), *others = find(is, name);
    return mine && others && compare(mine, others).change == MEASURE_WORSE;
}

bool measures_compare(const struct measures *was, const struct measures *is, measure_function *tell,
                      void *context) {
    bool good = true;
    for (size_t i = 0; i < was->count && good; i++) {
        const struct measure *mine = &was->items[i], *others = find(is, mine->name);
        struct measure_difference difference = compare(mine, others);
        if (!others && mine->counted_in && find(is, mine->counted_in))
            difference.reported = true;
        else if (!others)
            difference.change = MEASURE_WORSE;
        if (others && mine->other_side)
            difference.other_side_worse = is_worse(was, is, mine->other_side);
        good = tell(context, others ? others : mine, &difference);
    }
    for (size_t i = 0; i < is->count && good; i++) {
        const struct measure *mine = &is->items[i];
        if (mine->counted_in && !find(was, mine->name) && find(was, mine->counted_in)) {
            const struct measure_difference difference = compare(NULL, mine);
            good = tell(context, mine, &difference);
        }
    }
    return good;
}
