/* Attention: a query has the bits that it has alone, in a prefill, a batch, a group of heads, a window and at any strides, for
 * all numbers of keys to 512 and some to 65,536, and on every instruction set. Special values are what attention.h says. */
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"

#include "attention_calls.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 65536, WIDTH = 20, ALL_LENGTHS = 512, ROWS = 11 };
static float q[ROWS * WIDTH], k[MOST * WIDTH], v[MOST * WIDTH], y[ROWS * WIDTH], z[ROWS * WIDTH];
static const struct detmath_attention_options plain = {.scale = 0.25f},
                                              causal = {.scale = 0.25f, .causal = 1};

static void attend(float *to, const float *queries, const float *keys, const float *values,
                   size_t rows, size_t n, const struct detmath_attention_options *options) {
    const struct attention_call call = {to, queries, keys, values, NULL, rows, n, WIDTH};
    assert_int_equal(attend_with(&call, options), 0);
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

/* The rows of one instruction set, of queries that have fewer keys the earlier they are. */
static void attend_by_level(const struct detmath_reductions *level, float *to, size_t rows,
                            size_t n) {
    enum { BLOCKS = 20, STEP = DETMATH_ATTENTION_PAD, LEVELS = 8 };
    static float keys[BLOCKS * WIDTH * DETMATH_ATTENTION_STEP], values[BLOCKS * 64 * STEP],
        sums[2 * DETMATH_ATTENTION_ROWS * (LEVELS + 1) * STEP],
        anchors[(DETMATH_ATTENTION_ROWS + 1) * STEP], scores[BLOCKS * 64], lows[BLOCKS * 64],
        queries[DETMATH_ATTENTION_ROWS * WIDTH], results[ROWS * STEP];
    static detmath_u32 sizes[BLOCKS * 64];
    const struct detmath_attention_room room = {sums,    anchors, scores, lows,
                                                queries, sizes,   LEVELS, 0};
    const struct detmath_attention_scoring scoring = {0.25f, 0};
    struct detmath_attention_row parts[ROWS];
    float *places[ROWS];
    assert_true(n <= (BLOCKS - 2) * 64 && rows <= n);
    for (size_t j = 0; j < n; j++) {
        sizes[j] = 0;
        for (size_t d = 0; d < WIDTH; d++) {
            const detmath_u32 size = detmath_magnitude_f32(k[j * WIDTH + d]);
            keys[(j / 64 * WIDTH + d) * DETMATH_ATTENTION_STEP + j % 64] = k[j * WIDTH + d];
            values[j * STEP + d] = v[j * WIDTH + d];
            sizes[j] = size > sizes[j] ? size : sizes[j];
        }
    }
    for (size_t i = 0; i < rows; i++) {
        parts[i] = (struct detmath_attention_row){.q = q + i * WIDTH,
                                                  .keys = keys,
                                                  .values = values,
                                                  .n = n - rows + i + 1,
                                                  .width = WIDTH,
                                                  .key_step = DETMATH_ATTENTION_STEP,
                                                  .value_width = WIDTH,
                                                  .value_step = STEP};
        places[i] = results + i * STEP;
    }
    level->attention(&scoring, parts, rows, &room, places);
    for (size_t i = 0; i < rows; i++)
        memcpy(to + i * WIDTH, places[i], WIDTH * sizeof *to);
}

static void test_instruction_sets_have_the_same_bits(void **state) {
    int levels = 0;
    (void)state;
    for (int index = 0; index < 3; index++) {
        const struct detmath_reductions *level = detmath_reductions_level(index);
        if (!level)
            continue;
        levels++;
        for (size_t n = 1; n <= 1152; n = n < 140 ? n + 1 : n * 3 / 2) {
            const size_t rows = n < ROWS ? n : ROWS;
            fill(q, rows * WIDTH);
            attend(y, q, k, v, rows, n, &causal);
            attend_by_level(level, z, rows, n);
            assert_memory_equal(y, z, rows * WIDTH * sizeof *y);
        }
    }
    print_message("%d instruction sets\n", levels);
    assert_true(levels > 0);
}

/* Whatever the value of a key is that counts nothing, beside small values too. */
static void test_a_masked_value_is_no_matter(void **state) {
    static float bias[200], masked[200 * WIDTH];
    const struct detmath_attention_options options = {.scale = 0.25f, .bias = DETMATH_BIAS_MASK};
    struct attention_call call = {y, q, k, masked, bias, 1, 200, WIDTH};
    static const float others[] = {0x1p100f, NAN, INFINITY, -0x1p-120f};
    (void)state;
    fill(q, WIDTH);
    for (size_t j = 0; j < 200; j++)
        bias[j] = j % 7 == 3 ? -INFINITY : 0;
    for (size_t i = 0; i < 200 * WIDTH; i++)
        masked[i] = i / WIDTH % 7 == 3 ? 0 : ldexpf(v[i], -100);
    assert_int_equal(attend_with(&call, &options), 0);
    call.y = z;
    for (size_t other = 0; other < sizeof others / sizeof *others; other++) {
        for (size_t i = 0; i < 200 * WIDTH; i++)
            masked[i] = i / WIDTH % 7 == 3 ? others[other] : masked[i];
        assert_int_equal(attend_with(&call, &options), 0);
        assert_memory_equal(y, z, WIDTH * sizeof *y);
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
                                       cmocka_unit_test(test_instruction_sets_have_the_same_bits),
                                       cmocka_unit_test(test_a_query_has_its_bits_anywhere),
                                       cmocka_unit_test(test_a_masked_value_is_no_matter),
                                       cmocka_unit_test(test_special_values),
                                       cmocka_unit_test(test_pages_are_no_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
