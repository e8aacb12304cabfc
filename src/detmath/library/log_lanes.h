/* The logarithms of log_lanes.inc on vectors, and in float pairs for cr's array forms: two candidates for the right
 * rounding, the sum of a head and the most and the least that its rest may be. Where they differ, the others decide, in
 * double.
 *
 * The steps are those of log_lanes.inc, with a polynomial of one coefficient more. What may be wrong of the rest is
 * 2^-21.5 r^2, since r p, p itself and three sums are rounded to 24 bits each; 2^-31.5 |r|, for the polynomials, which
 * are 2^-32.80 (float_log_pairs), 2^-33.65 (float_log2_pairs) and 2^-31.87 (float_log10_pairs) of the result; and four
 * roundings of the second part of log c, below 2^-17, and of what k log 2 adds to it: as a share of the sum, which is at
 * least 0.03, or 0.013 for log10, where that part is not 0, LEAST. All inputs show that no pair that agrees is wrong
 * (`ctest --preset proof`). */
#ifndef DETMATH_LIBRARY_LOG_LANES_H
#define DETMATH_LIBRARY_LOG_LANES_H

#include "lanes.h"

#if defined(DETMATH_LANES)
#include "detmath/log_lanes.inc"

#define LOG_PAIRS(NAME, FACTOR, BEND, TWO, LEAST, C0, C1, C2, C3, C4)                              \
    static inline lanes_f detmath_cr_##NAME##_of_row(lanes_u row, lanes_f k, lanes_f r,            \
                                                     lanes_f low, lanes_f *other) {                \
        lanes_f p = detmath_fmaf_lanes(r, C4, C3);                                                 \
        p = detmath_fmaf_lanes(r, p, C2);                                                          \
        p = detmath_fmaf_lanes(r, p, C1);                                                          \
        p = detmath_fmaf_lanes(r, p, C0);                                                          \
        lanes_f high = detmath_look_up_lanes(detmath_##NAME##_row_highs, row);                     \
        high = detmath_fmaf_lanes(k, TWO, high);                                                   \
        low = detmath_fmaf_lanes(r, BEND(r, p), low);                                              \
        lanes_f sum = FACTOR(r, high), rest = FACTOR(r, high - sum) + low;                         \
        lanes_f distance = lanes_magnitude(r);                                                     \
        lanes_f wrong = detmath_fmaf_lanes(distance, 0x1.6p-22f, 0x1.6p-32f) * distance;           \
        wrong = detmath_fmaf_lanes(lanes_magnitude(sum), LEAST, wrong);                            \
        *other = sum + (rest - wrong);                                                             \
        return sum + (rest + wrong);                                                               \
    }                                                                                              \
    static inline lanes_f detmath_cr_##NAME##_steps(lanes_f x, lanes_f *other) {                   \
        lanes_f m, k = detmath_log_split_lanes((lanes_u)x, &m);                                    \
        lanes_u row = (lanes_u)x >> 19;                                                            \
        return detmath_cr_##NAME##_of_row(row, k, detmath_log_rest_lanes(row, m),                  \
                                          detmath_##NAME##_low_lanes(row, k), other);              \
    }
/* r lacks `more`, of which the logarithm has 1 - r + r^2, and what rounding 1 / (2^k c) - 1 left, which matters where k is
 * large. */
#define LOG_NEXT_PAIRS(NAME, LOG, ADD)                                                             \
    static inline lanes_f detmath_cr_##NAME##_steps(lanes_f x, lanes_f *other) {                   \
        lanes_u row;                                                                               \
        lanes_f k, scale, more;                                                                    \
        lanes_f r = detmath_log_rest_of_next_lanes(x, &row, &k, &scale, &more);                    \
        more += detmath_above_lanes(x, 0.0f, scale - ((scale - 1.0f) + 1.0f), 0.0f);               \
        more = detmath_fmaf_lanes(detmath_fmaf_lanes(r, r, -r), more, more);                       \
        lanes_f low = ADD(more, detmath_##LOG##_low_lanes(row, k));                                \
        lanes_f y = detmath_cr_##LOG##_of_row(row, k, r, low, other);                              \
        *other = detmath_unless_zero_lanes(x, *other);                                             \
        return detmath_unless_zero_lanes(x, y);                                                    \
    }

LOG_PAIRS(log, DETMATH_LOG_ADD, DETMATH_LOG_BEND, 0x1.62e4p-24f, 0x1p-34f, -0x1p-1f, 0x1.55555p-2f,
          -0x1.00032ep-2f, 0x1.9a01bp-3f, -0x1.43b6ap-3f)
LOG_PAIRS(log2, DETMATH_LOG2_ADD, DETMATH_LOG2_BEND, 0x1p-23f, 0x1p-34f, -0x1.715476p-1f,
          0x1.ec7098p-2f, -0x1.715b7p-2f, 0x1.27c3a4p-2f, -0x1.cfdfa4p-3f)
LOG_PAIRS(log10, DETMATH_LOG10_ADD, DETMATH_LOG10_BEND, 0x1.344p-25f, 0x1p-33f, -0x1.bcb7bp-3f,
          0x1.287a76p-3f, -0x1.bcc702p-4f, 0x1.642536p-4f, -0x1.129bc6p-4f)
LOG_NEXT_PAIRS(log1p, log, DETMATH_LOG_ADD)
LOG_NEXT_PAIRS(log2p1, log2, DETMATH_LOG2_ADD)
LOG_NEXT_PAIRS(log10p1, log10, DETMATH_LOG10_ADD)
#endif

#endif
