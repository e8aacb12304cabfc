/* The grammar of JSON, one token a call. */
#include "base/json_scan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, MOST_KEPT = 1 << 20 };

/* Reads on, and keeps what the call has seen so far. */
static bool refill(struct json_scan *scan) {
    size_t kept = (size_t)(scan->end - scan->token), back = (size_t)(scan->token - scan->buffer);
    if (!scan->stream || scan->says)
        return false;
    if (kept > MOST_KEPT) {
        scan->says = "a mebibyte without a value";
        return false;
    }
    memmove(scan->buffer, scan->token, kept);
    scan->at -= back;
    scan->token -= back;
    scan->before += back;
    scan->end = scan->buffer + kept;
    scan->end += fread(scan->end, 1, PIECE, scan->stream);
    return scan->at < scan->end;
}

/* The next byte, or EOF. */
static inline int peek(struct json_scan *scan) {
    return scan->at < scan->end || refill(scan) ? (unsigned char)*scan->at : EOF;
}

static enum json_token refuse(struct json_scan *scan, const char *says) {
    int c = peek(scan);
    if (!scan->says)
        scan->says = c == EOF ? "the file ends here, and its JSON goes on"
                     : c == 0 ? "a NUL byte"
                              : says;
    return JSON_BAD;
}

static int skip_blanks(struct json_scan *scan) {
    int c;
    for (; (c = peek(scan)) == ' ' || c == '\t' || c == '\r' || c == '\n'; scan->at++)
        if (c == '\n') {
            scan->line++;
            scan->line_start = scan->before + (size_t)(scan->at - scan->buffer) + 1;
        }
    return c;
}

/* What is decoded takes no more room than it had. */
static void keep(struct json_scan *scan, unsigned byte) {
    scan->token[scan->length++] = (char)byte;
}

/* A character of several bytes, without surrogates and overlong forms (RFC 3629). */
static bool keep_utf8(struct json_scan *scan, int lead) {
    int low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    int high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead < 0xc2 || lead > 0xf4)
        return false;
    keep(scan, (unsigned)lead);
    for (int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1; more; more--) {
        scan->at++;
        int c = peek(scan);
        if (c < low || c > high)
            return false;
        keep(scan, (unsigned)c);
        low = 0x80;
        high = 0xbf;
    }
    scan->at++;
    return true;
}

/* The four digits behind \u; what is no digit makes it too large. */
static unsigned read_unit(struct json_scan *scan) {
    unsigned unit = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(scan), letter = c | 0x20;
        if (c >= '0' && c <= '9')
            unit = unit << 4 | (unsigned)(c - '0');
        else if (letter >= 'a' && letter <= 'f')
            unit = unit << 4 | (unsigned)(letter - 'a' + 10);
        else
            return UINT_MAX;
        scan->at++;
    }
    return unit;
}

static bool take(struct json_scan *scan, const char *word) {
    for (; *word && peek(scan) == *word; word++)
        scan->at++;
    return !*word;
}

static bool keep_unit(struct json_scan *scan) {
    unsigned unit = read_unit(scan);
    if (unit >> 10 == 0xd800 >> 10) {
        unsigned second = take(scan, "\\u") ? read_unit(scan) : UINT_MAX;
        unit = second >> 10 == 0xdc00 >> 10 ? 0x10000 + ((unit & 0x3ff) << 10 | (second & 0x3ff))
                                            : UINT_MAX;
    }
    if (!unit || unit >> 10 == 0xdc00 >> 10 || unit == UINT_MAX)
        return false;
    int more = unit < 0x80 ? 0 : unit < 0x800 ? 1 : unit < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    keep(scan, leads[more] | unit >> 6 * more);
    while (more--)
        keep(scan, 0x80 | (unit >> 6 * more & 0x3f));
    return true;
}

/* What follows a backslash. */
static bool keep_escape(struct json_scan *scan) {
    static const char letters[] = "\"\\/bfnrtu", means[] = "\"\\/\b\f\n\r\t";
    scan->at++;
    int c = peek(scan);
    const char *found = c > 0 ? strchr(letters, c) : NULL;
    if (!found)
        return false;
    scan->at++;
    if (*found == 'u')
        return keep_unit(scan);
    keep(scan, (unsigned char)means[found - letters]);
    return true;
}

static enum json_token scan_string(struct json_scan *scan, enum json_token token) {
    scan->token = ++scan->at;
    for (;;) {
        int c = peek(scan);
        if (c == '"') {
            scan->at++;
            scan->token[scan->length] = '\0';
            return token;
        }
        if (c < ' ')
            return refuse(scan, "not JSON: a control character in a string");
        if (c == '\\') {
            if (!keep_escape(scan))
                return refuse(scan, "not JSON: no escape of a string, one with a NUL, or half of a "
                                    "pair of surrogates");
        } else if (c >= 0x80) {
            if (!keep_utf8(scan, c))
                return refuse(scan, "not UTF-8");
        } else {
            keep(scan, (unsigned)c);
            scan->at++;
        }
    }
}

static bool take_digits(struct json_scan *scan) {
    int c = peek(scan);
    bool any = c >= '0' && c <= '9';
    for (; c >= '0' && c <= '9'; c = peek(scan))
        scan->at++;
    return any;
}

static enum json_token scan_number(struct json_scan *scan) {
    scan->token = scan->at;
    scan->at += *scan->at == '-';
    bool good = take(scan, "0") || take_digits(scan);
    if (good && take(scan, "."))
        good = take_digits(scan);
    if (good && (take(scan, "e") || take(scan, "E"))) {
        if (!take(scan, "+"))
            take(scan, "-");
        good = take_digits(scan);
    }
    scan->length = (size_t)(scan->at - scan->token);
    return good ? JSON_NUMBER : refuse(scan, "not JSON: a number goes on with a digit here");
}

static enum json_token begin(struct json_scan *scan, bool is_object) {
    if (scan->depth == JSON_DEPTH)
        return refuse(scan, "nested deeper than 1000 objects and arrays");
    scan->at++;
    scan->is_object[scan->depth++] = is_object;
    scan->state = JSON_FIRST;
    return is_object ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token scan_value(struct json_scan *scan, int c) {
    scan->state = JSON_AFTER_VALUE;
    if (c == '{' || c == '[')
        return begin(scan, c == '{');
    if (c == '"')
        return scan_string(scan, JSON_STRING);
    if (c == '-' || (c >= '0' && c <= '9'))
        return scan_number(scan);
    enum json_token token = c == 't' ? JSON_TRUE : c == 'f' ? JSON_FALSE : JSON_NULL;
    static const char *const words[] = {
        [JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null"};
    return take(scan, words[token]) ? token : refuse(scan, "not JSON: a value should stand here");
}

enum json_token json_next(struct json_scan *scan) {
    scan->token = scan->at;
    scan->length = 0;
    int c = skip_blanks(scan);
    bool in_object = scan->depth && scan->is_object[scan->depth - 1];
    if (scan->state == JSON_AFTER_NAME) {
        if (c != ':')
            return refuse(scan, "not JSON: a colon should stand here");
        scan->at++;
        return scan_value(scan, skip_blanks(scan));
    }
    if (scan->depth && scan->state != JSON_AFTER_COMMA && c == (in_object ? '}' : ']')) {
        scan->at++;
        scan->depth--;
        scan->state = JSON_AFTER_VALUE;
        return JSON_END;
    }
    if (scan->state == JSON_AFTER_VALUE) {
        if (!scan->depth)
            return c == EOF ? JSON_OVER : refuse(scan, "not JSON: more stands here, after its end");
        if (c != ',')
            return refuse(scan, in_object ? "not JSON: a comma or } should stand here"
                                          : "not JSON: a comma or ] should stand here");
        scan->at++;
        scan->state = JSON_AFTER_COMMA;
        c = skip_blanks(scan);
    }
    if (!in_object)
        return scan_value(scan, c);
    scan->state = JSON_AFTER_NAME;
    return c == '"' ? scan_string(scan, JSON_NAME)
                    : refuse(scan, "not JSON: a name in quotation marks should stand here");
}

/* A byte order mark says nothing of UTF-8, and no reader may stumble over it (RFC 8259). */
static void skip_mark(struct json_scan *scan) {
    scan->token = scan->at;
    if (peek(scan) == 0xef && scan->end - scan->at >= 3 &&
        memcmp(scan->at, "\xef\xbb\xbf", 3) == 0) {
        scan->at += 3;
        scan->line_start = 3;
    }
}

void json_scan_text(struct json_scan *scan, char *text, size_t length) {
    *scan = (struct json_scan){.buffer = text, .at = text, .end = text + length};
    skip_mark(scan);
}

bool json_scan_stream(struct json_scan *scan, FILE *stream) {
    char *buffer = malloc(MOST_KEPT + PIECE);
    *scan = (struct json_scan){.stream = stream, .buffer = buffer, .at = buffer, .end = buffer};
    if (buffer)
        skip_mark(scan);
    return buffer;
}

void json_scan_free(struct json_scan *scan) {
    free(scan->buffer);
}

bool json_scan_fail(const struct json_scan *scan, const char *path, const char *says,
                    struct error *error) {
    size_t at = scan->before + (size_t)(scan->at - scan->buffer) + (says ? 0 : 1);
    size_t column = at > scan->line_start ? at - scan->line_start : 1;
    return error_set(error, "%.200s, line %zu, column %zu: %s", path, scan->line + 1, column,
                     says ? says : scan->says);
}
