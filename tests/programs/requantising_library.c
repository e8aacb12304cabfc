/* Requantisations, each by a convention of its own and with one end: what lib: calls, and what explain has to name. By
 * arithmetic in 64 bits and in float, written from the conventions' texts. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

static int64_t clipped(int64_t v, int64_t least, int64_t most) {
    return v < least ? least : v > most ? most : v;
}

/* ---- The rounded number ---- */

static int64_t shifted(int64_t v, int shift, int64_t half) {
    return shift ? (v + half * (INT64_C(1) << (shift - 1))) >> shift : v;
}

static int64_t high_product(int32_t x, int32_t multiplier, int32_t shift, int64_t half) {
    const int left = shift < 31 ? 31 - shift : 0;
    const int64_t raised = clipped(x * (INT64_C(1) << left), INT32_MIN, INT32_MAX);
    return clipped((raised * multiplier + half) >> 31, INT32_MIN, INT32_MAX);
}

static int64_t by_even(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    const int64_t product = (int64_t)x * multiplier, floored = shifted(product, shift, 0);
    const int64_t rest = 2 * (product - floored * (INT64_C(1) << shift));
    const int64_t half = INT64_C(1) << shift;
    (void)zero;
    return floored + (rest > half || (rest == half && floored % 2 != 0));
}

static int64_t by_up(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return shifted((int64_t)x * multiplier, shift, 1);
}

static int64_t by_away(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    const int64_t product = (int64_t)x * multiplier;
    (void)zero;
    return product < 0 ? -shifted(-product, shift, 1) : shifted(product, shift, 1);
}

static int64_t by_zero(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return (int64_t)x * multiplier / (INT64_C(1) << shift);
}

static int64_t by_floor(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return shifted((int64_t)x * multiplier, shift, 0);
}

static int64_t by_ceiling(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return -shifted(-(int64_t)x * multiplier, shift, 0);
}

static int64_t by_two_ups(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return shifted(high_product(x, multiplier, shift, 1 << 30), shift > 31 ? shift - 31 : 0, 1);
}

static int64_t by_cut(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return shifted(high_product(x, multiplier, shift, 0), shift > 31 ? shift - 31 : 0, 1);
}

static int64_t by_gemmlowp(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    const int64_t high = high_product(x, multiplier, shift, 1 << 30);
    const int right = shift > 31 ? shift - 31 : 0;
    (void)zero;
    return high < 0 ? -shifted(-high, right, 1) : shifted(high, right, 1);
}

static int64_t by_tosa_double(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    const int64_t nudge = shift > 31 ? x < 0 ? -(1 << 30) : 1 << 30 : 0;
    (void)zero;
    return shifted((int64_t)x * multiplier + nudge, shift, 1);
}

static float in_floats(int32_t x, int32_t multiplier, int32_t shift) {
    return (float)x * ldexpf((float)multiplier, -shift);
}

static int64_t by_floats(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return (int64_t)rintf(in_floats(x, multiplier, shift));
}

static int64_t by_floats_away(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    (void)zero;
    return (int64_t)roundf(in_floats(x, multiplier, shift));
}

static int64_t by_floats_and_zero(int32_t x, int32_t multiplier, int32_t shift, int32_t zero) {
    const float sum = in_floats(x, multiplier, shift) + (float)zero;
    return (int64_t)rintf(sum) - zero;
}

/* ---- What becomes of it ---- */

static int8_t saturated(int64_t v, int32_t zero) {
    return (int8_t)clipped(v + zero, -128, 127);
}

static int8_t lower_bits(int64_t v, int32_t zero) {
    return (int8_t)(uint8_t)(uint64_t)(v + zero);
}

static int8_t lower_32_bits(int64_t v, int32_t zero) {
    return (int8_t)clipped((int32_t)(uint32_t)((uint64_t)v + (uint64_t)(int64_t)zero), -128, 127);
}

static int8_t held_before(int64_t v, int32_t zero) {
    return lower_bits(clipped(v, -128, 127), zero);
}

#define REQUANTISED(NAME, ROUNDED, ENDED)                                                          \
    void requantised_##NAME(int8_t *y, const int32_t *x, size_t n, int32_t multiplier,             \
                            int32_t shift, int32_t zero_point);                                    \
    void requantised_##NAME(int8_t *y, const int32_t *x, size_t n, int32_t multiplier,             \
                            int32_t shift, int32_t zero_point) {                                   \
        for (size_t i = 0; i < n; i++)                                                             \
            y[i] = ENDED(ROUNDED(x[i], multiplier, shift, zero_point), zero_point);                \
    }
REQUANTISED(even, by_even, saturated)
REQUANTISED(up, by_up, saturated)
REQUANTISED(away, by_away, saturated)
REQUANTISED(zero, by_zero, saturated)
REQUANTISED(floor, by_floor, saturated)
REQUANTISED(ceiling, by_ceiling, saturated)
REQUANTISED(gemmlowp, by_gemmlowp, saturated)
REQUANTISED(two_ups, by_two_ups, saturated)
REQUANTISED(cut, by_cut, saturated)
REQUANTISED(tosa_double, by_tosa_double, saturated)
REQUANTISED(floats, by_floats, saturated)
REQUANTISED(floats_away, by_floats_away, saturated)
REQUANTISED(floats_and_zero, by_floats_and_zero, saturated)
REQUANTISED(even_wrapping, by_even, lower_bits)
REQUANTISED(even_wrapping_32, by_even, lower_32_bits)
REQUANTISED(even_held_before, by_even, held_before)
REQUANTISED(gemmlowp_wrapping, by_gemmlowp, lower_bits)
REQUANTISED(floats_held_before, by_floats, held_before)
