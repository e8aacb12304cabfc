/* The library's orders of elements: lines are sorted by keys that compare as integers, by merging, which is stable. */
#include "axis_lines.h"
#include "detmath/transformer.h"
#include "places.h"

#include <stdint.h>
#include <stdlib.h>

struct keyed {
    uint64_t key;
    size_t index;
};

struct call {
    const struct detmath_strided *values;
    int64_t *indices;
    int cast; /* the format that elements are compared in */
    int falls;
    size_t kept, stride; /* how far apart the kept ones of a line are in `indices` */
    struct detmath_axis_lines from, to;
    struct keyed *room; /* two lines */
};

/* Compares as the numbers do; of both zeros it is the same, and of NaN it is above all others. */
static uint64_t key_of(double x, int falls) {
    const uint64_t bits = detmath_bits_f64(x == 0 ? 0.0 : x), sign = (uint64_t)1 << 63;
    const uint64_t key = x != x ? UINT64_MAX : bits & sign ? ~bits : bits | sign;
    return falls ? ~key : key;
}

/* Merges two runs that lie beside each other; of equal keys those of the first run come first. */
static void merge(struct keyed *to, const struct keyed *from, size_t first, size_t all) {
    for (size_t i = 0, j = first, at = 0; at < all; at++)
        to[at] = i < first && (j >= all || from[i].key <= from[j].key) ? from[i++] : from[j++];
}

/* Sorts n elements; the result is in one of the two rooms. */
static const struct keyed *sort(struct keyed *line, struct keyed *other, size_t n) {
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            const size_t all = n - at < 2 * run ? n - at : 2 * run;
            merge(other + at, line + at, all < run ? all : run, all);
        }
        struct keyed *sorted = other;
        other = line;
        line = sorted;
    }
    return line;
}

static void run_line(const struct call *call, size_t number) {
    const size_t n = call->from.length;
    const struct detmath_line x = {detmath_axis_line(&call->from, number, 0), call->from.stride,
                                   call->from.array.format, call->cast};
    struct keyed *room = call->room;
    const struct keyed *sorted = room;
    for (size_t i = 0; i < n; i++)
        room[i] = (struct keyed){key_of(detmath_line_load(&x, i), call->falls), i};
    for (size_t i = 1; call->kept == 1 && i < n; i++)
        room[0] = room[i].key < room[0].key ? room[i] : room[0];
    if (call->kept > 1)
        sorted = sort(room, room + n, n);
    for (size_t i = 0; call->indices && i < call->kept; i++)
        call->indices[(number / call->stride * call->kept + i) * call->stride +
                      number % call->stride] = (int64_t)sorted[i].index;
    if (!call->values)
        return;
    const struct detmath_line_out y = {(void *)(uintptr_t)detmath_axis_line(&call->to, number, 0),
                                       call->to.stride, call->values->format};
    struct keyed *values = room + (sorted == room ? n : 0); /* all of them first: y may be x */
    for (size_t i = 0; i < call->kept; i++)
        values[i].key = detmath_bits_f64(detmath_line_load(&x, sorted[i].index));
    for (size_t i = 0; i < call->kept; i++)
        detmath_line_store(&y, i, detmath_from_bits_f64(values[i].key));
}

/* Of the values beside x. */
static int check_values(const struct call *call, const struct detmath_strided *x, int axis) {
    const struct detmath_strided *values = call->values;
    if (values->dimensions != x->dimensions)
        return DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; i < x->dimensions; i++)
        if (values->extents[i] != (i == axis ? call->kept : x->extents[i]))
            return DETMATH_TROUBLE_EXTENTS;
    if (!detmath_has_own_places(values))
        return DETMATH_TROUBLE_OVERLAP;
    return detmath_check_overlap(values, x, 1);
}

int detmath_order_along(const struct detmath_strided *values, int64_t *indices,
                        const struct detmath_strided *x, int axis, size_t kept, int falls) {
    struct call call = {.values = values,
                        .indices = indices,
                        .cast = values ? values->format : x->format,
                        .falls = falls,
                        .kept = kept,
                        .stride = 1};
    if (axis == DETMATH_WHOLE_ARRAY)
        return DETMATH_TROUBLE_AXIS;
    int trouble = detmath_axis_lines_open(&call.from, x, axis);
    if (!trouble && values)
        trouble = detmath_axis_lines_open(&call.to, values, axis);
    if (!trouble && kept > x->extents[call.from.axis])
        trouble = DETMATH_TROUBLE_EXTENTS;
    if (!trouble && values)
        trouble = check_values(&call, x, call.from.axis);
    const size_t n = call.from.length;
    if (trouble || !n || !kept)
        return trouble;
    for (int i = call.from.axis + 1; i < x->dimensions; i++)
        call.stride *= x->extents[i];
    call.room = n <= SIZE_MAX / (2 * sizeof *call.room) ? malloc(2 * n * sizeof *call.room) : NULL;
    if (!call.room)
        return DETMATH_TROUBLE_MEMORY;
    for (size_t i = 0; i < detmath_axis_lines_count(&call.from); i++)
        run_line(&call, i);
    free(call.room);
    return DETMATH_NO_TROUBLE;
}
