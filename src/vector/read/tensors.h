/* Tensors of ONNX's backend tests, input_0.pb and so on beside output_0.pb, as lines of the plain form. */
#ifndef DETCHECK_VECTOR_READ_TENSORS_H
#define DETCHECK_VECTOR_READ_TENSORS_H

#include "base/error.h"

#include <stdio.h>

/* The elements as "operand ... result" on each line; `path` is the output. NULL with an error: no such files,
 * or operands of other shapes, which nobody spreads out here. *text, from malloc, is to be freed after
 * the stream. */
FILE *vector_tensor_lines(const char *path, int operands, char **text, struct error *error);

#endif
