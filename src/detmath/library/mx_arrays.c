/* Array forms of MX blocks for one instruction set: compiled several times, with DETMATH_LEVEL in
 * the name of the table. Blocks are taken in chunks that stay in the nearest cache between the
 * passes over them. */
#include "mx_kernels.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = DETMATH_MX_BLOCK, CHUNK = 16 * BLOCK };

static size_t bytes_of(int format) {
    return format == DETMATH_F32 ? 4 : 2;
}

/* As fp32. The struct is copied, so that the compiler knows it to stay as it is. */
static void load_numbers(uint32_t *restrict bits, const void *x, int from, size_t count) {
    uint16_t halves[CHUNK];
    const struct detmath_format format = detmath_formats[from];
    if (from == DETMATH_F32) {
        memcpy(bits, x, count * sizeof *bits);
        return;
    }
    memcpy(halves, x, count * sizeof *halves);
    for (size_t i = 0; i < count; i++)
        bits[i] = detmath_widen(halves[i], format);
}

static void store_numbers(void *y, const uint32_t *restrict bits, int to, size_t count) {
    uint16_t halves[CHUNK];
    if (to == DETMATH_F32) {
        memcpy(y, bits, count * sizeof *bits);
        return;
    }
    for (size_t i = 0; i < count; i++)
        halves[i] = (uint16_t)bits[i];
    memcpy(y, halves, count * sizeof *halves);
}

/* A block of at most 32 numbers; what is constant in most conversions is known to be. */
static unsigned quantise_block(const struct detmath_mx *given, uint8_t *restrict elements,
                               const uint32_t *restrict bits, size_t count,
                               const uint32_t *random) {
    struct detmath_mx mx = *given;
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = detmath_mx_larger(largest, bits[i], mx);
    uint32_t scale = detmath_mx_scale(largest, mx);
    if (mx.cast.stochastic) {
        for (size_t i = 0; i < count; i++)
            elements[i] = (uint8_t)detmath_mx_element(bits[i], scale, mx, random[i]);
        return scale;
    }
    mx.cast.stochastic = 0;
    if (mx.element.is_integer) {
        mx.element.is_integer = 1;
        for (size_t i = 0; i < count; i++)
            elements[i] = (uint8_t)detmath_mx_element(bits[i], scale, mx, 0);
        return scale;
    }
    mx.element.is_integer = 0;
    for (size_t i = 0; i < count; i++)
        elements[i] = (uint8_t)detmath_mx_element(bits[i], scale, mx, 0);
    return scale;
}

static void quantise(const struct detmath_mx *mx, unsigned char *elements, unsigned char *scales,
                     int from, const void *x, size_t n, const detmath_u32 *random) {
    uint32_t bits[CHUNK];
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t count = n - at < CHUNK ? n - at : CHUNK;
        load_numbers(bits, (const char *)x + at * bytes_of(from), from, count);
        for (size_t i = 0; i < count; i += BLOCK)
            scales[(at + i) / BLOCK] = (uint8_t)quantise_block(
                mx, elements + at + i, bits + i, count - i < BLOCK ? count - i : BLOCK,
                random ? random + at + i : NULL);
    }
}

static void dequantise_block(const struct detmath_mx_format *given, const struct detmath_cast *to,
                             uint32_t *restrict bits, const uint8_t *restrict elements,
                             uint32_t scale, size_t count, const uint32_t *random) {
    const struct detmath_mx_format element = *given;
    struct detmath_cast cast = *to;
    if (cast.stochastic) {
        for (size_t i = 0; i < count; i++)
            bits[i] = detmath_mx_value(elements[i], element, scale, cast, random[i]);
        return;
    }
    cast.stochastic = 0;
    for (size_t i = 0; i < count; i++)
        bits[i] = detmath_mx_value(elements[i], element, scale, cast, 0);
}

static void dequantise(const struct detmath_mx_format *element, int to_index,
                       const struct detmath_cast *to, void *y, const unsigned char *elements,
                       const unsigned char *scales, size_t n, const detmath_u32 *random) {
    uint32_t bits[CHUNK];
    for (size_t at = 0; at < n; at += CHUNK) {
        size_t count = n - at < CHUNK ? n - at : CHUNK;
        for (size_t i = 0; i < count; i += BLOCK)
            dequantise_block(element, to, bits + i, elements + at + i, scales[(at + i) / BLOCK],
                             count - i < BLOCK ? count - i : BLOCK,
                             random ? random + at + i : NULL);
        store_numbers((char *)y + at * bytes_of(to_index), bits, to_index, count);
    }
}

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_mx_kernels JOIN(detmath_mx_level_, DETMATH_LEVEL);
const struct detmath_mx_kernels JOIN(detmath_mx_level_, DETMATH_LEVEL) = {quantise, dequantise};
