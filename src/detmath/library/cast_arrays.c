/* Conversions of arrays for one instruction set: compiled several times, with DETMATH_LEVEL in the
 * function's name. */
#include "detmath/cast_arrays.h"
#include "geometry.h"

#include <stdint.h>
#include <string.h>

/* Elements are taken in strips that stay in the nearest cache between the passes over them. */
enum { STRIP = 512 };

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

/* Codes of integers, which have up to 64 bits, to 64 and back. */
static void load_wide(uint64_t *restrict codes, const void *from, size_t bytes, size_t count) {
    uint32_t narrow[STRIP];
    if (bytes == 8) {
        memcpy(codes, from, count * sizeof *codes);
        return;
    }
    load_codes(narrow, from, bytes, count);
    for (size_t i = 0; i < count; i++)
        codes[i] = narrow[i];
}

static void store_wide(void *to, const uint64_t *restrict codes, size_t bytes, size_t count) {
    uint32_t narrow[STRIP];
    if (bytes == 8) {
        memcpy(to, codes, count * sizeof *codes);
        return;
    }
    for (size_t i = 0; i < count; i++)
        narrow[i] = (uint32_t)codes[i];
    store_codes(to, narrow, bytes, count);
}

static void integers_to_any(uint64_t *restrict codes, const struct detmath_conversion *conversion,
                            size_t count, const uint32_t *random) {
    struct detmath_integer_format from = detmath_integers[conversion->from - DETMATH_INT2];
    if (detmath_is_integer(conversion->to))
        for (size_t i = 0; i < count; i++)
            codes[i] = detmath_cast_integer(codes[i], from, conversion->integer);
    else if (conversion->to == DETMATH_F64)
        for (size_t i = 0; i < count; i++)
            codes[i] =
                detmath_cast_integer_f64(codes[i], from, conversion->cast, random ? random[i] : 0);
    else
        for (size_t i = 0; i < count; i++)
            codes[i] =
                detmath_cast_integer_code(codes[i], from, conversion->cast, random ? random[i] : 0);
}

static void any_to_integers(uint64_t *restrict codes, const struct detmath_conversion *conversion,
                            size_t count, const uint32_t *random) {
    struct detmath_integer_cast cast = conversion->integer;
    struct detmath_format from = detmath_formats[conversion->from % DETMATH_ALL_FORMATS];
    if (conversion->from != DETMATH_F32 && conversion->from != DETMATH_F64)
        for (size_t i = 0; i < count; i++)
            codes[i] = detmath_widen((uint32_t)codes[i], from);
    if (conversion->from != DETMATH_F64)
        for (size_t i = 0; i < count; i++)
            codes[i] = detmath_widen_f64((uint32_t)codes[i]);
    for (size_t i = 0; i < count; i++)
        codes[i] = detmath_cast_f64_integer(codes[i], cast, random ? random[i] : 0);
}

static void cast_integers(const struct detmath_conversion *conversion, void *to, const void *from,
                          size_t count, const uint32_t *random) {
    uint64_t codes[STRIP];
    load_wide(codes, from, detmath_format_bytes(conversion->from), count);
    if (detmath_is_integer(conversion->from))
        integers_to_any(codes, conversion, count, random);
    else
        any_to_integers(codes, conversion, count, random);
    store_wide(to, codes, detmath_format_bytes(conversion->to), count);
}

static void cast_strip(const struct detmath_conversion *conversion, void *to, const void *from,
                       size_t count, const uint32_t *random) {
    uint32_t codes[STRIP];
    if (detmath_is_integer(conversion->from) || detmath_is_integer(conversion->to)) {
        cast_integers(conversion, to, from, count, random);
        return;
    }
    if (conversion->from == DETMATH_F64) {
        if (conversion->to == DETMATH_F64) {
            for (size_t i = 0; i < count; i++)
                store_f64(to, i, between_f64(load_f64(from, i), conversion));
            return;
        }
        for (size_t i = 0; i < count; i++)
            codes[i] =
                detmath_cast_f64(load_f64(from, i), conversion->cast, random ? random[i] : 0);
        store_codes(to, codes, detmath_format_bytes(conversion->to), count);
        return;
    }
    load_codes(codes, from, detmath_format_bytes(conversion->from), count);
    if (conversion->from != DETMATH_F32)
        widen_codes(codes, conversion->from, count);
    if (conversion->to == DETMATH_F64) {
        for (size_t i = 0; i < count; i++)
            store_f64(to, i, to_f64(codes[i], conversion));
        return;
    }
    cast_codes(codes, &conversion->cast, random, count);
    store_codes(to, codes, detmath_format_bytes(conversion->to), count);
}

#define PASTE(A, B)      A##B
#define LEVEL_NAME(A, B) PASTE(A, B)

void LEVEL_NAME(detmath_cast_level_, DETMATH_LEVEL)(const struct detmath_conversion *conversion,
                                                    void *to, const void *from, size_t n,
                                                    const detmath_u32 *random);
void LEVEL_NAME(detmath_cast_level_, DETMATH_LEVEL)(const struct detmath_conversion *conversion,
                                                    void *to, const void *from, size_t n,
                                                    const detmath_u32 *random) {
    size_t in = detmath_format_bytes(conversion->from), out = detmath_format_bytes(conversion->to);
    for (size_t at = 0; at < n; at += STRIP)
        cast_strip(conversion, (char *)to + at * out, (const char *)from + at * in,
                   n - at < STRIP ? n - at : STRIP, random ? random + at : NULL);
}
