/* The library's calls of strided.h, for strided_test.py. A line of stdin is a call, one of stdout what it
 * left in the result, in row-major order:
 *
 *   OPERATION AXIS OPTIONS PLACE DIMENSIONS EXTENT... FORMAT STRIDE... FORMAT STRIDE... CODE...
 *
 * AXIS is a number, or `all`; PLACE says over which operand the result lies: 0 none, 1 x, 2 g. The first
 * format and strides are those of x and g, the second those of the result; the g of logsumexp_gradient
 * has strides of its own between them. Places between elements must be left as they were. */
#include "detmath/strided.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 12, UNTOUCHED = 0xa5 };

struct strided {
    struct detmath_strided array;
    size_t extents[DETMATH_MOST_DIMENSIONS];
    ptrdiff_t strides[DETMATH_MOST_DIMENSIONS];
    size_t bytes, elements;
    unsigned char memory[8 * MOST];
};

static void fail(const char *what) {
    fprintf(stderr, "strided_lines: %s\n", what);
    exit(2);
}

static long next_number(void) {
    long number;
    if (scanf("%ld", &number) != 1)
        fail("a number is missing");
    return number;
}

static void read_strides(struct strided *to, int dimensions, const size_t *extents) {
    size_t start = 0, span = 1;
    to->elements = 1;
    for (int i = 0; i < dimensions; i++) {
        to->extents[i] = extents[i];
        to->elements *= extents[i];
        to->strides[i] = next_number();
        size_t reach = (extents[i] - 1) * (size_t)labs(to->strides[i]);
        span += reach;
        start += to->strides[i] < 0 ? reach : 0;
    }
    if (span > MOST)
        fail("an array is too large");
    memset(to->memory, UNTOUCHED, sizeof to->memory);
    to->array.codes = to->memory + start * to->bytes;
    to->array.dimensions = dimensions;
    to->array.extents = to->extents;
    to->array.strides = to->strides;
}

static void read_array(struct strided *to, int dimensions, const size_t *extents) {
    static const char *const names[] = {"fp32",         "fp16",     "bf16",         "fp8_e4m3fn",
                                        "fp8_e4m3fnuz", "fp8_e5m2", "fp8_e5m2fnuz", "fp64"};
    static const int formats[] = {DETMATH_F32,      DETMATH_F16,  DETMATH_BF16,     DETMATH_E4M3FN,
                                  DETMATH_E4M3FNUZ, DETMATH_E5M2, DETMATH_E5M2FNUZ, DETMATH_F64};
    static const size_t bytes[] = {4, 2, 2, 1, 1, 1, 1, 8};
    char name[32];
    size_t k = 0;
    if (scanf("%31s", name) != 1)
        fail("a format is missing");
    while (k < 8 && strcmp(name, names[k]) != 0)
        k++;
    if (k == 8)
        fail("no such format");
    to->bytes = bytes[k];
    to->array.format = formats[k];
    read_strides(to, dimensions, extents);
}

/* Element number i in row-major order. */
static unsigned char *element(const struct strided *from, size_t i) {
    ptrdiff_t at = 0;
    for (int k = from->array.dimensions - 1; k >= 0; k--) {
        at += (ptrdiff_t)(i % from->extents[k]) * from->strides[k];
        i /= from->extents[k];
    }
    return (unsigned char *)from->array.codes + at * (ptrdiff_t)from->bytes;
}

static void read_codes(struct strided *to) {
    for (size_t i = 0; i < to->elements; i++) {
        uint64_t code;
        if (scanf("%" SCNu64, &code) != 1)
            fail("a code is missing");
        for (size_t k = 0; k < to->bytes; k++)
            element(to, i)[k] = (unsigned char)(code >> 8 * k);
    }
}

/* Prints the codes, and takes them out, so that all that is left must be untouched. */
static void print(struct strided *from) {
    for (size_t i = 0; i < from->elements; i++) {
        uint64_t code = 0;
        for (size_t k = 0; k < from->bytes; k++)
            code |= (uint64_t)element(from, i)[k] << 8 * k;
        printf(i ? " %" PRIu64 : "%" PRIu64, code);
    }
    printf("\n");
    for (size_t i = 0; i < from->elements; i++)
        memset(element(from, i), UNTOUCHED, from->bytes);
    for (size_t i = 0; i < sizeof from->memory; i++)
        if (from->memory[i] != UNTOUCHED)
            fail("the call wrote between the elements");
}

static struct strided x, g, y;

/* The call of that name, over the array `to`. */
static int call(const char *name, const struct strided *to, int axis, unsigned options) {
    if (strcmp(name, "logcumsumexp_gradient") == 0)
        return detmath_logcumsumexp_gradient_along(&to->array, &x.array, &g.array, axis, options);
    if (strcmp(name, "logsumexp_gradient") == 0)
        return detmath_logsumexp_gradient_along(&to->array, &x.array, &g.array, axis);
    if (strcmp(name, "log_softmax_gradient") == 0)
        return detmath_log_softmax_gradient_along(&to->array, &x.array, &g.array, axis);
    if (strcmp(name, "logsumexp") == 0)
        return detmath_logsumexp_along(&to->array, &x.array, axis);
    if (strcmp(name, "log_softmax") == 0)
        return detmath_log_softmax_along(&to->array, &x.array, axis);
    if (strcmp(name, "logcumsumexp") != 0)
        fail("no such operation");
    return detmath_logcumsumexp_along(&to->array, &x.array, axis, options);
}

int main(void) {
    char operation[32], axis_name[16];
    while (scanf("%31s %15s", operation, axis_name) == 2) {
        int axis = strcmp(axis_name, "all") == 0 ? DETMATH_WHOLE_ARRAY : atoi(axis_name), trouble;
        unsigned options = (unsigned)next_number();
        long place = next_number();
        int dimensions = (int)next_number(), is_gradient = strstr(operation, "gradient") != NULL;
        int is_reduced = strncmp(operation, "logsumexp", 9) == 0, kept = 0;
        size_t extents[DETMATH_MOST_DIMENSIONS], reduced[DETMATH_MOST_DIMENSIONS];
        for (int i = 0; i < dimensions; i++) {
            extents[i] = (size_t)next_number();
            if (axis != DETMATH_WHOLE_ARRAY && i != (axis < 0 ? axis + dimensions : axis))
                reduced[kept++] = extents[i];
        }
        read_array(&x, dimensions, extents);
        g = x;
        g.array.codes = g.memory + ((unsigned char *)x.array.codes - x.memory);
        g.array.extents = g.extents;
        g.array.strides = g.strides;
        if (is_gradient && is_reduced)
            read_strides(&g, kept, reduced);
        if (is_reduced && !is_gradient)
            read_array(&y, kept, reduced);
        else
            read_array(&y, dimensions, extents);
        read_codes(&x);
        if (is_gradient)
            read_codes(&g);
        struct strided *to = place == 1 ? &x : place == 2 ? &g : &y;
        trouble = call(operation, to, axis, options);
        if (trouble)
            fail(detmath_trouble_text(trouble));
        print(to);
    }
    return 0;
}
