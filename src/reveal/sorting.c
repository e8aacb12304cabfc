/* Comparing codes. */
#include "reveal/sorting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sort_ties_names[SORT_TIES] = {"negative-first", "positive-first", "in-place"};

const char *sorting_words(const struct sorting *sorting, char *text, size_t room) {
    static const char *const ties[SORT_TIES] = {"the negative first", "the positive first",
                                                "each in its place"};
    int length = snprintf(text, room, "%s, the %s first", sorting->by_value ? "value" : "magnitude",
                          sorting->descending ? "largest" : "least");
    if (!sorting->by_value && length > 0 && (size_t)length < room)
        snprintf(text + length, room - (size_t)length, ", of equal ones %s", ties[sorting->ties]);
    return text;
}

/* Of the terms that are being sorted. */
static _Thread_local const struct sorting *sorting_of;
static _Thread_local const struct format *format_of;
static _Thread_local const void *codes_of;
static _Thread_local size_t stride_of;

static int by_size(const void *a, const void *b) {
    size_t i, j;
    memcpy(&i, a, sizeof i);
    memcpy(&j, b, sizeof j);
    const size_t bytes = format_bytes(format_of);
    const uint64_t x = code_load(codes_of, bytes, i * stride_of),
                   y = code_load(codes_of, bytes, j * stride_of);
    const uint64_t m = format_magnitude(format_of, x), n = format_magnitude(format_of, y);
    const bool is_below = format_is_negative(format_of, x),
               other_is = format_is_negative(format_of, y);
    const int up = sorting_of->descending ? -1 : 1, place = i < j ? -1 : i > j;
    if (sorting_of->by_value && is_below != other_is)
        return is_below ? -up : up;
    if (m != n)
        return (m < n) == (sorting_of->by_value && is_below) ? up : -up;
    if (is_below == other_is || sorting_of->ties == TIES_IN_PLACE)
        return place;
    return is_below == (sorting_of->ties == TIES_NEGATIVE_FIRST) ? -1 : 1;
}

void sort_terms(const struct sorting *sorting, const struct format *format, const void *codes,
                size_t stride, size_t count, size_t *sequence) {
    sorting_of = sorting;
    format_of = format;
    codes_of = codes;
    stride_of = stride;
    for (size_t i = 0; i < count; i++)
        sequence[i] = i;
    qsort(sequence, count, sizeof *sequence, by_size);
}
