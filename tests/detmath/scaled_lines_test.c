/* Scaled arrays along an axis, of any strides, against the calls on one line of one scale: the
 * largest value, softmax, rebalancing. */
#include "scaled_held.h"

#include <string.h>

enum { HIGH = 4, LONG = 6, DEEP = 3, ALL = HIGH * LONG * DEEP };

/* Along the middle axis, with the array stored by other strides and scales of both signs. */
static void test_softmax_has_the_bits_of_each_line(void **state) {
    (void)state;
    static const ptrdiff_t strides[3] = {1, HIGH, HIGH * LONG};
    struct held a, c;
    HOLD(&a, DETMATH_F16, EXTENTS(HIGH, LONG, DEEP), EXTENTS(2, 1, DEEP));
    HOLD(&c, DETMATH_BF16, EXTENTS(HIGH, LONG, DEEP), EXTENTS(HIGH, 1, DEEP));
    a.tensor.data.strides = strides;
    a.scales[1] = -a.scales[1];
    assert_int_equal(
        detmath_scaled_softmax_along(&c.tensor, &a.tensor, -2, DETMATH_SCALED_F32, NULL), 0);
    for (size_t high = 0; high < HIGH; high++)
        for (size_t deep = 0; deep < DEEP; deep++) {
            uint16_t line[LONG], got[LONG];
            for (size_t i = 0; i < LONG; i++)
                line[i] = (uint16_t)code_load(a.codes, 2, high + HIGH * (i + LONG * deep));
            const struct detmath_scaled_plan plan =
                detmath_scaled_plan_one(detmath_scale_of(a.scales[high / 2 * DEEP + deep], 0));
            float scale =
                detmath_scaled_softmax(DETMATH_F16, got, line, LONG, &plan, DETMATH_SCALED_F32);
            assert_true(c.scales[high * DEEP + deep] == scale);
            for (size_t i = 0; i < LONG; i++) { /* powers to bf16, once */
                double best = -INFINITY, x[LONG];
                for (size_t k = 0; k < LONG; k++) {
                    x[k] = detmath_decode(line[k], detmath_formats[DETMATH_F16]);
                    best = fmax(best, plan.a * x[k]);
                }
                double power =
                    detmath_scaled_softmax_element(x[i], best * plan.a, plan, DETMATH_SCALED_F32);
                assert_int_equal(code_load(c.codes, 2, (high * LONG + i) * DEEP + deep),
                                 detmath_encode(power, detmath_formats[DETMATH_BF16]));
            }
        }
}

/* Scales differ along the axis: the largest value at the largest of them. */
static void check_largest(int axis, const size_t *extents, const size_t *places) {
    struct held a, c;
    HOLD(&a, DETMATH_E4M3FN, EXTENTS(HIGH, LONG, DEEP), EXTENTS(2, 3, 1));
    hold(&c, DETMATH_F32, 3, extents, 3, places);
    a.scales[2] = -a.scales[2];
    a.scales[4] = 0;
    assert_int_equal(detmath_scaled_max_along(&c.tensor, &a.tensor, axis, NULL), 0);
    size_t lines = extents[0] * extents[1] * extents[2];
    for (size_t line = 0; line < lines; line++) {
        double best = -INFINITY, largest = 0;
        for (size_t at = 0; at < ALL; at++) {
            size_t high = at / LONG / DEEP, across = at / DEEP % LONG, deep = at % DEEP;
            size_t own = (extents[0] == 1 ? 0 : high) * extents[1];
            own = (own + (extents[1] == 1 ? 0 : across)) * extents[2];
            own += extents[2] == 1 ? 0 : deep;
            struct real x = number(&a, at);
            double scale = (double)a.scales[high / 2 * 3 + across / 2];
            if (own != line)
                continue;
            best = fmax(best, scale == 0 ? 0 : scale * real_to_double(&x));
            largest = fmax(largest, fabs(scale));
        }
        size_t row = line / extents[2] / extents[1], column = line / extents[2] % extents[1];
        size_t place =
            (places[0] == 2 ? row / 2 : 0) * places[1] + (places[1] == 3 ? column / 2 : 0);
        largest = largest == 0 ? 1 : largest;
        assert_true((double)c.scales[place] == largest);
        assert_int_equal(c.codes[line], detmath_encode(best / largest, detmath_formats[0]));
    }
}

static void test_the_largest_value_is_at_the_largest_scale(void **state) {
    (void)state;
    check_largest(1, EXTENTS(HIGH, 1, DEEP), EXTENTS(2, 1, 1));
    check_largest(DETMATH_WHOLE_ARRAY, EXTENTS(1, 1, 1), EXTENTS(1, 1, 1));
    check_largest(2, EXTENTS(HIGH, LONG, 1), EXTENTS(2, 3, 1));
}

/* From one scale for each half to one for each block, by what each block needs. */
static void test_each_scale_is_found_for_its_data(void **state) {
    (void)state;
    struct held a, c;
    HOLD(&a, DETMATH_F32, EXTENTS(HIGH, LONG), EXTENTS(2, 1));
    for (int target = 0; target < 2; target++) {
        HOLD(&c, DETMATH_E5M2, EXTENTS(HIGH, LONG), EXTENTS(2, 3));
        assert_int_equal(detmath_scaled_rebalance(&c.tensor, &a.tensor,
                                                  (enum detmath_scaled_target)target, NULL),
                         0);
        for (size_t cell = 0; cell < 6; cell++) {
            uint32_t block[4];
            uint8_t got[4];
            for (size_t i = 0; i < 4; i++)
                block[i] = a.codes[(cell / 3 * 2 + i / 2) * LONG + cell % 3 * 2 + i % 2];
            int by = detmath_scaled_find(DETMATH_E5M2, DETMATH_F32, block, 4,
                                         (enum detmath_scaled_target)target);
            const struct detmath_scaled_plan plan =
                detmath_scaled_plan_rebalance(detmath_scale_of(a.scales[cell / 3], 0), by, 0);
            detmath_scaled_apply(DETMATH_E5M2, got, DETMATH_F32, block, 4, &plan);
            assert_true(c.scales[cell] == plan.scale.m);
            for (size_t i = 0; i < 4; i++)
                assert_int_equal(
                    code_load(c.codes, 1, (cell / 3 * 2 + i / 2) * LONG + cell % 3 * 2 + i % 2),
                    got[i]);
        }
    }
}

/* What goes back adds up: of the largest value to g, of softmax to 0. */
static void test_what_goes_back_adds_up(void **state) {
    (void)state;
    struct held x, g, c;
    HOLD(&x, DETMATH_E4M3FN, EXTENTS(HIGH, LONG), EXTENTS(2, 3));
    HOLD(&g, DETMATH_BF16, EXTENTS(HIGH, 1), EXTENTS(2, 1));
    HOLD(&c, DETMATH_F32, EXTENTS(HIGH, LONG), EXTENTS(2, 1));
    assert_int_equal(detmath_scaled_max_gradient(&c.tensor, &x.tensor, &g.tensor, 1, NULL), 0);
    for (size_t line = 0; line < HIGH; line++) {
        struct real back = number(&g, line);
        double sum = 0;
        for (size_t i = 0; i < LONG; i++)
            sum += (double)detmath_from_bits_f32(c.codes[line * LONG + i]);
        assert_true(fabs(sum - real_to_double(&back)) <= fabs(sum) * 0x1p-21);
        assert_true(c.scales[line / 2] == g.scales[line / 2]);
    }
    HOLD(&x, DETMATH_F16, EXTENTS(HIGH, LONG), EXTENTS(LONG));
    HOLD(&g, DETMATH_F16, EXTENTS(HIGH, LONG), EXTENTS(LONG));
    HOLD(&c, DETMATH_F32, EXTENTS(HIGH, LONG), EXTENTS(LONG));
    for (size_t i = 0; i < LONG; i++)
        x.scales[i] *= 0x1p-4f;
    assert_int_equal(detmath_scaled_softmax_gradient(&c.tensor, &x.tensor, &g.tensor, 0, NULL), 0);
    for (size_t column = 0; column < LONG; column++) {
        double sum = 0, size = 0;
        for (size_t i = 0; i < HIGH; i++) {
            double y = (double)detmath_from_bits_f32(c.codes[i * LONG + column]);
            sum += y;
            size += fabs(y);
        }
        assert_true(size > 0 && fabs(sum) <= size * 0x1p-21);
    }
    assert_int_equal(detmath_scaled_softmax_gradient(&c.tensor, &x.tensor, &g.tensor, 1, NULL),
                     DETMATH_TROUBLE_SCALES);
    assert_int_equal(detmath_scaled_max_gradient(&c.tensor, &x.tensor, &g.tensor, 0, NULL),
                     DETMATH_TROUBLE_EXTENTS);
    assert_int_equal(
        detmath_scaled_softmax_gradient(&c.tensor, &x.tensor, &g.tensor, DETMATH_WHOLE_ARRAY, NULL),
        DETMATH_TROUBLE_AXIS);
}

/* c is a, of two lines whose scale is one: the scale of the result must not be that of the second line's operand. */
static void test_in_place_lines_share_a_scale(void **state) {
    (void)state;
    struct held a, b, c;
    HOLD(&a, DETMATH_F32, EXTENTS(2, 4), EXTENTS(1));
    HOLD(&b, DETMATH_F32, EXTENTS(2, 4), EXTENTS(1));
    HOLD(&c, DETMATH_F32, EXTENTS(2, 4), EXTENTS(1));
    a.scales[0] = 0.25f;
    b.scales[0] = 2;
    for (size_t i = 0; i < 8; i++) {
        code_store(a.codes, 4, i, detmath_bits_f32((float)i + 1));
        code_store(b.codes, 4, i, detmath_bits_f32((float)i - 0.5f));
    }
    assert_int_equal(
        detmath_scaled_each(DETMATH_SCALED_INDEX_sub, &c.tensor, &a.tensor, &b.tensor, NULL), 0);
    assert_int_equal(
        detmath_scaled_each(DETMATH_SCALED_INDEX_sub, &a.tensor, &a.tensor, &b.tensor, NULL), 0);
    for (size_t i = 0; i < 8; i++) {
        float want = (((float)i + 1) * 0.25f - ((float)i - 0.5f) * 2) / 2;
        assert_int_equal(code_load(c.codes, 4, i), detmath_bits_f32(want));
    }
    assert_memory_equal(a.codes, c.codes, 8 * sizeof *c.codes);
    assert_true(a.scales[0] == 2 && c.scales[0] == 2);
    c.tensor.data.codes = b.codes + 1;
    assert_int_equal(
        detmath_scaled_each(DETMATH_SCALED_INDEX_sub, &c.tensor, &a.tensor, &b.tensor, NULL),
        DETMATH_TROUBLE_OVERLAP);
    assert_int_equal(code_load(b.codes, 4, 1), detmath_bits_f32(0.5f));
}

/* A scalar goes into the scale, and the data stay; or it is multiplied into them. */
static void test_a_scalar_goes_into_the_scale(void **state) {
    (void)state;
    static const uint8_t codes[2] = {0x7c, 0xfe}; /* 384, -448 */
    struct held a, b, c;
    const enum detmath_scaled_operation mul = DETMATH_SCALED_INDEX_mul;
    HOLD(&a, DETMATH_E4M3FN, EXTENTS(2), EXTENTS(1));
    HOLD(&b, DETMATH_F32, EXTENTS(1), EXTENTS(1));
    HOLD(&c, DETMATH_E4M3FN, EXTENTS(2), EXTENTS(1));
    memcpy(a.codes, codes, sizeof codes);
    a.scales[0] = 0.5f;
    b.scales[0] = 1;
    b.codes[0] = detmath_bits_f32(3.3f);
    for (int dimensions = 0; dimensions < 2; dimensions++) {
        b.tensor.data.dimensions = b.tensor.scales.dimensions = dimensions;
        assert_int_equal(detmath_scaled_each(mul, &c.tensor, &a.tensor, &b.tensor, NULL), 0);
        assert_true(memcmp(c.codes, codes, 2) == 0 && c.scales[0] == 1.65f);
        assert_int_equal(detmath_scaled_each(mul, &c.tensor, &b.tensor, &a.tensor, NULL), 0);
        assert_true(memcmp(c.codes, codes, 2) == 0 && c.scales[0] == 1.65f);
    }
    assert_int_equal(
        detmath_scaled_each(DETMATH_SCALED_INDEX_mul_data, &c.tensor, &a.tensor, &b.tensor, NULL),
        0);
    assert_true(code_load(c.codes, 1, 0) == 0x7f && c.scales[0] == 0.5f);
    b.codes[0] = 0;
    assert_int_equal(detmath_scaled_each(mul, &c.tensor, &a.tensor, &b.tensor, NULL), 0);
    assert_true(code_load(c.codes, 1, 0) == 0 && code_load(c.codes, 1, 1) == 0x80 &&
                c.scales[0] == 0.5f);
    a.tensor.scales.format = b.tensor.scales.format = c.tensor.scales.format = DETMATH_POWERS;
    ((int32_t *)(void *)a.scales)[0] = -1;
    ((int32_t *)(void *)b.scales)[0] = 0;
    b.codes[0] = detmath_bits_f32(-3.3f);
    assert_int_equal(detmath_scaled_each(mul, &c.tensor, &a.tensor, &b.tensor, NULL), 0);
    assert_int_equal(((int32_t *)(void *)c.scales)[0], 1);
    assert_int_equal(code_load(c.codes, 1, 0),
                     detmath_encode(384 * -(double)3.3f / 4, detmath_formats[DETMATH_E4M3FN]));
}

/* More than each block needs, but for one of zeros. */
static void test_a_margin(void **state) {
    (void)state;
    struct held a, least, more;
    HOLD(&a, DETMATH_F32, EXTENTS(2, 4), EXTENTS(2, 1));
    HOLD(&least, DETMATH_E5M2, EXTENTS(2, 4), EXTENTS(2, 2));
    HOLD(&more, DETMATH_E5M2, EXTENTS(2, 4), EXTENTS(2, 2));
    a.codes[2] = 0;
    a.codes[3] = 0x80000000;
    for (int margin = -5; margin <= 5; margin++)
        for (int target = 0; target < 2; target++) {
            const enum detmath_scaled_target by = (enum detmath_scaled_target)target;
            assert_int_equal(detmath_scaled_rebalance(&least.tensor, &a.tensor, by, NULL), 0);
            assert_int_equal(detmath_scaled_rebalance_by(&more.tensor, &a.tensor, by, margin, NULL),
                             0);
            for (int cell = 0; cell < 4; cell++)
                assert_true(more.scales[cell] ==
                            ldexpf(least.scales[cell], cell == 1 ? 0 : margin));
            assert_true(least.scales[1] == a.scales[0]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_has_the_bits_of_each_line),
        cmocka_unit_test(test_the_largest_value_is_at_the_largest_scale),
        cmocka_unit_test(test_each_scale_is_found_for_its_data),
        cmocka_unit_test(test_what_goes_back_adds_up),
        cmocka_unit_test(test_in_place_lines_share_a_scale),
        cmocka_unit_test(test_a_margin),
        cmocka_unit_test(test_a_scalar_goes_into_the_scale)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
