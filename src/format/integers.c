/* Integers by their number, and back. */
#include "format/integers.h"

#include "format/real.h"

static uint64_t code_of(const struct format *format, double integer) {
    struct real real = real_from_double(integer);
    return format_encode(format, &real, ROUND_TOWARD_ZERO, OVERFLOW_SATURATE);
}

/* 2^p, from which on every number is an integer. */
static uint64_t dense_from(const struct format *format) {
    return (uint64_t)1 << format->precision;
}

uint64_t format_integer_code(const struct format *format, uint64_t rank) {
    uint64_t dense = dense_from(format);
    return rank <= dense ? code_of(format, (double)rank)
                         : code_of(format, (double)dense) + (rank - dense);
}

uint64_t format_integers_below(const struct format *format, uint64_t magnitude) {
    uint64_t dense = dense_from(format);
    if (magnitude <= code_of(format, 1)) /* a double may be too wide for what lies there */
        return magnitude != 0 || !format->has_zero;
    bool beyond = magnitude > format->max_finite;
    struct real largest = format_decode(format, beyond ? magnitude - 1 : magnitude);
    double value = real_to_double(&largest);
    if (value >= (double)dense)
        return dense + (magnitude - code_of(format, (double)dense));
    uint64_t whole = (uint64_t)value;
    return whole + (beyond || (double)whole < value);
}
