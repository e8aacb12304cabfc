/* Scaled operations of every instruction set beside the orders that scaled_arrays.h writes down,
 * taken literally: element by element, in plain loops. */
#include "detmath/library/kernels.h"
#include "detmath/library/scaled_kernels.h"

#include "scaled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 777 };

static uint64_t seed = 23;
static const size_t lengths[] = {1, 2, 7, 8, 9, 61, 255, 256, 257, 512, LONGEST};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* A row of one format, as codes and as numbers. */
struct row {
    int format;
    size_t count;
    uint32_t codes[LONGEST]; /* packed, as the format's bytes ask */
    double x[LONGEST];
};

/* Numbers within 16 of 0; or any codes, NaN among them. */
static void draw_row(struct row *row, int format, size_t count, bool any_codes) {
    const struct detmath_format rule = detmath_formats[format];
    *row = (struct row){.format = format, .count = count};
    for (size_t i = 0; i < count; i++) {
        uint64_t random = random_bits(&seed);
        double value = ((double)(random >> 40) - 0x1p23) * 0x1p-19;
        uint32_t code = any_codes ? (uint32_t)random & (2 * rule.sign_bit - 1)
                                  : detmath_encode(random % 16 ? value : 0, rule);
        code_store(row->codes, format_bytes(format_of(format)), i, code);
        row->x[i] = detmath_scaled_decode(code, rule);
    }
}

static double plain_largest(const struct row *row, struct detmath_scaled_plan plan) {
    double best = plan.zero_a ? 0.0 : plan.a * row->x[0];
    for (size_t i = 1; !plan.zero_a && i < row->count; i++)
        best = detmath_scaled_larger(best, plan.a * row->x[i]);
    return best / plan.c;
}

static void check_reduce_max(const struct detmath_scaled_row_kernels *kernels,
                             const struct row *row, struct detmath_scaled_plan plan) {
    const struct detmath_scaled_line line = {(void *)(uintptr_t)row->codes, row->format, 1, NULL};
    const struct detmath_format format = detmath_formats[row->format];
    assert_int_equal(detmath_scaled_encode(kernels->largest(&line, row->count, &plan), format),
                     detmath_scaled_encode(plain_largest(row, plan), format));
}

static void check_softmax(const struct detmath_scaled_row_kernels *kernels, const struct row *row,
                          struct detmath_scaled_plan plan, enum detmath_scaled_compute compute) {
    double best = plain_largest(row, plan) * plan.a, sums[8] = {0}, unused;
    uint32_t got[LONGEST + 1];
    const size_t bytes = format_bytes(format_of(row->format));
    code_store(got, bytes, row->count, 7);
    for (size_t i = 0; i < row->count; i++)
        sums[i % 8] += detmath_scaled_softmax_element(row->x[i], best, plan, compute);
    double sum =
        ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
    float scale = sum != sum ? 1.0f : detmath_scale_round(1.0 / sum, 0, &unused).m;
    const struct detmath_scaled_line from = {(void *)(uintptr_t)row->codes, row->format, 1, NULL},
                                     to = {got, row->format, 1, NULL};
    float found = kernels->softmax(&to, &from, row->count, &plan, compute, NULL);
    assert_int_equal(detmath_bits_f32(found), detmath_bits_f32(scale));
    assert_int_equal(code_load(got, bytes, row->count), 7);
    for (size_t i = 0; i < row->count; i++) {
        double power = detmath_scaled_softmax_element(row->x[i], best, plan, compute);
        assert_int_equal(
            code_load(got, bytes, i),
            detmath_scaled_encode(sum != sum ? sum : power, detmath_formats[row->format]));
    }
    /* In place. */
    struct row same = *row;
    const struct detmath_scaled_line place = {same.codes, row->format, 1, NULL};
    kernels->softmax(&place, &place, row->count, &plan, compute, NULL);
    assert_memory_equal(same.codes, got, row->count * bytes);
}

/* The second row, `stride` apart. */
static void check_dot(const struct detmath_scaled_row_kernels *kernels, const struct row *a,
                      const struct row *b, size_t stride, struct detmath_scaled_plan plan) {
    static uint32_t spread[3 * LONGEST];
    const size_t bytes = format_bytes(format_of(a->format));
    double sum = 0;
    for (size_t i = 0; i < a->count; i++) {
        code_store(spread, bytes, i * stride, code_load(b->codes, bytes, i));
        sum = detmath_fma(plan.zero_a ? 0 : a->x[i], plan.zero_b ? 0 : b->x[i], sum);
    }
    assert_int_equal(kernels->dot(a->format, a->codes, spread, a->count, stride, &plan),
                     detmath_scaled_encode(sum * plan.a / plan.c, detmath_formats[a->format]));
}

static double plain_error(int to, const struct row *row, int exponent) {
    const struct detmath_format target = detmath_formats[to];
    double most = detmath_decode(target.max_finite, target), sum = 0;
    for (size_t i = 0; i < row->count; i++) {
        double magnitude = detmath_scaled_magnitude(row->x[i] * detmath_scale_power(-exponent));
        if (!(magnitude - magnitude == 0.0))
            continue;
        double kept =
            magnitude > most ? most : detmath_decode(detmath_encode(magnitude, target), target);
        double error = (magnitude - kept) * detmath_scale_power(exponent);
        sum = detmath_fma(error, error, sum);
    }
    return sum;
}

/* By maximum: by doubling; by squares: of all that are allowed. */
static void check_find(const struct detmath_scaled_row_kernels *kernels, const struct row *row,
                       int to) {
    const struct detmath_format target = detmath_formats[to];
    double most = detmath_decode(target.max_finite, target), greatest = 0;
    for (size_t i = 0; i < row->count; i++) {
        double magnitude = detmath_scaled_magnitude(row->x[i]);
        if (magnitude - magnitude == 0.0 && magnitude > greatest)
            greatest = magnitude;
    }
    int n = -700, best;
    while (greatest > 0 && greatest * detmath_scale_power(-n) > most)
        n++;
    n = best = greatest > 0 ? n : 0;
    for (int below = 1; greatest > 0 && below <= 24; below++)
        if (plain_error(to, row, n - below) < plain_error(to, row, best))
            best = n - below;
    assert_int_equal(
        kernels->find(to, row->format, row->codes, row->count, DETMATH_SCALED_BY_MAXIMUM), n);
    assert_int_equal(
        kernels->find(to, row->format, row->codes, row->count, DETMATH_SCALED_BY_SQUARES), best);
}

static void check_rows(const struct detmath_scaled_row_kernels *kernels, int format, size_t count,
                       bool any_codes, struct scaled_scale scale) {
    struct row a, b;
    draw_row(&a, format, count, any_codes);
    draw_row(&b, format, count, any_codes);
    struct detmath_scaled_plan plan = plan_of(SCALED_RELU, scale, scale, 0);
    check_reduce_max(kernels, &a, plan);
    check_softmax(kernels, &a, plan, DETMATH_SCALED_F32);
    check_softmax(kernels, &a, plan, DETMATH_SCALED_F16);
    plan = plan_of(SCALED_MUL, scale, scales[1 + count % 4], 0);
    check_dot(kernels, &a, &b, 1, plan);
    check_dot(kernels, &a, &b, 3, plan);
}

static void test_rows(void **state) {
    (void)state;
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int format = 0; level.scaled_rows && format < DETMATH_FORMATS; format++)
            for (int i = 0; i < LENGTHS; i++)
                for (int scale = 0; scale < SCALES; scale++)
                    check_rows(level.scaled_rows, format, lengths[i], (scale + i) % 4 == 0,
                               scales[scale]);
}

static void test_find(void **state) {
    (void)state;
    struct detmath_level level;
    struct row row;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int format = 0; level.scaled_rows && format < DETMATH_FORMATS; format++)
            for (int i = 0; i < LENGTHS; i++) {
                draw_row(&row, format, lengths[i], i % 3 == 2);
                check_find(level.scaled_rows, &row, (format + i) % DETMATH_FORMATS);
            }
}

/* The quick way of gelu needs whole strips without anything unusual. */
static void test_gelu(void **state) {
    (void)state;
    struct detmath_level level;
    struct row row;
    uint32_t got[LONGEST];
    for (int l = 0; detmath_level(l, &level); l++)
        for (int format = 0; level.scaled && format < DETMATH_FORMATS; format++)
            for (int scale = 0; scale < SCALES; scale++) {
                draw_row(&row, format, LONGEST, scale % 8 == 7);
                struct detmath_scaled_plan plan = plan_of(SCALED_GELU, scales[scale], scales[0], 0);
                fill(&level.scaled[DETMATH_SCALED_INDEX_gelu], format, got, format, row.codes, NULL,
                     LONGEST, &plan);
                for (size_t i = 0; i < LONGEST; i++)
                    assert_int_equal(
                        code_load(got, format_bytes(format_of(format)), i),
                        detmath_scaled_encode(detmath_scaled_gelu_element(row.x[i], 0, plan),
                                              detmath_formats[format]));
            }
}

/* A result may be the array of either operand. */
static void test_in_place(void **state) {
    (void)state;
    struct detmath_level level;
    struct row a, b;
    uint32_t apart[LONGEST];
    for (int l = 0; detmath_level(l, &level); l++)
        for (int which = 0; level.scaled && which < DETMATH_SCALED_OPERATION_COUNT; which++)
            for (int format = 0; format < DETMATH_FORMATS; format++) {
                const size_t bytes = LONGEST * format_bytes(format_of(format));
                const struct detmath_scaled_kernels *kernels = &level.scaled[which];
                struct detmath_scaled_plan plan = plan_of(SCALED_ADD, scales[1], scales[4], 0);
                draw_row(&a, format, LONGEST, false);
                draw_row(&b, format, LONGEST, true);
                fill(kernels, format, apart, format, a.codes, b.codes, LONGEST, &plan);
                if (kernels->operands == 2) {
                    struct row other = b;
                    fill(kernels, format, other.codes, format, a.codes, other.codes, LONGEST,
                         &plan);
                    assert_memory_equal(other.codes, apart, bytes);
                }
                fill(kernels, format, a.codes, format, a.codes, b.codes, LONGEST, &plan);
                assert_memory_equal(a.codes, apart, bytes);
            }
}

enum { TALL = DETMATH_SCALED_TALL, WIDE = DETMATH_SCALED_WIDE, SPARE = 5 };

static void assert_same(double got, double want) {
    assert_true(got == want ? detmath_bits_f64(got) == detmath_bits_f64(want)
                            : got != got && want != want);
}

/* Lines of `terms` values, element by element beside each other or one behind the other, laid out as rows and as columns;
 * what lies between is left as it is. */
static void check_unpack(const struct detmath_scaled_row_kernels *kernels, int format, size_t count,
                         size_t terms, bool abreast, bool columns) {
    static uint32_t codes[WIDE * LONGEST];
    static double packed[WIDE * (LONGEST + SPARE)], values[WIDE][LONGEST];
    const size_t bytes = format_bytes(format_of(format));
    const size_t line_step = columns ? 1 : terms + SPARE, term_step = columns ? WIDE : 1;
    struct detmath_scaled_line lines[WIDE];
    struct row row;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        packed[i] = -1.0 - (double)i;
    for (size_t line = 0; line < count; line++) {
        const size_t first = abreast ? line : line * terms;
        draw_row(&row, format, terms, line % 3 == 2);
        lines[line] = (struct detmath_scaled_line){(char *)codes + first * bytes, format,
                                                   abreast ? (ptrdiff_t)count : 1, NULL};
        for (size_t i = 0; i < terms; i++) {
            code_store(codes, bytes, first + i * (abreast ? count : 1),
                       code_load(row.codes, bytes, i));
            values[line][i] = row.x[i];
        }
    }
    kernels->unpack(packed, line_step, term_step, lines, count, terms);
    for (size_t line = 0; line < WIDE; line++)
        for (size_t i = 0; i < terms; i++) {
            const size_t at = line * line_step + i * term_step;
            assert_same(packed[at], line < count ? values[line][i] : -1.0 - (double)at);
        }
}

/* What lies beyond the columns is anyone's. */
static void check_multiply(const struct detmath_scaled_row_kernels *kernels, size_t terms,
                           size_t columns) {
    static double a[TALL * (LONGEST + SPARE)], b[LONGEST * WIDE];
    double got[TALL * (WIDE + SPARE)], want[TALL * (WIDE + SPARE)];
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        a[i] = ((double)(random_bits(&seed) >> 11) - 0x1p52) * 0x1p-52;
    for (size_t i = 0; i < sizeof b / sizeof *b; i++)
        b[i] = ((double)(random_bits(&seed) >> 11) - 0x1p52) * 0x1p-52;
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        got[i] = want[i] = (double)(random_bits(&seed) >> 60);
    kernels->multiply(got, WIDE + SPARE, a, terms + SPARE, b, terms, columns);
    for (size_t i = 0; i < TALL; i++)
        for (size_t j = columns; j < WIDE; j++)
            want[i * (WIDE + SPARE) + j] = got[i * (WIDE + SPARE) + j];
    for (size_t i = 0; i < TALL; i++)
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < terms; k++) {
                double *sum = &want[i * (WIDE + SPARE) + j];
                *sum = detmath_fma(a[i * (terms + SPARE) + k], b[k * WIDE + j], *sum);
            }
    assert_memory_equal(got, want, sizeof got);
    for (size_t rows = 1; rows <= TALL; rows++) {
        for (size_t i = 0; i < rows; i++)
            for (size_t k = 0; k < terms; k++)
                want[i * SPARE] = detmath_fma(a[i * (terms + SPARE) + k], b[k], want[i * SPARE]);
        kernels->multiply_column(got, SPARE, rows, a, terms + SPARE, b, terms);
        assert_memory_equal(got, want, sizeof got);
    }
}

static void test_products(void **state) {
    (void)state;
    static const size_t counts[] = {1, 7, 8, 17, WIDE};
    struct detmath_level level;
    for (int l = 0; detmath_level(l, &level); l++)
        for (int i = 0; level.scaled_rows && i < LENGTHS; i++) {
            for (int j = 0; j < 5; j++)
                check_multiply(level.scaled_rows, lengths[i], counts[j]);
            for (int format = 0; format < DETMATH_FORMATS; format++)
                for (int way = 0; way < 4; way++)
                    check_unpack(level.scaled_rows, format, counts[(format + i + way) % 5],
                                 lengths[i], way & 1, way & 2);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_find),
                                       cmocka_unit_test(test_products), cmocka_unit_test(test_gelu),
                                       cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
