/* Running an algorithm: slices out of arrays, cast and widened; results rounded and put back. */
#include "op/array/algorithms.h"

#include "base/placed.h"
#include "op/array/slices.h"

#include <stdlib.h>
#include <string.h>

bool provides_nearest(const struct array_call *call, struct error *why) {
    if (call->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "arrays are rounded to nearest-even only");
    return true;
}

/* What a run needs to know, and room for a slice of each operand and of the result. */
struct slice_run {
    const struct array_call *call;
    const struct slice_function *function;
    const struct format *format;   /* of the results, to which operands are cast */
    const struct format *computed; /* fp32 or fp64 */
    double_slices *narrow; /* in arithmetic of a narrow format, with numbers of fp64; or NULL */
    bool odd;              /* y is double, rounded to odd */
    size_t before;         /* 1 where c is the first term, which stands before those of a slice */
    uint64_t *codes;
    void *x, *w, *y;
    void *room[3]; /* of these, to be freed */
};

/* Its arithmetic in a narrow format; NULL where it has none, or that is no narrow one. */
static double_slices *narrow_of(const struct slice_function *function,
                                const struct format *accumulation) {
    return accumulation == &formats[FORMAT_FP16]   ? function->fp16
           : accumulation == &formats[FORMAT_BF16] ? function->bf16
                                                   : NULL;
}

bool accumulation_of(const struct array_call *call, const struct array_algorithm *algorithm,
                     const struct format **format, struct error *why) {
    const struct slice_function *function = algorithm->data;
    *format = function->fp32 ? accumulation_format(call) : NULL;
    return !*format || (*format)->width > 16 || narrow_of(function, *format) ||
           error_set(why, "%s accumulates in fp32 or fp64 here, not in %s",
                     algorithm->implementation, (*format)->name);
}

const struct format *slice_format(const struct array_call *call,
                                  const struct array_algorithm *algorithm) {
    const struct slice_function *function = algorithm->data;
    const struct format *accumulation = accumulation_format(call);
    if (!function->fp32)
        return least_accumulation(call->results[0].format);
    return accumulation->width > 16 ? accumulation : &formats[FORMAT_FP64];
}

/* The first result that is computed lies where the call wants it: `skip` elements lie before it. */
static bool open_run(struct slice_run *run, const struct array_call *call,
                     const struct array_algorithm *algorithm, uint64_t length, uint64_t skip,
                     struct error *error) {
    const struct slice_function *function = algorithm->data;
    const struct format *format = call->results[0].format;
    const struct format *computed = slice_format(call, algorithm);
    *run = (struct slice_run){.call = call,
                              .function = function,
                              .format = format,
                              .computed = computed,
                              .narrow = narrow_of(function, accumulation_format(call)),
                              .odd = function->odd && computed->width == 32,
                              .before = array_addend(call) && function->begins_with_addend};
    size_t bytes = (length + run->before) * sizeof(double),
           wide = run->odd ? sizeof(double) : format_bytes(computed);
    run->codes = calloc(length, sizeof *run->codes);
    run->x = placed_memory(&run->room[0], bytes, call->offset);
    run->w = placed_memory(&run->room[1], bytes, call->offset);
    run->y = placed_memory(&run->room[2], bytes, call->result_offset / wide * wide);
    if (run->y)
        run->y = (char *)run->y - skip * wide;
    return (run->codes && run->x && run->w && run->y) || error_set(error, "out of memory");
}

static void close_run(struct slice_run *run) {
    free(run->codes);
    for (int i = 0; i < 3; i++)
        free(run->room[i]);
}

/* A code of the results' format as a number; exact, as that is no wider. */
static void widen_one(const struct slice_run *run, void *to, size_t at, uint64_t code) {
    const bool same = run->format == run->computed;
    code_store(to, format_bytes(run->computed), at,
               same ? code : element_cast(run->format, run->computed, code));
}

static void widen(const struct slice_run *run, void *to, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        widen_one(run, to, run->before + (size_t)i, run->codes[i]);
}

static uint64_t result_code(const struct slice_run *run, uint64_t i) {
    if (!run->odd)
        return element_cast(run->computed, run->format,
                            code_load(run->y, format_bytes(run->computed), (size_t)i));
    struct real value = real_from_double(((const double *)run->y)[i]);
    return format_encode(run->format, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* n elements of x and w to y, from element `skip` of y on. */
static void compute_of(const struct slice_run *run, const void *x, const void *w, uint64_t skip,
                       uint64_t n) {
    const struct slice_function *function = run->function;
    if (run->odd)
        function->odd((double *)run->y + skip, x, w, (size_t)n);
    else if (run->computed->width == 64)
        (run->narrow ? run->narrow : function->fp64)((double *)run->y + skip, x, w, (size_t)n);
    else
        function->fp32((float *)run->y + skip, x, w, (size_t)n);
}

static void compute(const struct slice_run *run, uint64_t skip, uint64_t n) {
    compute_of(run, run->x, run->w, skip, n);
}

/* The sum of n products, and c where one comes in, for element `element` of the result. */
static void compute_sum(const struct slice_run *run, uint64_t element, uint64_t n) {
    const struct array *c = array_addend(run->call);
    if (!c) {
        compute(run, 0, n);
        return;
    }
    const struct real number = real_power_of_two(0);
    const uint64_t one = format_encode(run->format, &number, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    uint64_t pair[2][2] = {{0}};
    if (run->before) {
        widen_one(run, run->x, 0, array_code(c, element));
        widen_one(run, run->w, 0, one);
    }
    compute(run, 0, n + run->before);
    if (run->before)
        return;
    code_store(pair[0], format_bytes(run->computed), 0,
               code_load(run->y, format_bytes(run->computed), 0));
    widen_one(run, pair[0], 1, array_code(c, element));
    widen_one(run, pair[1], 0, one);
    widen_one(run, pair[1], 1, one);
    compute_of(run, pair[0], pair[1], 0, 2);
}

/* What an exclusive scan begins with: the sum of nothing. */
static uint64_t neutral(const struct slice_run *run) {
    const struct real nothing =
        run->call->rule->starts_at_infinity ? real_infinity(true) : real_zero(false);
    return format_encode(run->format, &nothing, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

bool run_slices(const struct array_call *call, const struct array_algorithm *algorithm,
                struct error *error) {
    const struct array_rule *rule = call->rule;
    struct slices slices = slices_of(call);
    struct slice_run run;
    const struct array *result = &call->results[0];
    size_t bytes = format_bytes(result->format);
    uint64_t skip = parameter_flag(call->parameters, PARAMETER_EXCLUSIVE);
    bool opened = open_run(&run, call, algorithm, slices.length, skip, error);
    if (opened && parameter_flag(call->parameters, PARAMETER_EPSILON)) {
        const struct real epsilon = array_epsilon(call);
        code_store(run.w, format_bytes(run.computed), 0,
                   format_encode(run.computed, &epsilon, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    }
    for (uint64_t slice = 0; opened && slice < slices.count; slice++) {
        slice_load(call, 0, &slices, slice, run.codes);
        widen(&run, run.x, slices.length);
        if (rule->operand_shapes == shapes_given_reduced) {
            run.codes[0] = element_load(&call->operands[1], run.format, slice);
            widen(&run, run.w, 1);
        } else if (rule_operands(rule, call->parameters) > 1) {
            slice_load(call, 1, &slices, slice, run.codes);
            widen(&run, run.w, slices.length);
        }
        if (rule->lines == LINES_REDUCED)
            compute_sum(&run, slice, slices.length);
        else
            compute(&run, skip, slices.length - skip);
        if (rule->lines == LINES_REDUCED) {
            code_store(result->codes, bytes, (size_t)slice, result_code(&run, 0));
            continue;
        }
        for (uint64_t i = 0; i < slices.length; i++)
            code_store(result->codes, bytes, (size_t)slice_place(&slices, slice, i),
                       i < skip ? neutral(&run) : result_code(&run, i));
    }
    close_run(&run);
    return opened;
}

bool run_exact(const struct array_call *call, const struct array_algorithm *algorithm,
               struct error *error) {
    bool unused, good = true;
    (void)algorithm;
    for (int r = 0; good && r < MAX_ARRAY_RESULTS && call->results[r].format; r++) {
        const struct array *result = &call->results[r];
        const uint64_t count = shape_elements(&result->shape);
        struct real *y = calloc(count, sizeof *y);
        good = y || error_set(error, "out of memory");
        good = good && call->rule->exact(call, r, result->format->precision + 8, y, error);
        for (uint64_t i = 0; good && i < count; i++)
            array_set_code(result, i, array_want(call, r, i, &y[i], &unused));
        free(y);
    }
    return good;
}

bool run_matrices(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error) {
    const struct array *a = &call->operands[0], *b = &call->operands[1];
    uint64_t rows = a->shape.extents[0], inner = a->shape.extents[1], columns = b->shape.extents[1];
    struct slice_run run;
    bool opened = open_run(&run, call, algorithm, inner, 0, error);
    for (uint64_t j = 0; opened && j < columns; j++) {
        for (uint64_t k = 0; k < inner; k++)
            run.codes[k] = element_load(b, run.format, k * columns + j);
        widen(&run, run.w, inner);
        for (uint64_t i = 0; i < rows; i++) {
            for (uint64_t k = 0; k < inner; k++)
                run.codes[k] = element_load(a, run.format, i * inner + k);
            widen(&run, run.x, inner);
            compute_sum(&run, i * columns + j, inner);
            code_store(call->results[0].codes, format_bytes(run.format), (size_t)(i * columns + j),
                       result_code(&run, 0));
        }
    }
    close_run(&run);
    return opened;
}
