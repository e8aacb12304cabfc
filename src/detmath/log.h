/* log, log2, log10, and log1p, log2p1, log10p1 of 1 + x. Coefficients, the table and their bounds: log.sollya.
 *
 * All reduce to 2^n (1 + f). A negative operand (of 1 + x: one below -1) and NaN give the
 * canonical NaN, a zero (-1) gives -inf, inf gives inf, log1p(-0) = -0. The errors are the budgets in
 * functions.inc. */
#ifndef DETMATH_LOG_H
#define DETMATH_LOG_H

#include "core.h"
#include "log_table.h"
#include "round.h"

#include "shield.inc"

/* f such that the positive normal number of these bits is 2^n (1 + f), sqrt(1/2) <= 1 + f <
 * sqrt(2). Every compiler's >> of a negative number is a division by a power of two, rounded down.
 */
DETMATH_FUNCTION float detmath_log_reduce(detmath_u32 bits, DETMATH_PRIVATE detmath_i32 *n) {
    detmath_u32 scaled = bits - 0x3f3504f3u;
    *n = (detmath_i32)scaled >> 23;
    return detmath_from_bits_f32((scaled & 0x007fffffu) + 0x3f3504f3u) - 1.0f;
}

/* ln(1 + f) in two parts. The polynomial is (ln(1 + f) - f + f^2/2) / f^3 to 2^-23.85 (float_log).
 */
DETMATH_FUNCTION float detmath_log_parts(float f, DETMATH_PRIVATE float *low) {
    float p = detmath_fmaf(f, 0x1.205246p-4f, -0x1.d78ad8p-4f);
    p = detmath_fmaf(f, p, 0x1.de36f2p-4f);
    p = detmath_fmaf(f, p, -0x1.fcbdfep-4f);
    p = detmath_fmaf(f, p, 0x1.23d504p-3f);
    p = detmath_fmaf(f, p, -0x1.555c92p-3f);
    p = detmath_fmaf(f, p, 0x1.999d46p-3f);
    p = detmath_fmaf(f, p, -0x1.fffff8p-3f);
    p = detmath_fmaf(f, p, 0x1.555554p-2f);
    float halved = detmath_productf(f, 0.5f);
    float square = detmath_productf(f, halved);
    float square_low = detmath_fmaf(f, halved, -square);
    float cube = detmath_productf(detmath_productf(f, f), f);
    float high = f - square;
    *low = ((f - high) - square) + detmath_fmaf(cube, p, -square_low);
    return high;
}

/* base + high + low, where base is 0 or |base| >= |high|. */
DETMATH_FUNCTION float detmath_log_sum(float base, float high, float low) {
    float sum = base + high;
    float rest = (base - sum) + high; /* exact */
    return sum + (rest + low);
}

/* y, or what a logarithm gives for the operand of these bits where that is not positive and
 * finite. */
DETMATH_FUNCTION float detmath_log_ends(detmath_u32 bits, float y) {
    detmath_u32 result = bits == DETMATH_INFINITY_BITS ? bits : detmath_bits_f32(y);
    result = bits > DETMATH_INFINITY_BITS ? DETMATH_NAN_BITS : result; /* negative ones too */
    result = (bits & detmath_magnitude_mask()) == 0 ? 0xff800000u : result;
    return detmath_from_bits_f32(result);
}

#include "one_lane.inc"

#include "log_lanes.inc"

/* The functions come in three forms with the same bits: see exp.h. The quick one is in doubt unless
 * x is positive, normal and finite. */
#define DETMATH_LOG_FORMS(NAME)                                                                    \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        detmath_i32 up;                                                                            \
        detmath_u32 bits = detmath_bits_f32(x), normal = detmath_normalized_f32(bits, &up);        \
        float m, k = detmath_log_split(normal, &m);                                                \
        return detmath_log_ends(bits, detmath_##NAME##_of(normal, k - (float)(up * 0x800000), m)); \
    }                                                                                              \
    DETMATH_LOG_QUICK(_##NAME)
#define DETMATH_LOG_QUICK(SUFFIX)                                                                  \
    DETMATH_FUNCTION float detmath##SUFFIX##_quick(float x, DETMATH_PRIVATE detmath_u32 *doubt) {  \
        *doubt |= detmath##SUFFIX##_away(x) < DETMATH_REACH##SUFFIX ? 0u : 0x80000000u;            \
        return detmath##SUFFIX##_steps(x);                                                         \
    }                                                                                              \
    DETMATH_QUICK_OR_FULL(SUFFIX)

DETMATH_LOG_FORMS(log)
DETMATH_LOG_FORMS(log2)
DETMATH_LOG_FORMS(log10)

/* ln(1 + f + f_low) in two parts, for an f_low that is far below 1. */
DETMATH_FUNCTION float detmath_log_parts_of(float f, float f_low, DETMATH_PRIVATE float *low) {
    float high = detmath_log_parts(f, low);
    *low += detmath_fmaf(detmath_fmaf(f, f, -f), f_low, f_low); /* f_low / (1 + f) */
    return high;
}

/* The others of 1 + x. Beyond 2^100 that is close enough to x. Where |x| < 2^-30 the logarithm is x
 * log(e), with less than 2^-31 of it to come, and subnormal numbers are made of integers. */
#define DETMATH_LOG_OF_NEXT(NAME, LOG, SMALL)                                                      \
    DETMATH_FUNCTION float detmath_##NAME##_full(float x) {                                        \
        float m, sum = 1.0f + x, near = detmath_##NAME##_steps(x);                                 \
        detmath_u32 bits = detmath_bits_f32(sum);                                                  \
        float k = detmath_log_split(bits, &m), far = detmath_##LOG##_of(bits, k, m);               \
        float y = detmath_log1p_away(x) < DETMATH_REACH_log1p ? near : far;                        \
        y = detmath_log_ends(bits, y);                                                             \
        detmath_u32 small = detmath_magnitude_f32(x) < 0x30800000u;                                \
        return detmath_unless_nan(x, small ? SMALL : y);                                           \
    }                                                                                              \
    DETMATH_LOG_QUICK(_##NAME)

DETMATH_LOG_OF_NEXT(log1p, log, x)
DETMATH_LOG_OF_NEXT(log2p1, log2, detmath_multiple(x, 0x1.715476p0f, 0x1.4ae0cp-26f))
DETMATH_LOG_OF_NEXT(log10p1, log10, detmath_multiple(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f))

#if !defined(DETMATH_NO_DOUBLE)

/* The cores take the value of any fp32 number and are precise to about 2^-52. */

/* 0, or what a logarithm gives for an x that is not positive and finite. Added to n, it replaces
 * the result with no branch that the load from the table could move into. */
DETMATH_FUNCTION double detmath_core_log_ends(double x) {
    detmath_u64 bits = detmath_bits_f64(x);
    detmath_u64 end = bits == 0x7ff0000000000000u ? bits : 0u;
    end = bits > 0x7ff0000000000000u ? 0x7ff8000000000000u : end; /* negative ones too */
    end = (bits & detmath_magnitude_mask_f64()) == 0u ? 0xfff0000000000000u : end;
    return detmath_from_bits_f64(end);
}

/* x, if positive, is 2^*n (1 + r) / inverse for the row's inverse, |r| <= 2^-7.00
 * (log_table_reach). The result is the row's index, and r is exact where x has 24 bits. */
DETMATH_FUNCTION detmath_u64 detmath_core_log_reduce(double x, double *n, double *r) {
    detmath_u64 scaled = detmath_bits_f64(x) + (0x3ff0000000000000u - DETMATH_LOG_START);
    detmath_u64 row = (scaled >> 46) & 63u;
    double m = detmath_from_bits_f64((scaled & 0xfffffffffffffu) + DETMATH_LOG_START);
    *n = detmath_from_bits_f64(0x4330000000000000u | scaled >> 52) - (0x1p52 + 1023.0);
    *n += detmath_core_log_ends(x);
    *r = detmath_fma(m, detmath_log_table[row].inverse, -1.0);
    return row;
}

/* (ln(1 + r) - r) / r^2, the logarithm to 2^-57.15 (double_log). */
DETMATH_FUNCTION double detmath_core_log_bend(double r) {
    double square = r * r; /* a factor only */
    double p = detmath_fma(r, 0x1.24982c5f006d5p-3, -0x1.555b64340031ep-3);
    double q = detmath_fma(r, 0x1.9999998f25bb3p-3, -0x1.fffffff76fd95p-3);
    double s = detmath_fma(r, 0x1.5555555555572p-2, -0.5);
    return detmath_fma(square, detmath_fma(square, p, q), s);
}

/* base + ln(1 + r). */
DETMATH_FUNCTION double detmath_core_log_sum(double base, double r) {
    double square = r * r; /* a factor only */
    return base + detmath_fma(square, detmath_core_log_bend(r), r);
}

DETMATH_FUNCTION double detmath_core_log_at(detmath_u64 row, double n, double r) {
    double base = detmath_fma(n, 0x1.62e42fefa39efp-1, detmath_log_table[row].ln);
    return detmath_core_log_sum(base, r);
}

DETMATH_FUNCTION double detmath_core_log(double x) {
    double n, r;
    detmath_u64 row = detmath_core_log_reduce(x, &n, &r);
    return detmath_core_log_at(row, n, r);
}

/* Exact for powers of two, where r is 0; else log2(1 + r) is right to 2^-55.85 (double_log2). */
DETMATH_FUNCTION double detmath_core_log2_at(detmath_u64 row, double n, double r) {
    double square = r * r; /* a factor only */
    double p = detmath_fma(r, 0x1.a7c2404b52028p-3, -0x1.ec7ad3173f454p-3);
    double q = detmath_fma(r, 0x1.2776bf42075dbp-2, -0x1.715476486440ep-2);
    double s = detmath_fma(r, 0x1.ec709dc3abe6bp-2, -0x1.71547652b8328p-1);
    p = detmath_fma(square, detmath_fma(square, p, q), s);
    p = detmath_fma(r, p, 0x1.71547652b82fep0);
    return detmath_fma(r, p, n + detmath_log_table[row].log2);
}

DETMATH_FUNCTION double detmath_core_log2(double x) {
    double n, r;
    detmath_u64 row = detmath_core_log_reduce(x, &n, &r);
    return detmath_core_log2_at(row, n, r);
}

/* The whole results are of powers of ten; they are no middles between two numbers of a format.
 * log10(1 + r) is right to 2^-55.09 (double_log10). */
DETMATH_FUNCTION double detmath_core_log10_at(detmath_u64 row, double n, double r) {
    double square = r * r; /* a factor only */
    double p = detmath_fma(r, 0x1.ffcf7b9e6da7fp-5, -0x1.288098a1c17cep-4);
    double q = detmath_fma(r, 0x1.63c61afb3e215p-4, -0x1.bcb7b1460f736p-4);
    double s = detmath_fma(r, 0x1.287a763700c53p-3, -0x1.bcb7b1526e54p-3);
    p = detmath_fma(square, detmath_fma(square, p, q), s);
    p = detmath_fma(r, p, 0x1.bcb7b1526e50ep-2);
    double base = detmath_fma(n, 0x1.34413509f79ffp-2, detmath_log_table[row].log10);
    return detmath_fma(r, p, base);
}

DETMATH_FUNCTION double detmath_core_log10(double x) {
    double n, r;
    detmath_u64 row = detmath_core_log_reduce(x, &n, &r);
    return detmath_core_log10_at(row, n, r);
}

/* The same of a sum and what rounding it lost, which is added to r. */
DETMATH_FUNCTION detmath_u64 detmath_core_log_reduce_sum(double sum, double lost,
                                                         DETMATH_PRIVATE double *n,
                                                         DETMATH_PRIVATE double *r) {
    detmath_u64 row = detmath_core_log_reduce(sum, n, r);
    double bounded = sum < 0x1p200 ? sum : 0x1p200;
    detmath_u64 scaled = detmath_bits_f64(bounded) + (0x3ff0000000000000u - DETMATH_LOG_START);
    double power = detmath_from_bits_f64((2046u - (scaled >> 52)) << 52); /* 2^-n */
    *r = detmath_fma(detmath_product(lost, power), detmath_log_table[row].inverse, *r);
    return row;
}

/* Logarithms of 1 + x for any double above -1. */
#define DETMATH_CORE_LOG_OF_NEXT(NAME, LOG)                                                        \
    DETMATH_FUNCTION double detmath_core_##NAME(double x) {                                        \
        double n, r, sum = 1.0 + x, lost = sum < 0x1p60 ? x - (sum - 1.0) : 0.0;                   \
        detmath_u64 row = detmath_core_log_reduce_sum(sum, lost, &n, &r);                          \
        double y = detmath_core_##LOG##_at(row, n, r);                                             \
        return x == 0.0 ? x : y;                                                                   \
    }

DETMATH_CORE_LOG_OF_NEXT(log1p, log)
DETMATH_CORE_LOG_OF_NEXT(log2p1, log2)
DETMATH_CORE_LOG_OF_NEXT(log10p1, log10)

/* By trial of all 2^32 inputs. */
DETMATH_EXCEPTIONS(log) = {{0x41178febu, 0x400fe5e7u},
                           {0x4c5d65a5u, 0x418f034bu},
                           {0x65d890d3u, 0x4254d1f9u},
                           {0x6f31a8ecu, 0x42845a89u},
                           DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(log2) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(log10) = {DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(log1p) = {{0x35400003u, 0x353fffffu}, {0x3710001bu, 0x370ffff3u},
                             {0x3efd81adu, 0x3ecdeee1u}, {0x41078febu, 0x400fe5e7u},
                             {0x65d890d3u, 0x4254d1f9u}, {0x6f31a8ecu, 0x42845a89u},
                             {0xb53ffffdu, 0xb5400001u}, {0xb70fffe5u, 0xb710000du},
                             {0xbb0ec8c4u, 0xbb0ef0a5u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(log2p1) = {{0x4ebd09e3u, 0x41f48013u}, DETMATH_NO_MORE};
DETMATH_EXCEPTIONS(log10p1) = {{0x2b7fb367u, 0x2ade1951u}, DETMATH_NO_MORE};

/* The quick cores of positive normal numbers spare all that the others do for the rest, with the
 * same bits: 24 bits of x are as good as 53. */
#define DETMATH_LOG_ROUNDED(NAME, WINDOW)                                                          \
    DETMATH_FUNCTION double detmath_quick_core_##NAME(float x) {                                   \
        detmath_u32 scaled = detmath_bits_f32(x) - DETMATH_LOG_START_F32;                          \
        double m = (double)detmath_from_bits_f32((scaled & 0x007fffffu) + DETMATH_LOG_START_F32);  \
        detmath_u64 row = (scaled >> 17) & 63u;                                                    \
        double n = (double)((detmath_i32)scaled >> 23);                                            \
        double r = detmath_fma(m, detmath_log_table[row].inverse, -1.0);                           \
        return detmath_core_##NAME##_at(row, n, r);                                                \
    }                                                                                              \
    DETMATH_QUICKLY_ROUNDED_BY(_##NAME, quick_core, bits, 0x00800000u, DETMATH_INFINITY_BITS,      \
                               WINDOW)

DETMATH_LOG_ROUNDED(log, 16)
DETMATH_LOG_ROUNDED(log2, 16)
DETMATH_LOG_ROUNDED(log10, 16)
DETMATH_CORRECTLY_ROUNDED(log1p, 16)
DETMATH_CORRECTLY_ROUNDED(log2p1, 16)
DETMATH_CORRECTLY_ROUNDED(log10p1, 16)

#endif

#include "shield_end.inc"

#endif
