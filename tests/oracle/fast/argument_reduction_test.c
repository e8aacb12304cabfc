/* How near fp32 numbers come to multiples of pi/2: what argument_reduction.h needs for the tangent.
 * All numbers from 8 on are looked at, by the 128-bit constants that the reduction itself uses. */
#include "oracle/fast/argument_reduction.h"

#include "base/wide.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct nearest {
    double distance; /* from a multiple of pi/2 */
    float at;
};

/* The numbers m 2^k of one binade that are below `end`. */
static void look_at_binade(int k, float end, struct nearest *nearest) {
    struct argument_reduction reduction = argument_reduction_open(REDUCTION_TAN, false, k);
    const uint32_t *constant = reduction.constant;
    struct wide step = {(uint64_t)constant[0] << 32 | constant[1],
                        (uint64_t)constant[2] << 32 | constant[3]};
    struct wide least = {UINT64_MAX, 0};
    uint32_t at = 0;
    step = wide_shift_left(step, 2); /* whole quarter turns vanish too */
    struct wide turn = wide_shift_left(step, 23);
    for (uint32_t m = 1u << 23; m < 1u << 24; m++, turn = wide_add(turn, step)) {
        struct wide distance = turn.high >> 63 ? wide_subtract((struct wide){0, 0}, turn) : turn;
        if (distance.high < least.high && ldexpf((float)m, k) < end) {
            least = distance;
            at = m;
        }
    }
    /* In units of 2^-64 quarter turns, of pi/2 each. What is cut off is less than 2^-34 of any
     * distance here. */
    double distance = ldexp((double)least.high, -64) * 0x1.921fb54442d18p0;
    if (distance < nearest->distance)
        *nearest = (struct nearest){distance, ldexpf((float)at, k)};
}

static struct nearest find_nearest(int first, int last, float end) {
    struct nearest nearest = {1, 0};
    for (int exponent = first; exponent <= last; exponent++)
        look_at_binade(exponent - 23, end, &nearest);
    return nearest;
}

static void test_no_number_from_8_on_is_nearer_than_stated(void **state) {
    (void)state;
    struct nearest nearest = find_nearest(3, 127, INFINITY);
    assert_true(nearest.at == 0x1.f37c8ap+95f);
    assert_true(nearest.distance > exp2(-29.3));
    assert_true(nearest.distance < exp2(-29.2));
}

static void test_nearest_below_1100(void **state) {
    (void)state;
    struct nearest nearest = find_nearest(3, 10, 1100);
    assert_true(nearest.at == 0x1.f9cbe2p+7f);
    assert_true(fabs(log2(nearest.distance) + 27.83) < 0.005);
    /* The same by double arithmetic. */
    double x = 0x1.f9cbe2p+7, whole = nearbyint(x / 0x1.921fb54442d18p0);
    assert_true(fabs(fabs(fma(-whole, 0x1.921fb54442d18p0, x)) / nearest.distance - 1) < 1e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_number_from_8_on_is_nearer_than_stated),
        cmocka_unit_test(test_nearest_below_1100),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
