/* Elements of arrays of any strides by their numbers in row-major order, as fp32. Not installed. */
#ifndef DETMATH_LIBRARY_PLACES_H
#define DETMATH_LIBRARY_PLACES_H

#include "detmath/lines.h"
#include "geometry.h"
#include "overlap.h"

/* An array, its strides, and whether its elements lie beside each other in that order. */
struct detmath_places {
    const struct detmath_strided *array;
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    int plain;
};

static inline struct detmath_places detmath_places_of(const struct detmath_strided *array) {
    struct detmath_places places = {.array = array, .plain = 1};
    ptrdiff_t next = 1;
    detmath_settle_strides(array, places.strides);
    for (int i = array->dimensions - 1; i >= 0; i--) {
        places.plain = places.plain && (array->extents[i] == 1 || places.strides[i] == next);
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
