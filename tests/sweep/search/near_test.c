/* Inputs whose exact results lie in a band of fractions: those that a walk over all inputs finds. */
#include "sweep/search/near.h"

#include "base/bits.h"
#include "sweep/generator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { LINES = 300, MOST = 1 << 17 };

static double found[MOST];

/* 0 .. 1 */
static double draw(uint64_t line, unsigned stream) {
    return (double)(generator_bits(1, line, stream) >> 11) * 0x1p-53;
}

/* How far the exact result at an offset lies above the band's low end, modulo 1. */
static double above(const struct line_result *result, double offset, double low) {
    double sum = -low + result->c[0],
           parts[] = {result->slope * offset, result->slope_rest * offset,
                      result->c[2] * offset * offset};
    for (int i = 0; i < 3; i++)
        sum += parts[i] - floor(parts[i]);
    return sum - floor(sum);
}

/* Near the ends of the band, by an eighth of its width, either answer is right. */
static void test_all_are_found(void **state) {
    (void)state;
    size_t inside = 0;
    for (uint64_t line = 0; line < LINES; line++) {
        struct line_result result = {.slope = (float)(draw(line, 0) * 1000),
                                     .slope_rest = draw(line, 1) * 0x1p-24,
                                     .c = {draw(line, 2)}};
        result.c[2] = (draw(line, 3) - 0.5) * power_of_two(-20 - (int)(line % 30));
        double low = draw(line, 4), width = power_of_two(-1 - (int)(line % 13));
        double first = rint((draw(line, 5) - 0.5) * 1e6);
        uint64_t length = 1 + (uint64_t)(draw(line, 6) * 100000);
        unsigned spacing_log2 = line % 3 ? 0 : (unsigned)(line % 7);
        size_t next = 0,
               count = line_near(&result, first, spacing_log2, &length, low, width, found, MOST);
        assert_true(count < MOST);
        for (uint64_t i = 0; i < length; i++) {
            double offset = first + (double)(i << spacing_log2),
                   place = above(&result, offset, low);
            bool is_found = next < count && !(found[next] > offset);
            double edge = fmin(fmin(place, 1 - place), fabs(place - width));
            next += is_found;
            inside += is_found;
            if (edge > width / 7 && is_found != (place < width))
                fail_msg("line %d, input %d: %g above, in a band of %g", (int)line, (int)i, place,
                         width);
        }
        assert_int_equal(next, count);
    }
    assert_true(inside > 100000);
}

static void test_no_more_than_wanted(void **state) {
    (void)state;
    struct line_result result = {.slope = 0.25, .c = {0.25}};
    uint64_t length = 1000;
    assert_int_equal(line_near(&result, 0, 0, &length, 0.125, 0.25, found, 7), 7);
    assert_true(found[1] - found[0] > 3.5 && found[1] - found[0] < 4.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_are_found),
                                       cmocka_unit_test(test_no_more_than_wanted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
