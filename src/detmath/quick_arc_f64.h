/* First candidates of atan for one number of fp64, as quick_f64.h has those of others, by a table that needs no quotient below 1.
 * Coefficients and the table: quick_arc_f64.sollya.
 *
 * w is |x|, or 1/|x| where that is less, in two parts, w and rest. With row j next to 64 w, z = w - j/64 is exact and at most 2^-7. The
 * arctangent is A + z B + z^2 p, of which A and B have two parts. Where |x| is above 1 it is A - z B - z^2 p, and A is what the row's lacks to
 * pi/2. z^2 and p are taken of z + rest. The polynomials leave 2^-65.16 (quick_arc) of it. z^2 p is at most 2^-13 of it, in row 1, and
 * z^2, two sums of p and the tail round it, which loses 4 2^-66; the sum of the tail with what is wrong loses 2^-66. That makes 2^-63.2 of the
 * result. Beyond 1 the result is above 0.78 and z^2 p below 2^-15.6, and the rounding of z + rest loses twice more of it: less. So 2^-63 of
 * the result is taken for what is wrong.
 *
 * det. inverse_trigonometric_f64_lanes.inc counts 2^-61.7 of the result, which with 2^-63 is less than 0x1.dp-62: as quick_f64.h says of pow,
 * candidates that are so far apart have det's bits where they agree. */
#ifndef DETMATH_QUICK_ARC_F64_H
#define DETMATH_QUICK_ARC_F64_H

#include "quick_arc_f64_table.h"

#include "shield.inc"

#if defined(DETMATH_QUICK_F64)

/* The row next to w, z, and p of z + rest. */
DETMATH_INLINED DETMATH_CONSTANT_POINTER double *
detmath_quick_f64_arc_row(double w, double rest, DETMATH_PRIVATE double *z,
                          DETMATH_PRIVATE double *square, DETMATH_PRIVATE double *p) {
    double near = w + 0x1.8p46;
    DETMATH_CONSTANT_POINTER double *row =
        &detmath_quick_f64_arcs[13u * (detmath_bits_f64(near) & 127u)];
    *z = w - (near - 0x1.8p46);
    double all = *z + rest, s = detmath_product(all, all);
    double d = detmath_fma(s, row[10], detmath_fma(all, row[9], row[8]));
    double c = detmath_fma(s, d, detmath_fma(all, row[7], row[6]));
    *p = detmath_fma(s, c, detmath_fma(all, row[5], row[4]));
    *square = s;
    return row;
}

/* Both candidates of atan x but for the sign, where what is wrong is that part of it. */
DETMATH_INLINED double detmath_quick_f64_arc(double x, double wrong, DETMATH_PRIVATE double *other,
                                             DETMATH_PRIVATE detmath_u64 *away) {
    DETMATH_CONSTANT_POINTER double *row;
    double z, square, p, sum, low, size = detmath_magnitude_f64(x);
    detmath_u32 top = (detmath_u32)(detmath_bits_f64(size) >> 32);
    if (size > 1.0) {
        double w = 1.0 / size, rest = detmath_product(detmath_fma(-w, size, 1.0), w);
        row = detmath_quick_f64_arc_row(w, rest, &z, &square, &p);
        sum = detmath_fma(-z, row[2], row[11]);
        low = detmath_fma(-z, row[2], row[11] - sum);
        low = detmath_fma(-z, row[3], row[12]) + detmath_fma(-rest, row[2], low);
        low = detmath_fma(-square, p, low);
    } else {
        row = detmath_quick_f64_arc_row(size, 0.0, &z, &square, &p);
        sum = detmath_fma(z, row[2], row[0]);
        low = detmath_fma(z, row[2], row[0] - sum);
        low = detmath_fma(square, p, detmath_fma(z, row[3], row[1]) + low);
    }
    *away = detmath_ones_f64(top - 0x3c900000u >= 0x07600000u); /* 2^-54, 2^64 */
    wrong = detmath_product(sum, wrong);
    *other = sum + (low + wrong);
    return sum + (low - wrong);
}
DETMATH_INLINED double detmath_cr_atan_f64_quick(double x, DETMATH_PRIVATE double *other,
                                                 DETMATH_PRIVATE detmath_u64 *away) {
    return detmath_quick_f64_arc(x, 0x1p-63, other, away);
}
DETMATH_INLINED double detmath_atan_f64_quick(double x, DETMATH_PRIVATE double *other,
                                              DETMATH_PRIVATE detmath_u64 *away) {
    return detmath_quick_f64_arc(x, 0x1.dp-62, other, away);
}

#endif

#include "shield_end.inc"

#endif
