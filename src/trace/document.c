/* Reading, and mending what is torn off. */
#include "trace/document.h"

#include "base/json.h"
#include "base/json_tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

/* The first line ends with the array of operations, and each of the others is an operation. */
static const char head[] = "\"operations\":[";
static const char tail[] = "\n],\"left_out\":[],\"complete\":false}";

/* How much of the text is whole lines, without a comma behind the last; 0 where it is no trace of lines. */
static size_t whole_lines(const char *text, size_t length) {
    const char *first = memchr(text, '\n', length);
    if (!first || (size_t)(first - text) < strlen(head) ||
        memcmp(first - strlen(head), head, strlen(head)) != 0)
        return 0;
    size_t end = length;
    while (end && text[end - 1] != '\n')
        end--;
    while (end && (text[end - 1] == '\n' || text[end - 1] == ','))
        end--;
    return end;
}

/* Reads it again: a text that is no JSON is no more. NULL without an error where it cannot be mended. */
static cJSON *read_torn(const char *path) {
    struct error unused;
    size_t length;
    char *text = file_read(path, MOST_BYTES, "trace", &length, &unused);
    const size_t whole = text ? whole_lines(text, length) : 0;
    char *mended = whole ? realloc(text, whole + sizeof tail) : NULL;
    if (!mended) {
        free(text);
        return NULL;
    }
    memcpy(mended + whole, tail, sizeof tail);
    return json_tree_make(mended, whole + sizeof tail - 1, path, &unused);
}

cJSON *trace_document_read(const char *path, struct error *error) {
    size_t length;
    char *text = file_read(path, MOST_BYTES, "trace", &length, error);
    cJSON *document = text ? json_parse(text, length, path, "trace", error) : NULL;
    return document || !text ? document : read_torn(path);
}
