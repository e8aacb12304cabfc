/* What --show asks for, in words. */
#ifndef DETCHECK_REPORT_SHOWN_H
#define DETCHECK_REPORT_SHOWN_H

#include "sweep/sweep.h"

#include <stdio.h>

/* Of an implementation's result, whose tally that is; nothing where nothing was asked for. */
void shown_print(FILE *stream, const struct sweep_request *request, size_t implementation,
                 int result, const struct tally *tally, const struct format *format);

/* "3 digits right" of an output that is far off: as many as a relative error of less than 10^-3 leaves, reckoned from
 * the right result. False where an output is not far off, or there is nothing to take a share of. */
enum { DIGITS_TEXT = 32 };
bool shown_digits(const struct format *format, const struct witness *witness,
                  char text[DIGITS_TEXT]);

#endif
