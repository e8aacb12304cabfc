/* What one written order costs: detmath's softmax, scans, sums and products beside
 * plain C loops over libm, of 4096 elements in fp32, exact sums beside plain ones,
 * and scaled operations on fp16 and fp8 data beside loops over fp32 numbers. Matrices are of 64 rows and columns, with
 * as many terms as that leaves for the elements of one. Conversions are to 8 bits and back.
 * Interleaved in one run: ratios are what counts.
 *
 *   array_bench [elements] */
#include "median.h"

#include "bench/plain.h"
#include "detmath/arrays.h"
#include "detmath/dyadic_arrays.h"
#include "detmath/mx_arrays.h"
#include "detmath/quantise.h"
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
static int8_t integer[MOST_ELEMENTS];
static uint8_t block_scale[MOST_ELEMENTS / DETMATH_MX_BLOCK + 1];
static int32_t mantissa[MOST_ELEMENTS];
static struct detmath_scaled_plan plan_one, plan_sum;
static struct detmath_dyadic_plan plan_from, plan_to;
static struct detmath_mx mx;
static struct detmath_cast to_fp32;
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

/* By one scale, with a zero point, and in a block of the scale of its largest number. */
static const float scale = 0.037f;
static const int8_t zero_point = 3;

static int8_t clipped(long v) {
    return (int8_t)(v < INT8_MIN ? INT8_MIN : v > INT8_MAX ? INT8_MAX : v);
}

static void loop_quantise(size_t n) {
    for (size_t i = 0; i < n; i++)
        integer[i] = clipped(lrintf(x[i] / scale) + zero_point);
}

static void loop_dequantise(size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(integer[i] - zero_point) * scale;
}

static void loop_mx_quantise(size_t n) {
    for (size_t at = 0; at < n; at += DETMATH_MX_BLOCK) {
        const size_t end = at + DETMATH_MX_BLOCK < n ? at + DETMATH_MX_BLOCK : n;
        float largest = 0;
        int exponent;
        for (size_t i = at; i < end; i++)
            largest = fabsf(x[i]) > largest ? fabsf(x[i]) : largest;
        frexpf(largest, &exponent);
        block_scale[at / DETMATH_MX_BLOCK] = (uint8_t)(exponent + 126);
        const float by = ldexpf(64, 1 - exponent);
        for (size_t i = at; i < end; i++)
            integer[i] = clipped(lrintf(x[i] * by));
    }
}

static void loop_mx_dequantise(size_t n) {
    for (size_t at = 0; at < n; at += DETMATH_MX_BLOCK) {
        const size_t end = at + DETMATH_MX_BLOCK < n ? at + DETMATH_MX_BLOCK : n;
        const float by = ldexpf(0.015625f, block_scale[at / DETMATH_MX_BLOCK] - 127);
        for (size_t i = at; i < end; i++)
            y[i] = (float)integer[i] * by;
    }
}

static void linear(size_t n, int is_quantise) {
    const struct detmath_linear rule = {
        .opset = 21, .dimensions = 1, .extents = &n, .precision = -1};
    sink = is_quantise ? detmath_quantise_linear(&rule, integer, DETMATH_INT8, x, DETMATH_F32,
                                                 &scale, DETMATH_F32, &zero_point)
                       : detmath_dequantise_linear(&rule, y, DETMATH_F32, integer, DETMATH_INT8,
                                                   &scale, DETMATH_F32, &zero_point);
}

CALL(onnx_quantise, linear(n, 1))
CALL(onnx_dequantise, linear(n, 0))
CALL(mx_quantise,
     detmath_mx_quantise(&mx, (unsigned char *)integer, block_scale, DETMATH_F32, x, n, NULL))
CALL(mx_dequantise, detmath_mx_dequantise(&mx.element, DETMATH_F32, &to_fp32, y,
                                          (unsigned char *)integer, block_scale, n, NULL))
CALL(from_real, sink = detmath_dyadic_from_f32_i32(mantissa, x, n, &plan_from, 0, 0))
CALL(to_real, sink = detmath_dyadic_to_f32_i32(y, mantissa, n, &plan_to, 0, 0))
LOOP(from_real, plain_integer_from_real(mantissa, x, n))
LOOP(to_real, plain_integer_to_real(y, mantissa, n))

static void draw(size_t n) {
    const struct detmath_dyadic_rules rules = {.bits = 32};
    const struct detmath_mx_rules ocp = {DETMATH_MX_FLOOR, 0, 0, 0, 0, 0, 0, 0};
    const struct detmath_cast_rules fp32 = {.overflow = {0x7f800000u, 0xff800000u},
                                            .zero = {0, 0x80000000u}};
    plan_from = detmath_dyadic_plan_from_real(3, 8, 1, rules);
    plan_to = detmath_dyadic_plan_to_real(3, rules);
    mx = detmath_mx_make(detmath_mx_formats[DETMATH_MXINT8], ocp, DETMATH_NEAREST_EVEN, 0);
    to_fp32 = detmath_cast_make(detmath_formats[DETMATH_F32], fp32, DETMATH_NEAREST_EVEN, 0);
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
            {"det cumsum", det_cumsum, loop_cumsum, 1},
            {"det matmul", det_matmul, loop_matmul, 1.5},
            {"onnx.quantise", onnx_quantise, loop_quantise, 1},
            {"onnx.dequantise", onnx_dequantise, loop_dequantise, 0},
            {"mx.quantise", mx_quantise, loop_mx_quantise, 1},
            {"mx.dequantise", mx_dequantise, loop_mx_dequantise, 0},
            {"dyadic.from_real", from_real, loop_from_real, 1},
            {"dyadic.to_real", to_real, loop_to_real, 0},
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
