/* What starts from the processor's estimate of a square root, rsqrt and cr's asin and acos, with the worst that a maker may
 * have: processors differ, and the proof ran on one of them. */
#include "detmath/library/lanes.h"

/* How far AVX2's estimate may be off, or that of others. */
static const double farthest = DETMATH_LANES == 8 ? 0x1.8p-12 : 0x1p-14;
static double error;

static lanes_f estimate(lanes_f x) {
    lanes_f r;
    for (int i = 0; i < DETMATH_LANES; i++)
        r[i] = (float)((1.0 + error) / __builtin_sqrt((double)x[i]));
    return r;
}
#define lanes_rsqrt_estimate estimate
#include "detmath/library/inverse_trigonometric_lanes.h"
#include "detmath/library/root_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static lanes_f from(detmath_u32 bits) {
    lanes_u u;
    for (unsigned i = 0; i < DETMATH_LANES; i++)
        u[i] = bits + i;
    return (lanes_f)u;
}

static void compare(lanes_f x, lanes_f y, lanes_f other, float (*right)(float), long *decided) {
    for (int i = 0; i < DETMATH_LANES; i++)
        if (y[i] == other[i]) {
            ++*decided;
            assert_int_equal(detmath_bits_f32(y[i]), detmath_bits_f32(right(x[i])));
        }
}

/* Every eighth vector of |x| from 1/2 to 1, where the root is taken. */
static void arcs(void) {
    long decided = 0, all = 0;
    for (detmath_u32 bits = 0x3f000001u; bits < 0x3f800000u; bits += 8 * DETMATH_LANES) {
        lanes_f x = from(bits), other, y = detmath_cr_asin_steps(x, &other);
        compare(x, y, other, detmath_cr_asinf, &decided);
        y = detmath_cr_acos_steps(x, &other);
        compare(x, y, other, detmath_cr_acosf, &decided);
        y = detmath_cr_acos_steps(-x, &other);
        compare(-x, y, other, detmath_cr_acosf, &decided);
        all += 3 * DETMATH_LANES;
    }
    assert_true((double)decided > 0.99 * (double)all);
}

static void roots(void) {
    long decided = 0, all = 0;
    for (detmath_u32 bits = 0x3f800000u; bits < 0x40800000u; bits += 8 * DETMATH_LANES) {
        lanes_f x = from(bits), y = detmath_rsqrt_steps_lanes(x);
        compare(x, y, y, detmath_rsqrtf, &decided);
        all += DETMATH_LANES;
    }
    assert_int_equal(decided, all); /* NaN is no equal of itself */
}

static void any_estimate(void **state) {
    (void)state;
    for (int i = -2; i <= 2; i++) {
        error = farthest * (i / 2.0);
        arcs();
        roots();
    }
}

int main(void) {
#if DETMATH_LANES == 16
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq"))
        return 77;
#elif DETMATH_LANES == 8
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 77;
#endif
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_estimate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
