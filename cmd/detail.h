/* Where implementations find an operation, by which version of a library, and on which machines. */
#ifndef DETCHECK_CMD_DETAIL_H
#define DETCHECK_CMD_DETAIL_H

#include "impl/implementation.h"

enum { DETAIL_TEXT = sizeof(((struct binding *)0)->detail) };

/* What each of two says of the operation once it is bound, which a process of others says only then; of all operations
 * where it does not provide this one. The machines are known where the worker of one side tells its own; else both
 * compute here, and they are empty. */
struct details {
    char texts[2][DETAIL_TEXT];
    struct machine machines[2];
};
void details_find(const struct implementation *const sides[2],
                  const struct binding_request *computed, struct details *details);

#endif
