/* How `detcheck explain` shows what it found. */
#ifndef DETCHECK_EXPLAIN_OUTPUT_H
#define DETCHECK_EXPLAIN_OUTPUT_H

#include "explain/row.h"

/* Prints a row to stdout. */
void explain_row_print(const struct explain_row *row);

/* Of --folded: who is right, the largest errors, and the first differences. */
void explain_folded_print(const struct explain_row *row);

/* That one side has the bits of det or cr but at few inputs, for which no cause predicts the bits. False, and nothing, if not. */
bool explain_few_print(const struct explain_row *row);

/* Prints which libraries return the bits of a side, if the table of libraries has the function. */
void explain_libraries_print(const struct explain_row *row);

/* A line for each operand, and one for a code. */
void explain_print_input(const struct explain_row *row, const uint64_t *input);
void explain_print_code(const char *label, const struct format *format, uint64_t code);

#endif
