/* A row of `detcheck explain` before and after the two sides run. */
#ifndef DETCHECK_CMD_EXPLAIN_ROW_H
#define DETCHECK_CMD_EXPLAIN_ROW_H

#include "explain/row.h"

/* What is known before they run. `folded` is NULL, or what compares constants of a compiler with calls. */
void explain_row_begin(struct explain_row *row, const struct explain_request *request,
                       const struct folded *folded);

/* Whose bits the sides have: by the fingerprints that are known anyway, and those that take a moment. */
void explain_row_recognise(struct explain_row *row, const struct explain_request *request);

#endif
