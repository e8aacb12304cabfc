/* The step of rsqrt that rounds correctly, from the result and both its neighbours: so that the array forms return
 * the same bits whatever estimate a processor has. Of all significands whose root is within 1/64 ulp of a middle; farther
 * from it, an error of 2^-13 ulp changes nothing. */
#include "detmath/all.h"
#include "detmath/library/rsqrt_last.inc"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int is_near(float x) {
    double units = ldexp(1.0 / sqrt((double)x), 24); /* in [2^23, 2^24] */
    return fabs(units - floor(units) - 0.5) < 1.0 / 64;
}

static void every_start(void **state) {
    (void)state;
    long count = 0;
    for (detmath_u32 bits = 0x3f800000u; bits < 0x40800000u; bits++) {
        float x = detmath_from_bits_f32(bits);
        if (!is_near(x))
            continue;
        detmath_u32 right = detmath_bits_f32(detmath_rsqrtf(x));
        for (detmath_u32 start = right - 1; start != right + 2; start++)
            assert_int_equal(detmath_bits_f32(detmath_rsqrt_last(x, detmath_from_bits_f32(start))),
                             right);
        count++;
    }
    assert_true(count > 400000 && count < 600000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
