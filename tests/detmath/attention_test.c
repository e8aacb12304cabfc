/* Attention: a query has the bits that it has alone, in a prefill, a batch, a group of heads, a window and at any strides, for
 * all numbers of keys to 512 and some to 65,536, on every instruction set; parts that are merged have those of the
 * whole; and what is computed is right, within the bound of attention.h. */
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"
#include "detmath/transformer.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 65536, WIDTH = 20, ALL_LENGTHS = 512, ROWS = 11 };
static uint64_t seed = 11;
static float q[ROWS * WIDTH], k[MOST * WIDTH], v[MOST * WIDTH], y[ROWS * WIDTH], z[ROWS * WIDTH];
static const struct detmath_attention_options plain = {.scale = 0.25f},
                                              causal = {.scale = 0.25f, .causal = 1};

static void fill(float *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        numbers[i] = (float)(4 * ((double)(random_bits(&seed) >> 11) * 0x1p-53) - 2);
}

/* One batch and head. */
static void attend(float *to, const float *queries, const float *keys, const float *values,
                   size_t rows, size_t n, const struct detmath_attention_options *options) {
    const size_t by_query[4] = {1, 1, rows, WIDTH}, by_key[4] = {1, 1, n, WIDTH};
    const struct detmath_strided out = {to, DETMATH_F32, 4, by_query, NULL},
                                 in = {(void *)(uintptr_t)queries, DETMATH_F32, 4, by_query, NULL},
                                 with = {(void *)(uintptr_t)keys, DETMATH_F32, 4, by_key, NULL},
                                 of = {(void *)(uintptr_t)values, DETMATH_F32, 4, by_key, NULL};
    assert_int_equal(detmath_attention(&out, &in, &with, &of, NULL, options), 0);
}

static size_t next_length(size_t n) {
    return n < ALL_LENGTHS ? n + 1 : n < 2000 ? n + n / 3 : n * 5 + 77;
}

/* The last queries of a prefill are those that decoding makes one by one, and of a window those of its keys alone. */
static void test_decoding_is_prefill(void **state) {
    (void)state;
    fill(k, MOST * WIDTH);
    fill(v, MOST * WIDTH);
    for (size_t n = 1; n <= MOST; n = next_length(n)) {
        const size_t rows = n < ROWS ? n : ROWS;
        const struct detmath_attention_options window = {
            .scale = 0.25f, .causal = 1, .window = n / 2 + 1};
        fill(q, rows * WIDTH);
        attend(y, q, k, v, rows, n, &causal);
        for (size_t i = 0; i < rows; i++)
            attend(z + i * WIDTH, q + i * WIDTH, k, v, 1, n - rows + i + 1, &plain);
        assert_memory_equal(y, z, rows * WIDTH * sizeof *y);
        attend(y, q, k, v, rows, n, &window);
        for (size_t i = 0; i < rows; i++) {
            const size_t last = n - rows + i + 1,
                         first = last > window.window ? last - window.window : 0;
            attend(z + i * WIDTH, q + i * WIDTH, k + first * WIDTH, v + first * WIDTH, 1,
                   last - first, &plain);
        }
        assert_memory_equal(y, z, rows * WIDTH * sizeof *y);
    }
}

/* Batches, heads that share keys, and arrays whose heads lie inside of places and run backwards. */
static void test_a_query_has_its_bits_anywhere(void **state) {
    enum { BATCHES = 2, HEADS = 4, GROUPS = 2, QUERIES = 5, KEYS = 131 };
    static float a[BATCHES * HEADS * QUERIES * WIDTH], b[sizeof a / sizeof *a];
    const size_t by_query[4] = {BATCHES, HEADS, QUERIES, WIDTH},
                 by_key[4] = {BATCHES, GROUPS, KEYS, WIDTH};
    const ptrdiff_t inside[4] = {KEYS * GROUPS * WIDTH, WIDTH, GROUPS * WIDTH, 1},
                    back[4] = {-HEADS * QUERIES * WIDTH, -QUERIES * WIDTH, -WIDTH, -1};
    const struct detmath_strided out = {b + sizeof b / sizeof *b - 1, DETMATH_F32, 4, by_query,
                                        back},
                                 in = {a, DETMATH_F32, 4, by_query, NULL},
                                 with = {k, DETMATH_F32, 4, by_key, inside},
                                 of = {v, DETMATH_F32, 4, by_key, inside};
    static float keys[KEYS * WIDTH], values[KEYS * WIDTH];
    (void)state;
    fill(a, sizeof a / sizeof *a);
    assert_int_equal(detmath_attention(&out, &in, &with, &of, NULL, &causal), 0);
    for (size_t head = 0; head < BATCHES * HEADS; head++) {
        for (size_t j = 0; j < KEYS; j++) {
            const size_t at =
                (head / HEADS * KEYS * GROUPS + j * GROUPS + head % HEADS / (HEADS / GROUPS)) *
                WIDTH;
            memcpy(keys + j * WIDTH, k + at, WIDTH * sizeof *k);
            memcpy(values + j * WIDTH, v + at, WIDTH * sizeof *v);
        }
        attend(z, a + head * QUERIES * WIDTH, keys, values, QUERIES, KEYS, &causal);
        for (size_t i = 0; i < QUERIES * WIDTH; i++)
            assert_memory_equal(&z[i], &b[sizeof b / sizeof *b - 1 - (head * QUERIES * WIDTH + i)],
                                sizeof *z);
    }
}

/* Within 2^-24 times what attention.h says: of the weighted magnitudes of values, by the sizes of the scores' terms. */
static void test_errors_are_within_the_bound(void **state) {
    (void)state;
    for (size_t n = 1; n <= 5000; n = next_length(n)) {
        long double terms = 0, total = 0, sums[WIDTH] = {0}, sizes[WIDTH] = {0};
        fill(q, WIDTH);
        attend(y, q, k, v, 1, n, &plain);
        for (size_t j = 0; j < n; j++) {
            long double s = 0, size = 0;
            for (size_t d = 0; d < WIDTH; d++) {
                s += (long double)q[d] * k[j * WIDTH + d] * 0.25L;
                size += fabsl((long double)q[d] * k[j * WIDTH + d] * 0.25L);
            }
            terms = size > terms ? size : terms;
            total += expl(s);
            for (size_t d = 0; d < WIDTH; d++) {
                sums[d] += expl(s) * v[j * WIDTH + d];
                sizes[d] += expl(s) * fabsl((long double)v[j * WIDTH + d]);
            }
        }
        const long double levels = 2 + log2l((long double)(n + 63) / 64),
                          bound = 2 * (WIDTH + 1) * terms + 2 * levels + 80;
        for (size_t d = 0; d < WIDTH; d++)
            assert_true(fabsl(y[d] - sums[d] / total) <= bound * 0x1p-24L * sizes[d] / total);
    }
}

/* Infinities and NaN in values, numbers near the end of the range, masks, and zeros. */
static void test_special_values(void **state) {
    const struct detmath_attention_options masked = {.scale = 0.25f, .bias = DETMATH_BIAS_MASK};
    const size_t by_query[4] = {1, 1, 1, WIDTH}, by_key[4] = {1, 1, 70, WIDTH},
                 by_mask[4] = {1, 1, 1, 70};
    static float values[70 * WIDTH], mask[70];
    const struct detmath_strided out = {y, DETMATH_F32, 4, by_query, NULL},
                                 in = {q, DETMATH_F32, 4, by_query, NULL},
                                 with = {k, DETMATH_F32, 4, by_key, NULL},
                                 of = {values, DETMATH_F32, 4, by_key, NULL},
                                 plus = {mask, DETMATH_F32, 4, by_mask, NULL};
    (void)state;
    for (size_t j = 0; j < 70; j++) {
        values[j * WIDTH] = j == 65 ? INFINITY : 1;
        values[j * WIDTH + 1] = j == 3 ? INFINITY : j == 4 ? -INFINITY : 1;
        values[j * WIDTH + 2] = j % 2 ? 0x1.fffffep127f : 0x1.fffffcp127f;
        values[j * WIDTH + 3] = -0.0f;
        values[j * WIDTH + 4] = j == 65 ? NAN : 0;
        values[j * WIDTH + 5] = 0.75f;
        mask[j] = j == 65 ? -INFINITY : 0;
    }
    attend(y, q, k, values, 1, 70, &plain);
    assert_true(isinf(y[0]) && y[0] > 0 && isnan(y[1]) && fabsf(y[2]) >= 0x1.fffff0p127f &&
                y[2] < INFINITY);
    assert_true(y[3] == 0 && signbit(y[3]) && isnan(y[4]) && fabsf(y[5] - 0.75f) < 0x1p-20f);
    assert_int_equal(detmath_attention(&out, &in, &with, &of, &plus, &masked), 0);
    assert_true(fabsf(y[0] - 1) < 0x1p-20f && y[4] == 0 && !signbit(y[4]));
    for (size_t j = 0; j < 70; j++)
        mask[j] = -INFINITY;
    assert_int_equal(detmath_attention(&out, &in, &with, &of, &plus, &masked), 0);
    for (size_t i = 0; i < WIDTH; i++)
        assert_true(y[i] == 0 && !signbit(y[i]));
    assert_int_equal(detmath_attention(&out, &in, &with, &of, NULL, &masked),
                     DETMATH_TROUBLE_OPTIONS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decoding_is_prefill),
                                       cmocka_unit_test(test_a_query_has_its_bits_anywhere),
                                       cmocka_unit_test(test_errors_are_within_the_bound),
                                       cmocka_unit_test(test_special_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
