/* How `detcheck compare` shows what it found. */
#ifndef DETCHECK_COMPARE_OUTPUT_H
#define DETCHECK_COMPARE_OUTPUT_H

#include "report/compare.h"

#include <cjson/cJSON.h>

/* Prints a row to stdout. */
void compare_row_print(const struct compare_row *row);

/* The row as an object of the document (detcheck-compare(1)). */
cJSON *compare_row_json(const struct compare_row *row);

#endif
