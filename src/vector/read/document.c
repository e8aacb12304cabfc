/* The grammar of detcheck/vectors/1, as a table of members and the places where they stand. */
#include "vector/read/document.h"

#include "op/conversion.h"
#include "vector/array_vectors.h"

#include <stdlib.h>
#include <string.h>

/* The bit of a member in `seen` is its place among those of its object. */
static const struct document_member members[] = {
    {PLACE_DOCUMENT, "schema", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_DOCUMENT, "generator", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_DOCUMENT, "oracle", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_DOCUMENT, "numberOfTests", MEMBER_WHOLE, PLACE_OUTSIDE, false, 0},
    {PLACE_DOCUMENT, "notes", MEMBER_OBJECT, PLACE_NOTES, false, 0},
    {PLACE_DOCUMENT, "testGroups", MEMBER_ARRAY, PLACE_GROUPS, false, 1},
    {PLACE_GROUP, "operation", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_GROUP, "format", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_GROUP, "rounding", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_GROUP, "expect", MEMBER_STRING, PLACE_OUTSIDE, false, 0},
    {PLACE_GROUP, "parameters", MEMBER_OBJECT, PLACE_PARAMETERS, false, 0},
    {PLACE_GROUP, "tininess", MEMBER_STRING, PLACE_OUTSIDE, true, 0},
    {PLACE_GROUP, "tests", MEMBER_ARRAY, PLACE_TESTS, true, 31},
    {PLACE_GROUP, "table", MEMBER_OBJECT, PLACE_TABLE, true, 31},
    {PLACE_TABLE, "tcId", MEMBER_WHOLE, PLACE_OUTSIDE, false, 0},
    {PLACE_TABLE, "out", MEMBER_ARRAY, PLACE_TABLE_OUT, false, 0},
    {PLACE_TABLE, "det", MEMBER_ARRAY, PLACE_TABLE_DET, true, 0},
    {PLACE_TEST, "tcId", MEMBER_WHOLE, PLACE_OUTSIDE, false, 0},
    {PLACE_TEST, "in", MEMBER_ARRAY, PLACE_IN, false, 0},
    {PLACE_TEST, "out", MEMBER_ARRAY, PLACE_OUT, false, 0},
    {PLACE_TEST, "det", MEMBER_ARRAY, PLACE_DET, true, 0},
    {PLACE_TEST, "flags_raised", MEMBER_ARRAY, PLACE_RAISED, true, 0},
    {PLACE_TEST, "flags", MEMBER_ARRAY, PLACE_FLAGS, false, 0},
    {PLACE_TEST, "distance", MEMBER_NUMBER, PLACE_OUTSIDE, true, 0},
};
enum { MEMBERS = sizeof members / sizeof *members };

/* The bits of `tests` and `table`, of which a group has one, as its last member. */
enum { TESTS_OR_TABLE = 64 | 128 };

/* The member's bit in `seen`. */
static unsigned bit_of(const struct document_member *member) {
    unsigned bit = 1;
    for (const struct document_member *other = member; other > members; other--)
        bit <<= other[-1].place == member->place;
    return bit;
}

/* The first member of the object that is missing though it is in `wanted`, or NULL. */
static const char *missing(const struct document *document, unsigned wanted) {
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].place == document_here(document) && bit_of(&members[i]) & wanted &&
            !(bit_of(&members[i]) & document->seen[document->depth]))
            return members[i].name;
    return NULL;
}

static bool open_place(struct document *document, enum document_place place) {
    if (document->depth + 1 == DOCUMENT_DEPTH)
        return error_set(document->error, "objects and arrays that are nested too deep");
    document->places[++document->depth] = place;
    document->seen[document->depth] = 0;
    document->member = NULL;
    document->parameter = NULL;
    return true;
}

bool document_key(struct document *document, const char *text, size_t length) {
    char name[DOCUMENT_TEXT];
    if (!document_take(name, sizeof name, text, length))
        return document_too_long(document, sizeof name);
    if (document_here(document) == PLACE_NOTES)
        return true;
    if (document_here(document) == PLACE_PARAMETERS) {
        for (int i = 0; i < PARAMETER_COUNT; i++)
            if (strcmp(name, parameter_rows[i].name) == 0)
                document->parameter = &parameter_rows[i];
        if (!document->parameter)
            return error_set(document->error, "there is no parameter '%.80s'", name);
        if (document->parameters.values[document->parameter - parameter_rows].present)
            return error_set(document->error, "the parameter %s appears twice", name);
        return true;
    }
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].place == document_here(document) && strcmp(members[i].name, name) == 0)
            document->member = &members[i];
    if (!document->member)
        return error_set(document->error, "%s has no member '%.80s'",
                         document_place_names[document_here(document)], name);
    unsigned *seen = &document->seen[document->depth], bit = bit_of(document->member);
    if (*seen & bit)
        return error_set(document->error, "the member %s appears twice", name);
    const char *first = missing(document, document->member->before);
    if (first)
        return error_set(document->error, "%s must stand after %s", name, first);
    if (document_here(document) == PLACE_GROUP && *seen & TESTS_OR_TABLE)
        return bit & TESTS_OR_TABLE
                   ? error_set(document->error, "a group with both tests and a table")
                   : error_set(document->error, "%s must stand before tests", name);
    *seen |= bit;
    return true;
}

/* The shapes of a group whose operation is on arrays. */
static bool plan_arrays(struct document *document) {
    const struct binding_request *computed = &document_group(document)->computed;
    if (!array_vectors_plan(&document->call, computed, document->error))
        return false;
    document->operands = array_vectors_operands(&document->call, computed->operation);
    document->results = array_vectors_results(&document->call, computed->operation);
    return true;
}

/* Where the elements of a test go. */
static bool begin_elements(struct document *document) {
    document->test.elements =
        calloc((size_t)(document->operands + VECTOR_EXPECTS * document->results), sizeof(uint64_t));
    return document->test.elements || error_set(document->error, "out of memory");
}

/* The next array of `in`, `out` or `det`. */
static bool begin_array(struct document *document, enum document_place place) {
    int *count = &document->counts[place];
    if (*count == document_wanted(document, place))
        return document_too_many(document, place);
    if (!*count)
        document->element = place == PLACE_IN    ? 0
                            : place == PLACE_OUT ? document->operands
                                                 : document->operands + document->results;
    const struct array *arrays =
        place == PLACE_IN ? document->call.operands : document->call.results;
    document->array = &arrays[(*count)++];
    document->array_end = document->element + shape_elements(&document->array->shape);
    return open_place(document, PLACE_ELEMENTS);
}

static bool check_rounding(struct binding_request *computed, struct error *error) {
    struct cast cast;
    conversion_trim(&computed->parameters, computed->rounding);
    if (!computed->operation->converts)
        return rounding_suits_result(computed->operation, computed->format, computed->rounding,
                                     &computed->parameters, error);
    return conversion_make(&cast, computed->format, computed->rounding, &computed->parameters,
                           error);
}

static bool read_tininess(const struct document *document, struct vector_group *group) {
    const char *tininess = document->tininess;
    group->has_raised = *tininess != '\0';
    group->tiny_after_rounding = strcmp(tininess, "after") == 0;
    if (group->has_raised && !group->tiny_after_rounding && strcmp(tininess, "before") != 0)
        return error_set(document->error, "tininess is '%.80s', not before or after", tininess);
    return !group->has_raised || !group->computed.operation->array ||
           error_set(document->error, "%s is on arrays, which have no flags_raised",
                     group->computed.operation->name);
}

/* Looks up what the group's members name, where its tests begin. */
static bool open_group(struct document *document) {
    struct binding_request computed = {.overflow = OVERFLOW_IEEE};
    enum vector_expect expect = VECTOR_EXPECTS;
    size_t rounding = 0;
    computed.operation = operation_find(document->operation, document->error);
    computed.format = computed.operation ? format_find(document->format, document->error) : NULL;
    if (!computed.format)
        return false;
    if (strcmp(computed.operation->name, document->operation) != 0 ||
        strcmp(computed.format->name, document->format) != 0)
        return error_set(document->error, "%s in %s is to be written as %s in %s",
                         document->operation, document->format, computed.operation->name,
                         computed.format->name);
    /* Those from ROUNDING_COUNT on are of some operations. */
    while (rounding < ROUNDING_NAMES && strcmp(rounding_names[rounding], document->rounding) != 0)
        rounding++;
    const bool is_further = rounding >= ROUNDING_COUNT;
    if (rounding == ROUNDING_NAMES ||
        (is_further && !operation_has_rounding(computed.operation, (enum rounding)rounding) &&
         !operation_rounds_to_integers(computed.operation)))
        return error_set(document->error, "unknown rounding '%.80s'", document->rounding);
    computed.rounding = (enum rounding)rounding;
    for (int i = 0; i < VECTOR_EXPECTS; i++)
        if (strcmp(vector_expect_names[i], document->expect) == 0)
            expect = (enum vector_expect)i;
    if (expect == VECTOR_EXPECTS)
        return error_set(document->error, "expect is '%.80s', not correctly_rounded or det",
                         document->expect);
    parameter_set taken = operation_parameters(computed.operation, computed.format);
    if (parameters_present(&document->parameters) & ~taken)
        return error_set(document->error, "%s does not take these parameters",
                         computed.operation->name);
    if (!operation_settle(computed.operation, computed.format, &document->parameters,
                          &computed.parameters, document->error) ||
        !check_rounding(&computed, document->error))
        return false;
    document->result_format = request_result_format(&computed);
    struct vector_group *group = vector_file_add(document->file, &computed, 1u << expect);
    if (!group)
        return error_set(document->error, "out of memory");
    if (!read_tininess(document, group))
        return false;
    return !computed.operation->array || plan_arrays(document);
}

static bool begin_member(struct document *document, bool is_object) {
    const struct document_member *member = document->member;
    if (member->kind != (is_object ? MEMBER_OBJECT : MEMBER_ARRAY))
        return document_unexpected(document, is_object ? "an object" : "an array");
    if ((member->inside == PLACE_TESTS || member->inside == PLACE_TABLE) && !open_group(document))
        return false;
    if (member->inside == PLACE_TABLE && !document_begin_table(document))
        return false;
    document->has_det = document->has_det || member->inside == PLACE_DET;
    document->has_raised = document->has_raised || member->inside == PLACE_RAISED;
    return open_place(document, member->inside);
}

bool document_begin(struct document *document, bool is_object) {
    enum document_place place = document_here(document);
    if (document->member)
        return begin_member(document, is_object);
    if (is_object && place == PLACE_OUTSIDE)
        return open_place(document, PLACE_DOCUMENT);
    if (is_object && place == PLACE_GROUPS) {
        document->parameters = (struct parameters){0};
        document->tininess[0] = '\0';
        return open_place(document, PLACE_GROUP);
    }
    if (is_object && place == PLACE_TESTS) {
        document->test = (struct vector_test){0};
        memset(document->counts, 0, sizeof document->counts);
        document->has_det = document->has_raised = false;
        if (document_group(document)->computed.operation->array && !begin_elements(document))
            return false;
        return open_place(document, PLACE_TEST);
    }
    if (!is_object && place == PLACE_PARAMETERS && document->parameter &&
        document->parameter->kind == PARAMETER_SHAPE) {
        const struct parameter *row = document->parameter;
        bool opened = open_place(document, PLACE_EXTENTS);
        document->shape[0] = '\0';
        document->parameter = row;
        return opened;
    }
    if (!is_object && (place == PLACE_IN || place == PLACE_OUT || place == PLACE_DET)) {
        const struct operation *operation = document_group(document)->computed.operation;
        return operation->array
                   ? begin_array(document, place)
                   : error_set(document->error, "%s takes numbers, not arrays", operation->name);
    }
    return document_unexpected(document, is_object ? "an object" : "an array");
}

/* Whether a test has det's outputs beside the correctly rounded ones as the others of its group
 * do. */
static bool check_det(struct document *document) {
    struct vector_group *group = document_group(document);
    if (document->has_det && vector_group_first(group) == EXPECT_DET)
        return error_set(document->error, "det and out both have det's outputs; leave out one");
    if (document->has_det && !group->tests.count)
        group->expects |= 1u << EXPECT_DET;
    bool wanted =
        vector_group_first(group) != EXPECT_DET && vector_group_expects(group, EXPECT_DET);
    return document->has_det == wanted ||
           error_set(document->error, "some tests of a group have the member det, and others not");
}

static bool end_test(struct document *document) {
    const struct operation *operation = document_group(document)->computed.operation;
    const int *counts = document->counts, operands = document_wanted(document, PLACE_IN);
    if (counts[PLACE_IN] != operands || counts[PLACE_OUT] != operation->results ||
        (document->has_det && counts[PLACE_DET] != operation->results))
        return error_set(document->error,
                         "%s takes %d operand%s and gives %d result%s; here are %d and %d",
                         operation->name, operands, operands == 1 ? "" : "s", operation->results,
                         operation->results == 1 ? "" : "s", counts[PLACE_IN],
                         counts[document->has_det ? PLACE_DET : PLACE_OUT]);
    if (!check_det(document))
        return false;
    if (document->has_raised != document_group(document)->has_raised)
        return error_set(document->error,
                         document->has_raised
                             ? "a test has flags_raised, but its group has no tininess"
                             : "a test lacks flags_raised, but its group has tininess");
    document->file->test_count++;
    if (!vector_tests_add(&document_group(document)->tests, &document->test))
        return error_set(document->error, "out of memory");
    document->test.elements = NULL; /* now the list's */
    return true;
}

static unsigned required(enum document_place place) {
    unsigned bits = 0;
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].place == place && !members[i].optional)
            bits |= bit_of(&members[i]);
    return bits;
}

bool document_end(struct document *document) {
    enum document_place place = document_here(document);
    const char *absent = missing(document, required(place));
    if (absent)
        return error_set(document->error, "%s lacks the member %s", document_place_names[place],
                         absent);
    if (place == PLACE_GROUP && !(document->seen[document->depth] & TESTS_OR_TABLE))
        return error_set(document->error, "a group lacks the member tests");
    if (place == PLACE_TABLE && !document_end_table(document))
        return false;
    if (place == PLACE_ELEMENTS && document->element != document->array_end)
        return error_set(document->error, "the array ends %llu elements early",
                         (unsigned long long)(document->array_end - document->element));
    if (place == PLACE_TEST && !end_test(document))
        return false;
    if (place == PLACE_TESTS && !document_group(document)->tests.count)
        return error_set(document->error, "a group without tests");
    if (place == PLACE_GROUPS && !document->file->group_count)
        return error_set(document->error, "there are no test groups");
    document->depth--;
    document->member = NULL;
    return place != PLACE_EXTENTS || document_set_parameter(document, document->shape);
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool ids_differ(struct document *document) {
    const struct vector_file *file = document->file;
    uint64_t *ids = malloc((size_t)file->test_count * sizeof *ids);
    size_t at = 0;
    if (!ids)
        return error_set(document->error, "out of memory");
    for (size_t i = 0; i < file->group_count; i++)
        for (size_t j = 0; j < file->groups[i].tests.count; j++)
            ids[at++] = file->groups[i].tests.items[j].id;
    qsort(ids, at, sizeof *ids, by_number);
    size_t twice = 1;
    while (twice < at && ids[twice] != ids[twice - 1])
        twice++;
    bool differ = twice >= at;
    if (!differ)
        error_set(document->error, "two tests have the tcId %llu", (unsigned long long)ids[twice]);
    free(ids);
    return differ;
}

bool document_check(struct document *document) {
    if (document->claimed != document->file->test_count)
        return error_set(document->error, "numberOfTests is %llu, but there are %llu tests",
                         (unsigned long long)document->claimed,
                         (unsigned long long)document->file->test_count);
    return ids_differ(document);
}
