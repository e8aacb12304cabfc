/* detcheck asks, plain loops in C answer, for sums, scans and softmax as one writes them.
 *
 *     cc -O2 -ffp-contract=off c_arrays_adapter.c -o c_arrays_adapter -lm
 *     detcheck sweep sum --impl exec:./c_arrays_adapter
 *
 * This measures the compiler and its options (-O3 -ffast-math, -march=native ...), and the libm
 * that it is linked to. fp32, or with -DFP64 fp64; without --axis. To measure something else, put
 * it in the place of a loop. */
#define ADAPTER_ARRAYS
#include "adapter.h"

#include <tgmath.h>

#ifdef FP64
typedef double number;
#define FORMAT "fp64"
#else
typedef float number;
#define FORMAT "fp32"
#endif

/* Each loop is of one line of n elements, n not 0. */
static void sum(number *z, const number *x, const number *y, size_t n) {
    (void)y;
    *z = x[0];
    for (size_t i = 1; i < n; i++)
        *z += x[i];
}

static void mean(number *z, const number *x, const number *y, size_t n) {
    sum(z, x, y, n);
    *z /= (number)n;
}

static void dot(number *z, const number *x, const number *y, size_t n) {
    *z = x[0] * y[0];
    for (size_t i = 1; i < n; i++)
        *z += x[i] * y[i];
}

static void cumsum(number *z, const number *x, const number *y, size_t n) {
    (void)y;
    for (size_t i = 0; i < n; i++)
        z[i] = i ? z[i - 1] + x[i] : x[i];
}

static number most(const number *x, size_t n) {
    number y = x[0];
    for (size_t i = 1; i < n; i++)
        y = x[i] > y ? x[i] : y;
    return y;
}

/* The sum of e^(x[i] - m). */
static number exponentials(const number *x, number m, size_t n) {
    number y = 0;
    for (size_t i = 0; i < n; i++)
        y += exp(x[i] - m);
    return y;
}

static void logsumexp(number *z, const number *x, const number *y, size_t n) {
    number m = most(x, n);
    (void)y;
    *z = isinf(m) ? m : m + log(exponentials(x, m, n));
}

static void softmax(number *z, const number *x, const number *y, size_t n) {
    number m = most(x, n), total = exponentials(x, m, n);
    (void)y;
    for (size_t i = 0; i < n; i++)
        z[i] = exp(x[i] - m) / total;
}

static void log_softmax(number *z, const number *x, const number *y, size_t n) {
    number m = most(x, n), total = log(exponentials(x, m, n));
    (void)y;
    for (size_t i = 0; i < n; i++)
        z[i] = x[i] - m - total;
}

static const struct row {
    const char *name;
    void (*loop)(number *, const number *, const number *, size_t);
    int last_axis; /* a line is one of the last dimension, not the whole array */
} rows[] = {{"sum", sum, 0},
            {"mean", mean, 0},
            {"dot", dot, 0},
            {"cumsum", cumsum, 0},
            {"logsumexp", logsumexp, 0},
            {"softmax", softmax, 1},
            {"log_softmax", log_softmax, 1}};
static const struct row *row;

static int adapter_start(const struct adapter_request *request, char text[ADAPTER_TEXT]) {
    int known = strcmp(request->format, FORMAT) == 0 &&
                strcmp(request->result_format, FORMAT) == 0 &&
                strcmp(request->rounding, "nearest-even") == 0;
    static const char *const unknown[] = {"\naxis=", "\nreverse=", "\nexclusive=", "\naccumulate="};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        known = known && !strstr(request->parameters, unknown[i]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, request->operation) == 0)
            row = &rows[i];
    snprintf(text, ADAPTER_TEXT, "%s",
             known && row ? "c_arrays_adapter, as its compiler has it"
                          : "c_arrays_adapter knows some operations on arrays, in " FORMAT
                            ", to nearest-even, without --axis and the like");
    return known && row;
}

static void adapter_compute(size_t count, void *const *x, void *const *z) {
    (void)count, (void)x, (void)z; /* there is no row of an operation on numbers */
}

static void adapter_call(const struct adapter_array *operands, struct adapter_array *results) {
    const number *x = operands[0].codes, *y = operands[1].codes;
    number *z = results[0].codes;
    size_t elements = (size_t)operands[0].elements, length = elements;
    if (row->last_axis)
        length = (size_t)operands[0].extents[operands[0].dimensions - 1];
    for (size_t at = 0; at < elements; at += length)
        row->loop(z + at, x + at, y + at, length);
}

int main(void) {
    return adapter_serve();
}
