/* The errors of a chunk and what they come to: the quick way, for values in one binade, against the
 * slow one, and every sum against a count by the errors themselves. Outputs are right ones, near
 * ones, far ones, zeros, infinities and NaNs. */
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

/* a + b t + c t^2, in fp64 in two parts. */
static struct fit fit_of(double a, double b, double c, bool wide) {
    double largest = fabs(a) + fabs(b) + fabs(c);
    return (struct fit){.form = FIT_POLYNOMIAL,
                        .bound = largest * (wide ? 0x1p-76 : 0x1p-49),
                        .polynomial = {.terms = 3,
                                       .coefficients = {wide ? 0x1p-60 * a : a, b, c},
                                       .direction = 1,
                                       .base = wide ? a : 0}};
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
    struct decision_sums all = {.largest = -1, .margin = sums->margin};
    for (size_t i = 0; i < count; i++) {
        int32_t size = abs(errors[i]);
        if (errors[i] == DECISION_UNSURE)
            continue;
        all.sure++;
        all.wrong += errors[i] < rules->least || errors[i] > rules->most;
        all.error += (uint64_t)size;
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

static size_t hold(const char *name, enum rounding rounding, const struct fit *fit) {
    static uint64_t room[COUNT];
    const struct format *format = format_find(name, NULL);
    struct fit slow = slow_one(fit);
    struct decision_rules rules;
    size_t bytes = format_bytes(format), sure = 0;
    assert_true(decision_rules_for(format, rounding, OVERFLOW_IEEE, histogram_edges,
                                   HISTOGRAM_EDGES, &rules));
    for (size_t at = 0, count; at < COUNT; at += count) {
        double p[DECISION_CHUNK], tail[DECISION_CHUNK];
        int32_t errors[DECISION_CHUNK], slow_errors[DECISION_CHUNK];
        struct decision_sums sums = {0}, slow_sums = {0};
        count = 1 + draw(DECISION_CHUNK);
        count = count < COUNT - at ? count : COUNT - at;
        rules.never_exact = draw(2);
        fit_values(fit, LOG2_COUNT, at, count, p, bytes == 8 ? tail : NULL);
        for (size_t i = 0; i < count; i++)
            code_store(room, bytes, i, output_near(format, rounding, p[i]));
        decide_outputs(fit, LOG2_COUNT, &rules, room, at, count, errors, &sums);
        decide_outputs(&slow, LOG2_COUNT, &rules, room, at, count, slow_errors, &slow_sums);
        assert_memory_equal(errors, slow_errors, count * sizeof *errors);
        sums.margin = sums.sure ? sums.margin : slow_sums.margin;
        assert_memory_equal(&sums, &slow_sums, sizeof sums);
        assert_sums(&rules, errors, count, &sums);
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
            for (enum rounding rounding = 0; rounding <= ROUND_NEAREST_AWAY; rounding++) {
                struct fit fit = fit_of(shapes[i][0], shapes[i][1], shapes[i][2], j == 3);
                size_t sure = hold(names[j], rounding, &fit);
                assert_true(i > 0 || j > 0 || sure > COUNT - COUNT / 50);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(quick_is_slow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
