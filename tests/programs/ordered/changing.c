/* What is no order: it changes from call to call or with the data, or is no sum of all terms. */
#include "arithmetic.h"

#include <omp.h>
#include <stdlib.h>

float sum_by_threads(const float *x, size_t n) {
    static unsigned calls;
    size_t start = (size_t)(++calls * 2654435761u >> 7) % n;
    float sum = x[start];
    for (size_t i = 1; i < n; i++)
        sum += x[(start + i) % n];
    return sum;
}

static int by_magnitude(const void *a, const void *b) {
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return fabsf(x) != fabsf(y) ? (fabsf(x) < fabsf(y) ? -1 : 1) : (x > y) - (x < y);
}

float sum_sorted(const float *x, size_t n) {
    float *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_magnitude);
    float sum = sum_sequential(sorted, n);
    free(sorted);
    return sum;
}

/* By magnitude, one term after the other into its place: of equal ones the later one behind the earlier, or by sign. */
static float sum_inserted(const float *x, size_t n, int down, int by_sign) {
    float *sorted = malloc(n * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at > 0; at--) {
            const float before = sorted[at - 1], size = fabsf(before) - fabsf(x[i]);
            const int stays = size != 0 ? (size < 0) != down : !by_sign || before >= x[i];
            if (stays)
                break;
            sorted[at] = before;
        }
        sorted[at] = x[i];
    }
    float sum = sum_sequential(sorted, n);
    free(sorted);
    return sum;
}

float sum_sorted_stably(const float *x, size_t n) {
    return sum_inserted(x, n, 0, 0);
}

float sum_sorted_down_stably(const float *x, size_t n) {
    return sum_inserted(x, n, 1, 0);
}

float sum_sorted_positive_first(const float *x, size_t n) {
    return sum_inserted(x, n, 0, 1);
}

float sum_sorted_down_positive_first(const float *x, size_t n) {
    return sum_inserted(x, n, 1, 1);
}

static int by_value(const void *a, const void *b) {
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

float sum_sorted_by_value(const float *x, size_t n) {
    float *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, x, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    float sum = sum_sequential(sorted, n);
    free(sorted);
    return sum;
}

/* One array of four is summed in another way: from the right, in fp64, a little more, and by products that are rounded. */
float sum_at_times_reverse(const float *x, size_t n) {
    return is_chosen(x[0]) ? sum_reverse(x, n) : sum_sequential(x, n);
}

float sum_at_times_fp64(const float *x, size_t n) {
    return is_chosen(x[0]) ? sum_fp64(x, n) : sum_sequential(x, n);
}

float sum_at_times_more(const float *x, size_t n) {
    return is_chosen(x[0]) ? 1.01f * sum_sequential(x, n) : sum_sequential(x, n);
}

float sum_by_sign(const float *x, size_t n) {
    return x[0] < 0 ? sum_reverse(x, n) : sum_sequential(x, n);
}

/* One call of some thousands, whatever its array. */
float sum_seldom_reverse(const float *x, size_t n) {
    static unsigned calls;
    return ++calls % 3001 == 0 ? sum_reverse(x, n) : sum_sequential(x, n);
}

/* The first call on 36 terms of which the result shows it. */
float sum_once_reverse(const float *x, size_t n) {
    static int was;
    const float sum = sum_sequential(x, n), reversed = sum_reverse(x, n);
    if (n != 36 || was || sum == reversed)
        return sum;
    was = 1;
    return reversed;
}

/* Where its caller is one of several threads of OpenMP, it does not use its lanes. */
float sum_in_parallel(const float *x, size_t n) {
    return omp_in_parallel() ? sum_sequential(x, n) : sum_lanes_4(x, n);
}

/* Terms that are not 0 go to four lanes by turns. */
float sum_zeros_skipped(const float *x, size_t n) {
    float lanes[4] = {0};
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            lanes[count++ % 4] += x[i];
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

/* A bin for each 8 exponents, added from the largest bin on. */
float sum_bins(const float *x, size_t n) {
    enum { BINS = 64 };
    float bins[BINS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        int exponent;
        frexpf(x[i], &exponent);
        bins[(exponent + 160) / 8] += x[i];
    }
    for (int bin = BINS; bin-- > 0;)
        sum += bins[bin];
    return sum;
}

/* A sum, but one in so many is off by its last bit: by no order. */
static float odd_one(float sum, const float *x, uint32_t many) {
    uint32_t code, first;
    memcpy(&code, &sum, sizeof code);
    memcpy(&first, &x[0], sizeof first);
    code ^= first % many == 5;
    memcpy(&sum, &code, sizeof sum);
    return sum;
}

float sum_odd_one(const float *x, size_t n) {
    return odd_one(sum_sequential(x, n), x, 8);
}

float sum_nodes_odd(const float *x, size_t n) {
    return odd_one(sum_nodes_8_25(x, n), x, 8);
}

float sum_reverse_from_zero(const float *x, size_t n) {
    float sum = 0;
    while (n-- > 0)
        sum += x[n];
    return sum;
}

/* No sums of n terms. */
float sum_first(const float *x, size_t n) {
    (void)n;
    return x[0];
}
float sum_plus_one(const float *x, size_t n) {
    return sum_sequential(x, n) + 1;
}
float sum_over_n(const float *x, size_t n) {
    return sum_sequential(x, n) / (float)n;
}
float sum_nan_from_12(const float *x, size_t n) {
    return n < 12 ? sum_sequential(x, n) : NAN;
}

/* Of 20 terms alone. */
float sum_odd_20(const float *x, size_t n) {
    return n == 20 ? odd_one(sum_sequential(x, n), x, 8) : sum_sequential(x, n);
}

float sum_seldom_odd(const float *x, size_t n) {
    return odd_one(sum_sequential(x, n), x, 128);
}

/* To nearest by a random number in place of a half: another one each time. */
float sum_stochastic(const float *x, size_t n) {
    static uint64_t state = 1;
    float sum = x[0];
    for (size_t i = 1; i < n; i++) {
        double all = add_odd(sum, x[i]), down = narrow(all, 24, -149, 1);
        double unit = ldexp(1, all == 0 ? 0 : ilogb(all) - 23);
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int up = fabs(all - down) > unit * ldexp((double)(state >> 40), -24);
        sum = (float)(up ? down + copysign(unit, all) : down);
    }
    return sum;
}
