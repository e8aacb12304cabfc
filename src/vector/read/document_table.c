/* A table: the outputs of every input of a format of few bits, in the order of the inputs' codes. */
#include "vector/read/document.h"

enum { TABLE_BITS = 8 };

bool document_begin_table(struct document *document) {
    struct vector_group *group = document_group(document);
    const struct operation *operation = group->computed.operation;
    const struct format *format = group->computed.format;
    if (operation->array || operation->operands != 1 || format->width > TABLE_BITS)
        return error_set(document->error,
                         "a table is of one operand of at most %d bits, not of %s in %s",
                         TABLE_BITS, operation->name, format->name);
    if (group->has_raised)
        return error_set(document->error, "tininess, where a table has no flags_raised");
    document->test = (struct vector_test){0};
    memset(document->counts, 0, sizeof document->counts);
    for (uint64_t code = 0; code <= format_mask(format); code++) {
        const struct vector_test test = {.in = {code}, .flags = 1u << VECTOR_EVERY};
        if (!vector_tests_add(&group->tests, &test))
            return error_set(document->error, "out of memory");
    }
    document->file->test_count += group->tests.count;
    return true;
}

bool document_table_outputs(struct document *document, enum document_place place, const char *text,
                            size_t length) {
    struct vector_group *group = document_group(document);
    const struct format *format = document->result_format;
    int *count = &document->counts[place];
    enum vector_expect whose = place == PLACE_TABLE_DET ? EXPECT_DET : vector_group_first(group);
    if (*count == document_wanted(document, place))
        return document_too_many(document, place);
    size_t found = 0, wanted = group->tests.count, at = 0;
    for (; found < wanted && at <= length; found++) {
        uint64_t *code = &group->tests.items[found].out[whose][*count];
        size_t digits = document_code_length(text + at, length - at);
        if (!document_read_code(document, format, text + at, digits, code) ||
            !document_check_nan(document, *code, text + at, digits))
            return false;
        at += digits + 1;
    }
    ++*count;
    return (found == wanted && at > length) ||
           error_set(document->error, "a table of %s has %zu outputs of a result, and here are %s",
                     group->computed.format->name, wanted, found < wanted ? "fewer" : "more");
}

bool document_end_table(struct document *document) {
    struct vector_group *group = document_group(document);
    const struct operation *operation = group->computed.operation;
    bool has_det = document->counts[PLACE_TABLE_DET] > 0;
    if (document->counts[PLACE_TABLE_OUT] != operation->results ||
        (has_det && document->counts[PLACE_TABLE_DET] != operation->results))
        return error_set(document->error, "%s gives %d result%s; the table has fewer",
                         operation->name, operation->results, operation->results == 1 ? "" : "s");
    if (has_det && vector_group_first(group) == EXPECT_DET)
        return error_set(document->error, "det and out both have det's outputs; leave out one");
    group->expects |= has_det ? 1u << EXPECT_DET : 0;
    for (size_t i = 0; i < group->tests.count; i++)
        group->tests.items[i].id = document->test.id + i;
    return true;
}
