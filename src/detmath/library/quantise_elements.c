/* The arithmetic of ONNX's quantisation, in double: quotients of two numbers of at most 24 bits,
 * rounded twice, are what one rounding makes of them, and products are exact. */
#include "quantise_elements.h"

#include <stdint.h>
#include <string.h>

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

static uint32_t load(const void *codes, size_t at, int format) {
    uint32_t wide;
    uint16_t half;
    switch (detmath_code_bytes(format)) {
    case 4:
        memcpy(&wide, (const char *)codes + 4 * at, sizeof wide);
        return wide;
    case 2:
        memcpy(&half, (const char *)codes + 2 * at, sizeof half);
        return half;
    default:
        return ((const uint8_t *)codes)[at];
    }
}

static void store(void *codes, size_t at, int format, uint32_t code) {
    uint16_t half = (uint16_t)code;
    switch (detmath_code_bytes(format)) {
    case 4:
        memcpy((char *)codes + 4 * at, &code, sizeof code);
        break;
    case 2:
        memcpy((char *)codes + 2 * at, &half, sizeof half);
        break;
    default:
        ((uint8_t *)codes)[at] = (uint8_t)code;
    }
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

static struct detmath_cast nearest(int format) {
    struct detmath_format to = detmath_formats[format];
    struct detmath_cast_rules rules = {{to.overflow, to.overflow | to.sign_bit},
                                       {to.overflow, to.overflow | to.sign_bit},
                                       {to.nan, to.nan},
                                       {0, to.sign_bit},
                                       0,
                                       0};
    return detmath_cast_make(to, rules, DETMATH_NEAREST_EVEN, 1);
}

static double rounded(double x, struct detmath_cast to) {
    uint32_t code = detmath_cast_f64(detmath_bits_f64(x), to, 0);
    return detmath_from_bits_f64(detmath_widen_f64(detmath_widen(code, to.to)));
}

/* Which scale the element has: `outer`, `axis` and `inner` say where it is. */
static size_t scale_at(const struct detmath_linear_plan *plan, size_t outer, size_t axis,
                       size_t inner) {
    size_t block = axis / plan->block;
    return plan->per_axis ? block : (outer * plan->blocks + block) * plan->inner + inner;
}

double detmath_linear_zero_point(const struct detmath_linear_plan *plan, size_t at, int format) {
    return plan->zero_point ? number(load(plan->zero_point, at, format), format) : 0;
}

/* To the nearest integer, ties to even: adding moves the point of a double below 2^51 there. */
static uint32_t integer_code(double quotient, double zero_point, struct detmath_integer to) {
    const double move = 0x1.8p52;
    if (!(quotient > -0x1p51)) /* NaN too */
        quotient = -0x1p51;
    if (quotient > 0x1p51)
        quotient = 0x1p51;
    volatile double moved = quotient + move;
    double value = (moved - move) + zero_point;
    value = value < to.least ? to.least : value > to.most ? to.most : value;
    return (uint32_t)(int32_t)value;
}

typedef uint32_t element(const struct detmath_linear_plan *plan, struct detmath_cast precision,
                         struct detmath_integer to, uint32_t x, size_t scale);

static uint32_t quantised(const struct detmath_linear_plan *plan, struct detmath_cast precision,
                          struct detmath_integer to, uint32_t x, size_t at) {
    double s =
        rounded(number(load(plan->scale, at, plan->scale_format), plan->scale_format), precision);
    double quotient = rounded(number(x, plan->x_format), precision) / s;
    quotient = rounded(quotient, precision);
    if (to.bits)
        return integer_code(quotient, detmath_linear_zero_point(plan, at, plan->y_format), to);
    return detmath_cast_f64(detmath_bits_f64(quotient), plan->cast, 0);
}

static uint32_t dequantised(const struct detmath_linear_plan *plan, struct detmath_cast precision,
                            struct detmath_integer to, uint32_t x, size_t at) {
    double difference =
        number(x, plan->x_format) - detmath_linear_zero_point(plan, at, plan->x_format);
    double product = rounded(difference, precision) *
                     number(load(plan->scale, at, plan->scale_format), plan->scale_format);
    (void)to;
    return detmath_cast_f64(detmath_bits_f64(product), plan->cast, 0);
}

static void walk(const struct detmath_linear_plan *plan, element *compute, int precision) {
    struct detmath_cast cast = nearest(precision);
    struct detmath_integer to = detmath_integer_of(plan->y_format);
    size_t i = 0;
    if (!plan->inner ||
        !plan->axis) /* else the other extents, however large, would be counted up */
        return;
    for (size_t outer = 0; outer < plan->outer; outer++)
        for (size_t axis = 0; axis < plan->axis; axis++)
            for (size_t inner = 0; inner < plan->inner; inner++, i++)
                store(plan->y, i, plan->y_format,
                      compute(plan, cast, to, load(plan->x, i, plan->x_format),
                              scale_at(plan, outer, axis, inner)));
}

void detmath_quantise_elements(const struct detmath_linear_plan *plan) {
    walk(plan, quantised, plan->precision);
}

void detmath_dequantise_elements(const struct detmath_linear_plan *plan) {
    struct detmath_linear_plan own = *plan;
    own.cast = nearest(plan->y_format);
    walk(&own, dequantised, DETMATH_F32);
}
