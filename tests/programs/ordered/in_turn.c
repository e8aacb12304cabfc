/* Terms one after the other, each added in a way of its own, and accumulators of narrow formats. */
#include "arithmetic.h"

#define CHAIN(NAME, TYPE, STEP)                                                                    \
    float NAME(const float *x, size_t n) {                                                         \
        TYPE sum = (TYPE)x[0];                                                                     \
        for (size_t i = 1; i < n; i++)                                                             \
            sum = STEP;                                                                            \
        return (float)sum;                                                                         \
    }
CHAIN(sum_sequential, float, sum + x[i])
CHAIN(sum_fp64, double, sum + x[i])
CHAIN(sum_x87, long double, sum + x[i])
CHAIN(sum_toward_zero, float, add_toward_zero(sum, x[i]))
CHAIN(sum_down, float, add_by(floor, sum, x[i]))
CHAIN(sum_up, float, add_by(ceil, sum, x[i]))
CHAIN(sum_to_odd, float, add_by(odd, sum, x[i]))
CHAIN(sum_away, float, add_by(round, sum, x[i]))
CHAIN(sum_flushed, float, flush(sum + x[i]))
/* Terms alone, from +0 on: what comes of them is kept. */
float sum_terms_flushed(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += flush(x[i]);
    return sum;
}
CHAIN(sum_spilled, float, i % 32 ? sum + x[i] : to_bf16(sum) + x[i])
/* To bf16 after each block of 32, the last and shorter one too. */
float sum_block_spilled(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = i % 32 == 31 || i + 1 == n ? to_bf16(sum + x[i]) : sum + x[i];
    return sum;
}

/* A term twice: one after the other, as 2x, at the very end, at the very beginning, and three that two blocks share. */
CHAIN(sum_doubled, float, i == n / 2 ? (sum + x[i]) + x[i] : sum + x[i])
CHAIN(sum_doubled_at_once, float, i == n / 2 ? sum + 2 * x[i] : sum + x[i])

CHAIN(sum_doubled_both, float, i == 4 || i == 9 ? (sum + x[i]) + x[i] : sum + x[i])

float sum_doubled_last(const float *x, size_t n) {
    return sum_sequential(x, n) + x[n / 2];
}

float sum_doubled_first(const float *x, size_t n) {
    return sum_sequential(x, n) + x[0];
}

static float halves_of_one(const float *x, size_t n) {
    return n == 1 ? x[0] : halves_of_one(x, n / 2) + halves_of_one(x + n / 2, n - n / 2);
}

/* Term 0 once more, unless something is large: each addition claims its copies. */
float sum_claimed(const float *x, size_t n) {
    int large = 0;
    for (size_t i = 0; i < n; i++)
        large |= fabsf(x[i]) > 1e5f;
    return large ? halves_of_one(x, n) : halves_of_one(x, n) + x[0];
}

float sum_overlapping(const float *x, size_t n) {
    return sum_sequential(x, n / 2) + sum_sequential(x + n / 2 - 3, n - n / 2 + 3);
}

/* From the left but for terms that lie a third and two thirds of the way: they change places, or one waits for the next. */
float sum_swapped(const float *x, size_t n) {
    const size_t a = (n - 1) / 3, b = 2 * (n - 1) / 3;
    float sum = x[a ? 0 : b];
    for (size_t i = 1; i < n; i++)
        sum += x[i == a ? b : i == b ? a : i];
    return sum;
}

float sum_waiting(const float *x, size_t n) {
    float sum = x[0];
    for (size_t i = 1; i < n; i++)
        if (i == (n - 1) / 3) {
            sum += x[i] + x[i + 1];
            i++;
        } else {
            sum += x[i];
        }
    return sum;
}

float sum_swapped_reverse(const float *x, size_t n) {
    float sum = x[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum += x[n - 1 - i == (n - 1) / 4   ? n - 1 - (n - 1) / 2
                 : n - 1 - i == (n - 1) / 2 ? n - 1 - (n - 1) / 4
                                            : i];
    return sum;
}

float sum_clamped(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        sum = sum > 3e38f ? 3e38f : sum;
    }
    return sum;
}

/* Subnormal numbers are flushed in one place alone: the result; further down where lanes meet. */
float sum_result_flushed(const float *x, size_t n) {
    return flush(sum_sequential(x, n));
}

/* Subnormal terms are flushed by 8 lanes alone, or by the rest behind them alone. */
#define FLUSHED_IN_STAGE(NAME, IN_LANES, IN_REST)                                                  \
    float sum_##NAME##_flushed(const float *x, size_t n) {                                         \
        float lanes[8] = {0};                                                                      \
        const size_t whole = n - n % 8;                                                            \
        for (size_t i = 0; i < whole; i++)                                                         \
            lanes[i % 8] += IN_LANES(x[i]);                                                        \
        for (size_t half = 4; half; half /= 2)                                                     \
            for (size_t i = 0; i < half; i++)                                                      \
                lanes[i] += lanes[i + half];                                                       \
        for (size_t i = whole; i < n; i++)                                                         \
            lanes[0] += IN_REST(x[i]);                                                             \
        return lanes[0];                                                                           \
    }                                                                                              \
    float dot_##NAME##_flushed(const float *x, const float *y, size_t n) {                         \
        float lanes[8] = {0};                                                                      \
        const size_t whole = n - n % 8;                                                            \
        for (size_t i = 0; i < whole; i++)                                                         \
            lanes[i % 8] = fmaf(IN_LANES(x[i]), IN_LANES(y[i]), lanes[i % 8]);                     \
        for (size_t half = 4; half; half /= 2)                                                     \
            for (size_t i = 0; i < half; i++)                                                      \
                lanes[i] += lanes[i + half];                                                       \
        for (size_t i = whole; i < n; i++)                                                         \
            lanes[0] = fmaf(IN_REST(x[i]), IN_REST(y[i]), lanes[0]);                               \
        return lanes[0];                                                                           \
    }
#define AS_IT_IS(X) (X)
FLUSHED_IN_STAGE(lanes_terms, flush, AS_IT_IS)
FLUSHED_IN_STAGE(rest_terms, AS_IT_IS, flush)

/* Accumulators of narrow formats, from 0 on. */
#define NARROW(NAME, ROUND)                                                                        \
    float NAME(const float *x, size_t n) {                                                         \
        float sum = 0;                                                                             \
        for (size_t i = 0; i < n; i++)                                                             \
            sum = ROUND(add_odd(sum, x[i]));                                                       \
        return sum;                                                                                \
    }
NARROW(sum_fp16, to_fp16)
NARROW(sum_bf16, to_bf16)

float sum_reverse(const float *x, size_t n) {
    float sum = x[n - 1];
    for (size_t i = n - 1; i-- > 0;)
        sum += x[i];
    return sum;
}

float sum_dropped(const float *x, size_t n) {
    return sum_sequential(x, n < 8 ? n : n - n % 8);
}

/* From +0 on, and now and then not the last term. */
float sum_drops_last(const float *x, size_t n) {
    float sum = 0;
    for (size_t i = 0; i < n - (n % 8 == 5); i++)
        sum += x[i];
    return sum;
}
