/* Quoting of values between commas. */
#include "base/csv.h"

#include "base/foreign.h"

#include <string.h>

enum { VALUE = 1024 };

void csv_print(FILE *stream, const char *text) {
    char value[VALUE];
    foreign_text(FOREIGN_PLAIN, text, value, sizeof value);
    if (!value[strcspn(value, ",\"\r\n")]) {
        fputs(value, stream);
        return;
    }
    fputc('"', stream);
    for (const char *at = value; *at; at++)
        fprintf(stream, *at == '"' ? "\"\"" : "%c", *at);
    fputc('"', stream);
}
