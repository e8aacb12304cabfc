/* Calls of a function on blocks by its address: c_array.h has its signatures. */
#ifndef DETCHECK_IMPL_REMOTE_C_BLOCKS_H
#define DETCHECK_IMPL_REMOTE_C_BLOCKS_H

#include "op/operation.h"

/* Fills the results of a call of mx.quantise, or of mx.dequantise. `*is_written` becomes false where the function did not
 * write all of them. False when memory fails. */
bool c_blocks_run(void *address, const struct array_call *call, bool quantises, bool *is_written,
                  struct error *error);

#endif
