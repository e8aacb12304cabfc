/* Array forms of fp64's functions have the bits of the scalars: at any length and alignment, in place too, by every instruction
 * set, for any bits and where nothing special happens. Nothing is written behind the array. Each of two results has the bits of
 * its own function. Scalars have the same bits where the processor flushes subnormal numbers. */
#include "f64_rows.h"

#include "detmath/library/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 64;

enum { MOST = 300, BYTES = 8 * MOST + 16 };

static unsigned char in[2][BYTES], out[2][BYTES];

static double at(const unsigned char *array, size_t i) {
    double x;
    memcpy(&x, array + 8 * i, sizeof x);
    return x;
}

/* `of` has the function of each result, and none for the second if there is one result. In place: the first result is the array of
 * that operand, 0 or 1; elsewhere -1. */
static void check_array(detmath_fill *fill, const struct detmath_scalar_f64 of[2], size_t n,
                        size_t offset, int place) {
    const void *operands[2];
    size_t kind = random_bits(&seed), results = of[1].unary ? 2 : 1;
    for (size_t k = 0; k < 2; k++) {
        operands[k] = in[k] + offset;
        for (size_t i = 0; i < n; i++) { /* whole vectors that need no help, too */
            double x = draw_operand(&seed, n % 3 ? random_bits(&seed) : kind);
            memcpy(in[k] + offset + 8 * i, &x, sizeof x);
        }
    }
    memset(out, 0xee, sizeof out);
    if (place >= 0) {
        memcpy(out[0] + offset, in[place] + offset, 8 * n);
        operands[place] = out[0] + offset;
    }
    fill((void *[]){out[0] + offset, out[1] + offset}, operands, n);
    for (size_t k = 0; k < results; k++)
        for (size_t i = 0; i < n; i++) {
            double want = call(of[k], at(in[0] + offset, i), at(in[1] + offset, i));
            assert_int_equal(bits_of(at(out[k] + offset, i)), bits_of(want));
        }
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < BYTES; i++)
            assert_true(out[k][i] == 0xee || (k < results && i >= offset && i < offset + 8 * n));
}

static const struct detmath_kernels_f64 *kernels_of(const struct detmath_level *level,
                                                    const char *name) {
    for (int i = 0; i < DETMATH_FUNCTIONS_F64; i++)
        if (strcmp(level->kernels_f64[i]->name, name) == 0)
            return level->kernels_f64[i];
    fail_msg("%s has no kernels", name);
    return NULL;
}

/* det and cr of both kinds of rows at many lengths. */
static void check_function(const struct detmath_kernels_f64 *kernels,
                           const struct detmath_scalar_f64 det_of[2],
                           const struct detmath_scalar_f64 cr_of[2]) {
    for (size_t n = 0; n < 60; n++) {
        size_t count = n < 20 ? n : random_bits(&seed) % MOST, offset = n % 3 ? n % 9 : 0;
        check_array(kernels->det, det_of, count, offset, (int)(n % 3) - 1);
        check_array(kernels->cr, cr_of, count, offset, (int)(n % 3) - 1);
    }
}

static void check_level(const struct detmath_level *level) {
    for (int row = 0; row < ROWS; row++) {
        const struct detmath_kernels_f64 *kernels = kernels_of(level, f64_rows[row].name);
        check_function(kernels, (struct detmath_scalar_f64[2]){f64_rows[row].det},
                       (struct detmath_scalar_f64[2]){f64_rows[row].cr});
    }
    for (int row = 0; row < PAIRS; row++)
        check_function(kernels_of(level, f64_pairs[row].name), f64_pairs[row].det_of,
                       f64_pairs[row].cr_of);
}

static void test_arrays_are_scalars(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        if (level.kernels)
            check_level(&level);
}

/* The scalars of an instruction set, and those of the headers. Most operands are decided by the longer tables that processors
 * have; one of a few hundred is left to the headers' steps, so some thousand of each function are tried. */
static void check_scalars(const struct detmath_level *level) {
    for (int i = 0; i < 4000 * ROWS; i++) {
        const struct f64_row *row = &f64_rows[i % ROWS];
        const struct detmath_kernels_f64 *kernels = kernels_of(level, row->name);
        double x = draw_operand(&seed, random_bits(&seed)),
               y = draw_operand(&seed, random_bits(&seed));
        assert_int_equal(bits_of(call(kernels->det_scalar, x, y)), bits_of(call(row->det, x, y)));
        assert_int_equal(bits_of(call(kernels->cr_scalar, x, y)), bits_of(call(row->cr, x, y)));
    }
    for (int i = 0; i < 1000 * PAIRS; i++) {
        const struct detmath_kernels_f64 *kernels = kernels_of(level, f64_pairs[i % PAIRS].name);
        double x = draw_operand(&seed, random_bits(&seed)), got[4][2];
        kernels->det_scalar.pair(x, &got[0][0], &got[0][1]);
        kernels->cr_scalar.pair(x, &got[1][0], &got[1][1]);
        f64_pairs[i % PAIRS].det.pair(x, &got[2][0], &got[2][1]);
        f64_pairs[i % PAIRS].cr.pair(x, &got[3][0], &got[3][1]);
        for (int j = 0; j < 8; j++) {
            const struct detmath_scalar_f64 *of =
                j / 2 % 2 ? f64_pairs[i % PAIRS].cr_of : f64_pairs[i % PAIRS].det_of;
            assert_int_equal(bits_of(got[j / 2][j % 2]), bits_of(of[j % 2].unary(x)));
        }
    }
}

static void test_scalars_of_instruction_sets(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        if (level.kernels)
            check_scalars(&level);
}

/* FTZ and DAZ of MXCSR, FZ of FPCR; others do not flush. */
#if defined(__x86_64__)
static const uint64_t flushing = 0x8040;
#elif defined(__aarch64__)
static const uint64_t flushing = 0x1000000;
#else
static const uint64_t flushing = 0;
#endif

static uint64_t flushed_bits(struct detmath_scalar_f64 function, double x, double y) {
    uint64_t before = detmath_environment_read();
    detmath_environment_write(before | flushing);
    volatile double z = call(function, x, y);
    detmath_environment_write(before);
    return bits_of(z);
}

/* Subnormal numbers from the least to the largest, beside each other, 0 and any number. */
static void test_scalars_where_subnormal_numbers_are_flushed(void **state) {
    (void)state;
    for (int i = 0; i < 400 * ROWS; i++) {
        const struct f64_row *row = &f64_rows[i % ROWS];
        uint64_t bits = random_bits(&seed), sign = bits & (uint64_t)1 << 63;
        double x = from_bits(sign | (bits >> 1 & 0xfffffffffffffu) >> bits % 52), y = x;
        if (i / ROWS % 2)
            y = takes_integer(row->name) ? rint(draw_operand(&seed, bits))
                                         : draw_operand(&seed, bits);
        else if (i / ROWS % 4)
            y = 0;
        bool swapped = i / ROWS % 8 < 4 && row->exact.binary && !takes_integer(row->name);
        const double first = swapped ? y : x, second = swapped ? x : y;
        const struct detmath_scalar_f64 of[] = {row->det, row->cr};
        for (int k = 0; k < 2; k++)
            if (flushed_bits(of[k], first, second) != bits_of(call(of[k], first, second)))
                fail_msg("%s%s(%a, %a) differs", k ? "cr_" : "", row->name, first, second);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_are_scalars),
        cmocka_unit_test(test_scalars_of_instruction_sets),
        cmocka_unit_test(test_scalars_where_subnormal_numbers_are_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
