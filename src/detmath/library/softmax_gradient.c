/* The library's gradient of a softmax, of arrays of any strides. */
#include "detmath/transformer.h"
#include "environment.h"
#include "norm_layout.h"
#include "training_list.h"

#include <stdint.h>
#include <stdlib.h>

int detmath_softmax_gradient_along(const struct detmath_strided *y, const struct detmath_strided *x,
                                   const struct detmath_strided *g, int axis) {
    struct detmath_norm_layout layout;
    int trouble = detmath_check_pair(y, x);
    trouble = trouble ? trouble : detmath_check_pair(y, g);
    trouble = trouble ? trouble : detmath_norm_lay_along(&layout, x, axis);
    if (trouble || !layout.count || !layout.length)
        return trouble;
    const struct detmath_places to = detmath_places_of(y), from = detmath_places_of(x),
                                slopes = detmath_places_of(g);
    const size_t n = layout.length;
    float *room = n <= SIZE_MAX / (3 * sizeof *room) ? malloc(3 * n * sizeof *room) : NULL;
    if (!room)
        return DETMATH_TROUBLE_MEMORY;
    const uint64_t set = detmath_environment_enter();
    for (size_t line = 0; line < layout.count; line++) {
        const size_t start = detmath_norm_start(&layout, line);
        float *there = detmath_norm_line_at(&layout, &to, y->format, start);
        detmath_reductions()->training->softmax_gradient(
            there ? there : room, detmath_norm_load(&layout, &from, y->format, start, room + n),
            detmath_norm_load(&layout, &slopes, y->format, start, room + 2 * n), n);
        for (size_t i = 0; !there && i < n; i++)
            detmath_put_float(&to, detmath_norm_index(&layout, start, i), room[i]);
    }
    detmath_environment_leave(set);
    free(room);
    return DETMATH_NO_TROUBLE;
}
