/* An array of any strides as lines along one of its axes, or as one line in row-major order. Not installed. */
#ifndef DETMATH_LIBRARY_AXIS_LINES_H
#define DETMATH_LIBRARY_AXIS_LINES_H

#include "detmath/strided.h"

/* The lines' length and stride, and the extents and strides of what numbers them. */
struct detmath_axis_lines {
    struct detmath_strided array;
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS], stride;
    size_t length;
    int axis;     /* -1 where the whole array is one line */
    int is_apart; /* whose elements do not lie one stride apart: they are copied to where they do */
    void *gathered; /* there; else NULL */
};

/* An enum detmath_trouble. The array is a format of strided.h's. */
int detmath_axis_lines_open(struct detmath_axis_lines *lines, const struct detmath_strided *array,
                            int axis);
/* Finds room for what has to be copied, before the first line is asked for, and copies it, but of a result; 0 where
 * there is no memory. */
int detmath_axis_lines_gather(struct detmath_axis_lines *lines, int is_result);
/* Gives memory back, and what has been written into it to the array where `is_result`. */
void detmath_axis_lines_close(struct detmath_axis_lines *lines, int is_result);

size_t detmath_axis_lines_count(const struct detmath_axis_lines *lines);
/* Line `number`, from its end where `reverse`. */
const char *detmath_axis_line(const struct detmath_axis_lines *lines, size_t number, int reverse);

#endif
