/* How `detcheck explain` shows what it found. */
#ifndef DETCHECK_EXPLAIN_OUTPUT_H
#define DETCHECK_EXPLAIN_OUTPUT_H

#include "explain/row.h"

/* Prints a row to stdout. */
void explain_row_print(const struct explain_row *row);

#endif
