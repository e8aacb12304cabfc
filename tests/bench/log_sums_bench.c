/* What logarithms of sums cost on the data they are made for: log-probabilities, sorted, constant
 * and cancelling data, beside normal data and beside a plain loop over libm, in processor time, the
 * calls of one round one after the other.
 *
 *   log_sums_bench [elements] [baseline, avx2 or avx512] */
#include "median.h"

#include "detmath/arrays.h"
#include "detmath/library/kernels.h"
#include "detmath/random.h"
#include "detmath/strided.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ELEMENTS = 100000, MOST_ELEMENTS = 10000000, MOST_ROUNDS = 21 };

static double *x64, *y64, *g64;
static float *x32, *y32, *g32;

static double normal(uint64_t seed, size_t i) {
    double u = (double)((detmath_random(seed, 2 * i) >> 11) + 1) * 0x1p-53;
    double v = (double)(detmath_random(seed, 2 * i + 1) >> 11) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static int descending(const void *a, const void *b) {
    return ascending(b, a);
}

static double as_normal(size_t i, size_t n, double unit) {
    (void)n, (void)unit;
    return normal(1, i);
}

static double as_sure(size_t i, size_t n, double unit) {
    (void)unit;
    return i == n / 3 ? 40 : 8 * normal(1, i);
}

static double as_constant(size_t i, size_t n, double unit) {
    (void)i, (void)n, (void)unit;
    return 0.3;
}

/* Each is nearly 1/n of 1. */
static double as_cancelling(size_t i, size_t n, double unit) {
    (void)i;
    return 0.01 * (unit - 0.5) - log((double)n);
}

/* Two make nearly 1, and what follows hardly anything: all results cancel. */
static double as_near_one(size_t i, size_t n, double unit) {
    (void)n;
    return i == 0 ? -0.5 : i == 1 ? -0.932752129567188 : -30 - 40 * unit;
}

static double as_wide(size_t i, size_t n, double unit) {
    (void)n;
    return (i % 2 ? -1 : 1) * exp2(40 * unit - 34);
}

static double as_steps(size_t i, size_t n, double unit) {
    (void)n, (void)unit;
    return 500.0 * (double)i;
}

/* Data whose logarithm of the sum is subtracted where `normalised`. */
static const struct family {
    const char *name;
    double (*element)(size_t i, size_t n, double unit);
    int normalised;
    int (*sorted)(const void *, const void *);
} families[] = {{"normal", as_normal, 0, NULL},
                {"log-softmaxed", as_normal, 1, NULL},
                {"log-softmaxed, sure", as_sure, 1, NULL},
                {"sorted up", as_normal, 0, ascending},
                {"sorted down", as_normal, 0, descending},
                {"log-softmaxed, up", as_normal, 1, ascending},
                {"log-softmaxed, down", as_normal, 1, descending},
                {"constant", as_constant, 0, NULL},
                {"constant, sum 1", as_constant, 1, NULL},
                {"cancelling", as_cancelling, 0, NULL},
                {"near 1 throughout", as_near_one, 0, NULL},
                {"wide", as_wide, 0, NULL},
                {"steps of e^500", as_steps, 0, NULL}};
enum { FAMILIES = sizeof families / sizeof *families };

static void draw(const struct family *family, size_t n) {
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++) {
        double unit = (double)(detmath_random(3, i) >> 11) * 0x1p-53;
        x64[i] = family->element(i, n, unit);
        most = x64[i] > most ? x64[i] : most;
        g64[i] = 1 - unit;
        g32[i] = (float)g64[i];
    }
    for (size_t i = 0; i < n && family->normalised; i++)
        sum += exp(x64[i] - most);
    for (size_t i = 0; i < n && family->normalised; i++)
        x64[i] -= most + log(sum);
    if (family->sorted)
        qsort(x64, n, sizeof *x64, family->sorted);
    for (size_t i = 0; i < n; i++)
        x32[i] = (float)x64[i];
}

static void scan_fp32(size_t n) {
    detmath_logcumsumexp_f32(y32, x32, n);
}

static void scan_fp64(size_t n) {
    detmath_logcumsumexp_f64(y64, x64, n);
}

static void reduce_fp32(size_t n) {
    y32[0] = detmath_logsumexp_f32(x32, n);
}

static void reduce_fp64(size_t n) {
    y64[0] = detmath_logsumexp_f64(x64, n);
}

static void softmax_fp32(size_t n) {
    detmath_log_softmax_f32(y32, x32, n);
}

static void softmax_fp64(size_t n) {
    detmath_log_softmax_f64(y64, x64, n);
}

static void gradient(void *y, const void *x, const void *g, int format, size_t n,
                     int (*of)(const struct detmath_strided *, const struct detmath_strided *,
                               const struct detmath_strided *, int, unsigned)) {
    struct detmath_strided to = {y, format, 1, &n, NULL}, from = to, given = to;
    from.codes = (void *)(uintptr_t)x;
    given.codes = (void *)(uintptr_t)g;
    of(&to, &from, &given, 0, 0);
}

static int share_gradient(const struct detmath_strided *y, const struct detmath_strided *x,
                          const struct detmath_strided *g, int axis, unsigned options) {
    (void)options;
    return detmath_log_softmax_gradient_along(y, x, g, axis);
}

static void scan_gradient_fp32(size_t n) {
    gradient(y32, x32, g32, DETMATH_F32, n, detmath_logcumsumexp_gradient_along);
}

static void scan_gradient_fp64(size_t n) {
    gradient(y64, x64, g64, DETMATH_F64, n, detmath_logcumsumexp_gradient_along);
}

static void share_gradient_fp32(size_t n) {
    gradient(y32, x32, g32, DETMATH_F32, n, share_gradient);
}

static void plain_fp32(size_t n) {
    float sum = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        float most = sum > x32[i] ? sum : x32[i], least = sum > x32[i] ? x32[i] : sum;
        y32[i] = sum = most + log1pf(expf(least - most));
    }
}

static void plain_fp64(size_t n) {
    double sum = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double most = sum > x64[i] ? sum : x64[i], least = sum > x64[i] ? x64[i] : sum;
        y64[i] = sum = most + log1p(exp(least - most));
    }
}

static const struct {
    const char *name;
    void (*ours)(size_t n), (*plain)(size_t n);
} rows[] = {{"logcumsumexp, fp32", scan_fp32, plain_fp32},
            {"logcumsumexp, fp64", scan_fp64, plain_fp64},
            {"logsumexp, fp32", reduce_fp32, plain_fp32},
            {"logsumexp, fp64", reduce_fp64, plain_fp64},
            {"log_softmax, fp32", softmax_fp32, plain_fp32},
            {"log_softmax, fp64", softmax_fp64, plain_fp64},
            {"logcumsumexp_gradient, fp32", scan_gradient_fp32, plain_fp32},
            {"logcumsumexp_gradient, fp64", scan_gradient_fp64, plain_fp64},
            {"log_softmax_gradient, fp32", share_gradient_fp32, plain_fp32}};
enum { ROWS = sizeof rows / sizeof *rows };

static double time_call(void (*call)(size_t n), size_t n) {
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    call(n);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
           (double)n;
}

int main(int count, char **words) {
    size_t n = count > 1 ? strtoul(words[1], NULL, 10) : ELEMENTS;
    int rounds = n > 1000000 ? 3 : MOST_ROUNDS;
    static double ours[MOST_ROUNDS], plain[MOST_ROUNDS], first[ROWS], sum[ROWS];
    if (n < 1 || n > MOST_ELEMENTS || (count > 2 && !detmath_limit_level(words[2]))) {
        fprintf(stderr, "log_sums_bench [elements, 1 to %d] [baseline, avx2 or avx512]\n",
                MOST_ELEMENTS);
        return 2;
    }
    x64 = calloc(n, sizeof *x64);
    y64 = calloc(n, sizeof *y64);
    g64 = calloc(n, sizeof *g64);
    x32 = calloc(n, sizeof *x32);
    y32 = calloc(n, sizeof *y32);
    g32 = calloc(n, sizeof *g32);
    printf("%-28s %-20s %10s %10s %8s   (ns per element, %zu elements, medians of %d, %s)\n", "",
           "", "ours", "plain", "/normal", n, rounds, count > 2 ? words[2] : "the best level");
    for (int i = 0; i < FAMILIES && x64 && y64 && g64 && x32 && y32 && g32; i++) {
        draw(&families[i], n);
        for (int row = 0; row < ROWS; row++) {
            for (int round = 0; round < rounds; round++) {
                ours[round] = time_call(rows[row].ours, n);
                plain[round] = time_call(rows[row].plain, n);
            }
            double time = median(ours, (size_t)rounds);
            first[row] = i ? first[row] : time;
            sum[row] += time / first[row] / FAMILIES;
            printf("%-28s %-20s %10.2f %10.2f %8.2f\n", rows[row].name, families[i].name, time,
                   median(plain, (size_t)rounds), time / first[row]);
        }
    }
    for (int row = 0; row < ROWS; row++)
        printf("%-28s %-20s %30.2f\n", rows[row].name, "mean of all", sum[row]);
    return 0;
}
