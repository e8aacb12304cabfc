/* How `detcheck compare` shows what it found. */
#ifndef DETCHECK_COMPARE_OUTPUT_H
#define DETCHECK_COMPARE_OUTPUT_H

#include "report/compare.h"

#include <cjson/cJSON.h>

/* Prints a row: a line where it is equal and there is nothing to say beside that. */
void compare_row_print(FILE *stream, const struct compare_row *row);

/* Prints a row as values that commas separate: operation, format, rounding, a, b, equal, inputs, of, tested and
 * differ; the names of these above the first. */
void compare_row_csv(FILE *stream, const struct compare_row *row);

/* The error of an interrupted run: what is known of the inputs that were compared, of COUNT. Unchanged where there are none. */
void compare_say_stopped(const struct compare_row *row, uint64_t count, struct error *error);

/* The next property whose records differ: of those of A, then of those that B alone has. False where there is none.
 * `at` counts them. */
bool compare_next_property(const struct compare_row *row, size_t *at, const char **name,
                           const struct property_record *sides[2]);

/* The row as an object of the document (detcheck-compare(1)). */
cJSON *compare_row_json(const struct compare_row *row);

#endif
