/* Rounding to the formats up to 16 bits, by brute force: between every two adjacent numbers and
 * past the last, with both signs, in all directions and both overflow policies. */
#include "ladder.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Ways to say "just beyond": in the lowest bit kept, in the bit that says more follows, in both,
 * and in the middle of the significand. */
enum beyond { EXACTLY, LOWEST_BIT, INEXACT, BOTH, MIDDLE_BIT, BEYONDS };

static struct real real_of(double value, bool negative, enum beyond beyond) {
    struct real real = exact_real(negative ? -value : value);
    real.inexact = beyond == INEXACT || beyond == BOTH;
    if (beyond == LOWEST_BIT || beyond == BOTH)
        real.significand.low |= 1;
    if (beyond == MIDDLE_BIT)
        real.significand.low |= UINT64_C(1) << 40;
    return real;
}

static void check_all_modes(const struct ladder *ladder, const struct real *real, double value,
                            bool beyond) {
    for (enum rounding rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
        size_t index = ladder_round(ladder, value, beyond, real->negative, rounding);
        if (format_overflows(ladder->format, real, rounding) != (index == ladder->count))
            fail_msg("%s: overflow of %a%s %s", ladder->format->name, value, beyond ? "+" : "",
                     rounding_names[rounding]);
        for (enum overflow overflow = OVERFLOW_IEEE; overflow <= OVERFLOW_SATURATE; overflow++) {
            uint64_t want = ladder_code(ladder, index, real->negative, rounding, overflow);
            uint64_t got = format_encode(ladder->format, real, rounding, overflow);
            if (got != want)
                fail_msg("%s: %s%a%s %s, policy %d: 0x%" PRIx64 ", not 0x%" PRIx64,
                         ladder->format->name, real->negative ? "-" : "", value, beyond ? "+" : "",
                         rounding_names[rounding], (int)overflow, got, want);
        }
    }
}

static void check_value(const struct ladder *ladder, double value) {
    for (int negative = 0; negative < 2; negative++)
        for (enum beyond beyond = EXACTLY; beyond < BEYONDS; beyond++) {
            if (value == 0 && beyond != EXACTLY)
                continue;
            struct real real = real_of(value, negative, beyond);
            check_all_modes(ladder, &real, value, beyond != EXACTLY);
        }
}

static void check_gaps(const struct ladder *ladder) {
    for (size_t i = 0; i < ladder->count; i++) {
        double a = ladder->rung[i].value, gap = ladder->rung[i + 1].value - a;
        static const double places[] = {0,   0x1p-30,       0.25, 0.5 - 0x1p-30,
                                        0.5, 0.5 + 0x1p-30, 0.75, 1 - 0x1p-30};
        for (size_t j = 0; j < sizeof places / sizeof *places; j++)
            check_value(ladder, a + places[j] * gap);
    }
}

static void test_every_gap(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        check_gaps(&ladder);
        ladder_free(&ladder);
    }
}

static void test_beyond_the_ends(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        double past = ladder.rung[ladder.count].value, least = layout_smallest(&layouts[i]);
        double power = ldexp(1, ilogb(ladder.rung[ladder.count - 1].value) + 1);
        const double values[] = {past,           past * 1.0625,     power * (1 - 0x1p-50),
                                 power,          power * 1.5,       power * 2,
                                 0x1p1000,       least / 2,         least / 2 * (1 - 0x1p-50),
                                 least / 4,      least * 0.375,     least / 0x1p60,
                                 least / 0x1p70, least / 0x1.8p130, 0x1p-1000};
        for (size_t j = 0; j < sizeof values / sizeof *values; j++)
            check_value(&ladder, values[j]);
        for (int negative = 0; negative < 2; negative++) {
            struct real huge = real_huge(negative), tiny = real_tiny(negative);
            check_all_modes(&ladder, &huge, 0x1p1000, true);
            check_all_modes(&ladder, &tiny, 0x1p-1000, true);
        }
        ladder_free(&ladder);
    }
}

/* Every format: zero keeps its sign where there is -0, a cancelled sum is -0 only downward,
 * infinity does not depend on the direction, and NaN is the canonical one. */
static void test_zero_infinity_nan(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const struct layout *layout = &layouts[i];
        const struct format *format = layout_format(layout);
        uint64_t sign = UINT64_C(1) << (layout_width(layout) - 1);
        uint64_t minus_zero = layout->kind == LAYOUT_FNUZ ? 0 : sign;
        uint64_t infinity = (sign - 1) & ~((UINT64_C(1) << layout->fraction_bits) - 1);
        bool ieee = layout->kind == LAYOUT_IEEE;
        uint64_t last = ieee ? infinity - 1 : layout->kind == LAYOUT_FN ? sign - 2 : sign - 1;
        uint64_t beyond = ieee ? infinity : layout->kind == LAYOUT_ALL ? last : layout_nan(layout);
        uint64_t below = ieee || layout->kind == LAYOUT_ALL ? beyond | sign : beyond;
        const struct real plus = real_infinity(false), minus = real_infinity(true);
        const struct real zero = real_zero(false), negative = real_zero(true), nan = real_nan();
        struct real sum = zero;
        sum.cancelled = true;
        for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
            for (enum overflow o = OVERFLOW_IEEE; o <= OVERFLOW_SATURATE; o++) {
                assert_int_equal(format_encode(format, &zero, r, o), 0);
                assert_int_equal(format_encode(format, &negative, r, o), minus_zero);
                assert_int_equal(format_encode(format, &sum, r, o),
                                 r == ROUND_DOWN ? minus_zero : 0);
                assert_int_equal(format_encode(format, &nan, r, o), layout_nan(layout));
            }
            assert_int_equal(format_encode(format, &plus, r, OVERFLOW_SATURATE), last);
            assert_int_equal(format_encode(format, &minus, r, OVERFLOW_SATURATE), last | sign);
            assert_int_equal(format_encode(format, &plus, r, OVERFLOW_IEEE), beyond);
            assert_int_equal(format_encode(format, &minus, r, OVERFLOW_IEEE), below);
            assert_true(format_overflows(format, &minus, r));
            assert_false(format_overflows(format, &zero, r));
            assert_false(format_overflows(format, &nan, r));
        }
    }
}

/* Examples by hand, of what the conversion tables of float 8 say. */
static void test_stated_conversions(void **state) {
    (void)state;
    static const struct {
        int layout;
        double value;
        enum rounding rounding;
        enum overflow overflow;
        uint64_t code;
    } stated[] = {
        /* E4M3FN ends at 448; 464 is the tie with the missing 480 and goes to the even 448. */
        {0, 464, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7e},
        {0, 464, ROUND_NEAREST_AWAY, OVERFLOW_IEEE, 0x7f},
        {0, 465, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7f},
        {0, -465, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE, 0xfe},
        {0, 500, ROUND_TOWARD_ZERO, OVERFLOW_IEEE, 0x7e},
        {0, -500, ROUND_UP, OVERFLOW_IEEE, 0xfe},
        {0, -500, ROUND_DOWN, OVERFLOW_IEEE, 0x7f},
        /* E4M3FNUZ ends at 240, which is odd: the tie 248 overflows. */
        {1, 247.9, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7f},
        {1, 248, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x80},
        {1, 248, ROUND_NEAREST_EVEN, OVERFLOW_SATURATE, 0x7f},
        {1, -0x1p-12, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0},
        /* E5M2 ends at 57344 and has infinity from 61440 on. */
        {2, 61439, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7b},
        {2, 61440, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7c},
        {2, -61440, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0xfc},
        {2, 61440, ROUND_DOWN, OVERFLOW_IEEE, 0x7b},
        {3, 61440, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x80},
        {4, 65519.99, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7bff},
        {4, 65520, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7c00},
        {4, 0x1p-25, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0},
        {4, 0x1p-25, ROUND_NEAREST_AWAY, OVERFLOW_IEEE, 1},
        {4, 0x1.ffcp-15, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x400},
        {4, 0x1.ff8p-15, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x3ff},
        /* E2M1 is 0 0.5 1 1.5 2 3 4 6, and nothing is beyond. */
        {11, 2.5, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 4},
        {11, 5, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 6},
        {11, 5, ROUND_NEAREST_AWAY, OVERFLOW_IEEE, 7},
        {11, -100, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0xf},
        {11, 0.25, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0},
        {11, -0.75, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0xa},
        {9, 7.75, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x1f},
        {10, 28, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x1f},
        {6, 247, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x77},
        {6, 248, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x78},
        {7, 15.75, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x70},
        {8, 30, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x7f},
        {8, 31, ROUND_NEAREST_EVEN, OVERFLOW_IEEE, 0x80},
    };
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        struct real real = exact_real(stated[i].value);
        uint64_t got = format_encode(layout_format(&layouts[stated[i].layout]), &real,
                                     stated[i].rounding, stated[i].overflow);
        if (got != stated[i].code)
            fail_msg("row %zu: 0x%" PRIx64, i, got);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_gap),
        cmocka_unit_test(test_beyond_the_ends),
        cmocka_unit_test(test_zero_infinity_nan),
        cmocka_unit_test(test_stated_conversions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
