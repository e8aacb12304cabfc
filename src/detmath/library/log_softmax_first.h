/* log_softmax of fp32 numbers beside each other by a first try in double: each result where all numbers within its error round
 * alike, or none of the line. The ways of log_sums.h decide the others, and so no bit depends on who did. */
#ifndef DETMATH_LIBRARY_LOG_SOFTMAX_FIRST_H
#define DETMATH_LIBRARY_LOG_SOFTMAX_FIRST_H

#include "detmath/log_sums_quick.h"

#include <stddef.h>

enum { LOG_SOFTMAX_LANES = 32, LOG_SOFTMAX_MOST = 1 << 20 };

/* The largest element; false where one is infinite, or they are more than 600 apart. A NaN is not always found: it makes the
 * sum NaN. */
static inline int log_softmax_range(const float *x, size_t n, float *largest) {
    float most[LOG_SOFTMAX_LANES], least[LOG_SOFTMAX_LANES];
    for (int l = 0; l < LOG_SOFTMAX_LANES; l++)
        most[l] = least[l] = x[0];
    for (size_t at = 0; at < n; at += LOG_SOFTMAX_LANES) {
        const int there = n - at < LOG_SOFTMAX_LANES ? (int)(n - at) : LOG_SOFTMAX_LANES;
        for (int l = 0; l < there; l++) {
            const float v = x[at + (size_t)l];
            most[l] = v > most[l] ? v : most[l];
            least[l] = v < least[l] ? v : least[l];
        }
    }
    for (int l = 1; l < LOG_SOFTMAX_LANES; l++) {
        most[0] = most[l] > most[0] ? most[l] : most[0];
        least[0] = least[l] < least[0] ? least[l] : least[0];
    }
    *largest = most[0];
    return most[0] - least[0] <= 600.0f;
}

/* e^d for d from -601 to 0. With d = k ln 2 + r it is 1 + r p, where p is (e^r - 1) / r to 2^-43.42 (double_exp_first). */
static inline double log_softmax_power(double d) {
    const double scaled = detmath_fma(d, 0x1.71547652b82fep0, 0x1.8p52), k = scaled - 0x1.8p52;
    const double r = detmath_fma(k, -0x1.62e42fefa39efp-1, d);
    double p = detmath_fma(r, 0x1.7211105766fa3p-19, 0x1.a15a05fef93a9p-16);
    p = detmath_fma(r, p, 0x1.a01a5661ec48fp-13);
    p = detmath_fma(r, p, 0x1.6c164e395900dp-10);
    p = detmath_fma(r, p, 0x1.111110ed0085ap-7);
    p = detmath_fma(r, p, 0x1.555555740436p-5);
    p = detmath_fma(r, p, 0x1.5555555562d88p-3);
    p = detmath_fma(r, p, 0x1.fffffffff7303p-2);
    p = detmath_fma(r, p, 1.0);
    p = detmath_fma(r, p, 1.0);
    return detmath_from_bits_f64(detmath_bits_f64(p) + (detmath_bits_f64(scaled) << 52));
}

/* The sum of e^(x - m). A power is within 2^-44.6 by its polynomial, and by its difference and r within 2^-52 |x - m|, which is
 * at most ln n + 1 on average as the powers weigh it; and each lane adds 2^-53 for each of its terms. So the sum is
 * within 2^-44 + n 2^-58 of itself. */
static inline double log_softmax_sum(const float *x, size_t n, double m) {
    double lane[LOG_SOFTMAX_LANES], sum = 0;
    size_t at = 0;
    for (int l = 0; l < LOG_SOFTMAX_LANES; l++)
        lane[l] = 0;
    for (; n - at >= LOG_SOFTMAX_LANES; at += LOG_SOFTMAX_LANES)
        for (int l = 0; l < LOG_SOFTMAX_LANES; l++)
            lane[l] += log_softmax_power((double)x[at + (size_t)l] - m);
    for (; at < n; at++)
        sum += log_softmax_power((double)x[at] - m);
    for (int l = 0; l < LOG_SOFTMAX_LANES; l++)
        sum += lane[l];
    return sum;
}

/* Whether y has the results; else it has nothing of use. y must not be x. */
static inline int log_softmax_first(float *y, const float *x, size_t n) {
    detmath_u32 doubt[LOG_SOFTMAX_LANES] = {0}, any = 0;
    float most;
    if (!n || n > LOG_SOFTMAX_MOST || !log_softmax_range(x, n, &most))
        return 0;
    const double m = (double)most, size = m < 0.0 ? -m : m;
    const double sum = log_softmax_sum(x, n, m);
    if (!(sum >= 0.5))
        return 0;
    const double log = detmath_log_sum_quick_log(0.0, sum), less = m + log;
    const double error = detmath_fma((double)n, 0x1p-58, 0x1p-44) +
                         detmath_fma(log, 0x1p-49, detmath_product(size, 0x1p-52));
    for (size_t at = 0; at < n; at += LOG_SOFTMAX_LANES) {
        const int there = n - at < LOG_SOFTMAX_LANES ? (int)(n - at) : LOG_SOFTMAX_LANES;
        for (int l = 0; l < there; l++) {
            const double z = (double)x[at + (size_t)l] - less;
            const double off = detmath_fma(z < 0.0 ? -z : z, 0x1p-52, error);
            const float low = (float)(z - off), high = (float)(z + off);
            doubt[l] |= low != high;
            y[at + (size_t)l] = low;
        }
    }
    for (int l = 0; l < LOG_SOFTMAX_LANES; l++)
        any |= doubt[l];
    return !any;
}

#endif
