/* Members of the document of a report that stand in many places. */
#ifndef DETCHECK_REPORT_ITEMS_H
#define DETCHECK_REPORT_ITEMS_H

#include "sweep/sweep.h"

#include <cjson/cJSON.h>

/* Adds a code. */
void report_add_bits(cJSON *object, const char *name, const struct format *format, uint64_t code);

/* Adds "input": the code of one operand as a string, of several an array of them, of an operation on
 * arrays which element. */
void report_add_input(cJSON *object, const struct sweep_request *request, const uint64_t *input);

/* Adds a number that reads back as the same double: cJSON would write 1 - 2^-53 as 1, and an error
 * below an ulp is no error of an ulp. */
void report_add_error(cJSON *object, const char *name, double error);

/* The shortest decimal of 15 digits or more that reads back as the same double. Returns `text`. */
const char *report_number_text(double number, char text[32]);

/* The code that a string of hexadecimal digits is; 0 for anything else. */
uint64_t report_code_of(const cJSON *item);

/* The order of the inputs of a sweep: by the codes of the operands of "input", the first one first; of
 * an operation on arrays by the place of its shape among `shapes`, which is NULL for numbers, then by
 * draw and element. */
int report_compare_inputs(const cJSON *shapes, const cJSON *a, const cJSON *b);

/* The extents of a shape, an array. */
cJSON *report_shape(const struct shape *shape);

#endif
