/* Where the loops of a contraction (scaled_contraction.h) lead in its arrays, and rows and columns as the kernel that
 * multiplies has them: windows of a convolution become rows. */
#include "kernels.h"
#include "scaled_contraction.h"
#include "scaled_kernels.h"

/* The last loop is the fastest. */
void detmath_contraction_add_index(const struct contraction *given, int kind, size_t at, int array,
                                   ptrdiff_t index[DETMATH_MOST_DIMENSIONS]) {
    for (int i = given->count - 1; i >= 0; i--) {
        const struct loop *loop = &given->loops[i];
        if (loop->kind != kind || !loop->extent) /* a sum of none has the scales of index 0 */
            continue;
        if (loop->dimension[array] != NONE)
            index[loop->dimension[array]] += (ptrdiff_t)(at % loop->extent * loop->step[array]);
        at /= loop->extent;
    }
}

int detmath_contraction_locate(const struct contraction *given, int array, const ptrdiff_t *index,
                               ptrdiff_t *at) {
    const struct detmath_strided *data = &given->arrays[array]->data;
    *at = 0;
    for (int i = 0; i < data->dimensions; i++) {
        ptrdiff_t own = index[i] - (array == A ? given->before[i] : 0);
        size_t every = array == A ? given->every[i] : 0;
        if (every && own % (ptrdiff_t)every)
            return 0;
        own = every ? own / (ptrdiff_t)every : own;
        if (own < 0 || own >= (ptrdiff_t)data->extents[i])
            return 0;
        *at += own * given->places[array].stride[i];
    }
    return 1;
}

/* Whether the box of all terms from `base` on lies in the array, with nothing between its elements, so that offsets lead
 * to each; *start is where the first one is. */
static int is_whole(const struct contraction *given, int array, const ptrdiff_t *base,
                    ptrdiff_t *start) {
    ptrdiff_t least[DETMATH_MOST_DIMENSIONS], most[DETMATH_MOST_DIMENSIONS], at;
    for (int i = 0; i < DETMATH_MOST_DIMENSIONS; i++) {
        least[i] = most[i] = base[i];
        if (array == A && given->every[i] > 1)
            return 0;
    }
    for (int i = 0; i < given->count; i++) {
        const struct loop *loop = &given->loops[i];
        const int dimension = loop->dimension[array];
        if (loop->kind != TERM || dimension == NONE || loop->extent == 0)
            continue;
        const ptrdiff_t reach = (ptrdiff_t)((loop->extent - 1) * loop->step[array]);
        *(reach < 0 ? &least[dimension] : &most[dimension]) += reach;
    }
    return detmath_contraction_locate(given, array, least, &at) &&
           detmath_contraction_locate(given, array, most, &at) &&
           detmath_contraction_locate(given, array, base, start);
}

ptrdiff_t detmath_contraction_scale_at(const struct detmath_scaled_places *places,
                                       const ptrdiff_t *index) {
    size_t own[DETMATH_MOST_DIMENSIONS] = {0};
    const int dimensions = places->array->data.dimensions;
    for (int i = 0; i < dimensions; i++)
        own[i] = places->block[i] ? (size_t)index[i] : 0;
    return detmath_scaled_scale_index(places, own, dimensions);
}

struct detmath_scale detmath_contraction_scale(const struct contraction *given, int array,
                                               size_t batch, int kind, size_t at, size_t term) {
    ptrdiff_t index[DETMATH_MOST_DIMENSIONS] = {0};
    if (!given->arrays[array] || given->lacks_scales[array])
        return detmath_scale_of(1.0f, 0);
    detmath_contraction_add_index(given, BATCH, batch, array, index);
    detmath_contraction_add_index(given, kind, at, array, index);
    detmath_contraction_add_index(given, TERM, term, array, index);
    return detmath_scaled_load_scale(&given->arrays[array]->scales,
                                     detmath_contraction_scale_at(&given->places[array], index));
}

static double decoded(int format, const void *codes, ptrdiff_t at) {
    const struct detmath_format row = detmath_formats[format];
    if (format == DETMATH_F32)
        return detmath_scaled_decode(((const uint32_t *)codes)[at], row);
    if (format < DETMATH_E4M3FN)
        return detmath_scaled_decode(((const uint16_t *)codes)[at], row);
    return detmath_scaled_decode(((const uint8_t *)codes)[at], row);
}

/* A lane whose terms do not lie along a line: offset from `start` where that is known, else looked for one by one. */
static void pack_apart(const struct contraction *given, int array, const ptrdiff_t *base,
                       const ptrdiff_t *start, size_t from, size_t to, size_t step, double *place) {
    const struct detmath_strided *data = &given->arrays[array]->data;
    for (size_t term = from; term < to; term++, place += step) {
        ptrdiff_t index[DETMATH_MOST_DIMENSIONS], at = 0;
        int exists = 1;
        if (start) {
            at = *start + given->offsets[array][term];
        } else {
            for (int i = 0; i < DETMATH_MOST_DIMENSIONS; i++)
                index[i] = base[i];
            detmath_contraction_add_index(given, TERM, term, array, index);
            exists = detmath_contraction_locate(given, array, index, &at);
        }
        *place = exists ? decoded(data->format, data->codes, at) : 0.0;
    }
}

void detmath_contraction_pack(const struct contraction *given, int array, int kind, size_t batch,
                              size_t first, size_t count, size_t from, size_t to, size_t lanes,
                              size_t lane_step, size_t term_step, double *packed) {
    const struct detmath_scaled_tensor *tensor = given->arrays[array];
    const struct detmath_scaled_row_kernels *kernels = detmath_best_level()->scaled_rows;
    struct detmath_scaled_line lines[DETMATH_SCALED_WIDE];
    size_t waiting = 0; /* lines, of the lanes before this one */
    for (size_t lane = 0; lane < lanes; lane++) {
        ptrdiff_t base[DETMATH_MOST_DIMENSIONS] = {0}, start = 0;
        int is_one = !tensor && lane < count, is_zero = lane >= count;
        if (!is_zero && tensor) {
            is_zero = detmath_scale_m(detmath_contraction_scale(given, array, batch, kind,
                                                                first + lane, from)) == 0.0;
            detmath_contraction_add_index(given, BATCH, batch, array, base);
            detmath_contraction_add_index(given, kind, first + lane, array, base);
        }
        int known = is_zero || is_one ||
                    (array == B || !given->has_padding
                         ? detmath_contraction_locate(given, array, base, &start)
                         : is_whole(given, array, base, &start));
        if (known && !is_zero && !is_one && given->is_line[array] && from < to) {
            lines[waiting++] = (struct detmath_scaled_line){
                (char *)tensor->data.codes +
                    (start + given->offsets[array][from]) *
                        (ptrdiff_t)detmath_format_bytes(tensor->data.format),
                tensor->data.format, given->apart[array], NULL};
            continue;
        }
        kernels->unpack(packed + (lane - waiting) * lane_step, lane_step, term_step, lines, waiting,
                        to - from);
        waiting = 0;
        if (is_zero || is_one)
            for (size_t term = from; term < to; term++)
                packed[lane * lane_step + (term - from) * term_step] = is_one;
        else
            pack_apart(given, array, base, known ? &start : NULL, from, to, term_step,
                       packed + lane * lane_step);
    }
    kernels->unpack(packed + (lanes - waiting) * lane_step, lane_step, term_step, lines, waiting,
                    to - from);
}
