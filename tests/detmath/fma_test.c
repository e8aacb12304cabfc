/* The software fma against the C library's, on operands whose exponents and low bits are drawn so
 * that cancellation, subnormal results, ties and overflow all happen often. With DETMATH_NO_DOUBLE
 * that of fp32 is made of integers, and there is no other. */
#define DETMATH_SOFTWARE_FMA
#include "detmath/core.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 4;

enum { TRIALS = 3000000 };

/* `width` bits: few fraction bits half of the time, exponents near each other, to the middle or to
 * either end; now and then anything at all. */
static uint64_t draw(unsigned width, unsigned fraction_bits, uint64_t around) {
    uint64_t random = random_bits(&seed), all = UINT64_MAX >> (64 - width);
    uint64_t fraction = random & ((UINT64_C(1) << fraction_bits) - 1);
    if (random >> 60 & 1)
        fraction &= UINT64_C(7) << (random_bits(&seed) % (fraction_bits - 2));
    if (random >> 56 == 0)
        return random_bits(&seed) & all;
    uint64_t exponents = (UINT64_C(1) << (width - 1 - fraction_bits)) - 1;
    uint64_t exponent = (around + random_bits(&seed) % 9) % (exponents + 1);
    return (random >> 63) << (width - 1) | exponent << fraction_bits | fraction;
}

/* The exponent field of c that puts it near a * b, give or take `spread`. */
static uint64_t beside(uint64_t a, uint64_t b, unsigned fraction_bits, uint64_t bias) {
    uint64_t mask = 2 * bias + 1, sum = (a >> fraction_bits & mask) + (b >> fraction_bits & mask);
    uint64_t spread = random_bits(&seed) % (2 * fraction_bits + 8);
    uint64_t c = sum + spread < bias + fraction_bits ? 0 : sum + spread - bias - fraction_bits;
    return c > mask ? mask : c;
}

#if !defined(DETMATH_NO_DOUBLE)
static void test_double(void **state) {
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        uint64_t a = draw(64, 52, random_bits(&seed) % 2048),
                 b = draw(64, 52, 2046 - (a >> 52 & 2047));
        if (i & 1)
            b = draw(64, 52, (random_bits(&seed) & 1023) + 400);
        uint64_t c = draw(64, 52, beside(a, b, 52, 1023));
        double x = detmath_from_bits_f64(a), y = detmath_from_bits_f64(b);
        double z = detmath_from_bits_f64(c);
        double got = detmath_fma(x, y, z), want = fma(x, y, z);
        if (!(isnan(got) && isnan(want)))
            assert_int_equal(detmath_bits_f64(got), detmath_bits_f64(want));
    }
}
#endif

static void test_float(void **state) {
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        uint64_t a = draw(32, 23, random_bits(&seed) % 256),
                 b = draw(32, 23, 254 - (a >> 23 & 255));
        if (i & 1)
            b = draw(32, 23, (random_bits(&seed) & 127) + 50);
        uint64_t c = draw(32, 23, beside(a, b, 23, 127));
        float x = detmath_from_bits_f32((uint32_t)a), y = detmath_from_bits_f32((uint32_t)b);
        float z = detmath_from_bits_f32((uint32_t)c);
        float got = detmath_fmaf(x, y, z), want = fmaf(x, y, z);
        if (!(isnan(got) && isnan(want)))
            assert_int_equal(detmath_bits_f32(got), detmath_bits_f32(want));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#if !defined(DETMATH_NO_DOUBLE)
        cmocka_unit_test(test_double),
#endif
        cmocka_unit_test(test_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
