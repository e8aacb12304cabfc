/* Attention by a work group, whose 64 lanes are threads here: the bits of the library's, for special values too. */
#include <pthread.h>

static pthread_barrier_t barrier;
#define DETMATH_GROUP_BARRIER() (void)pthread_barrier_wait(&barrier)
#include "detmath/attention_group.h"
#include "detmath/transformer.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 20, VALUES = 70, MOST = 1100, COLUMNS = 2 };
static uint64_t seed = 5;
static float q[WIDTH], k[MOST * WIDTH], turned[MOST * WIDTH], v[MOST * VALUES], y[VALUES],
    z[VALUES];
static float s[DETMATH_KEYS], fold[DETMATH_KEYS], scores[MOST],
    sums[DETMATH_KEYS * (DETMATH_ATTENTION_LEVELS + 1) * COLUMNS];
static const struct detmath_attention_scoring scoring = {0.25f, 0};
static const struct detmath_attention_group group = {s, fold, scores, sums};
static struct detmath_attention_row row;

static void fill(float *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        numbers[i] = (float)(4 * ((double)(random_bits(&seed) >> 11) * 0x1p-53) - 2);
}

static void *run_lane(void *lane) {
    detmath_attention_group_run(&scoring, &row, &group, (int)(intptr_t)lane, y);
    return NULL;
}

static void check(size_t n) {
    const size_t by_query[4] = {1, 1, 1, WIDTH}, by_key[4] = {1, 1, n, WIDTH},
                 by_value[4] = {1, 1, n, VALUES}, by_result[4] = {1, 1, 1, VALUES};
    const struct detmath_strided out = {z, DETMATH_F32, 4, by_result, NULL},
                                 in = {q, DETMATH_F32, 4, by_query, NULL},
                                 with = {k, DETMATH_F32, 4, by_key, NULL},
                                 of = {v, DETMATH_F32, 4, by_value, NULL};
    const struct detmath_attention_options options = {.scale = 0.25f};
    pthread_t lanes[DETMATH_KEYS];
    for (size_t i = 0; i < n * WIDTH; i++)
        turned[i % WIDTH * n + i / WIDTH] = k[i];
    row = (struct detmath_attention_row){q, turned, v, NULL, n, WIDTH, n, VALUES, VALUES};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, DETMATH_KEYS), 0);
    for (intptr_t lane = 0; lane < DETMATH_KEYS; lane++)
        assert_int_equal(pthread_create(&lanes[lane], NULL, run_lane, (void *)lane), 0);
    for (int lane = 0; lane < DETMATH_KEYS; lane++)
        assert_int_equal(pthread_join(lanes[lane], NULL), 0);
    pthread_barrier_destroy(&barrier);
    assert_int_equal(detmath_attention(&out, &in, &with, &of, NULL, &options), 0);
    assert_memory_equal(y, z, sizeof y);
}

static void test_a_group_has_the_bits_of_the_library(void **state) {
    static const size_t lengths[] = {1, 2, 63, 64, 65, 200, 449, MOST};
    (void)state;
    fill(q, WIDTH);
    fill(k, MOST * WIDTH);
    fill(v, MOST * VALUES);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        check(lengths[i]);
}

/* Scores of -inf, in all of a block too, values that are none, sums that overflow; a NaN last. */
static void test_special_values(void **state) {
    (void)state;
    for (size_t j = 0; j < 300; j++) {
        if (j % 5 == 0 || (j >= 64 && j < 128))
            k[j * WIDTH] = q[0] > 0 ? -INFINITY : INFINITY;
        v[j * VALUES] = j % 2 ? 0x1.fffffep127f : 0x1.fffffcp127f;
        v[j * VALUES + 1] = j == 70 ? NAN : 1; /* of a key that counts nothing */
        v[j * VALUES + 2] = j == 71 || j == 201 ? INFINITY : 1;
        v[j * VALUES + 66] = -0.0f;
    }
    check(300);
    assert_true(y[1] == y[1] && isinf(y[2]) && signbit(y[66]));
    for (size_t j = 0; j < 300; j++)
        k[j * WIDTH] = q[0] > 0 ? -INFINITY : INFINITY;
    check(300);
    k[200 * WIDTH] = NAN;
    check(300);
    assert_true(isnan(y[5]));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_group_has_the_bits_of_the_library),
                                       cmocka_unit_test(test_special_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
