/* Rows of scaled arrays, in the orders that scaled_arrays.h writes down, for one instruction set:
 * compiled several times, with DETMATH_LEVEL naming the table. What follows from one element alone
 * is computed a strip at a time, in vectors; what is added up is added in order. */
#include "kernels.h"
#include "scaled_kernels.h"
#include "scaled_strips.h"
#include "scaled_tiles.h"

/* Elements from `at` on. */
static inline void load(double *restrict x, const struct detmath_scaled_line *line, size_t at,
                        size_t count) {
    scaled_load(x, line->format, line->codes, (ptrdiff_t)at * line->stride, count, line->stride);
}

/* The order does not matter: the larger of two is one of them, and a NaN stays. */
DETMATH_FLATTENED static double row_largest(const struct detmath_scaled_line *a, size_t n,
                                            const struct detmath_scaled_plan *given) {
    const struct detmath_scaled_plan plan = *given;
    double x[SCALED_STRIP], best[SCALED_LANES];
    if (plan.zero_a)
        return 0.0 / plan.c;
    load(x, a, 0, 1);
    for (size_t lane = 0; lane < SCALED_LANES; lane++)
        best[lane] = plan.a * x[0];
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n), lanes = scaled_strip_lanes(count);
        load(x, a, at, count);
        for (size_t i = count; i < lanes; i++)
            x[i] = x[0];
        for (size_t i = 0; i < lanes; i += SCALED_LANES)
            for (size_t lane = 0; lane < SCALED_LANES; lane++)
                best[lane] = detmath_scaled_larger(best[lane], plan.a * x[i + lane]);
    }
    for (size_t lane = 1; lane < SCALED_LANES; lane++)
        best[0] = detmath_scaled_larger(best[0], best[lane]);
    return best[0] / plan.c;
}

static void row_store(const struct detmath_scaled_line *c, double y,
                      const struct detmath_cast *cast) {
    const double values[SCALED_LANES] = {y};
    scaled_store_line(c, 0, values, 1, cast);
}

DETMATH_FLATTENED static void powers(double *restrict x, size_t lanes, double best,
                                     struct detmath_scaled_plan plan,
                                     enum detmath_scaled_compute compute) {
    for (size_t i = 0; compute == DETMATH_SCALED_F32 && i < lanes; i++)
        x[i] = detmath_scaled_softmax_element(x[i], best, plan, DETMATH_SCALED_F32);
    for (size_t i = 0; compute == DETMATH_SCALED_F16 && i < lanes; i++)
        x[i] = detmath_scaled_softmax_element(x[i], best, plan, DETMATH_SCALED_F16);
}

/* Powers are computed twice, so that no row is too long to be kept. */
static float row_softmax(const struct detmath_scaled_line *c, const struct detmath_scaled_line *a,
                         size_t n, const struct detmath_scaled_plan *plan,
                         enum detmath_scaled_compute compute, const struct detmath_cast *cast) {
    double best = row_largest(a, n, plan) * plan->a, x[SCALED_STRIP];
    double sums[SCALED_LANES] = {0}, unused;
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n), lanes = scaled_strip_lanes(count);
        load(x, a, at, count);
        powers(x, lanes, best, *plan, compute);
        for (size_t i = count; i < lanes; i++)
            x[i] = 0.0; /* and a sum of powers, which is never -0, stays as it is */
        for (size_t i = 0; i < lanes; i += SCALED_LANES)
            for (size_t lane = 0; lane < SCALED_LANES; lane++)
                sums[lane] += x[i + lane];
    }
    double sum =
        ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n), lanes = scaled_strip_lanes(count);
        load(x, a, at, count);
        powers(x, lanes, best, *plan, compute);
        for (size_t i = 0; i < lanes; i++)
            x[i] = sum != sum ? sum : x[i];
        scaled_store_line(c, (ptrdiff_t)at * c->stride, x, count, cast);
    }
    return sum != sum ? 1.0f : detmath_scale_round(1.0 / sum, 0, &unused).m;
}

static uint32_t row_dot(int format, const void *a, const void *b, size_t k, size_t stride,
                        const struct detmath_scaled_plan *plan) {
    double sum = 0, x[SCALED_STRIP], y[SCALED_STRIP];
    for (size_t at = 0; at < k; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, k);
        scaled_load(x, format, a, (ptrdiff_t)at, count, 1);
        scaled_load(y, format, b, (ptrdiff_t)(at * stride), count, (ptrdiff_t)stride);
        for (size_t i = 0; i < count; i++)
            sum = detmath_fma(plan->zero_a ? 0.0 : x[i], plan->zero_b ? 0.0 : y[i], sum);
    }
    return detmath_scaled_encode(sum * plan->a / plan->c, detmath_formats[format]);
}

/* Whether the lines' values of each term lie beside each other. */
static int lie_abreast(const struct detmath_scaled_line *lines, size_t count) {
    for (size_t i = 1; i < count; i++)
        if ((char *)lines[i].codes !=
            (char *)lines[0].codes + i * (size_t)scaled_code_bytes(lines[0].format))
            return 0;
    return count > 1;
}

/* One line of fp32 to numbers that lie beside each other. */
static inline void unpack_line(double *restrict packed, const uint32_t *restrict codes,
                               size_t count) {
    for (size_t i = 0; i < count; i++)
        packed[i] = (double)detmath_from_bits_f32(codes[i]);
}

/* Lines of fp32 that lie abreast, as many as a tile has: what scaled_load() does, without asking anew for each term. */
DETMATH_FLATTENED static void unpack_tile(double *restrict packed, size_t term_step,
                                          const struct detmath_scaled_line *line, size_t terms) {
    const uint32_t *codes = (const uint32_t *)line->codes;
    for (size_t i = 0; i < terms; i++, packed += term_step, codes += line->stride)
        unpack_line(packed, codes, DETMATH_SCALED_WIDE);
}

/* Where the values of a term lie beside each other before and after, term by term; else line by line. */
DETMATH_FLATTENED static void row_unpack(double *packed, size_t line_step, size_t term_step,
                                         const struct detmath_scaled_line *lines, size_t count,
                                         size_t terms) {
    double x[SCALED_STRIP];
    if (line_step == 1 && count <= SCALED_STRIP && lie_abreast(lines, count)) {
        if (count == DETMATH_SCALED_WIDE && lines[0].format == DETMATH_F32) {
            unpack_tile(packed, term_step, lines, terms);
            return;
        }
        for (size_t i = 0; i < terms; i++, packed += term_step) {
            double *place = count % SCALED_LANES ? x : packed;
            scaled_load(place, lines[0].format, lines[0].codes, (ptrdiff_t)i * lines[0].stride,
                        count, 1);
            for (size_t lane = 0; place == x && lane < count; lane++)
                packed[lane] = x[lane];
        }
        return;
    }
    for (size_t lane = 0; lane < count; lane++) {
        if (lines[lane].format == DETMATH_F32 && lines[lane].stride == 1 && term_step == 1) {
            unpack_line(packed + lane * line_step, (const uint32_t *)lines[lane].codes, terms);
            continue;
        }
        for (size_t at = 0; at < terms; at += SCALED_STRIP) {
            const size_t some = scaled_strip_count(at, terms);
            double *place = packed + lane * line_step + at * term_step;
            load(x, &lines[lane], at, some);
            for (size_t i = 0; i < some; i++)
                place[i * term_step] = x[i];
        }
    }
}

/* What scaled_store_line() does, in one pass. */
static inline void finish_line(uint32_t *restrict codes, const double *restrict sums, size_t n,
                               double factor) {
    const uint32_t nan = detmath_formats[DETMATH_F32].nan;
    for (size_t i = 0; i < n; i++) {
        const double y = sums[i] * factor;
        codes[i] = y != y ? nan : detmath_bits_f32((float)y);
    }
}

DETMATH_FLATTENED static void row_finish(const struct detmath_scaled_line *c, const double *sums,
                                         size_t n, double factor, double divisor,
                                         const struct detmath_cast *cast) {
    double y[SCALED_STRIP];
    if (c->format == DETMATH_F32 && c->stride == 1 && divisor == 1.0 && !cast && !c->status) {
        finish_line((uint32_t *)c->codes, sums, n, factor);
        return;
    }
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n), lanes = scaled_strip_lanes(count);
        for (size_t i = 0; i < lanes; i++)
            y[i] = i < count ? sums[at + i] : 0.0;
        for (size_t i = 0; divisor != 1.0 && i < lanes; i++)
            y[i] = y[i] * factor / divisor;
        for (size_t i = 0; divisor == 1.0 && i < lanes; i++)
            y[i] *= factor;
        scaled_store_line(c, (ptrdiff_t)at * c->stride, y, count, cast);
    }
}

static void tile_multiply(double *sums, size_t apart, const double *a, size_t a_apart,
                          const double *b, size_t terms, size_t columns) {
    for (size_t i = 0; i < DETMATH_SCALED_TALL; i += PART_TALL)
        for (size_t j = 0; j < columns; j += PART_VECTORS * PART_LANES)
            part_multiply(sums + i * apart + j, apart, a + i * a_apart, a_apart, b + j, terms,
                          columns - j);
}

/* Rows side by side, since each step of one waits for the step before. */
DETMATH_FLATTENED static void column_multiply(double *sums, size_t apart, size_t rows,
                                              const double *a, size_t a_apart, const double *b,
                                              size_t terms) {
    enum { TALL = DETMATH_SCALED_TALL };
    double held[TALL];
    for (size_t i = 0; rows == TALL && i < TALL; i++)
        held[i] = sums[i * apart];
    for (size_t k = 0; rows == TALL && k < terms; k++)
        for (size_t i = 0; i < TALL; i++)
            held[i] = detmath_fma(a[i * a_apart + k], b[k], held[i]);
    for (size_t i = 0; rows == TALL && i < TALL; i++)
        sums[i * apart] = held[i];
    for (size_t i = 0; rows != TALL && i < rows; i++) {
        double sum = sums[i * apart];
        for (size_t k = 0; k < terms; k++)
            sum = detmath_fma(a[i * a_apart + k], b[k], sum);
        sums[i * apart] = sum;
    }
}

static double squared_error(int to, int format, const void *a, size_t n, int exponent) {
    const struct detmath_format target = detmath_formats[to];
    const double most = detmath_decode(target.max_finite, target);
    const double down = detmath_scale_power(-exponent), up = detmath_scale_power(exponent);
    double sum = 0, x[SCALED_STRIP];
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n), lanes = scaled_strip_lanes(count);
        scaled_load(x, format, a, (ptrdiff_t)at, count, 1);
        for (size_t i = 0; i < lanes; i++) {
            double magnitude = detmath_scaled_magnitude(x[i] * down);
            double kept = detmath_scaled_decode(detmath_scaled_encode(magnitude, target), target);
            kept = magnitude > most ? most : kept;
            x[i] = magnitude - magnitude == 0.0 ? (magnitude - kept) * up : 0.0;
        }
        for (size_t i = 0; i < count; i++)
            sum = detmath_fma(x[i], x[i], sum);
    }
    return sum;
}

static double greatest_magnitude(int format, const void *a, size_t n) {
    double greatest = 0, x[SCALED_STRIP];
    for (size_t at = 0; at < n; at += SCALED_STRIP) {
        size_t count = scaled_strip_count(at, n);
        scaled_load(x, format, a, (ptrdiff_t)at, count, 1);
        for (size_t i = 0; i < count; i++) {
            double magnitude = detmath_scaled_magnitude(x[i]);
            greatest = magnitude - magnitude == 0.0 && magnitude > greatest ? magnitude : greatest;
        }
    }
    return greatest;
}

static int row_find(int to, int format, const void *a, size_t n,
                    enum detmath_scaled_target target) {
    enum { BELOW = 24 };
    double greatest = greatest_magnitude(format, a, n);
    if (greatest == 0.0)
        return 0;
    const struct detmath_format row = detmath_formats[to];
    int most = detmath_scaled_least_exponent(greatest, detmath_decode(row.max_finite, row)),
        best = most;
    if (target == DETMATH_SCALED_BY_MAXIMUM)
        return most;
    double least = squared_error(to, format, a, n, most);
    for (int exponent = most - 1; exponent >= most - BELOW; exponent--) {
        double error = squared_error(to, format, a, n, exponent);
        if (error < least) {
            least = error;
            best = exponent;
        }
    }
    return best;
}

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_scaled_row_kernels JOIN(detmath_scaled_rows_level_, DETMATH_LEVEL);
const struct detmath_scaled_row_kernels JOIN(detmath_scaled_rows_level_, DETMATH_LEVEL) = {
    row_largest,   row_store,       row_softmax, row_dot,  row_unpack,
    tile_multiply, column_multiply, row_finish,  row_find, greatest_magnitude};
