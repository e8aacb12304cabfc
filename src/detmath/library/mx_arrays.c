/* Array forms of MX blocks for one instruction set: compiled several times, with DETMATH_LEVEL in
 * the name of the table. Blocks are taken in strips that stay in the nearest cache between the
 * passes over them. */
#include "mx_kernels.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = DETMATH_MX_BLOCK, STRIP = 16 * BLOCK };

static size_t bytes_of(int format) {
    return format == DETMATH_F32 ? 4 : 2;
}

/* As fp32. The struct is copied, so that the compiler knows it to stay as it is. */
static void load_numbers(uint32_t *restrict bits, const void *x, int from, size_t count) {
    uint16_t halves[STRIP];
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
    uint16_t halves[STRIP];
    if (to == DETMATH_F32) {
        memcpy(y, bits, count * sizeof *bits);
        return;
    }
    for (size_t i = 0; i < count; i++)
        halves[i] = (uint16_t)bits[i];
    memcpy(y, halves, count * sizeof *halves);
}

/* 2^(e - 127), e from 0 to 254. */
static float power_of(uint32_t e) {
    return detmath_from_bits_f32(e ? e << 23 : 0x00400000u);
}

/* To nearest-even by numbers. Over the scale they are exact, but for those far below the smallest element, and below
 * 2^(top + 1), as the scale is chosen. Added to 2^23 units of subnormal elements they are rounded to whole units; from the
 * smallest normal element on the upper bits, rounded, are the code. These loops become vectors, which the integers of any
 * rounding do not. */
static void quantise_nearest(const struct detmath_mx *mx, uint32_t *restrict codes,
                             const uint32_t *restrict bits, uint32_t scale) {
    const struct detmath_format number = mx->element.number;
    const uint32_t fraction_bits = (uint32_t)number.precision - 1u, shift = 23u - fraction_bits;
    const uint32_t half = 1u << (shift - 1u), sign_shift = number.sign_bit == 0x80u   ? 24
                                                           : number.sign_bit == 0x20u ? 26
                                                                                      : 28;
    const uint32_t biased = (uint32_t)(number.emin + 127), nan = number.nan;
    const float middle = power_of(biased + shift), by = power_of(scale ? 254 - scale
                                                                 : mx->rules.least_is_one    ? 127
                                                                 : mx->rules.least_is_normal ? 253
                                                                                             : 254);
    const uint32_t lowest = biased << 23, less = (biased - 1u) << fraction_bits;
    const uint32_t is_integer = mx->element.is_integer, most = number.max_finite;
    const uint32_t least = most + (is_integer && !mx->rules.symmetric);
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t magnitude = bits[i] & 0x7fffffffu,
                       sign = bits[i] >> sign_shift & number.sign_bit;
        const float value = detmath_from_bits_f32(magnitude) * by;
        const uint32_t whole = detmath_bits_f32(value);
        const uint32_t units = detmath_bits_f32(value + middle) - detmath_bits_f32(middle);
        uint32_t code = ((whole + (half - 1u) + (whole >> shift & 1u)) >> shift) - less;
        code = whole < lowest ? units : code;
        const uint32_t end = sign ? least : most;
        code = code > end ? end : code;
        const uint32_t negative = is_integer ? (0u - code) & 0xffu : code | sign;
        code = sign ? negative : code;
        codes[i] = magnitude > DETMATH_INFINITY_BITS ? nan : code;
    }
}

/* By detmath_mx_larger(), in halves. */
static uint32_t largest_of(const uint32_t *restrict bits, struct detmath_mx_rules rules) {
    const uint32_t last = rules.nan_is_an_element ? DETMATH_INFINITY_BITS : 0x7fffffffu;
    uint32_t magnitudes[BLOCK];
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t magnitude = bits[i] & 0x7fffffffu;
        magnitudes[i] = magnitude > last ? 0 : magnitude;
    }
    for (size_t half = BLOCK / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++)
            magnitudes[i] =
                magnitudes[i + half] > magnitudes[i] ? magnitudes[i + half] : magnitudes[i];
    return magnitudes[0];
}

/* The codes of a block, where what is constant in most conversions is known to be. Numbers beyond the last are zeros. */
static unsigned quantise_block(const struct detmath_mx *given, uint32_t *restrict codes,
                               const uint32_t *restrict bits, const uint32_t *restrict random) {
    struct detmath_mx mx = *given;
    const uint32_t scale = detmath_mx_scale(largest_of(bits, mx.rules), mx);
    if (mx.cast.even && scale != DETMATH_MX_NAN) {
        quantise_nearest(given, codes, bits, scale);
        return scale;
    }
    if (mx.cast.stochastic) {
        for (size_t i = 0; i < BLOCK; i++)
            codes[i] = detmath_mx_element(bits[i], scale, mx, random[i]);
        return scale;
    }
    mx.cast.stochastic = 0;
    for (size_t i = 0; i < BLOCK; i++)
        codes[i] = detmath_mx_element(bits[i], scale, mx, 0);
    return scale;
}

/* Whole blocks of random bits, where there are any. */
static const uint32_t *load_random(uint32_t *restrict padded, const detmath_u32 *random, size_t at,
                                   size_t count) {
    if (random && count == STRIP)
        return random + at;
    memset(padded, 0, STRIP * sizeof *padded);
    if (random)
        memcpy(padded, random + at, count * sizeof *padded);
    return padded;
}

static void quantise(const struct detmath_mx *mx, unsigned char *elements, unsigned char *scales,
                     int from, const void *x, size_t n, const detmath_u32 *random) {
    uint32_t bits[STRIP], codes[STRIP], padded[STRIP];
    for (size_t at = 0; at < n; at += STRIP) {
        const size_t count = n - at < STRIP ? n - at : STRIP;
        const uint32_t *words = mx->cast.stochastic ? load_random(padded, random, at, count) : bits;
        load_numbers(bits, (const char *)x + at * bytes_of(from), from, count);
        memset(bits + count, 0, (STRIP - count) * sizeof *bits);
        for (size_t i = 0; i < count; i += BLOCK)
            scales[(at + i) / BLOCK] = (uint8_t)quantise_block(mx, codes + i, bits + i, words + i);
        for (size_t i = 0; i < count; i++)
            elements[at + i] = (uint8_t)codes[i];
    }
}

/* Elements are exact in fp32 and over the scale too, but where they overflow: then they are as far beyond the target as
 * the largest number of fp32 is in every rounding of a narrower one. */
static void dequantise_exact(const struct detmath_mx_format *given, const struct detmath_cast *to,
                             uint32_t *restrict bits, const uint32_t *restrict codes,
                             uint32_t scale) {
    const struct detmath_format number = given->number;
    const uint32_t is_integer = given->is_integer, sign_bit = number.sign_bit;
    const uint32_t shift = 24u - (uint32_t)number.precision, biased = (uint32_t)(number.emin + 127);
    const uint32_t lowest = biased << 23, less = lowest - (1u << 23);
    const uint32_t most = is_integer ? sign_bit : number.max_finite;
    const uint32_t has_infinity = number.overflow > most && number.overflow != number.nan;
    const uint32_t infinity = has_infinity ? number.overflow : 0x100u; /* no code */
    const float by = power_of(scale), unit = power_of(biased + 1u - (uint32_t)number.precision);
    uint32_t numbers[BLOCK];
    struct detmath_cast cast = *to;
    cast.stochastic = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t negative = codes[i] & sign_bit;
        uint32_t code = codes[i] & (sign_bit - 1u);
        code = is_integer && negative ? sign_bit - code : code;
        uint32_t wide = (code << shift) + less;
        const uint32_t units = detmath_bits_f32((float)(int32_t)code * unit);
        wide = wide < lowest || is_integer ? units : wide;
        wide = code > most ? DETMATH_NAN_BITS : wide;
        wide = code == infinity ? DETMATH_INFINITY_BITS : wide;
        numbers[i] = negative ? wide | 0x80000000u : wide;
    }
    if (cast.to.precision == 24) {
        for (size_t i = 0; i < BLOCK; i++) {
            const uint32_t magnitude = numbers[i] & 0x7fffffffu;
            const uint32_t product = detmath_bits_f32(detmath_from_bits_f32(magnitude) * by);
            bits[i] = detmath_cast_finish(product, 0u - (numbers[i] >> 31),
                                          magnitude == DETMATH_INFINITY_BITS,
                                          magnitude > DETMATH_INFINITY_BITS, cast);
        }
        return;
    }
    for (size_t i = 0; i < BLOCK; i++) {
        const uint32_t sign = 0u - (numbers[i] >> 31), magnitude = numbers[i] & 0x7fffffffu;
        uint32_t product = detmath_bits_f32(detmath_from_bits_f32(magnitude) * by);
        product = magnitude < DETMATH_INFINITY_BITS && product == DETMATH_INFINITY_BITS
                      ? 0x7f7fffffu
                      : product;
        bits[i] = detmath_cast_number(product | (sign & 0x80000000u),
                                      detmath_select(sign, cast.word[0], cast.word[1]), cast);
    }
}

static void dequantise_block(const struct detmath_mx_format *given, const struct detmath_cast *to,
                             uint32_t *restrict bits, const uint32_t *restrict codes,
                             uint32_t scale, const uint32_t *restrict random) {
    const struct detmath_mx_format element = *given;
    const struct detmath_cast cast = *to;
    if (!cast.stochastic && scale != DETMATH_MX_NAN) {
        dequantise_exact(given, to, bits, codes, scale);
        return;
    }
    for (size_t i = 0; i < BLOCK; i++)
        bits[i] = detmath_mx_value(codes[i], element, scale, cast, random[i]);
}

static void dequantise(const struct detmath_mx_format *element, int to_index,
                       const struct detmath_cast *to, void *y, const unsigned char *elements,
                       const unsigned char *scales, size_t n, const detmath_u32 *random) {
    uint32_t bits[STRIP], codes[STRIP], padded[STRIP];
    for (size_t at = 0; at < n; at += STRIP) {
        const size_t count = n - at < STRIP ? n - at : STRIP;
        const uint32_t *words = to->stochastic ? load_random(padded, random, at, count) : codes;
        for (size_t i = 0; i < count; i++)
            codes[i] = elements[at + i];
        memset(codes + count, 0, (STRIP - count) * sizeof *codes);
        for (size_t i = 0; i < count; i += BLOCK)
            dequantise_block(element, to, bits + i, codes + i, scales[(at + i) / BLOCK], words + i);
        store_numbers((char *)y + at * bytes_of(to_index), bits, to_index, count);
    }
}

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_mx_kernels JOIN(detmath_mx_level_, DETMATH_LEVEL);
const struct detmath_mx_kernels JOIN(detmath_mx_level_, DETMATH_LEVEL) = {quantise, dequantise};
