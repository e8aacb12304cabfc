/* Rotary position embedding: each element within its bound, at positions to 10^7 and beyond; a line has the bits that it has
 * alone, whatever lies beside it and however it lies, of every length to 512, on every instruction set. */
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"
#include "detmath/transformer.h"

#include "../base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 512, ROWS = 4 };
static uint64_t seed = 5;
static float x[ROWS * MOST], y[ROWS * MOST], z[ROWS * MOST];

static float draw(void) {
    const double unit = (double)(random_bits(&seed) >> 11) * 0x1p-53;
    return (float)(4 * unit - 2);
}

static void fill(size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = draw();
}

static struct detmath_strided line_of(float *numbers, const size_t *n) {
    return (struct detmath_strided){numbers, DETMATH_F32, 1, n, NULL};
}

static void rope_line(float *to, float *from, size_t n, int64_t position, int interleaved) {
    const struct detmath_strided out = line_of(to, &n), in = line_of(from, &n);
    assert_int_equal(detmath_rope(&out, &in, &position, NULL, 10000, 1, n, interleaved), 0);
}

static void assert_same(const float *a, const float *b, size_t n) {
    assert_memory_equal(a, b, n * sizeof *a);
}

/* The bound of the manual: half an ulp, and 2^-28 of the two terms. Angles are from long double, whose own error at position
 * 10^7 is below 2^-36; where that is no wider than double, positions end at 2^11. */
static void test_elements_are_within_the_bound(void **state) {
    static const float bases[] = {10000, 500000, 1, 0x1p40f}, factors[] = {1, 8, 1.5f};
    const int64_t most = LDBL_MANT_DIG >= 64 ? 10000000 : 2048;
    const long double slack = LDBL_MANT_DIG >= 64 ? 0x1p-36L : 0x1p-34L;
    enum { N = 128, PAIRS = N / 2 };
    const size_t n = N;
    const struct detmath_strided out = line_of(y, &n), in = line_of(x, &n);
    (void)state;
    for (int k = 0; k < 20000; k++) {
        const float base = bases[k % 4], factor = factors[k % 3];
        const int64_t position = (int64_t)(random_bits(&seed) % (uint64_t)most) + 1;
        fill(n);
        assert_int_equal(detmath_rope(&out, &in, &position, NULL, base, factor, n, 0), 0);
        for (int i = 0; i < PAIRS; i++) {
            const long double angle =
                (long double)position * powl(base, -(long double)i / PAIRS) / factor;
            const long double a = x[i] * cosl(angle), b = x[i + PAIRS] * sinl(angle),
                              c = x[i + PAIRS] * cosl(angle), d = x[i] * sinl(angle);
            const long double wants[2] = {a - b, c + d},
                              sizes[2] = {fabsl(a) + fabsl(b), fabsl(c) + fabsl(d)};
            for (int j = 0; j < 2; j++) {
                const float got = y[i + j * PAIRS];
                const long double ulp = ldexpl(1, ilogbl(wants[j]) - 23);
                assert_true(fabsl(got - wants[j]) <= ulp / 2 + (0x1p-28L + slack) * sizes[j]);
            }
        }
    }
}

/* Turns a batch in place and transposed, by halves and by neighbours. */
static void test_a_line_has_its_bits_anywhere(void **state) {
    static const int64_t positions[ROWS] = {7, 7, 9999999, -3};
    (void)state;
    for (size_t n = 2; n <= MOST; n += 2)
        for (int interleaved = 0; interleaved < 2; interleaved++) {
            const size_t rows[2] = {ROWS, n};
            const ptrdiff_t turned[2] = {1, ROWS}, step = 1;
            struct detmath_strided in = {x, DETMATH_F32, 2, rows, NULL},
                                   out = {y, DETMATH_F32, 2, rows, NULL};
            fill(ROWS * n);
            for (size_t row = 0; row < ROWS; row++)
                rope_line(z + row * n, x + row * n, n, positions[row], interleaved);
            assert_int_equal(detmath_rope(&out, &in, positions, NULL, 10000, 1, n, interleaved), 0);
            assert_same(y, z, ROWS * n);
            for (size_t i = 0; i < ROWS * n; i++)
                y[i % n * ROWS + i / n] = x[i];
            in = (struct detmath_strided){y, DETMATH_F32, 2, rows, turned};
            assert_int_equal(detmath_rope(&in, &in, positions, &step, 10000, 1, n, interleaved), 0);
            for (size_t i = 0; i < ROWS * n; i++)
                assert_same(&y[i % n * ROWS + i / n], &z[i], 1);
            /* one position for all lines */
            const ptrdiff_t none = 0;
            in = (struct detmath_strided){x, DETMATH_F32, 2, rows, NULL};
            assert_int_equal(detmath_rope(&out, &in, positions, &none, 10000, 1, n, interleaved),
                             0);
            assert_same(y, z, 2 * n);
        }
}

/* Pairs that are neighbours are those of halves, elsewhere; and what does not turn stays. */
static void test_pairs(void **state) {
    const size_t n = 96, rotary = 64;
    const int64_t position = 12345;
    const struct detmath_strided out = line_of(y, &n), in = line_of(x, &n);
    (void)state;
    fill(n);
    assert_int_equal(detmath_rope(&out, &in, &position, NULL, 10000, 1, rotary, 1), 0);
    for (size_t i = 0; i < rotary; i++)
        z[i % 2 * rotary / 2 + i / 2] = x[i];
    rope_line(z, z, rotary, position, 0);
    for (size_t i = 0; i < rotary; i++)
        assert_same(&y[i], &z[i % 2 * rotary / 2 + i / 2], 1);
    assert_same(y + rotary, x + rotary, n - rotary);
    rope_line(y, x, n, 0, 0);
    assert_same(y, x, n);
}

static void test_every_level_has_the_same_bits(void **state) {
    static struct detmath_wide frequencies[MOST / 2];
    static float turns[4 * (MOST / 2)];
    (void)state;
    for (size_t n = 2; n <= MOST; n += 2) {
        const int64_t position = (int64_t)(random_bits(&seed) >> (n % 60));
        const struct detmath_rope rope = detmath_rope_of(10000, 1, (uint32_t)(n / 2));
        for (size_t i = 0; i < n / 2; i++)
            frequencies[i] = detmath_rope_frequency(&rope, (uint32_t)i);
        fill(n);
        rope_line(y, x, n, position, 0);
        for (int level = 0; level < 3; level++) {
            const struct detmath_reductions *of = detmath_reductions_level(level);
            if (!of)
                continue;
            of->lines->rope_turns(turns, frequencies, n / 2, position);
            of->lines->rope(z, x, turns, n / 2, position, 0, 1, n);
            assert_same(y, z, n);
        }
        detmath_rope_turns(turns, frequencies, n / 2, position);
        detmath_ropef(z, x, turns, n / 2, position, 0);
        assert_same(y, z, n);
    }
}

static void test_what_cannot_be_is_refused(void **state) {
    const size_t n = 6;
    const int64_t position = 1;
    const struct detmath_strided in = line_of(x, &n), out = line_of(y, &n),
                                 wide = {y, DETMATH_F64, 1, &n, NULL},
                                 one = {y, DETMATH_F32, 0, NULL, NULL};
    (void)state;
    y[0] = 42;
    assert_int_equal(detmath_rope(&out, &in, &position, NULL, 10000, 1, 3, 0),
                     DETMATH_TROUBLE_EXTENTS);
    assert_int_equal(detmath_rope(&out, &in, &position, NULL, 10000, 1, 8, 0),
                     DETMATH_TROUBLE_EXTENTS);
    assert_int_equal(detmath_rope(&out, &in, &position, NULL, 0.5f, 1, 6, 0),
                     DETMATH_TROUBLE_OPTIONS);
    assert_int_equal(detmath_rope(&out, &in, &position, NULL, 10000, NAN, 6, 0),
                     DETMATH_TROUBLE_OPTIONS);
    assert_int_equal(detmath_rope(&wide, &in, &position, NULL, 10000, 1, 6, 0),
                     DETMATH_TROUBLE_FORMAT);
    assert_int_equal(detmath_rope(&one, &one, &position, NULL, 10000, 1, 0, 0),
                     DETMATH_TROUBLE_DIMENSIONS);
    assert_true(y[0] == 42);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_are_within_the_bound),
        cmocka_unit_test(test_a_line_has_its_bits_anywhere),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_every_level_has_the_same_bits),
        cmocka_unit_test(test_what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
