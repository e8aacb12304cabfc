/* Codes to doubles and back, a strip at a time, for the loops of scaled arithmetic that are
 * compiled for one instruction set. Not installed. */
#ifndef DETMATH_LIBRARY_SCALED_STRIPS_H
#define DETMATH_LIBRARY_SCALED_STRIPS_H

#include "detmath/scaled_arrays.h"

#include <stddef.h>
#include <stdint.h>

/* Strips are whole vectors; what a strip has beyond `count` elements is 0. */
enum { SCALED_STRIP = 256, SCALED_LANES = 8 };

static inline int scaled_code_bytes(int format) {
    return format == DETMATH_F32 ? 4 : format < DETMATH_E4M3FN ? 2 : 1;
}

static inline size_t scaled_strip_count(size_t at, size_t n) {
    return n - at < SCALED_STRIP ? n - at : SCALED_STRIP;
}

/* Elements, rounded up to whole vectors. */
static inline size_t scaled_strip_lanes(size_t count) {
    return (count + SCALED_LANES - 1) / SCALED_LANES * SCALED_LANES;
}

/* x[i] = the value of element at + i * stride. */
static inline void scaled_load(double *restrict x, int format, const void *codes, ptrdiff_t at,
                               size_t count, ptrdiff_t stride) {
    const struct detmath_format row = detmath_formats[format];
    const int bytes = scaled_code_bytes(format);
    const size_t lanes = scaled_strip_lanes(count);
    if (bytes == 4) { /* as decode does, but in one instruction */
        const uint32_t *own = (const uint32_t *)codes + at;
        for (size_t i = 0; stride == 1 && i < count; i++)
            x[i] = (double)detmath_from_bits_f32(own[i]);
        for (size_t i = 0; stride != 1 && i < count; i++)
            x[i] = (double)detmath_from_bits_f32(own[(ptrdiff_t)i * stride]);
        for (size_t i = count; i < lanes; i++)
            x[i] = 0.0;
        return;
    }
    uint32_t code[SCALED_STRIP];
    for (size_t i = count; i < lanes; i++)
        code[i] = 0;
    for (size_t i = 0; bytes == 1 && i < count; i++)
        code[i] = ((const uint8_t *)codes)[at + (ptrdiff_t)i * stride];
    for (size_t i = 0; bytes == 2 && i < count; i++)
        code[i] = ((const uint16_t *)codes)[at + (ptrdiff_t)i * stride];
    for (size_t i = 0; i < lanes; i++)
        x[i] = detmath_scaled_decode(code[i], row);
}

/* What becomes of results, which are rounded to nearest-even: enum detmath_scaled_status. */
static inline unsigned scaled_status_of(const double *restrict y, size_t count,
                                        struct detmath_format row) {
    const double most = detmath_decode(row.max_finite, row);
    const int exponent = (int)(detmath_bits_f64(most) >> 52) - 1023;
    const double edge = most + detmath_power_of_two(exponent - row.precision);
    const uint32_t tie_is_beyond = row.max_finite & 1u;
    uint32_t beyond = 0, infinite = 0;
    for (size_t i = 0; i < count; i++) {
        const double magnitude = detmath_scaled_magnitude(y[i]);
        const uint32_t is_infinite = detmath_bits_f64(magnitude) == 0x7ff0000000000000u;
        infinite |= is_infinite;
        beyond |= ((magnitude > edge) | ((magnitude == edge) & tie_is_beyond)) & !is_infinite;
    }
    return beyond * DETMATH_SCALED_OVERFLOWED + infinite * DETMATH_SCALED_WAS_INFINITE;
}

/* Element at + i * stride = y[i], rounded, by the rules of `cast` or, where it is NULL, to the
 * nearest, and beyond the largest number as the format has it. y has whole vectors, of which what
 * lies beyond `count` is not stored. */
static inline void scaled_store_line(const struct detmath_scaled_line *line, ptrdiff_t at,
                                     const double *restrict y, size_t count,
                                     const struct detmath_cast *cast) {
    const struct detmath_format row = detmath_formats[line->format];
    uint32_t code[SCALED_STRIP];
    int bytes = scaled_code_bytes(line->format);
    size_t lanes = scaled_strip_lanes(count);
    ptrdiff_t stride = line->stride;
    if (line->status)
        *line->status |= scaled_status_of(y, count, row);
    for (size_t i = 0; !cast && bytes == 4 && i < lanes; i++)
        code[i] = y[i] != y[i] ? row.nan : detmath_bits_f32((float)y[i]); /* as encode does */
    for (size_t i = 0; !cast && bytes < 4 && i < lanes; i++)
        code[i] = detmath_scaled_encode(y[i], row);
    for (size_t i = 0; cast && i < lanes; i++)
        code[i] = detmath_scaled_encode_by(y[i], *cast);
    for (size_t i = 0; bytes == 1 && i < count; i++)
        ((uint8_t *)line->codes)[at + (ptrdiff_t)i * stride] = (uint8_t)code[i];
    for (size_t i = 0; bytes == 2 && i < count; i++)
        ((uint16_t *)line->codes)[at + (ptrdiff_t)i * stride] = (uint16_t)code[i];
    for (size_t i = 0; bytes == 4 && i < count; i++)
        ((uint32_t *)line->codes)[at + (ptrdiff_t)i * stride] = code[i];
}

#endif
