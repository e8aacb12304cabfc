/* Dot products. */
#include "arithmetic.h"

#include <stdbool.h>

#define DOT(NAME, TYPE, FIRST, STEP)                                                               \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        TYPE sum = FIRST;                                                                          \
        size_t i = 0;                                                                              \
        for (i = 1; i < n; i++)                                                                    \
            sum = STEP;                                                                            \
        return (float)sum;                                                                         \
    }
DOT(dot_fused, float, x[0] * y[0], fmaf(x[i], y[i], sum))
DOT(dot_rounded, float, x[0] * y[0], sum + x[i] * y[i])
/* To bf16 after each 32 terms. */
DOT(dot_spilled_fused, float, x[0] * y[0], fmaf(x[i], y[i], i % 32 ? sum : (float)to_bf16(sum)))
DOT(dot_spilled_rounded, float, x[0] * y[0], (i % 32 ? sum : (float)to_bf16(sum)) + x[i] * y[i])
DOT(dot_fp64, double, (double)x[0] * y[0], sum + (double)x[i] * y[i])
DOT(dot_fp16_products, float, to_fp16((double)x[0] * y[0]), sum + to_fp16((double)x[i] * y[i]))
DOT(dot_bf16_products, float, to_bf16((double)x[0] * y[0]), sum + to_bf16((double)x[i] * y[i]))

/* Fused in four lanes; products of the rest are rounded, to what sums keep. */
double dot_rest_rounded(const double *x, const double *y, size_t n) {
    double lanes[4] = {0};
    size_t whole = n - n % 4;
    for (size_t i = 0; i < whole; i++)
        lanes[i % 4] = fma(x[i], y[i], lanes[i % 4]);
    double sum = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
    for (size_t i = whole; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* ATen's product of bf16: fused in four lanes, the rest rounded, onto the first lane. */
float dot_rest_rounded_fp32(const float *x, const float *y, size_t n) {
    float lanes[4] = {0};
    size_t whole = n - n % 4;
    for (size_t i = 0; i < whole; i++)
        lanes[i % 4] = fmaf(x[i], y[i], lanes[i % 4]);
    for (size_t i = whole; i < n; i++)
        lanes[0] += x[i] * y[i];
    return lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* Ozaki's scheme: both factors in slices below the largest one, and of the products of slices, which are exact, those above
 * the last, or all. Totals are added from the least on, from the largest, or those of each two slices by rows; in double or
 * in float. */
enum ozaki_totals { FROM_LEAST, FROM_LARGEST, BY_ROWS };
struct ozaki {
    int slices, width;
    double (*cut)(double);
    enum ozaki_totals totals;
    bool all, in_float;
};
enum { OZAKI_MOST = 4 };

static double ozaki_add(const struct ozaki *ozaki, double sum, double total, int exponent) {
    total = ldexp(total, exponent);
    return ozaki->in_float ? (double)((float)sum + (float)total) : sum + total;
}

static float dot_by_slices(const struct ozaki *ozaki, const float *x, const float *y, size_t n) {
    const float *const factors[2] = {x, y};
    const int slices = ozaki->slices, levels = ozaki->all ? 2 * slices - 1 : slices;
    float most[2] = {0, 0};
    int exponents[2];
    int64_t totals[OZAKI_MOST][OZAKI_MOST] = {{0}};
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++)
            most[k] = fabsf(factors[k][i]) > most[k] ? fabsf(factors[k][i]) : most[k];
        frexpf(most[k], &exponents[k]);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t cuts[2][OZAKI_MOST];
        for (int k = 0; k < 2; k++) {
            double rest = ldexp((double)factors[k][i], -exponents[k]);
            for (int slice = 0; slice < slices; slice++) {
                rest = ldexp(rest, ozaki->width);
                cuts[k][slice] = (int64_t)ozaki->cut(rest);
                rest -= ozaki->cut(rest);
            }
        }
        for (int a = 0; a < slices; a++)
            for (int b = 0; b < slices; b++)
                totals[a][b] += cuts[0][a] * cuts[1][b];
    }
    const int end = exponents[0] + exponents[1];
    for (int a = 0; ozaki->totals == BY_ROWS && a < slices; a++)
        for (int b = 0; b < slices && a + b < levels; b++)
            sum = ozaki_add(ozaki, sum, (double)totals[a][b], end - ozaki->width * (a + b + 2));
    for (int i = 0; ozaki->totals != BY_ROWS && i < levels; i++) {
        const int level = ozaki->totals == FROM_LEAST ? levels - 1 - i : i;
        int64_t total = 0;
        for (int a = 0; a <= level && a < slices; a++)
            total += level - a < slices ? totals[a][level - a] : 0;
        sum = ozaki_add(ozaki, sum, (double)total, end - ozaki->width * (level + 2));
    }
    return (float)sum;
}

#define OZAKI(NAME, ...)                                                                           \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        return dot_by_slices(&(const struct ozaki){__VA_ARGS__}, x, y, n);                         \
    }
OZAKI(dot_ozaki, 3, 8, trunc, FROM_LEAST, false, false)
OZAKI(dot_ozaki_int8, 4, 7, rint, FROM_LARGEST, false, true)
OZAKI(dot_ozaki_fp16, 2, 11, rint, BY_ROWS, false, true)
OZAKI(dot_ozaki_floor, 3, 8, floor, FROM_LEAST, false, true)
OZAKI(dot_ozaki_all, 2, 10, trunc, FROM_LEAST, true, true)

/* Factors that are rounded first, to tf32 and to bf16; terms likewise. */
static float to_bits(float x, int dropped, bool nearest) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t unit = (uint32_t)1 << dropped;
    if (nearest)
        bits += (unit >> 1) - 1 + (bits >> dropped & 1);
    bits &= ~(unit - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define NARROW_FACTORS(NAME, DROPPED, NEAREST)                                                     \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        float sum = 0;                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            sum = fmaf(to_bits(x[i], DROPPED, NEAREST), to_bits(y[i], DROPPED, NEAREST), sum);     \
        return sum;                                                                                \
    }
NARROW_FACTORS(dot_tf32, 13, true)
NARROW_FACTORS(dot_tf32_cut, 13, false)
NARROW_FACTORS(dot_bf16_factors, 16, true)

/* To bf16 after each 32 products, by cutting. The cut is in a function of its own, which a compiler does not take away. */
__attribute__((noinline)) float cut_to_bf16(float x) {
    return to_bits(x, 16, false);
}

#define SPILLED_BY_CUTTING(NAME, SUM)                                                              \
    float NAME(const float *x, const float *y, size_t n) {                                         \
        volatile float sum = 0, product;                                                           \
        for (size_t i = 0; i < n; i++) {                                                           \
            product = x[i] * y[i];                                                                 \
            (void)product;                                                                         \
            sum = SUM;                                                                             \
            if (i % 32 == 31)                                                                      \
                sum = cut_to_bf16(sum);                                                            \
        }                                                                                          \
        return sum;                                                                                \
    }
SPILLED_BY_CUTTING(dot_cut_fused, fmaf(x[i], y[i], sum))
SPILLED_BY_CUTTING(dot_cut_rounded, sum + product)

float sum_bf16_terms(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += to_bits(x[i], 16, true);
    return sum;
}
