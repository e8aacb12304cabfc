/* The values of elements in reports: what the operation on the operands' numbers would be exactly,
 * beside the steps of its definition. As JSON, and in words. */
#ifndef DETCHECK_REPORT_VALUE_H
#define DETCHECK_REPORT_VALUE_H

#include "sweep/sweep.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* "value" of an implementation: where array_has_values. */
void report_add_value(cJSON *object, const struct sweep_request *request,
                      const struct format *format, const struct tally *tally);

/* The same in words, below an implementation. */
void value_print(FILE *stream, const struct sweep_request *request, const struct format *format,
                 const struct tally *tally);

#endif
