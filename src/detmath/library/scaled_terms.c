/* The terms of the sums of a contraction (scaled_contraction.h), before it is run: where runs of terms end whose
 * scales are the same, and how far apart terms lie. */
#include "scaled_contraction.h"

#include <stdlib.h>

/* Whether scales differ along the terms. */
static int scales_vary(const struct contraction *given) {
    for (int i = 0; i < given->count; i++)
        for (int array = A; array <= B; array++) {
            const struct loop *loop = &given->loops[i];
            if (loop->kind == TERM && given->arrays[array] && loop->dimension[array] != NONE &&
                given->places[array].block[loop->dimension[array]])
                return 1;
        }
    return 0;
}

/* The first term after `from` where a scale may be another. */
static size_t segment_end(const struct contraction *given, size_t from) {
    if (!scales_vary(given))
        return given->sizes[TERM];
    for (size_t term = from + 1; term < given->sizes[TERM]; term++)
        for (int array = A; array <= B; array++) {
            ptrdiff_t here[DETMATH_MOST_DIMENSIONS] = {0}, there[DETMATH_MOST_DIMENSIONS] = {0};
            if (!given->arrays[array])
                continue;
            detmath_contraction_add_index(given, TERM, from, array, here);
            detmath_contraction_add_index(given, TERM, term, array, there);
            if (detmath_contraction_scale_at(&given->places[array], here) !=
                detmath_contraction_scale_at(&given->places[array], there))
                return term;
        }
    return given->sizes[TERM];
}

int detmath_contraction_find_runs(struct contraction *given) {
    given->ends = malloc((given->sizes[TERM] + 1) * sizeof *given->ends);
    if (!given->ends)
        return 0;
    given->segments = 0;
    do {
        size_t from = given->segments ? given->ends[given->segments - 1] : 0;
        given->ends[given->segments++] = given->sizes[TERM] ? segment_end(given, from) : 0;
    } while (given->ends[given->segments - 1] < given->sizes[TERM]);
    return 1;
}

/* From the fastest loop outwards: what is there, again for each further step of the next. */
static void fill_offsets(const struct contraction *given, int array, ptrdiff_t *offsets) {
    size_t count = 1;
    offsets[0] = 0;
    for (int i = given->count - 1; i >= 0; i--) {
        const struct loop *loop = &given->loops[i];
        const int dimension = loop->dimension[array];
        const ptrdiff_t apart = dimension == NONE ? 0
                                                  : (ptrdiff_t)loop->step[array] *
                                                        given->places[array].stride[dimension];
        if (loop->kind != TERM)
            continue;
        for (size_t step = 1; step < loop->extent; step++)
            for (size_t at = 0; at < count; at++)
                offsets[step * count + at] = offsets[at] + (ptrdiff_t)step * apart;
        count *= loop->extent;
    }
}

int detmath_contraction_find_offsets(struct contraction *given) {
    given->has_padding = 0;
    for (int i = 0; i < DETMATH_MOST_DIMENSIONS; i++)
        given->has_padding |= given->before[i] || given->every[i];
    for (int array = A; array <= B; array++) {
        ptrdiff_t *offsets = malloc((given->sizes[TERM] + 1) * sizeof *offsets);
        given->offsets[array] = offsets;
        if (offsets && given->arrays[array] && given->sizes[TERM])
            fill_offsets(given, array, offsets);
        given->apart[array] = offsets && given->sizes[TERM] > 1 ? offsets[1] - offsets[0] : 0;
        given->is_line[array] = 1;
        for (size_t term = 1; offsets && term < given->sizes[TERM]; term++)
            given->is_line[array] &= offsets[term] - offsets[term - 1] == given->apart[array];
    }
    return given->offsets[A] && given->offsets[B];
}
