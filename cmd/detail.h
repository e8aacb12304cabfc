/* Where an implementation finds an operation, and by which version of a library. */
#ifndef DETCHECK_CMD_DETAIL_H
#define DETCHECK_CMD_DETAIL_H

#include "impl/implementation.h"

enum { DETAIL_TEXT = sizeof(((struct binding *)0)->detail) };

/* What it says of the operation once it is bound, which a process of others says only then; of all operations where it
 * does not provide this one. Returns `text`. */
const char *detail_of(const struct implementation *implementation,
                      const struct binding_request *computed, char text[DETAIL_TEXT]);

#endif
