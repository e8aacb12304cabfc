/* Lines of elements, of which logarithms of sums (log_sums.h) are taken: wherever they lie and in
 * whatever format they are, they are read as numbers, one or a block at a time, and results written. */
#ifndef DETMATH_LINES_H
#define DETMATH_LINES_H

#include "round.h"

#include "shield.inc"

#if defined(DETMATH_NO_DOUBLE)
typedef float detmath_real;
#else
typedef double detmath_real;
#endif

/* Elements of a line that are taken at once, and how many of those side by side. */
enum { DETMATH_LOG_BLOCK = 1024, DETMATH_LOG_RUNS = 32 };

/* Elements that lie `stride` elements apart, of a format of enum detmath_format_index, which may be
 * DETMATH_F64; each is cast to another one first, to nearest. */
struct detmath_line {
    DETMATH_ARRAY const void *codes;
    detmath_i64 stride;
    int format, cast;
};

/* Where results go. */
struct detmath_line_out {
    DETMATH_ARRAY void *codes;
    detmath_i64 stride;
    int format;
};

DETMATH_FUNCTION detmath_real detmath_line_load(const struct detmath_line *line, detmath_u64 i) {
    detmath_i64 at = (detmath_i64)i * line->stride;
#if defined(DETMATH_NO_DOUBLE)
    return ((DETMATH_ARRAY const float *)line->codes)[at];
#else
    double x;
    if (line->format == DETMATH_F64)
        x = ((DETMATH_ARRAY const double *)line->codes)[at];
    else if (line->format == DETMATH_F32)
        x = (double)((DETMATH_ARRAY const float *)line->codes)[at];
    else {
        struct detmath_format format = detmath_formats[line->format];
        detmath_u32 code = format.sign_bit > 0x80u
                               ? ((DETMATH_ARRAY const unsigned short *)line->codes)[at]
                               : ((DETMATH_ARRAY const unsigned char *)line->codes)[at];
        x = detmath_decode(code, format);
    }
    if (line->cast == line->format || line->cast == DETMATH_F64)
        return x;
    return detmath_decode(detmath_encode(x, detmath_formats[line->cast]),
                          detmath_formats[line->cast]);
#endif
}

/* y must be a number of the format, or for fp32 and narrower formats have bits beyond 24 that round
 * as they should. NaN is the canonical one. */
DETMATH_FUNCTION void detmath_line_store(const struct detmath_line_out *line, detmath_u64 i,
                                         detmath_real y) {
    detmath_i64 at = (detmath_i64)i * line->stride;
#if defined(DETMATH_NO_DOUBLE)
    ((DETMATH_ARRAY float *)line->codes)[at] = detmath_unless_nan(y, y);
#else
    if (line->format == DETMATH_F64)
        ((DETMATH_ARRAY double *)line->codes)[at] =
            y != y ? detmath_from_bits_f64(0x7ff8000000000000u) : y;
    else if (line->format == DETMATH_F32)
        ((DETMATH_ARRAY float *)line->codes)[at] = detmath_unless_nan((float)y, (float)y);
    else {
        struct detmath_format format = detmath_formats[line->format];
        detmath_u32 code = detmath_encode(y, format);
        if (format.sign_bit > 0x80u)
            ((DETMATH_ARRAY unsigned short *)line->codes)[at] = (unsigned short)code;
        else
            ((DETMATH_ARRAY unsigned char *)line->codes)[at] = (unsigned char)code;
    }
#endif
}

DETMATH_FUNCTION detmath_real detmath_minus_infinity(void) {
    return -(detmath_real)detmath_from_bits_f32(DETMATH_INFINITY_BITS);
}

/* Up to 1024 elements from `at` on; -inf after those that are there. A function of its own, since a call
 * costs a block nothing and copies of it cost compilers seconds. */
DETMATH_SELDOM_FUNCTION int detmath_line_block(const struct detmath_line *x, detmath_u64 at,
                                               detmath_u64 n, detmath_real *v) {
    detmath_u64 block = DETMATH_LOG_BLOCK;
    int there = (int)(n - at < block ? n - at : block), i = 0;
    if (x->format == DETMATH_F32 && x->cast == DETMATH_F32 && x->stride == 1)
        for (; i < there; i++)
            v[i] = (detmath_real)((DETMATH_ARRAY const float *)x->codes)[at + (detmath_u64)i];
    for (; i < there; i++)
        v[i] = detmath_line_load(x, at + (detmath_u64)i);
    for (; i % DETMATH_LOG_RUNS; i++)
        v[i] = detmath_minus_infinity();
    return there;
}

/* A block of results; what the line has before the first is `last`, and shifts them where the scan
 * is exclusive. Returns the last of them. */
DETMATH_INLINED detmath_real detmath_line_put(const struct detmath_line_out *y, detmath_u64 at,
                                              const detmath_real *v, int n, int exclusive,
                                              detmath_real last) {
    int i = 0;
    if (y->format == DETMATH_F32 && y->stride == 1 && !exclusive)
        for (DETMATH_ARRAY float *to = (DETMATH_ARRAY float *)y->codes + at; i < n; i++)
            to[i] = detmath_unless_nan((float)v[i], (float)v[i]);
    for (; i < n; i++) {
        detmath_line_store(y, at + (detmath_u64)i, exclusive ? last : v[i]);
        last = v[i];
    }
    return last;
}

/* Elements beside each other. */
#define DETMATH_LINES(TYPE, S, FORMAT)                                                             \
    DETMATH_FUNCTION struct detmath_line detmath_line_of##S(DETMATH_ARRAY const TYPE *x) {         \
        struct detmath_line line;                                                                  \
        line.codes = x;                                                                            \
        line.stride = 1;                                                                           \
        line.format = line.cast = FORMAT;                                                          \
        return line;                                                                               \
    } DETMATH_FUNCTION struct detmath_line_out detmath_line_to##S(DETMATH_ARRAY TYPE *y) {         \
        struct detmath_line_out line;                                                              \
        line.codes = y;                                                                            \
        line.stride = 1;                                                                           \
        line.format = FORMAT;                                                                      \
        return line;                                                                               \
    }
DETMATH_LINES(float, f, DETMATH_F32)
#if !defined(DETMATH_NO_DOUBLE)
DETMATH_LINES(double, , DETMATH_F64)
#endif

#include "shield_end.inc"

#endif
