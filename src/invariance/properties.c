/* The table. */
#include "invariance/properties.h"

#include "base/names.h"

#include <stdio.h>

const struct property *const property_rows[] = {
    &property_position,     &property_length,      &property_alignment, &property_in_place,
    &property_neighbours,   &property_scalar_form, &property_stride,    &property_repetition,
    &property_threads,      &property_rounding,    &property_sense,     &property_flushing,
    &property_precision,    &property_flags,       &property_traps,     &property_loading,
    &property_processor,    &property_batch,       &property_blocking,  &property_equal_elements,
    &property_thread_count, &property_decode,      &property_split,     &property_pages,
    &property_groups,       &property_padding,
};
const size_t property_row_count = sizeof property_rows / sizeof *property_rows;

const char *property_names(const struct operation *operation, char text[PROPERTY_NAMES]) {
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < property_row_count && used < PROPERTY_NAMES; i++)
        if (!operation || property_is_for(property_rows[i], operation))
            used += (size_t)snprintf(text + used, PROPERTY_NAMES - used, "%s%s", used ? ", " : "",
                                     property_rows[i]->name);
    return text;
}

const struct property *property_find(const char *name, struct error *error) {
    const char *names[sizeof property_rows / sizeof *property_rows];
    char known[PROPERTY_NAMES];
    for (size_t i = 0; i < property_row_count; i++) {
        names[i] = property_rows[i]->name;
        if (name_matches(name, names[i], NULL))
            return property_rows[i];
    }
    const char *nearest = name_nearest(name, names, property_row_count);
    error_set(error, "unknown property '%.40s'%s%s; there are: %s", name,
              nearest ? "; did you mean " : "", nearest ? nearest : "",
              property_names(NULL, known));
    return NULL;
}

bool property_is_of(const struct property *property, enum call_kind kind) {
    return property->of[kind].block || property->of[kind].run;
}

bool property_is_for(const struct property *property, const struct operation *operation) {
    return property_is_of(property, operation_call_kind(operation)) &&
           (!property->rearranges || array_rearranges(operation->array, property->name));
}

bool property_takes_variants(const struct property *property) {
    bool takes = false;
    for (int kind = 0; kind < CALL_KINDS; kind++)
        takes = takes || property->of[kind].variants;
    return takes;
}
