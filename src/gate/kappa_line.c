/* Dividing the lines of a Kappas.yaml into indentation, dash, key and value. */
#include "gate/kappa_line.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

bool kappa_line_refuse(const struct kappa_line *line, struct error *error, const char *format,
                       ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(error, "%.200s, line %zu: %s", line->path, line->number, text);
}

/* The character behind a text in quotes that begins there; NULL: it does not end. */
static char *behind_quoted(char *at) {
    const char quote = *at++;
    for (; *at; at++) {
        if (*at == '\\' && quote == '"' && at[1])
            at++;
        else if (*at == quote && quote == '\'' && at[1] == quote)
            at++;
        else if (*at == quote)
            return at + 1;
    }
    return NULL;
}

/* Cuts a comment off, which begins at the line's head or behind a blank, but not in quotes. False: a quote is not closed.
 * An apostrophe within a word is no quote. */
static bool cut_comment(char *text) {
    for (char *at = text; *at;) {
        const bool begins = at == text || isblank((unsigned char)at[-1]);
        if (*at == '#' && begins) {
            *at = '\0';
            return true;
        }
        const bool quoted = (*at == '\'' || *at == '"') && (begins || strchr("[{(,", at[-1]));
        at = quoted ? behind_quoted(at) : at + 1;
        if (!at)
            return false;
    }
    return true;
}

static void cut_blanks(char *text) {
    size_t length = strlen(text);
    while (length && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
}

/* A key ends at a colon that a blank or the end follows. Brackets and quotes begin a value. */
static void divide(struct kappa_line *line, char *text) {
    line->key = NULL;
    line->value = text;
    if (strchr("{}[]('\"|>&*!%@`,", *text))
        return;
    for (char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
        if (at[1] && !isblank((unsigned char)at[1]))
            continue;
        *at = '\0';
        line->key = text;
        line->value = at + 1 + strspn(at + 1, " \t");
        cut_blanks(text);
        return;
    }
}

/* One that is read. *empty: it has nothing but blanks and a comment. */
static bool take_line(struct kappa_line *line, size_t length, bool *empty, struct error *error) {
    if (memchr(line->room, '\0', length))
        return kappa_line_refuse(line, error, "a byte of 0 is no text");
    char *text = line->room + strspn(line->room, " ");
    if (!cut_comment(text))
        return kappa_line_refuse(line, error, "a quote is not closed on this line");
    cut_blanks(text);
    *empty = !*text;
    if (*text == '\t')
        return kappa_line_refuse(line, error, "indent with spaces, as YAML wants, not with tabs");
    line->column = (size_t)(text - line->room);
    line->item = *text == '-' && (isblank((unsigned char)text[1]) || !text[1]);
    if (line->item) {
        text++;
        text += strspn(text, " ");
    }
    line->content = (size_t)(text - line->room);
    divide(line, text);
    return true;
}

bool kappa_line_next(FILE *file, struct kappa_line *line, bool *end, struct error *error) {
    bool empty = true;
    for (*end = false; empty;) {
        const ssize_t length = getline(&line->room, &line->room_size, file);
        if (length < 0) {
            *end = true;
            return !ferror(file) ||
                   error_set(error, "cannot read %.200s: %s", line->path, strerror(errno));
        }
        line->number++;
        if (!take_line(line, (size_t)length, &empty, error))
            return false;
        empty = empty || (line->number == 1 && strcmp(line->room, "---") == 0);
    }
    return true;
}

void kappa_line_free(struct kappa_line *line) {
    free(line->room);
    line->room = NULL;
}
