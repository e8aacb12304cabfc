/* Every function on every instruction set of this machine: array forms give the scalar's bits at
 * any length and alignment, in place too, and all instruction sets give the same, in every format.
 */
#include "detmath/library/kernels.h"
#include "detmath/round.h"

#include "../base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 4;

enum { MOST = 1500, ROUNDS = 12, BASELINE_ROUNDS = 3 };

static const int operands_of[] = {
#define DETMATH_UNARY(NAME, ...)      1,
#define DETMATH_BINARY(NAME, ...)     2,
#define DETMATH_PAIR(NAME, A, B, ...) 1,
#include "detmath/functions.inc"
};

static size_t bytes_of(int format) {
    return format == DETMATH_F32 ? 4 : format < DETMATH_E4M3FN ? 2 : 1;
}

/* Codes from bits at random, a third of them near zero in exponent so that functions are not at
 * their ends everywhere. */
static void draw(unsigned char *codes, size_t n, int format) {
    for (size_t i = 0; i < n; i++) {
        uint32_t code = (uint32_t)random_bits(&seed);
        if (format == DETMATH_F32 && i % 3)
            code = (code & 0x83ffffffu) | 0x3c000000u;
        memcpy(codes + i * bytes_of(format), &code, bytes_of(format));
    }
}

static void scalar_one(const struct detmath_scalar *scalar, const float *x, float *y) {
    y[1] = 0;
    if (scalar->unary)
        y[0] = scalar->unary(x[0]);
    else if (scalar->binary)
        y[0] = scalar->binary(x[0], x[1]);
    else
        scalar->pair(x[0], &y[0], &y[1]);
}

static unsigned char in[2][4 * MOST + 8], out[2][4 * MOST + 8];

static void fill(const struct detmath_kernels *kernels, int format, bool det, size_t offset,
                 size_t n) {
    void *results[] = {out[0] + offset, out[1] + offset};
    const void *operands[] = {in[0] + offset, in[1] + offset};
    memset(out, 0xee, sizeof out);
    if (det)
        kernels->det(results, operands, n);
    else
        kernels->cr(format, results, operands, n);
}

static void check_scalar(const struct detmath_kernels *kernels, bool det, size_t offset, size_t n) {
    for (size_t i = 0; i < n; i++) {
        float x[2], y[2];
        for (int k = 0; k < 2; k++)
            memcpy(&x[k], in[k] + offset + 4 * i, 4);
        scalar_one(det ? &kernels->det_scalar : &kernels->cr_scalar, x, y);
        assert_memory_equal(&y[0], out[0] + offset + 4 * i, 4);
        if (kernels->det_scalar.pair)
            assert_memory_equal(&y[1], out[1] + offset + 4 * i, 4);
    }
    for (size_t i = 0; i < offset; i++)
        assert_int_equal(out[0][i], 0xee);
    for (size_t i = offset + 4 * n; i < sizeof out[0]; i++)
        assert_int_equal(out[0][i], 0xee);
}

static void test_arrays_are_scalars(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int f = 0; level.kernels && f < DETMATH_FUNCTIONS; f++)
            for (int round = 0; round < (l ? ROUNDS : BASELINE_ROUNDS); round++) {
                size_t n = round < 4 ? (size_t)round : random_bits(&seed) % MOST,
                       offset = (size_t)round % 5;
                for (int k = 0; k < 2; k++)
                    draw(in[k] + offset, n, DETMATH_F32);
                for (int det = 0; det < 2; det++) {
                    fill(level.kernels[f], DETMATH_F32, det, offset, n);
                    check_scalar(level.kernels[f], det, offset, n);
                }
            }
}

static void test_instruction_sets_agree(void **state) {
    (void)state;
    struct detmath_level level, first;
    assert_true(detmath_level(0, &first));
    for (int f = 0; f < DETMATH_FUNCTIONS; f++)
        for (int format = -1; format < DETMATH_FORMATS; format++) { /* -1: det */
            static unsigned char expected[2][4 * MOST + 8];
            for (int k = 0; k < 2; k++)
                draw(in[k], MOST, format < 0 ? DETMATH_F32 : format);
            fill(first.kernels[f], format, format < 0, 0, MOST);
            memcpy(expected, out, sizeof out);
            for (int l = 1; detmath_level(l, &level); l++)
                if (level.kernels) {
                    fill(level.kernels[f], format, format < 0, 0, MOST);
                    assert_memory_equal(out, expected, sizeof out);
                }
        }
}

/* What arrays of logits are like: no large numbers, and -inf or something far below 0 here and
 * there. Strips of those alone take other ways than strips of any bits. */
static void test_masked(void **state) {
    static const float masks[] = {-16.5f,  -17.5f,  -45.0f,  -46.0f, -87.5f,
                                  -104.0f, -105.0f, -150.5f, -1e9f,  -INFINITY};
    (void)state;
    struct detmath_level level;
    for (int mask = 0; mask < (int)(sizeof masks / sizeof *masks); mask++) {
        for (size_t i = 0; i < 2 * MOST; i++) {
            uint64_t random = random_bits(&seed);
            float x = (float)(random >> 40) * -0x1p-20f;
            memcpy(in[i / MOST] + 4 * (i % MOST), random % 4 ? &x : &masks[mask], 4);
        }
        for (int l = 1; detmath_level(l, &level); l++)
            for (int f = 0; level.kernels && f < DETMATH_FUNCTIONS; f++)
                for (int det = 0; det < 2; det++) {
                    fill(level.kernels[f], DETMATH_F32, det, 0, MOST);
                    check_scalar(level.kernels[f], det, 0, MOST);
                }
    }
}

/* From one number to another, so that there are functions which do without their slow ways: strips of any bits
 * hardly ever take the quick ones alone. */
static void test_ranges(void **state) {
    static const float ranges[][2] = {
        {0.0625f, 1.0f}, {-0.9375f, 1.0f}, {1.0f, 1000.0f}, {-30.0f, 30.0f}};
    (void)state;
    struct detmath_level level;
    for (int round = 0; round < 3 * (int)(sizeof ranges / sizeof *ranges); round++) {
        const float *range = ranges[round / 3];
        const size_t n = round % 3 ? random_bits(&seed) % MOST : MOST, offset = (size_t)round % 5;
        for (size_t i = 0; i < 2 * n; i++) {
            float x =
                range[0] + (range[1] - range[0]) * (float)(random_bits(&seed) >> 40) * 0x1p-24f;
            memcpy(in[i / n] + offset + 4 * (i % n), &x, 4);
        }
        for (int l = round % 3 == 0; detmath_level(l, &level); l++)
            for (int f = 0; level.kernels && f < DETMATH_FUNCTIONS; f++)
                for (int det = 0; det < 2; det++) {
                    fill(level.kernels[f], DETMATH_F32, det, offset, n);
                    check_scalar(level.kernels[f], det, offset, n);
                }
    }
}

static void test_in_place(void **state) {
    (void)state;
    for (int f = 0; f < DETMATH_FUNCTIONS; f++)
        for (int format = -1; format < DETMATH_FORMATS; format++) {
            size_t bytes = bytes_of(format < 0 ? DETMATH_F32 : format);
            const struct detmath_kernels *kernels = detmath_kernels((enum detmath_function)f);
            draw(in[0], MOST, format < 0 ? DETMATH_F32 : format);
            draw(in[1], MOST, format < 0 ? DETMATH_F32 : format);
            fill(kernels, format, format < 0, 0, MOST);
            void *results[] = {in[0], in[1]};
            const void *operands[] = {in[0], in[1]};
            if (format < 0)
                kernels->det(results, operands, MOST);
            else
                kernels->cr(format, results, operands, MOST);
            assert_memory_equal(in[0], out[0], MOST * bytes);
            assert_int_equal(operands_of[f], kernels->det_scalar.binary ? 2 : 1);
        }
}

/* So many strips that what is in doubt fills several gatherings of cr's array forms, also in place. */
static void test_many_strips(void **state) {
    enum { MANY = 20000 };
    static float x[MANY], y[2][MANY], z[2][MANY];
    void *const apart[] = {y[0], y[1]}, *const in_place[] = {z[0], z[1]};
    (void)state;
    struct detmath_level level;
    for (size_t i = 0; i < MANY; i++)
        x[i] = 0.0625f + 0.9375f * (float)(random_bits(&seed) >> 40) * 0x1p-24f;
    for (int l = 1; detmath_level(l, &level); l++)
        for (int f = 0; level.kernels && f < DETMATH_FUNCTIONS; f++) {
            const struct detmath_kernels *kernels = level.kernels[f];
            if (operands_of[f] > 1)
                continue;
            memset(y, 0, sizeof y);
            memset(z, 0, sizeof z);
            kernels->cr(DETMATH_F32, apart, (const void *const[]){x}, MANY);
            for (size_t i = 0; i < MANY; i++) {
                float right[2];
                scalar_one(&kernels->cr_scalar, &x[i], right);
                assert_memory_equal(&y[0][i], &right[0], sizeof *right);
                assert_memory_equal(&y[1][i], &right[1], sizeof *right);
            }
            memcpy(z[0], x, sizeof x);
            kernels->cr(DETMATH_F32, in_place, (const void *const[]){z[0]}, MANY);
            assert_memory_equal(z, y, sizeof y);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arrays_are_scalars),
                                       cmocka_unit_test(test_instruction_sets_agree),
                                       cmocka_unit_test(test_masked),
                                       cmocka_unit_test(test_ranges),
                                       cmocka_unit_test(test_in_place),
                                       cmocka_unit_test(test_many_strips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
