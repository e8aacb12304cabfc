/* Ordinals, neighbours and ulps of every code up to 16 bits, against the numbers sorted by value;
 * fp32 and fp64 against the C library's nextafter. */
#include "../base/random.h"
#include "ladder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { RANDOM_CODES = 200000 };

/* Distinct magnitudes in order: the ladder's, and infinity where there is one. */
static double magnitude_at(const struct ladder *ladder, size_t index) {
    if (index < ladder->count)
        return ladder->rung[index].value;
    return (double)INFINITY;
}

/* The code with that value; zeros are told apart by their sign where the format does. */
static uint64_t code_at(const struct ladder *ladder, int64_t ordinal, bool negative_zero) {
    size_t index = (size_t)(ordinal < 0 ? -ordinal : ordinal);
    bool negative = ordinal < 0 || (ordinal == 0 && negative_zero);
    return ladder_code(ladder, index, negative, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
}

static void check_neighbours(const struct ladder *ladder, int64_t last, uint64_t code,
                             int64_t ordinal) {
    const struct format *format = ladder->format;
    uint64_t up = ordinal == last ? code : code_at(ladder, ordinal + 1, ordinal == -1);
    uint64_t down = ordinal == -last ? code : code_at(ladder, ordinal - 1, false);
    if (format_next_up(format, code) != up || format_next_down(format, code) != down)
        fail_msg("neighbours of %s 0x%" PRIx64, format->name, code);
}

static void check_order(const struct ladder *ladder) {
    const struct format *format = ladder->format;
    uint64_t codes = UINT64_C(1) << layout_width(ladder->layout);
    int64_t last = (int64_t)ladder->count - (ladder->layout->kind != LAYOUT_IEEE);
    for (uint64_t code = 0; code < codes; code++) {
        double value = layout_value(ladder->layout, code);
        if (isnan(value)) {
            assert_int_equal(format_next_up(format, code), code);
            assert_int_equal(format_next_down(format, code), code);
            continue;
        }
        size_t index = isinf(value) ? ladder->count : ladder_floor(ladder, fabs(value));
        assert_true(magnitude_at(ladder, index) == fabs(value));
        int64_t ordinal = value < 0 ? -(int64_t)index : (int64_t)index;
        if (format_ordinal(format, code) != ordinal)
            fail_msg("ordinal of %s 0x%" PRIx64, format->name, code);
        if (format_from_ordinal(format, ordinal) != (ordinal ? code : 0))
            fail_msg("%s with ordinal %" PRId64, format->name, ordinal);
        check_neighbours(ladder, last, code, ordinal);
    }
    uint64_t greatest = code_at(ladder, last, false), least = code_at(ladder, -last, false);
    const int64_t beyond[] = {last + 1, last + 100, INT64_MAX};
    assert_int_equal(format_greatest(format), greatest);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(format_from_ordinal(format, beyond[i]), greatest);
        assert_int_equal(format_from_ordinal(format, -beyond[i]), least);
    }
    assert_int_equal(format_from_ordinal(format, INT64_MIN), least);
}

static void test_order(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        check_order(&ladder);
        ladder_free(&ladder);
    }
}

static void check_ulp(const struct ladder *ladder, double value, double ulp) {
    for (int negative = 0; negative < 2; negative++) {
        struct real real = exact_real(negative ? -value : value);
        int exponent = format_ulp_exponent(ladder->format, &real);
        if (ldexp(1, exponent) != ulp)
            fail_msg("%s: ulp(%a) is %a, not 2^%d", ladder->format->name, value, ulp, exponent);
    }
}

/* An ulp is the distance from the number below (or at) |y| to the one above, which the definition
 * by exponents must come to; beyond the largest number, the last such distance. */
static void test_ulp_is_the_gap(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        double gap = 0;
        for (size_t j = 0; j < ladder.count; j++) {
            gap = ladder.rung[j + 1].value - ladder.rung[j].value;
            check_ulp(&ladder, ladder.rung[j].value, gap);
            check_ulp(&ladder, ladder.rung[j].value + gap / 2, gap);
            check_ulp(&ladder, ladder.rung[j].value + gap * (1 - 0x1p-20), gap);
        }
        check_ulp(&ladder, ladder.rung[ladder.count].value, gap);
        check_ulp(&ladder, 0x1p1000, gap);
        check_ulp(&ladder, (double)INFINITY, gap);
        check_ulp(&ladder, layout_smallest(&layouts[i]) / 1024, layout_smallest(&layouts[i]));
        ladder_free(&ladder);
    }
}

static void check_machine_code(uint64_t code) {
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    const struct format *fp64 = layout_format(&layouts[LAYOUT_FP64]);
    uint64_t code32 = code & UINT32_MAX;
    float single = float_of_code(code);
    double twice = double_of_code(code);
    if (!isnan(single)) {
        assert_int_equal(format_next_up(fp32, code32), code_of_float(nextafterf(single, INFINITY)));
        assert_int_equal(format_next_down(fp32, code32),
                         code_of_float(nextafterf(single, -INFINITY)));
    }
    if (isnan(twice))
        return;
    assert_int_equal(format_next_up(fp64, code), code_of_double(nextafter(twice, INFINITY)));
    assert_int_equal(format_next_down(fp64, code), code_of_double(nextafter(twice, -INFINITY)));
    if (isinf(twice))
        return;
    struct real real = exact_real(twice);
    double gap = nextafter(fabs(twice), INFINITY) - fabs(twice);
    if (isinf(gap))
        gap = 0x1p971;
    assert_true(ldexp(1, format_ulp_exponent(fp64, &real)) == gap);
}

static void test_machine_formats(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < RANDOM_CODES; i++)
        check_machine_code(random_bits(&seed));
    /* Zeros and their neighbours are left to the formats above: nextafter(-smallest, 1) is -0 but
     * C does not promise a sign. */
    const uint64_t edges[] = {2,
                              UINT64_C(0x000fffffffffffff),
                              UINT64_C(0x0010000000000000),
                              UINT64_C(0x7fefffffffffffff),
                              UINT64_C(0x7ff0000000000000),
                              0x007fffff,
                              0x00800000,
                              0x7f7fffff,
                              0x7f800000,
                              0xff7fffff};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        check_machine_code(edges[i]);
        check_machine_code(edges[i] | UINT64_C(1) << 63);
    }
}

/* Ordinals of random fp64 numbers are in the order of their values. */
static void test_ordinals_are_monotone(void **state) {
    (void)state;
    const struct format *fp64 = layout_format(&layouts[LAYOUT_FP64]);
    uint64_t seed = 5;
    for (int i = 0; i < RANDOM_CODES; i++) {
        uint64_t a = random_bits(&seed), b = i & 1 ? random_bits(&seed) : a ^ 1;
        double x = double_of_code(a), y = double_of_code(b);
        if (isnan(x) || isnan(y))
            continue;
        int64_t m = format_ordinal(fp64, a), n = format_ordinal(fp64, b);
        assert_true((x < y) == (m < n) && (x > y) == (m > n));
        assert_int_equal(format_from_ordinal(fp64, m), x == 0 ? 0 : a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ulp_is_the_gap),
        cmocka_unit_test(test_machine_formats),
        cmocka_unit_test(test_ordinals_are_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
