/* Products of matrices, an element of which is the dot product of its row and its column, to the bit: for every
 * instruction set, of all small shapes and of drawn larger ones, wherever arrays begin. */
#include "detmath/arrays.h"
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"
#include "detmath/random.h"
#include "detmath/reductions.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 140, MOST_COLUMNS = 300, MOST_INNER = 5200, MOST_PRODUCT = 1 << 20 };
static double lines_a[MOST_PRODUCT], lines_b[MOST_PRODUCT];

#define MATRIX(T, S)                                                                               \
    static void check_product_##S(const struct detmath_reductions *level, size_t rows,             \
                                  size_t inner, size_t columns, size_t samples) {                  \
        static T a[MOST_PRODUCT + 1], b[MOST_PRODUCT + 1], c[MOST_ROWS * MOST_COLUMNS + 2];        \
        static T row[MOST_INNER], column[MOST_INNER];                                              \
        const size_t elements = rows * columns;                                                    \
        memset(c, 0xee, (elements + 2) * sizeof *c);                                               \
        for (size_t i = 0; i < rows * inner; i++)                                                  \
            a[1 + i] = (T)lines_a[i];                                                              \
        for (size_t k = 0; k < inner; k++)                                                         \
            for (size_t j = 0; j < columns; j++)                                                   \
                b[1 + k * columns + j] = (T)lines_b[j * inner + k];                                \
        level->matmul_##S(c + 1, a + 1, b + 1, rows, inner, columns);                              \
        assert_memory_equal(&c[0], &c[elements + 1], sizeof *c); /* are as they were */            \
        for (size_t n = 0; n < (samples ? samples : elements); n++) {                              \
            const size_t at = samples ? detmath_random(samples, n) % elements : n;                 \
            for (size_t k = 0; k < inner; k++) {                                                   \
                row[k] = (T)lines_a[at / columns * inner + k];                                     \
                column[k] = (T)lines_b[at % columns * inner + k];                                  \
            }                                                                                      \
            T dot = detmath_dot_##S(row, column, inner);                                           \
            if (memcmp(&dot, &c[1 + at], sizeof dot) != 0)                                         \
                fail_msg("matmul_" #S ", %zux%zux%zu, element %zu: %a, not %a", rows, inner,       \
                         columns, at, (double)c[1 + at], (double)dot);                             \
        }                                                                                          \
    }
MATRIX(float, f32)
MATRIX(double, f64)

/* Products of many sizes or of integers, whose sums vanish; of each fifth seed NaN, infinities and zeros of both signs. */
static double draw(uint64_t seed, size_t i) {
    const uint64_t bits = detmath_random(seed, i);
    const double unit = (double)(bits >> 11) * 0x1p-53, sign = bits & 1 ? -1 : 1;
    if (seed % 5 == 4)
        return bits % 97 == 0 ? NAN : bits % 89 == 0 ? sign * INFINITY : bits % 3 ? 0 * sign : unit;
    return seed % 2 ? sign * (double)(bits >> 60)
                    : sign * (1 + unit) * detmath_power_of_two((detmath_i64)(bits >> 3) % 81 - 40);
}

static void draw_lines(uint64_t seed, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lines_a[i] = draw(seed, i);
        lines_b[i] = draw(seed + 1001, i);
    }
}

static void check_products(const struct detmath_reductions *level, size_t rows, size_t inner,
                           size_t columns, size_t samples) {
    check_product_f32(level, rows, inner, columns, samples);
    check_product_f64(level, rows, inner, columns, samples);
}

static void test_small_products(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (size_t rows = 1; level.kernels && rows <= 11; rows++) {
            draw_lines(rows, MOST_PRODUCT / 64);
            for (size_t inner = 0; inner <= 70; inner += inner < 18 ? 1 : 13)
                for (size_t columns = 1; columns <= 34; columns += l ? 1 : 11)
                    check_products(level.reductions, rows, inner, columns, 0);
        }
}

/* Of CASES shapes: groups of rows, panels of columns and blocks of terms, and parts of each. */
static void test_drawn_products(void **state) {
    const char *given = getenv("CASES");
    const uint64_t cases = given ? strtoull(given, NULL, 10) : 30;
    (void)state;
    struct detmath_level level;
    for (uint64_t i = 0; i < cases; i++) {
        const size_t rows = 1 + detmath_random(21, i) % (i % 3 ? MOST_ROWS : 4);
        const size_t columns = 1 + detmath_random(22, i) % (i % 4 ? MOST_COLUMNS : 40);
        const size_t most = MOST_PRODUCT / (rows > columns ? rows : columns);
        const size_t inner = detmath_random(23, i) % (most < MOST_INNER ? most : MOST_INNER);
        draw_lines(i, inner * (rows > columns ? rows : columns));
        for (int l = i % 10 != 0; detmath_level(l, &level); l++)
            if (level.kernels)
                check_products(level.reductions, rows, inner, columns, 40 + i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small_products),
                                       cmocka_unit_test(test_drawn_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
