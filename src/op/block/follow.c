/* Blocks by the row of a program. */
#include "op/block/rules.h"

#include "detmath/mx.h"
#include "format/block.h"

#include <math.h>
#include <string.h>

/* What x86-64 makes of an operation on a and b: the NaN that it was given, else one with a sign. */
static float settled(float y, float a, float b) {
    return y == y ? y : a != a ? a : b != b ? b : -NAN;
}

static float times(float a, float b) {
    return settled(a * b, a, b);
}

static float over(float a, float b) {
    return settled(a / b, a, b);
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float larger(float a, float b) {
    return a > b ? a : b; /* b where one is NaN, as vmaxps has it */
}

/* The largest magnitude as AVX2 finds it: eight lanes, then their halves. */
static float largest_in_lanes(const float *x, unsigned count) {
    float lanes[8];
    for (unsigned i = 0; i < count; i++)
        lanes[i % 8] = i < 8 ? fabsf(x[i]) : larger(lanes[i % 8], fabsf(x[i]));
    for (unsigned half = 4; half; half /= 2)
        for (unsigned i = 0; i < half; i++)
            lanes[i] =
                half == 4 ? larger(lanes[i + half], lanes[i]) : larger(lanes[i], lanes[i + half]);
    return lanes[0];
}

/* The extent, and the smallest number where it is a range. */
static float extent_of(const struct quantiser_rule *rule, const float *x, unsigned count,
                       float *minimum) {
    float low = 0x1.fffffep127F, high = -low, largest = 0;
    if (rule->extent == EXTENT_RANGE_OF_0)
        low = high = 0;
    *minimum = 0;
    if (rule->nan == NAN_LANES)
        return largest_in_lanes(x, count);
    for (unsigned i = 0; i < count; i++) {
        if (rule->nan == NAN_SPREADS && x[i] != x[i])
            return fabsf(x[i]);
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        if (fabsf(largest) < fabsf(x[i]) ||
            (rule->nan == NAN_RESTARTS && (x[i] != x[i] || largest != largest)))
            largest = x[i];
    }
    const bool is_range = rule->extent == EXTENT_RANGE || rule->extent == EXTENT_RANGE_OF_0;
    *minimum = is_range ? low : 0;
    return is_range ? high - low : rule->extent == EXTENT_LARGEST ? fabsf(largest) : largest;
}

static uint32_t code_of(const struct format *format, float x, enum overflow overflow) {
    const struct real real = real_from_double((double)x);
    return (uint32_t)format_encode(format, &real, ROUND_NEAREST_EVEN, overflow);
}

/* A power of two for the extent, as the code of e8m0: by the code of mx.quantise (detmath/mx.h), of which only the top power
 * and the precision of elements count here. */
static uint32_t power_code(const struct quantiser_rule *rule, const struct format *elements,
                           float extent) {
    const struct detmath_mx_rules rules = {.scale = rule->rounds_extent ? DETMATH_MX_EVEN
                                                    : rule->goes_up     ? DETMATH_MX_CEIL
                                                                        : DETMATH_MX_FLOOR,
                                           .infinity_is_power = 1};
    struct detmath_mx_format element = detmath_mx_formats[DETMATH_MXFP8_E4M3];
    element.top = ilogbf(rule->divisor);
    element.bits = elements->precision;
    return detmath_mx_scale(bits_of(extent) & 0x7fffffff,
                            detmath_mx_make(element, rules, DETMATH_NEAREST_EVEN, 1));
}

/* The scale before it is stored. */
static float made(const struct quantiser_rule *rule, float extent, float tensor) {
    float scale;
    switch (rule->making) {
    case MAKE_QUOTIENT:
        scale = over(over(extent, rule->divisor), tensor);
        break;
    case MAKE_BY_PRODUCT:
        scale = over(extent, rule->divisor * tensor);
        break;
    case MAKE_ENCODED:
        scale = times(over(extent, rule->divisor), over(1, tensor));
        break;
    default:
        scale = times(extent, (1 / tensor) * (1 / rule->divisor));
    }
    if (rule->zero_is_one && scale == 0)
        scale = 1;
    return rule->least > 0 && scale < rule->least ? rule->least : scale;
}

/* The code of e8m0 for a scale. Infinity, and what is beyond 2^127, is held to that unless bits are taken. */
static uint32_t stored_power(const struct quantiser_rule *rule, float scale) {
    static const detmath_i32 powers[] = {[STORE_ABOVE] = DETMATH_MX_POWER_UP,
                                         [STORE_UP] = DETMATH_MX_POWER_BITS_UP,
                                         [STORE_UP_LOG2] = DETMATH_MX_POWER_LOGARITHM,
                                         [STORE_DOWN] = DETMATH_MX_POWER_BITS_DOWN};
    const bool by_bits = rule->storing == STORE_UP || rule->storing == STORE_DOWN,
               is_least = (rule->special_is_least && !isfinite(scale)) ||
                          (rule->nan_is_least && scale != scale);
    if (rule->storing == STORE_UP_LOG2 && is_least)
        return 0;
    const float held = !by_bits && scale > 0x1p127F ? 0x1p127F : scale;
    return detmath_mx_power(bits_of(held) & 0x7fffffff, powers[rule->storing]);
}

static uint32_t stored(const struct quantiser_rule *rule, const struct format *format,
                       float scale) {
    const struct real real = real_from_double((double)scale);
    if (rule->storing == STORE_NEAREST || rule->storing == STORE_HELD)
        return code_of(format, scale,
                       rule->storing == STORE_HELD ? OVERFLOW_SATURATE : OVERFLOW_IEEE);
    return format == &formats[BLOCK_SCALES]
               ? stored_power(rule, scale)
               : (uint32_t)format_encode(format, &real, ROUND_UP, OVERFLOW_SATURATE);
}

/* As processors do it that convert to int32 first: what does not fit, and NaN, becomes 0. */
static uint32_t truncated(float x, uint32_t most) {
    const int32_t integer = x >= -0x1p31F && x < 0x1p31F ? (int32_t)x : 0;
    const int8_t low = (int8_t)(uint8_t)((uint32_t)integer & 0xff);
    return low > (int32_t)most ? most : (uint32_t)(uint8_t)low;
}

/* To an integer, and held to int8 or to `most`. NaN is 0, the low bits of what conversions give for it. */
static uint32_t rounded_to_even(const struct quantiser_rule *rule, const struct block_field *field,
                                float quotient, float zero) {
    const float least = field->is_signed ? -ldexpf(1, field->width - 1) : 0,
                most = least + ldexpf(1, field->width) - 1,
                sum = rintf(quotient) + (zero + (float)rule->zero);
    if (sum != sum || (rule->nan_code == NAN_LEAST && fabsf(sum) >= 0x1p31F))
        return rule->nan_code == NAN_LEAST ? UINT32_C(1) << (field->width - 1) : 0;
    const float held = sum < least ? least : sum > most ? most : sum;
    return (uint32_t)(int32_t)held & ((UINT32_C(1) << field->width) - 1);
}

/* What is left of a NaN's bits: as if its exponent were that of a number, which rounds to even. */
static uint32_t bits_left(const struct format *format, float quotient) {
    const uint32_t bits = bits_of(quotient) & 0x7fffffff;
    const int cut = 24 - format->precision;
    const uint32_t odd = bits >> cut & 1, sum = bits -
                                                ((uint32_t)(127 - format->exponent_bias) << 23) +
                                                ((UINT32_C(1) << (cut - 1)) - 1) + odd;
    return sum >> cut & 255;
}

static uint32_t nan_code(const struct quantiser_rule *rule, const struct format *format,
                         float quotient) {
    const uint32_t sign = signbit(quotient) ? (uint32_t)format->sign_bit : 0,
                   most = (uint32_t)format->max_finite;
    switch (rule->nan_code) {
    case NAN_KEEPS_SIGN:
        return sign | (format->has_nan ? (uint32_t)format->sign_bit - 1 : most);
    case NAN_POSITIVE:
        return format->has_nan ? (uint32_t)format->sign_bit - 1 : most;
    case NAN_LARGEST:
        return most;
    case NAN_BITS:
        return (bits_left(format, quotient) | sign) & ((UINT32_C(1) << format->width) - 1);
    default:
        return rule->zero_is_negative ? (uint32_t)format->sign_bit : 0;
    }
}

/* To nearest, ties as the coding says. */
static uint32_t rounded_code(const struct quantiser_rule *rule, const struct format *format,
                             float quotient) {
    const struct real real = real_from_double((double)quotient);
    const enum overflow overflow = rule->overflows ? OVERFLOW_IEEE : OVERFLOW_SATURATE;
    const bool is_away = rule->coding == CODE_NEAREST_AWAY,
               is_toward = rule->coding == CODE_NEAREST_ZERO;
    uint32_t code = (uint32_t)format_encode(
        format, &real, is_toward || is_away ? ROUND_NEAREST_AWAY : ROUND_NEAREST_EVEN, overflow);
    const uint32_t magnitude = code & ~(uint32_t)format->sign_bit;
    if (is_toward && magnitude && magnitude <= format->max_finite) {
        const struct real up = format_decode(format, magnitude),
                          down = format_decode(format, magnitude - 1);
        code -= real_to_double(&up) + real_to_double(&down) == 2 * fabs((double)quotient);
    }
    return code;
}

static uint32_t nearest_code(const struct quantiser_rule *rule, const struct format *format,
                             float quotient) {
    if (quotient != quotient)
        return nan_code(rule, format, quotient);
    if (quotient == 0 && (rule->drops_sign_of_zero || rule->zero_is_negative))
        return rule->zero_is_negative ? (uint32_t)format->sign_bit : 0;
    return rounded_code(rule, format, quotient);
}

/* The place of a quotient among the numbers of a table in ascending order, ties down; the last one for NaN. */
static uint32_t table_code(const struct block_field *field, float quotient) {
    uint8_t order[16];
    for (unsigned i = 0; i < 16; i++) {
        unsigned at = i;
        for (; at && field->table[order[at - 1]] > field->table[i]; at--)
            order[at] = order[at - 1];
        order[at] = (uint8_t)i;
    }
    unsigned place = 0;
    while (place < 15 &&
           !(quotient <= (field->table[order[place]] + field->table[order[place + 1]]) / 2))
        place++;
    return order[place];
}

/* The integer -2^(width-1) as the next one, of integers with a sign or a bias. */
static uint32_t held_evenly(const struct block_field *field, uint32_t code) {
    const uint32_t end = field->is_signed ? UINT32_C(1) << (field->width - 1) : 0;
    return (field->is_signed || field->bias) && code == end ? end + 1 : code;
}

static uint32_t code_by(const struct quantiser_rule *rule, const struct block_field *field,
                        float quotient, float zero) {
    switch (rule->coding) {
    case CODE_HALVES_UP:
        return truncated(quotient + ((float)rule->zero + 0.5F), rule->most);
    case CODE_HALVES_AWAY:
        return truncated(roundf(quotient) + (float)rule->zero, rule->most);
    case CODE_HALVES_EVEN:
        return rounded_to_even(rule, field, quotient, zero);
    case CODE_TABLE:
        return table_code(field, quotient < -1 ? -1 : quotient > 1 ? 1 : quotient);
    default:
        return nearest_code(rule, field->format, quotient);
    }
}

static uint32_t element_of(const struct quantiser_rule *rule, const struct block_field *field,
                           float quotient, float zero) {
    const uint32_t code = code_by(rule, field, quotient, zero);
    return rule->is_symmetric ? held_evenly(field, code) : code;
}

/* What numbers are multiplied by; 0 where they are divided. */
static float factor_of(const struct quantiser_rule *rule, float extent, float scale, float rounded,
                       float tensor) {
    const float both = times(rounded, tensor), most = 0x1.fffffep127F;
    switch (rule->taking) {
    case TAKE_RECIPROCAL:
        if (rule->least_extent > 0)
            return 1 / (extent < rule->least_extent ? rule->least_extent : extent);
        return scale != 0 ? 1 / scale : 0;
    case TAKE_DIVISOR_OVER:
        return extent != 0 ? rule->divisor / extent : 0;
    case TAKE_TENSOR_FIRST:
        return over(1 / tensor, rounded);
    case TAKE_RECIPROCAL_OF_BOTH:
        return 1 / both > most ? most : 1 / both;
    default:
        return rounded != 0 ? over(1, rounded) : 0;
    }
}

/* The scale as numbers are taken by it. */
static float taken_scale(const struct quantiser_rule *rule, const struct block_field *scales,
                         uint32_t code) {
    const bool is_power = scales->format == &formats[BLOCK_SCALES];
    if (is_power && code == 255)
        return rule->making == MAKE_POWER || rule->storing == STORE_UP ||
                       rule->storing == STORE_DOWN
                   ? INFINITY
                   : NAN;
    if (is_power && code == 0 && (rule->storing == STORE_UP || rule->storing == STORE_DOWN) &&
        rule->making != MAKE_POWER)
        return 0;
    float rounded = (float)block_number(scales, code);
    const uint32_t nan = 0x7ff00000; /* what conversions from fp8_e4m3fn give */
    if (rounded != rounded)
        memcpy(&rounded, &nan, sizeof rounded);
    if (rule->least_power_is_1 && code == 0)
        return 1;
    return rule->power_is_normal && rounded < 0x1p-126F ? 0x1p-126F : rounded;
}

enum { BLOCK_SMALL = 64 }; /* bytes, at most, of layouts that are made twice */

/* What a block is made by. */
struct block {
    const struct quantiser_rule *rule;
    const struct block_layout *layout;
    const float *x;
    float given, tensor;   /* the scale of the tensor; 1 where numbers are divided by it first */
    float extent, minimum; /* the smallest number, where the extent is a range */
};

/* A number before its scale is taken. */
static float own_number(const struct block *block, unsigned i) {
    const float x = block->rule->tensor_first ? over(block->x[i], block->given) : block->x[i];
    return block->layout->fields[BLOCK_MINIMUM].count ? x - block->minimum : x;
}

/* Stores the zero point, and returns it as codes are moved by it. */
static float store_zero(const struct block *block, float scale, uint8_t *bytes) {
    const struct block_field *zeros = &block->layout->fields[BLOCK_ZERO];
    const float first = zeros->is_signed ? -ldexpf(1, zeros->width - 1) : 0,
                most = first + block->rule->most, place = first - rintf(block->minimum / scale),
                zero = place < first  ? first
                       : place > most ? most
                                      : place;
    if (place != place) /* what a conversion to int32 gives, whose low bits are stored */
        return -0x1p31F;
    block_set(block->layout, BLOCK_ZERO, bytes, 0,
              (uint32_t)(int32_t)zero & ((UINT32_C(1) << zeros->width) - 1));
    return zero;
}

/* Writes a block by a scale, which is not stored yet. */
static void write_block(const struct block *block, float scale, uint8_t *bytes) {
    const struct quantiser_rule *rule = block->rule;
    const struct block_layout *layout = block->layout;
    const struct block_field *elements = &layout->fields[BLOCK_ELEMENT],
                             *scales = &layout->fields[BLOCK_SCALE],
                             *minima = &layout->fields[BLOCK_MINIMUM];
    uint32_t code = rule->making == MAKE_POWER ? power_code(rule, elements->format, block->extent)
                                               : stored(rule, scales->format, scale);
    if (rule->nan_is_negative && scale != scale)
        code |= (uint32_t)scales->format->sign_bit;
    const float rounded = rule->special_is_least && !isfinite(scale)
                              ? scale
                              : taken_scale(rule, scales, code),
                factor = factor_of(rule, block->extent, scale, rounded, block->tensor);
    memset(bytes, 0, layout->bytes);
    block_set(layout, BLOCK_SCALE, bytes, 0, code);
    if (minima->count)
        block_set(layout, BLOCK_MINIMUM, bytes, 0,
                  code_of(minima->format, block->minimum, OVERFLOW_IEEE));
    const float zero = layout->fields[BLOCK_ZERO].count ? store_zero(block, scale, bytes) : 0;
    for (unsigned i = 0; i < layout->elements; i++) {
        const float own = own_number(block, i);
        const float quotient = rule->taking == TAKE_QUOTIENT
                                   ? over(own, times(rounded, block->tensor))
                                   : times(factor, own); /* whose NaN stays */
        block_set(layout, BLOCK_ELEMENT, bytes, i, element_of(rule, elements, quotient, zero));
    }
}

/* The sum of the magnitudes of errors, one after the other. */
static float errors_of(const struct block *block, const uint8_t *bytes) {
    const struct block_layout *layout = block->layout;
    const float scale =
        (float)block_number(&layout->fields[BLOCK_SCALE], block_get(layout, BLOCK_SCALE, bytes, 0));
    float sum = 0;
    for (unsigned i = 0; i < layout->elements; i++) {
        const float number = (float)block_number(&layout->fields[BLOCK_ELEMENT],
                                                 block_get(layout, BLOCK_ELEMENT, bytes, i));
        const volatile float value = number * scale * block->tensor; /* no fma */
        sum += fabsf(value - block->x[i]);
    }
    return sum;
}

void block_follow(const struct quantiser_rule *rule, const struct block_layout *layout,
                  const float *x, float tensor_scale, uint8_t *bytes) {
    struct block block = {.rule = rule,
                          .layout = layout,
                          .x = x,
                          .given = layout->has_tensor_scale ? tensor_scale : 1};
    block.tensor = rule->tensor_first ? 1 : block.given;
    block.extent = extent_of(rule, x, layout->elements, &block.minimum);
    const float scale = made(
        rule, rule->tensor_first ? over(block.extent, block.given) : block.extent, block.tensor);
    write_block(&block, scale, bytes);
    if (rule->four_over_six) {
        uint8_t other[BLOCK_SMALL];
        write_block(&block, times(scale, 1.5F), other);
        if (errors_of(&block, other) < errors_of(&block, bytes))
            memcpy(bytes, other, layout->bytes);
    }
}
