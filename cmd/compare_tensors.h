/* Two files of tensors beside one another, as text and as JSON. */
#ifndef DETCHECK_CMD_COMPARE_TENSORS_H
#define DETCHECK_CMD_COMPARE_TENSORS_H

#include "tensor/pairs.h"

#include <cjson/cJSON.h>

/* The verdict, what differs, and what has no counterpart. */
void tensors_print(const struct tensor_file *a, const struct tensor_file *b,
                   const struct tensor_pairs *pairs);

/* Adds a member for each pair to the array. */
void tensors_json(const struct tensor_pairs *pairs, cJSON *rows);

#endif
