/* Sums, scans and softmax of detmath: the same bits at every instruction set,
 * from blocks that threads work on, and in place; exact sums against MPFR, for
 * any order of the elements. */
#include "detmath/arrays.h"
#include "detmath/exact_sum.h"
#include "detmath/library/kernels.h"
#include "detmath/library/reduction_list.h"
#include "detmath/random.h"
#include "detmath/reductions.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 9000, KINDS = 6 };
static const size_t lengths[] = {1,   2,    3,    31,   32,   33,   63,   64,   65,   127,  257,
                                 511, 1021, 1023, 1024, 1025, 2047, 2049, 3072, 4097, 8191, 9000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static float x32[MOST], w32[MOST], y32[MOST], z32[MOST];
static double x64[MOST], w64[MOST], y64[MOST], z64[MOST];

/* Numbers of many sizes: near 1, over a wide range, integers, ascending, runs
 * of -inf, specials. */
static double draw(uint64_t seed, int kind, size_t i) {
    uint64_t bits = detmath_random(seed, i);
    double unit = (double)(bits >> 11) * 0x1p-53, sign = bits & 1 ? -1 : 1;
    switch (kind) {
    case 0:
        return 8 * unit - 4;
    case 1:
        return sign * (1 + unit) * detmath_power_of_two((detmath_i64)(bits >> 3) % 81 - 40);
    case 2:
        return (double)(int)(bits >> 40 & 255) - 128;
    case 3:
        return (double)i * 0.01 - 40 + unit;
    case 4:
        return i % 64 < 48 ? -INFINITY : 4 * unit;
    default:
        return bits % 97 == 0 ? NAN : bits % 89 == 0 ? sign * INFINITY : sign * unit;
    }
}

static void draw_all(uint64_t seed, int kind) {
    for (size_t i = 0; i < MOST; i++) {
        x64[i] = draw(seed, kind, i);
        w64[i] = draw(seed + 1000, kind, i);
        x32[i] = (float)x64[i];
        w32[i] = (float)w64[i];
    }
}

static void same(const void *a, const void *b, size_t bytes, const char *name, size_t n) {
    if (memcmp(a, b, bytes) != 0)
        fail_msg("%s of %zu elements", name, n);
}

/* Every row of every level against the best. */
static void compare_level(const struct detmath_reductions *level, size_t n) {
    const struct detmath_reductions *best = detmath_reductions();
#define INPUT(T)    (sizeof(T) == 4 ? (const T *)(const void *)x32 : (const T *)(const void *)x64)
#define OTHER(T)    (sizeof(T) == 4 ? (const T *)(const void *)w32 : (const T *)(const void *)w64)
#define RESULT(T)   (sizeof(T) == 4 ? (T *)(void *)y32 : (T *)(void *)y64)
#define RESULT_2(T) (sizeof(T) == 4 ? (T *)(void *)z32 : (T *)(void *)z64)
#define REDUCE(T, S, NAME)                                                                         \
    {                                                                                              \
        T a = level->NAME##_##S(INPUT(T), n), b = best->NAME##_##S(INPUT(T), n);                   \
        same(&a, &b, sizeof a, #NAME "_" #S, n);                                                   \
    }
#define PAIR(T, S, NAME)                                                                           \
    {                                                                                              \
        T a = level->NAME##_##S(INPUT(T), OTHER(T), n);                                            \
        T b = best->NAME##_##S(INPUT(T), OTHER(T), n);                                             \
        same(&a, &b, sizeof a, #NAME "_" #S, n);                                                   \
    }
#define MAP(T, S, NAME)                                                                            \
    {                                                                                              \
        level->NAME##_##S(RESULT(T), INPUT(T), n);                                                 \
        best->NAME##_##S(RESULT_2(T), INPUT(T), n);                                                \
        same(RESULT(T), RESULT_2(T), n * sizeof(T), #NAME "_" #S, n);                              \
    }
    DETMATH_REDUCTIONS(REDUCE, PAIR, MAP)
}

/* The same of lines, in fp32. */
static void compare_lines(const struct detmath_reductions *level, size_t n) {
    struct detmath_line x = detmath_line_off(x32);
    struct detmath_line_out y = detmath_line_tof(y32);
    level->logcumsumexp(&y, &x, n, 0);
    detmath_logcumsumexp_f32(z32, x32, n);
    same(y32, z32, n * sizeof *y32, "logcumsumexp", n);
    level->log_softmax(&y, &x, n);
    detmath_log_softmax_f32(z32, x32, n);
    same(y32, z32, n * sizeof *y32, "log_softmax", n);
    level->logsumexp(&y, &x, n);
    z32[0] = detmath_logsumexp_f32(x32, n);
    same(y32, z32, sizeof *y32, "logsumexp", n);
    static struct detmath_log_prefix prefixes[MOST];
    struct detmath_line_out z = detmath_line_tof(z32);
    level->logcumsumexp_gradient(&y, &x, &x, n, 0, prefixes);
    detmath_reductions()->logcumsumexp_gradient(&z, &x, &x, n, 0, prefixes);
    same(y32, z32, n * sizeof *y32, "logcumsumexp_gradient", n);
    level->logsumexp_gradient(&y, &x, &x, n);
    detmath_reductions()->logsumexp_gradient(&z, &x, &x, n);
    same(y32, z32, n * sizeof *y32, "logsumexp_gradient", n);
    level->log_softmax_gradient(&y, &x, &x, n);
    detmath_reductions()->log_softmax_gradient(&z, &x, &x, n);
    same(y32, z32, n * sizeof *y32, "log_softmax_gradient", n);
}

static void test_levels(void **state) {
    (void)state;
    struct detmath_level level;
    for (int i = 0; detmath_level(i, &level); i++)
        for (int kind = 0; level.kernels && kind < KINDS; kind++) {
            draw_all(1, kind);
            for (size_t j = 0; j < LENGTHS; j++) {
                compare_level(detmath_reductions_level(i), lengths[j]);
                if (lengths[j] < 1100) /* the baseline has no fma */
                    compare_lines(detmath_reductions_level(i), lengths[j]);
            }
        }
}

/* What threads would do: blocks in any order, put together afterwards. */
static void test_blocks_in_parallel(void **state) {
    (void)state;
    static float totals[MOST];
    for (int kind = 0; kind < KINDS; kind++) {
        draw_all(2, kind);
        for (size_t j = 0; j < LENGTHS; j++) {
            size_t n = lengths[j], blocks = (n + DETMATH_BLOCK - 1) / DETMATH_BLOCK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(8)
            for (size_t block = 0; block < blocks; block++) {
                size_t at = block * DETMATH_BLOCK;
                totals[block] =
                    detmath_sum_blockf(x32 + at, detmath_at_most(n - at, DETMATH_BLOCK));
            }
            float parts = detmath_sum_of_blocksf(totals, blocks), whole = detmath_sum_f32(x32, n);
            same(&parts, &whole, sizeof whole, "sum", n);
#pragma omp parallel for schedule(dynamic, 1) num_threads(8)
            for (size_t block = 0; block < blocks; block++) {
                size_t at = block * DETMATH_BLOCK;
                totals[block] =
                    detmath_dot_blockf(x32 + at, w32 + at, detmath_at_most(n - at, DETMATH_BLOCK));
            }
            parts = detmath_sum_of_blocksf(totals, blocks);
            whole = detmath_dot_f32(x32, w32, n);
            same(&parts, &whole, sizeof whole, "dot", n);
        }
    }
}

/* Element i of a scan depends on the elements up to i alone. */
static void test_prefixes(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        draw_all(3, kind);
        detmath_cumsum_f32(y32, x32, MOST);
        detmath_logcumsumexp_f64(y64, x64, MOST);
        for (size_t j = 0; j < LENGTHS; j++) {
            detmath_cumsum_f32(z32, x32, lengths[j]);
            detmath_logcumsumexp_f64(z64, x64, lengths[j]);
            same(y32, z32, lengths[j] * sizeof *y32, "cumsum_f32", lengths[j]);
            same(y64, z64, lengths[j] * sizeof *y64, "logcumsumexp_f64", lengths[j]);
        }
    }
}

static void test_in_place(void **state) {
    (void)state;
    static void (*const maps[])(float *, const float *, size_t) = {
        detmath_cumsum_f32, detmath_logcumsumexp_f32, detmath_softmax_f32, detmath_log_softmax_f32};
    draw_all(4, 0);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        maps[i](y32, x32, 3000);
        memcpy(z32 + 1, x32, 3000 * sizeof *x32); /* elsewhere in a vector too */
        maps[i](z32 + 1, z32 + 1, 3000);
        same(y32, z32 + 1, 3000 * sizeof *y32, "in place", 3000);
    }
}

static void shuffle(float *x, size_t n, uint64_t seed) {
    for (size_t i = n; i > 1; i--) {
        size_t j = detmath_random(seed, i) % i;
        float swap = x[i - 1];
        x[i - 1] = x[j];
        x[j] = swap;
    }
}

static void test_exact_sums_know_no_order(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        draw_all(7, kind);
        memcpy(y32, x32, sizeof y32);
        int parted = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            shuffle(y32, 5000, seed);
            float exact = detmath_cr_sum_f32(y32, 5000), whole = detmath_cr_sum_f32(x32, 5000);
            same(&exact, &whole, sizeof exact, "cr_sum", 5000);
            float tree = detmath_sum_f32(y32, 5000), first = detmath_sum_f32(x32, 5000);
            parted += tree != first;
            memcpy(y32, x32, sizeof y32);
        }
        assert_true(parted > 0 || kind == 2); /* integers have no rounding */
    }
}

/* mpfr_sum and mpfr_dot round correctly. */
static void check_against_mpfr(size_t n) {
    static mpfr_t terms[MOST], products[MOST];
    static mpfr_ptr list[MOST], other[MOST];
    mpfr_t sum;
    mpfr_init2(sum, 53);
    for (size_t i = 0; i < n; i++) {
        mpfr_init2(terms[i], 53);
        mpfr_init2(products[i], 53);
        mpfr_set_d(terms[i], x64[i], MPFR_RNDN);
        mpfr_set_d(products[i], w64[i], MPFR_RNDN);
        list[i] = terms[i];
        other[i] = products[i];
    }
    mpfr_sum(sum, list, (unsigned long)n, MPFR_RNDN);
    double want = mpfr_get_d(sum, MPFR_RNDN), got = detmath_cr_sum_f64(x64, n);
    same(&want, &got, sizeof got, "cr_sum_f64", n);
    mpfr_dot(sum, list, other, (unsigned long)n, MPFR_RNDN);
    want = mpfr_get_d(sum, MPFR_RNDN);
    got = detmath_cr_dot_f64(x64, w64, n);
    same(&want, &got, sizeof got, "cr_dot_f64", n);
    for (size_t i = 0; i < n; i++) {
        mpfr_set_d(terms[i], (double)x32[i], MPFR_RNDN);
        mpfr_set_d(products[i], (double)w32[i], MPFR_RNDN);
    }
    mpfr_set_prec(sum, 24);
    mpfr_sum(sum, list, (unsigned long)n, MPFR_RNDN);
    float narrow = mpfr_get_flt(sum, MPFR_RNDN), mine = detmath_cr_sum_f32(x32, n);
    same(&narrow, &mine, sizeof mine, "cr_sum_f32", n);
    mpfr_dot(sum, list, other, (unsigned long)n, MPFR_RNDN);
    narrow = mpfr_get_flt(sum, MPFR_RNDN);
    mine = detmath_cr_dot_f32(x32, w32, n);
    same(&narrow, &mine, sizeof mine, "cr_dot_f32", n);
    for (size_t i = 0; i < n; i++) {
        mpfr_clear(terms[i]);
        mpfr_clear(products[i]);
    }
    mpfr_clear(sum);
}

static void test_exact_sums_are_mpfr_s(void **state) {
    (void)state;
    for (uint64_t seed = 8; seed < 12; seed++)
        for (int kind = 0; kind < 4; kind++) {
            draw_all(seed, kind);
            for (size_t j = 0; j < LENGTHS; j += 3)
                check_against_mpfr(lengths[j]);
        }
}

/* Ends of the range, where carries and subnormal numbers are. */
static void test_exact_sums_at_the_ends(void **state) {
    (void)state;
    static const struct {
        double x[4], sum;
        size_t n;
    } rows[] = {
        {{0x1p-1074, 0x1p-1074}, 0x1p-1073, 2},
        {{0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023, -0x1.fffffffffffffp1023},
         0x1.fffffffffffffp1023,
         3},
        {{0x1p1023, 0x1p1023}, INFINITY, 2},
        {{1, 0x1p-53}, 1, 2},
        {{1, 0x1p-53, 0x1p-1074}, 1 + 0x1p-52, 3},
        {{1e300, 1, -1e300}, 1, 3},
        {{0x1p-1022, -0x1p-1074}, 0x0.fffffffffffffp-1022, 2},
        {{-0.0, -0.0}, -0.0, 2},
        {{-0.0, 0.0}, 0.0, 2},
        {{5, -5}, 0.0, 2},
        {{INFINITY, 1, -1e308}, INFINITY, 3},
        {{-INFINITY}, -INFINITY, 1},
        {{0}, 0.0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double got = detmath_cr_sum_f64(rows[i].x, rows[i].n);
        same(&got, &rows[i].sum, sizeof got, "row", i);
    }
    double both[] = {INFINITY, -INFINITY};
    assert_true(detmath_cr_sum_f64(both, 2) != detmath_cr_sum_f64(both, 2));
    float tiny[] = {0x1p-149f, 0x1p-149f, 0x1p-149f};
    assert_true(detmath_cr_mean_f32(tiny, 2) == 0x1p-149f);
    float mean = detmath_mean_f32(tiny, 3);
    assert_true(mean == 0x1p-149f);
}

/* Division by a count, against the processor's division in double, which is
 * exact enough for 24 bits where the quotient is normal. */
static void test_division_by_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)detmath_random(13, i);
        uint64_t n = detmath_random(14, i) >> (30 + i % 34);
        float a = detmath_from_bits_f32(bits);
        if (!n || a != a || a - a != 0)
            continue;
        float got = detmath_divide_by_countf(a, n);
        mpfr_t q;
        mpfr_init2(q, 24);
        mpfr_set_emin(-148);
        mpfr_set_emax(128);
        mpfr_set_flt(q, a, MPFR_RNDN);
        int inexact = mpfr_div_ui(q, q, n, MPFR_RNDN);
        mpfr_subnormalize(q, inexact, MPFR_RNDN);
        float want = mpfr_get_flt(q, MPFR_RNDN);
        mpfr_set_emin(mpfr_get_emin_min());
        mpfr_set_emax(mpfr_get_emax_max());
        mpfr_clear(q);
        if (memcmp(&got, &want, sizeof got) != 0)
            fail_msg("%a / %llu is %a, not %a", (double)a, (unsigned long long)n, (double)want,
                     (double)got);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_levels),
                                       cmocka_unit_test(test_blocks_in_parallel),
                                       cmocka_unit_test(test_prefixes),
                                       cmocka_unit_test(test_in_place),
                                       cmocka_unit_test(test_exact_sums_know_no_order),
                                       cmocka_unit_test(test_exact_sums_are_mpfr_s),
                                       cmocka_unit_test(test_exact_sums_at_the_ends),
                                       cmocka_unit_test(test_division_by_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
