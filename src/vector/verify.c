/* Comparing outputs with those expected. */
#include "vector/verify.h"

#include "impl/earlier.h"
#include "impl/exact.h"
#include "op/conversion.h"
#include "oracle/exact.h"
#include "oracle/judge.h"
#include "vector/array_vectors.h"
#include "vector/expect.h"

#include <stdlib.h>
#include <string.h>

/* A group being verified. */
struct verification {
    const struct vector_group *group;
    const struct verify_rules *rules;
    struct verify_outcome *outcome;
    bool strict_nan; /* by the rules, or by the profile of a conversion */
    bool is_oracle;  /* whose outputs have no error: that of the group's results is judged */
    struct oracle oracle;
    struct expect_answers answers;
    struct earlier_answers earlier;
    uint8_t *events; /* by test: 1 + the kind of event, or 0 */
};

static void note_event(void *context, enum event_kind kind, size_t index) {
    struct verification *verification = context;
    verification->events[index] = (uint8_t)(1 + kind);
}

/* Whether a result must be as expected; the error in ulps where it is asked for or shown. */
struct comparison {
    bool same, within, has_error;
    double error;
};

static bool judge_result(struct verification *verification, const struct vector_test *test,
                         int result, uint64_t got, struct comparison *comparison,
                         struct error *error) {
    const struct binding_request *computed = &verification->group->computed;
    const struct judge judge = {request_result_format(computed), computed->rounding,
                                computed->overflow, verification->strict_nan};
    struct real y;
    if (!oracle_exact(&verification->oracle, test->in, result, &y, error))
        return false;
    const bool by_test = computed->operation->converts ||
                         computed->parameters.values[PARAMETER_SATURATION].present ||
                         rounding_is_stochastic(computed->rounding);
    uint64_t want = by_test ? test->out[verification->rules->whose][result]
                            : format_encode(judge.format, &y, judge.rounding, judge.overflow);
    const uint64_t judged =
        verification->is_oracle ? test->out[verification->rules->whose][result] : got;
    struct judgement judgement = judge_output(&judge, &y, want, judged);
    comparison->has_error = judgement.in_ulps;
    comparison->error = judgement.error;
    comparison->within = judgement.in_ulps && judgement.error <= verification->rules->max_ulp;
    return true;
}

static bool compare(struct verification *verification, const struct vector_test *test, int result,
                    uint64_t got, struct comparison *comparison, struct error *error) {
    const struct verify_rules *rules = verification->rules;
    const struct format *format = request_result_format(&verification->group->computed);
    struct verify_outcome *outcome = verification->outcome;
    uint64_t want = test->out[rules->whose][result];
    *comparison = (struct comparison){.same = got == want};
    if (comparison->same)
        return true;
    if (format_is_nan(format, got) && format_is_nan(format, want)) {
        outcome->nan_bits_differ++;
        comparison->same = !verification->strict_nan;
        return true;
    }
    if (rules->max_ulp < 0 && outcome->shown_count >= rules->most_shown)
        return true;
    if (!judge_result(verification, test, result, got, comparison, error))
        return false;
    comparison->within = comparison->within && !format_is_nan(format, want);
    return true;
}

static void show(struct verification *verification, const struct verify_mismatch *mismatch) {
    struct verify_outcome *outcome = verification->outcome;
    if (outcome->shown_count < verification->rules->most_shown)
        outcome->shown[outcome->shown_count++] = *mismatch;
}

/* Whether one of the results is the smallest normal number: there alone it matters whether tininess
 * is seen before or after rounding. */
static bool is_at_tininess(const struct vector_group *group, const uint64_t *out) {
    const struct format *format = request_result_format(&group->computed);
    bool at = false;
    for (int i = 0; i < group->computed.operation->results; i++)
        at = at || format_magnitude(format, out[i]) == UINT64_C(1) << (format->precision - 1);
    return at;
}

/* Whether the call raised and cleared what it should. */
static bool check_flags(struct verification *verification, size_t at) {
    const struct vector_group *group = verification->group;
    const struct vector_test *test = &group->tests.items[at];
    const uint64_t *out = test->out[vector_group_first(group)];
    const struct flag_rules *rules = &verification->rules->flag_rules;
    struct flag_setting setting = vector_group_flags(group);
    setting.rules.inexact = rules->inexact;
    uint8_t open = oracle_flags_open(&setting, test->in, out, test->raised) | test->open;
    if (test->no_flags)
        open = ALL_FLAGS;
    if (rules->tiny_after_rounding != group->tiny_after_rounding && is_at_tininess(group, out))
        open |= flag_bit(FLAG_UNDERFLOW);
    if (verification->outcome->promises_no_flags)
        open = oracle_flags_unpromised().permitted;
    uint8_t raised = verification->answers.raised[at];
    const uint8_t *cleared = verification->answers.cleared;
    struct verify_mismatch mismatch = {.test = at,
                                       .is_of_flags = true,
                                       .raised = raised,
                                       .missing = (uint8_t)(test->raised & ~open & ~raised),
                                       .spurious = (uint8_t)(raised & ~(test->raised | open)),
                                       .cleared = cleared ? cleared[at] : 0};
    if (!mismatch.missing && !mismatch.spurious && !mismatch.cleared)
        return true;
    show(verification, &mismatch);
    return false;
}

/* Whether errno is what it may be after the call; of an implementation that promises nothing of it, that it stays. */
static bool check_errno(struct verification *verification, size_t at) {
    const struct vector_test *test = &verification->group->tests.items[at];
    const enum errno_kind after = (enum errno_kind)verification->answers.errnos[at];
    const uint8_t wanted =
        verification->outcome->promises_no_flags ? oracle_flags_unpromised().errnos : test->errnos;
    if (!test->errnos || wanted >> after & 1)
        return true;
    show(verification,
         &(struct verify_mismatch){.test = at, .is_of_errno = true, .errno_after = after});
    return false;
}

/* Whether the comparison of an answer is worse than that of the other. */
static bool is_worse(const struct comparison *one, const struct comparison *other) {
    bool passes = one->same || one->within, other_passes = other->same || other->within;
    if (passes != other_passes)
        return other_passes;
    return one->has_error && other->has_error ? one->error > other->error : !one->has_error;
}

/* Compares a result; of a test that was asked again the worse of its two answers, which `got` is then. */
static bool compare_answers(struct verification *verification, size_t at, int result, uint64_t *got,
                            struct comparison *comparison, struct error *error) {
    const struct vector_test *test = &verification->group->tests.items[at];
    size_t bytes = format_bytes(request_result_format(&verification->group->computed));
    *got = code_load(verification->answers.results[result], bytes, at);
    if (!compare(verification, test, result, *got, comparison, error))
        return false;
    if (verification->earlier.state[at] != EARLIER_DIFFERS)
        return true;
    struct comparison first;
    uint64_t was = code_load(verification->earlier.results[result], bytes, at);
    if (!compare(verification, test, result, was, &first, error))
        return false;
    if (is_worse(&first, comparison)) {
        *comparison = first;
        *got = was;
    }
    return true;
}

static bool verify_test(struct verification *verification, size_t at, struct error *error) {
    const struct binding_request *computed = &verification->group->computed;
    struct verify_outcome *outcome = verification->outcome;
    bool failed = false, within = false;
    uint8_t event = verification->events[at];
    if (event) {
        show(verification, &(struct verify_mismatch){.test = at, .event = event_names[event - 1]});
        outcome->mismatches++;
        return true;
    }
    for (int result = 0; result < computed->operation->results; result++) {
        uint64_t got;
        struct comparison comparison;
        if (!compare_answers(verification, at, result, &got, &comparison, error))
            return false;
        if (comparison.has_error && comparison.error > outcome->worst)
            outcome->worst = comparison.error;
        within = within || comparison.within;
        if (comparison.same || comparison.within)
            continue;
        failed = true;
        show(verification, &(struct verify_mismatch){.test = at,
                                                     .result = result,
                                                     .got = got,
                                                     .has_error = comparison.has_error,
                                                     .error = comparison.error});
    }
    if (outcome->flags_reported && !check_flags(verification, at)) {
        outcome->flag_mismatches++;
        failed = true;
    }
    if (verification->answers.errnos && !check_errno(verification, at)) {
        outcome->errno_mismatches++;
        failed = true;
    }
    outcome->mismatches += failed;
    outcome->within += within && !failed;
    return true;
}

static bool run(struct verification *verification, struct binding *binding, struct error *error) {
    const struct vector_group *group = verification->group;
    size_t count = group->tests.count;
    bool room = true;
    for (int i = 0; i < group->computed.operation->results; i++) {
        verification->answers.results[i] =
            calloc(count + !count, format_bytes(request_result_format(&group->computed)));
        room = room && verification->answers.results[i];
    }
    if (verification->outcome->flags_reported || verification->outcome->errnos_reported) {
        verification->answers.raised = calloc(count + !count, 1);
        bool looks =
            verification->outcome->flags_reported && !verification->rules->flag_rules.may_clear;
        verification->answers.cleared = looks ? calloc(count + !count, 1) : NULL;
        room = room && verification->answers.raised && (verification->answers.cleared || !looks);
    }
    if (verification->outcome->errnos_reported) {
        verification->answers.errnos = calloc(count + !count, 1);
        room = room && verification->answers.errnos;
    }
    verification->events = calloc(count + !count, 1);
    verification->outcome->shown =
        calloc(verification->rules->most_shown + 1, sizeof *verification->outcome->shown);
    verification->answers.earlier = &verification->earlier;
    room = earlier_open(&verification->earlier, &group->computed, count) && room;
    if (!room || !verification->events || !verification->outcome->shown)
        return error_set(error, "out of memory");
    if (!expect_fill(binding, group, &verification->answers, note_event, verification, error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!verify_test(verification, i, error))
            return false;
    verification->outcome->tests = count;
    return true;
}

/* Whether a NaN must have the bits that the vectors have. */
static bool wants_strict_nan(const struct binding_request *computed,
                             const struct verify_rules *rules) {
    struct cast cast;
    struct error unused;
    return rules->strict_nan || (computed->operation->converts &&
                                 conversion_make(&cast, computed->format, computed->rounding,
                                                 &computed->parameters, &unused) &&
                                 cast.profile->strict_nan);
}

bool verify_group(const struct vector_group *group, const struct implementation *implementation,
                  const struct verify_rules *rules, struct verify_outcome *outcome,
                  struct error *error) {
    if (group->computed.operation->array) {
        bool good = array_vectors_verify(group, implementation, rules, outcome, error);
        if (!good)
            verify_outcome_free(outcome);
        return good;
    }
    struct verification verification = {.group = group,
                                        .rules = rules,
                                        .outcome = outcome,
                                        .strict_nan = wants_strict_nan(&group->computed, rules),
                                        .is_oracle = implementation->kind == &implementation_exact};
    struct binding binding;
    struct binding_request request = group->computed;
    const bool judges_flags = rules->flags && group->has_raised;
    request.errnos = rules->errnos && group->has_errnos;
    request.flags = judges_flags || request.errnos; /* whose calls alone tell errno */
    request.tiny_after_rounding = rules->flag_rules.tiny_after_rounding;
    *outcome = (struct verify_outcome){.whose = rules->whose};
    outcome->provided = implementation_bind(&binding, implementation, &request, &outcome->reason);
    if (!outcome->provided) {
        *error = outcome->reason;
        return !binding.broken;
    }
    outcome->flags_reported = judges_flags && binding.tells_flags;
    outcome->errnos_reported = request.errnos && binding.tells_errno && binding.tells_flags;
    outcome->promises_no_flags = binding.promises_no_flags;
    memcpy(outcome->detail, binding.detail, sizeof outcome->detail);
    oracle_open(&verification.oracle, group->computed.operation, group->computed.format,
                &group->computed.parameters, ORACLE_MOST_BITS);
    verification.oracle.rounding = group->computed.rounding;
    bool verified = run(&verification, &binding, error);
    oracle_close(&verification.oracle);
    binding_close(&binding);
    for (int i = 0; i < MAX_RESULTS; i++)
        free(verification.answers.results[i]);
    free(verification.answers.raised);
    free(verification.answers.cleared);
    free(verification.answers.errnos);
    free(verification.events);
    earlier_close(&verification.earlier);
    if (!verified)
        verify_outcome_free(outcome);
    return verified;
}

void verify_outcome_free(struct verify_outcome *outcome) {
    free(outcome->shown);
    outcome->shown = NULL;
    outcome->shown_count = 0;
}
