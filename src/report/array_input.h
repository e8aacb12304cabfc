/* What was put into a call on arrays where the largest error is. */
#ifndef DETCHECK_REPORT_ARRAY_INPUT_H
#define DETCHECK_REPORT_ARRAY_INPUT_H

#include "sweep/sweep.h"

#include <stdio.h>

/* Up to eight elements of each operand, those beside the element of the result or in its line, and the command
 * that shows it again. Nothing for texts, which stand beside the element anyway, and for operations on numbers; no command
 * where the arrays are one's own. */
void array_input_print(FILE *stream, const struct sweep_request *request, size_t implementation,
                       int result, const uint64_t *input);

/* That command, with the implementations from..to: of arrays that are not one's own. */
void array_command_print(FILE *stream, const struct sweep_request *request, size_t from, size_t to,
                         const uint64_t *input);

#endif
