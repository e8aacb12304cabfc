/* logsumexp, logcumsumexp and log_softmax: against MPFR where terms cancel, where the largest grows
 * or stands alone; the integers against the other ways; and along axes of arrays of any strides,
 * formats and directions, in place too. */
#include "detmath/arrays.h"
#include "detmath/log_sums_lines.h"
#include "detmath/random.h"
#include "detmath/strided.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 3000, KINDS = 10, PRECISION = 2400 };
static const size_t lengths[] = {1, 2, 3, 31, 33, 100};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static float x32[MOST], y32[MOST], z32[MOST];
static double x64[MOST], y64[MOST], z64[MOST];

static double draw(uint64_t seed, int kind, size_t i, size_t n) {
    uint64_t bits = detmath_random(seed, i);
    double unit = (double)(bits >> 11) * 0x1p-53;
    switch (kind) {
    case 0:
        return 8 * unit - 4;
    case 1: /* the sum is near 1 */
        return 0.01 * (unit - 0.5) - log((double)n);
    case 2: /* two that make nearly 1, and what is far below */
        return i < 2 ? -0.6931471805599453 * (1 + (double)(bits & 3) * 0x1p-24) : -40 - 60 * unit;
    case 3: /* ever larger */
        return 80 * (double)i / (double)n - 40;
    case 4: /* the largest is 0 */
        return i ? -20 - 50 * unit : 0;
    case 5:
        return bits & 1 ? -INFINITY : -3 * unit;
    case 6:
        return (bits & 2 ? -1 : 1) * (1 + unit) *
               detmath_power_of_two((detmath_i64)(bits >> 3) % 50 - 40);
    case 7: /* subnormal in fp32 */
        return unit * 1e-40;
    case 8: /* what fp64 has no exponential of */
        return -1400 * unit;
    default:
        return bits % 61 == 0 ? NAN : bits % 53 == 0 ? INFINITY : unit;
    }
}

static void draw_all(uint64_t seed, int kind, size_t n) {
    for (size_t i = 0; i < n; i++) {
        x64[i] = draw(seed, kind, i, n);
        x32[i] = (float)x64[i];
    }
}

/* ln of the sum of the first n elements, less x[less] where that is given; NaN where it is not
 * finite. The elements' range is such that PRECISION bits lose nothing. */
struct reference {
    mpfr_t sum, term, result;
    size_t finite;
    double only;
    int nan, infinite;
};

static void reference_add(struct reference *reference, double x) {
    reference->nan |= x != x;
    reference->infinite |= x == INFINITY;
    if (x - x != 0)
        return;
    reference->finite++;
    reference->only = x;
    mpfr_set_d(reference->term, x, MPFR_RNDN);
    mpfr_exp(reference->term, reference->term, MPFR_RNDN);
    mpfr_add(reference->sum, reference->sum, reference->term, MPFR_RNDN);
}

static double reference_value(struct reference *reference, const double *less, int is_double) {
    if (reference->nan || (less && (reference->infinite || !reference->finite)))
        return NAN;
    if (reference->infinite || !reference->finite)
        return reference->infinite ? INFINITY : -INFINITY;
    mpfr_log(reference->result, reference->sum, MPFR_RNDN);
    if (reference->finite == 1)
        mpfr_set_d(reference->result, reference->only, MPFR_RNDN);
    if (less)
        mpfr_d_sub(reference->result, *less, reference->result, MPFR_RNDN);
    return is_double ? mpfr_get_d(reference->result, MPFR_RNDN)
                     : (double)mpfr_get_flt(reference->result, MPFR_RNDN);
}

static void compare(double got, double want, const char *name, int kind, size_t n, size_t i) {
    if (got != want && !(got != got && want != want))
        fail_msg("%s of kind %d, element %zu of %zu: is %a, should be %a", name, kind, i, n, got,
                 want);
}

static void check_against_mpfr(struct reference *reference, int kind, size_t n, int is_double) {
    mpfr_set_zero(reference->sum, 1);
    reference->finite = 0;
    reference->nan = reference->infinite = 0;
    if (is_double)
        detmath_logcumsumexp_f64(y64, x64, n);
    else
        detmath_logcumsumexp_f32(y32, x32, n);
    for (size_t i = 0; i < n; i++) {
        reference_add(reference, is_double ? x64[i] : (double)x32[i]);
        compare(is_double ? y64[i] : (double)y32[i], reference_value(reference, NULL, is_double),
                "logcumsumexp", kind, n, i);
    }
    compare(is_double ? detmath_logsumexp_f64(x64, n) : (double)detmath_logsumexp_f32(x32, n),
            is_double ? y64[n - 1] : (double)y32[n - 1], "logsumexp", kind, n, 0);
    if (is_double)
        detmath_log_softmax_f64(y64, x64, n);
    else
        detmath_log_softmax_f32(y32, x32, n);
    for (size_t i = 0; i < n; i++) {
        double x = is_double ? x64[i] : (double)x32[i];
        compare(is_double ? y64[i] : (double)y32[i], reference_value(reference, &x, is_double),
                "log_softmax", kind, n, i);
    }
}

static void test_results_are_mpfr_s(void **state) {
    (void)state;
    struct reference reference;
    mpfr_inits2(PRECISION, reference.sum, reference.term, reference.result, (mpfr_ptr)0);
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t j = 0; j < LENGTHS; j++) {
            draw_all(j + 1, kind, lengths[j]);
            check_against_mpfr(&reference, kind, lengths[j], 0);
            /* 2400 bits do not tell a sum over such a range in fp64 */
            if (kind != 6)
                check_against_mpfr(&reference, kind, lengths[j], 1);
        }
    mpfr_clears(reference.sum, reference.term, reference.result, (mpfr_ptr)0);
}

/* What pairs of doubles decide, integers alone decide alike. */
static void test_integers_decide_alike(void **state) {
    (void)state;
    for (int precise = 0; precise < 2; precise++)
        for (int kind = 0; kind < KINDS - 1; kind++) {
            struct detmath_log_sum sum;
            draw_all(7, kind, 40);
            struct detmath_line line = precise ? detmath_line_of(x64) : detmath_line_off(x32);
            detmath_log_sum_begin(&sum, &line, precise);
            for (size_t n = 2; n <= 40; n++) {
                double z = kind == 5 ? 0 : precise ? x64[n / 2] : (double)x32[n / 2];
                detmath_log_sum_advance(&sum, n);
                if (sum.finite < 2)
                    continue;
                for (int share = 0; share < 2; share++) {
                    double less = share ? z : 0, a = detmath_log_sum_value(&sum, less);
                    double b = detmath_log_sum_exactly(&sum, less);
                    if (!precise && (float)a == (float)b)
                        continue; /* rounded to odd in one of two ways */
                    compare(b, a, precise ? "fp64" : "fp32", kind, 40, n);
                }
            }
        }
}

/* Blocks, in double or in pairs of doubles, and what they carry on, decide as one element after the
 * other does. */
static void test_blocks_decide_as_elements_do(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        struct detmath_log_sum scan, share;
        const struct detmath_line line = detmath_line_of(x64);
        struct detmath_log_needs needed = detmath_log_needs_none();
        draw_all(13, kind, MOST);
        detmath_logcumsumexp_f64(y64, x64, MOST);
        detmath_log_softmax_f64(z64, x64, MOST);
        compare(detmath_logsumexp_f64(x64, MOST), y64[MOST - 1], "logsumexp", kind, MOST, 0);
        detmath_log_sum_begin(&scan, &line, 1);
        detmath_log_sum_begin(&share, &line, 1);
        for (size_t i = 0; i < MOST; i++) {
            compare(y64[i], detmath_log_sum_slow(&scan, i + 1, 0, &needed), "logcumsumexp", kind,
                    MOST, i);
            if (i % 5 == 0)
                compare(z64[i], detmath_log_share(&share, MOST, x64[i], &needed), "log_softmax",
                        kind, MOST, i);
        }
    }
}

/* Of all formats, axes, directions: each line by itself, from its elements cast one by one. */
static uint64_t code_at(const void *codes, int format, ptrdiff_t at) {
    if (format == DETMATH_F64)
        return detmath_bits_f64(((const double *)codes)[at]);
    if (format == DETMATH_F32)
        return detmath_bits_f32(((const float *)codes)[at]);
    return detmath_formats[format].sign_bit > 0x80u ? ((const uint16_t *)codes)[at]
                                                    : ((const uint8_t *)codes)[at];
}

static void check_axis(int from, int to, int axis, unsigned options) {
    static double source[400], result[400];
    static const size_t extents[] = {3, 5, 4};
    static const ptrdiff_t steps[] = {1, 12, -3}, to_steps[] = {20, -4, 1};
    struct detmath_strided x = {source, from, 3, extents, steps};
    struct detmath_strided y = {result, to, 3, extents, to_steps};
    ptrdiff_t x_start = 9, y_start = 16,
              width = from == DETMATH_F64                      ? 8
                      : from == DETMATH_F32                    ? 4
                      : detmath_formats[from].sign_bit > 0x80u ? 2
                                                               : 1;
    ptrdiff_t to_width = to == DETMATH_F64                      ? 8
                         : to == DETMATH_F32                    ? 4
                         : detmath_formats[to].sign_bit > 0x80u ? 2
                                                                : 1;
    struct detmath_line_out store = {source, 1, from};
    for (size_t i = 0; i < 60; i++) {
        double value = draw(11, i % 7 ? 0 : 5, i, 60);
        if (from != DETMATH_F64 && from != DETMATH_F32) /* of that format */
            value =
                detmath_decode(detmath_encode(value, detmath_formats[from]), detmath_formats[from]);
        detmath_line_store(&store, i, value);
    }
    x.codes = (char *)source + x_start * width;
    y.codes = (char *)result + y_start * to_width;
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, axis, options), DETMATH_NO_TROUBLE);
    int along = axis < 0 ? axis + 3 : axis;
    for (size_t i = 0; i < 60; i++) {
        size_t index[3] = {i / 20, i / 4 % 5, i % 4}, place = index[along], n = extents[along];
        double line[8], one;
        struct detmath_line elements = detmath_line_of(line);
        size_t count = 0;
        elements.cast = to;
        for (size_t k = 0; k < n; k++) {
            int is_in = options & DETMATH_REVERSE ? k >= place : k <= place;
            if (!is_in || (k == place && options & DETMATH_EXCLUSIVE))
                continue;
            index[along] = k;
            ptrdiff_t at = x_start;
            for (int j = 0; j < 3; j++)
                at += (ptrdiff_t)index[j] * steps[j];
            struct detmath_line load = {source, 1, from, to};
            line[count++] = detmath_line_load(&load, (detmath_u64)at);
        }
        index[along] = place;
        ptrdiff_t at = y_start;
        for (int j = 0; j < 3; j++)
            at += (ptrdiff_t)index[j] * to_steps[j];
        struct detmath_line_out last = {&one, 1, to};
        detmath_line_store(&last, 0, detmath_logsumexp_line(&elements, count));
        assert_int_equal(code_at(result, to, at), code_at(&one, to, 0));
    }
}

static void test_axes_formats_and_directions(void **state) {
    (void)state;
    static const int all[] = {DETMATH_F32,      DETMATH_F16,  DETMATH_BF16,     DETMATH_E4M3FN,
                              DETMATH_E4M3FNUZ, DETMATH_E5M2, DETMATH_E5M2FNUZ, DETMATH_F64};
    for (size_t i = 0; i < 8; i++)
        for (size_t j = 0; j < 8; j++)
            for (int axis = -3; axis < 3; axis++)
                check_axis(all[i], all[j], axis, (unsigned)(i + j + (size_t)(axis + 3)) % 4);
}

/* Long arrays too, where much of what is needed has been written over. */
static void test_in_place(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        draw_all(3, kind, MOST);
        memcpy(y32, x32, sizeof y32);
        memcpy(y64, x64, sizeof y64);
        detmath_logcumsumexp_f32(z32, x32, MOST);
        detmath_logcumsumexp_f32(y32, y32, MOST);
        detmath_log_softmax_f64(z64, x64, 500);
        detmath_log_softmax_f64(y64, y64, 500);
        assert_memory_equal(y32, z32, sizeof y32);
        assert_memory_equal(y64, z64, 500 * sizeof *y64);
        size_t extents[] = {MOST};
        struct detmath_strided x = {x32, DETMATH_F32, 1, extents, NULL}, y = x;
        y.codes = y32;
        memcpy(y32, x32, sizeof y32);
        for (unsigned options = 0; options < 4; options++) {
            memcpy(z32, x32, sizeof z32);
            struct detmath_strided z = {z32, DETMATH_F32, 1, extents, NULL};
            assert_int_equal(detmath_logcumsumexp_along(&y, &x, 0, options), DETMATH_NO_TROUBLE);
            assert_int_equal(detmath_logcumsumexp_along(&z, &z, 0, options), DETMATH_NO_TROUBLE);
            assert_memory_equal(y32, z32, sizeof y32);
        }
    }
}

/* The second pass of a scan in place takes in each block, the first only what it is asked for; both must
 * come to the same sum and the same error, or the second could need what is overwritten by then. */
static void test_both_passes_add_up_alike(void **state) {
    enum { COUNT = 5000, ASKED = 4321 };
    (void)state;
    static double x[COUNT];
    const struct detmath_log_needs none = detmath_log_needs_none();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        for (uint64_t i = 0; i < COUNT; i++)
            x[i] = (double)(detmath_random(seed, i) >> 40) * 0x1p-22;
        const struct detmath_line line = detmath_line_of(x);
        struct detmath_log_scan lazy, eager;
        detmath_log_scan_begin(&lazy, &line, &none);
        detmath_log_scan_begin(&eager, &line, &none);
        detmath_log_scan_advance(&lazy, ASKED);
        for (uint64_t to = DETMATH_LOG_BLOCK; to < ASKED; to += DETMATH_LOG_BLOCK)
            detmath_log_scan_advance(&eager, to);
        detmath_log_scan_advance(&eager, ASKED);
        assert_int_equal(lazy.pairs_at, eager.pairs_at);
        assert_memory_equal(&lazy.pairs.rest, &eager.pairs.rest, sizeof lazy.pairs.rest);
        assert_memory_equal(&lazy.pairs.error, &eager.pairs.error, sizeof lazy.pairs.error);
    }
}

static void test_whole_arrays_and_reductions(void **state) {
    (void)state;
    size_t extents[] = {5, 4}, rows[] = {5}, nothing[] = {3, 0};
    ptrdiff_t transposed[] = {1, 5};
    float turned[20];
    draw_all(5, 0, 20);
    struct detmath_strided x = {x32, DETMATH_F32, 2, extents, NULL}, y = x;
    struct detmath_strided one = {z32, DETMATH_F32, 0, NULL, NULL},
                           row = {z32, DETMATH_F32, 1, rows, NULL};
    y.codes = y32;
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, DETMATH_WHOLE_ARRAY, 0), 0);
    assert_int_equal(detmath_logsumexp_along(&one, &x, DETMATH_WHOLE_ARRAY), 0);
    assert_true(z32[0] == y32[19]);
    assert_int_equal(detmath_logsumexp_along(&row, &x, 1), 0);
    for (size_t i = 0; i < 5; i++)
        assert_true(z32[i] == detmath_logsumexp_f32(x32 + 4 * i, 4));
    assert_int_equal(detmath_log_softmax_along(&y, &x, 1), 0);
    detmath_log_softmax_f32(z32, x32 + 8, 4);
    assert_memory_equal(y32 + 8, z32, 16);
    x.extents = nothing; /* the logarithm of nothing */
    row.extents = nothing;
    assert_int_equal(detmath_logsumexp_along(&row, &x, 1), 0);
    assert_true(z32[0] == -INFINITY && z32[2] == -INFINITY);
    x.extents = y.extents = extents;
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, 2, 0), DETMATH_TROUBLE_AXIS);
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, -3, 0), DETMATH_TROUBLE_AXIS);
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, 0, 4), DETMATH_TROUBLE_OPTIONS);
    assert_int_equal(detmath_logsumexp_along(&y, &x, 0), DETMATH_TROUBLE_EXTENTS);
    x.strides = transposed;
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, DETMATH_WHOLE_ARRAY, 0), 0);
    for (size_t i = 0; i < 20; i++)
        turned[i] = x32[i / 4 * (size_t)transposed[0] + i % 4 * (size_t)transposed[1]];
    detmath_logcumsumexp_f32(z32, turned, 20);
    assert_memory_equal(y32, z32, sizeof turned);
    y.codes = x32;
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, 0, 0), DETMATH_TROUBLE_OVERLAP);
    y.format = DETMATH_TF32;
    assert_int_equal(detmath_logcumsumexp_along(&y, &x, 0, 0), DETMATH_TROUBLE_FORMAT);
    y.dimensions = 9;
    assert_int_equal(detmath_log_softmax_along(&y, &x, 0), DETMATH_TROUBLE_DIMENSIONS);
    for (int i = 0; i <= DETMATH_TROUBLE_OFFSETS; i++)
        assert_true(strlen(detmath_trouble_text(i)) > 10);
}

/* Two numbers 2^158 to 2^1022 apart, in one case of two halfway between numbers: ln(1 + t) is as
 * good as nothing, and still decides. */
static void test_far_apart(void **state) {
    mpfr_t exact, almost_nothing;
    (void)state;
    mpfr_inits2(PRECISION, exact, almost_nothing, (mpfr_ptr)0);
    mpfr_set_ui_2exp(almost_nothing, 1, -1000, MPFR_RNDN);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = detmath_random(77, i), other = detmath_random(78, i);
        int exponent = 158 + (int)(bits % 865);
        double high = ldexp(1 + (double)(bits >> 12) * 0x1p-52, exponent);
        double low = bits & 1 ? -ldexp((double)(other % 9), exponent - 53)
                              : -ldexp((double)(other >> 11), exponent - 53 - (int)(other % 99));
        double x[2] = {high, low}, y[2];
        if (other & 1) { /* both negated: the other is the larger */
            x[0] = -low;
            x[1] = -high;
        }
        mpfr_set_d(exact, x[1], MPFR_RNDN);
        mpfr_sub_d(exact, exact, x[0], MPFR_RNDN);
        mpfr_sub(exact, exact, almost_nothing, MPFR_RNDN);
        detmath_log_softmax_f64(y, x, 2);
        if (y[0] != 0 || y[1] != mpfr_get_d(exact, MPFR_RNDN))
            fail_msg("of %a and %a: %a and %a", x[0], x[1], y[0], y[1]);
    }
    mpfr_clears(exact, almost_nothing, (mpfr_ptr)0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_apart),
                                       cmocka_unit_test(test_results_are_mpfr_s),
                                       cmocka_unit_test(test_integers_decide_alike),
                                       cmocka_unit_test(test_blocks_decide_as_elements_do),
                                       cmocka_unit_test(test_axes_formats_and_directions),
                                       cmocka_unit_test(test_in_place),
                                       cmocka_unit_test(test_both_passes_add_up_alike),
                                       cmocka_unit_test(test_whole_arrays_and_reductions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
