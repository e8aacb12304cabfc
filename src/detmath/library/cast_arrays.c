/* Conversions of arrays for one instruction set: compiled several times, with DETMATH_LEVEL in the
 * function's name. */
#include "detmath/cast_arrays.h"

#include <stdint.h>
#include <string.h>

/* Elements are taken in strips that stay in the nearest cache between the passes over them. */
enum { STRIP = 512 };

static size_t bytes_of(int format) {
    switch (format) {
    case DETMATH_F64:
        return 8;
    case DETMATH_F32:
    case DETMATH_TF32:
        return 4;
    case DETMATH_F16:
    case DETMATH_BF16:
        return 2;
    default:
        return 1;
    }
}

/* Codes to 32 bits and back: loops that become vectors. */
static void load_codes(uint32_t *restrict codes, const void *from, size_t bytes, size_t count) {
    uint16_t halves[STRIP];
    const uint8_t *small = from;
    if (bytes == 4)
        memcpy(codes, from, count * sizeof *codes);
    else if (bytes == 2) {
        memcpy(halves, from, count * sizeof *halves);
        for (size_t i = 0; i < count; i++)
            codes[i] = halves[i];
    } else
        for (size_t i = 0; i < count; i++)
            codes[i] = small[i];
}

static void store_codes(void *to, const uint32_t *restrict codes, size_t bytes, size_t count) {
    uint16_t halves[STRIP];
    uint8_t *small = to;
    if (bytes == 4)
        memcpy(to, codes, count * sizeof *codes);
    else if (bytes == 2) {
        for (size_t i = 0; i < count; i++)
            halves[i] = (uint16_t)codes[i];
        memcpy(to, halves, count * sizeof *halves);
    } else
        for (size_t i = 0; i < count; i++)
            small[i] = (uint8_t)codes[i];
}

/* In place. The struct is copied, so that the compiler knows it to stay as it is; what is 0 in most
 * conversions is known to be. */
static void widen_codes(uint32_t *codes, int from, size_t count) {
    struct detmath_format format = detmath_formats[from];
    for (size_t i = 0; i < count; i++)
        codes[i] = detmath_widen(codes[i], format);
}

static void cast_codes(uint32_t *restrict codes, const struct detmath_cast *given,
                       const uint32_t *restrict random, size_t count) {
    struct detmath_cast cast = *given;
    if (cast.stochastic) {
        cast.stochastic = 1;
        cast.even = 0;
        if (cast.to.sign_bit)
            for (size_t i = 0; i < count; i++)
                codes[i] = detmath_cast_number(codes[i], detmath_cast_word(cast, random[i]), cast);
        else
            for (size_t i = 0; i < count; i++)
                codes[i] = detmath_cast_scale(codes[i], detmath_cast_word(cast, random[i]), cast);
        return;
    }
    cast.stochastic = 0;
    if (!cast.to.sign_bit) {
        cast.to.sign_bit = 0;
        for (size_t i = 0; i < count; i++)
            codes[i] = detmath_cast_f32(codes[i], cast, 0);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        detmath_u32 negative = 0u - (codes[i] >> 31);
        detmath_u32 word = detmath_select(negative, cast.word[0], cast.word[1]);
        codes[i] = detmath_cast_number(codes[i], word, cast);
    }
}

static uint64_t to_f64(uint32_t bits, const struct detmath_conversion *conversion) {
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude < DETMATH_INFINITY_BITS)
        return detmath_widen_f64(bits);
    return magnitude == DETMATH_INFINITY_BITS ? conversion->infinity_f64[bits >> 31]
                                              : conversion->nan_f64[bits >> 31];
}

static uint64_t between_f64(uint64_t bits, const struct detmath_conversion *conversion) {
    uint64_t magnitude = bits & 0x7fffffffffffffffu;
    if (magnitude < 0x7ff0000000000000u)
        return bits;
    return magnitude == 0x7ff0000000000000u ? conversion->infinity_f64[bits >> 63]
                                            : conversion->nan_f64[bits >> 63];
}

static uint64_t load_f64(const void *from, size_t at) {
    uint64_t bits;
    memcpy(&bits, (const char *)from + at * sizeof bits, sizeof bits);
    return bits;
}

static void store_f64(void *to, size_t at, uint64_t bits) {
    memcpy((char *)to + at * sizeof bits, &bits, sizeof bits);
}

static void cast_strip(const struct detmath_conversion *conversion, void *to, const void *from,
                       size_t count, const uint32_t *random) {
    uint32_t codes[STRIP];
    if (conversion->from == DETMATH_F64) {
        if (conversion->to == DETMATH_F64) {
            for (size_t i = 0; i < count; i++)
                store_f64(to, i, between_f64(load_f64(from, i), conversion));
            return;
        }
        for (size_t i = 0; i < count; i++)
            codes[i] =
                detmath_cast_f64(load_f64(from, i), conversion->cast, random ? random[i] : 0);
        store_codes(to, codes, bytes_of(conversion->to), count);
        return;
    }
    load_codes(codes, from, bytes_of(conversion->from), count);
    if (conversion->from != DETMATH_F32)
        widen_codes(codes, conversion->from, count);
    if (conversion->to == DETMATH_F64) {
        for (size_t i = 0; i < count; i++)
            store_f64(to, i, to_f64(codes[i], conversion));
        return;
    }
    cast_codes(codes, &conversion->cast, random, count);
    store_codes(to, codes, bytes_of(conversion->to), count);
}

#define PASTE(A, B)      A##B
#define LEVEL_NAME(A, B) PASTE(A, B)

void LEVEL_NAME(detmath_cast_level_, DETMATH_LEVEL)(const struct detmath_conversion *conversion,
                                                    void *to, const void *from, size_t n,
                                                    const detmath_u32 *random);
void LEVEL_NAME(detmath_cast_level_, DETMATH_LEVEL)(const struct detmath_conversion *conversion,
                                                    void *to, const void *from, size_t n,
                                                    const detmath_u32 *random) {
    size_t in = bytes_of(conversion->from), out = bytes_of(conversion->to);
    for (size_t at = 0; at < n; at += STRIP)
        cast_strip(conversion, (char *)to + at * out, (const char *)from + at * in,
                   n - at < STRIP ? n - at : STRIP, random ? random + at : NULL);
}
