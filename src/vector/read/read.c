/* Parsing, token by token. */
#include "vector/read/read.h"

#include "base/json_scan.h"
#include "format/format.h"
#include "vector/read/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct vector_reading {
    struct document document;
    struct json_scan scan;
};

/* An array as one text: as if its elements came one by one. */
static bool take_array(struct document *document, const char *text, size_t length) {
    if (length >= 2 && memcmp(text, "0x", 2) == 0)
        return error_set(
            document->error,
            "%s takes arrays: each is an array of bits, or a text of several without 0x",
            document_group(document)->computed.operation->name);
    if (!document_begin(document, false))
        return false;
    if (format_is_whole(document->array->format))
        return error_set(document->error, "integers are an array of decimals, not a text");
    for (size_t at = 0; at <= length;) {
        size_t one = document_code_length(text + at, length - at);
        if (!document_element(document, text + at, one, false))
            return false;
        at += one + 1;
    }
    return document_end(document);
}

static bool take_string(struct document *document, const char *text, size_t length) {
    enum document_place place = document_here(document);
    bool is_value = place == PLACE_IN || place == PLACE_OUT || place == PLACE_DET;
    if (is_value && document_group(document)->computed.operation->array)
        return take_array(document, text, length);
    if (place == PLACE_TABLE_OUT || place == PLACE_TABLE_DET)
        return document_table_outputs(document, place, text, length);
    return document_string(document, text, length);
}

static bool take(struct document *document, enum json_token token, const struct json_scan *scan) {
    switch (token) {
    case JSON_NULL:
        return document_literal(document, "null");
    case JSON_FALSE:
        return document_literal(document, "false");
    case JSON_TRUE:
        return document_literal(document, "true");
    case JSON_NUMBER:
        return document_number(document, scan->token, scan->length);
    case JSON_STRING:
        return take_string(document, scan->token, scan->length);
    case JSON_NAME:
        return document_key(document, scan->token, scan->length);
    case JSON_END:
        return document_end(document);
    default:
        return document_begin(document, token == JSON_OBJECT);
    }
}

static bool parse(struct vector_reading *reading, const char *path, FILE *stream,
                  struct error *error) {
    struct json_scan *scan = &reading->scan;
    struct document *document = &reading->document;
    enum json_token token;
    while ((token = json_next(scan)) > JSON_BAD && token < JSON_OVER)
        if (!take(document, token, scan)) {
            struct error why = *document->error;
            return json_scan_fail(scan, path, why.text, error);
        }
    if (ferror(stream))
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    if (token == JSON_OVER)
        return true;
    if (!scan->before && scan->end == scan->buffer)
        return error_set(error, "%.200s is empty; it should be vectors (detcheck-vectors(7))",
                         path);
    return json_scan_fail(scan, path, NULL, error);
}

bool vector_read_stream(struct vector_file *file, const char *path, FILE *stream,
                        struct error *error) {
    struct error why = {{0}};
    struct vector_reading *reading = calloc(1, sizeof *reading);
    *file = (struct vector_file){.path = path};
    if (!reading || !json_scan_stream(&reading->scan, stream)) {
        free(reading);
        return error_set(error, "out of memory");
    }
    reading->document.file = file;
    reading->document.error = &why;
    bool good = parse(reading, path, stream, error);
    if (good && !document_check(&reading->document))
        good = error_set(error, "%.200s: %s", path, why.text);
    json_scan_free(&reading->scan);
    free(reading->document.test.elements); /* of a test that did not come to its end */
    free(reading);
    if (!good)
        vector_file_free(file);
    return good;
}

bool vector_read(struct vector_file *file, const char *path, struct error *error) {
    bool is_stdin = strcmp(path, "-") == 0;
    *file = (struct vector_file){0};
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (!stream)
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    bool good = vector_read_stream(file, path, stream, error);
    if (!is_stdin)
        fclose(stream);
    return good;
}
