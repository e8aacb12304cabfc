/* Numbers that no array can have, in the calls on arrays of any shape: windows without a step or beyond all places,
 * groups that divide nothing, blocks of nothing, more elements than there are addresses. Each is a status of its own,
 * and nothing is written. */
#include "detmath/quantise.h"
#include "detmath/scaled_tensors.h"

#include "scaled_held.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

static const size_t numbers[] = {0,
                                 1,
                                 2,
                                 3,
                                 5,
                                 (size_t)1 << 31,
                                 (size_t)1 << 32,
                                 PTRDIFF_MAX / 2,
                                 PTRDIFF_MAX / 2 + 1,
                                 PTRDIFF_MAX - 1,
                                 PTRDIFF_MAX,
                                 (size_t)PTRDIFF_MAX + 1,
                                 SIZE_MAX - 1,
                                 SIZE_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static bool are_windows(size_t extent, const struct detmath_scaled_windows *w) {
    return w->stride && w->dilation && w->stride <= PTRDIFF_MAX && w->dilation <= PTRDIFF_MAX &&
           (wide)extent + 2 * (wide)w->padding <= PTRDIFF_MAX;
}

/* The windows whose last tap lies within the axis with its padding, found by halving in numbers that do not wrap. */
static size_t count_windows(size_t extent, size_t taps, const struct detmath_scaled_windows *w) {
    const wide room = (wide)extent + 2 * (wide)w->padding;
    size_t count = 0, behind = (size_t)PTRDIFF_MAX + 1;
    if (!taps || !are_windows(extent, w))
        return 0;
    while (count < behind) {
        const size_t middle = count + (behind - count) / 2;
        if ((wide)middle * w->stride + (wide)(taps - 1) * w->dilation < room)
            count = middle + 1;
        else
            behind = middle;
    }
    return count;
}

static void test_windows_are_counted_without_wrapping(void **state) {
    (void)state;
    size_t with = 0;
    for (size_t i = 0; i < (size_t)NUMBERS * NUMBERS * NUMBERS * NUMBERS * NUMBERS; i++) {
        const struct detmath_scaled_windows w = {numbers[i % NUMBERS], numbers[i / 14 % NUMBERS],
                                                 numbers[i / 196 % NUMBERS]};
        const size_t extent = numbers[i / 2744 % NUMBERS], taps = numbers[i / 38416 % NUMBERS],
                     count = count_windows(extent, taps, &w);
        assert_int_equal(detmath_scaled_window_count(extent, taps, &w), count);
        with += count > 0;
    }
    assert_true(with > 1000);
}

enum { LONG = 5, TAPS = 3 };

/* All three calls, with a result of as many windows as wrapped numbers would have. */
static void check_refused(struct detmath_scaled_windows w, size_t groups, size_t windows,
                          int trouble) {
    struct held x, taps, c, kept;
    HOLD(&x, DETMATH_F32, EXTENTS(1, 2, LONG), EXTENTS(1));
    HOLD(&taps, DETMATH_F32, EXTENTS(2, 2, TAPS), EXTENTS(1));
    HOLD(&c, DETMATH_F32, EXTENTS(1, 2, windows), EXTENTS(1, 1, 1));
    kept = c;
    assert_int_equal(detmath_scaled_convolution(&c.tensor, &x.tensor, &taps.tensor, &w, groups,
                                                DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     trouble);
    assert_memory_equal(c.codes, kept.codes, sizeof c.codes);
    kept = x;
    assert_int_equal(detmath_scaled_convolution_gradient(
                         &x.tensor, &taps.tensor, &c.tensor, &w, groups, DETMATH_SCALED_FIRST,
                         DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     trouble);
    assert_memory_equal(x.codes, kept.codes, sizeof x.codes);
    assert_int_equal(detmath_scaled_convolution_gradient(
                         &taps.tensor, &x.tensor, &c.tensor, &w, groups, DETMATH_SCALED_SECOND,
                         DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     trouble);
}

static void test_windows_that_are_none_are_refused(void **state) {
    (void)state;
    const size_t high = (size_t)PTRDIFF_MAX + 1;
    const struct detmath_scaled_windows none[] = {
        {0, 0, 1},    {1, 0, 0},        {0, 0, 0},    {high, 0, 1},     {SIZE_MAX, 0, 1},
        {1, 0, high}, {1, 0, SIZE_MAX}, {1, high, 1}, {1, SIZE_MAX, 1}, {1, PTRDIFF_MAX / 2, 1}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        for (size_t windows = 0; windows <= LONG; windows++)
            check_refused(none[i], 1, windows, DETMATH_TROUBLE_WINDOWS);
    const struct detmath_scaled_windows plain = {1, 0, 1};
    check_refused(plain, 0, LONG - TAPS + 1, DETMATH_TROUBLE_GROUPS);
    check_refused(plain, 3, LONG - TAPS + 1, DETMATH_TROUBLE_GROUPS);
    check_refused(plain, SIZE_MAX, LONG - TAPS + 1, DETMATH_TROUBLE_GROUPS);
    check_refused(plain, 1, LONG, DETMATH_TROUBLE_EXTENTS);
    assert_string_not_equal(detmath_trouble_text(DETMATH_TROUBLE_WINDOWS),
                            detmath_trouble_text(DETMATH_TROUBLE_EXTENTS));
}

/* A result without elements has its scales at once, however far its other axes reach. */
static void test_an_empty_result_takes_no_time(void **state) {
    (void)state;
    struct held x, taps, c;
    const struct detmath_scaled_windows w = {1, (size_t)1 << 60, 1};
    HOLD(&x, DETMATH_F32, EXTENTS(0, 2, LONG), EXTENTS(1));
    HOLD(&taps, DETMATH_F32, EXTENTS(1, 2, TAPS), EXTENTS(1));
    HOLD(&c, DETMATH_F32, EXTENTS(0, 1, LONG - TAPS + 1), EXTENTS(1, 1, 1));
    const size_t far[3] = {0, 1, ((size_t)1 << 61) + LONG - TAPS + 1};
    c.tensor.data.extents = far;
    c.scales[0] = -1;
    assert_int_equal(detmath_scaled_convolution(&c.tensor, &x.tensor, &taps.tensor, &w, 1,
                                                DETMATH_SCALED_STATIC_ONE, NULL, 0, SIZE_MAX),
                     0);
    assert_true(c.scales[0] == x.scales[0] * taps.scales[0]);
}

/* One number that broadcasts, by strides of 0: 2^64 elements, of which a product that wraps makes none. */
static void test_more_elements_than_addresses_are_refused(void **state) {
    (void)state;
    float one = 1, result = 7;
    const size_t extents[2] = {(size_t)1 << 32, (size_t)1 << 32}, ends[2] = {1, 1};
    const ptrdiff_t strides[2] = {0, 0};
    const struct detmath_strided x = {&one, DETMATH_F32, 2, extents, strides},
                                 y = {&result, DETMATH_F32, 0, NULL, NULL},
                                 z = {&result, DETMATH_F32, 2, ends, NULL};
    float scale = 9;
    const struct detmath_scaled_tensor a = {x, {NULL, DETMATH_F32, 0, NULL, NULL}, NULL},
                                       c = {z, {&scale, DETMATH_F32, 2, ends, NULL}, NULL};
    assert_int_equal(detmath_logsumexp_along(&y, &x, DETMATH_WHOLE_ARRAY), DETMATH_TROUBLE_COUNT);
    assert_int_equal(
        detmath_scaled_sum(&c, &a, DETMATH_WHOLE_ARRAY, DETMATH_SCALED_STATIC_ONE, NULL),
        DETMATH_TROUBLE_COUNT);
    assert_int_equal(detmath_scaled_max_along(&c, &a, DETMATH_WHOLE_ARRAY, NULL),
                     DETMATH_TROUBLE_COUNT);
    /* One term more than a sum may have. */
    const size_t many[2] = {((size_t)1 << 30) + 1, 1};
    struct detmath_scaled_tensor long_one = a;
    long_one.data.extents = many;
    assert_int_equal(detmath_scaled_sum(&c, &long_one, 0, DETMATH_SCALED_STATIC_ONE, NULL),
                     DETMATH_TROUBLE_COUNT);
    assert_true(result == 7 && scale == 9);
}

static void test_blocks_of_any_size(void **state) {
    (void)state;
    const float x[4] = {1, 2, 3, 4}, ones[4] = {1, 1, 1, 1};
    signed char codes[4] = {9, 9, 9, 9};
    const size_t extents[1] = {4}, wrapping[2] = {(size_t)1 << 32, (size_t)1 << 32};
    struct detmath_linear rule = {25, 1, extents, DETMATH_PER_BLOCK, 0, 0, 0, -1};
    assert_int_equal(detmath_quantise_linear(&rule, codes, DETMATH_INT8, x, DETMATH_F32, ones,
                                             DETMATH_F32, NULL),
                     DETMATH_TROUBLE_BLOCK);
    rule.block = 1;
    rule.dimensions = 2;
    rule.extents = wrapping;
    assert_int_equal(detmath_quantise_linear(&rule, codes, DETMATH_INT8, x, DETMATH_F32, ones,
                                             DETMATH_F32, NULL),
                     DETMATH_TROUBLE_COUNT);
    assert_int_equal(codes[0], 9);
    rule.dimensions = 1;
    rule.extents = extents;
    for (size_t i = 1; i < NUMBERS; i++) {
        memset(codes, 9, sizeof codes);
        rule.block = numbers[i];
        assert_int_equal(detmath_quantise_linear(&rule, codes, DETMATH_INT8, x, DETMATH_F32, ones,
                                                 DETMATH_F32, NULL),
                         0);
        for (int k = 0; k < 4; k++)
            assert_int_equal(codes[k], k + 1);
    }
    for (int axis = 1; axis >= 0; axis--) {
        rule.axis = axis ? INT_MAX : INT_MIN;
        assert_int_equal(detmath_quantise_linear(&rule, codes, DETMATH_INT8, x, DETMATH_F32, ones,
                                                 DETMATH_F32, NULL),
                         DETMATH_TROUBLE_AXIS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_are_counted_without_wrapping),
        cmocka_unit_test(test_windows_that_are_none_are_refused),
        cmocka_unit_test(test_an_empty_result_takes_no_time),
        cmocka_unit_test(test_more_elements_than_addresses_are_refused),
        cmocka_unit_test(test_blocks_of_any_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
