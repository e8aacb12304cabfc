/* Formatting of the one-line error. */
#include "base/error.h"

#include "base/foreign.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *error, const char *format, ...) {
    /* A byte becomes six at most ("\\u202e" for three); what goes beyond is cut off anyway. */
    char raw[sizeof error->text + 1], text[2 * sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
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
