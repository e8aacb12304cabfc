/* Between eval.c, which evaluates operations on numbers, and eval_array.c, which does those on
 * arrays. */
#ifndef DETCHECK_CMD_EVAL_H
#define DETCHECK_CMD_EVAL_H

#include "selection.h"

#include "oracle/judge.h"

#include <cjson/cJSON.h>

const char *verdict_text(const struct judgement *judgement);

/* Whether any implementation did anything besides answering. */
extern bool evaluation_had_event;

/* "  label     decimal  hex  bits", without a newline. */
void print_number(const char *label, const struct format *format, uint64_t code);

/* A number as it stands on the command line; with `remarks`, says where it was rounded. */
bool read_value(const struct format *format, const char *text, bool remarks, uint64_t *code,
                struct error *error);

/* One call of an operation on arrays, in every selected format and rounding: the values are the
 * elements of its operands, one operand after the other. To stdout, or into the array. */
bool evaluate_arrays(const struct arguments *arguments, const struct selection *selection,
                     cJSON *array, bool remarks, struct error *error);

#endif
