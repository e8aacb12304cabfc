/* What tests of training share: arrays of drawn numbers, and how far a result is off. */
#ifndef DETCHECK_TESTS_DETMATH_TRAINING_DRAWS_H
#define DETCHECK_TESTS_DETMATH_TRAINING_DRAWS_H

#include "detmath/transformer.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 5000, ROWS = 4 };
static uint64_t seed = 11;
/* The arrays of tests that need no others. */
#define DRAWN_ARRAYS static float x[ROWS * MOST], y[ROWS * MOST], z[ROWS * MOST], w[MOST]

static inline float draw(void) {
    const double unit = (double)(random_bits(&seed) >> 11) * 0x1p-53;
    return (float)(8 * unit - 4);
}

static inline void fill(float *numbers, size_t n) {
    for (size_t i = 0; i < n; i++)
        numbers[i] = draw();
}

static inline struct detmath_strided plain(float *numbers, int dimensions, const size_t *extents) {
    return (struct detmath_strided){numbers, DETMATH_F32, dimensions, extents, NULL};
}

static inline void assert_near(float got, double want, double ulps) {
    const double ulp = exp2(fmax(logb(want), -126) - 23); /* of 0, as of the smallest numbers */
    assert_true(fabs(got - want) <= ulps * ulp);
}

#endif
