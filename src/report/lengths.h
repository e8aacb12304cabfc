/* How many bytes calls on texts say that they have read or written, in words. */
#ifndef DETCHECK_REPORT_LENGTHS_H
#define DETCHECK_REPORT_LENGTHS_H

#include "sweep/sweep.h"

#include <stdio.h>

/* Below an implementation, or below its row of a table, where only wrong lengths are counted. Nothing of operations without texts. */
void lengths_print(FILE *stream, const struct sweep_request *request, const struct tally *tally,
                   bool colour);
void lengths_print_count(FILE *stream, const struct tally *tally, bool colour);

#endif
