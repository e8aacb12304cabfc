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

/* Keys in pages of a pool that two samples share, in any order, and pages that are not there. */
static void test_pages_are_no_matter(void **state) {
    enum { KEYS = 131, PAGE = 10, PAGES = 14, POOL = 40 };
    const size_t by_query[4] = {2, 1, 3, WIDTH}, by_place[4] = {2, 1, POOL * PAGE + 5, WIDTH},
                 by_key[4] = {2, 1, KEYS, WIDTH};
    const ptrdiff_t shared[4] = {0, 0, WIDTH, 1};
    static float keys[2 * KEYS * WIDTH], values[2 * KEYS * WIDTH];
    size_t pages[2 * PAGES];
    struct detmath_attention_options paged = {
        .scale = 0.25f, .causal = 1, .page = PAGE, .keys = KEYS, .pages = pages};
    const struct detmath_strided out = {y, DETMATH_F32, 4, by_query, NULL},
                                 again = {z, DETMATH_F32, 4, by_query, NULL},
                                 in = {q, DETMATH_F32, 4, by_query, NULL},
                                 with = {k, DETMATH_F32, 4, by_place, shared},
                                 of = {v, DETMATH_F32, 4, by_place, shared},
                                 with_whole = {keys, DETMATH_F32, 4, by_key, NULL},
                                 of_whole = {values, DETMATH_F32, 4, by_key, NULL};
    (void)state;
    fill(q, 2 * 3 * WIDTH);
    for (size_t i = 0; i < 2 * PAGES; i++)
        pages[i] = (7 * i + 3) % POOL;
    for (size_t i = 0; i < 2 * KEYS; i++) {
        const size_t key = i % KEYS,
                     place = pages[i / KEYS * PAGES + key / PAGE] * PAGE + key % PAGE;
        memcpy(keys + i * WIDTH, k + place * WIDTH, WIDTH * sizeof *k);
        memcpy(values + i * WIDTH, v + place * WIDTH, WIDTH * sizeof *v);
    }
    assert_int_equal(detmath_attention(&out, &in, &with, &of, NULL, &paged), 0);
    assert_int_equal(detmath_attention(&again, &in, &with_whole, &of_whole, NULL, &causal), 0);
    assert_memory_equal(y, z, 2 * 3 * WIDTH * sizeof *y);
    pages[PAGES] = POOL;
    assert_int_equal(detmath_attention(&out, &in, &with, &of, NULL, &paged),
                     DETMATH_TROUBLE_OPTIONS);
}

/* Attends with a bias for each key, or ALiBi's slope, and with a soft cap. */
static void attend_capped(float *bias, size_t n, float soft_cap, int which) {
    const size_t by_query[4] = {1, 1, 1, WIDTH}, by_key[4] = {1, 1, n, WIDTH},
                 by_bias[4] = {1, 1, 1, n}, one = 1;
    const struct detmath_strided out = {y, DETMATH_F32, 4, by_query, NULL},
                                 in = {q, DETMATH_F32, 4, by_query, NULL},
                                 with = {k, DETMATH_F32, 4, by_key, NULL},
                                 of = {v, DETMATH_F32, 4, by_key, NULL},
                                 plus = {bias, DETMATH_F32, 4, by_bias, NULL},
                                 slope = {bias, DETMATH_F32, 1, &one, NULL};
    const struct detmath_attention_options options = {
        .scale = 0.25f, .soft_cap = soft_cap, .bias = which};
    assert_int_equal(detmath_attention(&out, &in, &with, &of,
                                       which == DETMATH_BIAS_ALIBI ? &slope : &plus, &options),
                     0);
}

/* Within 2^-24 times what the manual says: of the weighted magnitudes of values, by the sizes of the scores' terms, and of a bias
 * with a soft cap. */
static void check_bound(size_t n, float *bias, float soft_cap, int which) {
    long double terms = 0, largest = 0, total = 0, sums[WIDTH] = {0}, sizes[WIDTH] = {0};
    fill(q, WIDTH);
    if (bias) {
        fill(bias, n);
        if (which == DETMATH_BIAS_ALIBI)
            bias[0] = 3 / (float)n;
        attend_capped(bias, n, soft_cap, which);
    } else
        attend(y, q, k, v, 1, n, &plain);
    for (size_t j = 0; j < n; j++) {
        long double s = 0, size = 0;
        for (size_t d = 0; d < WIDTH; d++) {
            s += (long double)q[d] * k[j * WIDTH + d] * 0.25L;
            size += fabsl((long double)q[d] * k[j * WIDTH + d] * 0.25L);
        }
        terms = size > terms ? size : terms;
        s = bias && soft_cap != 0 ? soft_cap * tanhl(s / soft_cap) : s;
        const long double added = !bias ? 0
                                  : which == DETMATH_BIAS_ALIBI
                                      ? -(long double)bias[0] * (n - 1 - j)
                                      : (long double)bias[j];
        s += added;
        largest = fmaxl(largest, fabsl(added));
        total += expl(s);
        for (size_t d = 0; d < WIDTH; d++) {
            sums[d] += expl(s) * v[j * WIDTH + d];
            sizes[d] += expl(s) * fabsl((long double)v[j * WIDTH + d]);
        }
    }
    const long double levels = 2 + log2l((long double)(n + 63) / 64),
                      bound =
                          (2 * (WIDTH + 1) + (bias ? 2 : 0) + (soft_cap != 0 ? 12 : 0)) * terms +
                          (which == DETMATH_BIAS_ALIBI ? 6 : 4) * largest + 2 * levels + 80;
    for (size_t d = 0; d < WIDTH; d++)
        assert_true(fabsl(y[d] - sums[d] / total) <= bound * 0x1p-24L * sizes[d] / total);
}

static void test_errors_are_within_the_bound(void **state) {
    static float bias[5000];
    (void)state;
    for (size_t n = 1; n <= 5000; n = next_length(n))
        check_bound(n, NULL, 0, DETMATH_BIAS_NONE);
    for (size_t n = 1; n <= 5000; n = n * 3 / 2 + 1) {
        check_bound(n, bias, 0, DETMATH_BIAS_MASK);
        check_bound(n, bias, 1.5f, DETMATH_BIAS_MASK);
        check_bound(n, bias, 0, DETMATH_BIAS_ALIBI);
    }
}

/* Values in [1, 2) have the condition 1: results are off by fewer ulp than the bound promises, and by more than one. */
static void test_errors_where_nothing_cancels(void **state) {
    double most = 0, total = 0;
    size_t elements = 0;
    (void)state;
    for (size_t n = 1; n <= 1024; n = n < 70 ? n + 1 : n * 5 / 4) {
        fill(q, WIDTH);
        for (size_t i = 0; i < n * WIDTH; i++)
            v[i] = 1 + (float)(random_bits(&seed) >> 41) * 0x1p-23f;
        attend(y, q, k, v, 1, n, &plain);
        double weights = 0, sums[WIDTH] = {0};
        for (size_t j = 0; j < n; j++) {
            double s = 0;
            for (size_t d = 0; d < WIDTH; d++)
                s += (double)q[d] * (double)k[j * WIDTH + d];
            weights += exp(s / 4);
            for (size_t d = 0; d < WIDTH; d++)
                sums[d] += exp(s / 4) * (double)v[j * WIDTH + d];
        }
        for (size_t d = 0; d < WIDTH; d++, elements++) {
            const double ulp = fabs((double)y[d] - sums[d] / weights) * 0x1p23;
            most = ulp > most ? ulp : most;
            total += ulp;
        }
    }
    print_message("%zu elements: at most %.2f ulp, %.2f in the mean\n", elements, most,
                  total / (double)elements);
    assert_true(most < 10 && total < 1.5 * (double)elements);
    fill(v, MOST * WIDTH);
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
    fill(q, WIDTH);
    for (size_t i = 0; i < WIDTH; i++)
        q[i] /= 64; /* so that weights are nearly exact */
    for (size_t j = 0; j < 70; j++) {
        values[j * WIDTH] = j == 65 ? INFINITY : 1;
        values[j * WIDTH + 1] = j == 3 ? INFINITY : j == 4 ? -INFINITY : 1;
        values[j * WIDTH + 2] = j % 2 ? 0x1.fffff0p127f : 0x1.ffffe0p127f;
        values[j * WIDTH + 3] = -0.0f;
        values[j * WIDTH + 4] = j == 65 ? NAN : 0;
        values[j * WIDTH + 5] = 0.75f;
        mask[j] = j == 65 ? -INFINITY : 0;
    }
    attend(y, q, k, values, 1, 70, &plain);
    assert_true(isinf(y[0]) && y[0] > 0 && isnan(y[1]) && y[2] >= 0x1.ffff00p127f &&
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
                                       cmocka_unit_test(test_errors_where_nothing_cancels),
                                       cmocka_unit_test(test_special_values),
                                       cmocka_unit_test(test_pages_are_no_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
