/* Doubles that are numbers of a format. Of formats with at most 24 bits of precision a step in double, rounded again, is
 * the step rounded once: double has 2p + 2 bits and more. */
#include "impl/steps_arithmetic.h"

#include "base/bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_PRECISION = 120 };

static bool is_fp32(const struct format *format) {
    return format->width == 32 && format->precision == 24;
}

static double encode(const struct format *format, const struct real *real) {
    uint64_t code = format_encode(format, real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
    struct real value = format_decode(format, code);
    return real_to_double(&value);
}

double steps_rounded(const struct format *format, double value) {
    if (format->width == 64)
        return value;
    if (is_fp32(format))
        return (double)(float)value;
    struct real real = real_from_double(value);
    return encode(format, &real);
}

double steps_constant(const struct format *format, const struct formula_node *node) {
    mpfr_t value;
    int ternary = 0;
    if (node->kind == FORMULA_INFINITY || node->kind == FORMULA_NAN)
        return node->kind == FORMULA_NAN ? (double)NAN : steps_rounded(format, (double)INFINITY);
    mpfr_init2(value, REAL_PRECISION);
    if (node->kind == FORMULA_NUMBER)
        ternary = mpfr_set_q(value, node->number, MPFR_RNDZ);
    else if (node->kind == FORMULA_PI)
        ternary = mpfr_const_pi(value, MPFR_RNDZ);
    else {
        mpfr_set_ui(value, 1, MPFR_RNDZ);
        ternary = mpfr_exp(value, value, MPFR_RNDZ);
    }
    struct real real = real_from_mpfr(value, ternary);
    mpfr_clear(value);
    return encode(format, &real);
}

/* The product is exact in double, and the sum's last bit tells whether anything is lost. */
double steps_fused(const struct format *format, double a, double b, double c) {
    if (format->width == 64)
        return fma(a, b, c);
    double product = a * b, sum = product + c, part = sum - product;
    double lost = (product - (sum - part)) + (c - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (isfinite(sum) && isfinite(lost) && (lost < 0 || lost > 0) && !(bits & 1)) {
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX; /* to the odd neighbour that is nearer */
        memcpy(&sum, &bits, sizeof bits);
    }
    return steps_rounded(format, sum);
}

double steps_extremum(double a, double b, bool greater) {
    if (isnan(a) || isnan(b))
        return (double)NAN;
    if (!(a < b) && !(a > b))
        return (signbit(a) != 0) == greater ? b : a;
    return (a > b) == greater ? a : b;
}

int steps_order(double a, double b) {
    return a < b ? -1 : a > b ? 1 : isnan(a) || isnan(b) ? 3 : 0;
}

double steps_to_integer(double a, enum rounding rounding) {
    switch (rounding) {
    case ROUND_DOWN:
        return floor(a);
    case ROUND_UP:
        return ceil(a);
    case ROUND_TOWARD_ZERO:
        return trunc(a);
    case ROUND_NEAREST_AWAY:
        return round(a);
    default:
        return rint(a);
    }
}

double steps_power(const struct format *format, double x, long n) {
    long size = labs(n), bit = 1;
    double power = x;
    while (bit * 2 <= size)
        bit *= 2;
    while ((bit /= 2) > 0) {
        power = steps_rounded(format, power * power);
        if (size & bit)
            power = steps_rounded(format, power * x);
    }
    return n < 0 ? steps_rounded(format, 1 / power) : power;
}

uint64_t steps_code(const struct format *format, double value) {
    if (isnan(value))
        return format->nan;
    if (is_fp32(format))
        return bits_of_float((float)value);
    if (format->width == 64)
        return bits_of(value);
    struct real real = real_from_double(value);
    return format_encode(format, &real, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

double steps_value(const struct format *format, uint64_t code) {
    if (is_fp32(format))
        return (double)float_from_bits((uint32_t)code);
    if (format->width == 64)
        return from_bits(code);
    struct real real = format_decode(format, code);
    return real_to_double(&real);
}
