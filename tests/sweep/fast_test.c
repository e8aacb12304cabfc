/* The fast oracle against the exact one: every function of one operand in every rounding, on ranges
 * of fp32 where it is hard and on fp16 and bf16, and functions of two operands on rows of fp16,
 * judging outputs that are right, off by some codes, NaN, infinite or of the wrong sign. The two
 * reports must agree in everything but the last digits of the mean.
 *
 *   fast_test [ranges | halves | narrow | pairs | all]
 *   fast_test dense [operation...]
 *
 * With "all", every code of fp16 and bf16 in every rounding, and more rows. With "dense", 2^26
 * inputs and more of every function of one operand, as the platform's libm computes it where it
 * does. */
#include "format/text.h"
#include "op/flat.h"
#include "oracle/exact.h"
#include "sweep/generator.h"
#include "sweep/sweep.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Inputs of a range, and ranges of a function and rounding. */
enum { RANGE = 1500, RANGES = 14 };

static bool open_faulty(struct implementation *implementation, struct error *error) {
    (void)implementation;
    (void)error;
    return true;
}

static bool bind_faulty(struct binding *binding, struct error *why) {
    (void)binding;
    (void)why;
    return true;
}

/* Whether the faulty implementation is one. */
static bool spoiling = true;

/* Mostly the correct rounding; at some inputs, chosen by a hash, something else. */
static uint64_t spoil(const struct format *format, uint64_t code, uint64_t right) {
    uint64_t draw = generator_bits(7, code, 0);
    switch (spoiling ? draw % 97 : 97) {
    case 0:
        return right + 1;
    case 1:
        return right - 1;
    case 2:
        return right + (draw >> 32) % 1000;
    case 3:
        return draw % 5 ? right : format->nan;
    case 4:
        return draw % 5 ? right : right ^ format->sign_bit;
    case 5:
        return draw % 5 ? right : format->max_finite + 1;
    default:
        return right;
    }
}

static bool fill_faulty(struct binding *binding, const struct slice *slice, event_function *event,
                        void *context, struct error *error) {
    (void)event;
    (void)context;
    const struct binding_request *request = &binding->request;
    struct oracle oracle;
    oracle_open(&oracle, request->operation, request->format, oracle_precision(request->format));
    bool filled = true;
    size_t bytes = format_bytes(request->format);
    for (size_t i = 0; filled && i < slice->count; i++)
        for (int result = 0; filled && result < request->operation->results; result++) {
            uint64_t codes[MAX_OPERANDS] = {0};
            for (int j = 0; j < request->operation->operands; j++)
                codes[j] = code_load(slice->operands[j], bytes, i);
            struct real y;
            filled = oracle_exact(&oracle, codes, result, &y, error);
            uint64_t right = format_encode(request->format, &y, request->rounding, OVERFLOW_IEEE);
            uint64_t name = codes[0] + (codes[1] << 32);
            code_store(slice->results[result], bytes, i, spoil(request->format, name, right));
        }
    oracle_close(&oracle);
    return filled;
}

static const struct implementation_kind faulty = {
    .name = "faulty", .open = open_faulty, .bind = bind_faulty, .fill = fill_faulty};

static bool same_sightings(const struct sighting *a, const struct sighting *b, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if (a[i].index != b[i].index || a[i].got != b[i].got || a[i].want != b[i].want ||
            a[i].input[0] != b[i].input[0] || a[i].input[1] != b[i].input[1] ||
            a[i].error < b[i].error || a[i].error > b[i].error)
            return false;
    return true;
}

/* What differs, or NULL. */
static const char *difference(const struct tally *a, const struct tally *b) {
    if (a->tested != b->tested || a->correct != b->correct || a->incorrect != b->incorrect)
        return "counts of right and wrong";
    if (a->faithful != b->faithful)
        return "faithful";
    if (a->in_ulps != b->in_ulps || a->over_1_ulp != b->over_1_ulp)
        return "counts of errors";
    if (a->nan_mismatches != b->nan_mismatches || a->nan_bits_differ != b->nan_bits_differ ||
        a->sign_mismatches != b->sign_mismatches)
        return "NaN and sign";
    if (memcmp(a->histogram, b->histogram, sizeof a->histogram) != 0)
        return "histogram";
    if (a->has_max != b->has_max || (a->has_max && !same_sightings(&a->max, &b->max, 1)))
        return "largest error";
    if (a->worst_count != b->worst_count || !same_sightings(a->worst, b->worst, a->worst_count))
        return "worst";
    if (a->mismatch_count != b->mismatch_count ||
        !same_sightings(a->mismatches, b->mismatches, a->mismatch_count))
        return "mismatches";
    for (int i = 0; i < a->binade_count; i++)
        if (memcmp(&a->binades[i], &b->binades[i], sizeof a->binades[i]) != 0)
            return "binades";
    double mean = error_sum_mean(&a->error_sum, a->in_ulps);
    double other = error_sum_mean(&b->error_sum, b->in_ulps);
    /* Errors of any size are summed: where one is huge, only the relative difference counts. */
    return fabs(mean - other) <= 1e-6 * (1 + 1e-6 * fabs(mean)) ? NULL : "mean";
}

/* By libm where it is wanted and provides the operation: MPFR takes long to spoil. */
static bool prefer_libm;

static bool libm_provides(const struct implementation *libm, const struct operation *operation,
                          const struct format *format) {
    struct binding_request request = {.operation = operation, .format = format};
    struct binding binding;
    struct error why;
    bool provided = implementation_bind(&binding, libm, &request, &why);
    if (provided)
        binding_close(&binding);
    return provided;
}

static void run(const struct operation *operation, enum rounding rounding,
                const struct domain *domain, bool exact_only, struct sweep_outcome *outcome) {
    struct implementation implementation = {.kind = &faulty, .name = "faulty"}, libm;
    struct error error;
    if (prefer_libm && implementation_open(&libm, "libm", &error) &&
        libm_provides(&libm, operation, domain->format))
        implementation = libm;
    struct sweep_request request = {.computed = {.operation = operation,
                                                 .format = domain->format,
                                                 .rounding = rounding,
                                                 .overflow = OVERFLOW_IEEE},
                                    .exact_only = exact_only,
                                    .recheck = 20,
                                    .domain = domain,
                                    .implementations = &implementation,
                                    .implementation_count = 1,
                                    .threads = prefer_libm ? 2 : 1};
    if (!sweep_run(&request, outcome, &error))
        fail_msg("%s %s %s: %s", operation->name, rounding_names[rounding], domain->text,
                 error.text);
    if (outcome->covered != domain->count)
        fail_msg("%s %s %s: %llu of %llu inputs", operation->name, rounding_names[rounding],
                 domain->text, (unsigned long long)outcome->covered,
                 (unsigned long long)domain->count);
}

/* Both ways over the domain, which is freed; how many inputs the fast oracle decided. */
static uint64_t compare(const struct operation *operation, enum rounding rounding,
                        struct domain *domain) {
    struct sweep_outcome fast, exact;
    run(operation, rounding, domain, false, &fast);
    run(operation, rounding, domain, true, &exact);
    for (int result = 0; result < operation->results; result++) {
        const char *what = difference(&fast.implementations[0].tallies[result],
                                      &exact.implementations[0].tallies[result]);
        if (what)
            fail_msg("%s, result %d, %s, %s, %s: other %s", operation->name, result,
                     domain->format->name, rounding_names[rounding], domain->text, what);
    }
    assert_string_equal(fast.implementations[0].fingerprints[0],
                        exact.implementations[0].fingerprints[0]);
    assert_true(fast.oracle[0].fast + fast.oracle[0].exact == fast.covered);
    uint64_t decided = fast.oracle[0].fast;
    sweep_outcome_free(&fast);
    sweep_outcome_free(&exact);
    domain_free(domain);
    return decided;
}

static uint64_t compare_range(const struct operation *operation, enum rounding rounding,
                              uint64_t first) {
    const struct format *fp32 = format_find("fp32", &(struct error){{0}});
    struct code_set set = {0};
    struct domain domain;
    struct error error;
    uint64_t last = first + RANGE - 1 < UINT32_MAX ? first + RANGE - 1 : UINT32_MAX;
    assert_true(code_set_append(&set, first, last, &error));
    assert_true(domain_product(&domain, DOMAIN_RANGE, fp32, 1, &set, 1, &error));
    snprintf(domain.text, sizeof domain.text, "from 0x%08llx", (unsigned long long)first);
    return compare(operation, rounding, &domain);
}

/* Where a range begins: around binade edges of every size, landmarks and random codes. */
static uint64_t choose_start(const struct operation *operation, unsigned turn, uint64_t seed) {
    static const uint32_t hard[] = {0x00000000, 0x00400000, 0x00800000, 0x33000000, 0x33800000,
                                    0x39800000, 0x3f000000, 0x3f7ffe00, 0x3f800000, 0x40490e00,
                                    0x41118000, 0x41a00000, 0x42aeac50, 0x42b17218, 0x42cff1b5,
                                    0x43000000, 0x4b000000, 0x7f7fff00};
    uint64_t draw = generator_bits(seed, turn, 1);
    uint64_t sign = (draw & 1) << 31, code;
    if (turn % 3 == 0) {
        code = hard[(draw >> 8) % (sizeof hard / sizeof *hard)];
    } else if (turn % 3 == 1 && operation->landmarks) {
        const struct format *fp32 = format_find("fp32", &(struct error){{0}});
        struct code_set set = {0};
        struct error error;
        assert_true(code_set_special(&set, fp32, operation, &error));
        code = code_set_at(&set, (draw >> 8) % set.count);
        code_set_free(&set);
        sign = 0;
    } else {
        code = draw >> 40;
        code = (code << 7 | (draw >> 33 & 0x7f)) & 0x7fffffff;
    }
    code |= sign;
    return code > RANGE / 2 ? code - generator_below(seed, turn, 2, RANGE / 2) : code;
}

static void test_every_function(void **state) {
    (void)state;
    for (size_t i = 0; i < operation_count; i++) {
        const struct operation *operation = &operations[i];
        if (!operation_in_group(operation, "unary"))
            continue;
        uint64_t decided = 0;
        for (int rounding = 0; rounding < ROUNDING_COUNT; rounding++)
            for (unsigned turn = 0; turn < RANGES; turn++) {
                bool gamma = strstr(operation->name, "gamma") != NULL;
                if (gamma && turn % 4)
                    continue; /* MPFR takes long for these */
                decided += compare_range(operation, (enum rounding)rounding,
                                         choose_start(operation, turn, i + 1));
            }
        if (!decided)
            fail_msg("%s: the fast oracle decides nothing", operation->name);
    }
}

static bool halves_near_zero(const struct operation *operation) {
    const struct flat *flat = operation->operands == 1 ? operation->result[0].flats : NULL;
    while (flat && flat->side != FLAT_END && !(flat->slope > 0 && flat->slope < 1))
        flat++;
    return flat && flat->side != FLAT_END;
}

/* Functions that run along x/2, where that is subnormal and where it begins not to be: right
 * outputs, and some wrong ones among them. */
static void test_halves_of_subnormals(void **state) {
    (void)state;
    static const uint32_t firsts[] = {1, 0x123456, 0x7ffc00, 0xfffc00};
    int functions = 0;
    for (size_t i = 0; i < operation_count; i++) {
        if (!halves_near_zero(&operations[i]))
            continue;
        functions++;
        for (unsigned turn = 0; turn < 4 * ROUNDING_COUNT; turn++) {
            enum rounding rounding = (enum rounding)(turn / 4);
            uint64_t sign = (uint64_t)(turn & 1) << 31, count = sizeof firsts / sizeof *firsts;
            spoiling = (turn & 2) != 0;
            for (size_t j = 0; j < count; j++)
                assert_true(compare_range(&operations[i], rounding, firsts[j] | sign) > RANGE / 2);
        }
    }
    spoiling = true;
    assert_true(functions > 0);
}

static bool want_all;

/* Every code of the 16-bit formats; two roundings of one of them unless all are wanted. */
static void test_narrow_formats(void **state) {
    (void)state;
    static const char *const names[] = {"fp16", "bf16"};
    for (size_t i = 0; i < operation_count; i++)
        for (unsigned j = 0; operation_in_group(&operations[i], "unary") && j < 2; j++)
            for (unsigned rounding = 0; rounding < ROUNDING_COUNT; rounding++) {
                struct code_set set = {0};
                struct domain domain;
                struct error error;
                const struct format *format = format_find(names[j], &error);
                bool gamma = strstr(operations[i].name, "gamma") != NULL;
                if (!want_all && (gamma || (i + j) % 2 || (i / 2 + rounding) % 5 > 0))
                    continue;
                assert_true(code_set_all(&set, format, &error));
                assert_true(domain_product(&domain, DOMAIN_ALL, format, 1, &set, 1, &error));
                compare(&operations[i], (enum rounding)rounding, &domain);
            }
}

/* Rows of pairs: a few first operands, each with every second one. */
static void test_pairs(void **state) {
    (void)state;
    static const uint16_t firsts[] = {0x0000, 0x0001, 0x03ff, 0x2e66, 0x3800, 0x3bff,
                                      0x3c00, 0x3c01, 0x4248, 0x63d0, 0x7bff, 0x7c00,
                                      0x8001, 0xbc00, 0xc700, 0xfbff, 0xfe00};
    const struct format *fp16 = format_find("fp16", &(struct error){{0}});
    for (size_t i = 0; i < operation_count; i++)
        for (size_t j = 0; operations[i].result[0].section && j < sizeof firsts / sizeof *firsts;
             j++) {
            struct code_set sets[2] = {0};
            struct domain domain;
            struct error error;
            /* Two neighbours, so that a row ends inside of a slice; and a few rows by chance. */
            uint64_t first = firsts[j];
            if (!want_all && (i + j) % 2)
                continue;
            if (j % 4 == 3)
                first = generator_below(5, i * 32 + j, 0, 0xffff);
            assert_true(code_set_append(&sets[0], first, first + 1, &error));
            assert_true(code_set_all(&sets[1], fp16, &error));
            assert_true(domain_product(&domain, DOMAIN_RANGE, fp16, 2, sets, 2, &error));
            snprintf(domain.text, sizeof domain.text, "row 0x%04llx", (unsigned long long)first);
            compare(&operations[i], (enum rounding)((i + j) % ROUNDING_COUNT), &domain);
        }
}

/* Codes around every landmark and every power of two, in one rounding. */
static void compare_densely(const struct operation *operation) {
    enum { AROUND = 1 << 16 };
    const struct format *fp32 = format_find("fp32", &(struct error){{0}});
    struct code_set special = {0}, set = {0};
    struct domain domain;
    struct error error;
    uint64_t next = 0;
    assert_true(code_set_special(&special, fp32, operation, &error));
    for (uint64_t i = 0; i < special.count; i++) {
        uint64_t centre = code_set_at(&special, i);
        uint64_t first = centre > AROUND ? centre - AROUND : 0, last = centre + AROUND - 1;
        first = first > next ? first : next;
        last = last < UINT32_MAX ? last : UINT32_MAX;
        if (first <= last)
            assert_true(code_set_append(&set, first, last, &error));
        next = last + 1;
    }
    code_set_free(&special);
    assert_true(set.count >= (uint64_t)1 << 26);
    assert_true(domain_product(&domain, DOMAIN_RANGE, fp32, 1, &set, 1, &error));
    snprintf(domain.text, sizeof domain.text, "around landmarks");
    uint64_t count = domain.count, decided = compare(operation, ROUND_NEAREST_EVEN, &domain);
    printf("%s: %llu inputs agree, %llu decided by the fast oracle\n", operation->name,
           (unsigned long long)count, (unsigned long long)decided);
    fflush(stdout);
}

static char **dense_names;
static int dense_count;

static void test_dense(void **state) {
    (void)state;
    for (size_t i = 0; i < operation_count; i++) {
        bool wanted = dense_count == 0 && operation_in_group(&operations[i], "unary");
        for (int j = 0; j < dense_count; j++)
            wanted = wanted || strcmp(dense_names[j], operations[i].name) == 0;
        if (wanted)
            compare_densely(&operations[i]);
    }
}

static int run_dense(int count, char **names) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense)};
    prefer_libm = true;
    dense_count = count;
    dense_names = names;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **words) {
    static const struct {
        const char *name;
        struct CMUnitTest test;
    } parts[] = {{"ranges", cmocka_unit_test(test_every_function)},
                 {"halves", cmocka_unit_test(test_halves_of_subnormals)},
                 {"narrow", cmocka_unit_test(test_narrow_formats)},
                 {"pairs", cmocka_unit_test(test_pairs)}};
    int failures = 0;
    if (count > 1 && strcmp(words[1], "dense") == 0)
        return run_dense(count - 2, words + 2);
    want_all = count > 1 && strcmp(words[1], "all") == 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct CMUnitTest tests[] = {parts[i].test};
        if (count < 2 || want_all || strcmp(words[1], parts[i].name) == 0)
            failures += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failures;
}
