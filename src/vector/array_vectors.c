/* Drawing, computing and comparing calls. */
#include "vector/array_vectors.h"

#include "oracle/exact.h"
#include "oracle/judge.h"
#include "sweep/array/cases.h"

#include <stdlib.h>
#include <string.h>

bool array_vectors_plan(struct array_call *call, const struct binding_request *computed,
                        struct error *error) {
    struct cases cases;
    const struct parameter_value *shape = &computed->parameters.values[PARAMETER_SHAPE_OF];
    if (!shape->present)
        return error_set(error, "vectors of arrays, such as %s, need the parameter shape",
                         computed->operation->name);
    *call = (struct array_call){.parameters = &computed->parameters,
                                .rounding = computed->rounding,
                                .overflow = computed->overflow};
    return cases_make(&cases, computed->operation, computed->format, &computed->parameters, 1, 1,
                      error) &&
           array_call_plan(call, computed->operation->array, computed->format, &shape->shape,
                           error);
}

static uint64_t elements_of(const struct array *arrays, int count) {
    uint64_t elements = 0;
    for (int i = 0; i < count; i++)
        elements += shape_elements(&arrays[i].shape);
    return elements;
}

uint64_t array_vectors_operands(const struct array_call *call, const struct operation *operation) {
    return elements_of(call->operands, operation_operands(operation, call->parameters));
}

uint64_t array_vectors_results(const struct array_call *call, const struct operation *operation) {
    return elements_of(call->results, operation->results);
}

/* Between the arrays' codes and a test's elements. */
static void copy_elements(struct array *arrays, int count, uint64_t *elements, bool to_arrays) {
    for (int i = 0; i < count; i++)
        for (uint64_t j = 0; j < shape_elements(&arrays[i].shape); j++, elements++)
            if (to_arrays)
                array_set_code(&arrays[i], j, *elements);
            else
                *elements = array_code(&arrays[i], j);
}

bool array_vectors_count(const struct vector_group *group, uint64_t draws, uint64_t *count,
                         uint64_t *elements, struct error *error) {
    const struct binding_request *computed = &group->computed;
    struct cases cases;
    struct array_call call;
    if (!array_vectors_plan(&call, computed, error) ||
        !cases_make(&cases, computed->operation, computed->format, &computed->parameters, draws, 1,
                    error))
        return false;
    *count = cases_count(&cases);
    *elements = array_vectors_operands(&call, computed->operation) +
                VECTOR_EXPECTS * array_vectors_results(&call, computed->operation);
    return true;
}

bool array_vectors_draw(struct vector_group *group, uint64_t count, uint64_t draws, uint64_t seed,
                        struct error *error) {
    const struct binding_request *computed = &group->computed;
    const struct operation *operation = computed->operation;
    struct cases cases;
    struct array_call call;
    if (!array_vectors_plan(&call, computed, error) ||
        !cases_make(&cases, operation, computed->format, &computed->parameters, draws, seed, error))
        return false;
    uint64_t room = array_vectors_operands(&call, operation) +
                    VECTOR_EXPECTS * array_vectors_results(&call, operation);
    for (uint64_t number = group->first; number < group->first + count; number++) {
        struct vector_test test = {.flags = 1u << VECTOR_DRAWN};
        test.elements = calloc((size_t)room, sizeof *test.elements);
        if (!test.elements)
            return error_set(error, "out of memory");
        if (!case_open(&call, &cases, number, operation, computed->format, error)) {
            free(test.elements);
            return false;
        }
        copy_elements(call.operands, operation_operands(operation, call.parameters), test.elements,
                      false);
        array_call_free(&call);
        if (!vector_tests_add(&group->tests, &test)) {
            free(test.elements);
            return error_set(error, "out of memory");
        }
    }
    return true;
}

/* A group's call with room for codes, and what a test is put through. */
struct array_group {
    const struct vector_group *group;
    const struct operation *operation;
    struct array_call call;
    uint64_t operands; /* elements */
    uint64_t results;  /* elements, of each of whose the group has */
    struct real *y;    /* of one result, the longest */
    struct implementation det;
    struct binding binding; /* of det; open where `bound` */
    bool bound;
};

static bool open_group(struct array_group *work, const struct vector_group *group,
                       struct error *error) {
    *work = (struct array_group){.group = group, .operation = group->computed.operation};
    if (!array_vectors_plan(&work->call, &group->computed, error))
        return false;
    work->operands = array_vectors_operands(&work->call, work->operation);
    work->results = array_vectors_results(&work->call, work->operation);
    work->y = calloc((size_t)work->results, sizeof *work->y);
    if (!work->y || !array_call_allocate(&work->call,
                                         operation_operands(work->operation, work->call.parameters),
                                         work->operation->results)) {
        free(work->y);
        return error_set(error, "out of memory for an array");
    }
    oracle_thread_begin();
    return true;
}

static void close_group(struct array_group *work) {
    array_call_free(&work->call);
    free(work->y);
    if (work->bound)
        binding_close(&work->binding);
}

static void load_operands(struct array_group *work, const struct vector_test *test) {
    copy_elements(work->call.operands, operation_operands(work->operation, work->call.parameters),
                  test->elements, true);
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    (void)index;
    *(const char **)context = event_names[kind];
}

/* `event` receives the name of what happened besides an answer, or NULL. */
static bool fill(struct array_group *work, const char **event, struct error *error) {
    const struct slice slice = {.count = 1, .array = &work->call};
    *event = NULL;
    return binding_fill(&work->binding, &slice, note_event, event, error);
}

static bool fill_exactly(struct array_group *work, struct error *error) {
    for (int r = 0; r < work->operation->results; r++) {
        struct array *result = &work->call.results[r];
        if (!work->operation->array->exact(&work->call, r, ORACLE_MOST_BITS, work->y, error))
            return false;
        for (uint64_t i = 0; i < shape_elements(&result->shape); i++)
            array_set_code(result, i, array_want(&work->call, r, i, &work->y[i], &(bool){false}));
    }
    return true;
}

static bool bind_det(struct array_group *work, struct error *error) {
    struct error why;
    work->bound = implementation_open(&work->det, "det", NULL, error) &&
                  implementation_bind(&work->binding, &work->det, &work->group->computed, &why);
    return work->bound ||
           error_set(error, "det does not provide %s in %s: %s", work->operation->name,
                     work->group->computed.format->name, why.text);
}

/* Where a test's results begin, of one of whose the group has. */
static uint64_t *elements_of_whose(const struct array_group *work, const struct vector_test *test,
                                   enum vector_expect whose) {
    return test->elements + work->operands +
           (whose == vector_group_first(work->group) ? 0 : work->results);
}

/* One test's results; `event` stays unused, since det has none. */
static bool expect_call(struct array_group *work, const struct vector_test *test,
                        enum vector_expect whose, struct error *error) {
    uint64_t *to = elements_of_whose(work, test, whose);
    const char *event;
    load_operands(work, test);
    if (!(whose == EXPECT_DET ? fill(work, &event, error) : fill_exactly(work, error)))
        return false;
    copy_elements(work->call.results, work->operation->results, to, false);
    for (int j = 0; j < work->operation->results; j++) {
        const struct array *result = &work->call.results[j];
        for (uint64_t k = 0; k < shape_elements(&result->shape); k++, to++)
            if (format_is_nan(result->format, *to))
                *to = result->format->nan;
    }
    return true;
}

bool array_vectors_expect(struct vector_group *group, struct error *error) {
    struct array_group work;
    if (!open_group(&work, group, error))
        return false;
    bool good = !vector_group_expects(group, EXPECT_DET) || bind_det(&work, error);
    for (int whose = 0; whose < VECTOR_EXPECTS; whose++)
        for (size_t i = 0; good && group->expects >> whose & 1 && i < group->tests.count; i++)
            good = expect_call(&work, &group->tests.items[i], (enum vector_expect)whose, error);
    close_group(&work);
    return good;
}

/* What one test came to. */
struct comparison {
    bool failed, within, shown;
    struct verify_mismatch mismatch; /* the first element that fails */
};

/* One element: `want` is what the vectors have. */
static void compare(struct array_group *work, const struct verify_rules *rules, int result,
                    uint64_t element, uint64_t want, struct verify_outcome *outcome,
                    struct comparison *comparison) {
    const struct format *format = work->call.results[result].format;
    uint64_t got = array_code(&work->call.results[result], element);
    if (got == want)
        return;
    bool nans = format_is_nan(format, got) && format_is_nan(format, want);
    outcome->nan_bits_differ += nans;
    if (nans && !rules->strict_nan)
        return;
    const struct judge judge = {format, work->call.rounding, work->call.overflow,
                                rules->strict_nan};
    const struct real *y = &work->y[element];

    bool by_rule;
    uint64_t right = array_want(&work->call, result, element, y, &by_rule);
    struct judgement judgement = judge_by_rule(&judge, y, right, by_rule, got);
    if (judgement.in_ulps && judgement.error > outcome->worst)
        outcome->worst = judgement.error;
    if (judgement.in_ulps && judgement.error <= rules->max_ulp && !format_is_nan(format, want)) {
        comparison->within = true;
        return;
    }
    if (!comparison->failed)
        comparison->mismatch = (struct verify_mismatch){.result = result,
                                                        .format = format,
                                                        .element = element,
                                                        .got = got,
                                                        .want = want,
                                                        .has_error = judgement.in_ulps,
                                                        .error = judgement.error};
    comparison->failed = true;
}

static bool verify_test(struct array_group *work, size_t at, const struct verify_rules *rules,
                        struct verify_outcome *outcome, struct error *error) {
    const struct vector_test *test = &work->group->tests.items[at];
    const uint64_t *want = elements_of_whose(work, test, rules->whose);
    struct comparison comparison = {0};
    load_operands(work, test);
    if (!fill(work, &comparison.mismatch.event, error))
        return false;
    comparison.failed = comparison.mismatch.event;
    for (int r = 0; !comparison.failed && r < work->operation->results; r++) {
        uint64_t elements = shape_elements(&work->call.results[r].shape);
        if (!work->operation->array->exact(&work->call, r, ORACLE_MOST_BITS, work->y, error))
            return false;
        for (uint64_t i = 0; i < elements; i++)
            compare(work, rules, r, i, *want++, outcome, &comparison);
    }
    outcome->mismatches += comparison.failed;
    outcome->within += comparison.within && !comparison.failed;
    comparison.mismatch.test = at;
    if (comparison.failed && outcome->shown_count < rules->most_shown)
        outcome->shown[outcome->shown_count++] = comparison.mismatch;
    return true;
}

bool array_vectors_verify(const struct vector_group *group,
                          const struct implementation *implementation,
                          const struct verify_rules *rules, struct verify_outcome *outcome,
                          struct error *error) {
    struct array_group work;
    *outcome = (struct verify_outcome){.whose = rules->whose};
    if (!open_group(&work, group, error))
        return false;
    work.bound = outcome->provided =
        implementation_bind(&work.binding, implementation, &group->computed, &outcome->reason);
    bool good = outcome->provided || !work.binding.broken;
    if (!good)
        *error = outcome->reason;
    if (outcome->provided) {
        memcpy(outcome->detail, work.binding.detail, sizeof outcome->detail);
        outcome->shown = calloc(rules->most_shown + 1, sizeof *outcome->shown);
        outcome->tests = group->tests.count;
        good = outcome->shown || error_set(error, "out of memory");
    }
    for (size_t i = 0; good && outcome->provided && i < group->tests.count; i++)
        good = verify_test(&work, i, rules, outcome, error);
    close_group(&work);
    return good;
}
