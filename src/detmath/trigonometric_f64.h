/* sin, cos, sincos and tan in fp64, and sinpi, cospi and tanpi: detmath_NAME is det, within 0.55 ulp, and detmath_cr_NAME correctly
 * rounded. The kernels and why their errors are no larger: trigonometric_f64_lanes.inc, trigonometric_last_f64.h.
 *
 * Operands are in radians, or in half turns, and any finite number does. Infinities and NaN give the canonical NaN; sin(-0) =
 * tan(-0) = -0. As IEEE 754 has it, sinpi of a whole number is 0 with that sign, and cospi of n + 1/2 is +0; tanpi is odd, of 0,
 * 1/2, 1 and 3/2 it is 0, inf, -0 and -inf, and so on. Subnormal results are rounded once. */
#ifndef DETMATH_TRIGONOMETRIC_F64_H
#define DETMATH_TRIGONOMETRIC_F64_H

#include "trigonometric_f64_table.h"
#include "trigonometric_last_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

/* Four times two words of 2/pi, whose bit *shift is that of `place`, and a row of the table: library/lanes_f64.h has those of
 * vectors. */
DETMATH_FUNCTION detmath_u64 detmath_turn_words_f64(detmath_u64 place,
                                                    DETMATH_PRIVATE detmath_u64 *shift,
                                                    DETMATH_PRIVATE detmath_u64 *b,
                                                    DETMATH_PRIVATE detmath_u64 *c,
                                                    DETMATH_PRIVATE detmath_u64 *d) {
    detmath_u32 first = (detmath_u32)(place >> 5);
    *shift = place & 31u;
    *b = detmath_turn_words(first + 2u);
    *c = detmath_turn_words(first + 4u);
    *d = detmath_turn_words(first + 6u);
    return detmath_turn_words(first);
}
DETMATH_FUNCTION struct detmath_row_f64 detmath_trig_f64_row(detmath_u64 place) {
    return detmath_row_f64_of(detmath_trig_f64_rows, place);
}

DETMATH_FUNCTION double detmath_unless_small_f64(double size, double y) {
    return size > 0x1p-30 ? y : size;
}
/* y, which is no -0, with its sign changed by that of `turns` where it is not 0. */
DETMATH_FUNCTION double detmath_turned_but_zero_f64(double y, detmath_u64 turns) {
    detmath_u64 words = detmath_bits_f64(y); /* of which +0 alone has no bits */
    return detmath_from_bits_f64(words ^ (turns & (words | (0u - words))));
}

#include "one_lane.inc"

#include "trigonometric_f64_lanes.inc"

/* Of one number what is beyond 2^40 goes a way of its own. Infinities and NaN have the canonical NaN, and in the last phase of sin
 * and tan a number below 2^-30 is its own result, as in the steps. */
#define DETMATH_TRIG_F64_FORMS(SUFFIX, LEAST, LAST)                                                \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        if (detmath##SUFFIX##_f64_away(x))                                                         \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        return detmath##SUFFIX##_f64_steps(x);                                                     \
    }                                                                                              \
    DETMATH_FUNCTION double detmath##SUFFIX(double x) {                                            \
        double size = detmath_magnitude_f64(x);                                                    \
        return DETMATH_SELDOM(!(size <= 0x1p40))                                                   \
                   ? detmath_cleared_f64(detmath##SUFFIX##_f64_full(x))                            \
                   : detmath##SUFFIX##_f64_of(x, detmath_trig_f64_near(size));                     \
    }                                                                                              \
    DETMATH_FUNCTION double detmath##SUFFIX##_f64_last(double x) {                                 \
        if (detmath##SUFFIX##_f64_away(x))                                                         \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        return detmath_magnitude_f64(x) < (LEAST) ? x : LAST;                                      \
    }                                                                                              \
    DETMATH_SELDOM_FUNCTION double detmath_cr##SUFFIX##_f64_full(double x) {                       \
        double other, y = detmath_cr##SUFFIX##_f64_steps(x, &other);                               \
        if (detmath##SUFFIX##_f64_away(x) || detmath_bits_f64(y) != detmath_bits_f64(other))       \
            return detmath##SUFFIX##_f64_last(x);                                                  \
        return y;                                                                                  \
    }                                                                                              \
    DETMATH_FUNCTION double detmath_cr##SUFFIX(double x) {                                         \
        double size = detmath_magnitude_f64(x), other;                                             \
        double y = detmath_cr##SUFFIX##_f64_first_of(x, detmath_trig_f64_near(size), &other);      \
        int differ = detmath_bits_f64(y) != detmath_bits_f64(other);                               \
        return DETMATH_SELDOM(!(size <= 0x1p40) || differ)                                         \
                   ? detmath_cleared_f64(detmath_cr##SUFFIX##_f64_full(x))                         \
                   : y;                                                                            \
    }
DETMATH_TRIG_F64_FORMS(_sin, 0x1p-30, detmath_last_turned(x, detmath_last_angle_of(x), 0))
DETMATH_TRIG_F64_FORMS(_cos, 0.0, detmath_last_turned(x, detmath_last_angle_of(x), 1))
DETMATH_TRIG_F64_FORMS(_tan, 0x1p-30, detmath_last_tan(x, detmath_last_angle_of(x)))
#undef DETMATH_TRIG_F64_FORMS

/* Of pi x. Where the steps do not do x is small, and the last phase does, since only it rounds a subnormal result once. */
#define DETMATH_TRIG_PI_F64_FORMS(SUFFIX, LAST)                                                    \
    DETMATH_FUNCTION double detmath##SUFFIX##_f64_last(double x) {                                 \
        if (!(detmath_magnitude_f64(x) <= 0x1.fffffffffffffp1023))                                 \
            return detmath_from_bits_f64(DETMATH_NAN_BITS_F64);                                    \
        struct detmath_last_angle angle = detmath_last_angle_of_pi(x);                             \
        return angle.a.y.word[2] ? (LAST) : detmath##SUFFIX##_f64_steps(x);                        \
    }                                                                                              \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        return detmath##SUFFIX##_f64_last(x);                                                      \
    }                                                                                              \
    DETMATH_FORMS_F64(SUFFIX)
DETMATH_TRIG_PI_F64_FORMS(_sinpi, detmath_last_turned(x, angle, 0))
DETMATH_TRIG_PI_F64_FORMS(_cospi, detmath_last_turned(x, angle, 1))
/* The tangent of an angle as small as that is its sine, to 2^-790. */
DETMATH_TRIG_PI_F64_FORMS(_tanpi, detmath_trig_f64_tiny(x) ? detmath_last_turned(x, angle, 0)
                                                           : detmath_last_tan(x, angle))
#undef DETMATH_TRIG_PI_F64_FORMS

/* The same bits as sin and cos. */
DETMATH_FUNCTION void detmath_sincos(double x, DETMATH_PRIVATE double *sine,
                                     DETMATH_PRIVATE double *cosine) {
    double size = detmath_magnitude_f64(x);
    struct detmath_angle_f64 angle = detmath_trig_f64_near(size);
    *sine = detmath_sin_f64_of(x, angle);
    *cosine = detmath_cos_f64_of(x, angle);
    if (DETMATH_SELDOM(!(size <= 0x1p40))) {
        *sine = detmath_cleared_f64(detmath_sin_f64_full(x));
        *cosine = detmath_cleared_f64(detmath_cos_f64_full(x));
    }
}
DETMATH_FUNCTION void detmath_cr_sincos(double x, DETMATH_PRIVATE double *sine,
                                        DETMATH_PRIVATE double *cosine) {
    double size = detmath_magnitude_f64(x), other, other_cosine;
    struct detmath_angle_f64 angle = detmath_trig_f64_near(size);
    *sine = detmath_cr_sin_f64_first_of(x, angle, &other);
    *cosine = detmath_cr_cos_f64_first_of(x, angle, &other_cosine);
    if (DETMATH_SELDOM(!(size <= 0x1p40) || detmath_bits_f64(*sine) != detmath_bits_f64(other)))
        *sine = detmath_cleared_f64(detmath_cr_sin_f64_full(x));
    if (DETMATH_SELDOM(!(size <= 0x1p40) ||
                       detmath_bits_f64(*cosine) != detmath_bits_f64(other_cosine)))
        *cosine = detmath_cleared_f64(detmath_cr_cos_f64_full(x));
}

#endif

#include "shield_end.inc"

#endif
