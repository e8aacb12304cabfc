/* detmath_self_check() and detmath_self_check_arrays() find no fault in this build, and do in one
 * that has some: in another rounding mode, and where a kernel returns the neighbour of one result. */
#include "detmath/all.h"
#include "detmath/arrays.h"
#include "detmath/library/kernels.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_this_build_is_right(void **state) {
    (void)state;
    assert_int_equal(detmath_self_check(), 0);
    assert_int_equal(detmath_self_check_tanh(), 0);
    assert_null(detmath_self_check_arrays());
}

static void test_another_rounding_is_found(void **state) {
    (void)state;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    int wrong = detmath_self_check();
    const char *in_arrays = detmath_self_check_arrays();
    int rounding = fegetround();
    fesetround(FE_TONEAREST);
    assert_true(wrong > DETMATH_CHECK_PLACES / 2);
    assert_null(in_arrays); /* which set their own, and the caller's again */
    assert_int_equal(rounding, FE_UPWARD);
}

/* tanh with a wrong last bit for one input of the check. */
static const struct detmath_kernels *right;
static bool spoil_arrays;

static void spoilt_arrays(int format, void *const *results, const void *const *operands, size_t n) {
    right->cr(format, results, operands, n);
    detmath_u32 first, *result = results[0];
    memcpy(&first, operands[0], sizeof first);
    if (spoil_arrays && first == detmath_check_input(0, false))
        result[n - 1] ^= 1u;
}

static float spoilt_scalar(float x) {
    float y = right->det_scalar.unary(x);
    bool spoil = !spoil_arrays && detmath_bits_f32(x) == detmath_check_input(50, false);
    return detmath_from_bits_f32(detmath_bits_f32(y) ^ (spoil ? 1u : 0u));
}

static void test_one_wrong_bit_is_found(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++) {
        if (!level.kernels)
            continue;
        assert_null(detmath_check_level(&level));
        const struct detmath_kernels *kernels[DETMATH_FUNCTIONS];
        memcpy(kernels, level.kernels, sizeof kernels);
        right = level.kernels[DETMATH_CHECK_PLACE_tanh];
        struct detmath_kernels spoilt = *right;
        spoilt.cr = spoilt_arrays;
        spoilt.det_scalar.unary = spoilt_scalar;
        kernels[DETMATH_CHECK_PLACE_tanh] = &spoilt;
        level.kernels = kernels;
        for (int i = 0; i < 2; i++) {
            spoil_arrays = i;
            assert_string_equal(detmath_check_level(&level), "tanh");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this_build_is_right),
        cmocka_unit_test(test_another_rounding_is_found),
        cmocka_unit_test(test_one_wrong_bit_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
