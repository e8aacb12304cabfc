/* Running an algorithm: lines out of arrays, cast and widened; results rounded and put back. */
#include "op/array/algorithms.h"

#include "op/array/lines.h"

#include <stdlib.h>
#include <string.h>

bool provides_nearest(const struct array_call *call, struct error *why) {
    if (call->rounding != ROUND_NEAREST_EVEN)
        return error_set(why, "arrays are rounded to nearest-even only");
    return true;
}

/* What a run needs to know, and room for a line of each operand and of the result. */
struct line_run {
    const struct array_call *call;
    const struct line_kernel *kernel;
    const struct format *format;   /* of the results, to which operands are cast */
    const struct format *computed; /* fp32 or fp64 */
    bool odd;                      /* y is double, rounded to odd */
    uint64_t *codes;
    void *x, *w, *y;
};

const struct format *accumulation_of(const struct array_call *call,
                                     const struct array_algorithm *algorithm) {
    const struct line_kernel *kernel = algorithm->data;
    return kernel->fp32 ? accumulation_format(call) : NULL;
}

static bool open_run(struct line_run *run, const struct array_call *call,
                     const struct line_kernel *kernel, uint64_t length, struct error *error) {
    const struct format *format = call->results[0].format;
    /* An exact sum accumulates in neither: its operands are in the least that holds them. */
    const struct format *computed =
        kernel->fp32 ? accumulation_format(call) : least_accumulation(format);
    *run = (struct line_run){.call = call,
                             .kernel = kernel,
                             .format = format,
                             .computed = computed,
                             .odd = kernel->odd && computed->width == 32};
    run->codes = calloc(length, sizeof *run->codes);
    run->x = calloc(length, sizeof(double));
    run->w = calloc(length, sizeof(double));
    run->y = calloc(length, sizeof(double));
    return (run->codes && run->x && run->w && run->y) || error_set(error, "out of memory");
}

static void close_run(struct line_run *run) {
    free(run->codes);
    free(run->x);
    free(run->w);
    free(run->y);
}

static uint64_t converted(const struct format *from, const struct format *to, uint64_t code) {
    if (from == to)
        return code;
    struct real value = format_decode(from, code);
    return format_encode(to, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* Codes in the results' format to numbers; exact, as that is no wider. */
static void widen(const struct line_run *run, void *to, uint64_t count) {
    size_t bytes = format_bytes(run->computed);
    for (uint64_t i = 0; i < count; i++)
        code_store(to, bytes, (size_t)i, converted(run->format, run->computed, run->codes[i]));
}

static uint64_t result_code(const struct line_run *run, uint64_t i) {
    if (!run->odd)
        return converted(run->computed, run->format,
                         code_load(run->y, format_bytes(run->computed), (size_t)i));
    struct real value = real_from_double(((const double *)run->y)[i]);
    return format_encode(run->format, &value, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

/* n elements of x and w to y, from element `skip` of y on. */
static void compute(const struct line_run *run, uint64_t skip, uint64_t n) {
    const struct line_kernel *kernel = run->kernel;
    if (run->odd)
        kernel->odd((double *)run->y + skip, run->x, run->w, (size_t)n);
    else if (run->computed->width == 64)
        kernel->fp64((double *)run->y + skip, run->x, run->w, (size_t)n);
    else
        kernel->fp32((float *)run->y + skip, run->x, run->w, (size_t)n);
}

/* What an exclusive scan begins with: the sum of nothing. */
static uint64_t neutral(const struct line_run *run) {
    return run->kernel->starts_at_infinity
               ? format_with_sign(run->format, format_greatest(run->format), true)
               : 0;
}

bool run_lines(const struct array_call *call, const struct array_algorithm *algorithm,
               struct error *error) {
    const struct line_kernel *kernel = algorithm->data;
    struct lines lines = lines_of(call, kernel->last_axis);
    struct line_run run;
    bool opened = open_run(&run, call, kernel, lines.length, error);
    const struct array *result = &call->results[0];
    size_t bytes = format_bytes(result->format);
    bool reverse = parameter_flag(call->parameters, PARAMETER_REVERSE);
    uint64_t skip = parameter_flag(call->parameters, PARAMETER_EXCLUSIVE);
    for (uint64_t line = 0; opened && line < lines.count; line++) {
        line_load(call, 0, &lines, line, run.codes);
        widen(&run, run.x, lines.length);
        if (kernel->operands > 1) {
            line_load(call, 1, &lines, line, run.codes);
            widen(&run, run.w, lines.length);
        }
        compute(&run, skip, lines.length - skip);
        if (kernel->reduces) {
            code_store(result->codes, bytes, (size_t)line, result_code(&run, 0));
            continue;
        }
        for (uint64_t i = 0; i < lines.length; i++) {
            uint64_t place = reverse ? lines.length - 1 - i : i;
            code_store(result->codes, bytes,
                       (size_t)(line_start(&lines, line) + place * lines.stride),
                       i < skip ? neutral(&run) : result_code(&run, i));
        }
    }
    close_run(&run);
    return opened;
}

bool run_matrices(const struct array_call *call, const struct array_algorithm *algorithm,
                  struct error *error) {
    const struct array *a = &call->operands[0], *b = &call->operands[1];
    uint64_t rows = a->shape.extents[0], inner = a->shape.extents[1], columns = b->shape.extents[1];
    struct line_run run;
    bool opened = open_run(&run, call, algorithm->data, inner, error);
    for (uint64_t j = 0; opened && j < columns; j++) {
        for (uint64_t k = 0; k < inner; k++)
            run.codes[k] = element_load(b, run.format, k * columns + j);
        widen(&run, run.w, inner);
        for (uint64_t i = 0; i < rows; i++) {
            for (uint64_t k = 0; k < inner; k++)
                run.codes[k] = element_load(a, run.format, i * inner + k);
            widen(&run, run.x, inner);
            compute(&run, 0, inner);
            code_store(call->results[0].codes, format_bytes(run.format), (size_t)(i * columns + j),
                       result_code(&run, 0));
        }
    }
    close_run(&run);
    return opened;
}
