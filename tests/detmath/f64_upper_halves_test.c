/* Functions of one number leave the upper halves of vector registers clear. Else code of SSE that runs after them takes two to four times
 * as long. The processor says whether any upper half is in use. */
#include "detmath/library/kernels_f64.h"
#include "f64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#if defined(__x86_64__)
#include <cpuid.h>

static bool processor_says(void) {
    unsigned a, b, c, d;
    bool enabled = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && (c & bit_AVX);
    return enabled && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a & 4u);
}

/* Whether an upper half is not clear; afterwards all are. */
static bool upper_halves_are_in_use(void) {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    __asm__ volatile("vzeroupper" ::: "memory");
    return low & 4u;
}
#else
static bool processor_says(void) {
    return false;
}
static bool upper_halves_are_in_use(void) {
    return false;
}
#endif

static bool leaves_them_in_use(double (*function)(double), double x) {
    upper_halves_are_in_use();
    volatile double y = function(x);
    (void)y;
    return upper_halves_are_in_use();
}

/* Operands that no quick phase of cr decides. */
static const struct {
    const char *name;
    double x;
} hard[] = {
    {"exp2", -0x1.8f29c4ddb3d68p+1},
    {"atan", -0x1.6b734669de3e8p+0},
    {"lgamma", -0x1.3d2d254b2253p+1},
};

static void test_hard_operands(void **state) {
    (void)state;
    if (!processor_says())
        skip();
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        const struct detmath_kernels_f64 *kernels = detmath_kernels_find_f64(hard[i].name);
        if (leaves_them_in_use(kernels->cr_scalar.unary, hard[i].x))
            fail_msg("cr's %s(%a)", hard[i].name, hard[i].x);
    }
}

static void test_drawn_operands(void **state) {
    (void)state;
    uint64_t seed = 55;
    long called = 0;
    if (!processor_says())
        skip();
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)                                                        \
    for (int i = 0; i < 10000; i++) {                                                              \
        const struct detmath_kernels_f64 *kernels = detmath_kernels_find_f64(#NAME);               \
        double x = draw_operand(&seed, random_bits(&seed));                                        \
        called += 2;                                                                               \
        if (leaves_them_in_use(kernels->det_scalar.unary, x) ||                                    \
            leaves_them_in_use(kernels->cr_scalar.unary, x))                                       \
            fail_msg("%s(%a)", #NAME, x);                                                          \
    }
#define DETMATH_BINARY_F64(NAME, CR, BUDGET)
#define DETMATH_PAIR_F64(NAME, A, B)
#include "detmath/functions_f64.inc"
    assert_true(called > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hard_operands),
        cmocka_unit_test(test_drawn_operands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
