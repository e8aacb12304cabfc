/* Lines along an axis: where they lie, and the elements of a whole array that no stride leads through. */
#include "axis_lines.h"
#include "geometry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is_known(int format) {
    return (format >= 0 && format < DETMATH_FORMATS) || format == DETMATH_F64;
}

/* Whether the elements, in row-major order, lie one stride apart: which one. */
static int is_one_line(const struct detmath_strided *array, const ptrdiff_t *strides,
                       ptrdiff_t *stride) {
    ptrdiff_t next = 0;
    int found = 0;
    *stride = 1;
    for (int i = array->dimensions - 1; i >= 0; i--) {
        if (array->extents[i] == 1)
            continue;
        if (found && strides[i] != next)
            return 0;
        *stride = found ? *stride : strides[i];
        next = strides[i] * (ptrdiff_t)array->extents[i];
        found = 1;
    }
    return 1;
}

int detmath_axis_lines_open(struct detmath_axis_lines *lines, const struct detmath_strided *array,
                            int axis) {
    int dimensions = array->dimensions;
    if (dimensions < 0 || dimensions > DETMATH_MOST_DIMENSIONS)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (!is_known(array->format))
        return DETMATH_TROUBLE_FORMAT;
    if (!detmath_is_countable(array->extents, dimensions))
        return DETMATH_TROUBLE_COUNT;
    lines->array = *array;
    lines->axis = -1;
    lines->length = 1;
    lines->is_apart = 0;
    lines->gathered = NULL;
    detmath_settle_strides(array, lines->strides);
    for (int i = 0; i < dimensions; i++)
        lines->length *= array->extents[i];
    if (axis == DETMATH_WHOLE_ARRAY) {
        lines->is_apart = lines->length && !is_one_line(array, lines->strides, &lines->stride);
        lines->stride = lines->is_apart ? 1 : lines->stride;
        return DETMATH_NO_TROUBLE;
    }
    if (axis < -dimensions || axis >= dimensions)
        return DETMATH_TROUBLE_AXIS;
    lines->axis = axis < 0 ? axis + dimensions : axis;
    lines->length = lines->length ? array->extents[lines->axis] : 0;
    lines->stride = lines->strides[lines->axis];
    return DETMATH_NO_TROUBLE;
}

/* Where element number `at` lies in row-major order, or, without the axis, a line begins. */
static ptrdiff_t place_of(const struct detmath_axis_lines *lines, size_t number) {
    ptrdiff_t at = 0;
    for (int i = lines->array.dimensions - 1; i >= 0; i--) {
        if (i == lines->axis)
            continue;
        at += (ptrdiff_t)(number % lines->array.extents[i]) * lines->strides[i];
        number /= lines->array.extents[i];
    }
    return at;
}

int detmath_axis_lines_gather(struct detmath_axis_lines *lines, int is_result) {
    const size_t bytes = detmath_format_bytes(lines->array.format);
    if (!lines->is_apart)
        return 1;
    lines->gathered = lines->length <= SIZE_MAX / bytes ? malloc(lines->length * bytes) : NULL;
    for (size_t i = 0; !is_result && lines->gathered && i < lines->length; i++)
        memcpy((char *)lines->gathered + i * bytes,
               (const char *)lines->array.codes + place_of(lines, i) * (ptrdiff_t)bytes, bytes);
    return lines->gathered != NULL;
}

void detmath_axis_lines_close(struct detmath_axis_lines *lines, int is_result) {
    const size_t bytes = detmath_format_bytes(lines->array.format);
    for (size_t i = 0; is_result && lines->gathered && i < lines->length; i++)
        memcpy((char *)lines->array.codes + place_of(lines, i) * (ptrdiff_t)bytes,
               (const char *)lines->gathered + i * bytes, bytes);
    free(lines->gathered);
    lines->gathered = NULL;
}

size_t detmath_axis_lines_count(const struct detmath_axis_lines *lines) {
    size_t count = lines->length > 0;
    for (int i = 0; lines->axis >= 0 && i < lines->array.dimensions; i++)
        count *= i == lines->axis ? 1 : lines->array.extents[i];
    return count;
}

const char *detmath_axis_line(const struct detmath_axis_lines *lines, size_t number, int reverse) {
    const ptrdiff_t bytes = (ptrdiff_t)detmath_format_bytes(lines->array.format),
                    last = reverse ? (ptrdiff_t)(lines->length - 1) * lines->stride : 0;
    const char *codes = lines->gathered ? lines->gathered : lines->array.codes;
    return codes + ((lines->axis < 0 ? 0 : place_of(lines, number)) + last) * bytes;
}
