/* What README.md says of the caller's settings: array forms return the same bits whatever rounding and
 * flushing the caller has set, and leave both as they were. */
#include "detmath/arrays.h"
#include "detmath/library/environment.h"
#include "detmath/library/kernels.h"
#include "detmath/round.h"

#include "../base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { INPUTS = 96, REDUCTIONS = 8 };

/* Of MXCSR: toward -inf, +inf, 0; FTZ; DAZ; all of it. Of others: the roundings. */
#if defined(__x86_64__)
static const uint64_t settings[] = {0x2000, 0x4000, 0x6000, 0x8000, 0x40, 0xe040};
#elif defined(__aarch64__)
static const uint64_t settings[] = {0x400000, 0x800000, 0xc00000, 0x1000000};
#else
static const uint64_t settings[] = {1, 2, 3};
#endif
enum { SETTINGS = sizeof settings / sizeof *settings };

static void set(uint64_t setting) {
    detmath_environment_write((detmath_environment_read() & ~DETMATH_ENVIRONMENT_BITS) | setting);
}

static uint64_t what_is_set(void) {
    return detmath_environment_read() & DETMATH_ENVIRONMENT_BITS;
}

/* Codes of every size, subnormal ones in all formats among them. */
static void draw(uint32_t codes[2][INPUTS]) {
    uint64_t seed = 20;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < INPUTS; i++) {
            uint32_t bits = (uint32_t)random_bits(&seed);
            codes[k][i] = i % 4 == 0   ? bits & 0x807fffff
                          : i % 4 == 1 ? bits % 0x1000000 + 0x3f000000
                                       : bits;
        }
}

static void run(const struct detmath_kernels *kernels, int format, uint64_t setting,
                uint32_t codes[2][INPUTS], uint32_t results[2][INPUTS]) {
    void *const to[] = {results[0], results[1]};
    const void *const from[] = {codes[0], codes[1]};
    memset(results, 0, 2 * sizeof *results);
    set(setting);
    if (format < 0)
        detmath_run_det(kernels, to, from, INPUTS);
    else
        detmath_run_cr(kernels, format, to, from, INPUTS);
    uint64_t left = what_is_set();
    set(0);
    assert_int_equal(left, setting);
}

static void test_functions(void **state) {
    uint32_t codes[2][INPUTS], expected[2][INPUTS], results[2][INPUTS];
    (void)state;
    draw(codes);
    for (int f = 0; f < DETMATH_FUNCTIONS; f++)
        for (int format = -1; format <= DETMATH_E5M2FNUZ; format++) {
            const struct detmath_kernels *kernels = detmath_kernels((enum detmath_function)f);
            run(kernels, format, 0, codes, expected);
            for (size_t i = 0; i < SETTINGS; i++) {
                run(kernels, format, settings[i], codes, results);
                if (memcmp(results, expected, sizeof results) != 0)
                    fail_msg("%s, format %d, setting 0x%llx", kernels->name, format,
                             (unsigned long long)settings[i]);
            }
        }
}

/* All by the calls of arrays.h; each fills its share of the results. */
static void reduce(uint64_t setting, const float *x, const float *y, float results[][INPUTS]) {
    memset(results, 0, REDUCTIONS * sizeof *results);
    set(setting);
    detmath_exp_f32(results[0], x, INPUTS);
    detmath_cr_pow_f32(results[1], x, y, INPUTS);
    detmath_softmax_f32(results[2], x, INPUTS);
    detmath_cumsum_f32(results[3], x, INPUTS);
    detmath_logcumsumexp_f32(results[4], y, INPUTS);
    detmath_matmul_f32(results[5], x, y, 8, 12, 8);
    results[6][0] = detmath_sum_f32(x, INPUTS);
    results[6][1] = detmath_dot_f32(x, y, INPUTS);
    results[6][2] = detmath_cr_mean_f32(x, INPUTS);
    results[6][3] = detmath_logsumexp_f32(y, INPUTS);
    detmath_sincos_f32(results[7], results[6] + 4, x, INPUTS - 4);
    uint64_t left = what_is_set();
    set(0);
    assert_int_equal(left, setting);
}

/* Numbers of about one size, and some that are subnormal, so that every rounding counts. */
static void test_calls(void **state) {
    float x[INPUTS], y[INPUTS], expected[REDUCTIONS][INPUTS], results[REDUCTIONS][INPUTS];
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < INPUTS; i++) {
        x[i] = (float)(random_bits(&seed) % 100003) * (i % 5 ? 0x1.8p-16f : 0x1p-142f);
        y[i] = (float)(random_bits(&seed) % 100003) * (i % 7 ? 0x1.4p-16f : 0x1p-144f) - 0.75f;
    }
    reduce(0, x, y, expected);
    for (size_t i = 0; i < SETTINGS; i++) {
        reduce(settings[i], x, y, results);
        for (int k = 0; k < REDUCTIONS; k++)
            if (memcmp(results[k], expected[k], sizeof results[k]) != 0)
                fail_msg("call %d, setting 0x%llx", k, (unsigned long long)settings[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions),
                                       cmocka_unit_test(test_calls)};
    if (DETMATH_ENVIRONMENT_BITS == 0) {
        puts("skipped: the caller's settings are looked at on x86-64, aarch64 and riscv64 only");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
