/* The nearest boundary, by asking the rounding itself. */
#include "oracle/boundary.h"

#include "base/bits.h"
#include "oracle/exact.h"

#include <math.h>

/* Boundaries are multiples of a quarter of ulp(y): the ulp of the binade below, of which a middle
 * is half, is half as large. They are looked for up to two ulps away. */
enum { QUARTERS = 4, REACH = 2 * QUARTERS };

/* Of a place in quarters, counted from the lowest multiple looked at, of which there are fewer than
 * 32. */
enum { FRACTION_BITS = 123 };

bool boundary_is_near(const struct format *format, const struct real *y) {
    return y->kind == REAL_FINITE && y->exponent <= format->emax &&
           y->exponent >= format->emin - format->precision - 1;
}

double boundary_resolution(const struct format *format) {
    return power_of_two(format->precision - ORACLE_MOST_BITS + 1);
}

/* count * 2^exponent, with a sign. */
static struct real multiple(uint64_t count, int exponent, bool negative) {
    if (count == 0)
        return real_zero(negative);
    unsigned zeros = leading_zeros(count);
    return (struct real){.kind = REAL_FINITE,
                         .negative = negative,
                         .exponent = exponent + 63 - (int)zeros,
                         .significand = {count << zeros, 0}};
}

static bool is_boundary(const struct cast *cast, const struct real *at) {
    struct real above = *at, below = *at;
    if (at->kind == REAL_ZERO)
        above = real_tiny(at->negative);
    above.inexact = true;
    uint64_t code = cast_number(cast, at, 0);
    if (cast_number(cast, &above, 0) != code)
        return true;
    if (at->kind == REAL_ZERO)
        return false;
    below.inexact = true;
    below.significand = wide_subtract(at->significand, (struct wide){0, 1});
    if (!(below.significand.high >> 63)) { /* it was a power of two */
        below.significand = (struct wide){UINT64_MAX, UINT64_MAX};
        below.exponent--;
    }
    return cast_number(cast, &below, 0) != code;
}

/* y in quarters of an ulp, of which there are 2^shift to 2^(shift+1), modulo 32 and with
 * FRACTION_BITS: the last of these is set where others are lost. */
static struct wide in_quarters(const struct real *y, int shift) {
    int up = shift + FRACTION_BITS - 127;
    if (up >= 0)
        return wide_shift_left(y->significand, (unsigned)up);
    struct wide kept = wide_shift_right(y->significand, (unsigned)-up);
    kept.low |= wide_compare(wide_shift_left(kept, (unsigned)-up), y->significand) != 0;
    return kept;
}

double boundary_distance(const struct cast *cast, const struct real *y) {
    const struct format *format = cast->to;
    int quarter = format_ulp_exponent(format, y) - 2, shift = y->exponent - quarter;
    uint64_t count = shift < 0 ? 0 : wide_shift_right(y->significand, (unsigned)(127 - shift)).low;
    int64_t lowest = (int64_t)(count - count % QUARTERS) - REACH;
    const struct wide one = {UINT64_C(1) << (FRACTION_BITS - 64), 0};
    struct wide start = {(uint64_t)lowest << (FRACTION_BITS - 64), 0};
    struct wide place = wide_subtract(in_quarters(y, shift), start);
    const struct wide none = {UINT64_MAX, UINT64_MAX};
    struct wide nearest = none, at = {0, 0};
    for (int i = 0; i <= 2 * REACH + QUARTERS; i++, at = wide_add(at, one)) {
        struct wide distance =
            wide_compare(place, at) < 0 ? wide_subtract(at, place) : wide_subtract(place, at);
        if (lowest + i < 0 || wide_compare(distance, nearest) >= 0)
            continue;
        struct real candidate = multiple((uint64_t)(lowest + i), quarter, y->negative);
        if (is_boundary(cast, &candidate))
            nearest = distance;
    }
    if (wide_compare(nearest, none) == 0)
        return INFINITY;
    double found = wide_to_double(nearest, -FRACTION_BITS - 2), least = boundary_resolution(format);
    const struct real zero = real_zero(y->negative);
    /* Far below the smallest number bits were lost, and 0 is the nearest if it is one. */
    if (shift < -4 && is_boundary(cast, &zero))
        found = ldexp(wide_to_double(y->significand, -127), y->exponent - quarter - 2);
    return y->inexact && found < least ? least : found;
}
