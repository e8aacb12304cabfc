/* The rules of programs a second time: each operation is computed exactly by MPFR, and rounded once to fp32. */
#include "op/block/exact_rules.h"

#include "format/block.h"
#include "op/block/exact.h"
#include "op/block/exact_codes.h"

#include <math.h>
#include <string.h>

/* A block at work. */
struct work {
    const struct quantiser_rule *rule;
    const struct block_layout *layout;
    const struct block_field *elements, *scales;
    struct block_room room;
    float tensor;
    float extent, minimum, scale; /* the scale before it is stored */
    float read;                   /* and as it is read back */
    uint32_t code;                /* as it is stored */
};

static float by(struct work *work, mpfr_operation *operation, float a, float b) {
    return block_exact_by(&work->room, operation, a, b);
}

static float lane_of(float above, float below) {
    return above > below ? above : below;
}

/* vmaxps over eight lanes, then over their halves: the second operand wins against a NaN. */
static float largest_in_lanes(const float *x, unsigned count) {
    float lanes[8];
    for (unsigned lane = 0; lane < 8; lane++) {
        lanes[lane] = fabsf(x[lane]);
        for (unsigned i = lane + 8; i < count; i += 8)
            lanes[lane] = lane_of(lanes[lane], fabsf(x[i]));
    }
    float fours[4], twos[2];
    for (unsigned i = 0; i < 4; i++)
        fours[i] = lane_of(lanes[i + 4], lanes[i]);
    for (unsigned i = 0; i < 2; i++)
        twos[i] = lane_of(fours[i], fours[i + 2]);
    return lane_of(twos[0], twos[1]);
}

static void find_range(struct work *work, const float *x, unsigned first, unsigned count) {
    const bool has_zero = work->rule->extent == EXTENT_RANGE_OF_0;
    const float most = 0x1.fffffep127F;
    float low = has_zero ? 0 : most, high = has_zero ? 0 : -most;
    for (unsigned i = first; i < count; i++) {
        low = isless(x[i], low) ? x[i] : low;
        high = isgreater(x[i], high) ? x[i] : high;
    }
    work->minimum = low;
    work->extent = by(work, mpfr_sub, high, low);
}

static void find_extent(struct work *work, const float *x, unsigned count) {
    const struct quantiser_rule *rule = work->rule;
    unsigned first = 0, at = 0;
    while (at < count && !isnan(x[at]))
        at++;
    work->minimum = 0;
    if (rule->nan == NAN_LANES) {
        work->extent = largest_in_lanes(x, count);
        return;
    }
    if (rule->nan == NAN_SPREADS && at < count) {
        work->extent = fabsf(x[at]);
        return;
    }
    if (rule->nan == NAN_RESTARTS)
        for (unsigned i = at; i < count; i++)
            first = isnan(x[i]) ? i + 1 : first;
    if (rule->extent == EXTENT_RANGE || rule->extent == EXTENT_RANGE_OF_0) {
        find_range(work, x, first, count);
        return;
    }
    float largest = first == count ? x[count - 1] : 0;
    for (unsigned i = first; i < count; i++)
        if (isgreater(fabsf(x[i]), fabsf(largest)))
            largest = x[i];
    work->extent = rule->extent == EXTENT_SIGNED ? largest : fabsf(largest);
}

/* The greatest n with 2^n <= |room|, or the least with 2^n >= |room|. */
static long exponent_of(const struct work *work, bool above) {
    const long n = mpfr_get_exp(work->room.a) - 1;
    return n + (above && mpfr_cmpabs_ui(work->room.a, 0) && mpfr_min_prec(work->room.a) > 1);
}

/* The code of e8m0 for the power of two of the extent over the divisor: at least 0, and 255 for NaN. */
static uint32_t power_code(struct work *work) {
    const struct quantiser_rule *rule = work->rule;
    if (isnan(work->extent))
        return 255;
    long n = 128; /* an infinity's exponent */
    if (isfinite(work->extent)) {
        mpfr_set_flt(work->room.a, work->extent, MPFR_RNDN);
        if (rule->rounds_extent) { /* half of the last place that an element has */
            const long last = work->extent >= 0x1p-126F ? exponent_of(work, false) : -126;
            mpfr_set_ui_2exp(work->room.b, 1, last - work->elements->format->precision, MPFR_RNDN);
            mpfr_add(work->room.a, work->room.a, work->room.b, MPFR_RNDN);
        }
        const bool is_subnormal = mpfr_cmp_ui_2exp(work->room.a, 1, -126) < 0;
        n = is_subnormal ? -127 + (rule->goes_up && !mpfr_zero_p(work->room.a))
                         : exponent_of(work, rule->goes_up);
    }
    const long code = n + 127 - (long)log2f(rule->divisor);
    return code < 0 ? 0 : (uint32_t)code;
}

/* The scale before it is stored. */
static float made(struct work *work, float extent, float tensor) {
    const struct quantiser_rule *rule = work->rule;
    float scale = 0;
    if (rule->making == MAKE_QUOTIENT)
        scale = by(work, mpfr_div, by(work, mpfr_div, extent, rule->divisor), tensor);
    else if (rule->making == MAKE_BY_PRODUCT)
        scale = by(work, mpfr_div, extent, by(work, mpfr_mul, rule->divisor, tensor));
    else if (rule->making == MAKE_ENCODED)
        scale = by(work, mpfr_mul, by(work, mpfr_div, extent, rule->divisor),
                   by(work, mpfr_div, 1, tensor));
    else
        scale = by(work, mpfr_mul, extent,
                   by(work, mpfr_mul, by(work, mpfr_div, 1, tensor),
                      by(work, mpfr_div, 1, rule->divisor)));
    if (rule->zero_is_one && scale == 0)
        scale = 1;
    return rule->least > 0 && isless(scale, rule->least) ? rule->least : scale;
}

/* The code of the scale. */
static uint32_t stored(struct work *work, float scale) {
    const struct quantiser_rule *rule = work->rule;
    if (rule->storing <= STORE_ABOVE)
        return block_exact_encoded(work->scales->format, scale,
                                   rule->storing == STORE_ABOVE ? ROUND_UP : ROUND_NEAREST_EVEN,
                                   rule->storing == STORE_NEAREST ? OVERFLOW_IEEE
                                                                  : OVERFLOW_SATURATE);
    if (rule->storing == STORE_UP_LOG2) {
        if (!isfinite(scale))
            return rule->special_is_least ? 0 : isinf(scale) ? 254 : rule->nan_is_least ? 0 : 255;
        mpfr_t logarithm;
        mpfr_init2(logarithm, 24);
        mpfr_set_flt(logarithm, scale, MPFR_RNDN);
        mpfr_log2(logarithm, logarithm, MPFR_RNDN);
        mpfr_ceil(logarithm, logarithm);
        const double power = mpfr_get_d(logarithm, MPFR_RNDN);
        mpfr_clear(logarithm);
        return (uint32_t)(fmin(fmax(power, -127), 127) + 127);
    }
    if (isnan(scale) || isinf(scale) || scale == 0)
        return scale == 0 || (isnan(scale) && rule->storing == STORE_UP) ? 0 : 255;
    mpfr_set_flt(work->room.a, scale, MPFR_RNDN);
    const bool goes_up = rule->storing == STORE_UP;
    const long n =
        fmaxf(scale, 0x1p-126F) == scale ? exponent_of(work, goes_up) : -127 + (goes_up ? 1 : 0);
    return (uint32_t)(n + 127);
}

/* The scale as numbers are taken by it. */
static float read_back(const struct work *work) {
    const struct quantiser_rule *rule = work->rule;
    const bool is_power = work->scales->format == &formats[BLOCK_SCALES],
               by_bits = rule->storing == STORE_UP || rule->storing == STORE_DOWN;
    if (rule->special_is_least && !isfinite(work->scale))
        return work->scale;
    if (is_power && work->code == 255)
        return rule->making == MAKE_POWER || by_bits ? INFINITY : NAN;
    if (is_power && work->code == 0 && by_bits && rule->making != MAKE_POWER)
        return 0;
    if (rule->least_power_is_1 && work->code == 0)
        return 1;
    const struct real real = format_decode(work->scales->format, work->code);
    float scale = (float)real_to_double(&real);
    if (isnan(scale)) { /* as conversions from fp8_e4m3fn give it */
        const uint32_t nan = UINT32_C(0x7ff00000);
        memcpy(&scale, &nan, sizeof scale);
    }
    return rule->power_is_normal && isless(scale, 0x1p-126F) ? 0x1p-126F : scale;
}

/* What numbers are divided by (TAKE_QUOTIENT) or multiplied by. */
static float factor_of(struct work *work, float tensor) {
    const struct quantiser_rule *rule = work->rule;
    const float most = 0x1.fffffep127F;
    float factor;
    switch (rule->taking) {
    case TAKE_QUOTIENT:
        return by(work, mpfr_mul, work->read, tensor);
    case TAKE_RECIPROCAL:
        return rule->least_extent > 0
                   ? by(work, mpfr_div, 1,
                        isless(work->extent, rule->least_extent) ? rule->least_extent
                                                                 : work->extent)
               : work->scale != 0 ? by(work, mpfr_div, 1, work->scale)
                                  : 0;
    case TAKE_DIVISOR_OVER:
        return work->extent != 0 ? by(work, mpfr_div, rule->divisor, work->extent) : 0;
    case TAKE_TENSOR_FIRST:
        return by(work, mpfr_div, by(work, mpfr_div, 1, tensor), work->read);
    case TAKE_RECIPROCAL_OF_BOTH:
        factor = by(work, mpfr_div, 1, by(work, mpfr_mul, work->read, tensor));
        return isgreater(factor, most) ? most : factor;
    default:
        return work->read != 0 ? by(work, mpfr_div, 1, work->read) : 0;
    }
}

/* The code of a number. */
static uint32_t element_of(struct work *work, float x, float factor, float zero) {
    const struct quantiser_rule *rule = work->rule;
    const struct block_field *elements = work->elements;
    const float quotient = rule->taking == TAKE_QUOTIENT ? by(work, mpfr_div, x, factor)
                                                         : by(work, mpfr_mul, factor, x);
    const uint32_t code = block_exact_code(rule, elements, &work->room, quotient, zero);
    if (!rule->is_symmetric || elements->format || elements->table)
        return code;
    block_exact_number(work->room.a, elements, code);
    return code + (mpfr_cmp_si(work->room.a, -(1L << (elements->width - 1))) == 0);
}

/* Stores the zero point, and returns what codes are moved by: the low bits of INT32_MIN are 0. */
static float zero_point(struct work *work, uint8_t *bytes) {
    const struct block_field *zeros = &work->layout->fields[BLOCK_ZERO];
    const float first = zeros->is_signed ? -(float)(1 << (zeros->width - 1)) : 0,
                last = first + (float)work->rule->most,
                steps = rintf(by(work, mpfr_div, work->minimum, work->scale)),
                place = by(work, mpfr_sub, first, steps);
    if (isnan(place))
        return -0x1p31F;
    const float zero = fminf(fmaxf(place, first), last);
    block_exact_set(work->layout, BLOCK_ZERO, bytes, 0,
                    (uint32_t)(int32_t)zero & ((UINT32_C(1) << zeros->width) - 1));
    return zero;
}

/* Writes the block by a scale, which is not stored yet. */
static void write_block(struct work *work, const float *x, float given, float scale,
                        uint8_t *bytes) {
    const struct quantiser_rule *rule = work->rule;
    const struct block_layout *layout = work->layout;
    const struct block_field *minima = &layout->fields[BLOCK_MINIMUM];
    work->scale = scale;
    work->code = rule->making == MAKE_POWER ? power_code(work) : stored(work, scale);
    if (rule->nan_is_negative && isnan(scale))
        work->code |= UINT32_C(1) << (work->scales->width - 1);
    work->read = read_back(work);
    memset(bytes, 0, layout->bytes);
    block_exact_set(layout, BLOCK_SCALE, bytes, 0, work->code);
    if (minima->count)
        block_exact_set(
            layout, BLOCK_MINIMUM, bytes, 0,
            block_exact_encoded(minima->format, work->minimum, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    const float zero = layout->fields[BLOCK_ZERO].count ? zero_point(work, bytes) : 0;
    const float factor = factor_of(work, work->tensor);
    for (unsigned i = 0; i < layout->elements; i++) {
        const float own = rule->tensor_first ? by(work, mpfr_div, x[i], given) : x[i],
                    above = minima->count ? by(work, mpfr_sub, own, work->minimum) : own;
        block_exact_set(layout, BLOCK_ELEMENT, bytes, i, element_of(work, above, factor, zero));
    }
}

/* The sum of the magnitudes of errors. */
static float errors_of(struct work *work, const float *x, const uint8_t *bytes) {
    const struct block_layout *layout = work->layout;
    float sum = 0;
    for (unsigned i = 0; i < layout->elements; i++) {
        block_exact_number(work->room.a, work->elements,
                           block_exact_get(layout, BLOCK_ELEMENT, bytes, i));
        const float element = mpfr_get_flt(work->room.a, MPFR_RNDN);
        block_exact_number(work->room.a, work->scales,
                           block_exact_get(layout, BLOCK_SCALE, bytes, 0));
        const float scale = mpfr_get_flt(work->room.a, MPFR_RNDN),
                    value = by(work, mpfr_mul, by(work, mpfr_mul, element, scale), work->tensor);
        sum = by(work, mpfr_add, sum, fabsf(by(work, mpfr_sub, value, x[i])));
    }
    return sum;
}

void block_exact_follow(const struct quantiser_rule *rule, const struct block_layout *layout,
                        const float *x, float tensor_scale, uint8_t *bytes) {
    struct work work = {.rule = rule,
                        .layout = layout,
                        .elements = &layout->fields[BLOCK_ELEMENT],
                        .scales = &layout->fields[BLOCK_SCALE]};
    const float given = layout->has_tensor_scale ? tensor_scale : 1;
    block_exact_open(&work.room, work.elements);
    work.tensor = rule->tensor_first ? 1 : given;
    find_extent(&work, x, layout->elements);
    const float scale =
        made(&work, rule->tensor_first ? by(&work, mpfr_div, work.extent, given) : work.extent,
             work.tensor);
    write_block(&work, x, given, scale, bytes);
    if (rule->four_over_six) {
        uint8_t other[64];
        write_block(&work, x, given, by(&work, mpfr_mul, scale, 1.5F), other);
        if (isless(errors_of(&work, x, other), errors_of(&work, x, bytes)))
            memcpy(bytes, other, layout->bytes);
    }
    block_exact_close(&work.room);
}
