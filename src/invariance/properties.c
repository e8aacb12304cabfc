/* The table. */
#include "invariance/properties.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

const struct property *const property_rows[] = {
    &property_position,     &property_length,      &property_alignment, &property_in_place,
    &property_neighbours,   &property_scalar_form, &property_stride,    &property_repetition,
    &property_threads,      &property_rounding,    &property_sense,     &property_flushing,
    &property_precision,    &property_flags,       &property_traps,     &property_loading,
    &property_processor,    &property_batch,       &property_blocking,  &property_equal_elements,
    &property_thread_count,
};
const size_t property_row_count = sizeof property_rows / sizeof *property_rows;

const struct property *property_find(const char *name, struct error *error) {
    const char *names[sizeof property_rows / sizeof *property_rows];
    char known[512] = "";
    for (size_t i = 0; i < property_row_count; i++) {
        names[i] = property_rows[i]->name;
        if (name_matches(name, names[i], NULL))
            return property_rows[i];
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = name_nearest(name, names, property_row_count);
    if (nearest)
        error_set(error, "unknown property '%.40s'; did you mean %s?", name, nearest);
    else
        error_set(error, "unknown property '%.40s'; there are: %s", name, known);
    return NULL;
}

bool property_is_of(const struct property *property, const struct operation *operation) {
    return property->group == PROPERTY_OF_BOTH ||
           (property->group == PROPERTY_OF_ARRAYS) == (operation->array != NULL);
}
