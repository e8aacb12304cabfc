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
    oracle_open(&oracle, computed->operation, computed->format, oracle_precision(format));
    oracle.rounding = computed->rounding;
    for (size_t i = 0; i < group->tests.count && found; i++) {
        struct vector_test *test = &group->tests.items[i];
        for (int j = 0; j < computed->operation->results && found; j++) {
            struct real y;
            found = oracle_exact(&oracle, test->in, j, &y, error);
            if (found)
                test->out[EXPECT_CORRECTLY_ROUNDED][j] =
                    format_encode(format, &y, computed->rounding, computed->overflow);
        }
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
struct piece {
    event_function *event;
    void *context;
    size_t first;
};

static void pass_event(void *context, enum event_kind kind, size_t index) {
    const struct piece *piece = context;
    piece->event(piece->context, kind, piece->first + index);
}

/* Tests first .. first + count - 1, by way of the inputs' arrays. */
static bool fill_piece(struct binding *binding, const struct vector_group *group, size_t first,
                       size_t count, void *const *inputs, void *const *results,
                       const struct piece *piece, struct error *error) {
    size_t in_bytes = format_bytes(binding->request.format);
    size_t out_bytes = format_bytes(request_result_format(&binding->request));
    struct slice slice = {.first = group->first + first, .count = count};
    for (int i = 0; i < binding->request.operation->operands; i++) {
        for (size_t at = 0; at < count; at++)
            code_store(inputs[i], in_bytes, at, group->tests.items[first + at].in[i]);
        slice.operands[i] = inputs[i];
    }
    for (int i = 0; i < binding->request.operation->results; i++)
        slice.results[i] = (char *)results[i] + first * out_bytes;
    return binding_fill(binding, &slice, pass_event, (void *)piece, error);
}

bool expect_fill(struct binding *binding, const struct vector_group *group, void *const *results,
                 event_function *event, void *context, struct error *error) {
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
    for (size_t first = 0; first < total && good; first += PIECE) {
        struct piece piece = {event, context, first};
        size_t count = total - first < PIECE ? total - first : PIECE;
        good = fill_piece(binding, group, first, count, inputs, results, &piece, error);
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

static bool store_outputs(struct vector_group *group, struct binding *binding, void *const *results,
                          struct error *error) {
    const struct format *format = request_result_format(&group->computed);
    bool happened = false;
    if (!expect_fill(binding, group, results, note_event, &happened, error))
        return false;
    if (happened)
        return error_set(error, "det crashed on %s", group->computed.operation->name);
    for (size_t i = 0; i < group->tests.count; i++)
        for (int j = 0; j < group->computed.operation->results; j++) {
            uint64_t code = code_load(results[j], format_bytes(format), i);
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
    void *results[MAX_RESULTS] = {0};
    bool room = true;
    for (int i = 0; i < group->computed.operation->results; i++) {
        results[i] =
            malloc(group->tests.count * format_bytes(request_result_format(&group->computed)) + 1);
        room = room && results[i];
    }
    bool stored =
        room ? store_outputs(group, &binding, results, error) : error_set(error, "out of memory");
    for (int i = 0; i < MAX_RESULTS; i++)
        free(results[i]);
    binding_close(&binding);
    return stored;
}

bool expect_outputs(struct vector_group *group, struct error *error) {
    if (group->computed.operation->array)
        return array_vectors_expect(group, error);
    if (vector_group_expects(group, EXPECT_DET) && !expect_det(group, error))
        return false;
    if (!vector_group_expects(group, EXPECT_CORRECTLY_ROUNDED))
        return true;
    return group->computed.operation->converts ? expect_converted(group, error)
                                               : expect_rounded(group, error);
}
