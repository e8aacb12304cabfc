/* Lanes and parts, and trees that are drawn. */
#include "arithmetic.h"

#include <stdlib.h>

/* Lanes: element i goes to a lane, lanes are folded in the end. */

enum { MOST_LANES = 16 };

static void fill_lanes(float *lanes, size_t k, const float *x, size_t n, int serpentine,
                       int flushes) {
    for (size_t i = 0; i < n; i++) {
        size_t lane = serpentine && i / k % 2 ? k - 1 - i % k : i % k;
        float sum = lanes[lane] + x[i];
        lanes[lane] = i < k ? x[i] : flushes ? flush(sum) : sum;
    }
}

static float fold_pairs(float *lanes, size_t k) {
    for (size_t half = k / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] += lanes[l + half];
    return lanes[0];
}

static float sum_of_lanes(const float *x, size_t n, size_t k, int serpentine, int flushes,
                          int in_turn) {
    float lanes[MOST_LANES] = {0};
    size_t whole = n - n % k;
    if (n < k)
        return sum_sequential(x, n);
    fill_lanes(lanes, k, x, whole, serpentine, flushes);
    float sum = in_turn ? sum_sequential(lanes, k) : fold_pairs(lanes, k);
    for (size_t i = whole; i < n; i++)
        sum += x[i];
    return sum;
}

#define LANES(NAME, K, SERPENTINE, FLUSHES, IN_TURN)                                               \
    float NAME(const float *x, size_t n) {                                                         \
        return sum_of_lanes(x, n, K, SERPENTINE, FLUSHES, IN_TURN);                                \
    }
LANES(sum_lanes_4, 4, 0, 0, 0)
LANES(sum_lanes_8, 8, 0, 0, 0)
LANES(sum_lanes_16_in_turn, 16, 0, 0, 1)
LANES(sum_serpentine, 8, 1, 0, 0)
LANES(sum_lanes_flushed, 4, 0, 1, 0)

/* Where two lanes meet, and nowhere else. */
float sum_meeting_flushed(const float *x, size_t n) {
    float lanes[2] = {x[0], x[1]};
    for (size_t i = 2; i < n; i++)
        lanes[i % 2] += x[i];
    return flush(lanes[0] + lanes[1]);
}

/* Parts of equal length, one after the other, and their sums from the left. */
static float sum_of_parts(const float *x, size_t n, size_t parts) {
    float sum = 0;
    for (size_t p = 0; p < parts; p++) {
        size_t from = n * p / parts, to = n * (p + 1) / parts;
        if (from == to)
            continue;
        float part = sum_sequential(x + from, to - from);
        sum = from ? sum + part : part;
    }
    return sum;
}

float sum_split_4(const float *x, size_t n) {
    return sum_of_parts(x, n, 4);
}

float sum_halves(const float *x, size_t n) {
    return n <= 8 ? sum_sequential(x, n) : sum_halves(x, n / 2) + sum_halves(x + n / 2, n - n / 2);
}

/* fp32 within blocks of 32, fp64 between them. */
float sum_two_levels(const float *x, size_t n) {
    double sum = 0;
    for (size_t at = 0; at < n; at += 32)
        sum += (double)sum_sequential(x + at, n - at < 32 ? n - at : 32);
    return (float)sum;
}

/* Two of what is left are added, drawn by a generator that starts from n; the sum takes the place of the first, the
 * last that of the second. */
float sum_random(const float *x, size_t n) {
    float *left = malloc(n * sizeof *left);
    uint64_t state = n;
    memcpy(left, x, n * sizeof *left);
    for (size_t count = n; count > 1; count--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t a = (size_t)(state >> 33) % count, b = (size_t)(state >> 13 & 0xfffff) % (count - 1);
        b += b >= a;
        left[a] = left[a] + left[b];
        left[b] = left[count - 1];
    }
    float sum = left[0];
    free(left);
    return sum;
}
