/* The arithmetic of ONNX's quantisation, in double: quotients of two numbers of at most 24 bits,
 * rounded twice, are what one rounding makes of them, and products are exact. */
#include "quantise_elements.h"

#include "detmath/scaled.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

enum { CHUNK = 256 };

struct detmath_integer detmath_integer_of(int format) {
    static const int bits[] = {2, 2, 4, 4, 8, 8, 16, 16, 32};
    struct detmath_integer integer = {0, 0, 0, 0};
    if (format < DETMATH_INT2 || format > DETMATH_INT32)
        return integer;
    integer.bits = bits[format - DETMATH_INT2];
    integer.is_signed = (format - DETMATH_INT2) % 2 == 0;
    integer.most = (double)((INT64_C(1) << (integer.bits - integer.is_signed)) - 1);
    integer.least = integer.is_signed ? -integer.most - 1 : 0;
    return integer;
}

size_t detmath_code_bytes(int format) {
    int bits = detmath_integer_of(format).bits;
    if (bits)
        return bits == 32 ? 4 : bits == 16 ? 2 : 1;
    return format == DETMATH_F32 ? 4 : format == DETMATH_F16 || format == DETMATH_BF16 ? 2 : 1;
}

static inline uint32_t load_32(const void *codes, size_t at) {
    uint32_t code;
    memcpy(&code, (const char *)codes + 4 * at, sizeof code);
    return code;
}

static inline uint32_t load_16(const void *codes, size_t at) {
    uint16_t code;
    memcpy(&code, (const char *)codes + 2 * at, sizeof code);
    return code;
}

static inline uint32_t load_8(const void *codes, size_t at) {
    return ((const uint8_t *)codes)[at];
}

static uint32_t load(const void *codes, size_t at, int format) {
    const size_t bytes = detmath_code_bytes(format);
    return bytes == 4 ? load_32(codes, at) : bytes == 2 ? load_16(codes, at) : load_8(codes, at);
}

static void store(void *codes, size_t at, size_t count, int format, const uint32_t *code) {
    const size_t bytes = detmath_code_bytes(format);
    char *to = (char *)codes + bytes * at;
    for (size_t i = 0; bytes == 1 && i < count; i++)
        to[i] = (char)code[i];
    for (size_t i = 0; bytes == 2 && i < count; i++) {
        const uint16_t half = (uint16_t)code[i];
        memcpy(to + 2 * i, &half, sizeof half);
    }
    if (bytes == 4)
        memcpy(to, code, 4 * count);
}

static double number(uint32_t code, int format) {
    struct detmath_integer integer = detmath_integer_of(format);
    if (!integer.bits)
        return detmath_from_bits_f64(
            detmath_widen_f64(detmath_widen(code, detmath_formats[format])));
    int64_t value = code & (uint32_t)((UINT64_C(1) << integer.bits) - 1);
    if (integer.is_signed && value >> (integer.bits - 1))
        value -= INT64_C(1) << integer.bits;
    return (double)value;
}

/* `count` numbers, from index `at` on, or that one again and again where `step` is 0. */
static void numbers(double *x, const void *codes, size_t at, size_t step, size_t count,
                    int format) {
    const struct detmath_format row = detmath_formats[format < DETMATH_FORMATS ? format : 0];
    size_t some = step ? count : 1;
    uint32_t code[CHUNK];
    if (format == DETMATH_F32) { /* in one instruction */
        for (size_t i = 0; i < some; i++)
            x[i] = (double)detmath_from_bits_f32(load_32(codes, at + i));
    } else if (format == DETMATH_F16 || format == DETMATH_BF16) {
        for (size_t i = 0; i < some; i++)
            code[i] = load_16(codes, at + i);
        for (size_t i = 0; i < some; i++)
            x[i] = detmath_scaled_decode(code[i], row);
    } else if (format == DETMATH_INT8 || format == DETMATH_UINT8) {
        const int32_t flip = format == DETMATH_INT8 ? 0x80 : 0;
        for (size_t i = 0; i < some; i++)
            x[i] = (double)(((int32_t)load_8(codes, at + i) ^ flip) - flip);
    } else {
        for (size_t i = 0; i < some; i++)
            x[i] = number(load(codes, at + i, format), format);
    }
    for (size_t i = some; i < count; i++)
        x[i] = x[0];
}

/* The code of x rounded to fp32. */
static inline uint32_t code_32(double x) {
    return x != x ? 0x7fc00000u : detmath_bits_f32((float)x);
}

/* Rounds to a format of at least 16 bits; every NaN counts as positive. */
static void round_numbers(double *x, size_t count, int format) {
    const struct detmath_format row = detmath_formats[format];
    for (size_t i = 0; format == DETMATH_F32 && i < count; i++)
        x[i] = (double)detmath_from_bits_f32(code_32(x[i]));
    for (size_t i = 0; format != DETMATH_F32 && i < count; i++)
        x[i] = detmath_scaled_decode(detmath_scaled_encode(x[i], row), row);
}

double detmath_linear_zero_point(const struct detmath_linear_plan *plan, size_t at, int format) {
    return plan->zero_point ? number(load(plan->zero_point, at, format), format) : 0;
}

/* To the nearest integer, ties to even: adding moves the point of a double below 2^51 there. */
static uint32_t integer_code(double quotient, double zero_point, struct detmath_integer to) {
    const double move = 0x1.8p52;
    quotient = quotient > -0x1p51 ? quotient : -0x1p51; /* NaN too */
    quotient = quotient > 0x1p51 ? 0x1p51 : quotient;
#if FLT_EVAL_METHOD == 0
    double moved = quotient + move;
#else
    volatile double moved = quotient + move;
#endif
    double value = (moved - move) + zero_point;
    value = value < to.least ? to.least : value > to.most ? to.most : value;
    return (uint32_t)(int32_t)value;
}

/* At most CHUNK elements from `at` on, of scales from `scale` on, one for each (step 1) or for all (0). */
typedef void some_elements(const struct detmath_linear_plan *plan, size_t at, size_t count,
                           size_t scale, size_t step);

static void quantise(const struct detmath_linear_plan *plan, size_t at, size_t count, size_t scale,
                     size_t step) {
    const struct detmath_integer to = detmath_integer_of(plan->y_format);
    double x[CHUNK], s[CHUNK], z[CHUNK] = {0};
    uint32_t code[CHUNK];
    numbers(x, plan->x, at, 1, count, plan->x_format);
    numbers(s, plan->scale, scale, step, count, plan->scale_format);
    if (to.bits && plan->zero_point)
        numbers(z, plan->zero_point, scale, step, count, plan->y_format);
    round_numbers(x, count, plan->precision);
    round_numbers(s, count, plan->precision);
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] / s[i];
    round_numbers(x, count, plan->precision);
    for (size_t i = 0; to.bits && i < count; i++)
        code[i] = integer_code(x[i], z[i], to);
    for (size_t i = 0; !to.bits && i < count; i++)
        code[i] = detmath_cast_f64(detmath_bits_f64(x[i]), plan->cast, 0);
    store(plan->y, at, count, plan->y_format, code);
}

static void dequantise(const struct detmath_linear_plan *plan, size_t at, size_t count,
                       size_t scale, size_t step) {
    const struct detmath_format to = detmath_formats[plan->y_format];
    double x[CHUNK], s[CHUNK], z[CHUNK] = {0};
    uint32_t code[CHUNK];
    numbers(x, plan->x, at, 1, count, plan->x_format);
    numbers(s, plan->scale, scale, step, count, plan->scale_format);
    if (plan->zero_point)
        numbers(z, plan->zero_point, scale, step, count, plan->x_format);
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] - z[i];
    round_numbers(x, count, DETMATH_F32);
    for (size_t i = 0; i < count; i++)
        x[i] = x[i] * s[i];
    for (size_t i = 0; plan->y_format == DETMATH_F32 && i < count; i++)
        code[i] = code_32(x[i]);
    for (size_t i = 0; plan->y_format != DETMATH_F32 && i < count; i++)
        code[i] = detmath_scaled_encode(x[i], to);
    store(plan->y, at, count, plan->y_format, code);
}

static void in_chunks(const struct detmath_linear_plan *plan, some_elements *compute, size_t at,
                      size_t count, size_t scale, size_t step) {
    for (size_t from = 0; from < count; from += CHUNK)
        compute(plan, at + from, count - from < CHUNK ? count - from : CHUNK, scale + step * from,
                step);
}

/* Runs of elements whose scales are one, or one behind the other. */
static void walk(const struct detmath_linear_plan *plan, some_elements *compute) {
    size_t at = 0;
    if (!plan->inner ||
        !plan->axis) /* else the other extents, however large, would be counted up */
        return;
    if (plan->per_axis && plan->blocks == 1) {
        in_chunks(plan, compute, 0, plan->outer * plan->axis * plan->inner, 0, 0);
        return;
    }
    if (plan->per_axis && plan->inner == 1) {
        for (size_t outer = 0; outer < plan->outer; outer++)
            in_chunks(plan, compute, outer * plan->axis, plan->axis, 0, 1);
        return;
    }
    for (size_t outer = 0; outer < plan->outer; outer++)
        for (size_t axis = 0; axis < plan->axis;) {
            const size_t block = axis / plan->block, left = plan->axis - axis;
            const size_t rows = plan->block < left ? plan->block : left;
            if (plan->per_axis || plan->inner == 1)
                in_chunks(plan, compute, at, rows * plan->inner,
                          plan->per_axis ? block : outer * plan->blocks + block, 0);
            for (size_t row = 0; !plan->per_axis && plan->inner != 1 && row < rows; row++)
                in_chunks(plan, compute, at + row * plan->inner, plan->inner,
                          (outer * plan->blocks + block) * plan->inner, 1);
            at += rows * plan->inner;
            axis += rows;
        }
}

void detmath_quantise_elements(const struct detmath_linear_plan *plan) {
    walk(plan, quantise);
}

void detmath_dequantise_elements(const struct detmath_linear_plan *plan) {
    walk(plan, dequantise);
}
