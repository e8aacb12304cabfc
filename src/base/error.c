/* Formatting of the one-line error. */
#include "base/error.h"

#include "base/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An error shows only the beginning and the end of a word that is longer than MOST_WORD. */
enum { MOST_WORD = 300, WORD_BEGIN = 160, WORD_END = 100 };
static const char left_out[] = "...";

/* Not the first byte of a character of UTF-8. */
static bool is_inside_character(char byte) {
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* An input of ten thousand digits is one word: nobody reads it, and what is wrong stands behind it. */
static void shorten_words(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        const char *word = from + strspn(from, " "), *end = word + strcspn(word, " ");
        const char *first = end, *last = end; /* what is left out lies between them */
        if (end - word > MOST_WORD) {
            first = word + WORD_BEGIN;
            last = end - WORD_END;
            while (first > word && is_inside_character(*first))
                first--;
            while (last < end && is_inside_character(*last))
                last++;
        }
        memmove(to, from, (size_t)(first - from));
        to += first - from;
        if (first < last) {
            memcpy(to, left_out, strlen(left_out));
            to += strlen(left_out);
            memmove(to, last, (size_t)(end - last));
            to += end - last;
        }
        from = end;
    }
    *to = '\0';
}

/* The whole line, without the middle of long words; without memory for it, as much as `room` holds. */
static void format_line(char *room, size_t size, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(room, size, format, arguments);
    char *whole = length < (int)size ? NULL : malloc((size_t)length + 1);
    if (whole) {
        vsnprintf(whole, (size_t)length + 1, format, again);
        shorten_words(whole);
        snprintf(room, size, "%s", whole);
    } else
        shorten_words(room);
    va_end(again);
    free(whole);
}

bool error_set(struct error *error, const char *format, ...) {
    /* A byte becomes six at most ("\\u202e" for three); what goes beyond is cut off anyway. */
    char raw[sizeof error->text + 1], text[2 * sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    format_line(raw, sizeof raw, format, arguments);
    va_end(arguments);
    foreign_text(FOREIGN_TERMINAL, foreign_trim(raw), text, sizeof text);
    size_t length = strlen(text);
    bool whole = length < sizeof error->text;
    if (!whole)
        length = sizeof error->text - sizeof "...";
    memcpy(error->text, text, length);
    error->text[length] = '\0';
    if (!whole)
        strcat(foreign_trim(error->text), "...");
    return false;
}
