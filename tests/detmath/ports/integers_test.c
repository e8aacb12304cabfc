/* What ports do in integers of 32 bits, against the C library's fma and the compiler's own arithmetic,
 * on operands among which cancellation, subnormal results, ties, overflow and special values are
 * often. */
#include "detmath/ports/integers.h"

#include "../../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 5;

enum { TRIALS = 1000000 };

static uint32_t draw(void) {
    return (uint32_t)(random_bits(&seed) >> 32);
}

static float number_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fc00000u : bits;
}

/* Moves the exponent to one of `count` from `first` on. */
static uint32_t near_exponent(uint32_t bits, uint32_t first, uint32_t count) {
    return (bits & 0x807fffffu) | (first + draw() % count) << 23;
}

static void draw_operands(uint32_t x[3]) {
    static const uint32_t special[] = {0, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1};
    for (int i = 0; i < 3; i++)
        x[i] = draw();
    uint32_t way = draw() % 8, opposite = bits_of(-number_of(x[0]) * number_of(x[1]));
    if (way == 0) /* all but cancelled */
        x[2] = opposite + draw() % 5 - 2;
    else if (way == 1) /* a tie, or near one */
        x[0] &= 0xfffff000u, x[1] &= 0xfffff000u, x[2] = opposite & 0xffff0000u;
    else if (way == 2) /* the product and the sum are subnormal, or nearly */
        x[0] = near_exponent(x[0], 64, 10), x[1] = near_exponent(x[1], 60, 10),
        x[2] = near_exponent(x[2], 0, 6);
    else if (way == 3)
        x[0] &= 0x807fffffu;
    else if (way == 4)
        x[2] = near_exponent(x[2], 0, 4);
    else if (way == 5) /* about the largest number */
        x[0] = near_exponent(x[0], 190, 2), x[1] = near_exponent(x[1], 190, 2),
        x[2] = near_exponent(x[2], 250, 5);
    else if (way == 6)
        x[draw() % 3] = special[draw() % 6];
}

static void fused_sums_are_those_of_the_c_library(void **state) {
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        uint32_t x[3];
        draw_operands(x);
        uint32_t want = bits_of(fmaf(number_of(x[0]), number_of(x[1]), number_of(x[2])));
        assert_int_equal(port_fused(x[0], x[1], x[2]), want);
        assert_int_equal(port_less(x[0], x[2]), number_of(x[0]) < number_of(x[2]));
    }
}

static void numbers_and_integers_of_64_bits_become_each_other(void **state) {
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        uint64_t random = random_bits(&seed) >> 1;
        int64_t integer = (int64_t)(random >> draw() % 63);
        integer = draw() & 1 ? -integer : integer;
        struct port_pair pair = {(uint32_t)((uint64_t)integer >> 32), (uint32_t)integer};
        assert_int_equal(port_from_long(pair), bits_of((float)integer));
        float x = (float)(integer / 4) * (draw() & 1 ? 1.0f : 0x1.3p-20f);
        struct port_pair whole = port_to_long(bits_of(x));
        assert_true((int64_t)((uint64_t)whole.high << 32 | whole.low) == (int64_t)x);
    }
}

static void pairs_of_words_are_integers_of_64_bits(void **state) {
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        uint64_t x = random_bits(&seed), y = random_bits(&seed);
        uint32_t by = draw() & 63u;
        struct port_pair a = {(uint32_t)(x >> 32), (uint32_t)x},
                         b = {(uint32_t)(y >> 32), (uint32_t)y};
        struct port_pair got[] = {port_left(a, by), port_right(a, by, 0), port_add(a, b),
                                  port_subtract(a, b), port_product(a.low, b.low)};
        uint64_t want[] = {x << by, x >> by, x + y, x - y, (uint64_t)a.low * b.low};
        for (size_t k = 0; k < sizeof want / sizeof *want; k++)
            assert_true(((uint64_t)got[k].high << 32 | got[k].low) == want[k]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_sums_are_those_of_the_c_library),
        cmocka_unit_test(numbers_and_integers_of_64_bits_become_each_other),
        cmocka_unit_test(pairs_of_words_are_integers_of_64_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
