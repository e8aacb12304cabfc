/* What an interrupted comparison says of the inputs that it compared. */
#ifndef DETCHECK_CMD_STOPPED_H
#define DETCHECK_CMD_STOPPED_H

#include "base/error.h"
#include "format/format.h"

#include <stdint.h>

struct stopped {
    const char *operation;
    const struct format *format; /* of the first operand */
    uint64_t done, count;        /* inputs that were compared, and all */
    uint64_t differ, unanswered; /* of those that were */
    uint64_t first;              /* where they differ: the first operand of one input */
};

/* "interrupted after 1,000 of 4,294,967,296 inputs of exp in fp32: 2 have other bits, such as that of x = 0x3f89f236".
 * Leaves the error as it is where nothing was compared, or all. */
void say_stopped(const struct stopped *stopped, struct error *error);

#endif
