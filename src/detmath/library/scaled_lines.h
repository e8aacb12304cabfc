/* Lines of scaled arrays along an axis, for the calls of scaled_tensors.h. Not installed. */
#ifndef DETMATH_LIBRARY_SCALED_LINES_H
#define DETMATH_LIBRARY_SCALED_LINES_H

#include "scaled_tensor.h"

/* A call of lines: a along an axis, c. */
struct lines {
    struct detmath_scaled_places a, c;
    int dimensions, axis; /* -1: all elements are one line */
    size_t count;
    int is_empty; /* no line has elements: c's scales alone are numbered, which depend on scales */
};
/* Counts the lines. */
void detmath_lines_count(struct lines *lines);
/* Stores the scale of a line of c, where no line after it has the same. */
void detmath_line_store_scale(const struct lines *lines, const size_t *line,
                              struct detmath_scale scale);

/* c's extents are 1 along the axis where `reduces`, and so are its scales' in any case; these are
 * a's elsewhere, or where `each` one for each line. An enum detmath_trouble. */
int detmath_lines_open(struct lines *lines, const struct detmath_scaled_tensor *c,
                       const struct detmath_scaled_tensor *a, int axis, int reduces, int each);

/* The index of number `at` of all but the axis, which is 0 there. */
void detmath_line_index(const struct lines *lines, size_t at, size_t *index);

/* The dimension that a run goes along, and how many elements of it share a scale. */
int detmath_lines_fastest(const struct lines *lines, size_t *run);
/* The next index along the axis, by runs of `run` along `fastest`; 0 at the end. */
int detmath_line_next(const struct lines *lines, size_t *index, int fastest, size_t run);

struct detmath_scale detmath_line_scale(const struct detmath_scaled_places *places,
                                        const size_t *index, int dimensions);
/* Elements from an index on, along a dimension (-1: one). */
struct detmath_scaled_line detmath_line_at(const struct detmath_scaled_places *places,
                                           const size_t *index, int dimensions, int along);
/* The largest scale of a line; of one with a scale that is no number, that. */
struct detmath_scale detmath_line_largest_scale(const struct lines *lines, const size_t *line,
                                                int along, size_t run);

#endif
