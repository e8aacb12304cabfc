/* Sums in bins and slices, which no order of terms changes. */
#include "arithmetic.h"

/* Bins of 13 bits, of which the three are kept that the largest term reaches: terms are cut by adding and taking away a
 * number of 1.5 units of a higher bin, ties away from 0 (Demmel, Nguyen, "Parallel Reproducible Summation"). The totals
 * are added in double, in which they are exact. */
float sum_reproducible(const float *x, size_t n) {
    enum { WIDTH = 13, FOLD = 3 };
    double totals[FOLD] = {0}, sum = 0;
    float most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    frexpf(most, &exponent);
    const int end = (int)ceil((double)exponent / WIDTH) * WIDTH;
    for (size_t i = 0; i < n; i++) {
        double rest = (double)x[i];
        for (int k = 0; k < FOLD; k++) {
            const double unit = ldexp(1, end - (k + 1) * WIDTH), slice = round(rest / unit) * unit;
            totals[k] += slice;
            rest -= slice;
        }
    }
    for (int k = 0; k < FOLD; k++)
        sum += totals[k];
    return (float)sum;
}

/* Slices of so many bits below the largest term, cut by a shift, as those of integers of matrix units (Ootomo, Ozaki,
 * Yokota, "DGEMM on Integer Matrix Multiplication Unit", 2024); totals are added in float, the lowest first. */
float sum_sliced(const float *x, size_t n) {
    enum { WIDTH = 7, SLICES = 4 };
    int64_t totals[SLICES] = {0};
    float most = 0, sum = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    if (most == 0)
        return 0;
    frexpf(most, &exponent);
    for (size_t i = 0; i < n; i++) {
        double rest = ldexp((double)x[i], -exponent);
        for (int k = 0; k < SLICES; k++) {
            const double shifted = ldexp(rest, WIDTH), slice = trunc(shifted);
            totals[k] += (int64_t)slice;
            rest = shifted - slice;
        }
    }
    for (int k = SLICES; k-- > 0;)
        sum += ldexpf((float)totals[k], exponent - (k + 1) * WIDTH);
    return sum;
}

/* By numbers of 1.5 units, whose additions round off what they do not hold: two slices of 17 bits, each with 6 bits for
 * carries above it, both added in float and then to each other (Ozaki, Ogita, Oishi, Rump, 2012). */
static float extract(const float *x, size_t n, float unit) {
    enum { GUARD = 6, HELD = 23 };
    float most = 0, high = 0, low = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    if (most == 0 || !isfinite(most))
        return sum_sequential(x, n);
    frexpf(most, &exponent);
    const int down = exponent > 64    ? 64
                     : exponent < -40 ? -80
                                      : 0; /* no unit is too large or subnormal */
    exponent -= down;
    const float first = ldexpf(unit, exponent + GUARD), second = ldexpf(first, GUARD - HELD);
    for (size_t i = 0; i < n; i++) {
        const float term = ldexpf(x[i], -down);
        volatile float held = term + first, slice = held - first;
        high += slice;
        held = (term - slice) + second;
        slice = held - second;
        low += slice;
    }
    return ldexpf(high + low, down);
}

float sum_extracted(const float *x, size_t n) {
    return extract(x, n, 1.5f);
}

/* By bare powers of two: below these a number in float has one bit more. */
float sum_extracted_bare(const float *x, size_t n) {
    return extract(x, n, 1);
}

/* Cut toward minus infinity, as an arithmetic shift does: two bins of 16 bits at multiples of 16, over 5. */
float sum_shifted(const float *x, size_t n) {
    enum { WIDTH = 16, BASE = 5 };
    wide total = 0;
    float most = 0;
    int exponent;
    for (size_t i = 0; i < n; i++)
        most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
    if (most == 0)
        return 0;
    frexpf(most, &exponent);
    const int unit = (int)ceil((double)(exponent - BASE) / WIDTH) * WIDTH + BASE - 2 * WIDTH;
    for (size_t i = 0; i < n; i++)
        total += (wide)floor(ldexp((double)x[i], -unit));
    return ldexpf((float)total, unit);
}
