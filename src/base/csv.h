/* Values between commas (RFC 4180). */
#ifndef DETCHECK_BASE_CSV_H
#define DETCHECK_BASE_CSV_H

#include <stdio.h>

/* Prints a text as a value: between quotes where it has a comma, a quote or a line end. Foreign characters without
 * a glyph are escaped as in JSON strings (base/foreign.h). */
void csv_print(FILE *stream, const char *text);

#endif
