/* A JSON text piece by piece, as a strict reader sees it (RFC 8259): valid UTF-8, no NUL, and the place of
 * what is wrong. cJSON's own parser takes more than JSON, knows no place, and wants the whole text. */
#ifndef DETCHECK_BASE_JSON_SCAN_H
#define DETCHECK_BASE_JSON_SCAN_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum json_token {
    JSON_BAD, /* json_scan_fail says what is wrong */
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_NAME, /* of the member whose value comes next */
    JSON_OBJECT,
    JSON_ARRAY,
    JSON_END, /* of the innermost object or array */
    JSON_OVER /* of the text */
};

enum { JSON_DEPTH = 1000 };

enum json_state { JSON_FIRST, JSON_AFTER_NAME, JSON_AFTER_VALUE, JSON_AFTER_COMMA };

struct json_scan {
    FILE *stream; /* NULL: the text is there as a whole */
    char *buffer, *at, *end;
    char *token; /* a string, a name or a number, until the next call; the first two end in a NUL */
    size_t length; /* of it */
    size_t before; /* bytes of the stream before the buffer */
    size_t line, line_start;
    const char *says;
    enum json_state state;
    int depth;
    bool is_object[JSON_DEPTH];
};

/* A text that the caller keeps, and that strings are decoded into: what has no escapes stays in place. */
void json_scan_text(struct json_scan *scan, char *text, size_t length);
/* Reads a stream and keeps its first mebibyte. False when memory is out. */
bool json_scan_stream(struct json_scan *scan, FILE *stream);
void json_scan_free(struct json_scan *scan); /* after json_scan_stream */

enum json_token json_next(struct json_scan *scan);

/* "PATH, line N, column N: SAYS"; always false. NULL: what JSON_BAD was; else of the last token. */
bool json_scan_fail(const struct json_scan *scan, const char *path, const char *says,
                    struct error *error);

#endif
