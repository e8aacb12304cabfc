/* Rounding to fp32 and fp64 against the processor: double to float, and long double to double where
 * it has more bits, under fesetround. `volatile` keeps the compiler from converting in advance. */
#include "../base/random.h"
#include "layout.h"

#include <fenv.h>
#include <float.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { INPUTS = 1000000 };

static const struct {
    int hardware;
    enum rounding rounding;
} modes[] = {{FE_TONEAREST, ROUND_NEAREST_EVEN},
             {FE_TOWARDZERO, ROUND_TOWARD_ZERO},
             {FE_UPWARD, ROUND_UP},
             {FE_DOWNWARD, ROUND_DOWN}};
enum { MODES = 4 };

/* A few bits set, a few cleared, all random: ties and near ties are among the first two. */
static uint64_t random_significand(uint64_t *seed) {
    uint64_t bits = random_bits(seed), few = UINT64_C(1) << (random_bits(seed) & 63);
    uint64_t top = UINT64_MAX << (random_bits(seed) & 63);
    switch (random_bits(seed) % 4) {
    case 0:
        return bits;
    case 1:
        return (bits & top) | few;
    case 2:
        return (bits & top) ^ (few - 1);
    default:
        return bits & top;
    }
}

static double random_double(uint64_t *seed) {
    /* Exponents of all floats, and some on either side. */
    uint64_t exponent = (uint64_t)random_between(seed, 1023 - 160, 1023 + 135);
    return double_of_code((random_bits(seed) & UINT64_C(1) << 63) | exponent << 52 |
                          random_significand(seed) >> 12);
}

static void check_float(double value) {
    const struct format *fp32 = layout_format(&layouts[LAYOUT_FP32]);
    struct real real = exact_real(value);
    volatile double input = value;
    for (int i = 0; i < MODES; i++) {
        fesetround(modes[i].hardware);
        volatile float output = (float)input;
        fesetround(FE_TONEAREST);
        uint64_t want = isnan(output) ? layout_nan(&layouts[LAYOUT_FP32]) : code_of_float(output);
        uint64_t got = format_encode(fp32, &real, modes[i].rounding, OVERFLOW_IEEE);
        if (got != want)
            fail_msg("%a %s: 0x%" PRIx64 ", not 0x%" PRIx64, value,
                     rounding_names[modes[i].rounding], got, want);
    }
}

static void test_double_to_float(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < INPUTS; i++)
        check_float(random_double(&seed));
    for (int i = 0; i < INPUTS / 10; i++)
        check_float(double_of_code(random_bits(&seed)));
}

/* Around every power of two that is a float, and the ends: the number, the tie above it, the tie
 * below it, and the doubles next to these. */
static void test_double_to_float_at_edges(void **state) {
    (void)state;
    for (int exponent = -153; exponent <= 130; exponent++)
        for (int i = -8; i <= 8; i++) {
            double tie = ldexp(1 + i * 0x1p-25, exponent);
            const double values[] = {tie, nextafter(tie, INFINITY), nextafter(tie, 0)};
            for (int j = 0; j < 3; j++) {
                check_float(values[j]);
                check_float(-values[j]);
            }
        }
    static const double values[] = {0.0, FLT_MAX, 0x1.ffffffp127, INFINITY, (double)NAN, DBL_MIN};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        check_float(values[i]);
        check_float(-values[i]);
    }
}

static struct real random_long_double(uint64_t *seed, long double *value) {
    struct real real = {.kind = REAL_FINITE,
                        .negative = random_bits(seed) & 1,
                        .exponent = random_between(seed, -1085, 1027)};
    real.significand.high = random_significand(seed) | UINT64_C(1) << 63;
    *value = ldexpl((long double)real.significand.high, real.exponent - 63);
    if (real.negative)
        *value = -*value;
    return real;
}

static void test_long_double_to_double(void **state) {
    (void)state;
#if LDBL_MANT_DIG < 64 || LDBL_MAX_EXP <= 2048
    skip();
#endif
    const struct format *fp64 = layout_format(&layouts[LAYOUT_FP64]);
    uint64_t seed = 7;
    for (int n = 0; n < INPUTS; n++) {
        long double value;
        struct real real = random_long_double(&seed, &value);
        volatile long double input = value;
        for (int i = 0; i < MODES; i++) {
            fesetround(modes[i].hardware);
            volatile double output = (double)input;
            fesetround(FE_TONEAREST);
            uint64_t got = format_encode(fp64, &real, modes[i].rounding, OVERFLOW_IEEE);
            if (got != code_of_double(output))
                fail_msg("%La %s: 0x%" PRIx64 ", not %a", value, rounding_names[modes[i].rounding],
                         got, output);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double_to_float),
        cmocka_unit_test(test_double_to_float_at_edges),
        cmocka_unit_test(test_long_double_to_double),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
