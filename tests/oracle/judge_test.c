/* Verdicts: correct, incorrect, NaN, the sign of zero, overflow by the rules, and what is faithful.
 */
#include "../format/layout.h"
#include "oracle/judge.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define INF ((double)INFINITY)
#define NOT ((double)NAN)

#define IEEE     OVERFLOW_IEEE
#define SATURATE OVERFLOW_SATURATE
#define NEAREST  ROUND_NEAREST_EVEN
#define ZERO     ROUND_TOWARD_ZERO
#define UP       ROUND_UP
#define DOWN     ROUND_DOWN

struct judge_case {
    const char *format;
    enum rounding rounding;
    enum overflow overflow;
    double y;
    uint64_t got;
    enum verdict verdict;
    bool faithful;
    double error; /* -1: not in ulps */
};

#define CORRECT   VERDICT_CORRECT, true
#define WRONG     VERDICT_INCORRECT, false
#define FAITHFUL  VERDICT_INCORRECT, true
#define SIGN      VERDICT_SIGN_MISMATCH, false, -1
#define NAN_WRONG VERDICT_NAN_MISMATCH, false, -1

static const struct judge_case cases[] = {
    {"fp8_e8m0fnu", NEAREST, IEEE, 2.75, 128, CORRECT, 0.375},
    {"fp8_e8m0fnu", NEAREST, IEEE, 3.25, 129, CORRECT, 0.375},
    {"fp8_e8m0fnu", NEAREST, IEEE, 5, 130, FAITHFUL, 0.75},
    {"fp8_e8m0fnu", NEAREST, IEEE, 0x1.8p127, 255, CORRECT, -1},
    {"fp8_e8m0fnu", NEAREST, SATURATE, 0x1.8p127, 254, CORRECT, 0},
    {"fp4_e2m1fn", NEAREST, IEEE, 100, 7, CORRECT, 0},
    {"fp4_e2m1fn", NEAREST, IEEE, NOT, 8, CORRECT, -1},
    {"fp4_e2m1fn", NEAREST, IEEE, NOT, 0, NAN_WRONG},
    /* Exact, and one off. */
    {"fp32", NEAREST, IEEE, 1, 0x3f800000, CORRECT, 0},
    {"fp32", NEAREST, IEEE, 1, 0x3f800001, WRONG, 1},
    {"fp32", NEAREST, IEEE, 1, 0x3f7fffff, WRONG, 0.5},
    /* Between two numbers, both are faithful and one is right. */
    {"fp32", NEAREST, IEEE, 1 + 0x1p-25, 0x3f800000, CORRECT, 0.25},
    {"fp32", NEAREST, IEEE, 1 + 0x1p-25, 0x3f800001, FAITHFUL, 0.75},
    {"fp32", UP, IEEE, 1 + 0x1p-25, 0x3f800001, CORRECT, 0.75},
    {"fp32", UP, IEEE, 1 + 0x1p-25, 0x3f800000, FAITHFUL, 0.25},
    {"fp32", NEAREST, IEEE, 1 + 0x1p-25, 0x3f800002, WRONG, 1.75},
    /* Just above a power of two an error below 1 ulp need not be faithful ... */
    {"fp32", NEAREST, IEEE, 1 + 0x1p-25, 0x3f7fffff, WRONG, 0.75},
    /* ... and just below it 2 ulps of y are between y's neighbours. */
    {"fp32", NEAREST, IEEE, 1 - 0x1p-26, 0x3f800000, CORRECT, 0.25},
    {"fp32", NEAREST, IEEE, 1 - 0x1p-26, 0x3f800001, WRONG, 2.25},
    /* A tie. */
    {"fp32", NEAREST, IEEE, 1 + 0x1p-24, 0x3f800000, CORRECT, 0.5},
    {"fp32", NEAREST, IEEE, 1 + 0x1p-24, 0x3f800001, FAITHFUL, 0.5},
    {"fp32", ROUND_NEAREST_AWAY, IEEE, 1 + 0x1p-24, 0x3f800001, CORRECT, 0.5},
    /* NaN and numbers. */
    {"fp32", NEAREST, IEEE, NOT, 0x3f800000, NAN_WRONG},
    {"fp32", NEAREST, IEEE, 1, 0x7fc00000, NAN_WRONG},
    {"fp32", NEAREST, IEEE, INF, 0xffc00001, NAN_WRONG},
    {"fp32", NEAREST, IEEE, NOT, 0x7fc00000, CORRECT, -1},
    {"fp32", NEAREST, IEEE, NOT, 0xff800001, CORRECT, -1},
    /* Zeros. */
    {"fp32", NEAREST, IEEE, 0, 0, CORRECT, 0},
    {"fp32", NEAREST, IEEE, 0, 0x80000000, SIGN},
    {"fp32", NEAREST, IEEE, -0.0, 0, SIGN},
    {"fp32", NEAREST, IEEE, -0x1p-160, 0x80000000, CORRECT, 0x1p-11},
    {"fp32", NEAREST, IEEE, -0x1p-160, 0, SIGN},
    {"fp32", NEAREST, IEEE, 0x1p-160, 1, FAITHFUL, 1 - 0x1p-11},
    {"fp32", UP, IEEE, 0x1p-160, 0, FAITHFUL, 0x1p-11},
    {"fp32", NEAREST, IEEE, 0x1p-160, 0x80000001, WRONG, 1 + 0x1p-11},
    {"fp32", NEAREST, IEEE, 0, 1, WRONG, 1},
    {"fp8_e4m3fnuz", NEAREST, IEEE, -0x1p-20, 0, CORRECT, 0x1p-10},
    {"fp8_e4m3fnuz", NEAREST, IEEE, -0.0, 0, CORRECT, 0},
    {"fp8_e4m3fnuz", NEAREST, IEEE, 0, 0x80, NAN_WRONG},
    /* Where the format overflows by the rules, that result has error 0; others are judged. */
    {"fp32", NEAREST, IEEE, 0x1.ffffffp127, 0x7f800000, CORRECT, 0},
    {"fp32", NEAREST, IEEE, 0x1.ffffffp127, 0x7f7fffff, FAITHFUL, 0.5},
    {"fp32", NEAREST, IEEE, 0x1.fffffe8p127, 0x7f7fffff, CORRECT, 0.25},
    {"fp32", NEAREST, IEEE, 0x1.fffffe8p127, 0x7f800000, FAITHFUL, 0.75},
    {"fp32", NEAREST, IEEE, 0x1p1000, 0x7f800000, CORRECT, 0},
    {"fp32", NEAREST, IEEE, 0x1p1000, 0x7f7fffff, FAITHFUL, 1},
    {"fp32", NEAREST, IEEE, 0x1p1000, 0x7f7ffffe, WRONG, 2},
    {"fp32", ZERO, IEEE, 0x1p1000, 0x7f7fffff, CORRECT, 0},
    {"fp32", ZERO, IEEE, -0x1p1000, 0xff7fffff, CORRECT, 0},
    {"fp32", DOWN, IEEE, 0x1p1000, 0x7f7fffff, CORRECT, 0},
    {"fp32", DOWN, IEEE, -0x1p1000, 0xff800000, CORRECT, 0},
    {"fp32", UP, IEEE, 0x1p1000, 0x7f7fffff, FAITHFUL, 1},
    {"fp32", NEAREST, SATURATE, 0x1p1000, 0x7f7fffff, CORRECT, 0},
    {"fp32", NEAREST, SATURATE, 0x1.ffffffp127, 0x7f7fffff, CORRECT, 0},
    {"fp32", NEAREST, IEEE, INF, 0x7f800000, CORRECT, 0},
    {"fp32", NEAREST, IEEE, INF, 0xff800000, WRONG, 0x1p25},
    {"fp32", NEAREST, IEEE, INF, 0x7f7fffff, WRONG, 1},
    {"fp32", NEAREST, IEEE, 1, 0x7f800000, WRONG, 0x1p151 - 0x1p98},
    /* The largest number of E4M3FN is 448, in the middle of its binade. */
    {"fp8_e4m3fn", ZERO, IEEE, 500, 0x7e, CORRECT, 0},
    {"fp8_e4m3fn", ZERO, IEEE, 470, 0x7e, CORRECT, 22.0 / 32},
    {"fp8_e4m3fn", NEAREST, IEEE, 464, 0x7e, CORRECT, 0.5},
    {"fp8_e4m3fn", NEAREST, IEEE, 470, 0x7f, CORRECT, -1},
    {"fp8_e4m3fn", NEAREST, IEEE, 470, 0x7e, NAN_WRONG},
    {"fp8_e4m3fn", NEAREST, SATURATE, 470, 0x7e, CORRECT, 0},
    {"fp8_e4m3fn", NEAREST, SATURATE, 1e9, 0x7e, CORRECT, 0},
    {"fp8_e4m3fn", NEAREST, SATURATE, 1e9, 0x7d, WRONG, 3},
    {"fp8_e4m3fn", NEAREST, SATURATE, INF, 0xfe, WRONG, 30},
    {"fp8_e4m3fn", NEAREST, SATURATE, INF, 0x7e, CORRECT, 0},
    {"fp8_e5m2", NEAREST, SATURATE, 60000, 0x7b, CORRECT, 2656.0 / 8192},
    {"fp8_e5m2", NEAREST, SATURATE, 62000, 0x7b, CORRECT, 0},
    {"fp8_e5m2", NEAREST, SATURATE, 62000, 0x7c, FAITHFUL, 3536.0 / 8192},
};

static void check_case(const struct judge_case *c, size_t row) {
    struct error error;
    const struct judge judge = {format_find(c->format, &error), c->rounding, c->overflow, false};
    struct real y = exact_real(c->y);
    uint64_t want = format_encode(judge.format, &y, c->rounding, c->overflow);
    struct judgement got = judge_output(&judge, &y, want, c->got);
    if (got.verdict != c->verdict || got.faithful != c->faithful ||
        got.in_ulps != (c->error >= 0) || (got.in_ulps && got.error != c->error))
        fail_msg("row %zu: %s y = %a, got 0x%" PRIx64 ": verdict %d, faithful %d, error %a", row,
                 c->format, c->y, c->got, (int)got.verdict, got.faithful, got.error);
}

static void test_verdicts(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], i);
}

/* Every NaN is right by default and its bits are noticed; strictly, only the canonical one is. */
static void test_nan_bits(void **state) {
    (void)state;
    static const uint64_t nans[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff};
    struct error error;
    const struct format *fp32 = format_find("fp32", &error);
    struct real y = real_nan();
    for (int strict = 0; strict < 2; strict++)
        for (int i = 0; i < 4; i++) {
            const struct judge judge = {fp32, NEAREST, IEEE, strict};
            struct judgement got = judge_output(&judge, &y, nans[0], nans[i]);
            assert_int_equal(got.nan_bits_differ, i > 0);
            assert_int_equal(got.verdict, strict && i > 0 ? VERDICT_NAN_MISMATCH : VERDICT_CORRECT);
            assert_false(got.in_ulps);
        }
}

/* A cancelled sum is -0 downward and +0 otherwise, and the other zero has the wrong sign. */
static void test_cancelled_sum(void **state) {
    (void)state;
    struct error error;
    const struct format *fp32 = format_find("fp32", &error);
    struct real y = real_zero(false);
    y.cancelled = true;
    for (enum rounding r = 0; r < ROUNDING_COUNT; r++) {
        const struct judge judge = {fp32, r, IEEE, false};
        uint64_t right = r == ROUND_DOWN ? 0x80000000 : 0, wrong = right ^ 0x80000000;
        uint64_t want = format_encode(fp32, &y, r, IEEE);
        assert_int_equal(judge_output(&judge, &y, want, right).verdict, VERDICT_CORRECT);
        assert_int_equal(judge_output(&judge, &y, want, wrong).verdict, VERDICT_SIGN_MISMATCH);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_nan_bits),
        cmocka_unit_test(test_cancelled_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
