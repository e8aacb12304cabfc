/* Built inputs meet the ends of each format: where results begin to overflow, to be subnormal, and to be 0. For each operation, format,
 * end and sign there is one whose exact result is the end, and one on either side of it within half an ulp, unless no operands have
 * such a result. built_edges_exist.h decides whether any have, by other means than the builder's. */
#include "built_edges_exist.h"
#include "sweep/built/built.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SUM_BITS = 4400, OTHER_BITS = 256, INPUTS = 8192 };

static const struct end ends[] = {{"the largest number", MOST, 0},
                                  {"the midpoint to overflow", MOST, 2},
                                  {"the power of two beyond all numbers", MOST, 4},
                                  {"the least normal number", NORMAL, 0},
                                  {"a quarter below it", NORMAL, -1},
                                  {"the midpoint below it", NORMAL, -2},
                                  {"the midpoint above the least number", LEAST, 2},
                                  {"the least number", LEAST, 0},
                                  {"half of it", LEAST, -2},
                                  {"zero", ZERO, 0}};
enum { ENDS = sizeof ends / sizeof *ends };

static const char *const side_names[SIDES] = {"below", "at", "above"};

/* |end| = odd * 2^exponent; odd is 0 for zero. */
static uint64_t odd_of(const struct format *format, const struct end *end, int *exponent) {
    const int p = format->precision, least = format->emin - p + 1;
    uint64_t quarters = end->number == MOST     ? ((UINT64_C(1) << p) - 1) * 4
                        : end->number == NORMAL ? UINT64_C(4) << (p - 1)
                        : end->number == LEAST  ? 4
                                                : 0;
    quarters += (uint64_t)(int64_t)end->quarters;
    *exponent = (end->number == MOST ? format->emax - p + 1 : least) - 2;
    for (; quarters && quarters % 2 == 0; quarters /= 2)
        ++*exponent;
    return quarters;
}

/* The exact result, with all bits or far more than count; 0 where these are all. */
static int compute(const struct built_request *request, const uint64_t *codes, mpfr_ptr result) {
    const struct result_rule *rule_of = &request->operation->result[0];
    mpfr_t x[MAX_OPERANDS];
    int inexact = 0;
    for (int i = 0; i < MAX_OPERANDS; i++) {
        mpfr_init2(x[i], 128);
        mpfr_set_nan(x[i]);
        if (i >= request->operation->operands)
            continue;
        const struct real value = format_decode(request->format, codes[i]);
        real_to_mpfr(x[i], &value);
    }
    if (rule_of->mpfr1)
        inexact = rule_of->mpfr1(result, x[0], MPFR_RNDN);
    if (rule_of->mpfr2)
        inexact = rule_of->mpfr2(result, x[0], x[1], MPFR_RNDN);
    if (rule_of->mpfr3)
        inexact = rule_of->mpfr3(result, x[0], x[1], x[2], MPFR_RNDN);
    for (int i = 0; i < MAX_OPERANDS; i++)
        mpfr_clear(x[i]);
    return inexact;
}

static void note(const struct built_request *request, const uint64_t *codes, mpfr_t room[2],
                 bool seen[ENDS][2][SIDES]) {
    const struct format *format = request->results;
    const int inexact = compute(request, codes, room[0]);
    if (!mpfr_number_p(room[0]))
        return;
    for (size_t i = 0; i < ENDS; i++) {
        int exponent;
        const uint64_t odd = odd_of(format, &ends[i], &exponent);
        const int ulp =
            (ends[i].number == MOST ? format->emax : format->emin) - format->precision + 1;
        const bool negative = mpfr_signbit(room[0]);
        mpfr_set_uj_2exp(room[1], odd, exponent, MPFR_RNDN);
        (negative ? mpfr_add : mpfr_sub)(room[1], room[0], room[1], MPFR_RNDN);
        mpfr_mul_2si(room[1], room[1], -ulp, MPFR_RNDN);
        if (mpfr_cmp_d(room[1], 0.5) >= 0 || mpfr_cmp_d(room[1], -0.5) <= 0)
            continue;
        const int sign = mpfr_sgn(room[1]) * (negative ? -1 : 1);
        if (sign || !inexact)
            seen[i][negative][1 + (sign > 0) - (sign < 0)] = true;
    }
}

/* Ends that are missing. */
static unsigned test_row(const struct edge_rule *row, const struct format *format,
                         const struct format *results, enum rounding rounding) {
    const struct built_request request = {operation_row(row->operation), format, results, rounding,
                                          56};
    bool seen[ENDS][2][SIDES] = {0};
    unsigned missing = 0;
    mpfr_t room[2];
    struct builder *builder = builder_open(&request);
    assert_non_null(builder);
    for (int i = 0; i < 2; i++)
        mpfr_init2(room[i], request.operation->sums ? SUM_BITS : OTHER_BITS);
    for (uint64_t number = 0; number < INPUTS; number++) {
        uint64_t codes[MAX_OPERANDS] = {0};
        builder_make(builder, number, codes, NULL);
        note(&request, codes, room, seen);
    }
    builder_close(builder);
    for (int i = 0; i < 2; i++)
        mpfr_clear(room[i]);
    for (size_t i = 0; i < ENDS; i++) {
        struct case_of one = {format, results, &ends[i], 0, 0, false};
        one.odd = odd_of(results, &ends[i], &one.exponent);
        for (int k = 0; k < 2 * SIDES; k++) {
            const enum side side = (enum side)(k / 2);
            one.negative = k % 2;
            if ((one.negative && !row->is_signed) || seen[i][one.negative][side])
                continue;
            /* What is below 0 has the other sign. */
            if ((ends[i].number == ZERO && side != ABOVE) || !row->exists(&one, side))
                continue;
            print_error("%s of %s to %s, %s: of %d inputs none has a %s result %s %s\n",
                        row->operation, format->name, results->name, rounding_names[rounding],
                        INPUTS, one.negative ? "negative" : "positive", side_names[side],
                        ends[i].name);
            missing++;
        }
    }
    return missing;
}

static const enum rounding roundings[] = {ROUND_NEAREST_EVEN, ROUND_UP,           ROUND_DOWN,
                                          ROUND_TOWARD_ZERO,  ROUND_NEAREST_AWAY, ROUNDING_COUNT};
enum { ROUNDINGS = sizeof roundings / sizeof *roundings - 1 };
static const int kinds[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_FP32, FORMAT_FP64};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Conversions to each of them from each that has all of its midpoints; other operations return what they take. */
static void test_rows(const char *only, int from, enum rounding rounding) {
    unsigned missing = 0;
    for (const struct edge_rule *row = edge_rules; row->operation; row++)
        for (int to = 0; to < KINDS; to++) {
            const struct format *format = &formats[kinds[from]], *results = &formats[kinds[to]];
            const bool is_cast = strcmp(row->operation, "cast") == 0;
            if (only && strcmp(only, row->operation) != 0)
                continue;
            if (is_cast ? format->width > 16 && results->precision + 2 < format->precision &&
                              results->emax < format->emax
                        : from == to)
                missing += test_row(row, format, results, rounding);
        }
    assert_int_equal(missing, 0);
}

static void test_products_of_fp32(void **state) {
    (void)state;
    test_rows("mul", 2, ROUND_NEAREST_EVEN);
}

static void test_all_roundings(void **state) {
    (void)state;
    for (int from = 0; from < KINDS; from++)
        for (int i = 0; i < ROUNDINGS; i++)
            test_rows(NULL, from, roundings[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products_of_fp32),
                                       cmocka_unit_test(test_all_roundings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
