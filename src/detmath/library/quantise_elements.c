/* The arithmetic of ONNX's quantisation for one instruction set: compiled several times, with DETMATH_LEVEL in the name of
 * the table. Elements are taken in strips of any scales.
 *
 * In fp32: what is divided has at most 24 bits, and a quotient of numbers of p bits that is rounded to 2 p + 2 bits or
 * more is next rounded to p bits as it would be at once. (Quotients that are subnormal in bf16 are at least 2^-142 away
 * from the middle between two of its numbers, and fp32's are rounded by 2^-150.) A product is rounded once: to fp32 by
 * the processor, and to fewer bits from double, which holds it. */
#include "quantise_elements.h"
#include "detmath/scaled.h"
#include "kernels.h"

#include <stdint.h>
#include <string.h>

enum { STRIP = 512 };

struct strip {
    size_t at, count;
    float x[STRIP], scales[STRIP], zeros[STRIP];
    uint32_t codes[STRIP];
};

static void load_codes(uint32_t *restrict code, const void *codes, size_t at, size_t count,
                       size_t bytes) {
    const char *from = (const char *)codes + bytes * at;
    uint16_t halves[STRIP];
    if (bytes == 4)
        memcpy(code, from, 4 * count);
    for (size_t i = 0; bytes == 1 && i < count; i++)
        code[i] = (uint8_t)from[i];
    if (bytes == 2) {
        memcpy(halves, from, 2 * count);
        for (size_t i = 0; i < count; i++)
            code[i] = halves[i];
    }
}

static void store_codes(void *codes, const uint32_t *restrict code, size_t at, size_t count,
                        size_t bytes) {
    char *to = (char *)codes + bytes * at;
    uint16_t halves[STRIP];
    if (bytes == 4)
        memcpy(to, code, 4 * count);
    for (size_t i = 0; bytes == 1 && i < count; i++)
        to[i] = (char)code[i];
    if (bytes == 2) {
        for (size_t i = 0; i < count; i++)
            halves[i] = (uint16_t)code[i];
        memcpy(to, halves, 2 * count);
    }
}

/* The numbers of codes: exact, but for int32, which is rounded. */
static void numbers(float *restrict x, const void *codes, size_t at, size_t count, int format) {
    const struct detmath_integer integer = detmath_integer_of(format);
    const struct detmath_format row = detmath_formats[integer.bits ? 0 : format];
    uint32_t code[STRIP];
    if (format == DETMATH_F32) {
        memcpy(x, (const char *)codes + 4 * at, 4 * count);
        return;
    }
    load_codes(code, codes, at, count, detmath_code_bytes(format));
    if (format == DETMATH_INT32)
        for (size_t i = 0; i < count; i++)
            x[i] = (float)(int32_t)code[i];
    else if (integer.bits) {
        const uint32_t mask = (1u << integer.bits) - 1u;
        const int32_t flip = integer.is_signed ? 1 << (integer.bits - 1) : 0;
        for (size_t i = 0; i < count; i++)
            x[i] = (float)(((int32_t)(code[i] & mask) ^ flip) - flip);
    } else if (format == DETMATH_F16 || format == DETMATH_BF16)
        for (size_t i = 0; i < count; i++)
            x[i] = (float)detmath_scaled_decode(code[i], row);
    else
        for (size_t i = 0; i < count; i++)
            x[i] = detmath_from_bits_f32(detmath_widen(code[i], row));
}

/* Rounds to a format of at least 16 bits. */
static void round_numbers(float *x, size_t count, int format) {
    const struct detmath_format row = detmath_formats[format];
    for (size_t i = 0; format != DETMATH_F32 && i < count; i++)
        x[i] = (float)detmath_scaled_decode(detmath_scaled_encode((double)x[i], row), row);
}

/* What is divided, in the precision of the division. */
static void dividends(float *x, const struct detmath_linear_plan *plan, size_t at, size_t count) {
    const struct detmath_format row = detmath_formats[plan->precision];
    if (plan->x_format != DETMATH_INT32 || plan->precision == DETMATH_F32) {
        numbers(x, plan->x, at, count, plan->x_format);
        if (plan->x_format != plan->precision)
            round_numbers(x, count, plan->precision);
        return;
    }
    for (size_t i = 0; i < count; i++) { /* rounded once */
        int32_t integer;
        memcpy(&integer, (const char *)plan->x + 4 * (at + i), sizeof integer);
        x[i] = (float)detmath_scaled_decode(detmath_scaled_encode((double)integer, row), row);
    }
}

/* To the nearest integer, ties to even: adding moves the point of a number below 2^22 there. What is beyond 2^20 lies
 * beyond all codes with any zero point, and NaN counts as that below. */
static void integer_codes(struct strip *strip, struct detmath_integer to) {
    const float least = (float)to.least, most = (float)to.most, move = 0x1.8p23f;
    for (size_t i = 0; i < strip->count; i++) {
        float quotient = strip->x[i];
        quotient = quotient > -0x1p20f ? quotient : -0x1p20f;
        quotient = quotient > 0x1p20f ? 0x1p20f : quotient;
        float value = ((quotient + move) - move) + strip->zeros[i];
        value = value < least ? least : value;
        value = value > most ? most : value;
        strip->codes[i] = (uint32_t)(int32_t)value;
    }
}

static void quantise(const struct detmath_linear_plan *plan, struct strip *strip) {
    const struct detmath_integer to = detmath_integer_of(plan->y_format);
    const size_t count = strip->count, bytes = detmath_code_bytes(plan->y_format);
    float *restrict x = strip->x;
    const float *restrict scales = strip->scales;
    dividends(x, plan, strip->at, count);
    if (plan->scale_format != plan->precision)
        round_numbers(strip->scales, count, plan->precision);
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] / scales[i];
    round_numbers(x, count, plan->precision);
    if (to.bits) {
        integer_codes(strip, to);
        store_codes(plan->y, strip->codes, strip->at, count, bytes);
        return;
    }
    for (size_t i = 0; i < count; i++) /* every NaN counts as positive */
        strip->codes[i] = detmath_bits_f32(detmath_unless_nan(x[i], x[i]));
    plan->cast(&plan->conversion, (char *)plan->y + bytes * strip->at, strip->codes, count, NULL);
}

static void dequantise(const struct detmath_linear_plan *plan, struct strip *strip) {
    const struct detmath_format to = detmath_formats[plan->y_format];
    const size_t count = strip->count;
    float *restrict x = strip->x;
    uint32_t *restrict codes = strip->codes;
    const float *restrict scales = strip->scales, *restrict zeros = strip->zeros;
    numbers(x, plan->x, strip->at, count, plan->x_format);
    for (size_t i = 0; plan->zero_point && i < count; i++)
        x[i] = x[i] - zeros[i];
    if (plan->y_format == DETMATH_F32)
        for (size_t i = 0; i < count; i++) {
            const float y = x[i] * scales[i];
            codes[i] = detmath_bits_f32(detmath_unless_nan(y, y));
        }
    else
        for (size_t i = 0; i < count; i++)
            codes[i] = detmath_scaled_encode((double)x[i] * (double)scales[i], to);
    store_codes(plan->y, codes, strip->at, count, detmath_code_bytes(plan->y_format));
}

typedef void some_elements(const struct detmath_linear_plan *plan, struct strip *strip);

/* Numbers from index `at` on, or that one again and again where `step` is 0. */
static void numbers_by(float *x, const void *codes, size_t at, size_t step, size_t count,
                       int format) {
    numbers(x, codes, at, step ? count : 1, format);
    const float first = x[0];
    for (size_t i = 1; !step && i < count; i++)
        x[i] = first;
}

/* The next elements, of scales from `scale` on, one for each (step 1) or for all (0). */
static void add_run(const struct detmath_linear_plan *plan, some_elements *compute,
                    struct strip *strip, size_t count, size_t scale, size_t step) {
    for (size_t some; count; count -= some, scale += step * some) {
        const size_t at = strip->count, left = STRIP - at;
        some = count < left ? count : left;
        numbers_by(strip->scales + at, plan->scale, scale, step, some, plan->scale_format);
        if (plan->zero_point)
            numbers_by(strip->zeros + at, plan->zero_point, scale, step, some, plan->zero_format);
        strip->count += some;
        if (strip->count < STRIP)
            continue;
        compute(plan, strip);
        strip->at += STRIP;
        strip->count = 0;
    }
}

/* Runs of elements whose scales are one, or one behind the other. */
static void walk(const struct detmath_linear_plan *plan, some_elements *compute) {
    struct strip strip;
    const size_t inner = plan->inner;
    strip.at = strip.count = 0;
    if (!plan->zero_point)
        memset(strip.zeros, 0, sizeof strip.zeros);
    if (!inner || !plan->axis) /* else the other extents, however large, would be counted up */
        return;
    if (plan->per_axis && plan->blocks == 1)
        add_run(plan, compute, &strip, plan->outer * plan->axis * inner, 0, 0);
    else
        for (size_t outer = 0; outer < plan->outer; outer++) {
            if (plan->per_axis && inner == 1) {
                add_run(plan, compute, &strip, plan->axis, 0, 1);
                continue;
            }
            for (size_t block = 0; block < plan->blocks; block++) {
                const size_t left = plan->axis - block * plan->block;
                const size_t rows = plan->block < left ? plan->block : left;
                const size_t scale = plan->per_axis ? block : outer * plan->blocks + block;
                if (plan->per_axis || inner == 1)
                    add_run(plan, compute, &strip, rows * inner, scale, 0);
                for (size_t row = 0; !plan->per_axis && inner != 1 && row < rows; row++)
                    add_run(plan, compute, &strip, inner, scale * inner, 1);
            }
        }
    if (strip.count)
        compute(plan, &strip);
}

static void quantise_elements(const struct detmath_linear_plan *plan) {
    walk(plan, quantise);
}

static void dequantise_elements(const struct detmath_linear_plan *plan) {
    walk(plan, dequantise);
}

#define JOIN(A, B)  JOIN_(A, B)
#define JOIN_(A, B) A##B

extern const struct detmath_linear_kernels JOIN(detmath_linear_level_, DETMATH_LEVEL);
const struct detmath_linear_kernels JOIN(detmath_linear_level_,
                                         DETMATH_LEVEL) = {quantise_elements, dequantise_elements};
