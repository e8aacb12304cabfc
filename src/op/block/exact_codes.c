/* Codes of elements, and the arithmetic of fp32, exactly. */
#include "op/block/exact_codes.h"

#include <math.h>
#include <string.h>

float block_exact_by(struct block_room *room, mpfr_operation *operation, float a, float b) {
    if (isnan(a) || isnan(b))
        return isnan(a) ? a : b;
    mpfr_set_flt(room->a, a, MPFR_RNDN);
    mpfr_set_flt(room->b, b, MPFR_RNDN);
    operation(room->a, room->a, room->b, MPFR_RNDN);
    return mpfr_nan_p(room->a) ? -NAN : mpfr_get_flt(room->a, MPFR_RNDN);
}

/* The code of the next number upwards; of codes that are the same number, the next one. 16: there is none. */
static uint32_t code_above(const float *table, uint32_t code) {
    uint32_t next = 16;
    for (uint32_t i = 0; i < 16; i++)
        if ((table[i] > table[code] || (table[i] == table[code] && i > code)) &&
            (next == 16 || table[i] < table[next]))
            next = i;
    return next;
}

/* Codes and middles of a table, rounded to fp32 as programs round them. */
static void order_table(struct block_room *room, const float *table) {
    uint32_t code = 0;
    for (uint32_t i = 1; i < 16; i++)
        code = table[i] < table[code] ? i : code;
    for (unsigned at = 0; code < 16; at++) {
        const uint32_t next = code_above(table, code);
        room->codes[at] = (uint8_t)code;
        if (next < 16)
            room->middles[at] = (double)block_exact_by(
                room, mpfr_div, block_exact_by(room, mpfr_add, table[code], table[next]), 2);
        code = next;
    }
}

void block_exact_open(struct block_room *room, const struct block_field *elements) {
    const struct format *format = elements->format;
    double number = 0;
    mpfr_inits2(BLOCK_ROOM_BITS, room->a, room->b, (mpfr_ptr)0);
    if (elements->table)
        order_table(room, elements->table);
    for (uint32_t code = 0; format && code < (uint32_t)format->max_finite; code++) {
        const struct real real = format_decode(format, code + 1);
        const double next = real_to_double(&real);
        room->middles[code] = (number + next) / 2;
        number = next;
    }
}

void block_exact_close(struct block_room *room) {
    mpfr_clears(room->a, room->b, (mpfr_ptr)0);
}

uint32_t block_exact_encoded(const struct format *format, float x, enum rounding rounding,
                             enum overflow overflow) {
    const struct real real = real_from_double((double)x);
    return (uint32_t)format_encode(format, &real, rounding, overflow);
}

/* What C's (int8_t)(int)x gives on x86-64, at most `most`: without a fraction, modulo 256, and 0 for what int lacks. */
static uint32_t integer_code(float x, uint8_t most) {
    const double whole = isless(fabsf(x), 0x1p31F) || x == -0x1p31F ? trunc((double)x) : 0,
                 low = whole - 256 * floor(whole / 256), value = low < 128 ? low : low - 256;
    return (uint32_t)(value > most ? most : low);
}

/* Rounded to even, moved by the zero point, and held to the ends of the field. */
static uint32_t even_code(const struct quantiser_rule *rule, const struct block_field *elements,
                          float quotient, float zero) {
    const int width = elements->width;
    const bool goes_by_least = rule->nan_code == NAN_LEAST;
    const double least = elements->is_signed ? -(double)(1 << (width - 1)) : 0,
                 most = least + (1 << width) - 1;
    double sum = (double)quotient;
    if (isfinite(quotient)) {
        const double below = floor(sum), off = sum - below;
        sum = off == 0.5 ? 2 * floor((below + 1) / 2) : off > 0.5 ? below + 1 : below;
        sum = (double)(float)sum + (double)zero + rule->zero;
    }
    if (isnan(sum) || (goes_by_least && fabs(sum) >= 0x1p31))
        sum = goes_by_least ? least : 0;
    sum = fmin(fmax(sum, least), most);
    return (uint32_t)(int32_t)(sum < 0 ? sum + (1 << width) : sum);
}

/* The nearest number of a table, by comparisons with the middle of each two; of two, the smaller. */
static uint32_t table_code(const struct block_room *room, float quotient) {
    unsigned at = 0;
    while (at < 15 && !((double)quotient <= room->middles[at]))
        at++;
    return room->codes[at];
}

/* The code of a NaN. */
static uint32_t nan_code(const struct quantiser_rule *rule, const struct format *format,
                         float quotient) {
    const uint32_t sign = signbit(quotient) ? UINT32_C(1) << (format->width - 1) : 0,
                   ones = (UINT32_C(1) << (format->width - 1)) - 1;
    uint32_t bits;
    switch (rule->nan_code) {
    case NAN_KEEPS_SIGN:
        return sign | (format->has_nan ? ones : (uint32_t)format->max_finite);
    case NAN_POSITIVE:
        return format->has_nan ? ones : (uint32_t)format->max_finite;
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
        return rule->zero_is_negative ? ones + 1 : 0;
    }
}

/* The nearest of the numbers of a format, by comparisons with the middle of each two. */
static uint32_t nearest_code(const struct quantiser_rule *rule, const struct format *format,
                             const double *middles, float quotient) {
    const uint32_t sign = signbit(quotient) ? UINT32_C(1) << (format->width - 1) : 0;
    const double x = fabs((double)quotient);
    uint32_t low = 0, high = (uint32_t)format->max_finite;
    if (quotient == 0 && rule->zero_is_negative)
        return UINT32_C(1) << (format->width - 1);
    if (quotient == 0 && rule->drops_sign_of_zero)
        return 0;
    if (rule->overflows) /* of which the format says where it begins */
        return block_exact_encoded(
            format, quotient,
            rule->coding == CODE_NEAREST ? ROUND_NEAREST_EVEN : ROUND_NEAREST_AWAY, OVERFLOW_IEEE);
    while (low < high) {
        const uint32_t at = (low + high) / 2;
        const bool goes_up =
            x > middles[at] || (x == middles[at] && (rule->coding == CODE_NEAREST_AWAY ||
                                                     (rule->coding == CODE_NEAREST && at % 2)));
        *(goes_up ? &low : &high) = goes_up ? at + 1 : at;
    }
    return sign | low;
}

uint32_t block_exact_code(const struct quantiser_rule *rule, const struct block_field *elements,
                          struct block_room *room, float quotient, float zero) {
    switch (rule->coding) {
    case CODE_HALVES_UP:
        return integer_code(block_exact_by(room, mpfr_add, quotient, (float)rule->zero + 0.5F),
                            rule->most);
    case CODE_HALVES_AWAY:
        return integer_code(block_exact_by(room, mpfr_add, roundf(quotient), (float)rule->zero),
                            rule->most);
    case CODE_HALVES_EVEN:
        return even_code(rule, elements, quotient, zero);
    case CODE_TABLE:
        return table_code(room, quotient);
    default:
        return isnan(quotient) ? nan_code(rule, elements->format, quotient)
                               : nearest_code(rule, elements->format, room->middles, quotient);
    }
}
