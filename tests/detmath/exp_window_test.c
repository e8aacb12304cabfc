/* How far off the quick cores of exp.h, expm1.h and hyperbolic.h are, in units of the last place of their own result: no more
 * than the comment there derives, and less than half the window that their rounding leaves.
 *
 *   exp_window [STRIDE]   every STRIDE-th fp32 number of the cores' domains, against MPFR; 1 is all */
#include "detmath/expm1.h"
#include "detmath/hyperbolic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <mpfr.h>

struct core {
    const char *name;
    double (*quick)(float x);
    int (*exact)(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);
    float limit;        /* of |x|, as the quick core is used */
    double units;       /* the error that is derived */
    detmath_u32 window; /* as the header has it */
};

static double quick_exp(float x) {
    return detmath_quick_core_exp(x);
}
static double quick_exp2(float x) {
    return detmath_quick_core_exp2(x);
}
static double quick_exp10(float x) {
    return detmath_quick_core_exp10(x);
}
static double quick_expm1(float x) {
    return detmath_quick_core_expm1(x);
}
static double quick_sinh(float x) {
    return detmath_quick_core_sinh(x);
}
static double quick_tanh(float x) {
    return detmath_quick_core_tanh(x);
}
static double quick_cosh(float x) {
    return detmath_quick_core_cosh(x);
}

static const struct core cores[] = {{"exp", quick_exp, mpfr_exp, 87, 213, 512},
                                    {"exp2", quick_exp2, mpfr_exp2, 125.5f, 94, 256},
                                    {"exp10", quick_exp10, mpfr_exp10, 37.75f, 102, 256},
                                    {"expm1", quick_expm1, mpfr_expm1, 17, 45, 128},
                                    {"sinh", quick_sinh, mpfr_sinh, 89, 467, 1024},
                                    {"cosh", quick_cosh, mpfr_cosh, 89, 210, 512},
                                    {"tanh", quick_tanh, mpfr_tanh, 10, 47, 128}};

static unsigned long stride = 65521;

/* The error at x, in units of the last place of the quick core's result. */
static double error_at(const struct core *core, float x, mpfr_t y, mpfr_t argument) {
    double quick = core->quick(x);
    mpfr_set_flt(argument, x, MPFR_RNDN);
    core->exact(y, argument, MPFR_RNDN);
    mpfr_sub_d(y, y, quick, MPFR_RNDN);
    return fabs(ldexp(mpfr_get_d(y, MPFR_RNDN), 52 - ilogb(quick)));
}

static void test_quick_cores_are_within_their_windows(void **state) {
    (void)state;
    mpfr_t y, argument;
    mpfr_init2(y, 80);
    mpfr_init2(argument, 24);
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++) {
        double largest = 0;
        float at = 0;
        for (detmath_u64 code = 0x00800000u; code < (detmath_u64)1 << 32; code += stride) {
            float x = detmath_from_bits_f32((detmath_u32)code);
            if (!(fabsf(x) <= cores[i].limit) || fabsf(x) < 0x1p-126f)
                continue;
            double error = error_at(&cores[i], x, y, argument);
            if (error > largest) {
                largest = error;
                at = x;
            }
        }
        printf("%s: %.1f units at %a\n", cores[i].name, largest, (double)at);
        assert_true(largest > cores[i].units / 8 && largest < cores[i].units);
        assert_true(2 * cores[i].units < cores[i].window);
    }
    mpfr_clear(y);
    mpfr_clear(argument);
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quick_cores_are_within_their_windows),
    };
    if (count > 1)
        stride = strtoul(words[1], NULL, 10);
    return stride ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
