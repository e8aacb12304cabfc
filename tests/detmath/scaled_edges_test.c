/* Scaled arrays at the edges of what there is: status where a result overflows or saturates, scales that are refused,
 * arrays without elements, and calls that write nothing. */
#include "scaled_held.h"

#include <string.h>

enum { HIGH = 4, LONG = 6 };

static void test_what_cannot_be_is_refused_and_writes_nothing(void **state) {
    (void)state;
    struct held a, c, before;
    HOLD(&a, DETMATH_F16, EXTENTS(HIGH, LONG), EXTENTS(1, 3));
    HOLD(&c, DETMATH_F16, EXTENTS(HIGH, LONG), EXTENTS(HIGH, 1));
    before = c;
    const enum detmath_scaled_compute compute = DETMATH_SCALED_F32;
    assert_int_equal(detmath_scaled_softmax_along(&c.tensor, &a.tensor, 1, compute, NULL),
                     DETMATH_TROUBLE_SCALES); /* they vary along it */
    assert_int_equal(detmath_scaled_softmax_along(&c.tensor, &a.tensor, 2, compute, NULL),
                     DETMATH_TROUBLE_AXIS);
    assert_int_equal(
        detmath_scaled_softmax_along(&c.tensor, &a.tensor, DETMATH_WHOLE_ARRAY, compute, NULL),
        DETMATH_TROUBLE_AXIS);
    assert_int_equal(detmath_scaled_max_along(&c.tensor, &a.tensor, 0, NULL),
                     DETMATH_TROUBLE_EXTENTS);
    assert_int_equal(
        detmath_scaled_rebalance(&c.tensor, &a.tensor, DETMATH_SCALED_BY_MAXIMUM, NULL),
        DETMATH_TROUBLE_SCALES); /* fewer than there are */
    a.tensor.scales.format = DETMATH_POWERS;
    assert_int_equal(
        detmath_scaled_rebalance(&c.tensor, &a.tensor, DETMATH_SCALED_BY_MAXIMUM, NULL),
        DETMATH_TROUBLE_SCALE_KINDS);
    assert_memory_equal(c.codes, before.codes, sizeof c.codes);
    assert_memory_equal(c.scales, before.scales, sizeof c.scales);
}

static unsigned status_of_cast(int to, double value, const struct detmath_cast *cast) {
    const struct detmath_scaled_plan plan = detmath_scaled_plan_cast(detmath_scale_of(1, 0));
    uint32_t x[3] = {0, detmath_bits_f32((float)value), 0}, plain[3], watched[3];
    unsigned status = 0;
    const struct detmath_scaled_line from = {x, DETMATH_F32, 1, NULL};
    struct detmath_scaled_line line = {plain, to, 1, NULL};
    memset(plain, 0, sizeof plain);
    memset(watched, 0, sizeof watched);
    detmath_scaled_line(DETMATH_SCALED_INDEX_apply, &line, &from, NULL, 3, &plan, cast);
    line = (struct detmath_scaled_line){watched, to, 1, &status};
    detmath_scaled_line(DETMATH_SCALED_INDEX_apply, &line, &from, NULL, 3, &plan, cast);
    assert_memory_equal(plain, watched, sizeof plain);
    return status;
}

/* The last number that rounds to the largest, and the next one; by the rules of a cast that saturates as well. */
static void test_status_at_the_edges(void **state) {
    (void)state;
    for (int to = DETMATH_F16; to < DETMATH_FORMATS; to++) {
        const struct detmath_format row = detmath_formats[to];
        const float most = (float)detmath_decode(row.max_finite, row);
        const float edge = most + (most - (float)detmath_decode(row.max_finite - 1, row)) / 2;
        const detmath_u32 ends[] = {row.max_finite, row.max_finite | row.sign_bit};
        const struct detmath_cast_rules rules = {.overflow = {ends[0], ends[1]},
                                                 .infinity = {ends[0], ends[1]},
                                                 .nan = {row.nan, row.nan}};
        const struct detmath_cast saturating =
            detmath_cast_make(row, rules, DETMATH_NEAREST_EVEN, 0);
        for (int sign = -1; sign <= 1; sign += 2)
            for (int i = 0; i < 2; i++) {
                const struct detmath_cast *cast = i ? &saturating : NULL;
                const float s = (float)sign;
                assert_int_equal(status_of_cast(to, (double)(s * most), cast), 0);
                assert_int_equal(status_of_cast(to, (double)(s * nextafterf(edge, 0)), cast), 0);
                assert_int_equal(status_of_cast(to, (double)(s * edge), cast), row.max_finite & 1);
                assert_int_equal(status_of_cast(to, (double)(s * nextafterf(edge, INFINITY)), cast),
                                 DETMATH_SCALED_OVERFLOWED);
                assert_int_equal(status_of_cast(to, (double)s * INFINITY, cast),
                                 DETMATH_SCALED_WAS_INFINITE);
            }
        assert_int_equal(status_of_cast(to, NAN, NULL), 0);
    }
}

/* Static scales that are no numbers, and those that powers of two cannot take up. */
static void test_static_scales_that_are_refused(void **state) {
    (void)state;
    struct held a, c;
    HOLD(&a, DETMATH_F32, EXTENTS(2, 3), EXTENTS(2, 1));
    HOLD(&c, DETMATH_F32, EXTENTS(2, 1), EXTENTS(2, 1));
    const struct {
        enum detmath_scaled_strategy strategy;
        int trouble[2];
    } rows[] = {{detmath_scaled_own_static(3), {0, DETMATH_TROUBLE_STATIC}},
                {detmath_scaled_own_static(0.25f), {0, 0}},
                {detmath_scaled_own_static(0), {DETMATH_TROUBLE_STATIC, DETMATH_TROUBLE_STATIC}},
                {detmath_scaled_own_static(NAN), {DETMATH_TROUBLE_STATIC, DETMATH_TROUBLE_STATIC}},
                {DETMATH_SCALED_STATIC_UNIT, {0, DETMATH_TROUBLE_STATIC}},
                {DETMATH_SCALED_STATIC_MEAN, {0, DETMATH_TROUBLE_STATIC}},
                {DETMATH_SCALED_STATIC_POWER_DOWN, {0, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int is_power = 0; is_power < 2; is_power++) {
            a.tensor.scales.format = c.tensor.scales.format =
                is_power ? DETMATH_POWERS : DETMATH_F32;
            assert_int_equal(detmath_scaled_sum(&c.tensor, &a.tensor, 1, rows[i].strategy, NULL),
                             rows[i].trouble[is_power]);
        }
    assert_non_null(strstr(detmath_trouble_text(DETMATH_TROUBLE_STATIC), "static scale"));
}

/* The scales of what has no elements, and the sum and the mean of nothing. */
static void test_of_nothing(void **state) {
    (void)state;
    struct held a, b, c;
    for (int strategy = DETMATH_SCALED_STATIC_ONE; strategy <= DETMATH_SCALED_MEASURED;
         strategy++) {
        const enum detmath_scaled_strategy by = (enum detmath_scaled_strategy)strategy;
        HOLD(&a, DETMATH_F16, EXTENTS(3, 0), EXTENTS(3, 1));
        HOLD(&b, DETMATH_F16, EXTENTS(0, 2), EXTENTS(0, 1)); /* none: 1 */
        HOLD(&c, DETMATH_F16, EXTENTS(3, 2), EXTENTS(3, 1));
        assert_int_equal(
            detmath_scaled_matmul(&c.tensor, &a.tensor, &b.tensor, by, NULL, 0, SIZE_MAX), 0);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(code_load(c.codes, 2, i), 0);
        for (size_t i = 0; i < 3; i++)
            assert_true(c.scales[i] == a.scales[i]);
        HOLD(&c, DETMATH_F16, EXTENTS(3, 1), EXTENTS(3, 1));
        assert_int_equal(detmath_scaled_sum(&c.tensor, &a.tensor, 1, by, NULL), 0);
        for (size_t i = 0; i < 3; i++)
            assert_true(code_load(c.codes, 2, i) == 0 && c.scales[i] == a.scales[i]);
    }
    assert_int_equal(detmath_scaled_mean(&c.tensor, &a.tensor, -1, NULL), 0);
    for (size_t i = 0; i < 3; i++)
        assert_true(code_load(c.codes, 2, i) == 0x7e00 && c.scales[i] == a.scales[i]);
    assert_int_equal(detmath_scaled_max_along(&c.tensor, &a.tensor, 1, NULL),
                     DETMATH_TROUBLE_EXTENTS);
    HOLD(&c, DETMATH_F16, EXTENTS(1, 0), EXTENTS(1, 1));
    HOLD(&b, DETMATH_F16, EXTENTS(1, 0), EXTENTS(1, 1));
    HOLD(&a, DETMATH_F16, EXTENTS(1, 0), EXTENTS(1, 1));
    assert_int_equal(
        detmath_scaled_each(DETMATH_SCALED_INDEX_add, &c.tensor, &a.tensor, &b.tensor, NULL), 0);
    assert_true(c.scales[0] == fmaxf(a.scales[0], b.scales[0]));
    assert_int_equal(
        detmath_scaled_rebalance(&c.tensor, &a.tensor, DETMATH_SCALED_BY_SQUARES, NULL), 0);
    assert_true(c.scales[0] == a.scales[0]);
    a.scales[0] = -3;
    assert_int_equal(detmath_scaled_max_along(&c.tensor, &a.tensor, 0, NULL), 0);
    assert_true(c.scales[0] == 3);
    HOLD(&b, DETMATH_F16, EXTENTS(0, 5), EXTENTS(1));
    HOLD(&c, DETMATH_F16, EXTENTS(1, 5), EXTENTS(1));
    assert_int_equal(detmath_scaled_matmul(&c.tensor, &a.tensor, &b.tensor,
                                           DETMATH_SCALED_STATIC_UNIT, NULL, 0, SIZE_MAX),
                     0);
    assert_true(c.scales[0] == 3 * b.scales[0]);
    HOLD(&c, DETMATH_F16, EXTENTS(0, 5), EXTENTS(1));
    HOLD(&a, DETMATH_F16, EXTENTS(0, 0), EXTENTS(1));
    assert_int_equal(detmath_scaled_matmul(&c.tensor, &a.tensor, &b.tensor,
                                           DETMATH_SCALED_STATIC_UNIT, NULL, 0, SIZE_MAX),
                     0);
    assert_true(c.scales[0] == a.scales[0] * b.scales[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_cannot_be_is_refused_and_writes_nothing),
        cmocka_unit_test(test_status_at_the_edges),
        cmocka_unit_test(test_static_scales_that_are_refused), cmocka_unit_test(test_of_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
