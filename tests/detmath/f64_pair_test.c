/* Functions of fp64 with two results: each has the bits of its own function, by one number and in arrays of every length and
 * instruction set, for any bits and where nothing special happens. */
#include "detmath/families_f64.h"
#include "detmath/library/kernels_f64.h"

#include "../base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 64;

static const struct {
    const char *name;
    struct detmath_scalar_f64 det, cr, det_of[2], cr_of[2];
} pairs[] = {
#define DETMATH_UNARY_F64(NAME, CR, BUDGET)
#define DETMATH_BINARY_F64(NAME, CR, BUDGET)
#define DETMATH_PAIR_F64(NAME, A, B)                                                               \
    {#NAME,                                                                                        \
     {.pair = detmath_##NAME},                                                                     \
     {.pair = detmath_cr_##NAME},                                                                  \
     {{.unary = detmath_##A}, {.unary = detmath_##B}},                                             \
     {{.unary = detmath_cr_##A}, {.unary = detmath_cr_##B}}},
#include "detmath/functions_f64.inc"
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Any bits, or a number from 1 to 2^50. */
static double draw(bool any) {
    uint64_t bits = random_bits(&seed);
    double x;
    if (!any)
        bits = (bits & UINT64_C(0x800fffffffffffff)) | (1023 + (bits >> 52) % 50) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const struct detmath_kernels_f64 *kernels_of(const struct detmath_level *level,
                                                    const char *name) {
    for (int i = 0; i < DETMATH_FUNCTIONS_F64; i++)
        if (strcmp(level->kernels_f64[i]->name, name) == 0)
            return level->kernels_f64[i];
    fail_msg("%s has no kernels", name);
    return NULL;
}

enum { MOST = 300 };

/* Both results have the bits of their own functions; what lies behind an array stays as it is. */
static void check_pair(detmath_fill *fill, struct detmath_scalar_f64 pair,
                       const struct detmath_scalar_f64 of[2], size_t n) {
    static double x[MOST], y[2][MOST + 1];
    for (size_t i = 0; i < n; i++)
        x[i] = draw(n % 3 && i % 2);
    y[0][n] = y[1][n] = 77;
    fill((void *[]){y[0], y[1]}, (const void *[]){x}, n);
    assert_true(y[0][n] == 77 && y[1][n] == 77);
    for (size_t i = 0; i < n; i++) {
        double scalar[2];
        pair.pair(x[i], &scalar[0], &scalar[1]);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(bits_of(y[k][i]), bits_of(of[k].unary(x[i])));
            assert_int_equal(bits_of(scalar[k]), bits_of(y[k][i]));
        }
    }
}

static void test_pairs(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int i = 0; level.kernels && i < PAIRS; i++)
            for (size_t n = 0; n < 60; n++) {
                const struct detmath_kernels_f64 *kernels = kernels_of(&level, pairs[i].name);
                size_t count = n < 20 ? n : random_bits(&seed) % MOST;
                check_pair(kernels->det, kernels->det_scalar, pairs[i].det_of, count);
                check_pair(kernels->cr, kernels->cr_scalar, pairs[i].cr_of, count);
                check_pair(kernels->det, pairs[i].det, pairs[i].det_of, count);
                check_pair(kernels->cr, pairs[i].cr, pairs[i].cr_of, count);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
