/* Runs a table of loops: terms are packed as doubles, and one kernel multiplies them. */
#include "scaled_contraction.h"

#include "environment.h"
#include "kernels.h"
#include "scaled_kernels.h"

#include <stdlib.h>
#include <string.h>

/* Rows of doubles lie a line of the cache further apart than they are long, or the rows of a tile would be in each
 * other's way there. */
enum {
    TALL = DETMATH_SCALED_TALL,
    WIDE = DETMATH_SCALED_WIDE,
    SPARE = 8,
    GROUP = 64,     /* rows, of whole tiles */
    NEAR = 1 << 16, /* doubles that the caches next to a processor hold */
    LINE = 64       /* bytes */
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Rows or columns, rounded up to whole tiles of so many. */
static size_t whole_tiles(size_t count, size_t tile) {
    return (count + tile - 1) / tile * tile;
}

void detmath_contraction_add(struct contraction *given, int kind, size_t extent, int a,
                             size_t a_step, int b, size_t b_step, int c, size_t c_step) {
    given->loops[given->count++] = (struct loop){kind, extent, {a, b, c}, {a_step, b_step, c_step}};
}

static struct detmath_scaled_plan plan_at(const struct contraction *given, size_t batch, size_t row,
                                          size_t column, size_t term) {
    int is_power = given->arrays[C]->scales.format == DETMATH_POWERS;
    const size_t count = given->sizes[TERM] < 1 ? 1 : given->sizes[TERM];
    struct detmath_scale a = detmath_contraction_scale(given, A, batch, ROW, row, term),
                         b = detmath_contraction_scale(given, B, batch, COLUMN, column, term);
    if (!given->mean)
        return detmath_scaled_plan_matmul(a, b, given->strategy, (detmath_u32)count, is_power);
    struct detmath_scaled_plan plan = detmath_scaled_plan_product(a, b);
    plan.a /= (double)given->sizes[TERM]; /* of none it is 0/0 */
    return plan;
}

/* Whether the static scale is a number, and one that scales which are powers of two can take up. */
static int has_static(const struct contraction *given) {
    const detmath_u32 count = given->sizes[TERM] < 1 ? 1 : (detmath_u32)given->sizes[TERM];
    const int is_power = given->arrays[C]->scales.format == DETMATH_POWERS;
    if (given->mean)
        return 1;
    if (given->strategy > DETMATH_SCALED_STATIC_POWER_DOWN &&
        given->strategy < DETMATH_SCALED_STATIC_OWN)
        return 0;
    return !is_power || !(detmath_bits_f32(detmath_scaled_static(given->strategy, count)) << 9);
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

/* One result. */
static struct detmath_scaled_line line_of(const struct contraction *given, const ptrdiff_t *index,
                                          ptrdiff_t stride) {
    const struct detmath_strided *data = &given->arrays[C]->data;
    ptrdiff_t at;
    detmath_contraction_locate(given, C, index, &at);
    return (struct detmath_scaled_line){(char *)data->codes +
                                            at * (ptrdiff_t)detmath_format_bytes(data->format),
                                        data->format, stride, given->arrays[C]->status};
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

/* What results of one scale have in common, from row to row. */
struct common {
    int known;
    ptrdiff_t scale; /* where it is */
    struct detmath_scaled_plan plan;
    double *greatest;
};

static void settle_common(struct common *common, const struct contraction *given, enum pass pass,
                          size_t batch, size_t row, size_t column, const ptrdiff_t *index) {
    common->plan = plan_of(given, batch, row, column);
    common->plan.a = given->segments > 1 ? 1.0 : common->plan.a;
    common->greatest = given->greatest
                           ? given->greatest + detmath_contraction_scale_at(&given->dense, index)
                           : NULL;
    if (pass == WRITE && common->greatest)
        common->plan = detmath_measured_plan(given->arrays[C], common->plan, *common->greatest);
    if (pass == WRITE)
        detmath_scaled_store_scale(&given->arrays[C]->scales, common->scale, common->plan.scale);
    common->known = 1;
}

/* A row of sums as data. */
static void store(const struct contraction *given, enum pass pass, size_t batch, size_t row,
                  const double *sums, struct common *common) {
    const struct loop *fastest = fastest_columns(given);
    const size_t columns = given->sizes[COLUMN];
    const int dimension = fastest ? fastest->dimension[C] : NONE;
    const ptrdiff_t apart =
        dimension == NONE ? 0 : (ptrdiff_t)fastest->step[C] * given->places[C].stride[dimension];
    for (size_t column = 0, count; column < columns; column += count) {
        ptrdiff_t index[DETMATH_MOST_DIMENSIONS] = {0}, own;
        count = alike(given, fastest, column);
        detmath_contraction_add_index(given, BATCH, batch, C, index);
        detmath_contraction_add_index(given, ROW, row, C, index);
        detmath_contraction_add_index(given, COLUMN, column, C, index);
        own = detmath_contraction_scale_at(&given->places[C], index);
        if (!common->known || own != common->scale) {
            common->scale = own;
            settle_common(common, given, pass, batch, row, column, index);
        }
        const struct detmath_scaled_plan *plan = &common->plan;
        if (pass == MEASURE) {
            if (plan->c == plan->c)
                *common->greatest =
                    detmath_measured_greatest(*common->greatest, sums + column, count, plan->a);
            continue;
        }
        const struct detmath_scaled_line line = line_of(given, index, apart);
        detmath_best_level()->scaled_rows->finish(&line, sums + column, count, plan->a, plan->c,
                                                  given->cast);
    }
}

/* What a run of terms with scales of its own adds to a whole sum. */
static double added(const struct contraction *given, size_t batch, size_t row, size_t column,
                    size_t from, double sum, double to) {
    struct detmath_scaled_plan whole = plan_of(given, batch, row, column),
                               part = plan_at(given, batch, row, column, from);
    double ratio = detmath_scale_m(part.scale) / detmath_scale_m(whole.scale) *
                   detmath_scale_power((detmath_i64)part.scale.e - whole.scale.e);
    /* Of a scale of 0, zeros, or NaN where the other operand is no number. */
    return part.zero_a || part.zero_b ? to + sum : detmath_fma(sum * part.a, ratio, to);
}

/* The end of a run of terms: those of one scale, and of one scale in all some at a time, so that a's stay in the nearest
 * cache for all of b. */
static size_t run_end(const struct contraction *given, size_t from, size_t *segment) {
    enum { DEEP = 512 };
    return given->segments == 1 ? least(from + DEEP, given->sizes[TERM])
                                : given->ends[(*segment)++];
}

/* Columns that lie beside each other in b: those of a tile, or the only one there is. */
static size_t wide_of(const struct contraction *given) {
    return given->sizes[COLUMN] == 1 ? 1 : WIDE;
}

static void multiply(const struct contraction *given, double *sums, size_t apart, size_t rows,
                     size_t columns, const double *a, const double *b, size_t terms) {
    const struct detmath_scaled_row_kernels *kernels = detmath_best_level()->scaled_rows;
    if (wide_of(given) == 1)
        kernels->multiply_column(sums, apart, rows, a, terms + SPARE, b, terms);
    else
        kernels->multiply(sums, apart, a, terms + SPARE, b, terms, columns);
}

/* Adds the terms from..to-1, all of one run, to the sums of a tile: those of row i from i * apart on. */
static void run_tile(const struct contraction *given, size_t batch, size_t row, size_t rows,
                     size_t column, size_t from, size_t to, const double *a, const double *b,
                     double *results, size_t apart) {
    const size_t columns = least(WIDE, given->sizes[COLUMN] - column);
    if (given->segments == 1) {
        multiply(given, results, apart, rows, columns, a, b, to - from);
        return;
    }
    double sums[TALL * WIDE] = {0};
    multiply(given, sums, WIDE, rows, columns, a, b, to - from);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            results[i * apart + j] = added(given, batch, row + i, column + j, from,
                                           sums[i * WIDE + j], results[i * apart + j]);
}

/* The sums of `rows` rows from `row` on, at most GROUP. A tile of b serves all of them before the next one is read: all of
 * b may be more than the caches next to a processor hold. */
static void run_group(const struct contraction *given, size_t batch, size_t row, size_t rows,
                      double *a, const double *b, double *sums, size_t apart) {
    const size_t columns = given->sizes[COLUMN], terms = given->sizes[TERM], wide = apart - SPARE;
    memset(sums, 0, whole_tiles(rows, TALL) * apart * sizeof *sums);
    for (size_t i = 0, from = 0, to; from < terms; from = to) {
        to = run_end(given, from, &i);
        const size_t long_row = to - from + SPARE;
        for (size_t at = 0, count; at < rows; at += count) {
            count = least(TALL, rows - at);
            detmath_contraction_pack(given, A, ROW, batch, row + at, count, from, to,
                                     wide_of(given) == 1 ? count : TALL, long_row, 1,
                                     a + at * long_row);
        }
        for (size_t column = 0; column < columns; column += WIDE)
            for (size_t at = 0; at < rows; at += TALL)
                run_tile(given, batch, row + at, least(TALL, rows - at), column, from, to,
                         a + at * long_row, b + from * wide + column * (to - from),
                         sums + at * apart + column, apart);
    }
}

/* The most terms in a run. */
static size_t longest_run(const struct contraction *given) {
    size_t longest = 1;
    for (size_t i = 0, from = 0, to; from < given->sizes[TERM]; from = to) {
        to = run_end(given, from, &i);
        longest = to - from > longest ? to - from : longest;
    }
    return longest;
}

/* Where a line of the cache begins in what malloc(bytes + LINE) gave: loads of whole vectors that lie across two lines take
 * twice as long. */
static double *line_in(void *memory) {
    return memory ? (double *)(((uintptr_t)memory + LINE - 1) / LINE * LINE) : NULL;
}

static void pack_columns(const struct contraction *given, size_t batch, size_t wide, double *b) {
    const size_t columns = given->sizes[COLUMN], terms = given->sizes[TERM];
    for (size_t i = 0, from = 0, to; from < terms; from = to) {
        to = run_end(given, from, &i);
        for (size_t column = 0; column < columns; column += WIDE)
            detmath_contraction_pack(given, B, COLUMN, batch, column, columns - column, from, to,
                                     wide_of(given), 1, wide_of(given),
                                     b + from * wide + column * (to - from));
    }
}

/* Rows first..last-1 of the result, of all batches together. Where scales are measured the sums of all
 * rows are kept until they are. */
static int run_rows(const struct contraction *given, size_t first, size_t last) {
    const size_t rows = given->sizes[ROW], room = given->sizes[TERM] ? given->sizes[TERM] : 1;
    const size_t kept = given->greatest ? given->sizes[BATCH] * rows : 0;
    const size_t from_row = kept ? 0 : first, to_row = kept ? kept : last;
    const size_t wide = whole_tiles(given->sizes[COLUMN], wide_of(given)), apart = wide + SPARE;
    const size_t group = room * wide < NEAR ? TALL : least(GROUP, whole_tiles(rows, TALL));
    size_t packed = (size_t)-1;
    struct common common = {0};
    void *const memory[] = {malloc((longest_run(given) + SPARE) * group * sizeof(double) + LINE),
                            malloc(room * wide * sizeof(double) + LINE),
                            malloc((kept + group) * apart * sizeof(double) + LINE)};
    double *a = line_in(memory[0]), *b = line_in(memory[1]), *results = line_in(memory[2]);
    const int good = a && b && results;
    for (size_t at = from_row, count; good && at < to_row; at += count) {
        const size_t batch = at / rows, row = at % rows;
        double *sums = results + (kept ? at * apart : 0);
        count = least(group, least(to_row - at, rows - row));
        if (packed != batch)
            pack_columns(given, batch, wide, b);
        packed = batch;
        run_group(given, batch, row, count, a, b, sums, apart);
        for (size_t i = 0; i < count; i++)
            store(given, kept ? MEASURE : WRITE, batch, row + i, sums + i * apart, &common);
    }
    common.known &= !kept; /* only now */
    for (size_t at = first; good && kept && at < last; at++)
        store(given, WRITE, at / rows, at % rows, results + at * apart, &common);
    for (int i = 0; i < 3; i++)
        free(memory[i]);
    return good ? DETMATH_NO_TROUBLE : DETMATH_TROUBLE_MEMORY;
}

/* A product that is too large is SIZE_MAX. */
static size_t times(size_t a, size_t b) {
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

static void count_sizes(struct contraction *given) {
    for (int kind = 0; kind < KINDS; kind++)
        given->sizes[kind] = 1;
    for (int i = 0; i < given->count; i++)
        given->sizes[given->loops[i].kind] =
            times(given->sizes[given->loops[i].kind], given->loops[i].extent);
}

/* The scales of a result without elements, which data have no part in: as if it had one for each scale. */
static void store_scales(struct contraction *given) {
    struct common common = {0};
    for (int i = 0; i < given->count; i++) {
        struct loop *loop = &given->loops[i];
        if (loop->kind == TERM || loop->dimension[C] == NONE)
            continue;
        const size_t scales = detmath_scale_extent(given->arrays[C], loop->dimension[C]);
        if (!loop->extent || scales == 1)
            loop->extent = scales;
    }
    count_sizes(given);
    const size_t rows = given->sizes[ROW], columns = given->sizes[COLUMN];
    for (size_t at = 0; at < given->sizes[BATCH] * rows * columns; at++) {
        const size_t batch = at / columns / rows, row = at / columns % rows, column = at % columns;
        ptrdiff_t index[DETMATH_MOST_DIMENSIONS] = {0};
        detmath_contraction_add_index(given, BATCH, batch, C, index);
        detmath_contraction_add_index(given, ROW, row, C, index);
        detmath_contraction_add_index(given, COLUMN, column, C, index);
        common.scale = detmath_contraction_scale_at(&given->places[C], index);
        settle_common(&common, given, WRITE, batch, row, column, index);
    }
}

int detmath_contraction_run(struct contraction *given, size_t first, size_t last) {
    count_sizes(given);
    for (int array = A; array <= C; array++) {
        const struct detmath_scaled_tensor *tensor = given->arrays[array];
        if (!tensor)
            continue;
        detmath_scaled_place(&given->places[array], tensor, tensor->data.dimensions);
        for (int i = 0; i < tensor->scales.dimensions; i++)
            given->lacks_scales[array] |= !tensor->scales.extents[i];
    }
    int trouble =
        detmath_scaled_check_overlap(given->arrays[C], given->arrays[A], given->arrays[B],
                                     DETMATH_SCALED_WRITES_DATA | DETMATH_SCALED_WRITES_SCALES);
    const size_t most = given->sizes[BATCH] * given->sizes[ROW];
    const int is_empty = !most || !given->sizes[COLUMN];
    last = last < most ? last : most;
    if (trouble || (!is_empty && first >= last))
        return trouble;
    if (given->sizes[TERM] > (size_t)1 << 30)
        return DETMATH_TROUBLE_COUNT;
    if (!has_static(given))
        return DETMATH_TROUBLE_STATIC;
    given->greatest = NULL;
    trouble = DETMATH_TROUBLE_MEMORY;
    if (!detmath_contraction_find_runs(given))
        return trouble;
    if (is_empty) {
        uint64_t set = detmath_environment_enter();
        store_scales(given);
        detmath_environment_leave(set);
        trouble = DETMATH_NO_TROUBLE;
    } else if (detmath_contraction_find_offsets(given) &&
               (given->strategy != DETMATH_SCALED_MEASURED || given->mean ||
                (given->greatest = detmath_measured_open(&given->dense, &given->places[C])) !=
                    NULL)) {
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
