/* Exact results of calls on scaled arrays, from those of elements, lines and sums. */
#include "op/scaled/rows.h"

#include "detmath/scaled_arrays.h"

#include <stdlib.h>

/* Exact values of a call, one after the other. */
struct exact_run {
    struct scaled_call scaled;
    struct scaled_exact oracle;
    int precision;
    bool whole; /* scales as they are before they are rounded */
    uint64_t room;
    struct real *x, *w; /* of a line, a cell or a sum */
    struct scaled_scale *a, *b;
    int32_t *found;    /* of each scale of a rebalanced array, or of measured sums */
    int32_t *measured; /* room for those, until they are found */
};

/* The terms of a sum or the elements of a line; whether they have scales in several places. */
static bool gather(struct exact_run *run, uint64_t element) {
    const struct scaled_call *scaled = &run->scaled;
    const struct array *operands = scaled->call->operands;
    bool varies = false;
    uint64_t first[2];
    for (uint64_t i = 0; i < run->room; i++) {
        const struct scaled_term term = scaled_term_at(scaled, element, i);
        run->x[i] =
            term.is_padding[0] ? real_zero(false) : array_number(&operands[0], term.index[0]);
        for (int k = 0; k < 1 + scaled->facts->two; k++) {
            uint64_t place = scaled_place(scaled, k, term.index[k]);
            first[k] = i ? first[k] : place;
            varies = varies || place != first[k];
            (k ? run->b : run->a)[i] = scaled_scale_at(scaled, k, term.index[k]);
        }
        if (scaled->facts->two)
            run->w[i] =
                term.is_padding[1] ? real_zero(false) : array_number(&operands[2], term.index[1]);
    }
    return varies;
}

/* c, where one comes in, is a term more, for which there is room. */
static size_t gather_addend(struct exact_run *run, uint64_t element) {
    const struct array *c = array_addend(run->scaled.call);
    if (!c)
        return 0;
    run->x[run->room] = array_number(c, element);
    run->w[run->room] = real_power_of_two(0);
    run->a[run->room] = run->b[run->room] = (struct scaled_scale){1, 0, run->scaled.is_power};
    return 1;
}

static struct scaled_sum sum_of(struct exact_run *run, uint64_t element) {
    bool two = run->scaled.facts->two;
    bool varies = gather(run, element);
    const size_t plain = gather_addend(run, element);
    return (struct scaled_sum){
        .count = run->room + plain,
        .plain = plain,
        .x = run->x,
        .w = two ? run->w : NULL,
        .a = run->a,
        .b = two ? run->b : NULL,
        .divisor = run->scaled.divisor,
        .mean = run->scaled.operation == SCALED_MEAN,
        .varies = varies,
        .by = run->found ? run->found[scaled_result_place(&run->scaled, element)] : 0};
}

/* The n to rebalance each cell by. */
static void find_exponents(struct exact_run *run) {
    const struct scaled_call *scaled = &run->scaled;
    const struct array *data = &scaled->call->operands[0];
    const struct parameters *given = scaled->call->parameters;
    const bool squares = parameter_integer(given, PARAMETER_BY, 0) == DETMATH_SCALED_BY_SQUARES;
    const int32_t margin = (int32_t)parameter_integer(given, PARAMETER_MARGIN, 0);
    for (uint64_t place = 0; place < shape_elements(&scaled->result_scales); place++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < shape_elements(&scaled->result); i++)
            if (scaled_result_place(scaled, i) == place)
                run->x[count++] = array_number(data, i);
        run->found[place] = scaled_exact_find(
            run->x, count, scaled->call->results[SCALED_DATA].format, squares, margin);
    }
}

/* The n of each static scale that is measured: of the sums that count, rounded to 53 bits. */
static bool measure(struct exact_run *run, struct error *error) {
    const struct scaled_call *scaled = &run->scaled;
    const uint64_t count = shape_elements(&scaled->result);
    const struct format *to = scaled->call->results[SCALED_DATA].format;
    const struct format *double_format = &formats[FORMAT_FP64];
    struct real *sums = calloc(count + 1, sizeof *sums), *some = calloc(count + 1, sizeof *some);
    for (uint64_t i = 0; sums && some && i < count; i++) {
        struct scaled_sum sum = sum_of(run, i);
        sums[i] = scaled_exact_sum(&run->oracle, &sum, run->precision);
        sums[i] = format_decode(double_format, format_encode(double_format, &sums[i],
                                                             ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
        if (sums[i].kind == REAL_FINITE && (sums[i].exponent < -200 || sums[i].exponent >= 400))
            sums[i] = real_zero(false);
    }
    for (uint64_t place = 0; sums && some && place < shape_elements(&scaled->result_scales);
         place++) {
        uint64_t found = 0;
        for (uint64_t i = 0; i < count; i++)
            if (scaled_result_place(scaled, i) == place)
                some[found++] = sums[i];
        run->measured[place] = scaled_exact_find(some, found, to, false, 0);
    }
    bool good = sums && some;
    run->found = run->measured;
    free(sums);
    free(some);
    return good || error_set(error, "out of memory for an array");
}

static bool exact_element(struct exact_run *run, uint64_t element, struct real *data,
                          struct scaled_scale *scale, struct error *error) {
    const struct scaled_call *scaled = &run->scaled;
    const struct array *operands = scaled->call->operands;
    uint64_t index = scaled_data_index(scaled, 0, element);
    struct real x = array_number(&operands[0], index), w = x;
    struct scaled_scale a = scaled_scale_at(scaled, 0, index), b = a;
    int32_t n = run->found ? run->found[scaled_result_place(scaled, element)] : 0;
    if (scaled->facts->two) {
        index = scaled_data_index(scaled, 1, element);
        w = array_number(&operands[2], index);
        b = scaled_scale_at(scaled, 1, index);
    }
    const struct real scalar = scaled->scalar >= 0 ? scaled_scalar(scaled) : real_zero(false);
    bool counts =
        scalar.kind == REAL_FINITE && a.m - a.m == 0 && b.m - b.m == 0 && a.m != 0 && b.m != 0;
    if (counts) {
        struct scaled_scale at;
        const struct real y =
            scaled_exact_scalar(&run->oracle, &x, a, &w, b, &scalar, run->precision, &at);
        if (scale)
            *scale = at;
        if (data)
            *data = y;
        return true;
    }
    if (scale)
        *scale = scaled_exact_scale(&run->oracle, scaled->facts, a, b, 1, n);
    return !data || scaled_exact_element(&run->oracle, scaled->facts, &x, a, &w, b, n,
                                         run->precision, data, error);
}

/* Of what comes back to a line: its scale without its sign. */
static struct real scale_back(const struct exact_run *run) {
    struct scaled_scale b = run->b[0];
    float m = b.m - b.m != 0 || b.m == 0 ? 1 : b.m < 0 ? -b.m : b.m;
    return scaled_scale_number((struct scaled_scale){m, b.e, b.is_power});
}

/* Lines that stay lines, of softmax and backward: the data, or where they are NULL the scales. */
static bool exact_lines(struct exact_run *run, struct real *data, struct real *scales,
                        struct error *error) {
    const struct scaled_call *scaled = &run->scaled;
    bool found = true;
    struct real *line = calloc(run->room, sizeof *line);
    if (!line)
        return error_set(error, "out of memory for an array");
    for (uint64_t i = 0; found && i < shape_elements(&scaled->lines); i++) {
        gather(run, i);
        if (scaled->operation == SCALED_SOFTMAX)
            found = scaled_exact_softmax(&run->oracle, run->x, run->room, run->a[0], run->precision,
                                         data ? line : NULL, scales ? &scales[i] : NULL, error);
        else if (data)
            found =
                scaled_exact_line_gradient(&run->oracle, scaled->operation, run->x, run->a, run->w,
                                           run->b[0], run->room, run->precision, line, error);
        else
            scales[scaled_result_place(scaled, scaled_term_at(scaled, i, 0).index[0])] =
                scale_back(run);
        for (uint64_t k = 0; data && k < run->room; k++)
            data[scaled_term_at(scaled, i, k).index[0]] = line[k];
    }
    free(line);
    return found;
}

static bool exact_values(struct exact_run *run, struct real *data, struct real *scales,
                         struct error *error) {
    const struct scaled_call *scaled = &run->scaled;
    const enum scaled_operation operation = scaled->operation;
    bool found = true;
    if (operation == SCALED_SOFTMAX || scaled_is_line_gradient(scaled->facts))
        return exact_lines(run, data, scales, error);
    if (scaled->facts->layout == SCALED_BY_CELL)
        find_exponents(run);
    if (run->measured)
        found = measure(run, error);
    for (uint64_t i = 0; found && i < shape_elements(&scaled->result); i++) {
        struct scaled_scale scale;
        if (operation == SCALED_REDUCE_MAX) {
            gather(run, i);
            scale = scaled_exact_largest(&run->oracle, run->x, run->a, run->room, run->precision,
                                         data ? &data[i] : NULL);
        } else if (scaled->facts->layout == SCALED_BY_LINE ||
                   scaled->facts->layout == SCALED_BY_PRODUCT) {
            struct scaled_sum sum = sum_of(run, i);
            scale = scaled_exact_sum_scale(&run->oracle, &sum);
            if (data)
                data[i] = scaled_exact_sum(&run->oracle, &sum, run->precision);
        } else
            found = exact_element(run, i, data ? &data[i] : NULL, &scale, error);
        if (scales)
            scales[scaled_result_place(scaled, i)] =
                run->whole ? run->oracle.whole : scaled_scale_number(scale);
    }
    return found;
}

static bool find_exact(const struct array_call *call, int result, int precision, bool whole,
                       struct real *y, struct error *error) {
    struct exact_run run = {.scaled = scaled_call_of(call), .precision = precision, .whole = whole};
    const bool cells = run.scaled.facts->layout == SCALED_BY_CELL,
               measured = scaled_is_measured(call->parameters);
    const uint64_t places = shape_elements(&run.scaled.result_scales);
    run.room = run.scaled.facts->layout == SCALED_BY_ELEMENT ? 1
               : cells                                       ? shape_elements(&run.scaled.result)
                                                             : scaled_term_count(&run.scaled);
    run.x = calloc(run.room + 1, sizeof *run.x);
    run.w = calloc(run.room + 1, sizeof *run.w);
    run.a = calloc(run.room + 1, sizeof *run.a);
    run.b = calloc(run.room + 1, sizeof *run.b);
    if (cells)
        run.found = calloc(places, sizeof *run.found);
    if (measured)
        run.measured = calloc(places, sizeof *run.measured);
    bool found =
        run.x && run.w && run.a && run.b && (run.found || !cells) && (run.measured || !measured)
            ? true
            : error_set(error, "out of memory for an array");
    scaled_exact_open(&run.oracle);
    if (found)
        found = exact_values(&run, result == SCALED_DATA ? y : NULL,
                             result == SCALED_SCALE ? y : NULL, error);
    scaled_exact_close(&run.oracle);
    free(run.x);
    free(run.w);
    free(run.a);
    free(run.b);
    if (cells)
        free(run.found);
    free(run.measured);
    return found;
}

bool scaled_exact(const struct array_call *call, int result, int precision, struct real *y,
                  struct error *error) {
    return find_exact(call, result, precision, false, y, error);
}

bool scaled_unrounded(const struct array_call *call, int result, int precision, struct real *y,
                      struct error *error) {
    return find_exact(call, result, precision, true, y, error);
}
