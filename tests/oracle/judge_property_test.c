/* What must hold of every judgement: correct rounding stays within half an ulp to nearest and below
 * one ulp in the directed roundings; exactly the two neighbours are faithful; the distance to the
 * boundary agrees with the errors of both. Every gap of the narrow formats, samples of the wide. */
#include "../base/random.h"
#include "../format/ladder.h"
#include "oracle/boundary.h"
#include "oracle/judge.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int samples = 30000; /* of each format, or as many as the argument says */

static bool is_nearest(enum rounding rounding) {
    return rounding == ROUND_NEAREST_EVEN || rounding == ROUND_NEAREST_AWAY;
}

/* Where more follows, the exact value is neither a number of the format nor a middle between two:
 * by however little, the error lies strictly within. */
static bool within_bound(double error, enum rounding rounding, bool more, bool overflows) {
    if (overflows)
        return error == 0;
    if (more && error <= 0)
        return false;
    if (!is_nearest(rounding))
        return error < 1;
    return more ? error < 0.5 : error <= 0.5;
}

static void check_correct(const struct format *format, const struct real *y) {
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++)
        for (enum overflow o = OVERFLOW_IEEE; o <= OVERFLOW_SATURATE; o++) {
            const struct judge judge = {format, r, o, true};
            uint64_t want = format_encode(format, y, r, o);
            struct judgement got = judge_output(&judge, y, want, want);
            bool overflows = format_overflows(format, y, r);
            bool fits = format_is_nan(format, want)
                            ? !got.in_ulps
                            : got.in_ulps && within_bound(got.error, r, y->inexact, overflows);
            if (got.verdict != VERDICT_CORRECT || !got.faithful || got.nan_bits_differ || !fits)
                fail_msg("%s: %s0x1.%016" PRIx64 "p%d%s %s, policy %d: error %a", format->name,
                         y->negative ? "-" : "", y->significand.high << 1, (int)y->exponent,
                         y->inexact ? "+" : "", rounding_names[r], (int)o, got.error);
        }
}

/* Asked in a rounding that never gives NaN for overflow, since then all numbers are mismatches. */
static bool faithful(const struct format *format, const struct real *y, uint64_t code) {
    const struct judge judge = {format, ROUND_TOWARD_ZERO, OVERFLOW_IEEE, false};
    uint64_t want = format_encode(format, y, ROUND_TOWARD_ZERO, OVERFLOW_IEEE);
    return judge_output(&judge, y, want, code).faithful;
}

/* y lies between two rungs, or on the lower one. */
static void check_faithful(const struct ladder *ladder, size_t i, const struct real *y, bool on) {
    const struct format *format = ladder->format;
    for (size_t j = i < 2 ? 0 : i - 2; j <= i + 3 && j <= ladder->count; j++) {
        uint64_t code = ladder_code(ladder, j, y->negative, ROUND_NEAREST_EVEN, OVERFLOW_IEEE);
        bool expected = j == i || (j == i + 1 && !on);
        bool is_the_last = j == ladder->count && ladder->layout->kind == LAYOUT_ALL;
        if (format_is_nan(format, code) || is_the_last)
            continue;
        if (faithful(format, y, code) != expected)
            fail_msg("%s: 0x%" PRIx64 " for %a in gap %zu", format->name, code,
                     ladder->rung[i].value, i);
    }
}

static void check_gap(const struct ladder *ladder, size_t i) {
    static const double places[] = {0,   0x1p-30,       0.25, 0.5 - 0x1p-30,
                                    0.5, 0.5 + 0x1p-30, 0.75, 1 - 0x1p-30};
    double a = ladder->rung[i].value, gap = ladder->rung[i + 1].value - a;
    for (int n = 0; n < 4 * (int)(sizeof places / sizeof *places); n++) {
        double place = places[n / 4];
        struct real y = exact_real((n & 1 ? -1 : 1) * (a + place * gap));
        y.inexact = (n & 2) && y.kind == REAL_FINITE;
        if (y.kind == REAL_ZERO && y.negative && ladder->layout->kind == LAYOUT_FNUZ)
            continue;
        check_correct(ladder->format, &y);
        check_faithful(ladder, i, &y, place == 0 && !y.inexact);
    }
}

static void test_narrow_formats(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS_SMALL; i++) {
        struct ladder ladder = ladder_make(&layouts[i]);
        for (size_t j = 0; j < ladder.count; j++)
            check_gap(&ladder, j);
        ladder_free(&ladder);
    }
}

/* As an oracle of p + 24 bits gives them, with exponents from far below to far above the format. */
static struct real random_real(const struct layout *layout, uint64_t *seed) {
    struct real y = {
        .kind = REAL_FINITE, .negative = random_bits(seed) & 1, .inexact = random_bits(seed) & 1};
    unsigned bits = layout->fraction_bits + 25;
    int least = 1 - layout->bias - (int)layout->fraction_bits;
    uint64_t far = random_bits(seed) % 8;
    y.exponent = random_between(seed, least - (far ? 3 : 20000), layout->bias + (far ? 3 : 20000));
    y.significand = (struct wide){random_bits(seed), random_bits(seed)};
    if (random_bits(seed) & 1)
        bits = (unsigned)random_between(seed, 1, (int)bits);
    y.significand = wide_shift_left(wide_shift_right(y.significand, 128 - bits), 128 - bits);
    y.significand.high |= UINT64_C(1) << 63;
    return y;
}

static void test_samples(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const struct format *format = layout_format(&layouts[i]);
        uint64_t seed = 24;
        for (int n = 0; n < samples; n++) {
            struct real y = random_real(&layouts[i], &seed);
            check_correct(format, &y);
        }
        struct real huge = real_huge(true), tiny = real_tiny(true);
        check_correct(format, &huge);
        check_correct(format, &tiny);
    }
}

/* |e - 1/2| to nearest, where e is the error of rounding toward zero, or e + 1/4 just above a power
 * of two; the nearer of e and 1 - e in the directed roundings. Between the two numbers at each end:
 * tests/property has the ends. */
static void check_boundary(const struct format *format, const struct real *y) {
    uint64_t inward = format_encode(format, y, ROUND_TOWARD_ZERO, OVERFLOW_IEEE);
    uint64_t magnitude = format_magnitude(format, inward), hidden = UINT64_C(1)
                                                                    << (format->precision - 1);
    if (magnitude == 0 || magnitude + 1 >= format->max_finite)
        return;
    double error = ulp_error(format, y, inward);
    bool above_power = magnitude > hidden && magnitude % hidden == 0;
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
        struct cast rounding = cast_of_results(format, r);
        double want = is_nearest(r) ? fabs(error - 0.5) : fmin(error, 1 - error);
        if (is_nearest(r) && above_power)
            want = fmin(want, error + 0.25);
        double got = boundary_distance(&rounding, y);
        if (fabs(got - want) > 0x1p-50)
            fail_msg("%s: 0x1.%016" PRIx64 "p%d %s: %a, not %a", format->name,
                     y->significand.high << 1, (int)y->exponent, rounding_names[r], got, want);
    }
}

static void test_boundary_distance(void **state) {
    (void)state;
    for (int i = 0; i < LAYOUTS; i++) {
        const struct format *format = layout_format(&layouts[i]);
        uint64_t seed = 25;
        for (int n = 0; n < samples; n++) {
            struct real y = random_real(&layouts[i], &seed);
            if (!format_overflows(format, &y, ROUND_TOWARD_ZERO))
                check_boundary(format, &y);
        }
    }
}

int main(int argc, char **argv) {
    if (argc > 1)
        samples = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_narrow_formats),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_boundary_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
