/* Scales by the profile's rule, quotients, and elements rounded once. */
#include "format/block.h"

/* The largest magnitude; NaN, where it counts, before all. */
static struct real largest_of(const struct block_rules *rules, const struct real *x, size_t count) {
    struct real largest = real_zero(false);
    for (size_t i = 0; i < count; i++)
        if (!(x[i].kind == REAL_NAN && rules->nan_is_an_element) &&
            real_is_smaller(&largest, &x[i]))
            largest = x[i];
    largest.negative = false;
    return largest;
}

static struct real largest_element(const struct format *element) {
    return format_decode(element, element->max_finite);
}

/* Whether rounding to `kept` bits of significand, ties up, reaches the next power of two: the bits
 * kept and the one behind are all ones. */
static bool rounds_to_next_power(const struct real *value, int kept) {
    return value->significand.high >> (63 - kept) == (UINT64_C(1) << (kept + 1)) - 1;
}

/* Bits of the significand of the largest element: integers have fewer there than the precision. */
static int largest_bits(const struct format *element) {
    int least = element->emin - element->precision + 1; /* exponent of the last bit */
    int bits = largest_element(element).exponent - least + 1;
    return bits < element->precision ? bits : element->precision;
}

/* fp32's quotient of the largest magnitude and the largest element, or its product with the reciprocal of that in fp32. */
static struct real quotient_in_fp32(const struct real *largest, const struct format *element,
                                    bool by_product) {
    const struct format *fp32 = &formats[FORMAT_FP32];
    struct real top = largest_element(element), y;
    mpfr_t divisor, quotient;
    mpfr_init2(divisor, 24);
    mpfr_init2(quotient, 128);
    real_to_mpfr(divisor, &top);
    real_to_mpfr(quotient, largest);
    if (by_product) {
        mpfr_ui_div(divisor, 1, divisor, MPFR_RNDN);
        mpfr_mul(quotient, quotient, divisor, MPFR_RNDN); /* exact: 48 bits */
    } else { /* never as near as 2^-100 to the middle between two numbers */
        mpfr_div(quotient, quotient, divisor, MPFR_RNDN);
    }
    y = format_decode(fp32, format_encode_mpfr(fp32, quotient, ROUND_NEAREST_EVEN, OVERFLOW_IEEE));
    mpfr_clear(divisor);
    mpfr_clear(quotient);
    return y;
}

/* The least integer that is not below the logarithm, rounded to fp32, of a finite number above 0. */
static int32_t ceil_of_rounded_log2(const struct real *value) {
    /* The logarithm of this one is more than 2^-16 above n; half an ulp of n is 2^-18 at most. */
    struct real near = real_power_of_two(value->exponent);
    near.significand.high |= UINT64_C(1) << 47;
    if (real_is_smaller(&near, value))
        return value->exponent + 1;
    mpfr_t logarithm;
    mpfr_init2(logarithm, 24);
    real_to_mpfr(logarithm, value);
    mpfr_log2(logarithm, logarithm, MPFR_RNDN);
    mpfr_ceil(logarithm, logarithm);
    const int32_t n = (int32_t)mpfr_get_si(logarithm, MPFR_RNDN);
    mpfr_clear(logarithm);
    return n;
}

static int32_t floor_log2(const struct real *value) {
    return value->exponent;
}

static int32_t ceil_log2(const struct real *value) {
    struct real below = real_power_of_two(value->exponent);
    return value->exponent + real_is_smaller(&below, value);
}

struct real block_scale(const struct block_conversion *conversion, const struct real *x,
                        size_t count) {
    const struct block_rules *rules = &conversion->profile->blocks;
    struct real largest = largest_of(rules, x, count), top = largest_element(conversion->element);
    int32_t n = BLOCK_LEAST_EXPONENT;
    if (largest.kind == REAL_INFINITE && rules->infinity_saturates)
        return real_power_of_two(BLOCK_MOST_EXPONENT);
    if (largest.kind == REAL_INFINITE && rules->infinity_is_power)
        return real_power_of_two(BLOCK_MOST_EXPONENT + 1 - top.exponent);
    if (largest.kind == REAL_INFINITE || largest.kind == REAL_NAN)
        return real_nan();
    if (largest.kind == REAL_ZERO && rules->zero_is_normal)
        n = -126 - top.exponent;
    if (largest.kind == REAL_FINITE)
        switch (rules->scale) {
        case BLOCK_SCALE_FLOOR:
            n = floor_log2(&largest) - top.exponent;
            break;
        case BLOCK_SCALE_CEIL:
            n = ceil_log2(&largest) - top.exponent;
            break;
        case BLOCK_SCALE_EVEN: {
            bool next = rounds_to_next_power(&largest, largest_bits(conversion->element));
            if (next && largest.exponent == BLOCK_MOST_EXPONENT && !rules->infinity_is_power)
                return real_nan(); /* rounded to infinity */
            n = floor_log2(&largest) + next - top.exponent;
            break;
        }
        case BLOCK_SCALE_UP:
            n = largest.exponent - top.exponent +
                (wide_compare(largest.significand, top.significand) > 0);
            break;
        default: {
            const bool by_product = rules->scale == BLOCK_SCALE_PRODUCT;
            largest = quotient_in_fp32(&largest, conversion->element, by_product);
            if (largest.kind == REAL_FINITE)
                n = by_product ? ceil_log2(&largest) : ceil_of_rounded_log2(&largest);
        }
        }
    if (n > BLOCK_MOST_EXPONENT)
        return real_nan();
    return real_power_of_two(n < BLOCK_LEAST_EXPONENT ? BLOCK_LEAST_EXPONENT : n);
}

struct real block_quotient(const struct block_conversion *conversion, const struct real *x,
                           const struct real *scale) {
    struct real quotient = *x;
    if (scale->kind == REAL_NAN)
        return real_nan();
    const struct block_rules *rules = &conversion->profile->blocks;
    if (scale->exponent != BLOCK_LEAST_EXPONENT)
        quotient.exponent -= scale->exponent;
    else if (!rules->least_is_one)
        quotient.exponent -= BLOCK_LEAST_EXPONENT + rules->least_is_normal;
    return quotient;
}

uint64_t block_element(const struct block_conversion *conversion, const struct real *quotient,
                       bool *by_rule) {
    const struct format *element = conversion->element;
    bool negative = quotient->negative, symmetric = conversion->profile->blocks.symmetric;
    *by_rule = false;
    if (quotient->kind == REAL_NAN)
        return element->nan;
    if (quotient->kind == REAL_ZERO)
        return format_with_sign(element, 0, negative);
    uint64_t most = symmetric ? element->max_finite : format_most(element, negative);
    if (quotient->kind == REAL_INFINITE)
        return format_with_sign(element, most, negative);
    uint64_t magnitude =
        format_round(element, quotient, conversion->rounding, &conversion->random).magnitude;
    *by_rule = magnitude > most;
    return format_with_sign(element, magnitude > most ? most : magnitude, negative);
}

struct real block_product(const struct format *element, uint64_t code, const struct real *scale) {
    struct real product = format_decode(element, code);
    if (scale->kind == REAL_NAN)
        return real_nan();
    product.exponent += scale->exponent;
    return product;
}
