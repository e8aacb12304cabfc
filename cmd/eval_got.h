/* The outputs that `detcheck eval --got` gives of an operation on arrays. */
#ifndef DETCHECK_CMD_EVAL_GOT_H
#define DETCHECK_CMD_EVAL_GOT_H

#include "eval.h"
#include "op/array.h"

/* Reads a text for each result, which has the codes of all its elements, into codes[0] and so on; the caller frees these, in any
 * case. `given` is whether there were any. False: an option has the wrong number of elements, or there are too many or too few. */
bool got_read(const struct eval_run *run, const struct operation *operation,
              const struct array *results, void **codes, bool *given, struct error *error);

#endif
