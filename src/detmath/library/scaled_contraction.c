/* Runs a table of loops: terms are packed as doubles, windows of a convolution into rows, and one
 * kernel multiplies them. */
#include "scaled_contraction.h"

#include "environment.h"
#include "kernels.h"
#include "scaled_kernels.h"

#include <stdlib.h>

void detmath_contraction_add(struct contraction *given, int kind, size_t extent, int a,
                             size_t a_step, int b, size_t b_step, int c, size_t c_step) {
    given->loops[given->count++] = (struct loop){kind, extent, {a, b, c}, {a_step, b_step, c_step}};
}

/* Adds the index in an array of number `at` of a kind of loops; the last loop is the fastest. */
static void add_index(const struct contraction *given, int kind, size_t at, int array,
                      ptrdiff_t index[DETMATH_MOST_DIMENSIONS]) {
    for (int i = given->count - 1; i >= 0; i--) {
        const struct loop *loop = &given->loops[i];
        if (loop->kind != kind)
            continue;
        if (loop->dimension[array] != NONE)
            index[loop->dimension[array]] += (ptrdiff_t)(at % loop->extent * loop->step[array]);
        at /= loop->extent;
    }
}

/* Where an element is; -1 in the padding of a. */
static int locate(const struct contraction *given, int array, const ptrdiff_t *index,
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

/* The scale at an index; in the padding, that of the nearest element, as scales do not vary there. */
static ptrdiff_t scale_in(const struct detmath_scaled_places *places, const ptrdiff_t *index) {
    size_t own[DETMATH_MOST_DIMENSIONS] = {0};
    const int dimensions = places->array->data.dimensions;
    for (int i = 0; i < dimensions; i++)
        own[i] = places->block[i] ? (size_t)index[i] : 0;
    return detmath_scaled_scale_index(places, own, dimensions);
}

static ptrdiff_t scale_index(const struct contraction *given, int array, const ptrdiff_t *index) {
    return scale_in(&given->places[array], index);
}

static struct detmath_scale scale_of(const struct contraction *given, int array, size_t batch,
                                     int kind, size_t at, size_t term) {
    ptrdiff_t index[DETMATH_MOST_DIMENSIONS] = {0};
    if (!given->arrays[array])
        return detmath_scale_of(1.0f, 0);
    add_index(given, BATCH, batch, array, index);
    add_index(given, kind, at, array, index);
    add_index(given, TERM, term, array, index);
    return detmath_scaled_load_scale(&given->arrays[array]->scales,
                                     scale_index(given, array, index));
}

static double decoded(int format, const void *codes, ptrdiff_t at) {
    const struct detmath_format row = detmath_formats[format];
    if (format == DETMATH_F32)
        return detmath_scaled_decode(((const uint32_t *)codes)[at], row);
    if (format < DETMATH_E4M3FN)
        return detmath_scaled_decode(((const uint16_t *)codes)[at], row);
    return detmath_scaled_decode(((const uint8_t *)codes)[at], row);
}

/* Rows or columns from `first` on as the kernel has them: terms from..to-1, `wide` beside each
 * other, 0 where there is none, where a window is in the padding, and where the scale is 0. */
static void pack(const struct contraction *given, int array, int kind, size_t batch, size_t first,
                 size_t count, size_t from, size_t to, size_t wide, double *packed) {
    const struct detmath_scaled_tensor *tensor = given->arrays[array];
    for (size_t lane = 0; lane < wide; lane++) {
        int is_zero = lane >= count;
        ptrdiff_t base[DETMATH_MOST_DIMENSIONS] = {0};
        if (!is_zero && tensor) {
            is_zero =
                detmath_scale_m(scale_of(given, array, batch, kind, first + lane, from)) == 0.0;
            add_index(given, BATCH, batch, array, base);
            add_index(given, kind, first + lane, array, base);
        }
        ptrdiff_t start = 0;
        int known = is_zero || !tensor ||
                    ((array == B || !given->has_padding) && locate(given, array, base, &start));
        double *place = &packed[lane];
        if (known && !is_zero && tensor && given->is_line[array] && from < to) {
            const struct detmath_scaled_line line = {
                (char *)tensor->data.codes + (start + given->offsets[array][from]) *
                                                 detmath_scaled_code_bytes(tensor->data.format),
                tensor->data.format, given->apart[array]};
            detmath_best_level()->scaled_rows->unpack(place, wide, &line, to - from);
            continue;
        }
        for (size_t term = from; known && term < to; term++, place += wide)
            *place = is_zero   ? 0.0
                     : !tensor ? 1.0
                               : decoded(tensor->data.format, tensor->data.codes,
                                         start + given->offsets[array][term]);
        for (size_t term = from; !known && term < to; term++, place += wide) {
            ptrdiff_t index[DETMATH_MOST_DIMENSIONS], at;
            for (int i = 0; i < DETMATH_MOST_DIMENSIONS; i++)
                index[i] = base[i];
            add_index(given, TERM, term, array, index);
            *place = locate(given, array, index, &at)
                         ? decoded(tensor->data.format, tensor->data.codes, at)
                         : 0.0;
        }
    }
}

/* The first term after `from` where a scale may be another. */
static size_t segment_end(const struct contraction *given, size_t from) {
    for (size_t term = from + 1; term < given->sizes[TERM]; term++)
        for (int array = A; array <= B; array++) {
            ptrdiff_t here[DETMATH_MOST_DIMENSIONS] = {0}, there[DETMATH_MOST_DIMENSIONS] = {0};
            if (!given->arrays[array])
                continue;
            add_index(given, TERM, from, array, here);
            add_index(given, TERM, term, array, there);
            if (scale_index(given, array, here) != scale_index(given, array, there))
                return term;
        }
    return given->sizes[TERM];
}

static struct detmath_scaled_plan plan_at(const struct contraction *given, size_t batch, size_t row,
                                          size_t column, size_t term) {
    int is_power = given->arrays[C]->scales.format == DETMATH_POWERS;
    size_t count = given->sizes[TERM] < 1 ? 1 : given->sizes[TERM];
    struct detmath_scale a = scale_of(given, A, batch, ROW, row, term),
                         b = scale_of(given, B, batch, COLUMN, column, term);
    if (!given->mean)
        return detmath_scaled_plan_matmul(a, b, given->strategy, (detmath_u32)count, is_power);
    struct detmath_scaled_plan plan = detmath_scaled_plan_product(a, b);
    plan.a /= (double)count;
    return plan;
}

/* Whether plan b's scale is the larger. */
static int is_larger(struct detmath_scale a, struct detmath_scale b) {
    return b.e > a.e || (b.e == a.e && detmath_scale_m(b) > detmath_scale_m(a));
}

/* The plan of a whole sum: at the largest of the scales that its terms have, NaN where one is. */
static struct detmath_scaled_plan plan_of(const struct contraction *given, size_t batch, size_t row,
                                          size_t column) {
    struct detmath_scaled_plan whole = plan_at(given, batch, row, column, 0);
    for (size_t i = 0; i + 1 < given->segments; i++) {
        size_t term = given->ends[i];
        struct detmath_scaled_plan plan = plan_at(given, batch, row, column, term);
        double c = whole.c + plan.c;
        int zero = whole.zero_a || whole.zero_b, other = plan.zero_a || plan.zero_b;
        if (zero ? !other : !other && is_larger(whole.scale, plan.scale))
            whole = plan;
        if (c != c) {
            whole.c = c;
            whole.scale = detmath_scale_of(1.0f, 0);
        }
    }
    return whole;
}

enum { TALL = DETMATH_SCALED_TALL, WIDE = DETMATH_SCALED_WIDE };

/* One result. */
static struct detmath_scaled_line line_of(const struct contraction *given, const ptrdiff_t *index,
                                          ptrdiff_t stride) {
    const struct detmath_strided *data = &given->arrays[C]->data;
    ptrdiff_t at;
    locate(given, C, index, &at);
    return (struct detmath_scaled_line){
        (char *)data->codes + at * detmath_scaled_code_bytes(data->format), data->format, stride};
}

/* The loop of columns that is the fastest, along which results lie equally far apart. */
static const struct loop *fastest_columns(const struct contraction *given) {
    for (int i = given->count - 1; i >= 0; i--)
        if (given->loops[i].kind == COLUMN)
            return &given->loops[i];
    return NULL;
}

/* How many columns from this one on have one scale and lie along one line: those of the fastest loop that
 * are left, where scales do not vary along it, else 1. */
static size_t alike(const struct contraction *given, const struct loop *fastest, size_t column) {
    if (!fastest)
        return 1;
    int dimension = fastest->dimension[C];
    return dimension != NONE && given->places[C].block[dimension]
               ? 1
               : fastest->extent - column % fastest->extent;
}

enum pass { MEASURE, WRITE };

/* A row of sums as data; results of one scale have one plan. */
static void store(const struct contraction *given, enum pass pass, size_t batch, size_t row,
                  const double *sums) {
    const struct loop *fastest = fastest_columns(given);
    const size_t columns = given->sizes[COLUMN];
    const int dimension = fastest ? fastest->dimension[C] : NONE;
    const ptrdiff_t apart =
        dimension == NONE ? 0 : (ptrdiff_t)fastest->step[C] * given->places[C].stride[dimension];
    struct detmath_scaled_plan plan = {0};
    double *greatest = NULL;
    int known = 0;
    ptrdiff_t scale = 0;
    for (size_t column = 0, count; column < columns; column += count) {
        ptrdiff_t index[DETMATH_MOST_DIMENSIONS] = {0}, own;
        count = alike(given, fastest, column);
        add_index(given, BATCH, batch, C, index);
        add_index(given, ROW, row, C, index);
        add_index(given, COLUMN, column, C, index);
        own = scale_index(given, C, index);
        if (!known || own != scale) {
            plan = plan_of(given, batch, row, column);
            plan.a = given->segments > 1 ? 1.0 : plan.a;
            greatest = given->greatest ? given->greatest + scale_in(&given->dense, index) : NULL;
            if (pass == WRITE && greatest)
                plan = detmath_measured_plan(given->arrays[C], plan, *greatest);
            if (pass == WRITE)
                detmath_scaled_store_scale(&given->arrays[C]->scales, own, plan.scale);
            scale = own;
            known = 1;
        }
        if (pass == MEASURE) {
            if (plan.c == plan.c)
                *greatest = detmath_measured_greatest(*greatest, sums + column, count, plan.a);
            continue;
        }
        const struct detmath_scaled_line line = line_of(given, index, apart);
        detmath_best_level()->scaled_rows->finish(&line, sums + column, count, plan.a, plan.c,
                                                  given->cast);
    }
}

/* The sums of a tile of TALL rows and WIDE columns: of row i from i * columns on. */
static void run_tile(const struct contraction *given, size_t batch, size_t row, size_t column,
                     const double *a, const double *b, double *results) {
    double total[TALL * WIDE] = {0};
    const size_t all = given->sizes[COLUMN];
    size_t rows = given->sizes[ROW] - row, columns = given->sizes[COLUMN] - column;
    rows = rows < TALL ? rows : TALL;
    columns = columns < WIDE ? columns : WIDE;
    for (size_t segment = 0, from = 0; segment < given->segments; segment++) {
        double sums[TALL * WIDE] = {0};
        size_t to = given->ends[segment];
        detmath_best_level()->scaled_rows->multiply(sums, a + from * TALL, b + from * WIDE,
                                                    to - from);
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++) {
                double *at = &total[i * WIDE + j], sum = sums[i * WIDE + j];
                if (given->segments == 1) {
                    *at = sum;
                    continue;
                }
                struct detmath_scaled_plan whole = plan_of(given, batch, row + i, column + j),
                                           part = plan_at(given, batch, row + i, column + j, from);
                double ratio = detmath_scale_m(part.scale) / detmath_scale_m(whole.scale) *
                               detmath_scale_power((detmath_i64)part.scale.e - whole.scale.e);
                /* Of a scale of 0, zeros, or NaN where the other operand is no number. */
                *at =
                    part.zero_a || part.zero_b ? *at + sum : detmath_fma(sum * part.a, ratio, *at);
            }
        from = to;
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            results[i * all + column + j] = total[i * WIDE + j];
}

/* Rows first..last-1 of the result, of all batches together. Where scales are measured the sums of all
 * rows are kept until they are. */
static int run_rows(const struct contraction *given, size_t first, size_t last) {
    size_t rows = given->sizes[ROW], columns = given->sizes[COLUMN], terms = given->sizes[TERM];
    size_t panels = (columns + WIDE - 1) / WIDE, packed = (size_t)-1;
    const size_t kept = given->greatest ? given->sizes[BATCH] * rows : 0;
    const size_t from_row = kept ? 0 : first, to_row = kept ? kept : last;
    double *a = malloc((terms ? terms : 1) * TALL * sizeof *a);
    double *b = malloc((terms ? terms : 1) * panels * WIDE * sizeof *b);
    double *results = malloc((kept ? kept : TALL) * columns * sizeof *results);
    for (size_t at = from_row; a && b && results && at < to_row;) {
        size_t batch = at / rows, row = at % rows, end = to_row - at < TALL ? to_row - at : TALL;
        double *sums = results + (kept ? at * columns : 0);
        end = rows - row < end ? rows - row : end;
        for (size_t panel = 0; packed != batch && panel < panels; panel++)
            for (size_t i = 0, from = 0; i < given->segments; from = given->ends[i++])
                pack(given, B, COLUMN, batch, panel * WIDE, columns - panel * WIDE, from,
                     given->ends[i], WIDE, b + (panel * terms + from) * WIDE);
        packed = batch;
        for (size_t i = 0, from = 0; i < given->segments; from = given->ends[i++])
            pack(given, A, ROW, batch, row, end, from, given->ends[i], TALL, a + from * TALL);
        struct contraction part = *given;
        part.sizes[ROW] = row + end; /* no rows beyond */
        for (size_t panel = 0; panel < panels; panel++)
            run_tile(&part, batch, row, panel * WIDE, a, b + panel * terms * WIDE, sums);
        for (size_t i = 0; i < end; i++)
            store(given, kept ? MEASURE : WRITE, batch, row + i, sums + i * columns);
        at += end;
    }
    int good = a && b && results;
    for (size_t at = first; good && kept && at < last; at++)
        store(given, WRITE, at / rows, at % rows, results + at * columns);
    free(a);
    free(b);
    free(results);
    return good ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

static int find_offsets(struct contraction *given) {
    given->has_padding = 0;
    for (int i = 0; i < DETMATH_MOST_DIMENSIONS; i++)
        given->has_padding |= given->before[i] || given->every[i];
    for (int array = A; array <= B; array++) {
        ptrdiff_t *offsets = malloc((given->sizes[TERM] + 1) * sizeof *offsets);
        given->offsets[array] = offsets;
        for (size_t term = 0; offsets && given->arrays[array] && term < given->sizes[TERM];
             term++) {
            ptrdiff_t index[DETMATH_MOST_DIMENSIONS] = {0};
            add_index(given, TERM, term, array, index);
            offsets[term] = 0;
            for (int i = 0; i < given->arrays[array]->data.dimensions; i++)
                offsets[term] += index[i] * given->places[array].stride[i];
        }
        given->apart[array] = offsets && given->sizes[TERM] > 1 ? offsets[1] - offsets[0] : 0;
        given->is_line[array] = 1;
        for (size_t term = 1; offsets && term < given->sizes[TERM]; term++)
            given->is_line[array] &= offsets[term] - offsets[term - 1] == given->apart[array];
    }
    return given->offsets[A] && given->offsets[B];
}

int detmath_contraction_run(struct contraction *given, size_t first, size_t last) {
    size_t most;
    for (int kind = 0; kind < KINDS; kind++)
        given->sizes[kind] = 1;
    for (int i = 0; i < given->count; i++)
        given->sizes[given->loops[i].kind] *= given->loops[i].extent;
    for (int array = A; array <= C; array++)
        if (given->arrays[array])
            detmath_scaled_place(&given->places[array], given->arrays[array],
                                 given->arrays[array]->data.dimensions);
    most = given->sizes[BATCH] * given->sizes[ROW];
    last = last < most ? last : most;
    if (!given->sizes[COLUMN] || first >= last)
        return DETMATH_NO_TROUBLE;
    if (given->sizes[TERM] > (size_t)1 << 30)
        return DETMATH_TROUBLE_EXTENTS;
    given->ends = malloc((given->sizes[TERM] + 1) * sizeof *given->ends);
    if (!given->ends)
        return DETMATH_TROUBLE_MEMORY;
    given->segments = 0;
    do {
        size_t from = given->segments ? given->ends[given->segments - 1] : 0;
        given->ends[given->segments++] = given->sizes[TERM] ? segment_end(given, from) : 0;
    } while (given->ends[given->segments - 1] < given->sizes[TERM]);
    int trouble = DETMATH_TROUBLE_MEMORY;
    given->greatest = NULL;
    if (find_offsets(given) &&
        (given->strategy != DETMATH_SCALED_MEASURED || given->mean ||
         (given->greatest = detmath_measured_open(&given->dense, &given->places[C])) != NULL)) {
        uint64_t set = detmath_environment_enter();
        trouble = run_rows(given, first, last);
        detmath_environment_leave(set);
    }
    free(given->offsets[A]);
    free(given->offsets[B]);
    free(given->greatest);
    free(given->ends);
    return trouble;
}
