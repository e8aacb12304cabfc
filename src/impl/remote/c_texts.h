/* Calls of a function on texts by its address: c_array.h has its signatures. */
#ifndef DETCHECK_IMPL_REMOTE_C_TEXTS_H
#define DETCHECK_IMPL_REMOTE_C_TEXTS_H

#include "op/operation.h"

/* Whether the operation takes texts, or gives them. */
bool c_texts_are_of(const struct operation *operation);

/* Whether the C function has the formats of the call; false with the reason. */
bool c_texts_provides(const struct array_call *call, struct error *why);

/* Fills the results, in the rounding that is in force. *is_written becomes false where a text was not ended within its line. False
 * when memory fails. */
bool c_texts_run(void *address, const struct array_call *call, bool *is_written,
                 struct error *error);

#endif
