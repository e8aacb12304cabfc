/* From a core's double to the one right rounding, in fp32 and in the narrow formats.
 *
 * A core is a function in double, precise to about 2^-52. Rounding its result is right unless the
 * exact result lies about that near to where the rounding changes. The inputs where it is wrong are
 * found by trying all 2^32 and put in a table (DETMATH_EXCEPTIONS); as the core's bits are the same
 * on every machine, that trial is the proof. */
#ifndef DETMATH_ROUND_H
#define DETMATH_ROUND_H

#include "core.h"

#include "formats.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* The exact value of a code; NaN is the canonical one. */
DETMATH_FUNCTION double detmath_decode(detmath_u32 code, struct detmath_format format) {
    detmath_u32 magnitude = code & (format.sign_bit - 1u);
    detmath_u64 sign = (code & format.sign_bit) ? 0x8000000000000000u : 0;
    detmath_i32 fraction_bits = format.precision - 1;
    detmath_u64 fraction = magnitude & ((1u << fraction_bits) - 1u);
    detmath_i32 biased = (detmath_i32)(magnitude >> fraction_bits);
    if (code == format.nan || magnitude > format.max_finite)
        return detmath_from_bits_f64(magnitude == format.overflow && format.overflow != format.nan
                                         ? sign | 0x7ff0000000000000u
                                         : 0x7ff8000000000000u);
    if (magnitude == 0)
        return detmath_from_bits_f64(sign);
    if (biased == 0) { /* subnormal: shift up to the hidden bit */
        biased = 1;
        for (; !(fraction >> fraction_bits); fraction <<= 1)
            biased--;
        fraction &= ((detmath_u64)1 << fraction_bits) - 1;
    }
    detmath_u64 exponent = (detmath_u64)(biased - 1 + format.emin + 1023);
    return detmath_from_bits_f64(sign | exponent << 52 | fraction << (52 - fraction_bits));
}

/* The code of a core's result, rounded once to nearest-even. */
DETMATH_FUNCTION detmath_u32 detmath_encode(double y, struct detmath_format format) {
    detmath_u64 bits = detmath_bits_f64(y), magnitude = bits & detmath_magnitude_mask_f64();
    detmath_u32 sign = bits >> 63 ? format.sign_bit : 0;
    if (magnitude > 0x7ff0000000000000u)
        return format.nan;
    detmath_i32 exponent = (detmath_i32)(magnitude >> 52) - 1023;
    detmath_u64 significand = (magnitude & 0xfffffffffffffu) | 0x10000000000000u;
    detmath_i32 below = exponent < format.emin ? format.emin - exponent : 0;
    detmath_i32 shift = 53 - format.precision + below;
    detmath_u64 integer = 0;
    if (shift <= 53 && exponent > -1023) { /* else less than half the smallest, or zero */
        detmath_u64 middle = (detmath_u64)1 << (shift - 1);
        integer = (significand + (middle - 1) + (significand >> shift & 1)) >> shift;
    }
    /* The hidden bit, or a carry into it, adds 1 to the exponent field. */
    if (exponent > format.emin) /* of a value far too large, more than the largest code */
        integer += (detmath_u64)(exponent - format.emin) << (format.precision - 1);
    if (integer > format.max_finite)
        return format.overflow == format.nan ? format.nan : sign | format.overflow;
    detmath_u32 minus_zero_is_nan = sign == format.nan && integer == 0;
    return minus_zero_is_nan ? 0 : sign | (detmath_u32)integer;
}

/* An input for which rounding the core is wrong, and the right result. */
struct detmath_exception {
    detmath_u32 input, result;
};

/* detmath_exceptions_NAME: the exceptional inputs. The last row stands for none. */
#define DETMATH_EXCEPTIONS(NAME)                                                                   \
    DETMATH_CONSTANT struct detmath_exception detmath_exceptions_##NAME[]
#define DETMATH_NO_MORE                                                                            \
    { 0xffffffffu, DETMATH_NAN_BITS }

/* Whether a core's result is within `window` units of its last place, a power of two, of a middle
 * between two floats that are not subnormal. */
DETMATH_FUNCTION detmath_u32 detmath_round_is_near(double core, detmath_u32 window) {
    detmath_u32 low = (detmath_u32)detmath_bits_f64(core);
    return ((low + window + 0x10000000u) & (0x1fffffffu & ~(2u * window - 1u))) == 0;
}

/* The core's result rounded to fp32. Adds to *doubt where that may be wrong: near the middle
 * between two floats, within `window` units of the core's last place, or where an operand or the
 * result is subnormal and the hardware may flush it. */
DETMATH_FUNCTION float detmath_round_quick(float x, double core, detmath_u32 window,
                                           DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u64 bits = detmath_bits_f64(core);
    detmath_u32 low = (detmath_u32)bits, high = (detmath_u32)(bits >> 32) & 0x7fffffffu;
    detmath_u32 near = detmath_round_is_near(core, window);
    detmath_u32 tiny_result = (high < 0x38100000u) & ((high | low) != 0u);
    detmath_u32 tiny_operand = detmath_magnitude_f32(x) - 1u < 0x007fffffu;
    *doubt |= near | tiny_result | tiny_operand;
    detmath_u32 result = detmath_bits_f32((float)core);
    result = (result & 0x7fffffffu) > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : result;
    return detmath_from_bits_f32(result);
}

/* The bits for an input in the table; false where it is not. */
DETMATH_FUNCTION int detmath_exceptional(detmath_u32 input, DETMATH_PRIVATE detmath_u32 *result,
                                         DETMATH_CONSTANT_POINTER struct detmath_exception *table) {
    for (; table->input != 0xffffffffu; table++)
        if (table->input == input) {
            *result = table->result;
            return 1;
        }
    return 0;
}

/* The same for a quick core's normal result, and in the top bit of *doubt: only near the middle. */
DETMATH_FUNCTION float detmath_round_normal(double core, detmath_u32 window,
                                            DETMATH_PRIVATE detmath_u32 *doubt) {
    detmath_u32 low = (detmath_u32)detmath_bits_f64(core);
    detmath_u32 near = (low + window + 0x10000000u) & 0x1fffffffu;
    *doubt |= (near - (2u * window + 1u)) & 0x80000000u;
    return (float)core;
}

/* The functions that follow from detmath_core_NAME and detmath_exceptions_NAME:
 *   detmath_cr_NAME_quick  for array forms: see detmath_round_quick
 *   detmath_cr_NAME_code   correctly rounded in any format, code to code
 *   detmath_cr_NAMEf       correctly rounded in fp32 */
#define DETMATH_CORRECTLY_ROUNDED(NAME, WINDOW)                                                    \
    DETMATH_CORRECTLY_ROUNDED_PARTS(_##NAME, WINDOW)                                               \
    DETMATH_CORRECTLY_ROUNDED_SCALAR(_##NAME)

/* The same without detmath_cr_NAMEf, for a function that has a quicker one. */
#define DETMATH_CORRECTLY_ROUNDED_PARTS(SUFFIX, WINDOW)                                            \
    DETMATH_FUNCTION float detmath_cr##SUFFIX##_quick(float x,                                     \
                                                      DETMATH_PRIVATE detmath_u32 *doubt) {        \
        return detmath_round_quick(x, detmath_core##SUFFIX((double)x), WINDOW, doubt);             \
    }                                                                                              \
    DETMATH_CORRECTLY_ROUNDED_CODE(SUFFIX)

/* The same, where there is a quicker core for arrays and for the first try of scalars, whose error
 * is well within the window for LOW <= OF < HIGH, the bits or the magnitude of x. Scalars may take
 * another form of it, detmath_SCALAR_NAME (SUFFIX is _NAME). A zero is slow for scalars, if LOW is
 * not 0. */
#define DETMATH_QUICKLY_ROUNDED(NAME, OF, LOW, HIGH, WINDOW)                                       \
    DETMATH_QUICKLY_ROUNDED_BY(_##NAME, quick_core, OF, LOW, HIGH, WINDOW)
#define DETMATH_QUICKLY_ROUNDED_BY(SUFFIX, SCALAR, OF, LOW, HIGH, WINDOW)                          \
    DETMATH_FUNCTION float detmath_cr##SUFFIX##_quick(float x,                                     \
                                                      DETMATH_PRIVATE detmath_u32 *doubt) {        \
        *doubt |= detmath_outside_##OF(x, LOW, HIGH);                                              \
        return detmath_round_normal(detmath_quick_core##SUFFIX(x), WINDOW, doubt);                 \
    }                                                                                              \
    DETMATH_CORRECTLY_ROUNDED_CODE(SUFFIX)                                                         \
    DETMATH_QUICKLY_ROUNDED_SCALAR(SUFFIX, SCALAR, OF, LOW, HIGH, WINDOW)
#define DETMATH_QUICKLY_ROUNDED_SCALAR(SUFFIX, SCALAR, OF, LOW, HIGH, WINDOW)                      \
    DETMATH_FUNCTION float detmath_cr##SUFFIX##f(float x) {                                        \
        if (DETMATH_SELDOM(detmath_is_outside_##OF(x, LOW, HIGH)))                                 \
            return detmath_cr##SUFFIX##_slow(x);                                                   \
        double y = detmath_##SCALAR##SUFFIX(x);                                                    \
        if (DETMATH_SELDOM(detmath_round_is_near(y, WINDOW)))                                      \
            return detmath_cr##SUFFIX##_slow(x);                                                   \
        return (float)y;                                                                           \
    }

/* The same, with detmath_cr_NAME_by for array forms, which is handed what they have looked up in a table (core.h). */
#define DETMATH_QUICKLY_ROUNDED_COLUMN(SUFFIX, OF, LOW, HIGH, WINDOW)                              \
    DETMATH_FUNCTION float detmath_cr##SUFFIX##_by(float x, DETMATH_PRIVATE const double *column,  \
                                                   DETMATH_PRIVATE detmath_u32 *doubt) {           \
        *doubt |= detmath_outside_##OF(x, LOW, HIGH);                                              \
        return detmath_round_normal(detmath_quick##SUFFIX##_of(x, column), WINDOW, doubt);         \
    }                                                                                              \
    DETMATH_QUICKLY_ROUNDED_BY(SUFFIX, quick_core, OF, LOW, HIGH, WINDOW)

/* The same by the core itself: what array forms need not look for, where LOW <= OF < HIGH, are NaN and
 * subnormal numbers. There the results are normal, or zeros of the right sign. */
#define DETMATH_NORMALLY_ROUNDED(NAME, OF, LOW, HIGH, WINDOW)                                      \
    DETMATH_FUNCTION float detmath_cr_##NAME##_quick(float x,                                      \
                                                     DETMATH_PRIVATE detmath_u32 *doubt) {         \
        *doubt |= detmath_outside_##OF(x, LOW, HIGH);                                              \
        return detmath_round_normal(detmath_core_##NAME((double)x), WINDOW, doubt);                \
    }                                                                                              \
    DETMATH_CORRECTLY_ROUNDED_CODE(_##NAME)                                                        \
    DETMATH_CORRECTLY_ROUNDED_SCALAR(_##NAME)

/* The parts, for functions that have one of them differently. What is handed from macro to macro is
 * _NAME, since NAME itself may be a macro: OpenCL's functions are, in PoCL. First
 * detmath_cr_NAME_code, and detmath_cr_NAME_slow, right for every x. */
#define DETMATH_CORRECTLY_ROUNDED_CODE(SUFFIX)                                                     \
    DETMATH_FUNCTION detmath_u32 detmath_cr##SUFFIX##_code(detmath_u32 code,                       \
                                                           struct detmath_format format) {         \
        return detmath_encode(detmath_core##SUFFIX(detmath_decode(code, format)), format);         \
    }                                                                                              \
    DETMATH_SELDOM_FUNCTION float detmath_cr##SUFFIX##_slow(float x) {                             \
        detmath_u32 result, input = detmath_bits_f32(x);                                           \
        if (!detmath_exceptional(input, &result, detmath_exceptions##SUFFIX))                      \
            result = detmath_cr##SUFFIX##_code(input, detmath_formats[DETMATH_F32]);               \
        return detmath_from_bits_f32(result);                                                      \
    }

/* detmath_cr_NAMEf from detmath_cr_NAME_quick and detmath_cr_NAME_slow. */
#define DETMATH_CORRECTLY_ROUNDED_SCALAR(SUFFIX)                                                   \
    DETMATH_FUNCTION float detmath_cr##SUFFIX##f(float x) {                                        \
        detmath_u32 doubt = 0;                                                                     \
        float quick = detmath_cr##SUFFIX##_quick(x, &doubt);                                       \
        return DETMATH_SELDOM(doubt) ? detmath_cr##SUFFIX##_slow(x) : quick;                       \
    }

#endif

#include "shield_end.inc"

#endif
