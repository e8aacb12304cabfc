/* A sweep as values between commas, a line for each result of each implementation. */
#ifndef DETCHECK_REPORT_SWEEP_CSV_H
#define DETCHECK_REPORT_SWEEP_CSV_H

#include "sweep/sweep.h"

#include <stdio.h>

void sweep_csv_heading(FILE *stream);

/* The lines of one operation. Those of an implementation that does not provide it end after "false". Errors are in
 * ulps, with all digits of a double; inputs and outputs are bits, operands between blanks. */
void sweep_csv_print(FILE *stream, const struct sweep_request *request,
                     const struct sweep_outcome *outcome);

#endif
