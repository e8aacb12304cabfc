/* What `detcheck explain` found out, as an entry of a report (detcheck-report(7)). */
#ifndef DETCHECK_EXPLAIN_DOCUMENT_H
#define DETCHECK_EXPLAIN_DOCUMENT_H

#include "explain/row.h"
#include "report/report.h"

/* Appends a result, whose one implementation is B, or A where it is alone: its parameters have
 * "explanation": true and, as "against", the name of A. */
void explain_add(struct report *report, const struct explain_row *row);

#endif
