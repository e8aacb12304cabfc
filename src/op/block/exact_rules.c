/* The rules of programs a second time: each operation is computed exactly by MPFR, and rounded once to fp32. */
#include "op/block/exact_rules.h"

#include "format/block.h"
#include "op/block/exact.h"

#include <math.h>
#include <string.h>

enum { ROOM_BITS = 320 }; /* of a sum of two fp32 numbers */

/* A block at work. */
struct work {
    const struct quantiser_rule *rule;
    const struct block_layout *layout;
    const struct block_field *elements, *scales;
    mpfr_t room, other;
    float tensor;
    float extent, minimum, scale; /* the scale before it is stored */
    float read;                   /* and as it is read back */
    uint32_t code;                /* as it is stored */
};

typedef int mpfr_operation(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

/* a by b, rounded once. A NaN that comes in stays, and x86-64 gives a NaN that is made a sign. */
static float by(struct work *work, mpfr_operation *operation, float a, float b) {
    if (isnan(a) || isnan(b))
        return isnan(a) ? a : b;
    mpfr_set_flt(work->room, a, MPFR_RNDN);
    mpfr_set_flt(work->other, b, MPFR_RNDN);
    operation(work->room, work->room, work->other, MPFR_RNDN);
    return mpfr_nan_p(work->room) ? -NAN : mpfr_get_flt(work->room, MPFR_RNDN);
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
    const long n = mpfr_get_exp(work->room) - 1;
    return n + (above && mpfr_cmpabs_ui(work->room, 0) && mpfr_min_prec(work->room) > 1);
}

/* The code of e8m0 for the power of two of the extent over the divisor: at least 0, and 255 for NaN. */
static uint32_t power_code(struct work *work) {
    const struct quantiser_rule *rule = work->rule;
    if (isnan(work->extent))
        return 255;
    long n = 128; /* an infinity's exponent */
    if (isfinite(work->extent)) {
        mpfr_set_flt(work->room, work->extent, MPFR_RNDN);
        if (rule->rounds_extent) { /* half of the last place that an element has */
            const long last = work->extent >= 0x1p-126F ? exponent_of(work, false) : -126;
            mpfr_set_ui_2exp(work->other, 1, last - work->elements->format->precision, MPFR_RNDN);
            mpfr_add(work->room, work->room, work->other, MPFR_RNDN);
        }
        const bool is_subnormal = mpfr_cmp_ui_2exp(work->room, 1, -126) < 0;
        n = is_subnormal ? -127 + (rule->goes_up && !mpfr_zero_p(work->room))
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
    else
        scale = by(work, mpfr_mul, extent,
                   by(work, mpfr_mul, by(work, mpfr_div, 1, tensor),
                      by(work, mpfr_div, 1, rule->divisor)));
    if (rule->zero_is_one && scale == 0)
        scale = 1;
    return rule->least > 0 && isless(scale, rule->least) ? rule->least : scale;
}

static uint32_t encoded(const struct format *format, float x, enum overflow overflow) {
    const struct real real = real_from_double((double)x);
    return (uint32_t)format_encode(format, &real, ROUND_NEAREST_EVEN, overflow);
}

/* The code of the scale. */
static uint32_t stored(struct work *work, float scale) {
    const struct quantiser_rule *rule = work->rule;
    if (rule->storing == STORE_NEAREST || rule->storing == STORE_HELD)
        return encoded(work->scales->format, scale,
                       rule->storing == STORE_HELD ? OVERFLOW_SATURATE : OVERFLOW_IEEE);
    if (rule->storing == STORE_UP_LOG2) {
        if (isnan(scale) || isinf(scale))
            return isinf(scale) ? 254 : rule->nan_is_least ? 0 : 255;
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
    mpfr_set_flt(work->room, scale, MPFR_RNDN);
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

/* A number as it becomes an element. */
static float quotient_of(struct work *work, float x, float tensor) {
    const struct quantiser_rule *rule = work->rule;
    const float most = 0x1.fffffep127F;
    float factor;
    switch (rule->taking) {
    case TAKE_QUOTIENT:
        return by(work, mpfr_div, x, by(work, mpfr_mul, work->read, tensor));
    case TAKE_RECIPROCAL:
        factor =
            rule->least_extent > 0
                ? by(work, mpfr_div, 1,
                     isless(work->extent, rule->least_extent) ? rule->least_extent : work->extent)
            : work->scale != 0 ? by(work, mpfr_div, 1, work->scale)
                               : 0;
        break;
    case TAKE_DIVISOR_OVER:
        factor = work->extent != 0 ? by(work, mpfr_div, rule->divisor, work->extent) : 0;
        break;
    case TAKE_TENSOR_FIRST:
        factor = by(work, mpfr_div, by(work, mpfr_div, 1, tensor), work->read);
        break;
    case TAKE_RECIPROCAL_OF_BOTH:
        factor = by(work, mpfr_div, 1, by(work, mpfr_mul, work->read, tensor));
        factor = isgreater(factor, most) ? most : factor;
        break;
    default:
        factor = work->read != 0 ? by(work, mpfr_div, 1, work->read) : 0;
    }
    return by(work, mpfr_mul, factor, x);
}

/* What C's (int8_t)(int)x gives on x86-64, at most `most`: without a fraction, modulo 256, and 0 for what int lacks. */
static uint32_t integer_code(float x, uint8_t most) {
    const double whole = isless(fabsf(x), 0x1p31F) || x == -0x1p31F ? trunc((double)x) : 0,
                 low = whole - 256 * floor(whole / 256), value = low < 128 ? low : low - 256;
    return (uint32_t)(value > most ? most : low);
}

/* Rounded to even, moved by the zero point, and held to the ends of the field. */
static uint32_t even_code(const struct work *work, float quotient, float zero) {
    const int width = work->elements->width;
    const bool goes_by_least = work->rule->nan_code == NAN_LEAST;
    const double least = work->elements->is_signed ? -(double)(1 << (width - 1)) : 0,
                 most = least + (1 << width) - 1;
    double sum = (double)quotient;
    if (isfinite(quotient)) {
        const double below = floor(sum), off = sum - below;
        sum = off == 0.5 ? 2 * floor((below + 1) / 2) : off > 0.5 ? below + 1 : below;
        sum = (double)(float)sum + (double)zero;
    }
    if (isnan(sum) || (goes_by_least && fabs(sum) >= 0x1p31))
        sum = goes_by_least ? least : 0;
    sum = fmin(fmax(sum, least), most);
    return (uint32_t)(int32_t)(sum < 0 ? sum + (1 << width) : sum);
}

/* The nearest number of a table, by comparisons with the middle of each two; of two, the smaller. Of codes that are the same
 * number, numbers above it have the last. */
static uint32_t table_code(struct work *work, float quotient) {
    const float *table = work->elements->table;
    uint32_t code = 0, next = 0;
    for (uint32_t i = 1; i < 16; i++)
        code = table[i] < table[code] ? i : code;
    for (;; code = next) { /* from number to number upwards */
        next = 16;
        for (uint32_t i = 0; i < 16; i++)
            if ((table[i] > table[code] || (table[i] == table[code] && i > code)) &&
                (next == 16 || table[i] < table[next]))
                next = i;
        if (next == 16)
            return code;
        const float sum = by(work, mpfr_add, table[code], table[next]);
        if (islessequal(quotient, by(work, mpfr_div, sum, 2)))
            return code;
    }
}

/* The code of a NaN. */
static uint32_t nan_code(const struct work *work, float quotient) {
    const struct format *format = work->elements->format;
    const uint32_t sign = signbit(quotient) ? UINT32_C(1) << (format->width - 1) : 0,
                   ones = (UINT32_C(1) << (format->width - 1)) - 1;
    uint32_t bits;
    switch (work->rule->nan_code) {
    case NAN_KEEPS_SIGN:
        return sign | (format->has_nan ? ones : (uint32_t)format->max_finite);
    case NAN_LARGEST:
        return (uint32_t)format->max_finite;
    case NAN_BITS: { /* the bits as those of a number 2^128 * (1 + fraction), whose exponent leaves the field */
        memcpy(&bits, &quotient, sizeof bits);
        const double fraction = ldexp((double)(bits & 0x7fffff), format->precision - 24),
                     whole = floor(fraction), off = fraction - whole;
        const int64_t exponent = 255 - 127 + format->exponent_bias,
                      place = exponent * (INT64_C(1) << (format->precision - 1)) + (int64_t)whole;
        const int64_t rounded = place + (off > 0.5 || (off == 0.5 && place % 2 != 0));
        return ((uint32_t)(uint64_t)rounded & (2 * ones + 1)) | sign;
    }
    default:
        return 0;
    }
}

static uint32_t element_code(struct work *work, float quotient, float zero) {
    const struct quantiser_rule *rule = work->rule;
    switch (rule->coding) {
    case CODE_HALVES_UP:
        return integer_code(by(work, mpfr_add, quotient, (float)rule->zero + 0.5F), rule->most);
    case CODE_HALVES_AWAY:
        return integer_code(roundf(quotient), rule->most);
    case CODE_HALVES_EVEN:
        return even_code(work, quotient, zero);
    case CODE_TABLE:
        return table_code(work, quotient);
    default:
        if (isnan(quotient))
            return nan_code(work, quotient);
        return rule->drops_sign_of_zero && quotient == 0
                   ? 0
                   : encoded(work->elements->format, quotient, OVERFLOW_SATURATE);
    }
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

void block_exact_follow(const struct quantiser_rule *rule, const struct block_layout *layout,
                        const float *x, float tensor_scale, uint8_t *bytes) {
    struct work work = {.rule = rule,
                        .layout = layout,
                        .elements = &layout->fields[BLOCK_ELEMENT],
                        .scales = &layout->fields[BLOCK_SCALE]};
    const struct block_field *minima = &layout->fields[BLOCK_MINIMUM];
    const float given = layout->has_tensor_scale ? tensor_scale : 1,
                tensor = rule->tensor_first ? 1 : given;
    mpfr_inits2(ROOM_BITS, work.room, work.other, (mpfr_ptr)0);
    find_extent(&work, x, layout->elements);
    work.scale = made(
        &work, rule->tensor_first ? by(&work, mpfr_div, work.extent, given) : work.extent, tensor);
    work.code = rule->making == MAKE_POWER ? power_code(&work) : stored(&work, work.scale);
    if (rule->nan_is_negative && isnan(work.scale))
        work.code |= UINT32_C(1) << (work.scales->width - 1);
    work.read = read_back(&work);
    memset(bytes, 0, layout->bytes);
    block_exact_set(layout, BLOCK_SCALE, bytes, 0, work.code);
    if (minima->count)
        block_exact_set(layout, BLOCK_MINIMUM, bytes, 0,
                        encoded(minima->format, work.minimum, OVERFLOW_IEEE));
    const float zero = layout->fields[BLOCK_ZERO].count ? zero_point(&work, bytes) : 0;
    for (unsigned i = 0; i < layout->elements; i++) {
        const float own = rule->tensor_first ? by(&work, mpfr_div, x[i], given) : x[i],
                    above = minima->count ? by(&work, mpfr_sub, own, work.minimum) : own;
        block_exact_set(layout, BLOCK_ELEMENT, bytes, i,
                        element_code(&work, quotient_of(&work, above, tensor), zero));
    }
    mpfr_clears(work.room, work.other, (mpfr_ptr)0);
}
