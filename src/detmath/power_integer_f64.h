/* pown, rootn and compoundn in fp64: x^y, x^(1/y) and (1 + x)^y, whose y is an integer of fp64. detmath_NAME is det, within 0.545
 * ulp, and detmath_cr_NAME rounds correctly, unless a result lies within 2^-1174 of itself from a number or a middle between two
 * and is none: power_f64_last.h knows by theory those that are. The kernels and why their errors are no larger:
 * power_integer_f64_lanes.inc.
 *
 * As in power_integer.h, what is no integer from -2^63 to 2^63 - 1 gives NaN, and special cases are C's, Annex F: pown and
 * compoundn have x^0 = 1 even for a NaN that does not signal; rootn is NaN for y = 0, and for x < 0 where y is even; compoundn is
 * NaN for x < -1, and of -1 it is 0, 1 or inf. */
#ifndef DETMATH_POWER_INTEGER_F64_H
#define DETMATH_POWER_INTEGER_F64_H

#include "power_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "power_integer_f64_lanes.inc"

/* Whether y is an integer from -2^63 to 2^63 - 1. */
DETMATH_FUNCTION int detmath_is_long_long_f64(double y) {
    detmath_u64 bits = detmath_bits_f64(y), b = bits & 0x7fffffffffffffffu;
    return b == 0 || (detmath_pow_f64_parity(b) != 2u &&
                      (b < 0x43e0000000000000u || bits == 0xc3e0000000000000u));
}

/* The results, given those of |x|^(1/y) and so on where x is not 0 and finite, for such a y. */
DETMATH_FUNCTION double detmath_pown_f64_special(double x, double y, double power) {
    return detmath_pow_f64_special(detmath_bits_f64(x), detmath_bits_f64(y), power);
}
DETMATH_FUNCTION double detmath_rootn_f64_special(double x, double y, double root) {
    const detmath_u64 infinity = DETMATH_INFINITY_BITS_F64;
    detmath_u64 bits = detmath_bits_f64(x), a = bits & 0x7fffffffffffffffu;
    detmath_u64 odd = detmath_pow_f64_parity(detmath_bits_f64(y) & 0x7fffffffffffffffu);
    detmath_u64 result = detmath_bits_f64(root) | (bits & odd << 63);
    if (a == 0 || a == infinity)
        result = ((a == 0) == (y < 0.0) ? infinity : 0) | (bits & odd << 63);
    if (a > infinity || y == 0.0 || (bits > 0x8000000000000000u && !odd))
        result = DETMATH_NAN_BITS_F64;
    return detmath_from_bits_f64(result);
}
DETMATH_FUNCTION double detmath_compoundn_f64_special(double x, double y, double power) {
    const detmath_u64 infinity = DETMATH_INFINITY_BITS_F64;
    detmath_u64 bits = detmath_bits_f64(x), a = bits & 0x7fffffffffffffffu;
    detmath_u64 result = detmath_bits_f64(power);
    if (x == -1.0 || a == infinity)
        result = (x == -1.0) == (y < 0.0) ? infinity : 0;
    if (a > infinity)
        result = DETMATH_NAN_BITS_F64;
    if (y == 0.0)
        result = 0x3ff0000000000000u;
    if (x < -1.0 || detmath_signals_f64(bits))
        result = DETMATH_NAN_BITS_F64;
    return detmath_from_bits_f64(result);
}

/* det where the steps do not do, and cr's second phase or its last, for an x that is not 0 and finite, and above -1 for compoundn,
 * and a whole y that is not 0. */
DETMATH_SELDOM_FUNCTION double detmath_pown_f64_far(double x, double y) {
    return detmath_pow_f64_far(x, y);
}
DETMATH_SELDOM_FUNCTION double detmath_rootn_f64_far(double x, double y) {
    double rest, sum = detmath_pow_f64_log2_far(x, &rest);
    double quotient = detmath_rootn_f64_quotient(y, sum, &rest);
    return detmath_pow_f64_end(quotient, rest);
}
/* From 2^1000 on 1 + x is x but for 2^-1000 of it. */
DETMATH_SELDOM_FUNCTION double detmath_compoundn_f64_far(double x, double y) {
    if (x >= 0x1p1000)
        return detmath_pow_f64_far(x, y);
    double rest, sum = detmath_compoundn_f64_log2(x, &rest);
    double product = detmath_pow_f64_product(y, sum, &rest);
    return detmath_pow_f64_end(product, rest);
}

DETMATH_SELDOM_FUNCTION double detmath_cr_pown_f64_far(double x, double y) {
    return detmath_cr_pow_f64_far(x, y);
}
DETMATH_SELDOM_FUNCTION double detmath_cr_rootn_f64_far(double x, double y) {
    double a = detmath_magnitude_f64(x);
    struct detmath_twofold logarithm = detmath_cr_pow_f64_log2(a);
    double quotient = logarithm.high / y, rest = detmath_fma(-quotient, y, logarithm.high);
    struct detmath_twofold both = detmath_twofold_settled(quotient, (rest + logarithm.low) / y);
    return detmath_cr_pow_f64_of(both, a, y, detmath_rootn_f64_far(x, y), DETMATH_ROOT);
}
DETMATH_SELDOM_FUNCTION double detmath_cr_compoundn_f64_far(double x, double y) {
    detmath_u64 row;
    if (y == 1.0) /* often a middle */
        return x + 1.0;
    double k, more, r = detmath_compoundn_f64_reduce(x, &row, &k, &more);
    struct detmath_twofold logarithm =
        x < 0x1p1000 ? detmath_cr_pow_f64_log2_of(row, k, r, more) : detmath_cr_pow_f64_log2(x);
    struct detmath_twofold product = detmath_twofold_product(logarithm, detmath_twofold_of(y, 0.0));
    return detmath_cr_pow_f64_of(product, x, y, 0.0, DETMATH_COMPOUND);
}

#define DETMATH_POWER_INTEGER_F64_FULL(SUFFIX, WITHIN)                                             \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x, double y) {                \
        int ordinary = detmath_pow_f64_is_finite(x) && (WITHIN) && y != 0.0;                       \
        if (!detmath_is_long_long_f64(y))                                                          \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        return detmath##SUFFIX##_f64_special(x, y,                                                 \
                                             ordinary ? detmath##SUFFIX##_f64_far(x, y) : 1.0);    \
    }                                                                                              \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_last(double x, double y) {                \
        int ordinary = detmath_pow_f64_is_finite(x) && (WITHIN) && y != 0.0;                       \
        if (!detmath_is_long_long_f64(y))                                                          \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        return detmath##SUFFIX##_f64_special(x, y,                                                 \
                                             ordinary ? detmath_cr##SUFFIX##_f64_far(x, y) : 1.0); \
    }
DETMATH_POWER_INTEGER_F64_FULL(_pown, 1)
DETMATH_POWER_INTEGER_F64_FULL(_rootn, 1)
DETMATH_POWER_INTEGER_F64_FULL(_compoundn, x > -1.0)
#undef DETMATH_POWER_INTEGER_F64_FULL

DETMATH_FORMS_BINARY_F64(_pown)
DETMATH_FORMS_BINARY_F64(_rootn)
DETMATH_FORMS_BINARY_F64(_compoundn)

#endif

#include "shield_end.inc"

#endif
