/* Elements of lines in order: a result may lie in place of the operand, along any axis, and either result may be absent. */
#include "detmath/transformer.h"

#include "../base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { A = 3, B = 37, C = 4, ALL = A * B * C, NONE = 0x55 };

/* Few values, so that many are equal; zeros of both signs. */
static void fill(float x[ALL]) {
    uint64_t seed = 9;
    for (size_t i = 0; i < ALL; i++) {
        const int number = (int)(random_bits(&seed) >> 40) % 19 - 9;
        x[i] = number ? (float)number : random_bits(&seed) >> 63 ? -0.0f : 0.0f;
    }
}

/* By insertion, line by line. */
static void order_naively(const float *x, const size_t extents[3], int axis, int falls,
                          float *values, int64_t *indices) {
    const size_t n = extents[axis], stride = axis == 0 ? B * C : axis == 1 ? C : 1;
    for (size_t start = 0; start < ALL; start++) {
        if (start / stride % n)
            continue;
        for (size_t i = 0; i < n; i++) {
            size_t at = i;
            const float one = x[start + i * stride];
            for (; at; at--) {
                const float before = values[start + (at - 1) * stride];
                if (falls ? before >= one : before <= one)
                    break;
                values[start + at * stride] = before;
                indices[start + at * stride] = indices[start + (at - 1) * stride];
            }
            values[start + at * stride] = one;
            indices[start + at * stride] = (int64_t)i;
        }
    }
}

static void test_in_place(void **context) {
    static float x[ALL], values[ALL], wanted[ALL];
    static int64_t indices[ALL], places[ALL];
    const size_t extents[] = {A, B, C};
    (void)context;
    for (int turn = 0; turn < 6; turn++) {
        const int axis = turn / 2, falls = turn % 2;
        fill(x);
        order_naively(x, extents, axis, falls, wanted, places);
        const struct detmath_strided from = {x, DETMATH_F32, 3, extents, NULL},
                                     to = {values, DETMATH_F32, 3, extents, NULL};
        const size_t kept = extents[axis];
        assert_int_equal(detmath_order_along(&to, NULL, &from, axis, kept, falls), 0);
        assert_memory_equal(values, wanted, sizeof values);
        assert_int_equal(detmath_order_along(NULL, indices, &from, axis, kept, falls), 0);
        assert_memory_equal(indices, places, sizeof indices);
        memset(indices, NONE, sizeof indices);
        assert_int_equal(detmath_order_along(&from, indices, &from, axis, kept, falls), 0);
        assert_memory_equal(x, wanted, sizeof x);
        assert_memory_equal(indices, places, sizeof indices);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
