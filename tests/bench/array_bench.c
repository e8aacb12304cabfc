/* What one written order costs: detmath's softmax, scans, sums and products beside
 * plain C loops over libm, of 4096 elements in fp32, exact sums beside plain ones,
 * and scaled operations on fp16 and fp8 data beside loops over fp32 numbers. Matrices are of 64 rows and columns, with
 * as many terms as that leaves for the elements of one.
 * Interleaved in one run: ratios are what counts.
 *
 *   array_bench [elements] */
#include "median.h"

#include "bench/plain.h"
#include "detmath/arrays.h"
#include "detmath/random.h"
#include "detmath/scaled_arrays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ELEMENTS = 4096, MOST_ELEMENTS = 1 << 20, ROUNDS = 41, CALLS = 20, SIDE = 64 };

static float x[MOST_ELEMENTS], y[MOST_ELEMENTS];
static double x64[MOST_ELEMENTS];
static uint16_t half[MOST_ELEMENTS], half_result[MOST_ELEMENTS];
static uint8_t byte[MOST_ELEMENTS], byte_result[MOST_ELEMENTS];
static struct detmath_scaled_plan plan_one, plan_sum;
static volatile double sink; /* so that no loop is left out */

#define CALL(NAME, ...)                                                                            \
    static void NAME(size_t n) {                                                                   \
        __VA_ARGS__;                                                                               \
    }
#define LOOP(NAME, ...) CALL(loop_##NAME, __VA_ARGS__)

LOOP(sum, sink = (double)plain_sum(x, n))
LOOP(dot, sink = (double)plain_dot(x, x, n))
LOOP(softmax, plain_softmax(y, x, n))
LOOP(logcumsumexp, plain_logcumsumexp(y, x, n))
LOOP(cumsum, plain_cumsum(y, x, n))
LOOP(matmul, plain_matmul(y, x, x, SIDE, n / SIDE, SIDE))

static void loop_sum_fp64(size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x64[i];
    sink = sum;
}

static void loop_add(size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + x[n - 1 - i];
}

static void loop_gelu(size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f));
}

CALL(det_sum, sink = (double)detmath_sum_f32(x, n))
CALL(det_dot, sink = (double)detmath_dot_f32(x, x, n))
CALL(exact_sum, sink = (double)detmath_cr_sum_f32(x, n))
CALL(exact_sum_fp64, sink = detmath_cr_sum_f64(x64, n))
CALL(exact_dot, sink = (double)detmath_cr_dot_f32(x, x, n))
CALL(det_softmax, detmath_softmax_f32(y, x, n))
CALL(det_logcumsumexp, detmath_logcumsumexp_f32(y, x, n))
CALL(det_cumsum, detmath_cumsum_f32(y, x, n))
CALL(det_matmul, detmath_matmul_f32(y, x, x, SIDE, n / SIDE, SIDE))
/* One exponential and one logarithm for each element, which a scan cannot do without. */
CALL(exp_and_log, detmath_cr_exp_f32(y, x, n), detmath_cr_log_f32(y, y, n))
CALL(scaled_add_fp16, detmath_scaled_add(DETMATH_F16, half_result, half, half, n, &plan_sum))
CALL(scaled_add_fp8, detmath_scaled_add(DETMATH_E4M3FN, byte_result, byte, byte, n, &plan_sum))
CALL(scaled_gelu_fp16,
     detmath_scaled_gelu(DETMATH_F16, half_result, DETMATH_F16, half, n, &plan_one))
CALL(scaled_softmax_fp16, sink = (double)detmath_scaled_softmax(DETMATH_F16, half_result, half, n,
                                                                &plan_one, DETMATH_SCALED_F32))
CALL(scaled_dot_fp16, sink = detmath_scaled_dot(DETMATH_F16, half, half, n, 1, &plan_sum))
CALL(scaled_cast_to_fp8,
     detmath_scaled_apply(DETMATH_E4M3FN, byte_result, DETMATH_F16, half, n, &plan_one))

static void draw(size_t n) {
    for (size_t i = 0; i < n; i++) {
        x64[i] = (double)(detmath_random(1, i) >> 11) * 0x1p-50 - 4;
        x[i] = (float)x64[i];
        half[i] = (uint16_t)detmath_encode(x64[i], detmath_formats[DETMATH_F16]);
        byte[i] = (uint8_t)detmath_encode(x64[i], detmath_formats[DETMATH_E4M3FN]);
    }
    plan_one = detmath_scaled_plan_one(detmath_scale_of(1.5f, 0));
    plan_sum = detmath_scaled_plan_sum(detmath_scale_of(1.5f, 0), detmath_scale_of(-0.3f, 0));
}

static const struct row {
    const char *name;
    void (*ours)(size_t n), (*plain)(size_t n);
    double most; /* the ratio aimed at; 0 of none */
} rows[] = {{"det sum", det_sum, loop_sum, 1},
            {"det softmax", det_softmax, loop_softmax, 1},
            {"det logcumsumexp", det_logcumsumexp, loop_logcumsumexp, 1},
            {"  of an exp and a log", det_logcumsumexp, exp_and_log, 1},
            {"exact sum, fp32", exact_sum, loop_sum, 8},
            {"exact sum, fp64", exact_sum_fp64, loop_sum_fp64, 8},
            {"exact dot, fp32", exact_dot, loop_dot, 8},
            {"det dot", det_dot, loop_dot, 0},
            {"det cumsum", det_cumsum, loop_cumsum, 0},
            {"det matmul", det_matmul, loop_matmul, 1.5},
            {"scaled.add, fp16", scaled_add_fp16, loop_add, 0},
            {"scaled.add, fp8", scaled_add_fp8, loop_add, 0},
            {"scaled.cast to fp8", scaled_cast_to_fp8, loop_add, 0},
            {"scaled.gelu, fp16", scaled_gelu_fp16, loop_gelu, 0},
            {"scaled.softmax", scaled_softmax_fp16, loop_softmax, 0},
            {"scaled.matmul's dot", scaled_dot_fp16, loop_dot, 0}};
enum { ROWS = sizeof rows / sizeof *rows };

static double time_calls(void (*call)(size_t n), size_t n) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < CALLS; i++)
        call(n);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    return seconds / CALLS / (double)n * 1e9;
}

int main(int count, char **words) {
    size_t n = count > 1 ? strtoul(words[1], NULL, 10) : ELEMENTS;
    static double ours[ROWS][ROUNDS], plain[ROWS][ROUNDS], ratios[ROWS][ROUNDS];
    if (n < 1 || n > MOST_ELEMENTS) {
        fprintf(stderr, "array_bench [elements, 1 to %d]\n", MOST_ELEMENTS);
        return 2;
    }
    draw(n);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ROWS; i++) {
            ours[i][round] = time_calls(rows[i].ours, n);
            plain[i][round] = time_calls(rows[i].plain, n);
            ratios[i][round] = ours[i][round] / plain[i][round];
        }
    printf("%-18s %10s %10s %8s %6s   (ns per element, %zu elements, medians of "
           "%d)\n",
           "", "ours", "plain", "ratio", "aim", n, ROUNDS);
    for (int i = 0; i < ROWS; i++) {
        printf("%-19s %9.3f %10.3f %8.2f ", rows[i].name, median(ours[i], ROUNDS),
               median(plain[i], ROUNDS), median(ratios[i], ROUNDS));
        printf(rows[i].most > 0 ? "%6.3g\n" : "     -\n", rows[i].most);
    }
    return 0;
}
