/* The rows of properties, which stand in the files of their kind. */
#ifndef DETCHECK_INVARIANCE_PROPERTIES_H
#define DETCHECK_INVARIANCE_PROPERTIES_H

#include "invariance/property.h"

/* numbers.c: where a number stands in the arrays of a call. */
extern const struct property property_position, property_length, property_alignment,
    property_in_place, property_neighbours, property_scalar_form;

/* arrays.c, batch.c: where a line stands in a call of an operation on arrays. */
extern const struct property property_batch, property_blocking, property_equal_elements;

/* array_calls.c: with how many threads it is made. */
extern const struct property property_thread_count;

/* rearranged.c: operations with calls that are another call rearranged. */
extern const struct property property_decode, property_split, property_pages, property_groups,
    property_padding;

/* repetition.c: when a call is made, and beside which others. */
extern const struct property property_repetition, property_threads;

/* surroundings.c: what the caller has set, what loading sets, what the processor has. */
extern const struct property property_stride, property_rounding, property_sense, property_flushing,
    property_precision, property_flags, property_traps, property_loading, property_processor;

#endif
