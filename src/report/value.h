/* The values of elements in reports: what the operation on the operands' numbers would be exactly,
 * beside the steps of its definition. In words. */
#ifndef DETCHECK_REPORT_VALUE_H
#define DETCHECK_REPORT_VALUE_H

#include "sweep/sweep.h"

#include <stdio.h>

/* Below an implementation, where array_has_values. */
void value_print(FILE *stream, const struct sweep_request *request, const struct format *format,
                 const struct tally *tally);

#endif
