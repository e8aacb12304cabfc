/* The probes notice what is set, leave it as it was, and catch functions that are a little wrong.
 */
#include "platform/platform.h"

#include "base/bits.h"
#include "format/format.h"
#include "platform/exact.h"
#include "platform/libm_probe.h"
#include "platform/processor.h"
#include "platform/rounding_guard.h"

#include <fenv.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cmocka.h>

static void describe(struct platform *platform) {
    platform_describe(platform);
    platform_check_libm(platform);
}

static void test_description(void **state) {
    (void)state;
    struct platform platform;
    describe(&platform);
    assert_true(*platform.os && *platform.arch && *platform.cpu && *platform.libc &&
                *platform.compiler);
    assert_false(platform.ftz);
    assert_false(platform.daz);
    assert_int_equal(platform.rounding, ROUND_NEAREST_EVEN);
    assert_int_equal(platform.flt_eval_method, FLT_EVAL_METHOD);
    assert_int_equal(platform.fmaf_exact, !*platform.fmaf_failure);
    assert_int_equal(platform.sqrtf_exact, !*platform.sqrtf_failure);
#if defined(__GLIBC__)
    assert_true(platform.fmaf_exact);
    assert_true(platform.sqrtf_exact);
#endif
#if defined(__x86_64__)
    assert_string_equal(platform.arch, "x86_64");
    assert_non_null(strstr(platform.features, "sse2"));
    assert_int_equal(platform.fma, strstr(platform.features, "fma") != NULL);
#endif
}

static void test_rounding_is_noticed(void **state) {
    (void)state;
    struct platform nearest;
    describe(&nearest);
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
        struct platform platform;
        int mode = rounding_fenv_mode((enum rounding)rounding);
        if (mode < 0)
            continue;
        assert_int_equal(fesetround(mode), 0);
        describe(&platform);
        int after = fegetround(), measured = rounding_in_force();
        fesetround(FE_TONEAREST);
        assert_int_equal(platform.rounding, rounding);
        assert_int_equal(after, mode);
        assert_int_equal(measured, mode);
        /* The library's functions are judged as they are to nearest. */
        assert_int_equal(platform.libm_variant, nearest.libm_variant);
        assert_int_equal(platform.fmaf_exact, nearest.fmaf_exact);
        assert_int_equal(platform.sqrtf_exact, nearest.sqrtf_exact);
    }
}

static void test_flushing_is_noticed(void **state) {
    (void)state;
#if defined(__x86_64__)
    const unsigned flush = 1u << 15, zeros = 1u << 6;
    struct platform nearest;
    describe(&nearest);
    for (unsigned set = 0; set < 4; set++) {
        struct platform platform;
        unsigned before = _mm_getcsr();
        unsigned wanted = before | (set & 1 ? flush : 0) | (set & 2 ? zeros : 0);
        _mm_setcsr(wanted);
        describe(&platform);
        unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        assert_int_equal(platform.ftz, set & 1);
        assert_int_equal(platform.daz, set >> 1);
        assert_int_equal(platform.rounding, ROUND_NEAREST_EVEN);
        assert_int_equal(after & (flush | zeros), wanted & (flush | zeros));
        assert_int_equal(platform.libm_variant, nearest.libm_variant);
        assert_int_equal(platform.fmaf_exact, nearest.fmaf_exact);
        assert_int_equal(platform.sqrtf_exact, nearest.sqrtf_exact);
    }
#else
    skip();
#endif
}

/* A library can change the vector unit's mode and leave the other that <fenv.h> reads. */
static void test_guard(void **state) {
    (void)state;
    for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
        struct rounding_guard guard;
        if (rounding_fenv_mode((enum rounding)rounding) < 0)
            continue;
        rounding_guard_enter(&guard, (enum rounding)rounding);
        bool entered = !rounding_guard_changes(&guard);
        fesetround(rounding == ROUND_UP ? FE_DOWNWARD : FE_UPWARD);
        bool changed = rounding_guard_changes(&guard) != 0;
        rounding_guard_repair(&guard);
        bool repaired = !rounding_guard_changes(&guard);
#if defined(__x86_64__)
        _mm_setcsr(_mm_getcsr() ^ 3u << 13);
        bool behind = rounding_guard_changes(&guard) != 0;
#else
        bool behind = true;
#endif
        rounding_guard_leave(&guard);
        assert_int_equal(rounding_in_force(), FE_TONEAREST);
        assert_int_equal(fegetround(), FE_TONEAREST);
        assert_true(entered && changed && repaired && behind);
    }
}

static double exp_nearly_exact(double x) {
    return (double)expl(x);
}

/* Right in all but one of the probes. */
static double exp_altered(double x) {
    return x > 600 ? nextafter(exp(x), 0) : exp(x);
}

static void test_variant_needs_every_probe(void **state) {
    (void)state;
    assert_int_equal(libm_variant_of(exp_altered), LIBM_VARIANT_UNKNOWN);
    if (LDBL_MANT_DIG > DBL_MANT_DIG)
        assert_int_equal(libm_variant_of(exp_nearly_exact), LIBM_VARIANT_UNKNOWN);
    for (int variant = LIBM_VARIANT_UNKNOWN; variant <= LIBM_VARIANT_NO_FMA; variant++)
        assert_true(*libm_variant_names[variant]);
#if defined(__GLIBC__) && defined(__x86_64__)
    assert_int_not_equal(libm_variant_of(exp), LIBM_VARIANT_UNKNOWN);
#endif
}

static const struct format *fp32(void) {
    struct error error;
    return format_find("fp32", &error);
}

static float right_fmaf(float x, float y, float z) {
    return float_from_bits(
        (uint32_t)exact_fma(fp32(), bits_of_float(x), bits_of_float(y), bits_of_float(z)));
}

/* The usual mistake: the product is exact in double, the sum is not, and is rounded twice. */
static float fmaf_in_double(float x, float y, float z) {
    volatile double product = (double)x * y, sum = product + z;
    return (float)sum;
}

static float fmaf_in_float(float x, float y, float z) {
    volatile float product = x * y;
    return product + z;
}

/* Wrong only where the right result lies in one place. */
static float wrong_in_double_if(bool place, float x, float y, float z) {
    return place ? fmaf_in_double(x, y, z) : right_fmaf(x, y, z);
}

static float fmaf_wrong_subnormal(float x, float y, float z) {
    return wrong_in_double_if(fabsf(right_fmaf(x, y, z)) < FLT_MIN, x, y, z);
}

static float fmaf_wrong_large(float x, float y, float z) {
    return wrong_in_double_if(fabsf(right_fmaf(x, y, z)) >= FLT_MAX, x, y, z);
}

static float fmaf_wrong_negative(float x, float y, float z) {
    return wrong_in_double_if(right_fmaf(x, y, z) < 0, x, y, z);
}

static float fmaf_flushing(float x, float y, float z) {
    float result = right_fmaf(x, y, z);
    return fabsf(result) < FLT_MIN ? copysignf(0, result) : result;
}

static float fmaf_wrong_zero(float x, float y, float z) {
    float result = right_fmaf(x, y, z);
    return result == 0 ? 0.0f : result;
}

static float fmaf_wrong_infinity(float x, float y, float z) {
    return isinf(x) ? INFINITY : right_fmaf(x, y, z);
}

static void test_fmaf_check(void **state) {
    (void)state;
    static fmaf_function *const wrong[] = {
        fmaf_in_double,      fmaf_in_float, fmaf_wrong_subnormal, fmaf_wrong_large,
        fmaf_wrong_negative, fmaf_flushing, fmaf_wrong_zero,      fmaf_wrong_infinity,
    };
    char failure[128] = "left over";
    assert_true(fmaf_is_exact(right_fmaf, failure, sizeof failure));
    assert_string_equal(failure, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (fmaf_is_exact(wrong[i], failure, sizeof failure))
            fail_msg("wrong fmaf %zu passes for exact", i);
        assert_int_equal(strncmp(failure, "fmaf(", 5), 0);
        assert_non_null(strstr(failure, ", not "));
    }
}

static float right_sqrtf(float x) {
    return float_from_bits((uint32_t)exact_sqrt(fp32(), bits_of_float(x)));
}

static float sqrtf_by_power(float x) {
    return x < INFINITY ? expf(0.5f * logf(x)) : right_sqrtf(x);
}

static float sqrtf_flushing(float x) {
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : right_sqrtf(x);
}

static float sqrtf_wrong_zero(float x) {
    return right_sqrtf(x) + 0.0f;
}

static float sqrtf_wrong_below_one(float x) {
    return bits_of_float(x) == 0x3f7fffff ? 1 : right_sqrtf(x);
}

static float sqrtf_of_magnitude(float x) {
    return x < 0 ? right_sqrtf(-x) : right_sqrtf(x);
}

static void test_sqrtf_check(void **state) {
    (void)state;
    static sqrtf_function *const wrong[] = {sqrtf_by_power, sqrtf_flushing, sqrtf_wrong_zero,
                                            sqrtf_wrong_below_one, sqrtf_of_magnitude};
    char failure[128] = "left over";
    assert_true(sqrtf_is_exact(right_sqrtf, failure, sizeof failure));
    assert_string_equal(failure, "");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (sqrtf_is_exact(wrong[i], failure, sizeof failure))
            fail_msg("wrong sqrtf %zu passes for exact", i);
        assert_int_equal(strncmp(failure, "sqrtf(", 6), 0);
    }
    assert_false(sqrtf_is_exact(sqrtf_wrong_zero, failure, sizeof failure));
    assert_string_equal(failure, "sqrtf(-0x0p+0) = 0x0p+0, not -0x0p+0");
}

/* Within the bound that x86 states; on other processors there is none. */
static void test_root_estimates(void **state) {
    (void)state;
    for (float x = 1e-30f; x < 1e30f; x *= 1.37f) {
        const double estimate = processor_root_estimate(x);
        if (processor_estimates_roots())
            assert_true(fabs(estimate * sqrt(x) - 1) <= 1.5 / 4096);
        else
            assert_true(isnan(estimate));
    }
    if (processor_estimates_roots()) {
        assert_true(isinf(processor_root_estimate(0)) && isinf(processor_root_estimate(1e-40f)));
        assert_true(isnan(processor_root_estimate(-1)));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_rounding_is_noticed),
        cmocka_unit_test(test_flushing_is_noticed),
        cmocka_unit_test(test_guard),
        cmocka_unit_test(test_variant_needs_every_probe),
        cmocka_unit_test(test_fmaf_check),
        cmocka_unit_test(test_sqrtf_check),
        cmocka_unit_test(test_root_estimates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
