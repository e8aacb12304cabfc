/* Reading, and mending what is torn off. */
#include "trace/document.h"

#include "base/json.h"
#include "base/json_tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 };

/* A line ends with the array of operations, and each of those behind it is an operation. The recorder writes what it knows
 * of the run behind them, so that a torn text may not name the recorder. */
static const char head[] = "\"operations\":[\n", recorder[] = "\"recorder\":";
static const char tail[] = "\n],\"left_out\":[],\"complete\":false}",
                  nameless[] = "\n],\"recorder\":\"not known\",\"left_out\":[],\"complete\":false}";

/* How much of the text are whole operations, without a comma behind the last; 0 where it is no trace of lines. *is_named:
 * the recorder is named before them. */
static size_t whole_lines(const char *text, size_t length, bool *is_named) {
    const char *first = strstr(text, head), *named = strstr(text, recorder);
    if (!first)
        return 0;
    *is_named = named && named < first;
    const size_t least = (size_t)(first - text) + strlen(head) - 1;
    size_t end = length;
    while (end > least && text[end - 1] != '\n')
        end--;
    for (;;) {
        while (end > least && (text[end - 1] == '\n' || text[end - 1] == ','))
            end--;
        size_t line = end;
        while (line > least && text[line - 1] != '\n')
            line--;
        if (line == end || text[line] == '{')
            return end;
        end = line;
    }
}

/* Reads it again: a text that is no JSON is no more. NULL without an error where it cannot be mended. */
static cJSON *read_torn(const char *path) {
    struct error unused;
    size_t length;
    bool is_named = false;
    char *text = file_read(path, MOST_BYTES, "trace", &length, &unused);
    const size_t whole = text ? whole_lines(text, length, &is_named) : 0;
    const char *end = is_named ? tail : nameless;
    char *mended = whole ? realloc(text, whole + strlen(end) + 1) : NULL;
    if (!mended) {
        free(text);
        return NULL;
    }
    memcpy(mended + whole, end, strlen(end) + 1);
    return json_tree_make(mended, whole + strlen(end), path, &unused);
}

cJSON *trace_document_read(const char *path, struct error *error) {
    size_t length;
    char *text = file_read(path, MOST_BYTES, "trace", &length, error);
    cJSON *document = text ? json_parse(text, length, path, "trace", error) : NULL;
    return document || !text ? document : read_torn(path);
}
