/* Filling in expected outputs. */
#include "vector/expect.h"

#include "op/conversion.h"
#include "oracle/exact.h"
#include "vector/array_vectors.h"

#include <stdlib.h>

/* Tests given to an implementation at a time. */
enum { PIECE = 1 << 14 };

static bool expect_rounded(struct vector_group *group, struct error *error) {
    const struct binding_request *computed = &group->computed;
    const struct format *format = request_result_format(computed);
    struct oracle oracle;
    bool found = true;
    oracle_open(&oracle, computed->operation, computed->format, &computed->parameters,
                oracle_precision(format));
    oracle.rounding = computed->rounding;
    for (size_t i = 0; i < group->tests.count && found; i++) {
        struct vector_test *test = &group->tests.items[i];
        for (int j = 0; j < computed->operation->results && found; j++) {
            struct real y;
            found = oracle_exact(&oracle, test->in, j, &y, error);
            if (found)
                test->out[EXPECT_CORRECTLY_ROUNDED][j] = projected_code(
                    format, &y, computed->rounding, computed->overflow, &computed->parameters, i);
        }
    }
    oracle_close(&oracle);
    return found;
}

static bool expect_raised(struct vector_group *group, struct error *error) {
    const struct flag_setting setting = vector_group_flags(group);
    struct oracle oracle;
    bool found = true;
    oracle_open(&oracle, setting.operation, setting.format, &group->computed.parameters,
                oracle_precision(setting.results));
    oracle.rounding = setting.rounding;
    for (size_t i = 0; i < group->tests.count && found; i++) {
        struct vector_test *test = &group->tests.items[i];
        struct real exact[MAX_RESULTS];
        for (int j = 0; j < setting.operation->results && found; j++)
            found = oracle_exact(&oracle, test->in, j, &exact[j], error);
        if (found)
            test->raised = oracle_flags_raised(&setting, test->in, exact);
    }
    oracle_close(&oracle);
    return found;
}

/* The conversions by the exact rule; a test's place in its group is its element's number. */
static bool expect_converted(struct vector_group *group, struct error *error) {
    const struct binding_request *computed = &group->computed;
    struct cast cast;
    if (!conversion_make(&cast, computed->format, computed->rounding, &computed->parameters, error))
        return false;
    for (size_t i = 0; i < group->tests.count; i++) {
        struct vector_test *test = &group->tests.items[i];
        test->out[EXPECT_CORRECTLY_ROUNDED][0] = cast_code(
            &cast, test->in[0], conversion_random(&cast, &computed->parameters, group->first + i));
    }
    return true;
}

/* Where an event of a piece is to be told. */
struct expected_part {
    event_function *event;
    void *context;
    size_t first;
};

static void pass_event(void *context, enum event_kind kind, size_t index) {
    const struct expected_part *piece = context;
    piece->event(piece->context, kind, piece->first + index);
}

/* Tests first .. first + count - 1, by way of the inputs' arrays. */
static bool fill_piece(struct binding *binding, const struct vector_group *group, size_t first,
                       size_t count, void *const *inputs, const struct expect_answers *answers,
                       const struct expected_part *piece, struct error *error) {
    size_t in_bytes = format_bytes(binding->request.format);
    size_t out_bytes = format_bytes(request_result_format(&binding->request));
    struct slice slice = {.first = group->first + first,
                          .count = count,
                          .raised = answers->raised ? answers->raised + first : NULL,
                          .cleared = answers->cleared ? answers->cleared + first : NULL,
                          .errnos = answers->errnos ? answers->errnos + first : NULL};
    for (int i = 0; i < binding->request.operation->operands; i++) {
        for (size_t at = 0; at < count; at++)
            code_store(inputs[i], in_bytes, at, group->tests.items[first + at].in[i]);
        slice.operands[i] = inputs[i];
    }
    struct earlier_answers here = {.any = false};
    for (int i = 0; i < binding->request.operation->results; i++) {
        slice.results[i] = (char *)answers->results[i] + first * out_bytes;
        if (answers->earlier)
            here.results[i] = (char *)answers->earlier->results[i] + first * out_bytes;
    }
    if (answers->earlier) {
        here.state = answers->earlier->state + first;
        slice.earlier = &here;
    }
    bool filled = binding_fill(binding, &slice, pass_event, (void *)piece, error);
    if (answers->earlier)
        answers->earlier->any = answers->earlier->any || here.any;
    return filled;
}

bool expect_fill(struct binding *binding, const struct vector_group *group,
                 const struct expect_answers *answers, event_function *event, void *context,
                 struct error *error) {
    int operands = binding->request.operation->operands;
    void *inputs[MAX_OPERANDS] = {0};
    bool good = true;
    for (int i = 0; i < operands; i++) {
        inputs[i] = malloc(PIECE * format_bytes(binding->request.format));
        good = good && inputs[i];
    }
    if (!good)
        error_set(error, "out of memory");
    size_t total = group->tests.count;
    /* The flags of an array are those of all its inputs together. */
    size_t most = (answers->raised || answers->errnos) && binding->flags_of_arrays ? 1 : PIECE;
    for (size_t first = 0; first < total && good; first += most) {
        struct expected_part piece = {event, context, first};
        size_t count = total - first < most ? total - first : most;
        good = fill_piece(binding, group, first, count, inputs, answers, &piece, error);
    }
    for (int i = 0; i < operands; i++)
        free(inputs[i]);
    return good;
}

static void note_event(void *context, enum event_kind kind, size_t index) {
    (void)kind;
    (void)index;
    *(bool *)context = true;
}

static bool store_outputs(struct vector_group *group, struct binding *binding,
                          const struct expect_answers *answers, struct error *error) {
    const struct format *format = request_result_format(&group->computed);
    bool happened = false;
    if (!expect_fill(binding, group, answers, note_event, &happened, error))
        return false;
    if (happened)
        return error_set(error, "det crashed on %s", group->computed.operation->name);
    for (size_t i = 0; i < group->tests.count; i++)
        for (int j = 0; j < group->computed.operation->results; j++) {
            uint64_t code = code_load(answers->results[j], format_bytes(format), i);
            /* Of a conversion which NaN it is may be part of the profile. */
            bool canonical = format_is_nan(format, code) && !group->computed.operation->converts;
            group->tests.items[i].out[EXPECT_DET][j] = canonical ? format->nan : code;
        }
    return true;
}

static bool expect_det(struct vector_group *group, struct error *error) {
    struct implementation det;
    struct binding binding;
    struct error why;
    if (!implementation_open(&det, "det", NULL, error))
        return false;
    if (!implementation_bind(&binding, &det, &group->computed, &why)) {
        *error = why;
        return false;
    }
    struct expect_answers answers = {.raised = NULL};
    bool room = true;
    for (int i = 0; i < group->computed.operation->results; i++) {
        answers.results[i] =
            malloc(group->tests.count * format_bytes(request_result_format(&group->computed)) + 1);
        room = room && answers.results[i];
    }
    bool stored =
        room ? store_outputs(group, &binding, &answers, error) : error_set(error, "out of memory");
    for (int i = 0; i < MAX_RESULTS; i++)
        free(answers.results[i]);
    binding_close(&binding);
    return stored;
}

bool expect_outputs(struct vector_group *group, struct error *error) {
    if (group->computed.operation->array)
        return array_vectors_expect(group, error);
    if (group->has_raised && !expect_raised(group, error))
        return false;
    if (vector_group_expects(group, EXPECT_DET) && !expect_det(group, error))
        return false;
    if (!vector_group_expects(group, EXPECT_CORRECTLY_ROUNDED))
        return true;
    return group->computed.operation->converts ? expect_converted(group, error)
                                               : expect_rounded(group, error);
}
