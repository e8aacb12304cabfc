/* The hard cases that the fast pass finds are those that a plain search by MPFR finds. */
#include "oracle/exact.h"
#include "oracle/fast/filter.h"
#include "vector/choose/hard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
// clang-format off
#include <cmocka.h>
// clang-format on

enum { KEPT = 40 };

/* The distance by the textbook: |y| / ulp modulo 1, in MPFR at a precision of its own. 2 where the
 * result is no number in range. (The middle just below a power of two is not looked at: none of the
 * hardest lies there.) */
static double plain_distance(struct oracle *oracle, const struct binding_request *computed,
                             uint64_t code) {
    const uint64_t codes[MAX_OPERANDS] = {code};
    struct real y;
    struct error error;
    assert_true(oracle_exact(oracle, codes, 0, &y, &error));
    if (y.kind != REAL_FINITE || y.exponent > computed->format->emax ||
        y.exponent < computed->format->emin - computed->format->precision - 1)
        return 2;
    mpfr_t value, part;
    mpfr_init2(value, 256);
    mpfr_init2(part, 256);
    real_to_mpfr(value, &y);
    mpfr_abs(value, value, MPFR_RNDN);
    int binade = y.exponent > computed->format->emin ? y.exponent : computed->format->emin;
    mpfr_mul_2si(value, value, computed->format->precision - 1 - binade, MPFR_RNDN);
    mpfr_frac(part, value, MPFR_RNDN);
    bool nearest = computed->rounding == ROUND_NEAREST_EVEN;
    double distance = mpfr_get_d(part, MPFR_RNDN);
    if (nearest) {
        mpfr_sub_d(part, part, 0.5, MPFR_RNDN);
        mpfr_abs(part, part, MPFR_RNDN);
        distance = mpfr_get_d(part, MPFR_RNDN);
    } else if (distance > 0.5) {
        mpfr_ui_sub(part, 1, part, MPFR_RNDN);
        distance = mpfr_get_d(part, MPFR_RNDN);
    }
    mpfr_clear(value);
    mpfr_clear(part);
    return distance;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distances of all inputs, sorted. */
static double *plain_search(const struct binding_request *computed) {
    struct oracle oracle;
    size_t count = (size_t)format_mask(computed->format) + 1;
    double *distances = malloc(count * sizeof *distances);
    oracle_open(&oracle, computed->operation, computed->format, NULL, ORACLE_MOST_BITS);
    for (size_t code = 0; code < count; code++)
        distances[code] = plain_distance(&oracle, computed, code);
    oracle_close(&oracle);
    qsort(distances, count, sizeof *distances, by_size);
    return distances;
}

static void check(const char *operation, const char *format, enum rounding rounding) {
    struct error error;
    struct binding_request computed = {.operation = operation_find(operation, &error),
                                       .format = format_find(format, &error),
                                       .rounding = rounding};
    const struct choice_rules rules = {.count = KEPT, .seed = 1, .threads = 2};
    struct vector_choices choices = {0};
    assert_int_equal(hard_search_of(&computed), HARD_ALL);
    const struct domain none = {0};
    assert_true(hard_inputs(&choices, &computed, &rules, &none, &error));
    vector_choices_unite(&choices, 1);
    vector_choices_arrange(&choices);
    double *plain = plain_search(&computed);
    size_t exact = 0;
    while (!(plain[exact] > 0))
        exact++;
    assert_true(exact <= KEPT / 2); /* else they are thinned out */
    assert_true(choices.count >= KEPT);
    for (size_t i = 0; i < KEPT; i++) {
        assert_int_equal(choices.items[i].flags, 1u << VECTOR_HARD);
        double difference = choices.items[i].distance - plain[i];
        assert_true(difference < 1e-12 && difference > -1e-12);
    }
    free(plain);
    vector_choices_free(&choices);
}

static void hardest_of_all(void **state) {
    (void)state;
    check("exp", "fp16", ROUND_NEAREST_EVEN);
    check("sin", "fp16", ROUND_NEAREST_EVEN);
    check("log", "fp16", ROUND_NEAREST_EVEN);
    check("log", "bf16", ROUND_NEAREST_EVEN);
    check("cbrt", "bf16", ROUND_NEAREST_EVEN);
    check("tgamma", "fp16", ROUND_NEAREST_EVEN);
}

static void hardest_directed(void **state) {
    (void)state;
    check("log", "fp16", ROUND_UP);
    check("log", "fp8_e5m2", ROUND_DOWN);
}

/* Results that lie at a boundary exactly do not crowd out all others. */
static void ties_leave_room(void **state) {
    (void)state;
    struct error error;
    struct binding_request computed = {.operation = operation_find("mul", &error),
                                       .format = format_find("fp8_e4m3fn", &error)};
    const struct choice_rules rules = {.count = KEPT, .seed = 1, .threads = 2};
    struct vector_choices choices = {0};
    const struct domain none = {0};
    assert_true(hard_inputs(&choices, &computed, &rules, &none, &error));
    size_t exact = 0;
    for (size_t i = 0; i < choices.count; i++)
        exact += !(choices.items[i].distance > 0);
    assert_int_equal(choices.count, KEPT);
    assert_int_equal(exact, KEPT / 2);
    vector_choices_free(&choices);
}

/* Half of all large numbers, where sinpi is 0 and cospi 1 or -1, do not fill the memory. */
static void exact_results_are_no_candidates(void **state) {
    (void)state;
    const char *const names[] = {"sinpi", "cospi", "tanpi"};
    const uint64_t size = (uint64_t)1 << 18, first[] = {0x4b000000, 0xca800000};
    for (size_t i = 0; i < 6; i++) {
        struct error error;
        struct binding_request computed = {.operation = operation_find(names[i / 2], &error),
                                           .format = format_find("fp32", &error),
                                           .rounding = ROUND_UP};
        struct filter *filter =
            filter_open(computed.operation, computed.format, 0, computed.rounding);
        struct hard_candidates candidates = {.keep = KEPT, .limit = 1}, asymptote = candidates;
        uint64_t from = first[i % 2];
        assert_true(
            hard_scan(filter, &computed, from, from + size - 1, &candidates, &asymptote, &error));
        assert_int_equal(candidates.count + asymptote.count, 0);
        filter_close(filter);
        free(candidates.items);
        free(asymptote.items);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hardest_of_all), cmocka_unit_test(hardest_directed),
        cmocka_unit_test(ties_leave_room), cmocka_unit_test(exact_results_are_no_candidates)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    oracle_thread_end();
    return failed;
}
