/* The errors of a strip and what they come to: the quick way, for values in one binade, and the one by few terms
 * around the strip's middle, against the slow one, and every sum against a count by the errors themselves. Outputs
 * are right ones, near ones, far ones, zeros, infinities and NaNs. */
#include "oracle/fast/decide.h"

#include "sweep/tally.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LOG2_COUNT = 13, COUNT = 1 << LOG2_COUNT };

static uint32_t drawn = 1;
static uint32_t draw(uint32_t below) {
    drawn = drawn * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)drawn * below >> 32);
}

enum { MOST_TERMS = 12 };

/* a + b t + c t^2, in fp64 in two parts, and as many more terms, each a quarter of the one before, as make `terms`. */
static struct fit fit_of(const double *shape, int terms, bool wide) {
    double sum = fabs(shape[0]) + fabs(shape[1]);
    struct fit fit = {
        .form = FIT_POLYNOMIAL,
        .polynomial = {.terms = terms,
                       .coefficients = {wide ? 0x1p-60 * shape[0] : shape[0], shape[1]},
                       .direction = 1,
                       .base = wide ? shape[0] : 0}};
    double term = shape[2];
    for (int j = 2; j < terms; j++, term *= -0.2501) {
        fit.polynomial.coefficients[j] = term;
        sum += (2 * j + 2) * fabs(term);
    }
    fit.bound = sum * (wide ? 0x1p-76 : 0x1p-49);
    return fit;
}

static uint64_t output_near(const struct format *format, enum rounding rounding, double p) {
    struct real value = real_from_double(p);
    uint64_t code = format_encode(format, &value, rounding, OVERFLOW_IEEE);
    static const uint64_t odd_ones[] = {0x7fc00000, 0xff800001, 0x7f800000, 0, 0x80000000};
    switch (draw(600)) {
    case 0:
        return format->width == 32 ? odd_ones[draw(5)] : 0;
    case 1:
        return code ^ format->sign_bit;
    case 2:
        return code + draw(9) - 4;
    default:
        return draw(20) ? code : code + draw(3) - 1;
    }
}

/* All by the errors alone. */
static void assert_sums(const struct decision_rules *rules, const int32_t *errors, size_t count,
                        const struct decision_sums *sums) {
    struct decision_sums all = {
        .least = INT32_MAX, .most = INT32_MIN, .largest = -1, .margin = sums->margin};
    for (size_t i = 0; i < count; i++) {
        int32_t size = abs(errors[i]);
        if (errors[i] == DECISION_UNSURE)
            continue;
        all.sure++;
        all.wrong += errors[i] < rules->least || errors[i] > rules->most;
        all.error += (uint64_t)size;
        all.least = errors[i] < all.least ? errors[i] : all.least;
        all.most = errors[i] > all.most ? errors[i] : all.most;
        all.largest = size > all.largest ? size : all.largest;
        for (int k = 0; k < rules->edge_count; k++)
            all.above[k] += size > rules->edges[k] || (k == 0 && rules->never_exact);
        for (int k = rules->never_exact; k < rules->edge_count; k++)
            assert_true(abs(size - rules->edges[k]) > sums->margin);
    }
    assert_memory_equal(&all, sums, sizeof all);
}

/* What is below all margins, but makes the bound depend on the value. */
static struct fit slow_one(const struct fit *fit) {
    struct fit slow = *fit;
    slow.relative = 0x1p-1000;
    return slow;
}

/* Both ways are sure of the same errors, but for those that lie next to an edge or to the largest that can be sure,
 * and they are the same to within the margins. */
static size_t count_apart(const struct decision_rules *rules, const int32_t *errors, int32_t margin,
                          const int32_t *slow_errors, int32_t slow_margin, size_t count) {
    int32_t slack = margin + slow_margin;
    size_t apart = 0;
    for (size_t i = 0; i < count; i++) {
        bool sure = errors[i] != DECISION_UNSURE, slow = slow_errors[i] != DECISION_UNSURE;
        if (sure && slow)
            assert_true(abs(errors[i] - slow_errors[i]) <= slack);
        if (sure == slow)
            continue;
        int32_t size = abs(sure ? errors[i] : slow_errors[i]);
        bool near_edge = abs(size - (int32_t)(3.5 * 0x1p29)) <= slack;
        for (int k = 0; k < rules->edge_count; k++)
            near_edge |= abs(size - rules->edges[k]) <= 2 * slack;
        assert_true(near_edge);
        apart++;
    }
    return apart;
}

static size_t hold(const char *name, enum rounding rounding, const struct fit *fit) {
    static uint64_t room[COUNT];
    const struct format *format = format_find(name, NULL);
    struct fit slow = slow_one(fit);
    struct decision_rules rules;
    size_t bytes = format_bytes(format), sure = 0;
    assert_true(decision_rules_for(format, rounding, OVERFLOW_IEEE, histogram_edges,
                                   HISTOGRAM_EDGES, &rules));
    for (size_t at = 0, count; at < COUNT; at += count) {
        double p[DECISION_STRIP], tail[DECISION_STRIP];
        int32_t errors[DECISION_STRIP], slow_errors[DECISION_STRIP];
        struct decision_sums sums = {0}, slow_sums = {0};
        count = 1 + draw(DECISION_STRIP);
        count = count < COUNT - at ? count : COUNT - at;
        size_t cell = DECISION_STRIP - at % DECISION_STRIP; /* near.h's */
        count = draw(4) && count > cell ? cell : count;
        rules.never_exact = draw(2);
        fit_values(fit, LOG2_COUNT, at, count, p, bytes == 8 ? tail : NULL);
        for (size_t i = 0; i < count; i++)
            code_store(room, bytes, i, output_near(format, rounding, p[i]));
        decide_outputs(fit, LOG2_COUNT, &rules, room, at, count, errors, &sums);
        decide_outputs(&slow, LOG2_COUNT, &rules, room, at, count, slow_errors, &slow_sums);
        assert_true(count_apart(&rules, errors, sums.margin, slow_errors, slow_sums.margin,
                                count) <= count / 64);
        assert_sums(&rules, errors, count, &sums);
        assert_sums(&rules, slow_errors, count, &slow_sums);
        sure += sums.sure;
    }
    return sure;
}

static void quick_is_slow(void **state) {
    (void)state;
    static const char *const names[] = {"fp32", "bf16", "fp16", "fp64"};
    static const double shapes[][3] = {
        {1.5, 0x1.3243f6a8885a3p-2, 0.01},  /* within a binade */
        {-1.5, 0x1.3243f6a8885a3p-2, 0.01}, /* of negative values */
        {1, 0.7, 0.1},                      /* in two */
        {0x1p-3, 0.125, 0},                 /* down to 0 */
        {0, 1, 0.5},                        /* across it */
        {0x1p-128, 0x1.1p-129, 0x1p-133},   /* subnormals */
        {0x1.5p-14, 0x1.1p-15, 0x1p-20},    /* of fp16 */
        {0x1.8p127, 0x1p126, 0x1p125},      /* overflow */
        {0x1.8p15, 0x1p14, 0x1p13},         /* of fp16 */
        {0x1p-1070, 0x1p-1072, 0},          /* less than any ulp */
        {1.25, 0.25, 0},                    /* exact results */
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            for (enum rounding rounding = 0; rounding <= ROUND_NEAREST_AWAY; rounding++)
                for (int terms = 2; terms <= MOST_TERMS; terms++) {
                    struct fit fit = fit_of(shapes[i], terms, j == 3);
                    size_t sure = hold(names[j], rounding, &fit);
                    assert_true(i > 0 || j > 0 || sure > COUNT - COUNT / 50);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quick_is_slow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
