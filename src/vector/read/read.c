/* Parsing by yajl, piece by piece, with the position kept. */
#include "vector/read/read.h"

#include "base/memory.h"
#include "vector/read/document.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

/* Longest run of bytes without a value: texts are a few characters, and the parser would keep a
 * longer one in memory. */
enum { PIECE = 1 << 16, LONGEST_SILENCE = 1 << 20 };

struct vector_reading {
    struct document document;
    yajl_handle parser;
    size_t line, column_offset; /* lines before this piece; bytes of the line before it */
    size_t silence;             /* bytes since the last event */
    bool failed;                /* the document refused something */
};

static int heard(struct vector_reading *reading, bool good) {
    reading->silence = 0;
    reading->failed = !good;
    return good;
}

static int on_null(void *context) {
    struct vector_reading *reading = context;
    return heard(reading, document_literal(&reading->document, "null"));
}

static int on_boolean(void *context, int value) {
    struct vector_reading *reading = context;
    return heard(reading, document_literal(&reading->document, value ? "true" : "false"));
}

static int on_number(void *context, const char *text, size_t length) {
    struct vector_reading *reading = context;
    return heard(reading, document_number(&reading->document, text, length));
}

static int on_string(void *context, const unsigned char *text, size_t length) {
    struct vector_reading *reading = context;
    return heard(reading, document_string(&reading->document, (const char *)text, length));
}

static int on_key(void *context, const unsigned char *text, size_t length) {
    struct vector_reading *reading = context;
    return heard(reading, document_key(&reading->document, (const char *)text, length));
}

static int on_object(void *context) {
    struct vector_reading *reading = context;
    return heard(reading, document_begin(&reading->document, true));
}

static int on_array(void *context) {
    struct vector_reading *reading = context;
    return heard(reading, document_begin(&reading->document, false));
}

static int on_end(void *context) {
    struct vector_reading *reading = context;
    return heard(reading, document_end(&reading->document));
}

static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                         .yajl_boolean = on_boolean,
                                         .yajl_number = on_number,
                                         .yajl_string = on_string,
                                         .yajl_start_map = on_object,
                                         .yajl_map_key = on_key,
                                         .yajl_end_map = on_end,
                                         .yajl_start_array = on_array,
                                         .yajl_end_array = on_end};

/* Moves the position over the bytes. */
static void advance(struct vector_reading *reading, const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        reading->line += bytes[i] == '\n';
        reading->column_offset = bytes[i] == '\n' ? 0 : reading->column_offset + 1;
    }
}

/* The first line of what the parser has to say. */
static void parser_says(struct vector_reading *reading, struct error *error) {
    unsigned char *text = yajl_get_error(reading->parser, 0, NULL, 0);
    error_set(error, "not JSON: %.*s", text ? (int)strcspn((char *)text, "\n") : 0,
              text ? (char *)text : "");
    if (text)
        yajl_free_error(reading->parser, text);
}

static bool fail_here(struct vector_reading *reading, const char *path, struct error *error) {
    struct error why = *reading->document.error;
    return error_set(error, "%.200s, line %zu, column %zu: %s", path, reading->line + 1,
                     reading->column_offset + 1, why.text);
}

/* False when the piece is refused; the position is then where. */
static bool parse_piece(struct vector_reading *reading, const unsigned char *bytes, size_t count) {
    yajl_status status = yajl_parse(reading->parser, bytes, count);
    size_t consumed = yajl_get_bytes_consumed(reading->parser);
    if (status == yajl_status_ok && (reading->silence += count) <= LONGEST_SILENCE) {
        advance(reading, bytes, count);
        return true;
    }
    advance(reading, bytes, consumed && consumed <= count ? consumed - 1 : 0);
    if (status == yajl_status_ok)
        return error_set(reading->document.error, "a mebibyte without a value");
    if (!reading->failed)
        parser_says(reading, reading->document.error);
    return false;
}

static bool parse(struct vector_reading *reading, const char *path, FILE *stream,
                  struct error *error) {
    unsigned char *bytes = malloc(PIECE);
    size_t count = 0;
    bool good = bytes != NULL || error_set(error, "out of memory");
    for (bool first = true; good && (count = fread(bytes, 1, PIECE, stream)) > 0; first = false) {
        /* A byte order mark says nothing of UTF-8, and no reader may stumble over it (RFC 8259). */
        size_t mark = first && count >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
        good = parse_piece(reading, bytes + mark, count - mark) || fail_here(reading, path, error);
    }
    free(bytes);
    if (!good)
        return false;
    if (ferror(stream))
        return error_set(error, "cannot read %.200s: %s", path, strerror(errno));
    if (yajl_complete_parse(reading->parser) == yajl_status_ok && reading->document.over)
        return true;
    if (reading->failed) /* a number, which ends only there */
        return fail_here(reading, path, error);
    if (!reading->line && !reading->column_offset)
        return error_set(error, "%.200s is empty; it should be vectors (detcheck-vectors(7))",
                         path);
    error_set(reading->document.error, "the file ends here; vectors go on");
    return fail_here(reading, path, error);
}

bool vector_read_stream(struct vector_file *file, const char *path, FILE *stream,
                        struct error *error) {
    struct error why = {{0}};
    struct vector_reading *reading = calloc(1, sizeof *reading);
    *file = (struct vector_file){.path = path};
    if (!reading)
        return error_set(error, "out of memory");
    reading->document.file = file;
    reading->document.error = &why;
    reading->parser = yajl_alloc(&callbacks, &memory_for_yajl, reading);
    bool good =
        reading->parser ? parse(reading, path, stream, error) : error_set(error, "out of memory");
    if (good && !document_check(&reading->document))
        good = error_set(error, "%.200s: %s", path, why.text);
    if (reading->parser)
        yajl_free(reading->parser);
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
