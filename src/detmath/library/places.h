/* Elements of arrays of any strides by their numbers in row-major order, as fp32. Not installed. */
#ifndef DETMATH_LIBRARY_PLACES_H
#define DETMATH_LIBRARY_PLACES_H

#include "detmath/lines.h"
#include "geometry.h"
#include "overlap.h"

#include <string.h>

/* An array, its strides, and whether its elements lie beside each other in that order; those of each `run` do, of
 * which the first has a multiple of it as its number. */
struct detmath_places {
    const struct detmath_strided *array;
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    size_t run;
    int plain;
};

static inline struct detmath_places detmath_places_of(const struct detmath_strided *array) {
    struct detmath_places places = {.array = array, .run = 1, .plain = 1};
    ptrdiff_t next = 1;
    detmath_settle_strides(array, places.strides);
    for (int i = array->dimensions - 1; i >= 0; i--) {
        places.plain = places.plain && (array->extents[i] == 1 || places.strides[i] == next);
        places.run *= places.plain && array->extents[i] ? array->extents[i] : 1;
        next *= (ptrdiff_t)array->extents[i];
    }
    return places;
}

static inline ptrdiff_t detmath_place(const struct detmath_places *places, size_t number) {
    ptrdiff_t at = 0;
    if (places->plain)
        return (ptrdiff_t)number;
    for (int i = places->array->dimensions - 1; i >= 0; i--) {
        at += (ptrdiff_t)(number % places->array->extents[i]) * places->strides[i];
        number /= places->array->extents[i];
    }
    return at;
}

/* Elements from that one on where they can be used as they are; else NULL. */
static inline float *detmath_floats_at(const struct detmath_places *places, int cast,
                                       size_t number) {
    return places->plain && places->array->format == DETMATH_F32 && cast == DETMATH_F32
               ? (float *)places->array->codes + number
               : NULL;
}

/* An element, cast to that format. */
static inline float detmath_float_of(const struct detmath_strided *array, int cast, ptrdiff_t at) {
    const struct detmath_line line = {array->codes, 1, array->format, cast};
    return (float)detmath_line_load(&line, (detmath_u64)at);
}

static inline void detmath_put_float(const struct detmath_places *places, size_t number, float y) {
    const struct detmath_line_out to = {places->array->codes, 1, places->array->format};
    detmath_line_store(&to, (detmath_u64)detmath_place(places, number), (detmath_real)y);
}

/* How many of n elements from that one on lie beside each other. */
static inline size_t detmath_run_from(const struct detmath_places *places, size_t number,
                                      size_t n) {
    const size_t left = places->run - number % places->run;
    return n < left ? n : left;
}

/* n elements from that one on, as they lie, or gathered in a room. */
static inline const float *detmath_floats_of(const struct detmath_places *places, int cast,
                                             size_t number, size_t n, float *room) {
    const struct detmath_strided *array = places->array;
    const int as_they_are = array->format == DETMATH_F32 && cast == DETMATH_F32;
    for (size_t i = 0, run; i < n; i += run) {
        const ptrdiff_t at = detmath_place(places, number + i);
        run = detmath_run_from(places, number + i, n - i);
        if (as_they_are && run == n)
            return (const float *)array->codes + at;
        if (as_they_are)
            memcpy(room + i, (const float *)array->codes + at, run * sizeof *room);
        for (size_t j = 0; !as_they_are && j < run; j++)
            room[i + j] = detmath_float_of(array, cast, at + (ptrdiff_t)j);
    }
    return room;
}

/* Writes n elements of a result from that one on. */
static inline void detmath_put_floats(const struct detmath_places *places, size_t number, size_t n,
                                      const float *y) {
    const struct detmath_line_out to = {places->array->codes, 1, places->array->format};
    for (size_t i = 0, run; i < n; i += run) {
        const ptrdiff_t at = detmath_place(places, number + i);
        run = detmath_run_from(places, number + i, n - i);
        if (to.format == DETMATH_F32)
            memcpy((float *)places->array->codes + at, y + i, run * sizeof *y);
        for (size_t j = 0; to.format != DETMATH_F32 && j < run; j++)
            detmath_line_store(&to, (detmath_u64)(at + (ptrdiff_t)j), (detmath_real)y[i + j]);
    }
}

/* An enum detmath_trouble: of an operand, or of a result, which is no wider than fp32. */
static inline int detmath_check_array(const struct detmath_strided *array, int is_result) {
    const int known = (array->format >= 0 && array->format < DETMATH_FORMATS) ||
                      (!is_result && array->format == DETMATH_F64);
    return array->dimensions < 0 || array->dimensions > DETMATH_MOST_DIMENSIONS
               ? DETMATH_TROUBLE_DIMENSIONS
           : !known                                                   ? DETMATH_TROUBLE_FORMAT
           : !detmath_is_countable(array->extents, array->dimensions) ? DETMATH_TROUBLE_COUNT
                                                                      : DETMATH_NO_TROUBLE;
}

/* What is wrong with a result and an operand, which must have the same extents and may be one array. */
static inline int detmath_check_pair(const struct detmath_strided *y,
                                     const struct detmath_strided *x) {
    int trouble = detmath_check_array(y, 1);
    trouble = trouble ? trouble : detmath_check_array(x, 0);
    if (!trouble && y->dimensions != x->dimensions)
        trouble = DETMATH_TROUBLE_EXTENTS;
    for (int i = 0; !trouble && i < x->dimensions; i++)
        trouble = y->extents[i] == x->extents[i] ? trouble : DETMATH_TROUBLE_EXTENTS;
    if (!trouble && !detmath_has_own_places(y))
        trouble = DETMATH_TROUBLE_OVERLAP;
    return trouble ? trouble : detmath_check_overlap(y, x, 1);
}

#endif
