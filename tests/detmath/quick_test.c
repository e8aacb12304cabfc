/* Quick ways and full ones of the same function: where the quick one has no doubt, both have the same
 * bits, or neighbouring ones where the full way takes other steps (hypot, and powers). Array forms and
 * scalars try the quick one first, so that no comparison of those two shows it. */
#include "detmath/all.h"
#include "detmath/library/kernels.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 20000 };

static uint64_t seed = 8;

/* Ends, any bits, numbers from 2^-32 to 2^32, and integers, which few of the others are. */
static float draw(void) {
    uint64_t random = random_bits(&seed);
    static const float ends[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 0x1p-149f};
    uint32_t bits = (uint32_t)(random >> 32), kind = (uint32_t)random % 4;
    if (kind == 3)
        return ends[bits % (sizeof ends / sizeof *ends)];
    if (kind == 1)
        bits = (bits & 0x807fffffu) | ((95u + (bits >> 23) % 65u) << 23);
    return kind == 2 ? (float)((int)(bits % 201u) - 100) : detmath_from_bits_f32(bits);
}

/* What the quick way makes of a pair, with what the full one makes of it; of one operand x alone counts. */
struct ways {
    float full, quick;
    detmath_u32 doubt, apart;
};

/* By how many bits the two may differ: full takes other steps than the kernels of lanes. */
enum { APART_atan2, APART_atan2pi, APART_logaddexp, APART_rootn, APART_compoundn };
enum { APART_hypot = 1, APART_pow = 1, APART_powr = 1, APART_pown = 1 };

static void check(struct ways (*function)(float, float)) {
    int sure = 0;
    for (int i = 0; i < DRAWS; i++) {
        float x = draw(), y = draw();
        struct ways ways = function(x, y);
        if (!ways.doubt)
            assert_true(detmath_bits_f32(ways.quick) - detmath_bits_f32(ways.full) + ways.apart <=
                        2u * ways.apart);
        sure += !ways.doubt;
    }
    assert_in_range(sure, DRAWS / 100, DRAWS);
}

static float cr_by_code(detmath_u32 (*code)(detmath_u32, detmath_u32, struct detmath_format),
                        float x, float y) {
    return detmath_from_bits_f32(
        code(detmath_bits_f32(x), detmath_bits_f32(y), detmath_formats[DETMATH_F32]));
}

/* Forms of functions.inc that have a quick way, and those that do not. */
#define DET_QUICK(NAME)                                                                            \
    static struct ways det_##NAME(float x, float y) {                                              \
        struct ways ways = {detmath_##NAME##_full(x), 0.0f, 0u, 0u};                               \
        (void)y;                                                                                   \
        ways.quick = detmath_##NAME##_quick(x, &ways.doubt);                                       \
        return ways;                                                                               \
    }
#define DET_COLUMNS DET_QUICK
#define DET_LANES   DET_QUICK
#define DET_PLAIN(NAME)
#define DET_ROWS(NAME)
#define CR_QUICK(NAME)                                                                             \
    static struct ways cr_##NAME(float x, float y) {                                               \
        struct ways ways = {cr_by_code(detmath_cr_##NAME##_code, x, y), 0.0f, 0u, 0u};             \
        ways.quick = detmath_cr_##NAME##_quick(x, y, &ways.doubt);                                 \
        return ways;                                                                               \
    }
#define CR_PLAIN(NAME)
#define DETMATH_UNARY(NAME, DET, ...) DET_##DET(NAME)
#define DETMATH_PAIR(NAME, A, B, ...)
#define DETMATH_BINARY(NAME, DET, CR, ...)                                                         \
    static struct ways det_##NAME(float x, float y) {                                              \
        struct ways ways = {detmath_##NAME##_full(x, y), 0.0f, 0u, (detmath_u32)APART_##NAME};     \
        ways.quick = detmath_##NAME##_quick(x, y, &ways.doubt);                                    \
        return ways;                                                                               \
    } CR_##CR(NAME)
#include "detmath/functions.inc"

#define CHECK_QUICK(WAYS)   check(WAYS);
#define CHECK_COLUMNS(WAYS) check(WAYS);
#define CHECK_LANES(WAYS)   check(WAYS);
#define CHECK_PLAIN(WAYS)
#define CHECK_ROWS(WAYS)

static void test_quick_ways_have_the_bits_of_full_ones(void **state) {
    (void)state;
#define DETMATH_UNARY(NAME, DET, ...) CHECK_##DET(det_##NAME)
#define DETMATH_PAIR(NAME, A, B, ...)
#define DETMATH_BINARY(NAME, ...) check(det_##NAME);
#include "detmath/functions.inc"
}

static void test_quick_ways_of_pairs_are_rounded_correctly(void **state) {
    (void)state;
#define DETMATH_UNARY(NAME, ...)
#define DETMATH_PAIR(NAME, A, B, ...)
#define DETMATH_BINARY(NAME, DET, CR, ...) CHECK_##CR(cr_##NAME)
#include "detmath/functions.inc"
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quick_ways_have_the_bits_of_full_ones),
        cmocka_unit_test(test_quick_ways_of_pairs_are_rounded_correctly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
