/* log, log2, log10, log1p, log2p1 and log10p1 in fp64: detmath_NAME is det, within 0.55 ulp, and detmath_cr_NAME correctly
 * rounded. The kernels and why their errors are no larger: log_f64_lanes.inc, last_f64.h.
 *
 * A negative operand (of log1p, log2p1 and log10p1: one below -1) and NaN give the canonical NaN, a zero (-1) gives -inf, inf
 * gives inf, and log1p, log2p1 and log10p1 of -0 are -0. */
#ifndef DETMATH_LOG_F64_H
#define DETMATH_LOG_F64_H

#include "last_f64.h"
#include "log_f64_table.h"
#include "quick_f64.h"

#include "shield.inc"

#if !defined(DETMATH_NO_DOUBLE)

#include "one_lane.inc"

#include "log_f64_lanes.inc"

/* y, or what a logarithm gives for the operand of these bits where that is not positive and finite. */
DETMATH_FUNCTION double detmath_log_f64_ends(detmath_u64 bits, double y) {
    detmath_u64 result = bits == DETMATH_INFINITY_BITS_F64 ? bits : detmath_bits_f64(y);
    result = bits > DETMATH_INFINITY_BITS_F64 ? DETMATH_NAN_BITS_F64 : result; /* negative, too */
    result = (bits & detmath_magnitude_mask_f64()) == 0u ? 0xfff0000000000000u : result;
    return detmath_from_bits_f64(result);
}

/* det of any operand: a subnormal one is made normal by 2^1022. */
#define DETMATH_LOG_F64_FULL(SUFFIX)                                                               \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        detmath_u64 bits = detmath_bits_f64(x);                                                    \
        double m, up = bits < 0x0010000000000000u ? 1022.0 : 0.0;                                  \
        double tiny = detmath_from_bits_f64((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);   \
        detmath_u64 normal = up > 0 ? detmath_bits_f64(tiny - 1.0) : bits;                         \
        double k = detmath_log_f64_split(normal, &m) - up;                                         \
        return detmath_log_f64_ends(bits, detmath##SUFFIX##_f64_of(normal, k, m));                 \
    }
DETMATH_LOG_F64_FULL(_log)
DETMATH_LOG_F64_FULL(_log2)
DETMATH_LOG_F64_FULL(_log10)
#undef DETMATH_LOG_F64_FULL

/* Of 1 + x: below 2^-54 log1p is x, and below 2^-20 the others are known by their series in integers. */
DETMATH_FUNCTION double detmath_log1p_f64_small(double x) {
    return x;
}
DETMATH_FUNCTION double detmath_log2p1_f64_small(double x) {
    return detmath_last_small(x, DETMATH_BASE_2, 1);
}
DETMATH_FUNCTION double detmath_log10p1_f64_small(double x) {
    return detmath_last_small(x, DETMATH_BASE_10, 1);
}
#define DETMATH_LOG_F64_NEXT(SUFFIX, BASE, SMALL)                                                  \
    DETMATH_SELDOM_FUNCTION double detmath##SUFFIX##_f64_full(double x) {                          \
        double y = detmath_magnitude_f64(x) < 0x1p-54                                              \
                       ? detmath##SUFFIX##_f64_small(x)                                            \
                       : detmath_log_f64_ends(detmath_bits_f64(x + 1.0), 0.0);                     \
        return detmath_unless_nan_f64(x, y);                                                       \
    }                                                                                              \
    DETMATH_FUNCTION double detmath##SUFFIX##_f64_last(double x) {                                 \
        if (detmath_magnitude_f64(x) < (SMALL))                                                    \
            return detmath##SUFFIX##_f64_small(x);                                                 \
        if (detmath##SUFFIX##_f64_away(x))                                                         \
            return detmath##SUFFIX##_f64_full(x);                                                  \
        return detmath_last_log(x, 1, detmath##SUFFIX##_f64_steps(x), BASE);                       \
    }
DETMATH_LOG_F64_NEXT(_log1p, DETMATH_BASE_E, 0x1p-54)
DETMATH_LOG_F64_NEXT(_log2p1, DETMATH_BASE_2, 0x1p-20)
DETMATH_LOG_F64_NEXT(_log10p1, DETMATH_BASE_10, 0x1p-20)
#undef DETMATH_LOG_F64_NEXT

/* cr of operands that are no NaN. 1, and operands that are not positive and finite, have det's result. Other powers of two and
 * of ten never come here: their results are whole. */
#define DETMATH_LOG_F64_LAST(SUFFIX, BASE)                                                         \
    DETMATH_FUNCTION double detmath##SUFFIX##_f64_last(double x) {                                 \
        double near = detmath##SUFFIX##_f64_full(x);                                               \
        if (detmath_bits_f64(x) - 1u >= DETMATH_INFINITY_BITS_F64 - 1u || near == 0.0)             \
            return near;                                                                           \
        return detmath_last_log(x, 0, near, BASE);                                                 \
    }
DETMATH_LOG_F64_LAST(_log, DETMATH_BASE_E)
DETMATH_LOG_F64_LAST(_log2, DETMATH_BASE_2)
DETMATH_LOG_F64_LAST(_log10, DETMATH_BASE_10)
#undef DETMATH_LOG_F64_LAST

DETMATH_FORMS_QUICK_F64(_log)
DETMATH_FORMS_QUICK_F64(_log2)
DETMATH_FORMS_F64(_log10)
DETMATH_FORMS_F64(_log1p)
DETMATH_FORMS_F64(_log2p1)
DETMATH_FORMS_F64(_log10p1)

#endif

#include "shield_end.inc"

#endif
