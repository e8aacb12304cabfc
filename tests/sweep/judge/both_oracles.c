/* The faulty implementation, and the comparison of what two sweeps of it count. */
#include "both_oracles.h"

#include "oracle/exact.h"
#include "sweep/generator.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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

enum spoiling spoiling = SPOIL_SOME;

/* In stretches of 1024 inputs. */
static uint64_t neighbour(uint64_t code, uint64_t right) {
    uint64_t stretch = (code >> 10) % 4;
    return right + (stretch < 3 ? stretch : generator_bits(7, code, 0) % 3) - 1;
}

static uint64_t overflow(const struct format *format, uint64_t code) {
    const uint64_t infinity = format->max_finite + 1;
    const uint64_t small = (uint64_t)(1 - format->emin / 2) << (format->precision - 1);
    const uint64_t outputs[] = {infinity, infinity | format->sign_bit, format->max_finite, 0,
                                small,    small | format->sign_bit};
    return outputs[(code >> 10) % (sizeof outputs / sizeof *outputs)];
}

/* Stretches of 512 inputs; the errors of each have another size. */
static uint64_t far(const struct format *format, uint64_t code, uint64_t right) {
    uint64_t draw = generator_bits(7, code, 0), stretch = code >> 9;
    uint64_t most = (uint64_t)1 << (stretch % 12 * (unsigned)format->precision / 12);
    uint64_t off = stretch / 12 % 3 == 0   ? most
                   : stretch / 12 % 3 == 1 ? most * (code & 511) >> 9
                                           : draw % (2 * most);
    uint64_t magnitude = right & (format->sign_bit - 1);
    bool fits = magnitude > off && magnitude + off < format->max_finite;
    return !fits ? right : draw >> 63 || stretch % 5 ? right + off : right - off;
}

/* Mostly the correct rounding; at some inputs, chosen by a hash, something else. */
static uint64_t spoil(const struct format *format, uint64_t code, uint64_t right) {
    uint64_t draw = generator_bits(7, code, 0);
    if (spoiling == SPOIL_NEIGHBOURS)
        return neighbour(code, right);
    if (spoiling == SPOIL_OVERFLOW)
        return overflow(format, code);
    if (spoiling == SPOIL_FAR && draw % 97 > 5)
        return far(format, code, right);
    switch (spoiling == SPOIL_NONE ? 97 : draw % 97) {
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
    oracle_open(&oracle, request->operation, request->format, NULL,
                oracle_precision(request->format));
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

static bool same_witnesses(const struct witness *a, const struct witness *b, unsigned count) {
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
    if (a->has_max != b->has_max || (a->has_max && !same_witnesses(&a->max, &b->max, 1)))
        return "largest error";
    if (a->worst_count != b->worst_count || !same_witnesses(a->worst, b->worst, a->worst_count))
        return "worst";
    if (a->mismatch_count != b->mismatch_count ||
        !same_witnesses(a->mismatches, b->mismatches, a->mismatch_count))
        return "mismatches";
    for (int i = 0; i < a->binade_count; i++)
        if (memcmp(&a->binades[i], &b->binades[i], sizeof a->binades[i]) != 0)
            return "binades";
    double mean = error_sum_mean(&a->error_sum, a->in_ulps);
    double other = error_sum_mean(&b->error_sum, b->in_ulps);
    /* Errors of any size are summed: where one is huge, only the relative difference counts. */
    return fabs(mean - other) <= 1e-6 * (1 + 1e-6 * fabs(mean)) ? NULL : "mean";
}

bool prefer_libm;

int wanted_count;
char **wanted;

bool is_wanted(const struct operation *operation) {
    for (int i = 0; i < wanted_count; i++)
        if (strcmp(wanted[i], operation->name) == 0)
            return true;
    return wanted_count == 0;
}

static bool libm_provides(const struct implementation *libm, const struct operation *operation,
                          const struct format *format, enum rounding rounding) {
    struct binding_request request = {
        .operation = operation, .format = format, .rounding = rounding};
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
    if (prefer_libm && implementation_open(&libm, "libm", NULL, &error) &&
        libm_provides(&libm, operation, domain->format, rounding))
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

uint64_t compare_oracles(const struct operation *operation, enum rounding rounding,
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
