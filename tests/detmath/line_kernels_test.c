/* Kernels of lines (line_kernels.c): whatever goes through vectors has the bits of the headers, on every instruction set, of every
 * length, in place and apart, of ordinary numbers and of those that are not. */
#include "detmath/gates.h"
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"
#include "detmath/norms.h"
#include "detmath/reductions.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 2200, GATES = 3, ROWS = 5 };
static uint64_t seed = 12;
static float x[MOST], u[MOST], v[MOST], want[MOST], got[MOST];

/* About 0, of the size 2^by; now and then any bits at all. */
static void fill(float *numbers, size_t n, int by, int has_any_bits) {
    for (size_t i = 0; i < n; i++) {
        const uint64_t random = random_bits(&seed);
        const uint32_t bits = (uint32_t)random;
        numbers[i] = ldexpf((float)((int32_t)bits) * 0x1p-31f, by);
        if (has_any_bits && random >> 58 == 0)
            memcpy(&numbers[i], &bits, sizeof bits);
    }
}

static size_t next_length(size_t n) {
    const size_t next = n < 200 ? n + 1 : n + 1 + (size_t)(random_bits(&seed) % 199);
    return n >= 200 && n % 2 ? (next + 63) / 64 * 64 : next; /* now and then of whole steps */
}

static void test_gates(void **state) {
    (void)state;
    for (size_t n = 0; n <= MOST; n = next_length(n))
        for (int which = 0; which < GATES; which++) {
            fill(x, n, (int)(n % 9) - 3, n % 3 == 0);
            fill(u, n, (int)(n % 41) - 20, n % 5 == 0);
            for (size_t i = 0; i < n; i++)
                want[i] = detmath_gatef(x[i], u[i], which);
            struct detmath_level level;
            for (int k = 0; detmath_level(k, &level); k++) {
                if (!level.reductions)
                    continue;
                level.reductions->lines->gates[which](got, x, u, n);
                assert_memory_equal(got, want, n * sizeof *got);
                memcpy(got, n % 2 ? x : u, n * sizeof *got);
                level.reductions->lines->gates[which](got, n % 2 ? got : x, n % 2 ? u : got, n);
                assert_memory_equal(got, want, n * sizeof *got);
            }
        }
}

/* Lines far from 0, of equal numbers and of a few units of the mean's last place; weights and biases that are any bits. */
static void test_norms(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n = next_length(n))
        for (int kind = 0; kind < 18; kind++) {
            const enum detmath_norm which = (enum detmath_norm)(kind % 3);
            const float mean = kind < 6 ? 0.0f : ldexpf(-1.0f, (int)(n % 60) - 20);
            fill(x, n, (int)(n % 60) - 20 - (kind < 12 ? 2 : 22), kind == 5 && n % 2);
            fill(u, n, 1, kind % 4 == 1);
            fill(v, n, 1, kind % 4 == 2);
            for (size_t i = 0; i < n; i++)
                x[i] = kind == 16 ? mean : x[i] + mean;
            const float *weight = n % 3 ? u : NULL, *bias = n % 5 ? v : NULL;
            detmath_normf(want, x, weight, bias, n, n % 7 ? 1e-5f : 0.0f, (int)which);
            struct detmath_level level;
            for (int k = 0; detmath_level(k, &level); k++) {
                if (!level.reductions)
                    continue;
                level.reductions->lines->norm(got, x, weight, bias, n, n % 7 ? 1e-5f : 0.0f, which);
                assert_memory_equal(got, want, n * sizeof *got);
                memcpy(got, x, n * sizeof *got);
                level.reductions->lines->norm(got, got, weight, bias, n, n % 7 ? 1e-5f : 0.0f,
                                              which);
                assert_memory_equal(got, want, n * sizeof *got);
            }
        }
}

/* Powers beyond the near ones, several largest elements, and NaN and infinities. */
static void test_softmax(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n = next_length(n))
        for (int kind = 0; kind < 6; kind++) {
            fill(x, n, kind < 2 ? kind : 3 * kind - 4, kind == 5 && n % 2);
            for (size_t i = 0; i < n && kind == 1; i++)
                x[i] = rintf(4 * x[i]);
            if (kind == 2)
                x[n / 2] = n % 3 ? -INFINITY : INFINITY;
            detmath_softmaxf(want, x, n);
            struct detmath_level level;
            for (int k = 0; detmath_level(k, &level); k++) {
                if (!level.reductions)
                    continue;
                level.reductions->softmax_f32(got, x, n);
                assert_memory_equal(got, want, n * sizeof *got);
                memcpy(got, x, n * sizeof *got);
                level.reductions->softmax_f32(got, got, n);
                assert_memory_equal(got, want, n * sizeof *got);
            }
        }
}

/* What the first try decides is what all the ways of log_sums.h decide; and of ordinary lines it decides nearly all. */
static void test_log_softmax(void **state) {
    size_t tried = 0, decided = 0;
    (void)state;
    for (size_t n = 1; n <= MOST; n = next_length(n))
        for (int kind = 0; kind < 5; kind++) {
            fill(x, n, 3 * kind - 2, kind == 4 && n % 2);
            detmath_log_softmaxf(want, x, n);
            struct detmath_level level;
            for (int k = 0; detmath_level(k, &level); k++) {
                if (!level.reductions || k == 0) /* that is without fused multiply-add */
                    continue;
                const size_t is_ordinary = n > 1 && kind < 2;
                tried += is_ordinary;
                if (!level.reductions->lines->log_softmax(got, x, n))
                    continue;
                decided += is_ordinary;
                assert_memory_equal(got, want, n * sizeof *got);
            }
        }
    assert_true(decided >= tried - tried / 20);
}

/* Several lines at once, which need not lie beside each other, have the bits of each alone, and what lies between them stays. */
static void test_lines_of_rope(void **state) {
    static float turns[4 * 200];
    static struct detmath_wide frequencies[200];
    (void)state;
    for (uint32_t pairs = 1; pairs <= 200; pairs += 1 + pairs / 9)
        for (int interleaved = 0; interleaved < 2; interleaved++) {
            const size_t length = 2 * (size_t)pairs + pairs % 3;
            const int64_t position = (int64_t)(random_bits(&seed) >> (40 + pairs % 20)) - 8;
            const struct detmath_rope rope = detmath_rope_of(10000, 1, pairs);
            detmath_rope_frequencies(frequencies, &rope);
            for (uint32_t i = 0; i < pairs; i++) {
                const struct detmath_wide own = detmath_rope_frequency(&rope, i);
                assert_memory_equal(&own, &frequencies[i], sizeof own);
            }
            fill(x, ROWS * length, (int)(pairs % 30) - 15, pairs % 2);
            detmath_rope_turns(turns, frequencies, pairs, position);
            memcpy(want, x, sizeof want);
            for (size_t line = 0; line < ROWS; line++)
                detmath_ropef(want + line * length, x + line * length, turns, pairs, position,
                              interleaved);
            struct detmath_level level;
            for (int k = 0; detmath_level(k, &level); k++) {
                if (!level.reductions)
                    continue;
                memcpy(got, x, sizeof got);
                level.reductions->lines->rope(got, got, turns, pairs, position, interleaved, ROWS,
                                              length);
                assert_memory_equal(got, want, ROWS * length * sizeof *got);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gates), cmocka_unit_test(test_norms), cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_log_softmax), cmocka_unit_test(test_lines_of_rope)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
