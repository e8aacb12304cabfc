/* Scaled arrays along an axis: the largest value, softmax; and rebalancing each scale's data by what
 * they are. */
#include "scaled_lines.h"
#include "environment.h"
#include "kernels.h"
#include "scaled_kernels.h"

#include <stdlib.h>
#include <string.h>

static int is_along(const struct lines *lines, int i) {
    return lines->axis < 0 || lines->axis == i;
}

int detmath_lines_open(struct lines *lines, const struct detmath_scaled_tensor *c,
                       const struct detmath_scaled_tensor *a, int axis, int reduces, int each) {
    int n = a->data.dimensions, trouble = detmath_scaled_check(a);
    trouble = trouble ? trouble : detmath_scaled_check(c);
    if (trouble)
        return trouble;
    if (c->data.dimensions != n)
        return DETMATH_TROUBLE_DIMENSIONS;
    if (axis != DETMATH_WHOLE_ARRAY && (axis < -n || axis >= n))
        return DETMATH_TROUBLE_AXIS;
    lines->dimensions = n;
    lines->axis = axis == DETMATH_WHOLE_ARRAY ? -1 : axis < 0 ? axis + n : axis;
    for (int i = 0; i < n; i++) {
        size_t extent = a->data.extents[i], along = is_along(lines, i) ? 1 : extent;
        if (c->data.extents[i] != (reduces ? along : extent) || (is_along(lines, i) && !extent))
            return DETMATH_TROUBLE_EXTENTS;
        if (detmath_scale_extent(c, i) != (is_along(lines, i) ? 1
                                           : each             ? extent
                                                              : detmath_scale_extent(a, i)))
            return DETMATH_TROUBLE_SCALES;
    }
    detmath_scaled_place(&lines->a, a, n);
    detmath_scaled_place(&lines->c, c, n);
    detmath_lines_count(lines);
    return detmath_scaled_check_overlap(c, a, NULL,
                                        DETMATH_SCALED_WRITES_DATA | DETMATH_SCALED_WRITES_SCALES |
                                            (reduces ? 0u : DETMATH_SCALED_IN_PLACE));
}

/* How many indices there are along dimension i: elements, or scales of c that no element has. */
static size_t numbered(const struct lines *lines, int i) {
    if (is_along(lines, i))
        return 1;
    return lines->is_empty ? detmath_scale_extent(lines->c.array, i)
                           : lines->a.array->data.extents[i];
}

void detmath_lines_count(struct lines *lines) {
    lines->is_empty = 0;
    for (int i = 0; i < lines->dimensions; i++)
        lines->is_empty |= !lines->a.array->data.extents[i];
    lines->count = 1;
    for (int i = 0; i < lines->dimensions; i++)
        lines->count *= numbered(lines, i);
}

void detmath_line_index(const struct lines *lines, size_t at, size_t *index) {
    for (int i = lines->dimensions - 1; i >= 0; i--) {
        const size_t extent = numbered(lines, i),
                     step = lines->is_empty && lines->c.block[i] ? lines->c.block[i] : 1;
        index[i] = at % extent * step;
        at /= extent;
    }
}

void detmath_line_store_scale(const struct lines *lines, const size_t *line,
                              struct detmath_scale scale) {
    const int n = lines->dimensions;
    const struct detmath_scaled_places *c = &lines->c;
    if (lines->is_empty || lines->axis < 0 || detmath_scaled_ends(c, line, n, lines->axis))
        detmath_scaled_store_scale(&c->array->scales, detmath_scaled_scale_index(c, line, n),
                                   scale);
}

int detmath_line_next(const struct lines *lines, size_t *index, int fastest, size_t run) {
    for (int i = lines->dimensions - 1; i >= 0; i--) {
        if (!is_along(lines, i))
            continue;
        index[i] += i == fastest ? run : 1;
        if (index[i] < lines->a.array->data.extents[i])
            return 1;
        index[i] = 0;
    }
    return 0;
}

struct detmath_scale detmath_line_scale(const struct detmath_scaled_places *places,
                                        const size_t *index, int dimensions) {
    return detmath_scaled_load_scale(&places->array->scales,
                                     detmath_scaled_scale_index(places, index, dimensions));
}

struct detmath_scaled_line detmath_line_at(const struct detmath_scaled_places *places,
                                           const size_t *index, int dimensions, int along) {
    return (struct detmath_scaled_line){
        detmath_scaled_codes(places, detmath_scaled_index(places, index, dimensions)),
        places->array->data.format, along < 0 ? 1 : places->stride[along], places->array->status};
}

int detmath_lines_fastest(const struct lines *lines, size_t *run) {
    int along = lines->axis < 0 ? lines->dimensions - 1 : lines->axis;
    *run = along < 0
               ? 1
               : lines->a.array->data.extents[along] / detmath_scale_extent(lines->a.array, along);
    return along;
}

static int exceeds(struct detmath_scale next, struct detmath_scale most) {
    double m = detmath_scaled_magnitude(detmath_scale_m(next)),
           before = detmath_scaled_magnitude(detmath_scale_m(most));
    if (before != before || m != m || m == 0.0 || before == 0.0)
        return before == before && (m != m || before == 0.0);
    return next.e > most.e || (next.e == most.e && m > before);
}

struct detmath_scale detmath_line_largest_scale(const struct lines *lines, const size_t *line,
                                                int along, size_t run) {
    size_t index[DETMATH_MOST_DIMENSIONS];
    memcpy(index, line, sizeof index);
    struct detmath_scale most = detmath_line_scale(&lines->a, index, lines->dimensions);
    while (detmath_line_next(lines, index, along, run)) {
        struct detmath_scale next = detmath_line_scale(&lines->a, index, lines->dimensions);
        if (exceeds(next, most))
            most = next;
    }
    return most;
}

int detmath_scaled_max_along(const struct detmath_scaled_tensor *c,
                             const struct detmath_scaled_tensor *a, int axis,
                             const struct detmath_cast *cast) {
    struct lines lines;
    int trouble = detmath_lines_open(&lines, c, a, axis, 1, 0);
    trouble = trouble ? trouble : detmath_scaled_kinds(c, a, NULL);
    if (trouble)
        return trouble;
    size_t run;
    const int along = detmath_lines_fastest(&lines, &run), n = lines.dimensions;
    uint64_t set = detmath_environment_enter();
    for (size_t number = 0; number < lines.count; number++) {
        size_t index[DETMATH_MOST_DIMENSIONS], line[DETMATH_MOST_DIMENSIONS];
        detmath_line_index(&lines, number, line);
        memcpy(index, line, sizeof index);
        const struct detmath_scale most = detmath_line_largest_scale(&lines, line, along, run);
        const struct detmath_scaled_plan whole = detmath_scaled_plan_one(most);
        double best = 0.0;
        int first = 1;
        detmath_line_store_scale(&lines, line, whole.scale);
        if (lines.is_empty)
            continue;
        do {
            const struct detmath_scale own = detmath_line_scale(&lines.a, index, n);
            const struct detmath_scaled_plan sign = detmath_scaled_plan_one(own),
                                             plan = detmath_scaled_plan_sum(most, own);
            const struct detmath_scaled_line x = detmath_line_at(&lines.a, index, n, along);
            double y = detmath_best_level()->scaled_rows->largest(&x, run, &sign);
            y *= detmath_scaled_magnitude(plan.b);
            best = first ? y : detmath_scaled_larger(best, y);
            first = 0;
        } while (detmath_line_next(&lines, index, along, run));
        double m = whole.zero_a ? 1.0 : detmath_scaled_magnitude(detmath_scale_m(most));
        const struct detmath_scaled_line result = detmath_line_at(&lines.c, line, n, -1);
        detmath_best_level()->scaled_rows->store(&result, best / m, cast);
    }
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

int detmath_scaled_softmax_along(const struct detmath_scaled_tensor *c,
                                 const struct detmath_scaled_tensor *a, int axis,
                                 enum detmath_scaled_compute compute,
                                 const struct detmath_cast *cast) {
    struct lines lines;
    int trouble = axis == DETMATH_WHOLE_ARRAY ? DETMATH_TROUBLE_AXIS
                                              : detmath_lines_open(&lines, c, a, axis, 0, 1);
    if (trouble)
        return trouble;
    if (detmath_scale_extent(a, lines.axis) != 1)
        return DETMATH_TROUBLE_SCALES;
    if (!c->scales.codes || c->scales.format != DETMATH_F32)
        return DETMATH_TROUBLE_SCALE_KINDS;
    uint64_t set = detmath_environment_enter();
    for (size_t number = 0; number < lines.count; number++) {
        size_t index[DETMATH_MOST_DIMENSIONS];
        detmath_line_index(&lines, number, index);
        const struct detmath_scaled_plan plan =
            detmath_scaled_plan_one(detmath_line_scale(&lines.a, index, lines.dimensions));
        const struct detmath_scaled_line x = detmath_line_at(&lines.a, index, lines.dimensions,
                                                             lines.axis),
                                         y = detmath_line_at(&lines.c, index, lines.dimensions,
                                                             lines.axis);
        float scale = detmath_best_level()->scaled_rows->softmax(
            &y, &x, a->data.extents[lines.axis], &plan,
            compute == DETMATH_SCALED_AUTO ? detmath_scaled_softmax_compute(plan) : compute, cast);
        detmath_line_store_scale(&lines, index, detmath_scale_of(scale, 0));
    }
    detmath_environment_leave(set);
    return DETMATH_NO_TROUBLE;
}

/* The data of cell number `cell` beside each other, which has extents `cells`; how many there are. */
static size_t gather(const struct detmath_scaled_places *a, const size_t *from, const size_t *cells,
                     int n, char *to) {
    const ptrdiff_t bytes = (ptrdiff_t)detmath_format_bytes(a->array->data.format);
    size_t index[DETMATH_MOST_DIMENSIONS] = {0}, count = 1;
    for (int i = 0; i < n; i++)
        count *= cells[i];
    for (size_t at = 0; at < count; at++) {
        size_t rest = at;
        for (int i = n - 1; i >= 0; rest /= cells[i], i--)
            index[i] = from[i] + rest % cells[i];
        memcpy(to + (ptrdiff_t)at * bytes,
               detmath_scaled_codes(a, detmath_scaled_index(a, index, n)), (size_t)bytes);
    }
    return count;
}

/* Lines of a cell along its last dimension. */
static void rebalance_cell(const struct detmath_scaled_places *c,
                           const struct detmath_scaled_places *a, const size_t *from,
                           const size_t *cells, int n, const struct detmath_scaled_plan *plan,
                           const struct detmath_cast *cast) {
    size_t index[DETMATH_MOST_DIMENSIONS] = {0}, lines = 1, run = n ? cells[n - 1] : 1;
    for (int i = 0; i + 1 < n; i++)
        lines *= cells[i];
    for (size_t line = 0; line < lines; line++) {
        size_t rest = line;
        for (int i = n - 2; i >= 0; rest /= cells[i], i--)
            index[i] = from[i] + rest % cells[i];
        if (n)
            index[n - 1] = from[n - 1];
        const struct detmath_scaled_line to = detmath_line_at(c, index, n, n - 1),
                                         x = detmath_line_at(a, index, n, n - 1);
        detmath_scaled_line(DETMATH_SCALED_INDEX_apply, &to, &x, NULL, run, plan, cast);
    }
}

int detmath_scaled_rebalance(const struct detmath_scaled_tensor *c,
                             const struct detmath_scaled_tensor *a,
                             enum detmath_scaled_target target, const struct detmath_cast *cast) {
    return detmath_scaled_rebalance_by(c, a, target, 0, cast);
}

int detmath_scaled_rebalance_by(const struct detmath_scaled_tensor *c,
                                const struct detmath_scaled_tensor *a,
                                enum detmath_scaled_target target, int margin,
                                const struct detmath_cast *cast) {
    enum { MOST_MARGIN = 1 << 20 };
    const int more = margin > MOST_MARGIN    ? MOST_MARGIN
                     : margin < -MOST_MARGIN ? -MOST_MARGIN
                                             : margin;
    int n = a->data.dimensions, trouble = detmath_scaled_check(a);
    size_t cells[DETMATH_MOST_DIMENSIONS], count = 1, most = 1;
    trouble = trouble ? trouble : detmath_scaled_check(c);
    trouble = trouble ? trouble : detmath_scaled_kinds(c, a, NULL);
    if (trouble || c->data.dimensions != n)
        return trouble ? trouble : DETMATH_TROUBLE_DIMENSIONS;
    for (int i = 0; i < n; i++) {
        if (c->data.extents[i] != a->data.extents[i])
            return DETMATH_TROUBLE_EXTENTS;
        const size_t scales = detmath_scale_extent(c, i), own = detmath_scale_extent(a, i);
        if (own ? scales % own : scales)
            return DETMATH_TROUBLE_SCALES;
        cells[i] = scales ? a->data.extents[i] / scales : 0;
        count *= scales;
        most *= cells[i];
    }
    trouble = detmath_scaled_check_overlap(
        c, a, NULL,
        DETMATH_SCALED_WRITES_DATA | DETMATH_SCALED_WRITES_SCALES | DETMATH_SCALED_IN_PLACE);
    if (trouble)
        return trouble;
    struct detmath_scaled_places from, to;
    detmath_scaled_place(&from, a, n);
    detmath_scaled_place(&to, c, n);
    char *codes = malloc(most * sizeof(uint32_t) + 1);
    for (size_t number = 0; codes && number < count; number++) {
        size_t index[DETMATH_MOST_DIMENSIONS] = {0}, rest = number;
        for (int i = n - 1; i >= 0; rest /= detmath_scale_extent(c, i), i--)
            index[i] = rest % detmath_scale_extent(c, i) * cells[i];
        const size_t held = gather(&from, index, cells, n, codes);
        int by = detmath_scaled_find(c->data.format, a->data.format, codes, held, target);
        if (more && (by || detmath_scaled_has_number(a->data.format, codes, held)))
            by += more;
        const struct detmath_scaled_plan plan = detmath_scaled_plan_rebalance(
            detmath_line_scale(&from, index, n), by, c->scales.format == DETMATH_POWERS);
        rebalance_cell(&to, &from, index, cells, n, &plan, cast);
        detmath_scaled_store_scale(&c->scales, detmath_scaled_scale_index(&to, index, n),
                                   plan.scale);
    }
    free(codes);
    return codes ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}
