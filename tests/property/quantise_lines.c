/* Runs ONNX's quantisation by detmath on what lines ask for:
 *   quantise|dequantise OPSET GRANULARITY AXIS BLOCK UNSATURATED PRECISION Y X SCALE
 *       DIMENSIONS EXTENTS... ELEMENTS CODES... SCALES CODES... ZERO-POINTS CODES...
 * on one line, formats by name ("-" for no precision), codes in decimal. Answers with the trouble, and
 * with the codes where there is none. */
#include "detmath/quantise.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static int format_of(const char *name) {
    static const char *const integers[] = {"int2",  "uint2", "int4",   "uint4", "int8",
                                           "uint8", "int16", "uint16", "int32"};
    for (int i = 0; i < 9; i++)
        if (strcmp(integers[i], name) == 0)
            return DETMATH_INT2 + i;
    return detmath_format_find(name);
}

static size_t bytes_of(int format) {
    if (format == DETMATH_INT32 || format == DETMATH_F32)
        return 4;
    return format == DETMATH_INT16 || format == DETMATH_UINT16 || format == DETMATH_F16 ||
                   format == DETMATH_BF16
               ? 2
               : 1;
}

static size_t read_size(size_t most) {
    size_t value;
    if (scanf("%zu", &value) != 1 || value > most)
        exit(2);
    return value;
}

/* Codes of a format; little-endian or not, as the machine has them. */
static size_t read_codes(void *codes, int format) {
    size_t count = read_size(MOST), bytes = bytes_of(format);
    for (size_t i = 0; i < count; i++) {
        uint32_t wide;
        if (scanf("%u", &wide) != 1)
            exit(2);
        uint16_t half = (uint16_t)wide;
        uint8_t small = (uint8_t)wide;
        memcpy((char *)codes + i * bytes,
               bytes == 4   ? (void *)&wide
               : bytes == 2 ? (void *)&half
                            : (void *)&small,
               bytes);
    }
    return count;
}

static void write_codes(const void *codes, int format, size_t count) {
    size_t bytes = bytes_of(format);
    for (size_t i = 0; i < count; i++) {
        uint32_t wide = 0;
        uint16_t half = 0;
        uint8_t small = 0;
        memcpy(bytes == 4   ? (void *)&wide
               : bytes == 2 ? (void *)&half
                            : (void *)&small,
               (const char *)codes + i * bytes, bytes);
        printf(" %u", bytes == 4 ? wide : bytes == 2 ? half : small);
    }
}

int main(void) {
    static uint32_t x[MOST], y[MOST], scales[MOST], zero_points[MOST];
    char what[16], precision[16], names[3][16];
    struct detmath_linear rule;
    int granularity;
    while (scanf("%15s %d %d %d %zu %d %15s %15s %15s %15s", what, &rule.opset, &granularity,
                 &rule.axis, &rule.block, &rule.unsaturated, precision, names[0], names[1],
                 names[2]) == 10) {
        size_t extents[DETMATH_MOST_DIMENSIONS];
        int y_format = format_of(names[0]), x_format = format_of(names[1]),
            scale_format = format_of(names[2]), is_quantised = strcmp(what, "quantise") == 0;
        rule.granularity = (enum detmath_granularity)granularity;
        rule.precision = strcmp(precision, "-") == 0 ? -1 : format_of(precision);
        rule.extents = extents;
        rule.dimensions = (int)read_size(DETMATH_MOST_DIMENSIONS);
        for (int i = 0; i < rule.dimensions; i++)
            extents[i] = read_size(SIZE_MAX);
        size_t count = read_codes(x, x_format);
        read_codes(scales, scale_format);
        void *zero =
            read_codes(zero_points, is_quantised ? y_format : x_format) ? zero_points : NULL;
        int trouble = (is_quantised ? detmath_quantise_linear : detmath_dequantise_linear)(
            &rule, y, y_format, x, x_format, scales, scale_format, zero);
        printf("%d", trouble);
        if (!trouble)
            write_codes(y, y_format, count);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
